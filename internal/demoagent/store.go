package demoagent

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"parley/acpclient"
	"parley/config"
)

// keptSessions is how many sessions are kept; the oldest go first.
const keptSessions = 50

// store is a directory with one JSON file for each session.
type store struct{ dir string }

// record is a session as it is kept.
type record struct {
	ID       acpclient.SessionID             `json:"id"`
	Cwd      string                          `json:"cwd"`
	Title    string                          `json:"title"`
	Updated  time.Time                       `json:"updated"`
	Settings settings                        `json:"settings"`
	Count    int                             `json:"count"` // of messages and tool calls, for their ids
	Used     uint64                          `json:"used"`
	Cost     float64                         `json:"cost"`
	History  []acpclient.SessionNotification `json:"history"`
	// Outputs is what the terminals of tool calls printed: the terminals are
	// gone when history is replayed.
	Outputs map[acpclient.ToolCallID]string `json:"outputs,omitempty"`
}

// sessionIDPattern matches our own ids: only those become file names.
var sessionIDPattern = regexp.MustCompile(`^tour-[0-9a-f]{16}$`)

func (st store) path(id acpclient.SessionID) (string, error) {
	if !sessionIDPattern.MatchString(string(id)) {
		return "", noSession(id)
	}
	return filepath.Join(st.dir, string(id)+".json"), nil
}

func (st store) load(id acpclient.SessionID) (*record, error) {
	path, err := st.path(id)
	if err != nil {
		return nil, err
	}
	b, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, noSession(id)
	}
	r := new(record)
	if err == nil {
		err = json.Unmarshal(b, r)
	}
	if err != nil {
		return nil, fmt.Errorf("load session %s: %w", id, err)
	}
	return r, nil
}

func (st store) save(r *record) error {
	path, err := st.path(r.ID)
	if err != nil {
		return err
	}
	b, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if err := st.write(path, b); err != nil {
		return fmt.Errorf("save session %s: %w", r.ID, err)
	}
	for i, old := range st.list() {
		if i >= keptSessions {
			_ = st.remove(old.ID) // if it stays, nothing is lost
		}
	}
	return nil
}

// write replaces a file whole.
func (st store) write(path string, b []byte) error {
	if err := config.MakeDir(st.dir); err != nil {
		return err
	}
	return config.ReplaceFile(path, b, config.FileMode)
}

// remove deletes a session, which may be missing.
func (st store) remove(id acpclient.SessionID) error {
	path, err := st.path(id)
	if err != nil {
		return nil
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("delete session %s: %w", id, err)
	}
	return nil
}

// list returns the sessions, the latest first, without those that cannot be read.
func (st store) list() []*record {
	entries, _ := os.ReadDir(st.dir)
	var out []*record
	for _, e := range entries {
		name, isJSON := strings.CutSuffix(e.Name(), ".json")
		if !isJSON {
			continue
		}
		if r, err := st.load(acpclient.SessionID(name)); err == nil {
			out = append(out, r)
		}
	}
	slices.SortFunc(out, func(a, b *record) int {
		return cmp.Or(b.Updated.Compare(a.Updated), cmp.Compare(a.ID, b.ID))
	})
	return out
}

func (st store) badge() string { return filepath.Join(st.dir, "signed-in") }

func (st store) signIn() error {
	if err := st.write(st.badge(), nil); err != nil {
		return fmt.Errorf("sign in: %w", err)
	}
	return nil
}

func (st store) signOut() error {
	if err := os.Remove(st.badge()); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("sign out: %w", err)
	}
	return nil
}

func (st store) signedIn() bool {
	_, err := os.Stat(st.badge())
	return err == nil
}
