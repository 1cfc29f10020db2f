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
	// most bounds the actions and the agents that are remembered.
	most = 20
	// maxFile bounds what is read of the file, in bytes.
	maxFile = 64 << 10
)

// Recent is what the user used last: actions of the command palette, agents, and the
// version of parley. Each list begins with the latest.
type Recent struct {
	Actions []string `json:"actions,omitempty"`
	Agents  []string `json:"agents,omitempty"`
	// Version is the newest version of parley that was started; "" if unknown.
	Version string `json:"version,omitempty"`
}

// RecentFile stores a Recent in one small file in the state directory. A file that
// cannot be read counts as empty. RecentFile is safe for concurrent use; a nil one
// stores nothing.
type RecentFile struct {
	path string

	mu   sync.Mutex
	used Recent // as last read or written
}

// NewRecentFile returns the RecentFile in a directory. It does not access the file.
func NewRecentFile(dir string) *RecentFile {
	return &RecentFile{path: filepath.Join(dir, "recent.json")}
}

// Load reads the file and returns its contents.
func (m *RecentFile) Load() Recent {
	if m == nil {
		return Recent{}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.used = m.read()
	return m.used.clone()
}

// Used returns what is known without reading the file.
func (m *RecentFile) Used() Recent {
	if m == nil {
		return Recent{}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.used.clone()
}

// Action remembers an action that the user chose.
func (m *RecentFile) Action(id string) error {
	return m.update(func(u *Recent) { u.Actions = first(u.Actions, id) })
}

// Agent remembers an agent that the user started.
func (m *RecentFile) Agent(id string) error {
	return m.update(func(u *Recent) { u.Agents = first(u.Agents, id) })
}

// Version remembers a version that the user started.
func (m *RecentFile) Version(version string) error {
	return m.update(func(u *Recent) { u.Version = version })
}

// first moves a word to the front of a list.
func first(list []string, word string) []string {
	list = slices.DeleteFunc(slices.Clone(list), func(other string) bool { return other == word })
	list = append([]string{word}, list...)
	return list[:min(len(list), most)]
}

func (u Recent) clone() Recent {
	return Recent{slices.Clone(u.Actions), slices.Clone(u.Agents), u.Version}
}

// read returns the contents of the file; nothing if it cannot be read.
func (m *RecentFile) read() Recent {
	var u Recent
	info, err := os.Stat(m.path)
	if err != nil || !info.Mode().IsRegular() { // a pipe would block
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

// update changes the file atomically under its lock, because several instances of
// parley may run.
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
