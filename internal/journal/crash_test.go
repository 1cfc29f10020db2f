//go:build unix

package journal

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"parley/acpclient"
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
	if where := os.Getenv(rewinderVariable); where != "" {
		rewindUntilKilled(where)
	}
	if dir := os.Getenv(fullVariable); dir != "" {
		mergeOnAFullDisk(dir)
	}
	os.Exit(m.Run())
}

// fullVariable makes the test binary a program that merges on a small disk in that directory.
const fullVariable = "PARLEY_TEST_JOURNAL_FULL"

// A merge for which the disk has no room leaves all files as they were, wherever it fails: room
// for the first files is not room for the last ones, nor for putting the first ones back.
func TestMergesNothingOnAFullDisk(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("a small disk is made as Linux makes it")
	}
	dir := t.TempDir()
	mount := `mount -t tmpfs -o size=1600k none "$` + fullVariable + `"`
	run := func(script string) ([]byte, error) {
		cmd := exec.Command("unshare", "-rm", "sh", "-c", script, os.Args[0])
		cmd.Env = append(os.Environ(), fullVariable+"="+dir)
		return cmd.CombinedOutput()
	}
	if out, err := run(mount); err != nil {
		t.Skipf("no small disk can be mounted here: %v, %s", err, out)
	}
	if out, err := run(mount + ` && "$0"`); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

func mergeOnAFullDisk(top string) {
	dir, state := filepath.Join(top, "work"), filepath.Join(top, "state")
	run := func(taken int) (err error) {
		if err := errors.Join(os.RemoveAll(dir), os.RemoveAll(state), os.Mkdir(dir, 0o700), os.Mkdir(state, 0o700)); err != nil {
			return err
		}
		j, err := Open(Options{Dir: state, Cwd: dir, Roots: []string{dir}})
		if err != nil {
			return err
		}
		defer j.Close(context.Background())
		random := rand.New(rand.NewPCG(uint64(taken), 0))
		noise := func(n int) string { // the journal cannot compress it
			b := make([]byte, n)
			for i := range b {
				b[i] = byte(random.IntN(256))
			}
			return string(b)
		}
		was := map[string]string{"base": noise(taken)}
		var changes []Change
		for i := range 10 {
			name := fmt.Sprint("f", i)
			was[name] = noise(20_000)
			changes = append(changes, NewChange(filepath.Join(dir, name), &fs.Snapshot{Content: was[name]}, &fs.Snapshot{Content: was[name] + noise(20_000)}))
		}
		changes = append(changes, NewChange(filepath.Join(dir, "new", "file"), nil, &fs.Snapshot{Content: "new"}))
		for name, content := range was {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
				return fmt.Errorf("no room for the files: %w", err)
			}
		}
		_, err = j.Merge(context.Background(), changes)
		if err == nil {
			return nil
		}
		var torn *TornError
		if errors.As(err, &torn) {
			return err
		}
		entries, readErr := os.ReadDir(dir)
		if len(entries) != len(was) {
			return fmt.Errorf("there are %v: %w", entries, errors.Join(err, readErr))
		}
		for name, content := range was {
			if now, readErr := os.ReadFile(filepath.Join(dir, name)); string(now) != content {
				return fmt.Errorf("%s has changed: %w", name, errors.Join(err, readErr))
			}
		}
		return errNotMerged
	}
	merged, refused := 0, 0
	for taken := 0; taken < 800_000; taken += 32_000 {
		switch err := run(taken); {
		case err == nil:
			merged++
		case errors.Is(err, errNotMerged):
			refused++
		default:
			fmt.Printf("with %d taken: %v\n", taken, err)
			os.Exit(1)
		}
	}
	if merged == 0 || refused == 0 {
		fmt.Println(merged, "merged,", refused, "refused")
		os.Exit(1)
	}
	os.Exit(0)
}

var errNotMerged = errors.New("nothing was merged")

