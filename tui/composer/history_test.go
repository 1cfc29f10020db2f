package composer

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/lockedfile"

	"parley/fs"

	"github.com/google/go-cmp/cmp"
)

func openHistory(t *testing.T, path, project string) *History {
	t.Helper()
	h := NewHistory(path, project)
	if err := h.Load(); err != nil {
		t.Fatal(err)
	}
	return h
}

func TestHistoryIsKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state", "history.jsonl")
	c := newTest(t, openHistory(t, path, "/p"))
	for _, keys := range []string{"one<enter>", "two<ctrl+j>lines<enter>", "cleared<ctrl+c>", "one<enter>"} {
		for _, k := range strings.SplitAfter(keys, ">") {
			typed, name, _ := strings.Cut(k, "<")
			play(c, typed)
			if name != "" {
				_, cmd := c.Key(press(strings.TrimSuffix(name, ">")))
				if msgs := settleCmds(c, cmd); len(msgs) > 0 {
					t.Fatal(msgs)
				}
			}
		}
	}
	want := []string{"two\nlines", "cleared", "one"}
	if diff := cmp.Diff(want, openHistory(t, path, "/p").all()); diff != "" {
		t.Errorf("read back (-want +got):\n%s", diff)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file has mode %v (%v)", info.Mode(), err)
	}
}

