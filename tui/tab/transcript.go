package tab

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/config"
	"parley/internal/command"
	"parley/internal/conversation"
	"parley/tui/dialog"
	"parley/tui/toolview"
	"parley/tui/transcript"
)

// transcriptRows are the commands of the transcript.
func transcriptRows() command.Rows[readerFunc] {
	const farthest = 1 << 30
	items := func(by int) readerFunc { return reads(func(r *reader) { r.step(by) }) }
	prompts := func(by int) readerFunc { return scrolls(func(l *transcript.List) { l.NextPrompt(by) }) }
	matches := func(by int) readerFunc { return reads(func(r *reader) { r.list.FindNext(by) }) }
	halves := func(by int) readerFunc { return scrolls(func(l *transcript.List) { l.HalfPage(by) }) }
	onCommand := func(do func(*commands, *conversation.Terminal) tea.Cmd) readerFunc {
		return func(r *reader) tea.Cmd {
			if r.commands == nil {
				return r.say(notInReplay)
			}
			return do(r.commands, r.list.SelectedTerminal())
		}
	}
	return command.Rows[readerFunc]{
		{ID: command.Next, Keys: "j down", Help: "Next item or line", Absent: step, Do: items(1)},
		{ID: command.Previous, Keys: "k up", Help: "Previous item or line", Absent: step, Do: items(-1)},
		{ID: "first", Keys: "g home", Help: "First item or line", Do: items(-farthest)},
		{ID: "last", Keys: "G end", Help: "Last item or line", Do: items(farthest)},
		{ID: command.Expand, Keys: "enter space", Help: "Expand or collapse the item", Do: reads(func(r *reader) { r.list.ClearSpan(); r.list.Toggle() })},
		{ID: command.ItemShow, Keys: "f", Help: "Show the item on the whole screen", Words: "pager fullscreen", Do: reads(func(r *reader) {
			if item := r.list.Selected(); item != nil {
				r.dialogs.Push(r.pager(item))
			}
		})},
		{ID: command.Open, Keys: "o", Help: "Open the item's file in $EDITOR", Do: (*reader).open},
		{ID: command.DiffSplit, Keys: "s", Help: "Toggle side-by-side diff", Words: "split view", Do: (*reader).toggleDiffs},
		{ID: command.DiffContext, Keys: "e", Help: "More context around a change", Do: reads(func(r *reader) { r.list.WidenContext() })},
		{ID: command.Copy, Keys: "y", Help: "Copy the item or the selection", Words: "copy yank clipboard", Do: (*reader).copyItem},
		{ID: command.CopyCode, Keys: "c", Help: "Copy a code block; again: the next one", Do: (*reader).copyCode},
		{ID: command.CopyCommand, Keys: "C", Help: "Copy the command", Do: copyOf("command", toolview.CommandText)},
		{ID: command.CopyOutput, Keys: "O", Help: "Copy the output", Do: copyOf("output", toolview.Output)},
		{ID: command.CopyPatch, Keys: "p", Help: "Copy the change as a patch", Do: (*reader).copyPatch},
		{ID: command.Mark, Keys: "v", Help: "Select from the item on", Do: reads(func(r *reader) { r.list.SpanItem() })},
		{ID: command.Search, Keys: "/", Help: "Find words", Absent: "find is listed", Do: reads((*reader).startFinding)},
		{ID: command.FindNext, Keys: "n", Help: "Next match", Absent: step, Do: matches(1)},
		{ID: command.FindPrev, Keys: "N", Help: "Previous match", Absent: step, Do: matches(-1)},
		{ID: command.PromptPrev, Keys: "[", Help: "Previous prompt", Do: prompts(-1)},
		{ID: command.PromptNext, Keys: "]", Help: "Next prompt", Do: prompts(1)},
		{ID: "half_page_up", Keys: "ctrl+u", Help: "Scroll up half a page", Absent: step, Do: halves(-1)},
		{ID: "half_page_down", Keys: "ctrl+d", Help: "Scroll down half a page", Absent: step, Do: halves(1)},
		{ID: command.StepIn, Keys: "t", Help: "Step into the command", Do: onCommand((*commands).StepIn)},
		{ID: command.EndCommand, Keys: "x", Help: "Stop the command", Do: onCommand(func(c *commands, term *conversation.Terminal) tea.Cmd {
			return c.front(func(f command.Front) { command.StopCommand(f, term) })
		})},
		{ID: command.ItemAdd, Keys: "a", Help: "Add the command's output to the prompt", Do: onCommand((*commands).AddOutput)},
		{ID: command.FocusPrompt, Keys: "tab i", Help: "Back to the prompt", Absent: "closing the palette does it", Do: reads((*reader).leave)},
	}
}

