package app

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"parley/acpclient"
	"parley/config"
	files "parley/fs"
	"parley/internal/git"
	"parley/internal/policy"
	"parley/internal/prompt"
	"parley/internal/session"
)

// RuleScope is where a rule comes from.
type RuleScope int

// The sources of rules.
const (
	Configured      RuleScope = iota // in the user's configuration
	SavedEverywhere                  // saved by parley, for all projects
	SavedForProject                  // saved by parley, for this project
	OfProject                        // in the project's own configuration
)

// String names the source for people.
func (s RuleScope) String() string {
	switch s {
	case SavedEverywhere:
		return "saved by parley, everywhere"
	case SavedForProject:
		return "saved by parley, for this project"
	case OfProject:
		return filepath.ToSlash(config.ProjectFile) + " of the project"
	}
	return "configured"
}

// Rule is a rule and its source.
type Rule struct {
	policy.Rule
	Scope RuleScope
	// Counts is false for rules of an untrusted project.
	Counts bool
}

// RulesOptions describes the session that the rules are for.
type RulesOptions struct {
	// Agent is the configured name of the agent.
	Agent string
	// Cwd and More are the session's directories, absolute.
	Cwd  string
	More []string
	// Configured are the rules of the configuration.
	Configured []policy.Rule
	Store      *RuleStore
	// Files are the configured patterns, besides the built-in ones, of files that only a rule
	// naming them allows.
	Files config.Files
}

// Rules are the rules of one session: configured, saved by parley, and the project's own once
// the user trusts it. Saved rules are read on each use, so that a change counts at once in
// every parley process. The project's file is read only once, so that exactly the trusted
// content counts. Rules is safe for concurrent use and implements session.Judge.
type Rules struct {
	opt     RulesOptions
	places  places
	project Project

	mu    sync.Mutex
	trust Trust
}

var _ session.Judge = (*Rules)(nil)

// Project is the configuration inside a project.
type Project struct {
	// Dir is the project's directory, with links resolved.
	Dir string
	// Rules are the rules of its file. There are none without a file, or if Err says what is
	// wrong with the file.
	Rules []policy.Rule
	Err   error

	// Prompts are the project's own, from files beside that one. They count as its rules do.
	Prompts []prompt.Template

	sum string // of the content of all files; "" if there is none
}

type projectJSON struct {
	Dir     string            `json:"dir"`
	Rules   []policy.Rule     `json:"rules,omitempty"`
	Err     string            `json:"error,omitempty"`
	Prompts []prompt.Template `json:"prompts,omitempty"`
}

// MarshalJSON encodes the project for front ends in other processes.
func (p Project) MarshalJSON() ([]byte, error) {
	w := projectJSON{Dir: p.Dir, Rules: p.Rules, Prompts: p.Prompts}
	if p.Err != nil {
		w.Err = p.Err.Error()
	}
	return json.Marshal(w)
}

// UnmarshalJSON decodes the output of MarshalJSON.
func (p *Project) UnmarshalJSON(data []byte) error {
	var w projectJSON
	err := json.Unmarshal(data, &w)
	if *p = (Project{Dir: w.Dir, Rules: w.Rules, Prompts: w.Prompts}); w.Err != "" {
		p.Err = errors.New(w.Err)
	}
	return err
}

// OpenRules returns the rules of a session. The project's file counts only if the user trusts
// its exact content. If an error leaves that unknown, the returned rules are usable and trust
// nothing.
func OpenRules(opt RulesOptions) (*Rules, error) {
	sensitive, err := sensitiveFiles(opt.Files, nil, append([]string{opt.Cwd}, opt.More...)...)
	if err != nil {
		return nil, err
	}
	b := &Rules{opt: opt, places: newPlaces(opt.Cwd, opt.More, sensitive)}
	b.project = readProject(projectOf(opt.Cwd))
	content, err := opt.Store.read()
	if err != nil {
		return b, err
	}
	said := content.Trust[projectKey(b.project.Dir)]
	if said.Answer == Never || said.Answer == Trusted && said.SHA256 == b.project.sum {
		b.trust = said.Answer
	}
	return b, nil
}

