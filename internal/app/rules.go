package app

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"parley/acpclient"
	"parley/config"
	"parley/internal/policy"
	"parley/internal/rules"
	"parley/internal/session"
)

// ConfiguredRules returns the rules of the configuration, with their sources for display.
func ConfiguredRules(cfg *config.Config) []policy.Rule {
	list := slices.Clone(cfg.Rules)
	for i := range list {
		list[i].Source = HomePath(list[i].Source)
	}
	return list
}

// HomePath abbreviates the home directory in a path to ~.
func HomePath(path string) string {
	home, err := os.UserHomeDir()
	if rest, ok := strings.CutPrefix(path, home+string(filepath.Separator)); ok && err == nil {
		return filepath.Join("~", rest)
	}
	return path
}

// warnOfRules tells the user in a session which rules do not count, and why. What is wrong with a rule or
// a file is said in one session only.
func (l *Launcher) warnOfRules(s Session, r *rules.Set, unread error) {
	if l.looks { // the session that it is about says so
		return
	}
	if unread != nil {
		session.Post(s, session.AddNotice{Severity: acpclient.NoticeWarning, Title: "Cannot read the rules; asking every time", Detail: unread.Error()})
	}
	once := func(title, detail string) {
		if _, said := l.warned.LoadOrStore([2]string{title, detail}, true); !said {
			session.Post(s, session.AddNotice{Severity: acpclient.NoticeWarning, Title: title, Detail: detail})
		}
	}
	entries, _ := r.Entries()
	for _, e := range entries {
		if why := e.Rule.Futile(); why != "" && e.Counts {
			once(fmt.Sprintf("The rule %q never allows anything", e.Rule.String()), why)
		}
	}
	if wrong := r.Project().Err; wrong != nil {
		once("The project's rules are ignored: its configuration has an error", wrong.Error())
	}
}

// ProjectLines are all that a project's configuration has, for the user to look at.
func ProjectLines(project rules.Project) (lines []string) {
	for _, rule := range project.Rules {
		lines = append(lines, rule.String())
	}
	if w := project.Worktree; w.Setup != "" {
		lines = append(lines, "in each new worktree, run: "+w.Setup)
	}
	if w := project.Worktree; len(w.Include) > 0 {
		lines = append(lines, "to each new worktree, copy: "+strings.Join(w.Include, ", "))
	}
	for _, p := range project.Prompts {
		lines = append(append(lines, "/"+p.Name), strings.Split(p.Text, "\n")...)
	}
	return lines
}

// TrustQuestion asks whether the rules and prompts of a session's project count; nil if it has
// none, or the user has decided about these. Until then they do not count.
func TrustQuestion(s Session) *Question {
	if !s.About().Ruled {
		return nil
	}
	is, err := session.Do(context.Background(), s, rules.ProjectRules{})
	project := is.Project
	if err != nil || is.Trust != rules.Undecided || project.Empty() {
		return nil
	}
	lines := ProjectLines(project)
	var kinds []string
	if len(project.Rules) > 0 {
		kinds = append(kinds, "rules")
	}
	if len(project.Prompts) > 0 {
		kinds = append(kinds, "prompts")
	}
	if len(project.Worktree.Include) > 0 || project.Worktree.Setup != "" {
		kinds = append(kinds, "worktree setup")
	}
	what := strings.Join(kinds, " and ")
	trust := func(t rules.Trust, done string) func() (Outcome, error) {
		return func() (Outcome, error) {
			return Outcome{Say: done}, session.Try(context.Background(), s, rules.SetTrust{Trust: t})
		}
	}
	return &Question{
		Title: "This project has its own " + what,
		Text:  fmt.Sprintf("The directory .parley in %s has %s for agents. They apply only if you trust them:", HomePath(project.Dir), what),
		Lines: lines,
		Choices: []Choice{
			{Name: "Trust these " + what, Key: "t", Risky: true, Do: trust(rules.Trusted, "the project's "+what+" now apply")},
			{Name: "Not now"},
			{Name: "Never; do not ask again", Risky: true, Do: trust(rules.Never, "the project's "+what+" never apply")},
		},
	}
}
