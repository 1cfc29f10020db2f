//go:build unix

package journal

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"parley/fs"
	"parley/internal/conversation"
)

// writerVariable makes the test binary a program that writes files until it is
// killed.
const writerVariable = "PARLEY_TEST_JOURNAL_WRITER"

func TestMain(m *testing.M) {
	if where := os.Getenv(writerVariable); where != "" {
		writeUntilKilled(where)
	}
	os.Exit(m.Run())
}

// writeUntilKilled writes a few files again and again.
func writeUntilKilled(where string) {
	dir, state, _ := strings.Cut(where, "\n")
	j, err := Open(Options{Dir: state, Cwd: dir, Roots: []string{dir}, Session: "s"})
	if err == nil {
		var f *fs.FS
		if f, err = fs.New(dir); err == nil {
			j.Serve(f)
			j.Watch(conversation.SessionOpened{ID: "s"})
			j.Watch(conversation.PromptSent{})
			err = j.Wait(context.Background())
			fmt.Println("ready")
			for i := 0; err == nil; i++ {
				err = writeText(f, filepath.Join(dir, fmt.Sprint(i%3)), fmt.Sprintf("%d %s\n", i, strings.Repeat("x", i%5000)))
			}
		}
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// A killed parley leaves files that hold what they held before, or after, the last
// write that the journal knows of.
func TestKilledAtAnyMoment(t *testing.T) {
	const times = 20
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	state := t.TempDir()
	for range times {
		killWriter(t, dir, state)
		j, err := Open(Options{Dir: state, Cwd: dir, Roots: []string{dir}, Session: "s"})
		if err != nil {
			t.Fatal(err)
		}
		checkAgreement(t, j, dir)
		if err := j.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

// killWriter starts a writer and kills it when the journal's log has grown by a random
// number of bytes: in the middle of a write, or between two.
func killWriter(t *testing.T, dir, state string) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), writerVariable+"="+dir+"\n"+state)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "ready\n" {
		t.Fatalf("the writer says %q, %v", line, err)
	}
	for end := logSize(t, state) + rand.N[int64](4000); logSize(t, state) < end; {
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
}

// logSize returns the size of the log of the only journal below a directory.
func logSize(t *testing.T, state string) int64 {
	t.Helper()
	logs, err := filepath.Glob(filepath.Join(state, "*", logName))
	if err != nil || len(logs) != 1 {
		t.Fatalf("the logs are %q, %v", logs, err)
	}
	info, err := os.Stat(logs[0])
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

// checkAgreement checks that every file holds what the journal says last of it, and
// that what it held before is there.
func checkAgreement(t *testing.T, j *Journal, dir string) {
	t.Helper()
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.history.session != "s" {
		t.Error("the journal was not found again")
	}
	for i := range 3 {
		path := filepath.Join(dir, fmt.Sprint(i))
		now, err := lookAt(path)
		if err != nil {
			t.Fatal(err)
		}
		if all := j.history.byPath[path]; len(all) > 0 {
			if last := all[len(all)-1]; !now.same(last.after) || last.open {
				t.Errorf("%s holds %v, the journal says %v", path, now, last.after)
			}
			for _, c := range all {
				if _, err := j.content(c.before); err != nil {
					t.Errorf("what %s held is lost: %v", path, err)
				}
			}
		} else if !now.Absent {
			t.Errorf("the journal knows nothing of %s", path)
		}
	}
}
