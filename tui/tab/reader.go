package tab

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"parley/config"
	"parley/internal/conversation"
	"parley/tui/toolview"
	"parley/tui/transcript"
)

// wheelLines is how many lines a wheel step scrolls.
const wheelLines = 3

// reader lets a person read a list, the transcript or one item on the whole screen:
// scroll, find, mark, copy and open.
type reader struct {
	tab  *Tab
	list *transcript.List
	find finder
	drag drag
	rows int // lines of the list in the last drawing

	// code is the index of the last code block copied, codeOf its item.
	code   int
	codeOf conversation.Item
	// main means that the list is the transcript: leaving it returns the keys to a question.
	main bool
}

// Reset forgets search and marks after the list was reset.
func (r *reader) Reset() {
	r.find = finder{underWay: r.find.underWay}
	r.drag, r.codeOf = drag{}, nil
}

// SetRows sets how many lines of the list are drawn.
func (r *reader) SetRows(rows int) { r.rows = rows }

// StopDragging ends a drag, because the mouse was lent.
func (r *reader) StopDragging() { r.drag.down = false }

// Unfocus returns the keys to the prompt or an open question.
func (r *reader) Unfocus() {
	r.list.Focus(false)
	if r.main {
		r.tab.dialogs.Regain()
	}
}

// Dragging reports whether a mouse button that went down in the list is held.
func (r *reader) Dragging() bool { return r.drag.down }

// Do performs those actions of the transcript that every list has.
func (r *reader) Do(a config.Action) (cmd tea.Cmd, taken bool) {
	switch a {
	case config.ActionSearch, config.ActionFind:
		r.startFinding()
	case config.ActionFindNext, config.ActionFindPrev:
		if !r.list.Finding() {
			return nil, false
		}
		r.list.FindNext(direction(a == config.ActionFindNext))
	case config.ActionOpen:
		cmd = r.tab.actions.openExcerpt(r.list.Excerpt())
	case config.ActionCopy:
		cmd = r.copyItem()
	case config.ActionCopyCode:
		cmd = r.copyCode()
	case config.ActionCopyCommand, config.ActionCopyOutput, config.ActionCopyPatch:
		cmd = r.copyOfTool(a)
	default:
		return nil, r.Move(a)
	}
	return cmd, true
}

// Move scrolls the list. It reports whether the action is one that scrolls.
func (r *reader) Move(a config.Action) bool {
	l := r.list
	switch a {
	case config.ActionPageUp:
		l.Page(-1)
	case config.ActionPageDown:
		l.Page(1)
	case config.ActionHalfUp:
		l.HalfPage(-1)
	case config.ActionHalfDown:
		l.HalfPage(1)
	case config.ActionLineUp, config.ActionLineDown:
		by := direction(a == config.ActionLineDown)
		if l.Focused() && l.Spanning() {
			l.MoveSpan(by)
			return true
		}
		l.Scroll(by)
	case config.ActionScrollTop:
		l.Top()
	case config.ActionScrollBottom:
		l.Bottom()
	case config.ActionPromptPrev, config.ActionPromptNext:
		l.NextPrompt(direction(a == config.ActionPromptNext))
	default:
		return false
	}
	l.SelectVisible()
	return true
}

// direction returns 1 for forward and -1 for backward.
func direction(forward bool) int {
	if forward {
		return 1
	}
	return -1
}

// copyItem copies the marked text, or else the whole item.
func (r *reader) copyItem() tea.Cmd {
	if r.list.Spanning() {
		return r.copySpan(true)
	}
	text := r.list.Excerpt().Text
	if text == "" {
		return r.tab.say("this item has nothing to copy")
	}
	return r.tab.actions.copy("", text)
}

// copySpan copies the marked text, and unmarks it if end is set.
func (r *reader) copySpan(end bool) tea.Cmd {
	text := r.list.SpanText()
	if end {
		r.list.ClearSpan()
	}
	if text == "" {
		return r.tab.say("the selection has no text")
	}
	return r.tab.actions.copy("", text)
}

// copyCode copies a code block: the first visible one, then the next each time.
func (r *reader) copyCode() tea.Cmd {
	codes, first := r.list.Codes()
	if len(codes) == 0 {
		return r.tab.say("this item has no code block")
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
	return r.tab.actions.copy(what, codes[r.code])
}

// copyOfTool copies the command, output or patch of a tool call.
func (r *reader) copyOfTool(a config.Action) tea.Cmd {
	call, _ := r.list.Selected().(*conversation.ToolCall)
	if own, ok := r.list.Selected().(*conversation.ShellCommand); ok {
		call = toolview.ShellCall(own)
	}
	if call == nil {
		call = &conversation.ToolCall{} // which has nothing
	}
	var what, text string
	var err error
	switch a {
	case config.ActionCopyCommand:
		what, text = "command", toolview.CommandText(call)
	case config.ActionCopyOutput:
		what, text = "output", toolview.Output(call)
	default:
		what = "change"
		text, err = toolview.Patch(call, r.tab.cwd)
	}
	switch {
	case err != nil:
		return r.tab.say(err.Error())
	case text == "":
		return r.tab.say("this item has no " + what)
	case a == config.ActionCopyPatch:
		what = "change as a patch"
	}
	return r.tab.actions.copy("the "+what, text)
}
