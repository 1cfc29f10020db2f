//go:build unix

package store

import (
	"errors"
	"path/filepath"
	"syscall"
	"testing"

	"parley/config"
	"parley/fs"
)

// A named pipe in the place of a file of the store is an error, and nothing waits for it.
func TestPipesAreNotRead(t *testing.T) {
	s := &Store{dir: t.TempDir()}
	const id = ID("20260102T030405-abcdef")
	log, err := s.path(id)
	if err != nil {
		t.Fatal(err)
	}
	for what, c := range map[string]struct {
		path string
		read func() error
	}{
		"draft": {s.NewDraft("/w").base + "-1", func() error { _, _, err := s.TakeDraft("/w"); return err }},
		"view":  {s.viewPath(id), func() error { _, err := s.View(id); return err }},
		"log": {log, func() (err error) {
			for _, err = range s.Records(id) {
			}
			return err
		}},
	} {
		if err := errors.Join(config.MakeDir(filepath.Dir(c.path)), syscall.Mkfifo(c.path, 0o600)); err != nil {
			t.Fatal(err)
		}
		if err := c.read(); !errors.Is(err, fs.ErrNotRegular) {
			t.Errorf("%s: %v", what, err)
		}
	}
}
