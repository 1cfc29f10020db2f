package tab

import (
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/config"
	"parley/internal/termtext"
	"parley/tui/dialog"
	"parley/tui/list"
)

// findPause is how long a search waits before it includes new text.
const findPause = 300 * time.Millisecond

// finder is the state of a search in a list.
type finder struct {
	open bool
	// writing means that keys go to the field; otherwise they step through matches.
	writing bool
	line    list.Input
	// back means that the list had the focus before.
	back bool
	// more means that the search is incomplete, underWay that its next step is scheduled.
	more, underWay bool
}

// Finding reports whether the find field is open.
func (r *reader) Finding() bool { return r.find.open }

// Writing reports whether keys go to the find field.
func (r *reader) Writing() bool { return r.find.writing }

func (r *reader) startFinding() {
	f := &r.find
	if !f.open {
		*f = finder{line: list.Input{Hint: "words"}, back: r.list.Focused(), underWay: f.underWay}
	}
	f.open, f.writing = true, true
}

// stopFinding closes the search and restores the focus. The view stays where it is.
func (r *reader) stopFinding() {
	back := r.find.back
	r.find = finder{underWay: r.find.underWay}
	r.list.StopFinding()
	if !back {
		r.Unfocus()
	}
}

// findKey handles a key while the find field is open.
func (r *reader) findKey(k tea.KeyPressMsg) (cmd tea.Cmd, taken bool) {
	f, keys, name := &r.find, r.tab.program.Keys, k.String()
	switch {
	case keys.Match(config.ActionCancel, name), keys.Match(config.ActionInterrupt, name):
		r.tab.program.Guard.Ended(name)
		r.stopFinding()
	case name == "enter", name == "down":
		r.walk(1)
	case name == "shift+enter", name == "up":
		r.walk(-1)
	case !f.writing:
		return nil, false
	case keys.Match(config.ActionFind, name):
	case f.line.Key(k):
		cmd = r.search()
	default:
		a, _ := keys.Action(config.ContextPrompt, name)
		r.Move(a) // a page up, and the like
	}
	return cmd, true
}

// walk goes to the next or previous match. After that, keys act on the list, so that a
// match can be opened or copied.
func (r *reader) walk(by int) {
	if r.find.line.Text() == "" {
		return
	}
	if r.find.writing {
		r.find.writing = false
		r.list.Focus(true)
	}
	r.list.FindNext(by)
}

// Paste pastes into the find field.
func (r *reader) Paste(text string) tea.Cmd {
	r.find.line.Paste(text)
	return r.search()
}

// search searches for the text of the find field.
func (r *reader) search() tea.Cmd { return r.continueSearch(r.list.Find(r.find.line.Text())) }

// continueSearch schedules the next step of a search if there is more to search.
func (r *reader) continueSearch(more bool) tea.Cmd {
	r.find.more = more
	if !more || r.find.underWay {
		return nil
	}
	r.find.underWay = true
	return func() tea.Msg { return then(r.searchStep) }
}

// searchStep searches the next part.
func (r *reader) searchStep() tea.Cmd {
	r.find.underWay = false
	if !r.list.Finding() {
		return nil
	}
	return r.continueSearch(r.list.FindOn())
}

// Follow schedules a search of added text.
func (r *reader) Follow() tea.Cmd {
	if !r.list.Finding() || r.find.underWay {
		return nil
	}
	r.find.underWay = true
	return tea.Tick(findPause, func(time.Time) tea.Msg { return then(r.searchStep) })
}

// FindLine draws the find field and returns the column of its cursor, or -1.
func (r *reader) FindLine(width int) (left, right string, column int) {
	th, f := r.tab.program.Theme, &r.find
	left = "  " + th.Accent.Render("find") + " "
	at, all := r.list.Found()
	switch {
	case f.line.Text() == "":
	case all > 0:
		right = fmt.Sprintf("%d of %d", at, all)
	case !f.more:
		right = "no match"
	}
	if f.more {
		right += "…"
	}
	right = th.Muted.Render(right)
	lead := termtext.Width(left)
	text, column := f.line.Draw(max(1, width-lead-termtext.Width(right)-4), th)
	if !f.writing {
		return left + text, right, -1
	}
	return left + text, right, lead + column
}

func (r *reader) findHints(h dialog.HintList) []dialog.Hint {
	h.List = append(h.List, dialog.Hint{Key: "enter", Text: "next"}, dialog.Hint{Key: "up", Text: "previous"})
	h.Add(config.ActionCancel, "end")
	return h.List
}