// writeUntilKilled writes a few files again and again.
func writeUntilKilled(where string) {
	dir, state, _ := strings.Cut(where, "\n")
	j, err := Open(Options{Dir: state, Cwd: dir, Roots: []string{dir}, Session: "s"})
	if err == nil {
		var f *fs.FS
		if f, err = fs.New(dir); err == nil {
			j.Serve(f, nil)
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
	const times = 8
	dir, state := memoryDir(t), memoryDir(t)
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
		now, err := j.now(t.Context(), path)
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

// rewinderVariable makes the test binary a program that opens a journal, rewinds it to
// before its first turn, or undoes that, and kills itself at the moment of that number.
const rewinderVariable = "PARLEY_TEST_JOURNAL_REWINDER"

func rewindUntilKilled(where string) {
	fields := strings.Split(where, "\n")
	dir, state, act := fields[0], fields[1], fields[2]
	moment, err := strconv.Atoi(fields[3])
	if err == nil {
		atPoint = func() {
			if moment--; moment == 0 {
				_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
				select {}
			}
		}
		var j *Journal
		if j, err = Open(Options{Dir: state, Cwd: dir, Roots: []string{dir}, Session: "s"}); err == nil {
			var f *fs.FS
			if f, err = fs.New(dir); err == nil {
				j.Serve(f, nil)
				err = rewindOrUndo(j, act)
			}
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

func rewindOrUndo(j *Journal, act string) error {
	ctx := context.Background()
	switch act {
	case "rewind":
		plan, err := j.PlanRewind(ctx, 1)
		if err == nil {
			_, err = j.Rewind(ctx, plan)
		}
		return err
	case "undo":
		_, err := j.Redo(ctx)
		return err
	}
	return nil // opening the journal was all
}

// A rewind that is killed at any moment has happened as a whole or not at all when the
// journal is opened next, also if taking it back is killed in turn.
func TestRewindKilledAtAnyMoment(t *testing.T) {
	p := newProject(t)
	p.Watch(conversation.SessionOpened{ID: "s"})
	for i := range 4 {
		p.write(fmt.Sprint("edited", i), "1\n2\n3\n")
	}
	p.write("moved", "m\n")
	p.write("deleted", "d\n")
	p.turn("", func() {
		for i := range 4 {
			p.serve(fmt.Sprint("edited", i), "1\ntwo\n3\n")
		}
		p.serve("new", "n\n")
		p.move("moved", "elsewhere")
		p.change("delete", acpclient.ToolDelete, func() { _ = os.Remove(p.path("deleted")) }, "deleted")
	})
	for i := range 2 {
		p.write(fmt.Sprint("edited", i), "1\ntwo\nuser\n")
	}
	if err := p.Journal.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	after := contents(t, p.dir)
	before := map[string]string{
		"edited0": "1\n2\nuser\n", "edited1": "1\n2\nuser\n", "edited2": "1\n2\n3\n", "edited3": "1\n2\n3\n",
		"moved": "m\n", "deleted": "d\n",
	}
	kills := 0
	for _, act := range []struct {
		name, opposite string
		from, to       map[string]string
	}{{"rewind", "undo", after, before}, {"undo", "rewind", before, after}} {
		moments := p.moments(func() { p.openFor("s", act.name) })
		if !maps.Equal(contents(t, p.dir), act.to) {
			t.Fatalf("after the %s the files are %q", act.name, contents(t, p.dir))
		}
		done := p.disk()
		// killed checks what opening the journal makes of the files that a kill has left.
		killed := func(left disk, session string) (happened bool) {
			t.Helper()
			kills++
			p.restore(left)
			p.openFor(session, "")
			now := contents(t, p.dir)
			if happened = maps.Equal(now, act.to); !happened && !maps.Equal(now, act.from) {
				t.Fatalf("after kill %d, in the %s, the files are %q", kills, act.name, now)
			}
			return happened
		}
		for i, left := range moments {
			killed(left, "") // another session in the same directory
			if killed(left, "s") {
				p.openFor("s", act.opposite)
				if now := contents(t, p.dir); !maps.Equal(now, act.from) {
					t.Fatalf("after kill %d of the %s the %s makes the files %q", kills, act.name, act.opposite, now)
				}
			}
			if i%3 != 0 {
				continue
			}
			p.restore(left)
			for _, left := range p.moments(func() { p.openFor("s", "") }) { // while it is being taken back
				killed(left, "s")
			}
		}
		p.restore(done)
	}
	t.Logf("%d kills", kills)
	if kills < 300 {
		t.Errorf("there were %d kills, want 300", kills)
	}
}

// disk is what is on disk of a project and its journals: the files, by their paths.
type disk map[string]savedFile

type savedFile struct {
	mode    os.FileMode
	content string // of a regular file
}

func (p *project) disk() disk {
	p.Helper()
	out := disk{}
	for _, root := range []string{p.dir, p.state} {
		err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
			if err != nil || path == root {
				return err
			}
			info, err := d.Info()
			if err != nil {
				return err
			}
			f := savedFile{mode: info.Mode()}
			if f.mode.IsRegular() {
				content, err := os.ReadFile(path)
				if err != nil {
					return err
				}
				f.content = string(content)
			}
			out[path] = f
			return nil
		})
		if err != nil {
			p.Fatal(err)
		}
	}
	return out
}

func (p *project) restore(to disk) {
	p.Helper()
	p.clear()
	for _, path := range slices.Sorted(maps.Keys(to)) { // directories before what is in them
		f := to[path]
		var err error
		if f.mode.IsDir() {
			err = os.Mkdir(path, f.mode.Perm())
		} else {
			err = os.WriteFile(path, []byte(f.content), f.mode.Perm())
		}
		if err = errors.Join(err, os.Chmod(path, f.mode.Perm())); err != nil {
			p.Fatal(err)
		}
	}
}

// openFor opens the journal for a session, does an act, and closes it.
func (p *project) openFor(session, act string) {
	p.Helper()
	p.opt.Session = session
	p.begin()
	if err := errors.Join(rewindOrUndo(p.Journal, act), p.Journal.Close(p.Context())); err != nil {
		p.Fatal(err)
	}
}

// moments carries something out, and returns what is on disk at each moment of it, which
// is what a kill would leave there.
func (p *project) moments(do func()) []disk {
	p.Helper()
	out := []disk{p.disk()}
	atPoint = func() {
		if now := p.disk(); !maps.Equal(now, out[len(out)-1]) {
			out = append(out, now)
		}
	}
	defer func() { atPoint = func() {} }()
	do()
	return out
}

// A write that was killed at any moment is a change if the file has the new content, and
// otherwise it is none.
func TestWriteKilledAtAnyMoment(t *testing.T) {
	p := newProject(t)
	p.Watch(conversation.SessionOpened{ID: "s"})
	p.write("f", "before\n")
	var moments []disk
	p.turn("", func() { moments = p.moments(func() { p.serve("f", "after\n") }) })
	if err := p.Journal.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	outcomes := map[string]int{}
	for i, left := range moments {
		p.restore(left)
		p.opt.Session = "s"
		p.begin()
		now := p.now("f")
		logged := strings.Contains(left[filepath.Join(p.Journal.dir, logName)].content, `"change"`)
		outcomes[fmt.Sprint(logged, " ", now)]++
		_, err := p.undo()
		if want := now == "after\n"; want != (err == nil) || !want && !errors.Is(err, ErrNothing) {
			t.Errorf("after a kill at moment %d of %d the file holds %q, and the undo says %v", i, len(moments), now, err)
		}
		p.holds("f", "before\n")
		if err := p.Journal.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if outcomes["true before\n"] == 0 || outcomes["true after\n"] == 0 {
		t.Errorf("no kill came between the log and the file: %v", outcomes)
	}
}

// A rewind that was killed is taken back, but for files that the user has changed since.
func TestKilledRewindIsTakenBack(t *testing.T) {
	p := newProject(t)
	p.Watch(conversation.SessionOpened{ID: "s"})
	p.turn("", func() { p.serve("a", "a\n"); p.serve("b", "b\n"); p.serve("c", "c\n") })
	if err := p.Journal.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	torn := false
	for moment := 1; !torn && killedAt(t, p, "rewind", moment); moment++ {
		now := contents(t, p.dir)
		if torn = len(now) == 2; torn {
			break
		}
		p.opt.Session = "s"
		p.begin() // nothing has happened yet, or all of it is taken back now
		if len(contents(t, p.dir)) == 0 {
			p.must(p.Redo(t.Context()))
		}
		if err := p.Journal.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if !torn {
		t.Fatal("no moment is between two files")
	}
	p.write("b", "user\n")
	p.opt.Session = "s"
	p.begin()
	if r := p.Recovered(); len(r) != 1 || r[0].Other || r[0].Rewound != 1 || r[0].Err != nil {
		t.Errorf("recovered: %+v", r)
	}
	p.holds("a", "a\n")
	p.holds("b", "user\n")
	p.holds("c", "c\n")
	if p.Summary().LastRewind != 0 {
		t.Error("the rewind that was taken back can be undone")
	}
}

// Of an act that is taken back, what the user has made of a file since stays. An act whose end
// the log of a full disk lacks is not taken back.
func TestInterruptedActs(t *testing.T) {
	for name, test := range map[string]struct{ session, ended bool }{"this session": {session: true}, "another": {}, "ended": {session: true, ended: true}} {
		ended := test.ended
		p := newProject(t)
		p.Watch(conversation.SessionOpened{ID: "s"})
		p.turn("", func() { p.serve("a", "a\n"); p.serve("b", "b\n") })
		const number = 99
		err := p.Journal.begin(number, 1)
		for _, name := range []string{"a", "b"} {
			change, planned := p.rewindPlan(1, p.part(name))
			_, tried := p.try(t.Context(), &change)
			err = errors.Join(err, planned, tried, p.Journal.write(t.Context(), &change, number))
		}
		if ended {
			err = errors.Join(err, os.Remove(filepath.Join(p.Journal.dir, actingName)))
		}
		if err = errors.Join(err, p.Journal.Close(t.Context())); err != nil {
			t.Fatal(err)
		}
		p.write("a", "user\n")
		if test.session {
			p.opt.Session = "s"
		}
		p.begin()
		want := map[string]string{"a": "user\n"}
		r := p.Recovered()
		if !ended {
			want["b"] = "b\n"
			if len(r) != 1 || r[0].Other == test.session || !errors.Is(r[0].Err, ErrConflict) || !strings.Contains(r[0].Err.Error(), p.path("a")) {
				t.Errorf("%s: recovered %+v", name, r)
			}
		} else if r != nil {
			t.Errorf("%s: recovered %+v", name, r)
		}
		if got := contents(t, p.dir); !maps.Equal(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// killedAt starts the program that is killed at a moment of an act, and reports whether it
// was: there may be fewer moments.
func killedAt(t *testing.T, p *project, act string, moment int) bool {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s\n%s\n%s\n%d", rewinderVariable, p.dir, p.state, act, moment))
	out, err := cmd.CombinedOutput()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() == -1 {
		return true
	}
	if err != nil {
		t.Fatalf("the %s: %v\n%s", act, err, out)
	}
	return false
}

// contents returns what the files of a directory contain, by their names.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, e := range entries {
		content, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		out[e.Name()] = string(content)
	}
	return out
}
