package journal

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/test"
)

func noise(n int) string {
	b := make([]byte, n/2)
	_, _ = rand.Read(b)
	return hex.EncodeToString(b) + "\n"
}

func TestTheSizeIsBounded(t *testing.T) {
	p := newProject(t)
	_ = p.Journal.Close(t.Context())
	p.opt.MaxBytes = 1 << 20
	p.begin()
	p.turn("", func() {
		for i := range 20 {
			p.serve(fmt.Sprint("f", i), noise(200_000))
		}
	})
	if got := diskUse(p.state); got > 1<<20 {
		t.Errorf("the journal takes %d bytes", got)
	}
	if n := len(p.Files(0)); n != 20 {
		t.Errorf("%d files are listed", n)
	}
	if failed := p.Summary().Failed; failed != errFull.Error() {
		t.Errorf("the trouble is %q", failed)
	}
	p.holds("nothing", "-")
}

func TestOldJournalsGo(t *testing.T) {
	p := newProject(t)
	var dirs []string
	for i := range 4 {
		p.turn("", func() { p.serve("f", noise(100_000)) })
		dirs = append(dirs, p.Journal.dir)
		p.again("")
		age := time.Duration(4-i) * time.Hour
		if i == 0 {
			age = 40 * 24 * time.Hour
		}
		at := time.Now().Add(-age)
		if err := os.Chtimes(filepath.Join(dirs[i], logName), at, at); err != nil {
			t.Fatal(err)
		}
	}
	_ = p.Journal.Close(t.Context())
	p.opt.MaxBytes = 300_000 // half of it is for the others
	p.begin()
	p.wait()
	var left []int
	for i, dir := range dirs {
		if _, err := os.Stat(dir); err == nil {
			left = append(left, i)
		}
	}
	if fmt.Sprint(left) != "[2 3]" && fmt.Sprint(left) != "[3]" {
		t.Errorf("the journals %v are left", left)
	}
}

// A journal that another process has open is not removed, however old it is.
func TestAnOpenJournalStays(t *testing.T) {
	p := newProject(t)
	p.turn("", func() { p.serve("f", "x\n") })
	at := time.Now().Add(-400 * 24 * time.Hour)
	if err := os.Chtimes(filepath.Join(p.Journal.dir, logName), at, at); err != nil {
		t.Fatal(err)
	}
	other, err := Open(p.opt)
	if err != nil {
		t.Fatal(err)
	}
	other.prune()
	if err := other.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	p.must(p.undo())
	p.holds("f", "-")
}

// A write that cannot be logged is refused where it would replace something.
func TestAWriteThatCannotBeLoggedIsRefused(t *testing.T) {
	p := newProject(t)
	p.write("f", "before\n")
	p.turn("", func() {
		if err := p.log.file.Close(); err != nil {
			t.Fatal(err)
		}
		p.serve("new", "n\n")
		if err := writeText(p.fs, p.path("f"), "agent\n"); !errors.Is(err, ErrUnkept) {
			t.Errorf("the write: %v", err)
		}
		p.holds("f", "before\n")
		if got := p.names(0); got != "new" {
			t.Errorf("files: %q", got)
		}
		p.Forgo(p.path("f"))
		p.serve("f", "agent\n")
	})
	if plan, _ := p.plan(1); !strings.HasPrefix(plan.Limits, "some changes were not recorded: ") {
		t.Errorf("a rewind is limited by %q", plan.Limits)
	}
}

// What undo would write is checked: a damaged image is never written into a file.
func TestADamagedImageIsNotWritten(t *testing.T) {
	p := newProject(t)
	p.write("f", "before\n")
	p.turn("", func() { p.serve("f", "after\n") })
	other := hashOf("something else\n")
	if err := p.store.put(other, "something else\n", false); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(p.store.path(other), p.store.path(hashOf("before\n"))); err != nil {
		t.Fatal(err)
	}
	if _, err := p.undo(); !errors.Is(err, errLost) {
		t.Errorf("undo: %v", err)
	}
	p.holds("f", "after\n")
}

