package pages

import (
	"sort"

	"parley/internal/termtext"
	"parley/tui/diffview"
	"parley/tui/list"
	"parley/tui/theme"
)

// diffPane is the diff of one file, with a cursor among its hunks.
type diffPane struct {
	list.Window                // the mark is the cursor
	path        string         // of the file
	diff        *diffview.Diff // nil if there are no lines to show
	hunks       []termtext.LineEdit
	context     int
	layout      *diffview.Layout     // as it was drawn last
	spans       []diffview.LineRange // of the hunks, in that layout
	width       int
	pref        *diffview.Preference // of the last drawing, nil before the first
	target      int                  // the hunk that the cursor goes to when it is laid out, -1 for none
	next        int                  // the same when there is another diff, -1 for none
}

// show shows the change of a file; diff is nil if it has no lines. The cursor stays where it is
// if the file was shown before, and goes to the first hunk otherwise.
func (p *diffPane) show(path string, diff *diffview.Diff, hunks []termtext.LineEdit) {
	if path != p.path {
		*p = diffPane{Window: list.Window{Scroll: list.Scroll{Height: p.Height}}, path: path, context: diffview.DefaultContext, width: p.width, pref: p.pref, next: -1}
	}
	if p.next >= 0 {
		p.target, p.next = min(p.next, len(hunks)-1), -1
	}
	p.diff, p.hunks, p.layout, p.spans = diff, hunks, nil, nil
	if diff != nil && p.context != diffview.DefaultContext {
		diff.SetContext(p.context)
	}
	if p.pref != nil { // a key may come before the next drawing
		p.lay(p.pref, p.width, p.Height)
	}
}

// lay puts the changes into lines of a width.
func (p *diffPane) lay(pref *diffview.Preference, width, height int) {
	p.width, p.pref = width, pref
	if p.diff == nil {
		p.Fit(0, height)
		return
	}
	layout := pref.Layout(p.diff, width)
	if layout != p.layout {
		p.layout, p.spans = layout, layout.Ranges(p.hunks)
	}
	if p.target >= 0 && p.target < len(p.spans) {
		p.Mark = p.spans[p.target].From
		p.Top = p.Mark - height/3
	}
	p.target = -1
	p.Fit(layout.Len(), height)
}

// hunk returns the hunk at the cursor, or the next one, or else the last; -1 if there is none.
func (p *diffPane) hunk() int {
	i := sort.Search(len(p.spans), func(i int) bool { return p.spans[i].To > p.Mark })
	return min(i, len(p.spans)-1)
}

// step goes to the next hunk, or back, and reports whether there is one.
func (p *diffPane) step(by int) bool {
	var i int
	if by > 0 {
		i = sort.Search(len(p.spans), func(i int) bool { return p.spans[i].From > p.Mark })
	} else {
		i = sort.Search(len(p.spans), func(i int) bool { return p.spans[i].From >= p.Mark }) - 1
	}
	if i < 0 || i >= len(p.spans) {
		return false
	}
	p.Put(p.spans[i].From)
	if p.Mark < p.Top+2 || p.spans[i].To > p.End() {
		p.Top = p.Mark - p.Height/3
		p.Scroll.By(0)
	}
	return true
}

// widen shows more of the lines around the hunks.
func (p *diffPane) widen() {
	if p.diff == nil {
		return
	}
	p.target = p.hunk()
	p.context = diffview.MoreContext(p.context)
	p.diff.SetContext(p.context)
	p.layout = nil
}

// newLine is the line of the file, from 1, that the cursor is at; 0 if it is not
// known.
func (p *diffPane) newLine() int {
	if p.layout == nil {
		return 0
	}
	for line := p.Mark; line < p.layout.Len(); line++ {
		if _, now := p.layout.LinesAt(line); now >= 0 {
			return now + 1
		}
	}
	return 0
}

// lines draws the lines in sight. marked returns the mark of a line beside the cursor's and
// the hunk's, "" for none. Without the focus there are no others.
func (p *diffPane) lines(th *theme.Theme, focus bool, marked func(line, hunk int) string) []string {
	at := p.hunk()
	lines := p.layout.Lines(p.Top, p.End(), th)
	hunk := 0
	for i, line := range lines {
		n := p.Top + i
		for hunk < len(p.spans) && p.spans[hunk].To <= n {
			hunk++
		}
		in := -1
		if hunk < len(p.spans) && n >= p.spans[hunk].From {
			in = hunk
		}
		mark := marked(n, in)
		switch {
		case n == p.Mark && focus:
			mark = th.Accent.Render("❯")
		case mark != "":
		case in >= 0 && in == at && focus:
			mark = th.Accent.Render("▌")
		default:
			mark = " "
		}
		lines[i] = mark + " " + line
	}
	return lines
}
