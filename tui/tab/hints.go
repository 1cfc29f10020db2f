package tab

import (
	"cmp"
	"slices"
	"strings"

	"parley/acpclient"
	"parley/config"
	"parley/internal/command"
	"parley/internal/conversation"
	"parley/internal/termtext"
	"parley/tui/composer"
	"parley/tui/dialog"
	"parley/tui/theme"
)

// hints returns the keys that matter while the prompt has the focus.
func (p *promptLayer) hints() []dialog.Hint {
	t := p.tab
	h := dialog.HintList{Keys: t.program.Keys}
	hint := func(key, text string) { h.List = append(h.List, dialog.Hint{Key: key, Text: text}) }
	switch {
	case t.prompts.Escapes():
		hint(t.keyOf(command.Cancel), "again: edit the last prompt")
	case t.composer.Searching():
		hint("type", "search")
		h.Add(command.Send, "accept")
		hint("↑/↓", "choose")
		h.Add(command.Cancel, "back to the draft")
	case t.composer.PopupHeight() > 0:
		if name := t.composer.Runs(); name != "" {
			h.Add(command.Send, "run "+name)
		}
		hint("tab", "accept")
		hint("↑/↓", "choose")
		if t.composer.CompletesFile() {
			hint(composer.AnotherFile, "accept, add more")
		}
		h.Add(command.Cancel, "close")
	case t.composer.IsShell() && t.stored.readOnly == "":
		h.Add(command.Send, "open your shell")
		hint("a command", "run it")
		h.Add(command.Interrupt, "clear")
	case t.composer.IsCommand():
		h.Add(command.Send, "run it")
		h.Add(command.Newline, "new line")
		h.Add(command.Interrupt, "clear")
	case t.stored.readOnly != "":
		h.Add(command.FocusTranscript, "transcript")
		h.Add(command.Find, "find")
		h.Add(command.Sessions, "sessions")
		h.Add(command.NewSession, "new session")
		h.Add(command.Palette, "palette")
		h.Add(command.Help, "help")
		return p.withCancel(h.List)
	default:
		all := t.promptHints()
		if cancel := t.keyOf(command.Cancel); t.awaited.action != "" {
			all = append([]dialog.Hint{{Key: cancel}}, slices.DeleteFunc(all, func(h dialog.Hint) bool { return h.Key == cancel })...)
		}
		all = p.withCancel(all)
		if t.composer.Empty() && h.Keys.Match(command.Help, "?") { // which types no text then
			all[len(all)-1].Key = "?"
		}
		return all
	}
	return h.List
}

// withCancel replaces the hint of the cancel key while that key does something else first.
func (p *promptLayer) withCancel(hints []dialog.Hint) []dialog.Hint {
	t := p.tab
	words := t.composer.Cancels()
	if t.awaited.action != "" && words == "" {
		words = "stop waiting"
	}
	if l, open := t.live(); open && words == "" {
		if slow, _ := l.options.Slow(); slow != nil {
			words = "switch back"
		}
	}
	for i, h := range hints {
		if words != "" && h.Key == t.keyOf(command.Cancel) {
			hints[i].Text = words
		}
	}
	return hints
}

// promptHints returns the keys that matter in the prompt.
func (t *Tab) promptHints() []dialog.Hint {
	l, open := t.live()
	if !open {
		h := dialog.HintList{Keys: t.program.Keys}
		h.Add(command.Send, "queue")
		if len(t.prompts.held) > 0 {
			h.Add(command.Queue, "queue")
		}
		h.List = append(h.List, characterHints...)
		h.Add(command.Palette, "palette")
		h.Add(command.FocusTranscript, "transcript")
		h.Add(command.Help, "help")
		return h.List
	}
	all := promptHints(t.program.Keys, l.Conversation, l.changedFiles() > 0 || l.sawChanges(), l.Session.About().Connects, t.program.Enter == config.EnterSteers)
	if l.OverForGood() {
		all = slices.DeleteFunc(all, func(h dialog.Hint) bool { return h.Key == t.keyOf(command.StartAgain) })
	}
	if l.ignoresCancel() {
		all = append([]dialog.Hint{{Key: t.keyOf(command.Cancel), Text: "stop the agent"}}, all...)
	}
	if l.Conversation.Turn.Running && l.Conversation.Agent.SkipsAhead() && t.composer.Empty() {
		for i := range all {
			if all[i].Key == t.keyOf(command.Send) {
				all[i].Text = "skip ahead"
			}
		}
	}
	return all
}

