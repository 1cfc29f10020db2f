package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"modernc.org/sqlite" // also the driver "sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"parley/acpclient"
	"parley/config"
)

// indexName is the file of the index, in the directory of the logs.
const indexName = "index.db"

// schema creates the index. It is derived from the logs alone: an index of another
// version is deleted and rebuilt. passages says where text is in the logs, and words,
// which stores no text, which words it contains.
const (
	schemaVersion = 7
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
	shown INTEGER NOT NULL -- 0 if it has no prompt
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

// Summary describes a stored session in a list.
type Summary struct {
	Meta
	// Session is the agent's own id for the session, AgentName the agent's name and
	// AgentTitle its title for the session.
	Session    acpclient.SessionID `json:"session,omitempty"`
	AgentName  string              `json:"agentName,omitempty"`
	AgentTitle string              `json:"agentTitle,omitempty"`
	// Title is the user's title, Prompt the beginning of the first prompt, and LastPrompt
	// that of the last one.
	Title      string `json:"title,omitempty"`
	Prompt     string `json:"prompt,omitempty"`
	LastPrompt string `json:"lastPrompt,omitempty"`
	// Last is the beginning of the agent's last message.
	Last  string `json:"last,omitempty"`
	Turns int    `json:"turns,omitempty"`
	// InTurn means that the log or its agent ends in the middle of a turn, and Queued counts the queued prompts there.
	InTurn bool `json:"inTurn,omitempty"`
	Queued int  `json:"queued,omitempty"`
	// Cost is the agent's latest report.
	Cost *acpclient.Cost `json:"cost,omitempty"`
	// Updated is when the log was last written, Size its length in bytes.
	Updated time.Time `json:"-"`
	Size    int64     `json:"-"`
}

// Name returns the best name for the session, or "".
func (s *Summary) Name() string { return cmp.Or(s.Title, s.AgentTitle, s.Prompt) }

// Place returns its place in a list.
func (s *Summary) Place() Place { return Place{s.Updated, s.ID} }

// Later returns the last prompt, "" if the session is named by it.
func (s *Summary) Later() string {
	if s.LastPrompt == s.Name() {
		return ""
	}
	return s.LastPrompt
}

// Index finds stored sessions. It is safe for concurrent use.
type Index struct {
	store *Store
	db    *sql.DB
	// refreshing is the lock of Refresh.
	refreshing chan struct{}
	// covered is the state of the directories at which the index covered all logs, the
	// zero value if unknown.
	covered stamp
}

// OpenIndex opens the index of a store, and rebuilds it if it is damaged or of another
// version. Refresh adds what was written since.
func (s *Store) OpenIndex(ctx context.Context) (x *Index, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("open the session index: %w", err)
		}
	}()
	path := filepath.Join(s.dir, indexName)
	unlock, err := config.Lock(path) // only one process at a time creates it
	if err != nil {
		return nil, err
	}
	defer unlock()
	x, err = s.openIndex(ctx, path)
	if !errors.Is(err, errOtherVersion) && !failedWith(err, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR) {
		return x, err
	}
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if err := os.Remove(path + suffix); err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, err
		}
	}
	return s.openIndex(ctx, path)
}

// errOtherVersion means that another version of parley made the index.
var errOtherVersion = errors.New("it is of another version")

// failedWith reports whether SQLite failed with one of its codes.
func failedWith(err error, codes ...int) bool {
	failed, ok := errors.AsType[*sqlite.Error](err)
	return ok && slices.Contains(codes, failed.Code()&0xff)
}

// openIndex opens the index in a file, and creates it if it is missing.
func (s *Store) openIndex(ctx context.Context, path string) (*Index, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, fileMode) // SQLite would make it readable for others
	if err != nil {
		return nil, err
	}
	_ = f.Close()
	// SQLite waits for another writer only if a transaction begins with a write. One
	// that has read before fails at once.
	options := url.Values{
		"_txlock": {"immediate"},
		"_pragma": {"busy_timeout(5000)", "journal_mode(WAL)", "synchronous(NORMAL)", "foreign_keys(1)", "cache_size(-8000)"},
	}
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

// prepare creates the tables of a new index, and fails for another version.
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
	return errOtherVersion
}

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

type logFile struct {
	id      ID
	size    int64
	changed time.Time
}

// logs returns the logs of a store, oldest first.
func (s *Store) logs() ([]logFile, error) {
	entries, err := os.ReadDir(s.dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("list the stored sessions: %w", err)
	}
	files := make([]logFile, 0, len(entries))
	for _, e := range entries {
		if id, ok := strings.CutSuffix(e.Name(), logSuffix); ok {
			if f, ok := s.log(ID(id)); ok {
				files = append(files, f)
			}
		}
	}
	slices.SortFunc(files, func(a, b logFile) int { return strings.Compare(string(a.id), string(b.id)) })
	return files, nil
}

// log returns the file of a log; false if there is none.
func (s *Store) log(id ID) (logFile, bool) {
	path, err := s.path(id)
	if err != nil {
		return logFile{}, false
	}
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() {
		return logFile{}, false
	}
	return logFile{id, info.Size(), info.ModTime()}, true
}

// Library is a store with its index, which it opens on first use. It is safe for
// concurrent use.
type Library struct {
	*Store

	mu    sync.Mutex
	index *Index
}

// NewLibrary returns the library of a store. It does not access the disk.
func NewLibrary(s *Store) *Library { return &Library{Store: s} }

// ask runs a query on an up-to-date index. If the index turns out to be damaged, ask
// rebuilds it and tries again.
func ask[R any](ctx context.Context, l *Library, about func(*Index) (R, error)) (r R, err error) {
	for again := true; ; again = false {
		x, err := l.open(ctx)
		if err != nil {
			return r, err
		}
		if err = x.Refresh(ctx); err == nil {
			r, err = about(x)
		}
		// Damage may show long after opening, because only the requested parts are read.
		if !again || !failedWith(err, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB) {
			return r, err
		}
		l.mu.Lock()
		if l.index == x {
			l.index = nil
			// The next to open the file rebuilds it. An index that cannot be written will
			// not open again either.
			_, _ = x.db.Exec("PRAGMA user_version = -1")
			_ = x.Close()
		}
		l.mu.Unlock()
	}
}

func (l *Library) open(ctx context.Context) (*Index, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.index == nil {
		x, err := l.OpenIndex(ctx)
		if err != nil {
			return nil, err
		}
		l.index = x
	}
	return l.index, nil
}

// List is Index.List on an up-to-date index.
func (l *Library) List(ctx context.Context, q Query) ([]Summary, error) {
	return ask(ctx, l, func(x *Index) ([]Summary, error) { return x.List(ctx, q) })
}

// Search is Index.Search on an up-to-date index.
func (l *Library) Search(ctx context.Context, words string, q Query) ([]Hit, error) {
	return ask(ctx, l, func(x *Index) ([]Hit, error) { return x.Search(ctx, words, q) })
}

// Close closes the index, if it is open.
func (l *Library) Close() (err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.index != nil {
		err = l.index.Close()
	}
	l.index = nil
	return err
}
