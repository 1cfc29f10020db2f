package registry

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"parley/config"
)

// Agents combines the registry with the agents installed on this machine. Its fields
// must not change after first use; it is then safe for concurrent use.
type Agents struct {
	Cache *Cache
	// Dir is the directory of the installed programs, with a subdirectory for each
	// version of an agent. It need not exist.
	Dir string
	// Saved stores how installed agents are started.
	Saved *config.Saved
}

// Here returns the agents of the current user, with the registry at url; "" means the
// public one.
func Here(url string) *Agents {
	return &Agents{
		Cache: &Cache{URL: url, File: filepath.Join(config.CacheDir(), "registry.json")},
		Dir:   filepath.Join(config.DataDir(), "agents"),
		Saved: config.SavedBeside(config.ConfigFile()),
	}
}

// ErrOwn means that an agent that the user has added has the id of one in the registry.
var ErrOwn = errors.New("you have added an agent with this id")

// Install installs an agent as [Entry.Plan] returns it, and stores how it is started. It
// replaces an earlier version, whose program stays until the next installation, because it
// may be running; so do concurrent installations. progress, if not nil, is called often from
// the goroutine of Install, with the bytes so far and the total; 0 if that is unknown.
func (a *Agents) Install(ctx context.Context, plan config.Agent, progress func(done, all int64)) (config.Agent, error) {
	list, err := a.Saved.Agents()
	if err != nil {
		return plan, err
	}
	if slices.ContainsFunc(list, func(own config.Agent) bool { return own.ID == plan.ID && own.Origin == nil }) {
		return plan, fmt.Errorf("%w: %s", ErrOwn, plan.ID)
	}
	old := a.programs(plan.ID)
	agent, err := a.install(ctx, plan, progress)
	if err != nil {
		return agent, err
	}
	before, err := a.Saved.Put(agent)
	if err != nil {
		return agent, errors.Join(err, os.RemoveAll(agent.Origin.Dir)) // the earlier version stays
	}
	var errs []error
	for _, dir := range old {
		if before == nil || before.Origin == nil || dir != before.Origin.Dir {
			errs = append(errs, os.RemoveAll(dir))
		}
	}
	return agent, errors.Join(errs...)
}

// Remove removes an agent that was installed or added, with its programs, by any of its names. It
// returns the agent, nil if there is none.
func (a *Agents) Remove(id string) (*config.Agent, error) {
	list, err := a.Saved.Agents()
	if err != nil {
		return nil, err
	}
	if named, ok := config.Find(list, id); ok {
		id = named.ID
	}
	removed, err := a.Saved.Remove(id)
	if removed == nil || err != nil || !isID(id) { // with another id it has no programs
		return removed, err
	}
	return removed, os.RemoveAll(filepath.Join(a.Dir, id))
}

// Offers returns the agents of the registry for this platform, except taken ones; those that
// cannot be installed say why. It returns offers even with an error, which says what of the
// registry could not be read.
func (a *Agents) Offers(taken func(id string) bool) (list []config.Agent, err error) {
	e, err := a.Cache.Open()
	for _, entry := range e.Entries {
		if taken(entry.ID) {
			continue
		}
		if plan := entry.PlanHere(); !errors.Is(plan.Unusable, ErrPlatform) {
			list = append(list, plan)
		}
	}
	return list, err
}

// Fact is a fact about an agent that helps the user decide whether to install it.
type Fact struct{ Name, Text string }

// Facts describe what installing an agent does and exactly what will run. Their texts come
// from the registry; sanitise them before drawing.
func (a *Agents) Facts(plan config.Agent) []Fact {
	o := plan.Origin
	facts := []Fact{{"agent", plan.Name + " " + o.Version}, {"licence", o.License}, {"source", o.Source}}
	if o.Archive == "" {
		facts = append(facts, Fact{"downloads", fmt.Sprintf("nothing now; %s fetches the package when the agent starts", o.Kind)})
	} else {
		facts = append(facts, Fact{"downloads", o.Archive}, Fact{"sha256", cmp.Or(o.SHA256, "unknown: the download is not verified")})
	}
	return slices.DeleteFunc(append(facts, Fact{"runs", a.line(plan)}), func(f Fact) bool { return f.Text == "" })
}

// line returns the command line that will run, with its variables; "…" stands for a part that
// is not known yet.
func (a *Agents) line(plan config.Agent) string {
	words, _ := plan.Env.Environ(os.LookupEnv) // they refer to none
	for i, w := range append([]string{plan.Command}, plan.Args...) {
		quoted, err := syntax.Quote(w, syntax.LangPOSIX)
		if err != nil {
			quoted = w
		}
		if i == 0 && plan.Origin.Archive != "" {
			quoted = filepath.Join(a.Dir, plan.ID, plan.Origin.Version+"-…", filepath.FromSlash(quoted))
		}
		words = append(words, quoted)
	}
	return strings.Join(words, " ")
}