// projectOf returns the directory of the project of a session in cwd, and the same with links
// resolved. A worktree has that of the working tree it was made for: what the user has decided
// about that holds there too, and the copy of its files, which an agent can write, does not count.
func projectOf(cwd string) (dir, real string) {
	dir = git.Original(cwd)
	real, _ = follow(dir)
	return dir, real
}

// projectPrompts is the directory of a project's own prompts.
const projectPrompts = ".parley/prompts"

func readProject(cwd, dir string) Project {
	p := Project{Dir: dir}
	if root, err := os.OpenRoot(cwd); err == nil { // OpenRoot, so that no link leads out of the project
		if dir, err := files.OpenRootIn(root, projectPrompts); err == nil {
			entries, _ := fs.ReadDir(dir.FS(), ".")
			_ = dir.Close()
			p.Prompts = prompt.Templates(entries, func(name string) (*os.File, error) {
				return files.OpenRegularIn(root, filepath.Join(projectPrompts, name))
			})
		}
		_ = root.Close()
	}
	data, err := files.ReadHead(filepath.Join(cwd, config.ProjectFile), config.MaxProjectFile+1)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		p.Err = err
		return p
	}
	if err != nil && len(p.Prompts) == 0 {
		return p
	}
	sum := sha256.New()
	sum.Write(data)
	for _, t := range p.Prompts {
		fmt.Fprintf(sum, "\x00%s\x00%d\x00%s", t.Name, len(t.Text), t.Text)
	}
	p.sum = hex.EncodeToString(sum.Sum(nil))
	if err == nil {
		p.Rules, p.Err = config.ParseProject(filepath.ToSlash(config.ProjectFile), data)
	}
	return p
}

// Project returns the project's own configuration.
func (b *Rules) Project() Project { return b.project }

// Trust returns whether the user trusts it.
func (b *Rules) Trust() Trust {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.trust
}

// SetTrust records the user's decision about the project's configuration as it was read: after
// a change they are asked again. It takes effect even if it could not be saved.
func (b *Rules) SetTrust(t Trust) error {
	b.mu.Lock()
	b.trust = t
	b.mu.Unlock()
	return b.opt.Store.update(func(s *saved) error {
		key := projectKey(b.project.Dir)
		switch {
		case t == Undecided:
			delete(s.Trust, key)
			return nil
		case s.Trust == nil:
			s.Trust = map[string]trustedBy{}
		}
		said := trustedBy{Answer: t}
		if t == Trusted {
			said.SHA256 = b.project.sum
		}
		s.Trust[key] = said
		return nil
	})
}

// TrustQuestion asks whether the rules and prompts of a session's project count; nil if it has
// none, or the user has decided about these. Until then they do not count.
func TrustQuestion(s Session) *Question {
	if !s.About().Ruled {
		return nil
	}
	is, err := session.Do(context.Background(), s, ProjectRules{})
	project := is.Project
	if err != nil || is.Trust != Undecided || len(project.Rules)+len(project.Prompts) == 0 {
		return nil
	}
	var lines []string
	for _, rule := range project.Rules {
		lines = append(lines, rule.String())
	}
	for _, p := range project.Prompts {
		lines = append(append(lines, "/"+p.Name), strings.Split(p.Text, "\n")...)
	}
	what := "rules"
	switch {
	case len(project.Rules) == 0:
		what = "prompts"
	case len(project.Prompts) > 0:
		what = "rules and prompts"
	}
	trust := func(t Trust, done string) func() (Outcome, error) {
		return func() (Outcome, error) { return Outcome{Say: done}, session.Try(context.Background(), s, SetTrust{t}) }
	}
	return &Question{
		Title: "This project has its own " + what,
		Text:  fmt.Sprintf("The directory .parley in %s has %s for agents. They apply only if you trust them:", HomePath(project.Dir), what),
		Lines: lines,
		Choices: []Choice{
			{Name: "Trust these " + what, Key: "t", Risky: true, Do: trust(Trusted, "the project's "+what+" now apply")},
			{Name: "Not now"},
			{Name: "Never; do not ask again", Risky: true, Do: trust(Never, "the project's "+what+" never apply")},
		},
	}
}

