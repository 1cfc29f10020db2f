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

	"parley/config"
)

// Agents combines the registry with the agents installed on this machine. Its fields
// must not change after first use; it is then safe for concurrent use.
type Agents struct {
	Cache *Cache
	// Dir is the directory of the installed programs, with a subdirectory for each
	// version of an agent. It need not exist.
	Dir string
	// Added stores how installed agents are started.
	Added *config.AddedFile
}

// Here returns the agents of the current user, with the registry at url; "" means the
// public one.
func Here(url string) *Agents {
	return &Agents{
		Cache: &Cache{URL: url, File: filepath.Join(config.CacheDir(), "registry.json")},
		Dir:   filepath.Join(config.DataDir(), "agents"),
		Added: config.AddedBeside(config.ConfigFile()),
	}
}

// PlanHere is Plan for this machine.
func (e Entry) PlanHere(kinds ...Kind) (Plan, error) {
	return e.Plan(Platform(runtime.GOOS, runtime.GOARCH), exec.LookPath, kinds...)
}

// ErrOwn means that an agent that the user has added has the id of one in the registry.
var ErrOwn = errors.New("you have added an agent with this id")

// Install installs an agent and stores how it is started. It replaces an earlier
// version, whose program stays until the next installation, because it may be running;
// so do concurrent installations. progress, if not nil, is called often from the
// goroutine of Install, with the bytes so far and the total; 0 if that is unknown.
func (a *Agents) Install(ctx context.Context, p Plan, progress func(done, all int64)) (config.Added, error) {
	list, err := a.Added.Agents()
	if err != nil {
		return config.Added{}, err
	}
	if i := slices.IndexFunc(list, func(own config.Added) bool { return own.ID == p.Entry.ID }); i >= 0 && list[i].Origin == nil {
		return config.Added{}, fmt.Errorf("%w: %s", ErrOwn, p.Entry.ID)
	}
	old := a.programs(p.Entry.ID)
	added, err := a.install(ctx, p, progress)
	if err != nil {
		return added, err
	}
	before, err := a.Added.Put(added)
	if err != nil {
		return added, errors.Join(err, os.RemoveAll(added.Origin.Dir)) // the earlier version stays
	}
	var errs []error
	for _, dir := range old {
		if before == nil || before.Origin == nil || dir != before.Origin.Dir {
			errs = append(errs, os.RemoveAll(dir))
		}
	}
	return added, errors.Join(errs...)
}

// Remove removes an agent that was installed or added, with its programs. It returns
// the agent, nil if there is none.
func (a *Agents) Remove(id string) (*config.Added, error) {
	removed, err := a.Added.Remove(id)
	if removed == nil || err != nil || !isID(id) { // with another id it has no programs
		return removed, err
	}
	return removed, os.RemoveAll(filepath.Join(a.Dir, id))
}

// Outdated reports whether the registry has a different version than the installed one.
func (e Entry) Outdated(installed config.Added) bool {
	return installed.Origin != nil && installed.Origin.Version != e.Version
}

// Offer is an agent of the registry that could be installed, or why it cannot.
type Offer struct {
	Entry Entry
	Plan  Plan
	Err   error
}

// Offers returns the agents of the registry for this platform, except taken ones. It
// returns offers even with an error, which says what of the registry could not be read.
func (a *Agents) Offers(taken func(id string) bool) ([]Offer, error) {
	e, err := a.Cache.Open()
	var list []Offer
	for _, entry := range e.Entries {
		if taken(entry.ID) {
			continue
		}
		p, err := entry.PlanHere()
		if errors.Is(err, ErrPlatform) {
			continue
		}
		if missing, ok := errors.AsType[*MissingError](err); ok {
			err = fmt.Errorf("%w: %s", err, missing.Hint())
		}
		list = append(list, Offer{entry, p, err})
	}
	return list, err
}
