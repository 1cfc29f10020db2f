package tab

import (
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/config"
	"parley/internal/command"
	"parley/internal/conversation"
	"parley/internal/termtext"
	"parley/tui/dialog"
	"parley/tui/list"
	"parley/tui/toolview"
	"parley/tui/transcript"
)

// wheelLines is how many lines a wheel step scrolls.
const wheelLines = 3

// reader lets a user read a list, the transcript or one item on the whole screen:
// scroll, find, mark, copy and open.
type reader struct {
	*ui
	list     *transcript.List
	commands *commands // of the session, nil in a replay
	edit     func(path string, line int) tea.Cmd
	// message draws the line below the list while the find field is closed.
	message   func(left, right string, width int) string
	lendMouse func()

	find finder
	drag drag
	rows int // lines of the list in the last drawing

	// code is the index of the last code block copied, codeOf its item.
	code   int
	codeOf conversation.Item
	// pressed is the key that has the command that is being done, "" for the palette.
	pressed string
	// main means that the list is the transcript: leaving it returns the keys to a question.
	main bool
}

// Reset clears selection, search, marks and cached drawings, because the items have been replaced.
func (r *reader) Reset() {
	r.list.Reset()
	r.find = finder{underWay: r.find.underWay}
	r.drag, r.codeOf = drag{}, nil
}

// Unfocus returns the keys to the prompt or an open question.
func (r *reader) Unfocus() {
	r.list.Focus(false)
	if r.main {
		r.dialogs.Regain()
	}
}

// readerFunc does a command in a list. Its command may be nil.
type readerFunc = func(*reader) tea.Cmd

// reads returns do as a readerFunc.
func reads(do func(*reader)) readerFunc {
	return func(r *reader) tea.Cmd { do(r); return nil }
}

// scrolls returns a readerFunc that scrolls the list.
func scrolls(do func(*transcript.List)) readerFunc {
	return reads(func(r *reader) { do(r.list); r.list.SelectVisible() })
}

// step is why the palette does not list a command.
const step = "it is one step of many, and the palette closes after each"

// scrollRows are the commands of the prompt that scroll whatever list is read.
func scrollRows() command.Rows[readerFunc] {
	page := func(by int) readerFunc { return scrolls(func(l *transcript.List) { l.Page(by) }) }
	line := func(by int) readerFunc {
		return reads(func(r *reader) {
			if r.list.Focused() && r.list.Spanning() {
				r.list.MoveSpan(by)
				return
			}
			r.list.Scroll(by)
			r.list.SelectVisible()
		})
	}
	return command.Rows[readerFunc]{
		{ID: "page_up", Keys: "pgup", Help: "Scroll up a page", Absent: step, Do: page(-1)},
		{ID: "page_down", Keys: "pgdown", Help: "Scroll down a page", Absent: step, Do: page(1)},
		{ID: command.LineUp, Keys: "ctrl+up", Help: "Scroll up a line", Absent: step, Do: line(-1)},
		{ID: command.LineDown, Keys: "ctrl+down", Help: "Scroll down a line", Absent: step, Do: line(1)},
		{ID: "scroll_top", Keys: "home ctrl+home", Help: "Scroll to the beginning", Do: scrolls((*transcript.List).Top)},
		{ID: "scroll_bottom", Keys: "end ctrl+end", Help: "Follow output", Do: scrolls((*transcript.List).Bottom)},
	}
}

// scroll does the command of a key of the prompt that scrolls.
func (r *reader) scroll(name string) {
	if row := scrollRows().Pressed(r.program.Keys, name, config.ContextPrompt); row != nil {
		row.Do(r)
	}
}

// toggleDiffs shows changes side by side, or no longer.
func (r *reader) toggleDiffs() tea.Cmd {
	if !r.list.ToggleDiffs() {
		return r.say("the window is too narrow to show changes side by side")
	}
	return nil
}

// open opens an item's file in the editor; it saves and opens images and audio.
func (r *reader) open() tea.Cmd {
	switch item := r.list.Excerpt(); {
	case r.commands == nil:
		return r.say(notInReplay)
	case item.Media != nil:
		return r.front(func(f command.Front) { save(f, item.Media) })
	case item.Path == "":
		return r.say("this item has no file")
	default:
		return r.edit(item.Path, item.Line)
	}
}

// copyItem copies the marked text, or else the whole item.
func (r *reader) copyItem() tea.Cmd {
	if r.list.Spanning() {
		return r.copySpan(true)
	}
	text := r.list.Excerpt().Text
	if text == "" {
		return r.say("this item has nothing to copy")
	}
	return r.copy("", text)
}

// copySpan copies the marked text, and unmarks it if end is set.
func (r *reader) copySpan(end bool) tea.Cmd {
	text := r.list.SpanText()
	if end {
		r.list.ClearSpan()
	}
	if text == "" {
		return r.say("the selection has no text")
	}
	return r.copy("", text)
}

// copyCode copies a code block: the first visible one, then the next each time.
func (r *reader) copyCode() tea.Cmd {
	codes, first := r.list.Codes()
	if len(codes) == 0 {
		return r.say("this item has no code block")
	}
	if r.codeOf == r.list.Selected() {
		r.code = (r.code + 1) % len(codes)
	} else {
		r.codeOf, r.code = r.list.Selected(), first
	}
	what := "the code block"
	if len(codes) > 1 {
		what = fmt.Sprintf("code block %d of %d", r.code+1, len(codes))
	}
	return r.copy(what, codes[r.code])
}

