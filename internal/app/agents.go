package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"parley/config"
	"parley/fs"
	"parley/internal/registry"
	"parley/internal/remote"
	"parley/internal/termtext"
)

// TourID names the built-in agent.
const TourID = "tour"

// FirstPrompt returns the prompt that begins a new session with an agent, "" for none: only
// the tour has one.
func FirstPrompt(a config.Agent) string {
	if a.ID == TourID {
		return "/tour"
	}
	return ""
}

// tourAgent returns this program as an agent.
func tourAgent() (config.Agent, error) {
	self, err := os.Executable()
	if err != nil {
		return config.Agent{}, fmt.Errorf("find parley's own program for the tour: %w", err)
	}
	return config.Agent{
		ID: TourID, Name: "The tour", Command: self, Args: []string{"demo-agent"}, Source: config.SourceBuiltIn,
		OwnProject: true,
	}, nil
}

// AgentNamed returns the agent with a name: the tour, or a configured or known one.
func AgentNamed(cfg *config.Config, name string) (config.Agent, error) {
	if name == TourID {
		return tourAgent()
	}
	a, err := cfg.Agent(name)
	if unknown, is := errors.AsType[*config.UnknownAgentError](err); is {
		hint := unknown.Hint()
		return a, WithHint(termtext.Capital(hint)+", "+TourID, "no agent is called %q", name)
	}
	return a, err
}

// AgentOf returns the agent that a command starts, or that listens at a URL. An empty name is
// derived from the words.
func AgentOf(name string, words []string) config.Agent {
	a := config.Agent{ID: name, Name: name}
	if len(words) == 1 && remote.IsURL(words[0]) {
		a.Address = words[0]
		if u, err := url.Parse(a.Address); err == nil && name == "" {
			a.ID, a.Name = u.Host, u.Host
		}
		return a
	}
	a.Command, a.Args = words[0], words[1:]
	if name == "" {
		a.ID, a.Name = filepath.Base(a.Command), filepath.Base(a.Command)
	}
	return a
}

// reloaded returns the current configuration, which includes agents installed meanwhile, or
// cfg if it cannot be read.
func reloaded(cfg *config.Config) *config.Config {
	if now, err := config.Load(config.ConfigFile(), cfg.Keys.Actions()); err == nil {
		return now
	}
	return cfg
}

// Available returns the agents to choose from, the tour last.
func Available(cfg *config.Config) ([]config.Agent, error) {
	tour, err := tourAgent()
	if err != nil {
		return nil, err
	}
	return append(cfg.Available(exec.LookPath), tour), nil
}

// Directory returns the one name that parley has for an existing directory, the current one for "":
// its absolute path, links followed.
func Directory(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil { // only if the current directory is unknown
		return "", errors.New("the current directory no longer exists: change to another one")
	}
	info, err := os.Stat(abs)
	switch {
	case os.IsNotExist(err):
		return "", fmt.Errorf("no such directory: %s", abs)
	case err != nil:
		return "", fmt.Errorf("read the directory: %w", err)
	case !info.IsDir():
		return "", fmt.Errorf("%s is not a directory", abs)
	}
	return fs.Resolve(abs)
}

// Agents are the agents to choose from.
type Agents struct {
	Available []config.Agent // can be started
	Offers    []config.Agent // can be installed: of the registry, or only known; most used first
	// Err says why Available is unknown, RegistryErr why Offers is incomplete.
	Err, RegistryErr error
}

// Others finds the agents of this machine without the tour and one of them. It may be slow.
func (b *Backend) Others(than string) ([]config.Agent, error) {
	if b.Available == nil {
		return nil, nil
	}
	all, err := b.Available()
	return slices.DeleteFunc(all, func(a config.Agent) bool { return a.ID == than || a.ID == TourID }), err
}

// Configured returns an agent with what the configuration says of it, under any of its names. It may
// be slow.
func (b *Backend) Configured(a config.Agent) config.Agent {
	if b.Available != nil {
		all, _ := b.Available()
		if i := slices.IndexFunc(all, func(own config.Agent) bool {
			return own.Origin != nil && config.SameAgent(own.ID, a.ID)
		}); i >= 0 {
			return all[i]
		}
	}
	return a
}

