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
	"path/filepath"
	"time"

	"github.com/rogpeppe/go-internal/lockedfile"

	"parley/config"
	"parley/fs"
)

//go:embed snapshot/registry.json
var snapshot []byte

// snapshotDate is when the registry that is built in was taken.
var snapshotDate = time.Date(2026, time.August, 20, 0, 0, 0, 0, time.UTC)

// Shelf is where the registry is kept on this machine. Its fields are not changed after
// its first use; it may then be used from any goroutine, and by several programs.
type Shelf struct {
	// URL is where the registry is published; "" is [DefaultURL].
	URL string
	// Cache is the file that keeps what was fetched; it need not exist.
	Cache string
	// Client fetches; nil is one that leaves https for nothing.
	Client *http.Client
}

// Edition is a registry, and where it comes from.
type Edition struct {
	*Index
	// Date is when it was fetched, or taken. BuiltIn says that it came with parley.
	Date    time.Time
	BuiltIn bool
}

// cached is what stands in the cache.
type cached struct {
	URL      string          `json:"url"`
	ETag     string          `json:"etag,omitempty"`
	Fetched  time.Time       `json:"fetched"`
	Registry json.RawMessage `json:"registry"`
}

func (s *Shelf) url() string {
	if s.URL == "" {
		return DefaultURL
	}
	return s.URL
}

// Open is the registry as it is known here: what was fetched last, or else what is built
// in. Nothing is fetched. The error says why what was fetched cannot be used; there is an
// edition then, too.
func (s *Shelf) Open() (*Edition, error) {
	c, err := s.cached()
	if err == nil && c != nil && (c.Fetched.After(snapshotDate) || s.url() != DefaultURL) {
		var x *Index
		if x, err = Parse(c.Registry); err == nil {
			return &Edition{Index: x, Date: c.Fetched}, nil
		}
	}
	x, broken := &Index{}, error(nil)
	if s.url() == DefaultURL { // what is built in is not what somebody else publishes
		x, broken = Parse(snapshot)
	}
	return &Edition{Index: x, Date: snapshotDate, BuiltIn: true}, errors.Join(err, broken)
}

// cached is what was fetched from the address last, nil if nothing was.
func (s *Shelf) cached() (*cached, error) {
	data, err := fs.ReadHead(s.Cache, 2*maxIndex)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	var c cached
	if err == nil {
		err = json.Unmarshal(data, &c)
	}
	if err != nil {
		return nil, fmt.Errorf("read the registry that was fetched: %s: %w", s.Cache, err)
	}
	if c.URL != s.url() {
		return nil, nil
	}
	return &c, nil
}

// Refresh fetches the registry and keeps it. changed says whether it is another one than
// before. The error wraps [ErrOffline] if it cannot be reached; what was known stays.
func (s *Shelf) Refresh(ctx context.Context) (e *Edition, changed bool, err error) {
	before, _ := s.cached() // what cannot be read is fetched anew
	next, err := s.fetch(ctx, before)
	if err != nil {
		return nil, false, fmt.Errorf("fetch the registry from %s: %w", s.url(), err)
	}
	x, err := Parse(next.Registry)
	if err != nil {
		return nil, false, fmt.Errorf("what %s has: %w", s.url(), err)
	}
	if err := s.keep(next); err != nil {
		return nil, false, fmt.Errorf("keep the registry: %w", err)
	}
	changed = before == nil || string(before.Registry) != string(next.Registry)
	return &Edition{Index: x, Date: next.Fetched}, changed, nil
}

// fetch asks for the registry, unless it is still the one of before.
func (s *Shelf) fetch(ctx context.Context, before *cached) (*cached, error) {
	header := http.Header{}
	if before != nil && before.ETag != "" {
		header.Set("If-None-Match", before.ETag)
	}
	resp, err := get(ctx, s.client(), s.url(), header)
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
		return nil, fmt.Errorf("the server answers %s", resp.Status)
	}
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxIndex+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxIndex {
		return nil, fmt.Errorf("it is larger than %d MiB", maxIndex>>20)
	}
	if !json.Valid(data) {
		return nil, errors.New("what it has is no JSON")
	}
	// Kept without spaces, so that it is the same when it is read again.
	if data, err = json.Marshal(json.RawMessage(data)); err != nil {
		return nil, err
	}
	return &cached{URL: s.url(), ETag: resp.Header.Get("ETag"), Fetched: time.Now().UTC(), Registry: data}, nil
}

func (s *Shelf) keep(c *cached) error {
	data, err := json.Marshal(c)
	if err != nil {
		return err
	}
	if err := config.MakeDir(filepath.Dir(s.Cache)); err != nil {
		return err
	}
	unlock, err := lockedfile.MutexAt(s.Cache + ".lock").Lock()
	if err != nil {
		return err
	}
	defer unlock()
	return config.ReplaceFile(s.Cache, data, config.FileMode)
}

func (s *Shelf) client() *http.Client {
	if s.Client != nil {
		return s.Client
	}
	return newClient()
}
