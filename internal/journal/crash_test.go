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
	"time"

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
	times := 60
	if testing.Short() {
		times = 5
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	state := t.TempDir()
	for range times {
		killWriter(t, dir+"\n"+state)
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

// killWriter starts a writer and kills it after a random time.
func killWriter(t *testing.T, where string) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), writerVariable+"="+where)
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
	time.Sleep(time.Duration(rand.IntN(20_000)) * time.Microsecond) // the moment of death
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
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
				if _, err := j.state(c.before); err != nil {
					t.Errorf("what %s held is lost: %v", path, err)
				}
			}
		} else if !now.Absent {
			t.Errorf("the journal knows nothing of %s", path)
		}
	}
}
