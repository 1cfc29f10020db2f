package store

import (
	"os"
	"testing"
)

func TestDraftsOfDirectories(t *testing.T) {
	s := New(t.TempDir())
	drafts := func(want, cwd string) {
		t.Helper()
		if got, err := s.Draft(cwd); err != nil || got != want {
			t.Errorf("the draft of %s is %q (%v), want %q", cwd, got, err, want)
		}
	}
	save := func(cwd, draft string) {
		t.Helper()
		if err := s.SaveDraft(cwd, draft); err != nil {
			t.Error(err)
		}
	}
	drafts("", "/a")
	save("/a", "")
	save("/a", "half a\nthought")
	save("/b", "another")
	drafts("half a\nthought", "/a")
	drafts("another", "/b")
	if info, err := os.Stat(s.draftPath("/a")); err != nil || info.Mode().Perm() != fileMode {
		t.Errorf("others may read it: %v, %v", info, err)
	}
	save("/a", "")
	drafts("", "/a")
	drafts("another", "/b")
}
