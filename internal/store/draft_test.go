package store

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"parley/acpclient"
	"parley/internal/conversation"
)

func TestDraftsOfDirectories(t *testing.T) {
	s := New(t.TempDir())
	drafts := func(want, cwd string) {
		t.Helper()
		if got, err := s.Draft(cwd); err != nil || got != want {
			t.Errorf("the draft of %s is %q (%v), want %q", cwd, got, err, want)
		}
	}
	save := func(cwd, was, draft string) {
		t.Helper()
		if err := s.SaveDraft(cwd, was, draft); err != nil {
			t.Error(err)
		}
	}
	drafts("", "/a")
	save("/a", "", "")
	save("/a", "", "half a\nthought")
	save("/b", "", "another")
	drafts("half a\nthought", "/a")
	drafts("another", "/b")
	if info, err := os.Stat(s.draftPath("/a")); err != nil || info.Mode().Perm() != fileMode {
		t.Errorf("others may read it: %v, %v", info, err)
	}
	save("/a", "what another tab has kept", "another thought")
	save("/a", "what another tab has kept", "")
	drafts("half a\nthought", "/a")
	// Another process has it only once this one has ended, or has let it go.
	mine := s
	s = New(s.dir)
	drafts("", "/a")
	for _, f := range mine.owned {
		_ = f.Close()
	}
	drafts("half a\nthought", "/a")
	save("/a", "half a\nthought", "my thought")
	s = New(s.dir)
	save("/a", "my thought", "")
	drafts("", "/a")
	drafts("another", "/b")
}

func TestUnsentPromptsOfAView(t *testing.T) {
	s := New(t.TempDir())
	id := ID("20260101-000000-abc")
	prompt := conversation.QueuedPrompt{Prompt: []acpclient.ContentBlock{acpclient.TextBlock("go on")}, Files: []string{"a"}}
	v := View{Unsent: &Unsent{Viewer: "v", Prompts: []UnsentPrompt{{Number: 3, Prompt: prompt}}}}
	if err := s.SaveView(id, v); err != nil {
		t.Fatal(err)
	}
	if got, err := s.View(id); err != nil || !reflect.DeepEqual(got, v) {
		t.Errorf("the view is %+v, %v", got, err)
	}
}

// Several programs keep the draft of one directory, and of one session, at the same time:
// nobody fails, and what is kept is whole and of one of them.
func TestSeveralKeepADraftAtOnce(t *testing.T) {
	dir := t.TempDir()
	id := ID("20260101-000000-abc")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	var drafts []string
	for n := range 8 {
		drafts = append(drafts, strings.Repeat(strconv.Itoa(n), 8<<10*(n+1)))
	}
	var writers sync.WaitGroup
	for _, draft := range drafts {
		writers.Go(func() {
			s := New(dir)
			for range 50 {
				kept, err := s.Draft("/project")
				if err = errors.Join(err, s.SaveDraft("/project", kept, draft), s.SaveView(id, View{Draft: draft})); err != nil {
					t.Error(err)
				}
				kept, err = s.Draft("/project")
				if err != nil || kept != "" && !slices.Contains(drafts, kept) { // "" is for those whose draft it is not
					t.Errorf("%d bytes are kept that nobody wrote, and the error is %v", len(kept), err)
				}
				if _, err := s.View(id); err != nil {
					t.Error(err)
				}
			}
		})
	}
	writers.Wait()
}

// A file in place of the store's directory is named when a draft is read.
func TestDraftBehindAFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "parley")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s := New(filepath.Join(file, "sessions"))
	if _, err := s.Draft("/project"); err == nil || !strings.HasSuffix(err.Error(), "but "+file+" is a file: move it away") {
		t.Errorf("the draft: %v", err)
	}
	if _, err := s.View("one"); err == nil || !strings.HasSuffix(err.Error(), "but "+file+" is a file: move it away") {
		t.Errorf("the view: %v", err)
	}
}
