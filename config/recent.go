// This file remembers between two runs what the person used last: actions of the
// command palette, agents, and the version of parley. It is one small file in the
// directory for state. Nothing depends on it: what cannot be read was never there.

package config

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/rogpeppe/go-internal/lockedfile"
)

const (
	// most is how many actions and agents are remembered, each.
	most = 20
	// maxFile bounds what is read of the file, in bytes.
	maxFile = 64 << 10
)

// Used is what was used, of each kind the last first.
type Recent struct {
	Actions []string `json:"actions,omitempty"`
	Agents  []string `json:"agents,omitempty"`
	// Version is the newest version of parley that was started, "" if none is known.
	Version string `json:"version,omitempty"`
}

// Memory is the file. It may be used from any goroutine; a nil one remembers nothing.
type RecentFile struct {
	path string

	mu   sync.Mutex
	used Recent // as it was read or written last
}

// New is the memory in a directory. It touches no file yet.
func NewRecentFile(dir string) *RecentFile {
	return &RecentFile{path: filepath.Join(dir, "recent.json")}
}

// Load reads the file, and returns what it says.
func (m *RecentFile) Load() Recent {
	if m == nil {
		return Recent{}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.used = m.read()
	return m.used.clone()
}

// Used is what is known without reading the file.
func (m *RecentFile) Used() Recent {
	if m == nil {
		return Recent{}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.used.clone()
}

// Action remembers an action that was chosen.
func (m *RecentFile) Action(id string) error {
	return m.update(func(u *Recent) { u.Actions = first(u.Actions, id) })
}

// Agent remembers an agent that was started.
func (m *RecentFile) Agent(id string) error {
	return m.update(func(u *Recent) { u.Agents = first(u.Agents, id) })
}

// Version remembers a version that was started.
func (m *RecentFile) Version(version string) error {
	return m.update(func(u *Recent) { u.Version = version })
}

// first puts a word before all others.
func first(list []string, word string) []string {
	list = slices.DeleteFunc(slices.Clone(list), func(other string) bool { return other == word })
	list = append([]string{word}, list...)
	return list[:min(len(list), most)]
}

func (u Recent) clone() Recent {
	return Recent{slices.Clone(u.Actions), slices.Clone(u.Agents), u.Version}
}

// read is what the file says; nothing if it says nothing that can be read.
func (m *RecentFile) read() Recent {
	var u Recent
	info, err := os.Stat(m.path)
	if err != nil || !info.Mode().IsRegular() { // a pipe would have to be waited for
		return u
	}
	f, err := os.Open(m.path)
	if err != nil {
		return u
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFile))
	if err != nil || json.Unmarshal(data, &u) != nil {
		return Recent{}
	}
	u.Actions, u.Agents = u.Actions[:min(len(u.Actions), most)], u.Agents[:min(len(u.Agents), most)]
	return u
}

// update changes what the file says, under its lock: several parleys may run. The file
// is old or new, whatever happens.
func (m *RecentFile) update(change func(*Recent)) error {
	if m == nil {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := MakeDir(filepath.Dir(m.path)); err != nil {
		return err
	}
	unlock, err := lockedfile.MutexAt(m.path + ".lock").Lock()
	if err != nil {
		return fmt.Errorf("lock what was used last: %w", err)
	}
	defer unlock()
	u := m.read()
	change(&u)
	data, err := json.Marshal(u)
	if err == nil {
		err = ReplaceFile(m.path, append(data, '\n'), FileMode)
	}
	if err != nil {
		return fmt.Errorf("remember what was used last: %w", err)
	}
	m.used = u
	return nil
}
