package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/lockedfile"
	"modernc.org/sqlite" // also the driver "sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"parley/acpclient"
)

// indexName is the file of the index, below the logs.
const indexName = "index.db"

// schema makes the index. What is in it is made of the logs: an index of another
// version is thrown away and made anew. passages says where in the logs text stands,
// and words, which keeps no text itself, which words stand there.
const (
	schemaVersion = 4
	schema        = `
CREATE TABLE sessions (
	key INTEGER PRIMARY KEY,
	id TEXT NOT NULL UNIQUE,
	size INTEGER NOT NULL, -- how much of the log is in the index, in bytes
	read INTEGER NOT NULL, -- how long the log was then
	updated INTEGER NOT NULL, -- nanoseconds since 1970, as all times
	summary TEXT NOT NULL,
	cwd TEXT NOT NULL,
	origin TEXT NOT NULL, -- the directory for which the worktree was made that cwd is
	agent TEXT NOT NULL,
	session TEXT NOT NULL,
	shown INTEGER NOT NULL -- 0 if nobody has asked anything in it
);
CREATE INDEX by_time ON sessions (shown, updated DESC);
CREATE TABLE passages (
	key INTEGER PRIMARY KEY,
	session INTEGER NOT NULL REFERENCES sessions (key) ON DELETE CASCADE,
	offset INTEGER NOT NULL,
	kind TEXT NOT NULL
);
CREATE INDEX by_session ON passages (session);
CREATE VIRTUAL TABLE words USING fts5 (text, content='', contentless_delete=1, prefix='1 2 3', tokenize='unicode61 remove_diacritics 2');
`
)

// Summary is what a list says of a stored session.
type Summary struct {
	Meta
	// Session is the agent's own id of it, AgentName and AgentTitle what the agent
	// calls itself and the session.
	Session    acpclient.SessionID `json:"session,omitempty"`
	AgentName  string              `json:"agentName,omitempty"`
	AgentTitle string              `json:"agentTitle,omitempty"`
	// Title is what the person calls it, Prompt how the first prompt begins.
	Title  string `json:"title,omitempty"`
	Prompt string `json:"prompt,omitempty"`
	// Last is how the agent's last message begins.
	Last  string `json:"last,omitempty"`
	Turns int    `json:"turns,omitempty"`
	// Cost is the last that the agent has said.
	Cost *acpclient.Cost `json:"cost,omitempty"`
	// Updated is when the log was written last, Size how long it is in bytes.
	Updated time.Time `json:"-"`
	Size    int64     `json:"-"`
}

// Name is the best name that there is for the session, "" if there is none.
func (s *Summary) Name() string {
	for _, name := range []string{s.Title, s.AgentTitle, s.Prompt} {
		if name != "" {
			return name
		}
	}
	return ""
}

// Index finds stored sessions. It may be used from any goroutine.
type Index struct {
	store *Store
	db    *sql.DB
	// refreshing has room for the one Refresh that is at work.
	refreshing chan struct{}
}

// OpenIndex opens the index of a store. One that is damaged, or of another version, is
// made anew. It knows of what was written since only after Refresh.
func (s *Store) OpenIndex(ctx context.Context) (*Index, error) {
	if err := os.MkdirAll(s.dir, dirMode); err != nil {
		return nil, fmt.Errorf("open the index of the sessions: %w", err)
	}
	path := filepath.Join(s.dir, indexName)
	unlock, err := lockedfile.MutexAt(path + ".lock").Lock() // only one at a time makes it
	if err != nil {
		return nil, fmt.Errorf("open the index of the sessions: %w", err)
	}
	defer unlock()
	x, err := s.openIndex(ctx, path)
	switch {
	case err == nil:
		return x, nil
	case ctx.Err() != nil || inUse(err):
		return nil, fmt.Errorf("open the index of the sessions: %w", err)
	}
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if err := os.Remove(path + suffix); err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, fmt.Errorf("make the index of the sessions anew: %w", err)
		}
	}
	if x, err = s.openIndex(ctx, path); err != nil {
		return nil, fmt.Errorf("open the index of the sessions: %w", err)
	}
	return x, nil
}

// inUse reports whether an error says no more than that somebody else has the index.
func inUse(err error) bool {
	var failed *sqlite.Error
	return errors.As(err, &failed) && failed.Code()&0xff == sqlite3.SQLITE_BUSY
}

// spoiled reports whether an error says that the index is damaged. That may come to light
// long after it was opened: only what is asked for is read.
func spoiled(err error) bool {
	var failed *sqlite.Error
	if !errors.As(err, &failed) {
		return false
	}
	code := failed.Code() & 0xff
	return code == sqlite3.SQLITE_CORRUPT || code == sqlite3.SQLITE_NOTADB
}

// condemn gives the index a version that no program takes: whoever opens it makes it anew.
// It says so in the very file that is open here. If another program has put a new one into
// its place, that stays.
func (x *Index) condemn() {
	_, _ = x.db.Exec("PRAGMA user_version = -1") // one that cannot even be written is not opened again, either
}

// openIndex opens the index in a file, which it makes if there is none.
func (s *Store) openIndex(ctx context.Context, path string) (*Index, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, fileMode) // SQLite would let others read it
	if err != nil {
		return nil, err
	}
	_ = f.Close()
	options := url.Values{"_pragma": {"busy_timeout(5000)", "journal_mode(WAL)", "synchronous(NORMAL)", "foreign_keys(1)", "cache_size(-8000)"}}
	// SQLite waits for another writer only where a transaction begins to write with its
	// first statement. One that has read before fails at once.
	options.Set("_txlock", "immediate")
	db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: path}).EscapedPath()+"?"+options.Encode())
	if err != nil {
		return nil, err
	}
	x := &Index{store: s, db: db, refreshing: make(chan struct{}, 1)}
	if err := x.prepare(ctx); err != nil {
		_ = db.Close()
		return nil, err
	}
	return x, nil
}

// prepare makes the tables of a new index, and fails for one of another version.
func (x *Index) prepare(ctx context.Context) error {
	var v int
	if err := x.db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&v); err != nil {
		return err
	}
	switch v {
	case schemaVersion:
		_, err := x.db.ExecContext(ctx, "SELECT 1 FROM sessions, passages, words LIMIT 0")
		return err
	case 0:
		return x.change(ctx, func(tx *sql.Tx) error {
			_, err := tx.ExecContext(ctx, schema+fmt.Sprintf("PRAGMA user_version = %d", schemaVersion))
			return err
		})
	}
	return fmt.Errorf("it has the version %d", v)
}

// change runs a transaction.
func (x *Index) change(ctx context.Context, do func(*sql.Tx) error) error {
	tx, err := x.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := do(tx); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

// Close closes the index.
func (x *Index) Close() error { return x.db.Close() }

// logFile is a log as its directory has it.
type logFile struct {
	id      ID
	size    int64
	changed time.Time
}

// logs are the logs of a store, the oldest first.
func (s *Store) logs() ([]logFile, error) {
	entries, err := os.ReadDir(s.dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("list the stored sessions: %w", err)
	}
	files := make([]logFile, 0, len(entries))
	for _, e := range entries {
		id, ok := strings.CutSuffix(e.Name(), logSuffix)
		if !ok || !ID(id).valid() {
			continue
		}
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			files = append(files, logFile{ID(id), info.Size(), info.ModTime()})
		}
	}
	slices.SortFunc(files, func(a, b logFile) int { return strings.Compare(string(a.id), string(b.id)) })
	return files, nil
}
