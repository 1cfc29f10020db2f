package tab

import (
	"parley/internal/termtext"
)

// said is the line below what a reader reads: what goes on at its left and the place at its
// right, what was said for a moment, or what is looked for. column is where the cursor
// stands in it, -1 if it does not. r is nil as long as there is nothing to read.
func (v *view) said(r *reader, left, right string, width int) (line string, column int) {
	t := v.tab
	th := t.program.Theme
	column = -1
	switch finding := r != nil && r.Finding(); {
	case t.toast.text != "" && !(finding && r.Writing()):
		left = "  " + th.Warning.Render(t.toast.text)
	case finding:
		left, right, column = r.FindLine(width)
	case t.mouseLent:
		left = "  " + th.Accent.Render("the mouse is the terminal's until the next key")
	case left == "" && v.newsWords() != "":
		left = "  " + th.Muted.Render(v.newsWords())
	}
	return termtext.JoinSides(left, right+" ", width), column
}

// facts are what the lines around the prompt tell.
func (v *view) facts() *statusFacts {
	t := v.tab
	f := &statusFacts{
		Theme: t.program.Theme, Keys: t.program.Keys, Conversation: t.conv, Now: t.sessionNow(), Tick: t.ticks, Still: t.program.ReducedMotion,
		Dir: t.cwd, Branch: t.branch, Worktree: t.worktree.There(),
		Reading: t.reopening != nil, ReadOnly: t.back.readOnly, Waits: waits(t.conv), Replay: t.replay != nil,
	}
	if t.conv != nil {
		f.Changed = t.view.changedFiles()
	}
	if t.replay != nil && t.conv != nil {
		f.Asked = t.replay.Asks(t.conv)
	}
	if s := t.session; s != nil {
		f.Connects, f.Bounds, f.Stderr = s.Connects(), s.Options().Bounds, s.Stderr
	}
	return f
}
