package config

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/pelletier/go-toml/v2"
)

// Added is an agent that parley itself has stored: one installed from the registry, or
// one added on the command line.
type Added struct {
	ID      string   `toml:"-"`
	Name    string   `toml:"name,omitempty"`
	Command string   `toml:"command,omitempty"`
	Args    []string `toml:"args,omitempty"`
	// Env is as in the configuration: "$NAME" refers to the environment.
	Env map[string]string `toml:"env,omitempty"`
	Cwd string            `toml:"cwd,omitempty"`
	// URL is where the agent listens, in place of the four fields above. Headers are as
	// in the configuration, like Env.
	URL      string            `toml:"url,omitempty"`
	Headers  map[string]string `toml:"headers,omitempty"`
	Insecure bool              `toml:"insecure,omitempty"`
	// Origin is where the agent was installed from; nil if it was not installed.
	Origin *Origin `toml:"registry,omitempty"`
}

// Origin describes an installed agent and its source.
type Origin struct {
	Version string `toml:"version"`
	// Kind is the kind of distribution: binary, npx, uvx.
	Kind    string `toml:"kind"`
	License string `toml:"license,omitempty"`
	// Source is a page about the agent.
	Source string `toml:"source,omitempty"`
	// Archive and SHA256 identify the download and Dir is where it was unpacked, for a
	// binary.
	Archive string    `toml:"archive,omitempty"`
	SHA256  string    `toml:"sha256,omitempty"`
	Dir     string    `toml:"dir,omitempty"`
	At      time.Time `toml:"installed"`
}

// AddedFile is the file beside the configuration that holds the agents that parley has
// stored. Only parley writes it, atomically. It is safe for concurrent use, also by
// several processes.
type AddedFile struct{ path string }

// AddedBeside returns the AddedFile beside a configuration file. It need not exist.
func AddedBeside(configFile string) *AddedFile {
	return &AddedFile{filepath.Join(filepath.Dir(configFile), "agents.toml")}
}

const addedHead = `# Written by 'parley agents': manual changes are lost. Settings of your own for
# these agents go into config.toml, under the same name.

`

// Agents returns the agents in the file, sorted by id. The error is an [*Error].
func (f *AddedFile) Agents() ([]Added, error) {
	data, err := readFile(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var content struct {
		Agents map[string]Added `toml:"agents"`
	}
	if err == nil {
		err = toml.Unmarshal(data, &content)
	}
	if err != nil {
		return nil, &Error{File: printable(f.path), Message: "cannot be read: " + printable(reason(ExplainRead(f.path, err))), Hint: "parley writes this file: fix it or remove it, and add its agents again"}
	}
	list := make([]Added, 0, len(content.Agents))
	for _, id := range slices.Sorted(maps.Keys(content.Agents)) {
		a := content.Agents[id]
		a.ID = id
		if err := a.Check(); err != nil {
			return nil, &Error{File: printable(f.path), Message: fmt.Sprintf("the agent %s: %v", printable(id), err), Hint: "parley writes this file: fix it or remove it, and add its agents again"}
		}
		list = append(list, a)
	}
	return list, nil
}

// Check returns why an agent could not be started, or nil.
func (a Added) Check() error {
	if !isID(a.ID) || len(a.ID) > 64 {
		return fmt.Errorf("%q is not a valid name: use letters, digits, and . _ - between them", printable(a.ID))
	}
	switch {
	case a.Command == "" && a.URL == "":
		return errors.New("has no command")
	case a.URL != "" && (a.Command != "" || len(a.Args)+len(a.Env) > 0 || a.Cwd != ""):
		return errors.New("an agent with a url takes no command, args, env or cwd")
	case a.URL != "" && !isAgentURL(a.URL):
		return errors.New("its URL is invalid") // the URL may hold a password
	case a.URL == "" && (len(a.Headers) > 0 || a.Insecure):
		return errors.New("headers and insecure apply only to an agent with a url")
	}
	if err := checkSecrets(a.Env, "variable", isEnvName); err != nil {
		return err
	}
	return checkSecrets(a.Headers, "header", isHeaderName)
}

// checkSecrets checks names, and values that may refer to the environment.
func checkSecrets(values map[string]string, what string, isName func(string) bool) error {
	for name, value := range values {
		if !isName(name) {
			return fmt.Errorf("%q is not a valid name of a %s", printable(name), what)
		}
		if _, err := expand(value, nil); err != nil {
			return fmt.Errorf("the %s %s: %w", what, printable(name), err)
		}
	}
	return nil
}

// Put stores an agent and returns the one with the same id that it replaces, if any.
func (f *AddedFile) Put(a Added) (before *Added, err error) {
	if err := a.Check(); err != nil {
		return nil, fmt.Errorf("the agent %s: %w", printable(a.ID), err)
	}
	err = f.update(func(list []Added) []Added {
		list, before = without(list, a.ID)
		return append(list, a)
	})
	return before, err
}

// Remove removes an agent and returns it; nil if there is none with that id.
func (f *AddedFile) Remove(id string) (removed *Added, err error) {
	err = f.update(func(list []Added) []Added {
		list, removed = without(list, id)
		return list
	})
	return removed, err
}

func without(list []Added, id string) ([]Added, *Added) {
	i := slices.IndexFunc(list, func(a Added) bool { return a.ID == id })
	if i < 0 {
		return list, nil
	}
	found := list[i]
	return slices.Delete(list, i, i+1), &found
}

// update changes the file under its lock.
func (f *AddedFile) update(change func([]Added) []Added) error {
	unlock, err := Lock(f.path)
	if err != nil {
		return fmt.Errorf("lock %s: %w", f.path, err)
	}
	defer unlock()
	list, err := f.Agents()
	if err != nil {
		return err
	}
	content := map[string]map[string]Added{"agents": {}}
	for _, a := range change(list) {
		content["agents"][a.ID] = a
	}
	var out bytes.Buffer
	out.WriteString(addedHead)
	if err := toml.NewEncoder(&out).SetIndentTables(false).Encode(content); err != nil {
		return fmt.Errorf("write %s: %w", f.path, err)
	}
	target := f.path
	if real, err := filepath.EvalSymlinks(f.path); err == nil {
		target = real // the file may be a link to where the user keeps the configuration
	} else if !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("write %s: %w", f.path, err)
	}
	if err := ReplaceFile(target, out.Bytes(), FileMode); err != nil {
		return fmt.Errorf("write %s: %w", f.path, err)
	}
	return nil
}

// Agent returns the agent in the form in which it is started.
func (a Added) Agent() Agent {
	agent := Agent{
		ID: a.ID, Name: cmp.Or(a.Name, a.ID), Command: a.Command, Args: slices.Clone(a.Args), Env: NewSecrets(a.Env),
		Cwd: expandHome(a.Cwd), Source: SourceConfigured, Origin: a.Origin,
		Address: a.URL, Headers: NewSecrets(a.Headers), Insecure: a.Insecure,
	}
	if a.Origin != nil {
		agent.Source, agent.URL = SourceInstalled, a.Origin.Source
	}
	return agent
}