// FindAgents finds the agents of this machine and of the registry. It may be slow.
func (b *Backend) FindAgents() Agents {
	var found Agents
	if b.Available != nil {
		found.Available, found.Err = b.Available()
	}
	if b.Registry != nil {
		found.Offers, found.RegistryErr = b.Registry.Offers(func(id string) bool { return config.Among(found.Available, id) })
	}
	if b.Missing != nil && found.Err == nil {
		found.Offers = append(found.Offers, slices.DeleteFunc(b.Missing(), func(a config.Agent) bool { return config.Among(found.Offers, a.ID) })...)
	}
	slices.SortStableFunc(found.Offers, func(a, b config.Agent) int { return cmp.Compare(config.Popularity(a.ID), config.Popularity(b.ID)) })
	return found
}

// SortByUse sorts the agents by when they were last used, latest first.
func (b *Backend) SortByUse(agents []config.Agent) {
	used := b.Recent.Load().Agents
	last := func(a config.Agent) int {
		if i := slices.Index(used, a.ID); i >= 0 {
			return i
		}
		return len(used)
	}
	slices.SortStableFunc(agents, func(a, b config.Agent) int { return cmp.Compare(last(a), last(b)) })
}

// RememberAgent records the last used agent, unless it came from the command line.
func (b *Backend) RememberAgent(a config.Agent) error {
	if a.Source == "" {
		return nil
	}
	return b.Recent.Agent(a.ID)
}

// LatestPlan asks the registry for an agent, to be installed as one of the kinds. If the
// registry cannot be reached, it uses the local list, and note says so and gives the list's age.
func LatestPlan(ctx context.Context, agents *registry.Agents, word string, kinds ...registry.Kind) (plan config.Agent, note string, err error) {
	edition, asked := agents.Cache.Latest(ctx)
	if err := ctx.Err(); err != nil {
		return plan, "", err
	}
	e, err := edition.Find(word)
	if asked != nil {
		note = NotAsked(asked) + "; using " + ListAge(edition.DateOf(e))
	}
	if err != nil {
		return plan, note, err
	}
	plan = e.PlanHere(kinds...)
	return plan, note, plan.Unusable
}

// NotAsked says that the registry could not be asked, and why.
func NotAsked(err error) string {
	if errors.Is(err, registry.ErrOffline) {
		return "cannot reach the registry"
	}
	return "cannot " + err.Error()
}

// ListAge describes the local list of agents, fetched at a time, by its age.
func ListAge(at time.Time) string {
	if at.IsZero() {
		return "the local list, which is empty"
	}
	list := "the list of " + at.Format(time.DateOnly)
	if days := int(time.Since(at).Hours() / 24); days > 0 {
		list += ", " + termtext.Count(days, "day") + " old"
	}
	return list
}

// InstallQuestion asks whether to install an agent of the registry. Below the note, it says
// exactly what will be done and run. Its first choice installs; the front end carries it out.
func InstallQuestion(agents *registry.Agents, plan config.Agent, note string) Question {
	q := Question{
		Title:   "Install " + plan.Name + "?",
		Text:    "Third-party software; it runs with your permissions. parley will:",
		Choices: []Choice{{Name: "Install and start", Key: "i"}, {Name: "Not now", Key: "n"}},
	}
	if note != "" {
		q.Text = termtext.Capital(note) + ".\n" + q.Text
	}
	for _, f := range agents.Facts(plan) {
		q.Lines = append(q.Lines, fmt.Sprintf("%-10s %s", f.Name, f.Text))
	}
	return q
}

// NeedsText says in a few words why an agent of the registry cannot be installed.
func NeedsText(err error) string {
	var missing *registry.MissingError
	switch {
	case errors.As(err, &missing):
		name, _ := missing.Needs()
		return "needs " + name
	case errors.Is(err, registry.ErrPlatform):
		return "not available for this platform"
	}
	return err.Error()
}

// CannotInstall says why an agent of the registry cannot be installed, and what to do.
func CannotInstall(a config.Agent, err error) Question {
	q := Question{Title: a.Name + " " + NeedsText(err), Text: err.Error(), Choices: []Choice{{Name: "Go back", Key: "b"}}}
	var missing *registry.MissingError
	switch {
	case errors.As(err, &missing):
		name, url := missing.Needs()
		q.Text = fmt.Sprintf("It runs with %s, which is not installed, or not on PATH.\nInstall %s from %s, then start parley again.", missing.Kind, name, url)
	case errors.Is(err, registry.ErrPlatform):
		q.Title = a.Name + " is " + NeedsText(err)
		q.Text = "See " + a.URL
	}
	return q
}

// Downloaded is the progress of a download, in bytes; all is 0 if the size is unknown.
func Downloaded(done, all int64) string {
	if all > 0 {
		return fmt.Sprintf("%d %% of %d MiB", done*100/all, all>>20)
	}
	return fmt.Sprintf("%d MiB", done>>20)
}
