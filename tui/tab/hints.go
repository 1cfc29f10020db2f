package tab

import (
	"strings"

	"charm.land/bubbles/v2/help"
	"charm.land/bubbles/v2/key"

	"parley/acpclient"
	"parley/config"
	"parley/internal/cells"
	"parley/internal/conversation"
	"parley/tui/dialog"
	"parley/tui/diffview"
	"parley/tui/theme"
)

// keyName is the key to show for an action.
func keyName(keys config.Keys, a config.Action) string {
	if keys := keys.For(a); len(keys) > 0 {
		return keys[0]
	}
	return "no key"
}

// hintList is a list of hints for the keys of actions.
type hintList struct {
	keys config.Keys
	list []dialog.Hint
}

// add adds a hint for an action's key; it is left out if the action has none.
func (h *hintList) add(a config.Action, words string) {
	if keys := h.keys.For(a); len(keys) > 0 {
		h.list = append(h.list, dialog.Hint{Key: keys[0], Text: words})
	}
}

// hints are the keys that matter now.
func (t *Tab) hints() []dialog.Hint {
	if t.isLeaving() {
		return []dialog.Hint{{Key: keyName(t.program.Keys, config.ActionInterrupt), Text: "again to leave"}}
	}
	if t.inside != nil {
		return t.insideHints()
	}
	if t.reads() {
		return t.readerHints()
	}
	if d := t.dialogs.Top(); d != nil {
		return d.Hints()
	}
	if t.composer.PopupHeight() > 0 {
		return popupHints(t.program.Keys)
	}
	if t.composer.IsCommand() {
		return commandHints(t.program.Keys, t.composer.IsShell())
	}
	return promptHints(t.program.Keys, t.conv, t.conv != nil && t.changedFiles() > 0)
}

// commandHints are the hints while a command of the person's is being written.
func commandHints(keys config.Keys, shell bool) []dialog.Hint {
	h := hintList{keys: keys}
	if shell {
		h.add(config.ActionSend, "open your shell")
		h.list = append(h.list, dialog.Hint{Key: "a command", Text: "to run that"})
	} else {
		h.add(config.ActionSend, "run it")
		h.add(config.ActionNewline, "new line")
	}
	h.add(config.ActionInterrupt, "clear")
	return h.list
}

// popupHints are the hints while completions are offered.
func popupHints(keys config.Keys) []dialog.Hint {
	h := hintList{keys, []dialog.Hint{{Key: "tab", Text: "accept"}, {Key: "↑/↓", Text: "choose"}}}
	h.add(config.ActionCancel, "close")
	return h.list
}

// readerHints are the hints while the transcript is read.
func (t *Tab) readerHints() []dialog.Hint {
	h := hintList{keys: t.program.Keys}
	switch {
	case t.reader.find.writing:
		return t.reader.findHints(h)
	case t.list.Spanning():
		return t.reader.spanHints(h)
	}
	if t.dialogs.Asks() {
		h.add(config.ActionFocusPrompt, "answer")
	}
	switch {
	case t.reader.find.open: // enter goes on then
		h.add(config.ActionFindNext, "next")
		h.add(config.ActionFindPrev, "previous")
		h.add(config.ActionCancel, "end")
	case t.list.Expanded():
		h.parts("move", config.ActionItemNext, config.ActionItemPrev)
		h.add(config.ActionItemExpand, "collapse")
	default:
		h.parts("move", config.ActionItemNext, config.ActionItemPrev)
		h.add(config.ActionItemExpand, "expand")
	}
	h.add(config.ActionItemCopy, "copy")
	h.parts("copy a part", config.ActionCopyCode, config.ActionCopyCommand, config.ActionCopyOutput, config.ActionCopyPatch)
	t.terminalHints(&h)
	h.add(config.ActionItemOpen, "open")
	if t.list.HasDiff() {
		h.add(config.ActionDiffContext, "context")
		if t.list.Diffs().Mode == diffview.Unified {
			h.add(config.ActionDiffSplit, "side by side")
		} else {
			h.add(config.ActionDiffSplit, "unified")
		}
	}
	if !t.reader.find.open {
		h.add(config.ActionSearch, "find")
	}
	h.add(config.ActionMark, "mark")
	h.add(config.ActionItemShow, "whole screen")
	h.parts("prompts", config.ActionPromptPrev, config.ActionPromptNext)
	if !t.dialogs.Asks() {
		h.add(config.ActionFocusPrompt, "prompt")
	}
	return h.list
}

