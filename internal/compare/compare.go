// Package compare gives one prompt to several agents, each in a git worktree of its own, and
// takes over what they have done: all that one has changed, or files and hunks of several.
//
// What a worktree is for is noted with it, so that a comparison is found again whatever
// becomes of the process that began it.
package compare

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"parley/config"
	"parley/internal/app"
	"parley/internal/git"
	"parley/internal/termtext"
)

// The numbers of agents in a comparison.
const (
	Least = 2
	Most  = 6
)

// Entrant is an agent of a comparison, with what is set for it.
type Entrant struct {
	// Word is how [ParseEntrant] takes it, such as "claude:model=opus".
	Word string
	// Agent has the settings as its defaults.
	Agent config.Agent
	// Mode and Options are the settings: ids or names, and values.
	Mode    string
	Options map[string]string
}

// ParseEntrant reads an agent's name, with settings behind a colon:
// "claude:model=opus,mode=plan".
func ParseEntrant(cfg *config.Config, word string) (Entrant, error) {
	e := Entrant{Word: word, Options: map[string]string{}}
	name, settings, set := strings.Cut(word, ":")
	var err error
	if e.Agent, err = app.AgentNamed(cfg, name); err != nil {
		return e, err
	}
	if e.Agent.ID == app.TourID {
		return e, errors.New("the tour has a project of its own and cannot be compared")
	}
	if !set {
		return e, nil
	}
	for part := range strings.SplitSeq(settings, ",") {
		id, value, ok := strings.Cut(part, "=")
		if !ok || id == "" || value == "" {
			return e, app.WithHint("Example: claude:model=opus,mode=plan", "%q in %q sets nothing", part, word)
		}
		if id == "mode" {
			e.Mode = value
		} else {
			e.Options[id] = value
		}
	}
	if e.Mode != "" {
		e.Agent.Mode = e.Mode
	}
	options := maps.Clone(e.Agent.Options)
	if options == nil {
		options = map[string]string{}
	}
	maps.Copy(options, e.Options)
	e.Agent.Options = options
	return e, nil
}

// Comparison is one prompt to several agents. It is immutable.
type Comparison struct {
	// Name begins the names of its worktrees. Dir is where it began.
	Name, Dir string
	// Prompt and Check are what was asked, and the command that tests what was done, "" for
	// none. Of a comparison that was found again, Prompt may be shortened.
	Prompt, Check string
	Began         time.Time
	// Found means that it was found again: what it says of itself may be from anybody who could
	// write to the repository.
	Found bool
	// Sides are its agents, in order, without those whose worktree was dropped.
	Sides []*Side
	// Without says in words what of the changes its sides lack, "" for nothing.
	Without string
}

// Side is an agent of a comparison in its worktree.
type Side struct {
	Entrant
	// Name tells it apart from the others: the agent's id and its settings.
	Name string
	Tree *git.Worktree
	// Dir is the directory in it that stands for that of the comparison, in which it works.
	Dir string
}

// Options say what to compare.
type Options struct {
	Config *config.Config
	// Dir is the directory in the repository.
	Dir           string
	Prompt, Check string
	Entrants      []Entrant
	// Changes means that what is not committed in Dir is there for all of them.
	Changes bool
	// Tell is told what making the worktrees waits for.
	Tell func(string)
}

// Note is what is written down with a worktree of a comparison.
type Note struct {
	// Comparison is the name of the comparison, Number the place of the side in it from 1 on.
	Comparison string `json:"comparison"`
	Number     int    `json:"number"`
	// Name and Word are those of the side.
	Name string `json:"name"`
	Word string `json:"agent"`
	// Prompt may be shortened.
	Prompt string    `json:"prompt"`
	Check  string    `json:"check,omitempty"`
	Began  time.Time `json:"began"`
}

// NoteOf returns what is noted with a worktree, if that belongs to a comparison. It is untrusted.
func NoteOf(t *git.Worktree) (n Note, ok bool) {
	err := json.Unmarshal([]byte(t.Note), &n)
	return n, err == nil && n.Comparison != ""
}

// Limits of what is noted, in bytes: a prompt is cut, anything else refused.
const (
	maxPrompt = 2 << 10
	maxWord   = 500
	maxCheck  = 1 << 10
)

// Begin makes the worktrees. If one cannot be made, it drops those that were. It may take its
// time.
func Begin(ctx context.Context, opt Options) (*Comparison, error) {
	switch n := len(opt.Entrants); {
	case n < Least || n > Most:
		return nil, fmt.Errorf("a comparison has %d to %d agents, not %d", Least, Most, n)
	case strings.TrimSpace(opt.Prompt) == "":
		return nil, errors.New("a comparison needs a prompt")
	case len(opt.Check) > maxCheck:
		return nil, fmt.Errorf("the check is longer than %d bytes: put it into a script", maxCheck)
	}
	c := &Comparison{Dir: opt.Dir, Prompt: opt.Prompt, Check: opt.Check, Began: time.Now().Round(0)}
	name, err := git.NewWorktreeName(ctx, opt.Dir)
	if err != nil {
		return nil, explained(err)
	}
	c.Name = name
	snapshot := ""
	if opt.Changes {
		var without []string
		if snapshot, without, err = git.Snapshot(ctx, opt.Dir); err != nil {
			return nil, explained(err)
		}
		if len(without) > 0 {
			c.Without = "The worktrees lack what is not committed in the submodule " + termtext.Line(strings.Join(without, ", "))
		}
	}
	names := Names(opt.Entrants)
	for i, e := range opt.Entrants {
		if len(e.Word) > maxWord {
			err = fmt.Errorf("%.40q… is too long", e.Word)
		}
		s := &Side{Entrant: e, Name: names[i]}
		if err == nil {
			s.Tree, err = c.worktree(ctx, opt, s, i+1, snapshot)
		}
		if err == nil {
			s.Dir = s.Tree.Place(c.Dir)
		}
		if err != nil {
			for _, made := range c.Sides {
				_, dropped := made.Tree.Drop(context.WithoutCancel(ctx))
				err = errors.Join(err, dropped)
			}
			return nil, explained(err)
		}
		c.Sides = append(c.Sides, s)
	}
	return c, nil
}