func TestNobodyElseCanRead(t *testing.T) {
	p := newProject(t)
	p.turn("", func() { p.serve("f", "secret\n") })
	err := filepath.WalkDir(p.state, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == p.state {
			return err
		}
		info, err := d.Info()
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s is %v", path, info.Mode())
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func TestAJournalOfNothingLeavesNothing(t *testing.T) {
	p := newProject(t)
	p.turn("", func() {})
	if err := p.Journal.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if left, _ := os.ReadDir(p.state); len(left) > 0 {
		t.Errorf("%v is left", left)
	}
}

func TestBinaryAndLargeFiles(t *testing.T) {
	p := newProject(t)
	p.write("pic", "\x00\x01before")
	p.write("large", strings.Repeat("x", maxImage+1))
	p.turn("", func() {
		p.Forgo(p.path("large"))
		p.serve("large", "small\n")
	})
	p.before("large", 0, "lost")
	if _, err := p.undo(); !errors.Is(err, errLost) {
		t.Errorf("undo: %v", err)
	}

	p = newRepository(t)
	p.write("pic", "\x00\x01before")
	p.git("add", "pic")
	p.git("commit", "-qm", "pic")
	p.turn("", func() { p.write("pic", "\x00\x01after") })
	pic := Part{p.path("pic"), true}
	if c := p.compared(pic, 0); !c.Binary || c.Hunks != nil || c.Same() {
		t.Errorf("binary %v, hunks %v", c.Binary, c.Hunks)
	}
	p.write("pic", "\x00\x01user")
	if _, err := p.RevertFile(t.Context(), pic, 0); !errors.Is(err, ErrConflict) {
		t.Errorf("a binary file that was changed since: %v", err)
	}
	p.write("pic", "\x00\x01after")
	p.undoSeen("pic")
	p.turn("", func() { p.serve("lines", "\x00\nb\nagent\n") })
	p.turn("", func() { p.serve("lines", "\x00\nb\nc\n") })
	p.write("lines", "\x00user\nb\nc\n")
	if _, err := p.undo(); !errors.Is(err, ErrConflict) {
		t.Errorf("a binary file of which another line has changed: %v", err)
	}
	p.holds("pic", "\x00\x01before")
}

func BenchmarkWrite(b *testing.B) {
	for _, journaled := range []bool{false, true} {
		b.Run(fmt.Sprintf("journal=%v", journaled), func(b *testing.B) {
			p := newProject(b)
			if !journaled {
				p.fs.SetRecord(nil)
			}
			text := noise(10_000)
			for i := 0; b.Loop(); i++ {
				p.serve("f", text+fmt.Sprint(i))
			}
		})
	}
}

func BenchmarkTurnIn10000Files(b *testing.B) {
	test.Apart(b)
	p := newProject(b)
	p.git("init", "-q")
	for i := range 10_000 {
		p.write(fmt.Sprintf("d%d/f%d", i/100, i), "content\n")
	}
	p.git("add", ".")
	p.git("commit", "-qm", "all")
	for i := 0; b.Loop(); i++ {
		p.Watch(conversation.PromptSent{At: time.Now()})
		p.wait()
		p.Watch(conversation.TurnEnded{})
		p.wait()
	}
}

// Of a call that changes one file after the other, no more of them are looked at with each.
func TestACallThatChangesManyFiles(t *testing.T) {
	p := newProject(t)
	p.turn("", func() {
		held := make(chan int, 1)
		p.watch.do(func(w *turnWatch) {
			for i := range 500 {
				c := acpclient.DiffContent(p.path(fmt.Sprint("f", i)), nil, "")
				c.Change = &acpclient.FileChange{Operation: acpclient.FileAdd}
				edit := acpclient.ToolEdit
				w.reported(acpclient.ToolCallUpdate{ToolCallID: "t", Kind: &edit, Content: acpclient.ToolCallContents{c}})
			}
			held <- len(w.calls["t"].locations)
		})
		if n := <-held; n > 2*maxPaths {
			t.Errorf("%d places of one call are held", n)
		}
		p.write("f7", "x")
	})
	if got := p.names(0); got != "f7 seen" {
		t.Errorf("files: %q", got)
	}
}

// While a disk does not answer, no more of what an agent tells is held than so much.
func TestWhatWaitsIsBounded(t *testing.T) {
	p := newProject(t)
	p.Watch(conversation.PromptSent{At: time.Now()})
	busy := make(chan struct{})
	p.watch.do(func(*turnWatch) { <-busy })
	large := strings.Repeat("x", 8<<20)
	for range 100 {
		p.Watch(conversation.Update{Update: &acpclient.ToolCallUpdate{ToolCallID: "2", Content: acpclient.ToolCallContents{acpclient.TextContent(large)}}})
	}
	p.watch.mu.Lock()
	held := len(p.watch.queue)
	p.watch.mu.Unlock()
	close(busy)
	if held > 20 {
		t.Errorf("%d updates of %d bytes are held", held, len(large))
	}
	p.wait()
	p.watch.mu.Lock()
	defer p.watch.mu.Unlock()
	if p.watch.waiting != 0 {
		t.Errorf("%d bytes are counted when all is done", p.watch.waiting)
	}
}
