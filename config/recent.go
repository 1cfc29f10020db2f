package config

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"sync/atomic"

	"parley/fs"
)

// most limits the actions and the agents that are remembered.
const most = 20

// Recent is what the user used last: actions of the command palette, agents and their
// models, and the version of parley. Each list begins with the latest.
type Recent struct {
	Actions []string `json:"actions,omitempty"`
	Agents  []string `json:"agents,omitempty"`
	// Models holds the latest uses of models, by agent. A model may be there several times.
	Models map[string][]string `json:"models,omitempty"`
	// Version is the newest version of parley that was started; "" if unknown.
	Version string `json:"version,omitempty"`
}

// RecentFile stores a Recent in one small file in the state directory. A file that
// cannot be read counts as empty. RecentFile is safe for concurrent use; a nil one
// stores nothing.
type RecentFile struct {
	path string
	used atomic.Pointer[Recent] // as last read or written; what it points to does not change
}

// NewRecentFile returns the RecentFile in a directory. It does not access the file.
func NewRecentFile(dir string) *RecentFile {
	return &RecentFile{path: filepath.Join(dir, "recent.json")}
}

// Load reads the file and returns its contents, which the caller must not change.
func (m *RecentFile) Load() Recent {
	if m == nil {
		return Recent{}
	}
	before := m.used.Load()
	data, _ := fs.ReadHead(m.path, maxFileSize)
	used := recentOf(data)
	m.used.CompareAndSwap(before, &used) // an update meanwhile is newer
	return used
}

// Used is Load without reading the file.
func (m *RecentFile) Used() Recent {
	if m == nil || m.used.Load() == nil {
		return Recent{}
	}
	return *m.used.Load()
}

// Action remembers an action that the user chose.
func (m *RecentFile) Action(id string) error {
	return m.update(func(u *Recent) { u.Actions = first(u.Actions, id) })
}

// Agent remembers an agent that the user started.
func (m *RecentFile) Agent(id string) error {
	return m.update(func(u *Recent) { u.Agents = first(u.Agents, id) })
}

// Model remembers that the user used an agent with a model.
func (m *RecentFile) Model(agent, model string) error {
	return m.update(func(u *Recent) {
		if u.Models == nil {
			u.Models = map[string][]string{}
		}
		uses := append([]string{model}, u.Models[agent]...)
		u.Models[agent] = uses[:min(len(uses), most)]
		for other := range u.Models { // agents that are no longer used
			if len(u.Models) > most && other != agent && !slices.Contains(u.Agents, other) {
				delete(u.Models, other)
			}
		}
	})
}

// Version remembers a version that the user started.
func (m *RecentFile) Version(version string) error {
	return m.update(func(u *Recent) { u.Version = version })
}

func first(list []string, word string) []string {
	list = slices.DeleteFunc(slices.Clone(list), func(other string) bool { return other == word })
	list = append([]string{word}, list...)
	return list[:min(len(list), most)]
}

// recentOf returns what the contents of the file say; nothing if they cannot be read.
func recentOf(data []byte) (u Recent) {
	if json.Unmarshal(data, &u) != nil {
		return Recent{}
	}
	u.Actions, u.Agents = u.Actions[:min(len(u.Actions), most)], u.Agents[:min(len(u.Agents), most)]
	return u
}

// update changes the file, because several instances of parley may run.
func (m *RecentFile) update(change func(*Recent)) error {
	if m == nil {
		return nil
	}
	err := Rewrite(m.path, maxFileSize, func(before []byte) ([]byte, error) {
		used := recentOf(before)
		change(&used)
		m.used.Store(&used)
		return json.Marshal(used)
	})
	if err != nil {
		return fmt.Errorf("save the recently used settings: %w", err)
	}
	return nil
}