// Reads reports whether keys go to the transcript: it has the focus or its find field is
// being written, and no dialog that the user opened covers it.
func (r *reader) Reads() bool {
	if !r.dialogs.Empty() && (!r.dialogs.Asks() || r.dialogs.Any(isPage)) {
		return false
	}
	return r.list.Focused() || r.find.writing
}

// clearsSpan unmarks text that the mouse has marked, and reports whether the key does nothing
// else, as the cancel key.
func (r *reader) clearsSpan(name string) bool {
	if !r.list.Spanning() || r.list.Focused() {
		return false
	}
	r.list.ClearSpan()
	return r.program.Keys.Match(command.Cancel, name)
}

// closesFind closes a find field without focus if the key is the cancel key, and reports
// whether it did.
func (r *reader) closesFind(name string) bool {
	if !r.find.open || r.Reads() || !r.program.Keys.Match(command.Cancel, name) {
		return false
	}
	r.program.Guard.Ended(name)
	r.stopFinding()
	return true
}

// readKey handles a key while the transcript is read.
func (r *reader) readKey(k tea.KeyPressMsg, name string) (tea.Cmd, bool) {
	if r.find.open {
		if cmd, taken := r.findKey(k); taken {
			return cmd, true
		}
	}
	if r.program.Keys.Match(command.Cancel, name) {
		if r.list.Spanning() {
			r.list.ClearSpan()
		} else {
			r.pressed = name
			r.leave()
		}
		return nil, true
	}
	row := transcriptRows().Pressed(r.program.Keys, name, config.ContextTranscript)
	if row == nil || (row.ID == command.FindNext || row.ID == command.FindPrev) && !r.list.Finding() {
		return nil, false
	}
	r.pressed = name
	return row.Do(r), true
}

// Chosen does a command from the palette, which focuses the transcript.
func (r *reader) Chosen(do readerFunc) tea.Cmd {
	if !r.list.Focused() { // focusing again would unmark text
		r.list.Focus(true)
	}
	r.pressed = ""
	return do(r)
}

// step moves the selection by items, or the end of the marked text.
func (r *reader) step(by int) {
	if r.list.Spanning() {
		r.list.MoveSpanItems(by)
		return
	}
	r.list.Select(by)
}

// leave gives up the focus. If a question is open, a second press of the key does not
// reach it.
func (r *reader) leave() {
	if r.dialogs.Asks() {
		r.program.Guard.Ended(r.pressed)
	}
	r.list.ClearSpan()
	r.Unfocus()
}

func (r *reader) hints() []dialog.Hint {
	h := dialog.HintList{Keys: r.program.Keys}
	switch {
	case r.find.writing:
		return r.findHints(h)
	case r.list.Spanning():
		h.Add(command.Copy, "copy")
		h.AddAll("by items", command.Next, command.Previous)
		h.AddAll("by lines", command.LineDown, command.LineUp)
		h.Add(command.Mark, "other end")
		h.Add(command.Cancel, "end")
		return h.List
	}
	if r.dialogs.Asks() {
		h.Add(command.FocusPrompt, "answer")
	}
	switch {
	case r.find.open: // enter goes to the next match
		h.Add(command.FindNext, "next")
		h.Add(command.FindPrev, "previous")
		h.Add(command.Cancel, "end")
	case r.list.Expanded():
		h.AddAll("move", command.Next, command.Previous)
		h.Add(command.Expand, "collapse")
	default:
		h.AddAll("move", command.Next, command.Previous)
		h.Add(command.Expand, "expand")
	}
	h.Add(command.Copy, "copy")
	h.AddAll("copy a part", command.CopyCode, command.CopyCommand, command.CopyOutput, command.CopyPatch)
	if term := r.list.SelectedTerminal(); term != nil {
		if term.Exit == nil {
			h.Add(command.StepIn, "step in")
			h.Add(command.EndCommand, "stop it")
		}
		if term.Personal {
			h.Add(command.ItemAdd, "add to prompt")
		}
	}
	h.Add(command.Open, "open")
	if r.list.HasDiff() {
		h.Add(command.DiffContext, "context")
		if r.list.Diffs().Unified {
			h.Add(command.DiffSplit, "side by side")
		} else {
			h.Add(command.DiffSplit, "unified")
		}
	}
	if !r.find.open {
		h.Add(command.Search, "find")
	}
	h.Add(command.Mark, "mark")
	h.Add(command.ItemShow, "whole screen")
	h.AddAll("prompts", command.PromptPrev, command.PromptNext)
	if !r.dialogs.Asks() {
		h.Add(command.FocusPrompt, "prompt")
	}
	return h.List
}