// Entries returns all rules, including those that do not count.
func (b *Rules) Entries() ([]Rule, error) {
	everywhere, project, err := b.opt.Store.rules(b.project.Dir)
	var out []Rule
	add := func(rules []policy.Rule, s RuleScope, counts bool) {
		for _, r := range rules {
			out = append(out, Rule{r, s, counts})
		}
	}
	add(b.opt.Configured, Configured, true)
	add(everywhere, SavedEverywhere, true)
	add(project, SavedForProject, true)
	add(b.project.Rules, OfProject, b.Trust() == Trusted)
	return out, err
}

// counting returns the rules that count.
func (b *Rules) counting() ([]policy.Rule, error) {
	entries, err := b.Entries()
	var rules []policy.Rule
	for _, e := range entries {
		if e.Counts {
			rules = append(rules, e.Rule)
		}
	}
	return rules, err
}

// Add saves rules in normal form, for all projects or for this one. It fails if one does not
// parse.
func (b *Rules) Add(everywhere bool, lines ...string) error {
	for i, line := range lines {
		r, err := policy.Parse(line)
		if err != nil {
			return err
		}
		lines[i] = r.String()
	}
	return b.opt.Store.update(func(s *saved) error {
		list := s.list(everywhere, b.project.Dir)
		for _, line := range lines {
			if !slices.Contains(list, line) {
				list = append(list, line)
			}
		}
		s.setList(everywhere, b.project.Dir, list)
		return nil
	})
}

// ErrNoSuchRule means that the rule is not saved.
var ErrNoSuchRule = errors.New("no such saved rule")

// Remove removes a saved rule.
func (b *Rules) Remove(everywhere bool, line string) error {
	r, err := policy.Parse(line)
	if err != nil {
		return err
	}
	return b.opt.Store.update(func(s *saved) error {
		list := s.list(everywhere, b.project.Dir)
		at := slices.Index(list, r.String())
		if at < 0 {
			return fmt.Errorf("%s: %w", r, ErrNoSuchRule)
		}
		s.setList(everywhere, b.project.Dir, slices.Delete(list, at, at+1))
		return nil
	})
}

func (s *saved) list(everywhere bool, dir string) []string {
	if everywhere {
		return s.Everywhere
	}
	return s.Projects[projectKey(dir)]
}

func (s *saved) setList(everywhere bool, dir string, list []string) {
	switch {
	case everywhere:
		s.Everywhere = list
	case len(list) == 0:
		delete(s.Projects, projectKey(dir))
	default:
		if s.Projects == nil {
			s.Projects = map[string][]string{}
		}
		s.Projects[projectKey(dir)] = list
	}
}

// Judge implements session.Judge.
func (b *Rules) Judge(_ context.Context, c session.Case) session.Ruling {
	call := policy.Call{Title: c.Call.Title, Kind: string(c.Call.Kind), Name: c.Call.Name, RawInput: c.Call.RawInput}
	for _, l := range c.Call.Locations {
		call.Paths = append(call.Paths, l.Path)
	}
	for i := range c.Call.Content {
		if content := &c.Call.Content[i]; content.Type == acpclient.ToolContentDiff {
			call.Changes = append(call.Changes, content.Path)
			if content.Change != nil && content.Change.OldPath != "" {
				call.Changes = append(call.Changes, content.Change.OldPath)
			}
		}
	}
	if c.Unasked {
		return b.restrict(call, c.Mode, c.Done)
	}
	d, proposals, err := b.Decide(call, b.opt.Agent, c.Mode, c.Switching)
	if err != nil {
		return session.Ruling{Verdict: policy.Ask, Why: err.Error()}
	}
	r := ruled(d, policy.Describe(call, b.opt.Agent, c.Mode, b.places.resolve).Subject())
	for _, p := range proposals {
		var lines []string
		for _, rule := range p {
			lines = append(lines, rule.String())
		}
		r.Proposals = append(r.Proposals, lines)
	}
	return r
}

