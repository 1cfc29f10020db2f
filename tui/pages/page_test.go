package pages

import (
	"context"
	"slices"
	"testing"

	"parley/config"
	"parley/tui/dialog"
)

// What comes late of a page that was closed is nobody's, also if the page is open again: neither its
// result counts, nor is the next work held up by it.
func TestLateResultsOfAClosedPageAreDropped(t *testing.T) {
	d := &desk{TB: t}
	var late []func()
	d.begin = func(do func(context.Context) func()) { late = append(late, do(t.Context())) }
	p := newPage(d.env(), "", nil)
	done := ""
	work := func(name string) func(context.Context) func() {
		return func(context.Context) func() { return func() { done += name } }
	}
	var only latest
	p.later(work("a"))
	p.latest(&only, func() func(context.Context) func() { return work("b") })
	p.Gone()
	p.later(work("c"))
	p.latest(&only, func() func(context.Context) func() { return work("d") })
	for _, then := range late {
		then()
	}
	if done != "cd" {
		t.Errorf("done is %q", done)
	}
}

// Of the review and its changes, too, the palette does what it lists, and no key goes unheard.
func TestTheReviewHasHelpAndAPalette(t *testing.T) {
	p := newUser(t, 60, 20)
	p.turn("first", "a.txt", "one\n")
	p.open()
	for _, tt := range []struct {
		in, out    string
		here, away config.Action
	}{{"", "close", "changes_scope", "changes_keep_file"}, {"enter", "back", "changes_keep_file", "changes_scope"}} {
		if tt.in != "" {
			p.press(tt.in)
		}
		if all := p.view.Hints(); all[len(all)-1] != (dialog.Hint{Key: "q", Text: tt.out}) {
			t.Errorf("the last hint is %v", all[len(all)-1])
		}
		p.press("f1")
		if !slices.Contains(p.listed, tt.here) || slices.Contains(p.listed, tt.away) {
			t.Errorf("the help begins with %v", p.listed)
		}
		if _, passed := p.view.Key(pressed("ctrl+s")).(dialog.NotTaken); !passed {
			t.Error("a key goes unheard")
		}
		p.press("ctrl+p")
		for _, it := range p.chosen.Items {
			if it.ID == string(tt.here) && it.Dim || it.ID == string(tt.away) && !it.Dim {
				t.Errorf("%s: dim %t", it.ID, it.Dim)
			}
			if tt.in != "" && it.ID == "changes_keep" {
				it.Do()
				p.work()
				p.shows("kept")
			}
		}
	}
}
