// This file is how a person reads a list, whether the transcript or one item of it on
// the whole screen: by keys and mouse they scroll it, look for words, mark, copy and open.

package tab

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"parley/config"
	"parley/internal/conversation"
	"parley/tui/toolview"
	"parley/tui/transcript"
)

// wheelLines is how far one step of the mouse wheel scrolls.
const wheelLines = 3

// reader is how a person reads a list: what is looked for in it, what is marked in it, and
// what is taken from it.
type reader struct {
	tab  *Tab
	list *transcript.List
	find finder
	drag drag
	rows int // of the list, as it was drawn last

	// code is which block of code of an item was copied last, codeOf that item.
	code   int
	codeOf conversation.Item
	// main says that the list is the transcript: a question below it gets the keys back.
	main bool
}

// Reset forgets what was looked for and taken, after the list has begun anew.
func (r *reader) Reset() {
	r.find = finder{underWay: r.find.underWay}
	r.drag, r.codeOf = drag{}, nil
}

// SetRows says how many lines of the list are drawn.
func (r *reader) SetRows(rows int) { r.rows = rows }

// StopDragging says that the mouse is somebody else's: nothing is dragged any more.
func (r *reader) StopDragging() { r.drag.down = false }

// Unfocus gives the keys back to the prompt, or to the question that waits.
func (r *reader) Unfocus() {
	r.list.Focus(false)
	if r.main {
		r.tab.dialogs.Regain()
	}
}

// Dragging reports whether the button of the mouse went down in the list.
func (r *reader) Dragging() bool { return r.drag.down }

// Do does what an action of the transcript says, as far as it is the same for
// every list.
func (r *reader) Do(a config.Action) (cmd tea.Cmd, taken bool) {
	switch a {
	case config.ActionSearch, config.ActionFind:
		r.startFinding()
	case config.ActionFindNext, config.ActionFindPrev:
		if !r.list.Finding() {
			return nil, false
		}
		r.list.FindNext(direction(a == config.ActionFindNext))
	case config.ActionItemOpen:
		cmd = r.tab.actions.openExcerpt(r.list.Excerpt())
	case config.ActionItemCopy:
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

// Move scrolls the list, if that is what an action says.
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
	l.SelectInSight()
	return true
}

// direction is 1 for forward and -1 for backward.
func direction(forward bool) int {
	if forward {
		return 1
	}
	return -1
}

// copyItem copies what is marked, else the whole item.
func (r *reader) copyItem() tea.Cmd {
	if r.list.Spanning() {
		return r.copySpan(true)
	}
	text := r.list.Excerpt().Text
	if text == "" {
		return r.tab.say("there is nothing to copy in this item")
	}
	return r.tab.actions.copy("", text)
}

// copySpan copies what is marked. The marks stay unless end is set.
func (r *reader) copySpan(end bool) tea.Cmd {
	text := r.list.SpanText()
	if end {
		r.list.ClearSpan()
	}
	if text == "" {
		return r.tab.say("there is no text in what is marked")
	}
	return r.tab.actions.copy("", text)
}

// copyCode copies a block of code: the first that is in sight, and the next one
// each time that it is asked for again.
func (r *reader) copyCode() tea.Cmd {
	codes, first := r.list.Codes()
	if len(codes) == 0 {
		return r.tab.say("there is no code block in this item")
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

// copyOfTool copies something of a tool call.
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
		return r.tab.say("there is no " + what + " in this item")
	case a == config.ActionCopyPatch:
		what = "change as a patch"
	}
	return r.tab.actions.copy("the "+what, text)
}
