package registry

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"parley/config"
)

// Agents are the agents of this machine: what the registry has, and what of it is
// installed. Its fields are not changed after its first use; it may then be used from any
// goroutine.
type Agents struct {
	Shelf *Shelf
	// Dir is where programs are installed, see [Installer].
	Dir string
	// Added is where it is written down how agents are started.
	Added *config.AddedFile
}

// Here are the agents of the person who runs this program, with the registry that is
// published at an address; "" is the public one.
func Here(url string) *Agents {
	return &Agents{
		Shelf: &Shelf{URL: url, Cache: filepath.Join(config.CacheDir(), "registry.json")},
		Dir:   filepath.Join(config.DataDir(), "agents"),
		Added: config.AddedBeside(config.ConfigFile()),
	}
}

// Plan is how an agent of the registry comes to this machine, as [Entry.Plan] says; an id
// or a name says which.
func (a *Agents) Plan(word string, kinds ...Kind) (Plan, error) {
	e, err := a.Shelf.Open()
	if e == nil {
		return Plan{}, err
	}
	entry, err := e.Find(word)
	if err != nil {
		return Plan{}, err
	}
	return entry.PlanHere(kinds...)
}

// PlanHere is Plan for this machine.
func (e Entry) PlanHere(kinds ...Kind) (Plan, error) {
	return e.Plan(Platform(runtime.GOOS, runtime.GOARCH), exec.LookPath, kinds...)
}

// ErrOwn says that an agent of the person's own has the id of one of the registry.
var ErrOwn = errors.New("an agent that you have added is called so")

// Install brings an agent to this machine and writes down how it is started. One that was
// installed before is replaced: its program stays until the next time, for it may be
// running. What is installed meanwhile stays as well. progress is as in [Installer].
func (a *Agents) Install(ctx context.Context, p Plan, progress func(done, all int64)) (config.Added, error) {
	list, err := a.Added.Agents()
	if err != nil {
		return config.Added{}, err
	}
	if i := slices.IndexFunc(list, func(own config.Added) bool { return own.ID == p.Entry.ID }); i >= 0 && list[i].Origin == nil {
		return config.Added{}, fmt.Errorf("%w: %s", ErrOwn, p.Entry.ID)
	}
	in := &Installer{Dir: a.Dir, Client: a.Shelf.Client, Progress: progress}
	old := in.there(p.Entry.ID)
	added, err := in.Install(ctx, p)
	if err != nil {
		return added, err
	}
	before, err := a.Added.Put(added)
	if err != nil {
		return added, errors.Join(err, os.RemoveAll(dirOf(&added))) // whatever was there before stays
	}
	var errs []error
	for _, dir := range old {
		if dir != dirOf(before) {
			errs = append(errs, os.RemoveAll(dir))
		}
	}
	return added, errors.Join(errs...)
}

// Remove forgets an agent that was installed or added, and takes its programs away. It
// returns what it was, nil if there is none.
func (a *Agents) Remove(id string) (*config.Added, error) {
	removed, err := a.Added.Remove(id)
	if removed == nil || err != nil {
		return nil, err
	}
	return removed, (&Installer{Dir: a.Dir}).Remove(id)
}

func dirOf(a *config.Added) string {
	if a == nil || a.Origin == nil {
		return ""
	}
	return a.Origin.Dir
}

// Outdated says whether the registry has another version of an installed agent.
func (e Entry) Outdated(installed config.Added) bool {
	return installed.Origin != nil && installed.Origin.Version != e.Version
}

// Fact is something about a plan that a person decides on.
type Fact struct{ Name, Text string }

// Facts say what a plan does, and exactly what will run: nothing else does. Their texts
// are those of the registry, not fit to be drawn as they are.
func (p Plan) Facts(dir string) []Fact {
	facts := []Fact{{"agent", p.Entry.Name + " " + p.Entry.Version}}
	add := func(name, text string) {
		if text != "" {
			facts = append(facts, Fact{name, text})
		}
	}
	add("licence", p.Entry.License)
	add("source", p.Entry.Source())
	switch {
	case p.Kind == Binary && p.SHA256 != "":
		add("downloads", p.Archive)
		add("sha256", p.SHA256)
	case p.Kind == Binary:
		add("downloads", p.Archive)
		add("sha256", "not known: what comes is not compared with anything")
	default:
		add("downloads", fmt.Sprintf("nothing now; %s fetches the package when the agent is started", p.Kind))
	}
	add("runs", p.Line(dir))
	return facts
}

// Line is the command line that will run, with the variables that are set for it. dir is
// where programs are installed; "…" in it is a part that is not known before.
func (p Plan) Line(dir string) string {
	program := p.Command
	if p.Kind == Binary {
		program = filepath.Join(dir, p.Entry.ID, p.Entry.Version+"-…", filepath.FromSlash(p.Command))
	}
	words := p.Variables()
	for _, w := range append([]string{program}, p.Args...) {
		quoted, err := syntax.Quote(w, syntax.LangPOSIX)
		if err != nil || w == program && strings.Contains(w, "…") && !strings.ContainsAny(w, " '\"$`\\") {
			quoted = w
		}
		words = append(words, quoted)
	}
	return strings.Join(words, " ")
}
