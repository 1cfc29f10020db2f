package journal

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"parley/internal/conversation"
)

// counts waits until so many lines of so many files are counted.
func (p *project) counts(want Tally) {
	p.Helper()
	for {
		s := p.Summary()
		if s.Tally == want {
			return
		}
		select {
		case <-s.Changed:
		case <-p.Context().Done():
			p.Fatalf("the summary is %+v, want %+v", *s, want)
		}
	}
}

// The summary counts lines as they are now: also after an undo, and in the next run.
func TestTheSummaryCountsLines(t *testing.T) {
	p := newProject(t)
	p.write("old", "a\nb\nc\n")
	p.turn("one", func() {
		p.serve("old", "a\nB\nc\nd\n")
		p.serve("new", "x\ny\n")
		p.serve("picture", "\x00\x01\n")
		p.serve("large", strings.Repeat("z\n", mostCounted/2+1))
	})
	p.counts(Tally{4, 4, 1})
	p.turn("two", func() { p.serve("new", "x\n") })
	p.counts(Tally{4, 3, 1})
	p.Watch(conversation.SessionOpened{ID: "s"})
	p.wait()
	p.again("s")
	p.counts(Tally{4, 3, 1})
	p.must(p.RevertFile(context.Background(), p.part("old"), 0))
	p.counts(Tally{3, 1, 0})
	if p.Summary().Seen {
		t.Error("something was only seen to change")
	}

	// Not what was only seen to change, also in the same file, nor what was there before.
	p = newRepository(t)
	p.turn("", func() { p.write("clean", "another session's\n"); p.write("elsewhere", "x\n") })
	p.wait()
	p.counts(Tally{})
	if !p.Summary().Seen {
		t.Error("nothing was seen to change")
	}
	p.write("both", "1\n2\n3\n4\n")
	p.git("add", "both")
	p.turn("", func() {
		p.write("both", "1\n2\n3\nuser\n")
		p.serve("both", "agent\n2\n3\nuser\n")
	})
	p.counts(Tally{1, 1, 1})
	if c := p.compare("both", 0); c.Added != 1 || c.Removed != 1 {
		t.Errorf("the review counts +%d −%d", c.Added, c.Removed)
	}
	p.turn("", func() {
		for i := range 1010 {
			p.serve(fmt.Sprint("many/", i), "1\n")
		}
	})
	p.counts(Tally{1011, 1011, 1})
}