// copyOf returns a function that copies a part of a tool call.
func copyOf(what string, part func(*conversation.ToolCall) string) readerFunc {
	return func(r *reader) tea.Cmd {
		text := part(r.tool())
		if text == "" {
			return r.say("this item has no " + what)
		}
		return r.copy("the "+what, text)
	}
}

// copyPatch copies the changes of a tool call.
func (r *reader) copyPatch() tea.Cmd {
	switch text, err := toolview.Patch(r.tool(), r.list.Conversation().Cwd); {
	case err != nil:
		return r.say(err.Error())
	case text == "":
		return r.say("this item has no change")
	default:
		return r.copy("the change as a patch", text)
	}
}

// tool returns the selected tool call, or an empty one if another item is selected.
func (r *reader) tool() *conversation.ToolCall {
	switch item := r.list.Selected().(type) {
	case *conversation.ToolCall:
		return item
	case *conversation.ShellCommand:
		return toolview.ShellCall(item)
	}
	return &conversation.ToolCall{}
}

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
	f, keys, name := &r.find, r.program.Keys, k.String()
	switch {
	case keys.Match(command.Cancel, name), keys.Match(command.Interrupt, name):
		r.program.Guard.Ended(name)
		r.stopFinding()
	case name == "enter", name == "down":
		r.walk(1)
	case name == "shift+enter", name == "up":
		r.walk(-1)
	case !f.writing:
		return nil, false
	case keys.Match(command.Find, name):
	case f.line.Key(k):
		cmd = r.search()
	default:
		r.scroll(name)
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
	th, f := r.program.Theme, &r.find
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
	h.List = append(h.List, dialog.Hint{Key: "enter", Text: "next"}, dialog.Hint{Key: "↑", Text: "previous"})
	h.Add(command.Cancel, "end")
	return h.List
}

const (
	// clickTime is the longest time between the clicks of a double click.
	clickTime = 400 * time.Millisecond
	// dragTime is the time per line of scrolling while the pointer is beyond the edge.
	dragTime = 60 * time.Millisecond
)

// drag is the state of the left mouse button over a list: dragging marks text, two clicks
// a word, three a line, and one selects an item.
type drag struct {
	down    bool // the button is held
	moved   bool // since it went down
	focused bool // the list had the focus before it went down
	x, y    int  // where the pointer is, in the list
	ticking bool

	clicks  int
	clicked time.Time
	// again means that the item was already selected: the click toggles it.
	again bool
}

// Mouse handles a mouse event at a position in the list. While the button is held,
// positions may be outside.
func (r *reader) Mouse(msg tea.MouseMsg, x, y int) tea.Cmd {
	d := &r.drag
	switch m := msg.(type) {
	case tea.MouseWheelMsg:
		r.Wheel(m)
		if d.down && d.moved {
			r.list.ExtendSpan(d.x, d.y)
		}
	case tea.MouseClickMsg:
		if m.Button == tea.MouseLeft {
			r.press(x, y)
		}
	case tea.MouseMotionMsg:
		if d.down && (x != d.x || y != d.y) {
			d.moved, d.x, d.y = true, x, y
			r.list.ExtendSpan(x, y)
			return r.autoScroll()
		}
	case tea.MouseReleaseMsg:
		if d.down {
			d.down = false
			return r.release()
		}
	}
	return nil
}

func (r *reader) Wheel(m tea.MouseWheelMsg) {
	switch m.Button {
	case tea.MouseWheelUp:
		r.list.Scroll(-wheelLines)
	case tea.MouseWheelDown:
		r.list.Scroll(wheelLines)
	}
}

// press handles the button going down.
func (r *reader) press(x, y int) {
	d, now := &r.drag, r.program.Now()
	if x == d.x && y == d.y && now.Sub(d.clicked) < clickTime {
		d.clicks++
	} else {
		d.clicks = 1
	}
	d.down, d.moved, d.x, d.y, d.clicked = true, false, x, y, now
	r.list.StartSpan(x, y)
	switch d.clicks {
	case 1:
		d.focused = r.list.Focused()
		was := r.list.Selected()
		d.again = r.list.SelectAt(y) && d.focused && was != nil && was == r.list.Selected()
	case 2:
		if d.again {
			r.list.Toggle() // undo the toggle of the first click
		}
		r.list.SpanWord(x, y)
	case 3:
		r.list.SpanLine(y)
	}
}

// release handles the button going up: it copies marked text, or toggles an item that was
// already selected.
func (r *reader) release() tea.Cmd {
	d := &r.drag
	switch {
	case r.list.Spanning():
		if !d.focused {
			r.Unfocus() // marking text must not move the focus
		}
		return r.copySpan(false)
	case d.clicks == 1 && d.again && !d.moved:
		r.list.Toggle()
	}
	return nil
}

// autoScroll scrolls while the pointer is at or beyond the edge of the list.
func (r *reader) autoScroll() tea.Cmd {
	d := &r.drag
	if d.ticking || !d.down || d.y > 0 && d.y < r.rows {
		return nil
	}
	d.ticking = true
	return tea.Tick(dragTime, func(time.Time) tea.Msg { return then(r.autoScrollStep) })
}

// autoScrollStep scrolls one line and extends the marked text.
func (r *reader) autoScrollStep() tea.Cmd {
	d := &r.drag
	d.ticking = false
	if !d.down || d.y > 0 && d.y < r.rows {
		return nil
	}
	if d.y > 0 {
		r.list.Scroll(1)
	} else {
		r.list.Scroll(-1)
	}
	r.list.ExtendSpan(d.x, d.y)
	return r.autoScroll()
}