// worktree makes the worktree of a side.
func (c *Comparison) worktree(ctx context.Context, opt Options, s *Side, number int, snapshot string) (*git.Worktree, error) {
	data, err := json.Marshal(Note{c.Name, number, s.Name, s.Word, cut(c.Prompt, maxPrompt), c.Check, c.Began})
	if err != nil {
		return nil, err
	}
	return git.CreateWorktree(ctx, c.Dir, git.WorktreeOptions{
		Name: fmt.Sprintf("%s-%d-%s", c.Name, number, slug(s.Agent.ID)), Parent: opt.Config.Worktrees, Snapshot: snapshot, Note: string(data),
		Waits: app.TellsWaits(opt.Tell),
	})
}

// explained adds a hint to an error of git.
func explained(err error) error {
	switch {
	case errors.Is(err, git.ErrNoRepository):
		return app.WithHint("'git init' makes it one. Each agent of a comparison works in a worktree of its own.", "%w", err)
	case errors.Is(err, git.ErrNoCommit):
		return app.WithHint("Commit something first: a worktree begins at a commit.", "%w", err)
	}
	return err
}

// Names returns a name for each entrant that no other has: the agent's id and its settings.
func Names(entrants []Entrant) []string {
	var names []string
	for _, e := range entrants {
		parts := []string{e.Agent.ID}
		if e.Mode != "" {
			parts = append(parts, e.Mode)
		}
		for _, id := range slices.Sorted(maps.Keys(e.Options)) {
			parts = append(parts, e.Options[id])
		}
		name := cut(termtext.Line(strings.Join(parts, " ")), 100)
		unique := name
		for n := 2; slices.Contains(names, unique); n++ {
			unique = fmt.Sprint(name, " ", n)
		}
		names = append(names, unique)
	}
	return names
}

// Title returns what a front end with a screen calls a side: the name of its agent, as lists of agents
// have it, and its settings. No other side has it.
func (c *Comparison) Title(side int) string {
	title := func(s *Side) string {
		settings, _ := strings.CutPrefix(s.Name, termtext.Line(s.Agent.ID))
		return termtext.Line(cmp.Or(s.Agent.Name, s.Agent.ID)) + settings
	}
	own := c.Sides[side]
	for _, s := range c.Sides {
		if s != own && title(s) == title(own) {
			return termtext.Line(own.Name)
		}
	}
	return title(own)
}

// named returns the name of a side that was found: as noted if it says what the side is, since a
// session may begin there with these settings.
func named(e Entrant, noted string) string {
	name := Names([]Entrant{e})[0]
	if number, ok := strings.CutPrefix(noted, name+" "); ok {
		if _, err := strconv.ParseUint(number, 10, 8); err == nil {
			return noted
		}
	}
	return name
}

// slug makes an agent's id fit for the name of a worktree.
func slug(id string) string {
	s := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, id)
	return cmp.Or(strings.Trim(s[:min(len(s), 20)], "-"), "agent")
}

func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	text = text[:most-len("…")]
	for !utf8.ValidString(text) {
		text = text[:len(text)-1]
	}
	return text + "…"
}

// Shortened reports whether only the beginning of a prompt was noted.
func (*Comparison) Shortened(prompt string) bool {
	return len(prompt) > maxPrompt-len("…")-utf8.UTFMax && strings.HasSuffix(prompt, "…")
}

// Find returns the comparisons of the repository of dir, the latest first. Agents that are no
// longer known keep their name.
func Find(ctx context.Context, cfg *config.Config, dir string) ([]*Comparison, error) {
	trees, err := git.Worktrees(ctx, dir)
	if err != nil {
		return nil, err
	}
	found := map[string]*Comparison{}
	number := map[*Side]int{}
	for _, t := range trees {
		n, ok := NoteOf(t)
		if !ok || t.Unfinished {
			continue
		}
		c := found[n.Comparison]
		if c == nil {
			c = &Comparison{Name: n.Comparison, Dir: t.From, Prompt: n.Prompt, Check: n.Check, Began: n.Began, Found: true}
			found[n.Comparison] = c
		}
		e, err := ParseEntrant(cfg, n.Word)
		if err != nil {
			e = Entrant{Word: n.Word, Agent: config.Agent{ID: n.Word, Name: n.Word}}
		}
		s := &Side{Entrant: e, Name: named(e, n.Name), Tree: t, Dir: t.Place(t.From)}
		number[s] = n.Number
		c.Sides = append(c.Sides, s)
	}
	all := slices.Collect(maps.Values(found))
	for _, c := range all {
		slices.SortFunc(c.Sides, func(a, b *Side) int { return cmp.Compare(number[a], number[b]) })
	}
	slices.SortFunc(all, func(a, b *Comparison) int { return b.Began.Compare(a.Began) })
	return all, nil
}