func TestHistoryOfTheProjectComesFirst(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.jsonl")
	for _, p := range []struct{ project, text string }{{"/a", "mine"}, {"/b", "theirs"}, {"/b", "both"}, {"/a", "both"}, {"/b", "last"}} {
		if err := openHistory(t, path, p.project).save(p.text, time.Now()); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{"theirs", "last", "mine", "both"}
	if diff := cmp.Diff(want, openHistory(t, path, "/a").all()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestHistoryFilesThatAreOdd(t *testing.T) {
	for _, tt := range []struct {
		name, file string
		want       []string
	}{
		{"missing", "", nil},
		{"lines of others", "not json\n{\"text\":\"a\"}\n{\"text\":5}\n\n{\"text\":\"b\"}\n", []string{"a", "b"}},
		{"no end", `{"text":"a"}`, []string{"a"}},
		{"control characters", `{"text":"a\u001b[31mb\r\nc"}`, []string{"ab\nc"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "history.jsonl")
			if tt.file != "" {
				if err := os.WriteFile(path, []byte(tt.file), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			h := openHistory(t, path, "")
			if diff := cmp.Diff(tt.want, h.all()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if err := h.save("new", time.Now()); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(append(tt.want, "new"), openHistory(t, path, "").all()); diff != "" {
				t.Errorf("after another (-want +got):\n%s", diff)
			}
		})
	}
}

func TestHistoryThatCannotBeRead(t *testing.T) {
	h := NewHistory(t.TempDir(), "") // a directory
	if err := h.Load(); err == nil {
		t.Fatal("no error")
	}
	c := newTest(t, h)
	play(c, "one")
	_, cmd := c.Key(press("enter"))
	if msgs := settleCmds(c, cmd); len(msgs) != 1 || msgs[0].(ErrorMsg).Err == nil {
		t.Errorf("saving said %v", msgs)
	}
	if play(c, "<up>"); c.Text() != "one" {
		t.Errorf("the prompt is not remembered: %q", c.Text())
	}
}

// Writers at the same time, enough of them to cut the file, leave whole lines.
func TestHistoryOfManyWriters(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.jsonl")
	const writers, each = 4, 320
	var wg sync.WaitGroup
	for w := range writers {
		h := openHistory(t, path, fmt.Sprint(w))
		wg.Go(func() {
			for i := range each {
				if err := h.save(fmt.Sprintf("%d: prompt %d", w, i), time.Now()); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	next := map[string]int{}
	for _, l := range lines {
		var entry historyLine
		if err := json.Unmarshal([]byte(l), &entry); err != nil {
			t.Fatalf("%q: %v", l, err)
		}
		var w, i int
		if _, err := fmt.Sscanf(entry.Text, "%d: prompt %d", &w, &i); err != nil {
			t.Fatal(err)
		}
		if n, seen := next[entry.Project]; seen && i != n {
			t.Fatalf("writer %d: prompt %d follows %d", w, i, n-1)
		}
		next[entry.Project] = i + 1
	}
	if len(lines) != historyKept {
		t.Errorf("%d lines are kept", len(lines))
	}
}

func TestWalkingTheHistory(t *testing.T) {
	for _, tt := range []struct{ name, keys, want string }{
		{"up is the prompt before", "<up>", "three\nlines"},
		{"up goes on through prompts of several lines", "<up><up>", "two"},
		{"up stops at the oldest", "<up><up><up><up><up>", "one"},
		{"down comes back to the draft", "my draft<up><up><down><down>", "my draft"},
		{"down behind the draft stays", "my draft<down><down>", "my draft"},
		{"the cursor of the draft is kept", "my draft<left><left><up><down>X", "my draXft"},
		{"up in a draft of two lines is a row up", "a<ctrl+j>b<up>X", "aX\nb"},
		{"and from its first row the history", "a<ctrl+j>b<up><up>", "three\nlines"},
		{"the draft of two lines comes back", "a<ctrl+j>b<up><up><down>", "a\nb"},
		{"a prompt can be edited", "<up><up>!", "two!"},
		{"an edited one is kept on the way", "<up><up>!<up><down>", "two!"},
		{"in an edited one arrows move", "<up>!<up>X", "three\nlines!"[:5] + "X\nlines!"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := newTest(t, &History{texts: []string{"one", "two", "three\nlines"}})
			play(c, tt.keys)
			if got := c.Text(); got != tt.want {
				t.Errorf("after %q: %q, want %q", tt.keys, got, tt.want)
			}
		})
	}
}

func TestSetTextIsTheDraft(t *testing.T) {
	for _, keys := range []string{"old<up>", "old<ctrl+r>one", "old"} {
		c := newTest(t, &History{texts: []string{"one"}})
		play(c, keys)
		c.SetText("new\x1b[31m text")
		if got := screen(c); got != "❯ new text" {
			t.Errorf("after %q the screen is\n%s", keys, got)
		}
		if play(c, "<ctrl+_>"); c.Text() != "old" {
			t.Errorf("after %q undo gives %q", keys, c.Text())
		}
	}
}

// A draft that was left for a prompt of the history is not lost when that one
// is sent.
func TestAbandonedDraftIsRemembered(t *testing.T) {
	h := &History{texts: []string{"one"}}
	c := newTest(t, h)
	if r := play(c, "draft<up><enter>"); r.Prompt == nil || r.Prompt.Text() != "one" {
		t.Fatalf("sent %+v", r.Prompt)
	}
	if diff := cmp.Diff([]string{"draft", "one"}, h.all()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestSearchingTheHistory(t *testing.T) {
	for _, tt := range []struct{ name, keys, want, screen string }{
		{"opens with all, the newest first", "dr<ctrl+r>", "fix the parser", "› fix the parser\n  deploy\n  Fix the tests\n  write docs\n  search:\n❯ fix the parser"},
		{"finds the newest", "<ctrl+r>fix", "fix the parser", "› fix the parser\n  Fix the tests\n  search: fix\n❯ fix the parser"},
		{"finds older ones", "<ctrl+r>fix<ctrl+r>", "Fix the tests", "  fix the parser\n› Fix the tests\n  search: fix\n❯ Fix the tests"},
		{"and newer ones", "<ctrl+r>fix<up><down>", "fix the parser", "› fix the parser\n  Fix the tests\n  search: fix\n❯ fix the parser"},
		{"a longer query narrows", "<ctrl+r>fix the t", "Fix the tests", "› Fix the tests\n  search: fix the t\n❯ Fix the tests"},
		{"no match", "dr<ctrl+r>zzz", "dr", "  no prompt of the history has that\n  search: zzz\n❯ dr"},
		{"backspace widens", "<ctrl+r>fixx<backspace>", "fix the parser", "› fix the parser\n  Fix the tests\n  search: fix\n❯ fix the parser"},
		{"an abbreviation", "<ctrl+r>ftt", "Fix the tests", "› Fix the tests\n  search: ftt\n❯ Fix the tests"},
		{"enter takes", "dr<ctrl+r>tests<enter>", "Fix the tests", "❯ Fix the tests"},
		{"and that is an edit", "dr<ctrl+r>tests<enter><ctrl+_>", "dr", "❯ dr"},
		{"esc gives up", "dr<ctrl+r>tests<esc>", "dr", "❯ dr"},
		{"ctrl+c gives up", "dr<ctrl+r>tests<ctrl+c>", "dr", "❯ dr"},
		{"editing keys take and edit", "<ctrl+r>tests<ctrl+w>", "Fix the ", "❯ Fix the"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := newTest(t, &History{texts: []string{"write docs", "Fix the tests", "deploy", "fix the parser"}})
			play(c, tt.keys)
			if got := c.Text(); got != tt.want {
				t.Errorf("the text is %q, want %q", got, tt.want)
			}
			if got := screen(c); got != tt.screen {
				t.Errorf("the screen is\n%s\nwant\n%s", got, tt.screen)
			}
		})
	}
}

// What stands in the history's way must not keep parley from starting: another
// program that holds its lock, or a pipe in its place.
// A file that is cut is never without what it keeps: who has opened it meanwhile, or is
// left with it because the disk is full or the other program was killed, has all of it.
func TestHistoryIsCutAsAWhole(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.jsonl")
	var all []byte
	for i := range 2 * historyKept {
		all = fmt.Appendf(all, "{\"text\":\"prompt %d\"}\n", i)
	}
	if err := os.WriteFile(path, all, 0o600); err != nil {
		t.Fatal(err)
	}
	h := openHistory(t, path, "/p")
	before, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer before.Close()
	if err := h.save("the newest", time.Now()); err != nil {
		t.Fatal(err)
	}
	if left, err := io.ReadAll(before); err != nil || !strings.HasPrefix(string(left), string(all)) {
		t.Errorf("%d of %d bytes are left while it is cut, %v", len(left), len(all), err)
	}
	if got := openHistory(t, path, "/p").all(); len(got) != historyKept || got[len(got)-1] != "the newest" {
		t.Errorf("%d are kept, the last is %q", len(got), got[len(got)-1])
	}
}

func TestHistoryNeverWaits(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.jsonl")
	if err := openHistory(t, path, "/p").save("one", time.Now()); err != nil {
		t.Fatal(err)
	}
	unlock, err := lockedfile.MutexAt(path + ".lock").Lock()
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	if got := openHistory(t, path, "/p").all(); !slices.Equal(got, []string{"one"}) {
		t.Errorf("read while it is locked: %q", got)
	}
}

func TestHistoryIsARegularFile(t *testing.T) {
	dir := t.TempDir() // a folder stands for whatever else it may be
	h := NewHistory(dir, "/p")
	err := h.Load()
	if err == nil || !strings.Contains(err.Error(), "it is a directory") || len(h.all()) != 0 {
		t.Errorf("opened: %v", err)
	}
	if err := h.save("one", time.Now()); !errors.Is(err, fs.ErrNotRegular) {
		t.Errorf("saved: %v", err)
	}
}

// A prompt that is sent before the history was read is the newest one, once.
func TestHistoryIsReadLate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.jsonl")
	before := openHistory(t, path, "/p")
	for _, text := range []string{"one", "two", "three"} {
		if err := before.save(text, time.Now()); err != nil {
			t.Fatal(err)
		}
	}
	h := NewHistory(path, "/p")
	h.add("two")
	h.add("new")
	if diff := cmp.Diff([]string{"one", "three", "two", "new"}, h.all()); diff != "" {
		t.Error(diff)
	}
}

// BenchmarkLoadHistory: in proportion to the file, whatever is in it.
func BenchmarkLoadHistory(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			path := filepath.Join(b.TempDir(), "history.jsonl")
			var all []byte
			for i := range n {
				line, _ := json.Marshal(historyLine{Project: fmt.Sprint("/p", i%7), Text: fmt.Sprint("prompt ", i)})
				all = append(append(all, line...), '\n')
			}
			if err := os.WriteFile(path, all, 0o600); err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if err := NewHistory(path, "/p0").Load(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// A file in place of the history's directory is named.
func TestHistoryBehindAFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "parley")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := NewHistory(filepath.Join(file, "history"), "").Load(); err == nil || !strings.HasSuffix(err.Error(), "but "+file+" is a file: move it away") {
		t.Errorf("%v", err)
	}
}

// A key of the search does not copy the prompts that it looks through.
func TestSearchingALongHistoryAllocatesLittle(t *testing.T) {
	h := &History{}
	for i := range 1000 {
		h.texts = append(h.texts, fmt.Sprintf("Prompt %d\n%s", i, strings.Repeat("Some Words ", searched/11)))
	}
	c := newTest(t, h)
	play(c, "<ctrl+r>p")
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	play(c, "r")
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 2<<20 {
		t.Errorf("a key allocates %d bytes", n)
	}
	if play(c, "ompt 7<enter>"); !strings.HasPrefix(c.Text(), "Prompt 799\n") {
		t.Errorf("found %.20q", c.Text())
	}
}
