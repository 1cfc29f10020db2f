package pages

import (
	"context"
	"testing"
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