// position draws the reading position and what is new below, unless the view is at the end.
func (r *reader) position() string {
	if r.list.Following() {
		return ""
	}
	th := r.program.Theme
	words := "↓ more below"
	if n := r.list.New(); n > 0 {
		words = fmt.Sprintf("↓ %d new below", n)
	}
	return th.Muted.Render(fmt.Sprintf("%d%%  ", r.list.Percent())) + th.Accent.Render(words) + th.Faint.Render(" (end)")
}

// Blur gives up the focus, if the transcript has it.
func (r *reader) Blur() {
	if r.list.Focused() {
		r.Unfocus()
	}
}

// key handles a key if the transcript has the focus. While a question is open, typed text
// does not pass through.
func (r *reader) key(k tea.KeyPressMsg, name string) (tea.Cmd, bool) {
	if !r.Reads() {
		return nil, false
	}
	if cmd, taken := r.readKey(k, name); taken {
		return cmd, true
	}
	if r.dialogs.Asks() && config.Types(name) {
		return r.say(r.keyOf(command.FocusPrompt) + " returns to the question"), true
	}
	return nil, false
}

// paste pastes into the find field.
func (r *reader) paste(text string) (tea.Cmd, bool) {
	if r.Reads() && r.find.writing {
		return r.Paste(text), true
	}
	return nil, false
}

// mouse handles events above the dialog, and drags that started there. The wheel scrolls
// from anywhere outside the dialog.
func (r *reader) mouse(msg tea.MouseMsg) (tea.Cmd, bool) {
	at, area := msg.Mouse(), r.area
	if !r.drag.down || isClick(msg) {
		if area.onDialog(at.Y) {
			return nil, false
		}
		if wheel, ok := msg.(tea.MouseWheelMsg); ok {
			r.Wheel(wheel)
			return nil, true
		}
		if at.Y >= area.dialog {
			return nil, false
		}
	}
	return r.Mouse(msg, at.X, at.Y), true
}

func (r *reader) covers() bool { return false }

func (r *reader) draw(width, height int) dialog.View {
	r.list.SetSize(width, height)
	if !r.program.ReducedMotion { // otherwise elapsed times stand still
		r.list.SetNow(r.now())
	}
	r.rows = height
	return dialog.View{Lines: r.list.Lines()}
}

// locateIn locates the diffs of events, because agents send parts of files without line numbers. It
// returns nil if there are none to locate.
func (t *Tab) locateIn(events []conversation.Event) tea.Cmd {
	var wanted []toolview.Fragment
	for _, e := range events {
		for _, f := range toolview.Fragments(changesIn(e)) {
			if t.facts.Position(f.Path, &f.Old, f.New) == (toolview.DiffPosition{}) {
				wanted = append(wanted, f)
			}
		}
	}
	return t.locate(wanted)
}

// diffFragments returns the diffs of all tool calls of a conversation.
func diffFragments(c *conversation.Conversation) []toolview.Fragment {
	var all []toolview.Fragment
	for _, i := range c.Items {
		if call, ok := i.(*conversation.ToolCall); ok {
			all = append(all, toolview.Fragments(append(toolview.Replaced(call), call.Content...))...)
		}
	}
	return all
}

// locate finds the positions of fragments in the project's files, in the background.
func (t *Tab) locate(wanted []toolview.Fragment) tea.Cmd {
	if len(wanted) == 0 {
		return nil
	}
	dir := t.cwd
	return inBackground(func() then {
		found := toolview.Found{Positions: toolview.FindPositions(dir, wanted)}
		return func() tea.Cmd { t.facts.Add(found); return nil }
	})
}

// changesIn returns the tool-call content of an event.
func changesIn(e conversation.Event) []acpclient.ToolCallContent {
	switch e := e.(type) {
	case conversation.PermissionOpened:
		return e.Request.ToolCall.Content
	case conversation.Update:
		switch u := e.Update.(type) {
		case *acpclient.ToolCall:
			return u.Content
		case *acpclient.ToolCallUpdate:
			return u.Content
		case *acpclient.ToolCallContentChunk:
			return u.Content
		}
	}
	return nil
}