// terminalHints add what can be done with the command of the selected item.
func (t *Tab) terminalHints(h *hintList) {
	term := t.list.SelectedTerminal()
	if term == nil {
		return
	}
	if term.Exit == nil {
		h.add(config.ActionStepIn, "step in")
		h.add(config.ActionEndCommand, "end it")
	}
	if term.Personal {
		h.add(config.ActionItemAdd, "add to prompt")
	}
}

// spanHints are the hints while something is marked.
func (r *reader) spanHints(h hintList) []dialog.Hint {
	h.add(config.ActionItemCopy, "copy")
	h.parts("by items", config.ActionItemNext, config.ActionItemPrev)
	h.parts("by lines", config.ActionLineDown, config.ActionLineUp)
	h.add(config.ActionMark, "other end")
	h.add(config.ActionCancel, "end")
	return h.list
}

// parts adds a hint for the keys of several actions that belong together.
func (h *hintList) parts(words string, actions ...config.Action) {
	var names []string
	for _, a := range actions {
		if keys := h.keys.For(a); len(keys) > 0 {
			names = append(names, keys[0])
		}
	}
	if len(names) > 0 {
		h.list = append(h.list, dialog.Hint{Key: strings.Join(names, "/"), Text: words})
	}
}

// promptHints are the hints for the prompt of a conversation, which may be nil.
// changed says that the agent has changed files.
func promptHints(keys config.Keys, c *conversation.Conversation, changed bool) []dialog.Hint {
	h := hintList{keys: keys}
	switch {
	case c == nil:
		h.add(config.ActionSend, "send")
	case c.Turn.Running:
		h.add(config.ActionCancel, "cancel")
		h.add(config.ActionSend, "queue")
	case starts(c):
		h.add(config.ActionCancel, "leave")
		h.add(config.ActionSend, "queue")
	case gone(c):
		h.add(config.ActionStartAgain, "start again")
		h.add(config.ActionSend, "keep")
	default:
		h.add(config.ActionSend, "send")
	}
	if c != nil {
		if len(c.Running()) > 0 {
			h.add(config.ActionTerminal, "step into the command")
		}
		if name, _ := c.CategoryValue(acpclient.CategoryMode); name != "" {
			h.add(config.ActionNextMode, "mode")
		}
		if len(c.Options) > 0 {
			h.add(config.ActionOptions, "options")
		}
	}
	h.list = append(h.list, dialog.Hint{Key: "/", Text: "commands"}, dialog.Hint{Key: "@", Text: "files"})
	h.add(config.ActionFocusTranscript, "transcript")
	if changed {
		h.add(config.ActionChanges, "changes")
	}
	h.add(config.ActionPalette, "palette")
	h.add(config.ActionHelp, "help")
	return h.list
}

// hintLine shows the keys that matter now, as many as there is room for.
func (t *Tab) hintLine(width int) string {
	th, hints := t.program.Theme, t.hints()
	var words strings.Builder
	for _, h := range hints {
		words.WriteString(h.Key + "\x00" + h.Text + "\x00")
	}
	source := lineSource{th, cells.NewLayout(width), words.String()}
	return t.hinted.get(source, func() string { return drawHints(hints, th, width) })
}

func drawHints(hints []dialog.Hint, th *theme.Theme, width int) string {
	short := help.New()
	short.ShortSeparator = "  "
	short.Ellipsis = "…"
	short.Styles = help.Styles{ShortKey: th.Key, ShortDesc: th.KeyHint, ShortSeparator: th.Faint, Ellipsis: th.Faint}
	short.SetWidth(max(1, width-3))
	bindings := make([]key.Binding, len(hints))
	for i, h := range hints {
		bindings[i] = key.NewBinding(key.WithKeys(h.Key), key.WithHelp(h.Key, h.Text))
	}
	// Help draws a hint for which there is no room where not even the ellipsis has
	// any.
	return cells.Truncate("  "+short.ShortHelpView(bindings), width, "…")
}
