//go:build unix

package store

import (
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"testing"
)

// Stored sessions are listed and searched also where the disk has no room for an index of
// them, and an index that is there stays.
func TestSessionsAreListedOnAFullDisk(t *testing.T) {
	if dir := os.Getenv("PARLEY_TEST_NO_ROOM"); dir != "" {
		signal.Ignore(syscall.SIGXFSZ) // then writing fails instead
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{}); err != nil {
			t.Fatal(err)
		}
		lib := NewLibrary(New(dir))
		defer lib.Close()
		for range 2 {
			if list, err := lib.List(t.Context(), Query{}); err != nil || len(list) != 2 || list[0].Name() != "Fix the tests" {
				t.Fatalf("listed %v: %v", list, err)
			}
			if hits, err := lib.Search(t.Context(), "readme", Query{}); err != nil || len(hits) != 1 {
				t.Fatalf("found %v: %v", hits, err)
			}
		}
		return
	}
	s := New(t.TempDir())
	chat(t, s, Meta{Cwd: "/a"}, "Write a readme")
	check := func() {
		t.Helper()
		cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
		cmd.Env = append(os.Environ(), "PARLEY_TEST_NO_ROOM="+s.dir)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	x := index(t, s)
	chat(t, s, Meta{Cwd: "/a"}, "Fix the tests") // the index does not know this one
	check()
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(s.dir + "/" + indexName)
	if err != nil {
		t.Fatal(err)
	}
	check()
	if after, err := os.ReadFile(s.dir + "/" + indexName); err != nil || string(after) != string(before) {
		t.Errorf("the index has changed: %v", err)
	}
	if err := os.Remove(s.dir + "/" + indexName); err != nil {
		t.Fatal(err)
	}
	check()
}
