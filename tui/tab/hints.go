package tab

import (
	"strings"

	"charm.land/lipgloss/v2"

	"parley/config"
	"parley/tui/dialog"
)

// keyName is the key to show for an action.
func (t *Tab) keyName(a config.Action) string {
	if keys := t.program.Keys.For(a); len(keys) > 0 {
		return keys[0]
	}
	return "no key"
}

// hint adds a hint for an action's key; it is left out if the action has none.
func (t *Tab) hint(hints []dialog.Hint, a config.Action, words string) []dialog.Hint {
	if keys := t.program.Keys.For(a); len(keys) > 0 {
		hints = append(hints, dialog.Hint{Key: keys[0], Text: words})
	}
	return hints
}

// hints are the keys that matter now.
func (t *Tab) hints() []dialog.Hint {
	if t.isLeaving() {
		return []dialog.Hint{{Key: t.keyName(config.ActionInterrupt), Text: "again to leave"}}
	}
	if d := t.dialogs.Top(); d != nil {
		return d.Hints()
	}
	if t.transcriptFocused() {
		return t.transcriptHints()
	}
	return t.promptHints()
}

func (t *Tab) transcriptHints() []dialog.Hint {
	out := []dialog.Hint{{Key: t.keyName(config.ActionItemNext) + "/" + t.keyName(config.ActionItemPrev), Text: "move"}}
	out = t.hint(out, config.ActionItemExpand, "expand")
	out = t.hint(out, config.ActionItemCopy, "copy")
	out = t.hint(out, config.ActionItemOpen, "open")
	return t.hint(out, config.ActionFocusPrompt, "prompt")
}

func (t *Tab) promptHints() []dialog.Hint {
	var out []dialog.Hint
	if t.conv != nil && t.conv.Turn.Running {
		out = t.hint(out, config.ActionCancel, "cancel")
		out = t.hint(out, config.ActionSend, "queue")
	} else {
		out = t.hint(out, config.ActionSend, "send")
	}
	if t.conv != nil {
		if name, _ := t.conv.CurrentMode(); name != "" {
			out = t.hint(out, config.ActionNextMode, "mode")
		}
		if len(t.conv.Options) > 0 {
			out = t.hint(out, config.ActionOptions, "options")
		}
	}
	out = append(out, dialog.Hint{Key: "/", Text: "commands"}, dialog.Hint{Key: "@", Text: "files"})
	out = t.hint(out, config.ActionFocusTranscript, "transcript")
	out = t.hint(out, config.ActionPalette, "palette")
	return t.hint(out, config.ActionHelp, "help")
}

// hintLine shows the keys that matter now.
func (t *Tab) hintLine() string {
	th := t.program.Theme
	var out strings.Builder
	out.WriteString(" ")
	for _, h := range t.hints() {
		part := th.Key.Render(h.Key) + " " + th.KeyHint.Render(h.Text)
		if lipgloss.Width(out.String())+lipgloss.Width(part)+2 > t.width {
			break
		}
		if out.Len() > 1 {
			out.WriteString(th.Faint.Render("  "))
		}
		out.WriteString(part)
	}
	return out.String()
}