// restrict judges calls for which the agent asks no permission. It must be cheap: an agent may
// make very many calls, and most users have no rule that denies or asks. done means that only
// what is certain matters.
func (b *Rules) restrict(call policy.Call, mode string, done bool) session.Ruling {
	rules, err := b.counting()
	if err != nil {
		return session.Ruling{Verdict: policy.Ask, Why: err.Error()}
	}
	if !slices.ContainsFunc(rules, func(r policy.Rule) bool { return r.Verdict != policy.Allow }) {
		return session.Ruling{}
	}
	request := policy.Describe(call, b.opt.Agent, mode, b.places.resolve)
	request.Search, request.Tracked = b.places.search, b.places.tracked
	judge := policy.Restrict
	if done {
		judge = policy.Violated
	}
	d := judge(rules, request)
	return ruled(d, request.Subject())
}

// ruled converts a decision to a ruling.
func ruled(d policy.Decision, subject string) session.Ruling {
	r := session.Ruling{Verdict: d.Verdict, Why: d.Why, Subject: subject}
	if d.Rule == nil {
		return r
	}
	r.Rule, r.Source = d.Rule.String(), d.Rule.Source
	switch {
	case d.Verdict != policy.Ask:
	case r.Why == "":
		r.Why = fmt.Sprintf("the rule %q says ask (%s)", r.Rule, r.Source)
	case d.Rule.Verdict == policy.Deny:
		r.Why = fmt.Sprintf("the rule %q may be about it: %s", r.Rule, r.Why)
	}
	return r
}

// Decide judges a call, and proposes rules that would have allowed it if it is asked about. If
// the rules cannot be read, it decides nothing. switching means that the agent may not be in
// the mode yet.
func (b *Rules) Decide(call policy.Call, agent, mode string, switching bool) (policy.Decision, [][]policy.Rule, error) {
	rules, err := b.counting()
	if err != nil {
		return policy.Decision{Verdict: policy.Ask}, nil, err
	}
	r := policy.Describe(call, agent, mode, b.places.resolve)
	r.Search, r.Tracked = b.places.search, b.places.tracked
	if switching && r.Unclear == "" {
		r.Unclear = "the agent is switching modes"
	}
	d := policy.Decide(rules, r)
	if len(rules) == 0 {
		d.Why = "" // nobody expects a rule to answer
	}
	if d.Verdict != policy.Ask {
		return d, nil, nil
	}
	proposals := policy.Propose(rules, r)
	if len(proposals) == 0 && d.Rule == nil && d.Why == "" {
		d.Why = policy.WhyNone(rules, r)
	}
	return d, proposals, nil
}

// rules returns the rules of an agent in a session's directories. If an error leaves them
// unknown, they allow nothing.
func (l *Launcher) rules(a config.Agent, roots []string) (*Rules, error) {
	return OpenRules(RulesOptions{
		Agent: a.ID, Cwd: roots[0], More: roots[1:], Configured: append(ConfiguredRules(l.Config), l.Rules...), Store: NewRuleStore(config.StateDir()), Files: l.Config.Files,
	})
}

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

// warnOfRules tells the user in a session which rules do not count, and why.
func warnOfRules(s Session, r *Rules, unread error) {
	if unread != nil {
		session.Post(s, session.AddNotice{Severity: acpclient.NoticeWarning, Title: "Cannot read the rules; asking every time", Detail: unread.Error()})
	}
	entries, _ := r.Entries()
	for _, e := range entries {
		if why := e.Rule.Futile(); why != "" && e.Counts {
			session.Post(s, session.AddNotice{Severity: acpclient.NoticeWarning, Title: fmt.Sprintf("The rule %q never allows anything", e.Rule.String()), Detail: why})
		}
	}
	if wrong := r.Project().Err; wrong != nil {
		session.Post(s, session.AddNotice{Severity: acpclient.NoticeWarning, Title: "The project's rules are ignored: its configuration has an error", Detail: wrong.Error()})
	}
}