// characterHints are the characters that have a meaning at the beginning of a word.
var characterHints = []dialog.Hint{{Key: "/", Text: "commands"}, {Key: "@", Text: "files"}, {Key: "!", Text: "shell"}}

// promptHints returns the hints for a conversation. changed means that the agent has changed
// files, far that it is on the network, steers that enter puts a prompt into the running
// turn.
func promptHints(keys config.Keys, c *conversation.Conversation, changed, far, steers bool) []dialog.Hint {
	h, again := dialog.HintList{Keys: keys}, "restart"
	if far {
		again = "reconnect"
	}
	switch {
	case c.Turn.Running:
		enter, now := "queue", "send next"
		if c.Turn.Cancelling.IsZero() {
			h.Add(command.Cancel, "cancel")
			now = "cancel and send"
		}
		if c.Steerable() {
			now = "steer"
			if steers {
				enter = now
			}
		}
		h.Add(command.Send, enter)
		if enter != now {
			h.Add(command.SendNow, now)
		}
	case c.Opening():
		h.Add(command.Cancel, "stop the agent")
		h.Add(command.Send, "queue")
	case c.Gone():
		h.Add(command.StartAgain, again)
		h.Add(command.Send, "keep")
	case c.WaitsForLimit():
		h.Add(command.Cancel, "stop waiting")
		h.Add(command.Send, "send")
	default:
		h.Add(command.Send, "send")
	}
	if len(c.Queue) > 0 {
		h.Add(command.Queue, "queue")
	}
	if len(c.Running()) > 0 {
		h.Add(command.Terminal, "step into the command")
	}
	h.List = append(h.List, characterHints...)
	if name, _ := c.CategoryValue(acpclient.CategoryMode); name != "" {
		h.Add(command.NextMode, "mode")
	}
	if len(c.Options) > 0 {
		h.Add(command.Options, "options")
	}
	h.Add(command.Palette, "palette")
	if changed {
		h.Add(command.Changes, "changes")
	}
	h.Add(command.FocusTranscript, "transcript")
	h.Add(command.Help, "help")
	return h.List
}

func (d *drawing) hints() []dialog.Hint {
	t := d.tab
	if t.leaving.Leaving() {
		return []dialog.Hint{{Key: t.keyOf(command.Interrupt), Text: "again: quit"}}
	}
	if focus := t.focus(); focus != nil {
		return focus.hints()
	}
	return t.prompt.hints()
}

// hintLine draws as many hints as fit.
func (d *drawing) hintLine() string {
	th, hints := d.info.Theme, d.hints()
	var words strings.Builder
	for _, h := range hints {
		words.WriteString(h.Key + "\x00" + h.Text + "\x00")
	}
	source := lineSource{th, termtext.NewLayout(d.width), words.String()}
	return d.tab.hintCache.get(source, func() string { return drawHints(hints, th, d.width) })
}

const hintGap = "  "

// drawHints draws the hints that fit, in their order. The last one, which leads out or to help, takes
// precedence over those in the middle, but not over the first.
func drawHints(hints []dialog.Hint, th *theme.Theme, width int) string {
	drawn := make([]string, len(hints))
	total := 0
	for i, h := range hints {
		drawn[i] = hintGap + th.Key.Render(h.Key) + " " + th.KeyHint.Render(h.Text)
		total += termtext.Width(drawn[i])
	}
	if total <= width || len(hints) < 2 {
		return termtext.Truncate(strings.Join(drawn, ""), width, "…")
	}
	more := hintGap + th.Faint.Render("…")
	rest := more + drawn[len(drawn)-1]
	if termtext.Width(drawn[0]+rest) > width {
		return termtext.Truncate(drawn[0]+more, width, "…")
	}
	used := termtext.Width(rest)
	var line strings.Builder
	for _, d := range drawn[:len(drawn)-1] {
		if w := termtext.Width(d); used+w <= width {
			used += w
			line.WriteString(d)
		}
	}
	return termtext.Truncate(line.String()+rest, width, "…")
}

// keyOf returns the key to show for an action.
func (u *ui) keyOf(a config.Action) string { return keyName(u.program.Keys, a) }

// keyOrPalette returns the key of an action, or refers to the palette if it has none.
func keyOrPalette(keys config.Keys, a config.Action) string {
	return cmp.Or(keys.First(a), "the palette ("+keyName(keys, command.Palette)+")")
}

// keyName returns the first key of an action.
func keyName(keys config.Keys, a config.Action) string { return cmp.Or(keys.First(a), "no key") }
