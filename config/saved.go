package config

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"
)

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

// Saved is the file beside the configuration that holds what the user has chosen in
// parley: agents that were added or installed, and values of settings. Only parley writes
// it, atomically. It is safe for concurrent use, also by several processes.
type Saved struct {
	// Path is the file; it need not exist.
	Path   string
	config string // the configuration file
}

// SavedBeside returns the Saved beside a configuration file.
func SavedBeside(configFile string) *Saved {
	return &Saved{filepath.Join(filepath.Dir(configFile), "saved.toml"), configFile}
}

// saved is the content of the file.
type saved struct {
	Agents  map[string]map[string]any `toml:"agents,omitempty"`
	Choices []chosen                  `toml:"choices,omitempty"`
	agents  []Agent                   // what Agents say
}

// chosen is a value that the user has chosen for a setting of the configuration.
type chosen struct {
	Key path `toml:"key"`
	// Value is nil if the setting shall have no value.
	Value any `toml:"value,omitempty"`
	// Before is the value that it replaces. The choice counts as long as the configuration
	// has that one.
	Before any `toml:"before,omitempty"`
}

const savedHead = `# Written by parley, with what you chose in it: manual changes are lost. Settings of
# your own, for these agents too, go into config.toml.

`

// Agents returns the agents in the file, sorted by id. The error is that of [Load].
func (s *Saved) Agents() ([]Agent, error) {
	content, err := s.read()
	return content.agents, err
}

// read reads the file.
func (s *Saved) read() (saved, error) {
	data, err := readFile(s.Path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return saved{}, unreadable(s.Path, err)
	}
	return parseSaved(s.Path, data)
}

func parseSaved(file string, data []byte) (content saved, err error) {
	var origins struct {
		Agents map[string]struct {
			Registry *Origin `toml:"registry"`
		} `toml:"agents"`
	}
	d, root := open(file, data, nil)
	if root == nil {
		return content, d.err()
	}
	if err := errors.Join(toml.Unmarshal(data, &content), toml.Unmarshal(data, &origins)); err != nil {
		d.syntax(err)
		return content, d.err()
	}
	content.Choices = slices.DeleteFunc(content.Choices, func(c chosen) bool {
		return len(c.Key) == 0 || c.Key[0] == "agents" && len(c.Key) < 3
	})
	for _, t := range root.children("agents") {
		t.asked = append(t.asked, "registry")
		a := t.agent()
		if a.Origin = origins.Agents[a.ID].Registry; a.Origin != nil {
			a.Source, a.URL, a.Name = SourceInstalled, a.Origin.Source, KnownName(a.ID, a.Name)
		}
		content.agents = append(content.agents, a)
	}
	return content, d.err()
}

// Put stores an agent and returns the one with the same id that it replaces, if any.
func (s *Saved) Put(a Agent) (before *Agent, err error) {
	t := map[string]any{}
	for key, value := range map[string]any{
		"name": a.Name, "command": a.Command, "args": a.Args, "env": a.Env.all(), "cwd": a.Cwd,
		"url": a.Address, "headers": a.Headers.all(), "insecure": a.Insecure, "registry": a.Origin,
	} {
		if v := reflect.ValueOf(value); !v.IsZero() && (v.Kind() != reflect.Slice || v.Len() > 0) {
			t[key] = value
		}
	}
	err = s.update(func(content *saved) error {
		before = content.replace(a.ID, t)
		return nil
	})
	return before, err
}

// Remove removes an agent, and what was chosen for it, and returns it; nil if there is none
// with that id.
func (s *Saved) Remove(id string) (removed *Agent, err error) {
	err = s.update(func(content *saved) error {
		if removed = content.replace(id, nil); removed != nil {
			content.Choices = slices.DeleteFunc(content.Choices, func(c chosen) bool { return c.Key[0] == "agents" && c.Key[1] == id })
		}
		return nil
	})
	return removed, err
}

// replace replaces the table of an agent, nil for none, and returns the agent before.
func (c *saved) replace(id string, t map[string]any) (before *Agent) {
	if i := slices.IndexFunc(c.agents, func(a Agent) bool { return a.ID == id }); i >= 0 {
		before = &c.agents[i]
	}
	if delete(c.Agents, id); t != nil {
		c.Agents[id] = t
	}
	return before
}

// Choose stores a value for a setting, nil for none, in place of that of the configuration.
// It counts until the user changes it there.
func (s *Saved) Choose(value any, key ...string) error {
	return s.update(func(content *saved) error {
		data, err := readFile(s.config)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		values := map[string]any{}
		if err := toml.Unmarshal(bytes.TrimPrefix(data, []byte("\ufeff")), &values); err != nil {
			return errMistakes
		}
		c := chosen{key, value, valueAt(values, key)}
		content.Choices = slices.DeleteFunc(content.Choices, func(other chosen) bool { return slices.Equal(other.Key, c.Key) })
		if !reflect.DeepEqual(c.Value, c.Before) {
			content.Choices = append(content.Choices, c)
		}
		if _, _, err := parseWith(s.config, data, *content, nil); err != nil {
			return errMistakes
		}
		return nil
	})
}

var errMistakes = errors.New("the configuration has errors: run 'parley config check'")

// update changes the file under its lock.
func (s *Saved) update(change func(*saved) error) error {
	err := Rewrite(s.Path, maxFileSize, func(before []byte) ([]byte, error) {
		content, err := parseSaved(s.Path, before)
		if err != nil {
			return nil, err
		}
		if content.Agents == nil {
			content.Agents = map[string]map[string]any{}
		}
		if err := change(&content); err != nil {
			return nil, err
		}
		out := bytes.NewBufferString(savedHead)
		if err := toml.NewEncoder(out).SetIndentTables(false).Encode(content); err != nil {
			return nil, err
		}
		_, err = parseSaved(s.Path, out.Bytes())
		if wrong, is := errors.AsType[*Error](err); is { // its place is in no file
			err = errors.New(strings.TrimSuffix(wrong.Message+": "+wrong.Hint, ": "))
		}
		return out.Bytes(), err
	})
	if err != nil {
		return fmt.Errorf("save in %s: %w", s.Path, err)
	}
	return nil
}

// valueAt returns the value at a path, nil if there is none.
func valueAt(values map[string]any, at path) any {
	for _, key := range at[:len(at)-1] {
		values, _ = values[key].(map[string]any)
	}
	return values[at[len(at)-1]]
}

// choose puts the choices into the values of the configuration, except for settings that the
// user has changed since, and for agents that are gone.
func (t *table) choose(choices []chosen) {
next:
	for _, c := range choices {
		if !reflect.DeepEqual(valueAt(t.values, c.Key), c.Before) || c.Key[0] == "agents" && valueAt(t.values, c.Key[:2]) == nil && !t.doc.knows(c.Key[1]) {
			continue
		}
		values, last := t.values, len(c.Key)-1
		for _, key := range c.Key[:last] {
			if _, there := values[key]; !there {
				values[key] = map[string]any{}
			}
			inner, ok := values[key].(map[string]any)
			if !ok { // a mistake, which is reported
				continue next
			}
			values = inner
		}
		if delete(values, c.Key[last]); c.Value != nil {
			values[c.Key[last]] = c.Value
		}
		t.doc.choices = append(t.doc.choices, c.Key)
	}
}