// maxStore limits the size of the store, in bytes.
const maxStore = 1 << 20

// Trust is the user's decision about a project's own rules.
type Trust string

// The decisions. Undecided means not asked, or postponed.
const (
	Undecided Trust = ""
	Trusted   Trust = "trusted"
	Never     Trust = "never"
)

// RuleStore keeps saved rules and trust decisions in one file. Every change is written at once
// and atomically. A RuleStore is safe for concurrent use, also by several processes.
type RuleStore struct{ path string }

// NewRuleStore returns the store in a directory, which need not exist.
func NewRuleStore(dir string) *RuleStore { return &RuleStore{filepath.Join(dir, "rules.json")} }

// Path returns the path of the store's file.
func (s *RuleStore) Path() string { return s.path }

// saved is the content of the file. Projects are keyed by their resolved paths.
type saved struct {
	Everywhere []string             `json:"everywhere,omitempty"`
	Projects   map[string][]string  `json:"projects,omitempty"`
	Trust      map[string]trustedBy `json:"trust,omitempty"`
}

// trustedBy is the decision about a project, and the content of its files that it is about.
type trustedBy struct {
	Answer Trust  `json:"answer"`
	SHA256 string `json:"sha256,omitempty"`
}

// projectKey names a project in the file, whose texts are UTF-8.
func projectKey(dir string) string {
	if utf8.ValidString(dir) {
		return dir
	}
	return strconv.QuoteToASCII(dir)
}

func (s *RuleStore) read() (*saved, error) {
	data, err := files.ReadHead(s.path, maxStore+1)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return &saved{}, nil
	case err != nil:
		return nil, fmt.Errorf("read the saved rules: %w", config.ExplainRead(s.path, err))
	case len(data) > maxStore:
		return nil, fmt.Errorf("read the saved rules: %s is larger than %d KiB", s.path, maxStore>>10)
	}
	var content saved
	if err := json.Unmarshal(data, &content); err != nil {
		return nil, fmt.Errorf("read the saved rules: %s: %w", s.path, err)
	}
	return &content, nil
}

// rules returns the rules for all projects, and those for one.
func (s *RuleStore) rules(dir string) (everywhere, project []policy.Rule, err error) {
	content, err := s.read()
	if err != nil {
		return nil, nil, err
	}
	if everywhere, err = s.parse(content.Everywhere, SavedEverywhere); err != nil {
		return nil, nil, err
	}
	project, err = s.parse(content.Projects[projectKey(dir)], SavedForProject)
	return everywhere, project, err
}

func (s *RuleStore) parse(lines []string, scope RuleScope) ([]policy.Rule, error) {
	rules := make([]policy.Rule, 0, len(lines))
	for _, line := range lines {
		r, err := policy.Parse(line)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.path, err)
		}
		r.Source = scope.String()
		rules = append(rules, r)
	}
	return rules, nil
}

// update changes the content of the file under its lock.
func (s *RuleStore) update(change func(*saved) error) error {
	unlock, err := config.Lock(s.path)
	if err != nil {
		return fmt.Errorf("lock the rules: %w", err)
	}
	defer unlock()
	content, err := s.read()
	if err != nil {
		return err
	}
	if err := change(content); err != nil {
		return err
	}
	data, err := json.MarshalIndent(content, "", "  ")
	if err == nil {
		err = config.ReplaceFile(s.path, append(data, '\n'), config.FileMode)
	}
	if err != nil {
		return fmt.Errorf("save the rules: %w", err)
	}
	return nil
}
