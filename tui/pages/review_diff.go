package pages

import (
	tea "charm.land/bubbletea/v2"

	"parley/internal/journal"
	"parley/internal/session"
	"parley/tui/diffview"
)

// pane is the diff of one file in the review.
type pane struct {
	diffPane
	part  journal.Part
	cmp   *journal.Comparison
	state state
	next  int // the change to go to when the file was compared again, -1 for none
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
	p := &pane{part: m.part, next: -1, diffPane: diffPane{context: diffview.DefaultContext}}
	p.Fit(0, v.list.Height)
	if v.pane != nil {
		old := *v.pane
		p = &old
		p.layout, p.spans = nil, nil
		if p.next >= 0 {
			p.target, p.next = min(p.next, len(m.cmp.Hunks)-1), -1
		}
	}
	p.cmp, p.diff, p.hunks, p.state = m.cmp, m.diff, m.cmp.Hunks, stateOf(m.cmp)
	if p.diff != nil && p.context != diffview.DefaultContext {
		p.diff.SetContext(p.context)
	}
	v.pane, v.opening = p, journal.Part{}
}
