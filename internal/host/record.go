package host

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"parley/config"
	files "parley/fs"
	"parley/internal/app"
	"parley/internal/conversation"
	"parley/internal/store"
)

// Record is what is known about a session in a host without asking the host. It outlives the
// host, so that the ID still means something.
type Record struct {
	Status
	// Ended is when the host ended, and Why its reason; both are zero for a running or killed
	// one.
	Ended time.Time `json:"ended,omitzero"`
	Why   string    `json:"why,omitempty"`
	// Unfinished means that something was left to do when it ended.
	Unfinished bool `json:"unfinished,omitempty"`
}

// open reports whether the session was killed, or has ended unfinished.
func (r Record) open() bool { return r.Ended.IsZero() || r.Unfinished }

const (
	recordEnd = ".json"
	// Limits on what is read of a record, in bytes, and on the number of records.
	mostRecord  = 64 << 10
	mostRecords = 200
)

// record writes the session's record. Best effort: the session runs without one.
func (h *Host) record(r Record) {
	r.Viewers, r.Overview = nil, names(r.Overview)
	data, err := json.Marshal(r)
	var dir *os.Root
	if err == nil {
		dir, err = os.OpenRoot(h.opt.Dir)
	}
	if err == nil {
		err = errors.Join(files.ReplaceUnsynced(dir, h.opt.ID+recordEnd, data, config.FileMode), dir.Close())
	}
	if err != nil {
		h.opt.Log.Warn("what runs here is not recorded", "error", err)
	}
}

// names returns only the names of an overview: the rest is soon no longer so, and the agent's words
// are nothing to store.
func names(o app.Overview) app.Overview { return app.Overview{Agent: o.Agent, Title: o.Title} }

// records returns the records in a directory, latest first.
func records(dir string) ([]Record, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "[^.]*"+recordEnd))
	if err != nil {
		return nil, err
	}
	var all []Record
	for _, path := range paths {
		if r, err := readRecord(path); err == nil { // otherwise it is damaged, or just being removed
			all = append(all, r)
		}
	}
	last := func(r Record) time.Time {
		if r.Ended.IsZero() {
			return r.Active
		}
		return r.Ended
	}
	slices.SortFunc(all, func(a, b Record) int { return last(b).Compare(last(a)) })
	return all, nil
}

func readRecord(path string) (r Record, err error) {
	data, err := files.ReadHead(path, mostRecord)
	if err == nil {
		err = json.Unmarshal(data, &r)
	}
	if err == nil && r.ID+recordEnd != filepath.Base(path) {
		err = fmt.Errorf("%s is of another session", path)
	}
	return r, err
}

// pruneRecords removes the oldest records of sessions that do not run: a killed host has not
// recorded its end, and the next to find its socket removes it.
func pruneRecords(dir string) {
	all, err := records(dir)
	if err != nil {
		return
	}
	for i, r := range all {
		if i < mostRecords {
			continue
		}
		if _, err := os.Lstat(filepath.Join(config.RunDir(), r.ID+socketEnd)); errors.Is(err, fs.ErrNotExist) {
			_ = os.Remove(filepath.Join(dir, r.ID+recordEnd))
		}
	}
}

// Last returns the record of an ended session, by its ID or a prefix of it. The error wraps
// [fs.ErrNotExist] if there is none.
func Last(name string) (Record, error) {
	dir, err := HistoryDir()
	if err != nil {
		return Record{}, err
	}
	all, err := records(dir)
	if err != nil {
		return Record{}, err
	}
	found := store.Named(all, name, func(r Record) []string { return []string{r.ID} })
	if len(found) != 1 {
		return Record{}, fmt.Errorf("session %q: %w", name, fs.ErrNotExist)
	}
	return found[0], nil
}

// How says in a few words how the session ended.
func (r Record) How() string {
	if r.Ended.IsZero() {
		return "its process was killed"
	}
	return cmp.Or(r.Why, "it has ended")
}

// killedTime is how long a killed session is listed after it was last written.
const killedTime = 7 * 24 * time.Hour

// WithKilled adds the stored sessions of hosts that were killed, or have ended unfinished, to those that run, until
// they are opened again or the user does not want them back. One that had something left to do needs the user. Best
// effort: what does not run is no reason to list nothing.
func WithKilled(ctx context.Context, lib *store.Library, all []Status) []Status {
	dir, err := HistoryDir()
	if err != nil || lib == nil {
		return all
	}
	left, _ := records(dir)
	killed, _ := lib.Interrupted("")
	if len(left) == 0 || len(killed) == 0 {
		return all
	}
	stored, _ := lib.List(ctx, store.Query{All: true})
	for _, r := range left {
		at := slices.IndexFunc(stored, func(s store.Summary) bool { return s.ID == r.Stored })
		listed := slices.ContainsFunc(all, func(s Status) bool { return s.ID == r.ID || s.Stored == r.Stored })
		if at < 0 || listed || !r.open() || !slices.Contains(killed, r.Stored) || time.Since(stored[at].Updated) > killedTime {
			continue
		}
		s := &stored[at]
		r.PID, r.Active = 0, s.Updated
		r.Overview = app.Overview{Agent: r.Agent, Title: cmp.Or(s.Name(), r.Title), Since: s.Updated, Over: true, Queued: s.Queued, Ending: conversation.Ending{Why: r.How()}}
		if r.Unfinished || s.InTurn || s.Queued > 0 {
			r.Standing = conversation.StandingLost
		}
		all = append(all, r.Status)
	}
	return all
}

// killedUnstored returns those of the sessions that are not stored and were killed or have ended unfinished, given
// the ids of those that run now. Only who has seen them run knows them.
func killedUnstored(was []Status, now []string) (killed []Status) {
	dir, err := HistoryDir()
	if err != nil {
		return nil
	}
	for _, s := range was {
		if s.Stored != "" || slices.Contains(now, s.ID) {
			continue
		}
		if r, err := readRecord(filepath.Join(dir, s.ID+recordEnd)); err == nil && r.open() {
			s.Overview, s.PID = app.Overview{Agent: s.Agent, Title: s.Title, Since: s.Since, Over: true, Standing: conversation.StandingLost, Ending: conversation.Ending{Why: r.How()}}, 0
			killed = append(killed, s)
		}
	}
	return killed
}

// silent returns what is known about a host that does not answer, with the reason.
func silent(id, why string) Status {
	s := Status{ID: id}
	if dir, err := HistoryDir(); err == nil {
		if r, err := readRecord(filepath.Join(dir, id+recordEnd)); err == nil {
			s = r.Status
		}
	}
	s.Overview, s.Silent = names(s.Overview), why
	return s
}

// HistoryDir returns the directory for the histories and records of hosts.
func HistoryDir() (string, error) {
	dir := filepath.Join(config.StateDir(), "hosts")
	return dir, config.MakeDir(dir)
}
