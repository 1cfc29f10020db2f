package pages

import (
	"sort"

	tea "charm.land/bubbletea/v2"

	"parley/internal/journal"
	"parley/internal/session"
	"parley/tui/diffview"
	"parley/tui/list"
)

// pane is the diff of one file.
type pane struct {
	list.Window // the mark is the cursor
	part        journal.Part
	cmp         *journal.Comparison
	state       state
	diff        *diffview.Diff // nil if there are no lines to show
	context     int
	layout      *diffview.Layout     // as it was drawn last
	spans       []diffview.LineRange // of the hunks, in that layout
	next        int                  // the change to go to when the file was compared again, -1 for none
	width       int
	target      int // the change that the cursor goes to when it is laid out, -1 for none
}

// comparedMsg: a file was compared, to be shown.
type comparedMsg struct {
	part journal.Part
	// number counts the requests: the newest result is shown.
	number int
	cmp    *journal.Comparison
	diff   *diffview.Diff
	err    error
}

// show shows the changes of the file that is marked.
func (v *Review) show() tea.Cmd {
	if v.pane != nil || v.list.selected() == nil {
		return nil
	}
	v.opening = v.list.selected().Part
	return v.compare(v.opening)
}

// glimpse is the diff of a file as it was at a round of the list; nil if it has no lines.
type glimpse struct {
	part  journal.Part
	round int
	diff  *diffview.Diff
}

// glimpsedMsg: the marked file was compared.
type glimpsedMsg glimpse

// look compares the marked file, to be shown below the list. It returns nil if that is
// done.
func (v *Review) look() tea.Cmd {
	f := v.list.selected()
	if v.pane != nil || f == nil || v.glimpsing || v.glimpse.part == f.Part && v.glimpse.round == v.list.round {
		return nil
	}
	v.glimpsing = true
	part, round, compare := f.Part, v.list.round, v.compare(f.Part)
	return func() tea.Msg {
		m, _ := compare().(comparedMsg)
		return glimpsedMsg{part, round, m.diff}
	}
}

// compare compares a file, to be shown.
func (v *Review) compare(part journal.Part) tea.Cmd {
	on, ctx, since, name := v.session, v.opt.Context, v.since(), v.at.Path(part.Path)
	v.asked++
	number := v.asked
	return func() tea.Msg {
		c, err := session.Do(ctx, on, session.CompareFile{Part: part, Since: since})
		if err != nil {
			return comparedMsg{part: part, number: number, err: err}
		}
		m := comparedMsg{part: part, number: number, cmp: c}
		if !c.Binary && !c.Before.Lost {
			before := &c.Before.Content
			if c.Before.Absent {
				before = nil
			}
			m.diff = diffview.New(name, before, c.Now.Content)
			m.diff.Stats() // compares
		}
		return m
	}
}

// compared shows a file that was compared, if it is still wanted.
func (v *Review) compared(m comparedMsg) {
	wanted := v.pane != nil && v.pane.part == m.part || v.opening == m.part
	if !wanted || m.number < v.answered {
		return
	}
	v.answered = m.number
	if m.err != nil {
		v.opening = journal.Part{}
		v.say("", m.err)
		return
	}
	p := &pane{part: m.part, next: -1, context: diffview.DefaultContext}
	p.Fit(0, v.list.Height)
	if v.pane != nil {
		old := *v.pane
		p = &old
		p.layout, p.spans = nil, nil
		if p.next >= 0 {
			p.target, p.next = min(p.next, len(m.cmp.Hunks)-1), -1
		}
	}
	p.cmp, p.diff, p.state = m.cmp, m.diff, stateOf(m.cmp)
	if p.diff != nil && p.context != diffview.DefaultContext {
		p.diff.SetContext(p.context)
	}
	v.pane, v.opening = p, journal.Part{}
}

// lay puts the changes into lines of a width.
func (p *pane) lay(pref *diffview.Preference, width, height int) {
	p.width = width
	if p.diff == nil {
		p.Fit(0, height)
		return
	}
	layout := pref.Layout(p.diff, width)
	if layout != p.layout {
		p.layout, p.spans = layout, layout.Ranges(p.cmp.Hunks)
	}
	if p.target >= 0 && p.target < len(p.spans) {
		p.Mark = p.spans[p.target].From
		p.Top = p.Mark - height/3
	}
	p.target = -1
	p.Fit(layout.Len(), height)
}

// hunk returns the change at the cursor, or the next one, or else the last; -1 if there is
// none.
func (p *pane) hunk() int {
	i := sort.Search(len(p.spans), func(i int) bool { return p.spans[i].To > p.Mark })
	return min(i, len(p.spans)-1)
}

// step goes to the next change, or back, and reports whether there is one.
func (p *pane) step(by int) bool {
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

// widen shows more of the lines around the changes.
func (p *pane) widen() {
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
func (p *pane) newLine() int {
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
