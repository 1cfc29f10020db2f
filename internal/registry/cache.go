package registry

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"

	"parley/config"
	"parley/fs"
)

//go:embed snapshot/registry.json
var snapshot []byte

//go:embed snapshot/dates.json
var snapshotDates []byte

// Dates say how old the built-in registry is.
type Dates struct {
	// Published is when it was copied from the registry, NPM when the versions of its npm
	// packages were last updated.
	Published time.Time `json:"published"`
	NPM       time.Time `json:"npm"`
}

// Snapshot returns the registry that is built in.
func Snapshot() (*Edition, error) {
	x, err := Parse(snapshot)
	if err != nil {
		return &Edition{Index: &Index{}, BuiltIn: true}, err
	}
	var d Dates
	err = json.Unmarshal(snapshotDates, &d)
	return &Edition{Index: x, Date: d.Published, NPM: d.NPM, BuiltIn: true}, err
}

// Cache is the local copy of the registry. Its fields must not change after first use;
// it is then safe for concurrent use, also by several processes.
type Cache struct {
	// URL is where the registry is published; "" means [defaultURL].
	URL string
	// File is the file for the fetched registry; it need not exist.
	File string
	// Client fetches; nil means one that never leaves https.
	Client *http.Client
}

// Edition is a version of the registry, and where it comes from.
type Edition struct {
	*Index
	// Date is when it was fetched or published. BuiltIn means that it is part of parley.
	Date    time.Time
	BuiltIn bool
	// NPM is when the versions of npm packages were updated; zero if never.
	NPM time.Time
}

// DateOf is when an entry was up to date. It may be later than that of the edition.
func (e *Edition) DateOf(entry Entry) time.Time {
	if entry.OnlyNPM() {
		return e.newest()
	}
	return e.Date
}

type cached struct {
	URL      string          `json:"url"`
	ETag     string          `json:"etag,omitempty"`
	Fetched  time.Time       `json:"fetched"`
	Registry json.RawMessage `json:"registry"`
}

func (s *Cache) url() string {
	if s.URL == "" {
		return defaultURL
	}
	return s.URL
}

// Open returns the registry that was fetched last, or else the built-in one. It does
// not fetch. It returns an edition even with an error, which says why the fetched one
// cannot be used.
func (s *Cache) Open() (*Edition, error) {
	builtIn, broken := &Edition{Index: &Index{}, BuiltIn: true}, error(nil)
	if s.url() == defaultURL { // the built-in registry is a copy of this one
		builtIn, broken = Snapshot()
	}
	c, err := s.cached()
	if err == nil && c != nil && c.Fetched.After(builtIn.newest()) {
		var x *Index
		if x, err = Parse(c.Registry); err == nil {
			return &Edition{Index: x, Date: c.Fetched}, nil
		}
	}
	return builtIn, errors.Join(err, broken)
}

func (e *Edition) newest() time.Time {
	if e.NPM.After(e.Date) {
		return e.NPM
	}
	return e.Date
}

// patience is how long Latest waits for the publisher.
const patience = 10 * time.Second

// Latest fetches the registry. If that fails, it returns the local copy, as Open does, and
// why.
func (s *Cache) Latest(ctx context.Context) (*Edition, error) {
	wait, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	e, _, err := s.Refresh(wait)
	if err != nil {
		e, _ = s.Open()
	}
	return e, err
}

// cached returns what was last fetched from the URL, nil if nothing was.
func (s *Cache) cached() (*cached, error) {
	data, err := fs.ReadHead(s.File, 2*maxIndex)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the fetched registry: %w", config.ExplainRead(s.File, err))
	}
	var c cached
	if err := json.Unmarshal(data, &c); err != nil {
		return nil, fmt.Errorf("read the fetched registry: %s: %w", s.File, err)
	}
	if c.URL != s.url() {
		return nil, nil
	}
	return &c, nil
}

// Refresh fetches the registry and stores it. changed reports whether it differs from
// before. The error wraps [ErrOffline] if the server cannot be reached; the stored
// registry then stays.
func (s *Cache) Refresh(ctx context.Context) (e *Edition, changed bool, err error) {
	before, _ := s.cached() // fetch everything if unreadable
	next, err := s.fetch(ctx, before)
	if err != nil {
		return nil, false, fmt.Errorf("fetch the registry from %s: %w", s.url(), err)
	}
	x, err := Parse(next.Registry)
	if err != nil {
		return nil, false, fmt.Errorf("use the registry from %s: %w", s.url(), err)
	}
	if err := config.Rewrite(s.File, 2*maxIndex, func([]byte) ([]byte, error) { return json.Marshal(next) }); err != nil {
		return nil, false, fmt.Errorf("save the registry: %w", err)
	}
	changed = before == nil || string(before.Registry) != string(next.Registry)
	return &Edition{Index: x, Date: next.Fetched}, changed, nil
}

// fetch requests the registry, unless it has not changed since before.
func (s *Cache) fetch(ctx context.Context, before *cached) (*cached, error) {
	header := http.Header{}
	if before != nil && before.ETag != "" {
		header.Set("If-None-Match", before.ETag)
	}
	resp, err := get(ctx, s.Client, s.url(), header)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	switch {
	case resp.StatusCode == http.StatusNotModified && before != nil:
		same := *before
		same.Fetched = time.Now().UTC()
		return &same, nil
	case resp.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("the server returned %s", resp.Status)
	}
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxIndex+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxIndex {
		return nil, fmt.Errorf("it is larger than %d MiB", maxIndex>>20)
	}
	if !json.Valid(data) {
		return nil, errors.New("it is not JSON")
	}
	// Stored without spaces, so that it is identical when read again.
	if data, err = json.Marshal(json.RawMessage(data)); err != nil {
		return nil, err
	}
	return &cached{URL: s.url(), ETag: resp.Header.Get("ETag"), Fetched: time.Now().UTC(), Registry: data}, nil
}
