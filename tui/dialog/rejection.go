package dialog

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/config"
	"parley/internal/termtext"
	"parley/tui/list"
)

// A permission can be rejected with words: what the agent should do instead. They are
// written in place of the answers, and go out as the next prompt. Nothing that is
// written there can allow anything.

// startWriting shows the line in which the words are written.
func (d *Permission) startWriting() {
	d.writing, d.replies.marked = true, -1
}

// StopWriting goes back to the answers, and reports whether words were being written.
// They stay. key is the one that was pressed for it: a second press of it, which often
// follows, means nothing.
func (d *Permission) StopWriting(key string) bool {
	if !d.writing {
		return false
	}
	d.writing = false
	d.env.Guard.Ended(key)
	d.env.Guard.open()
	return true
}

// TakeWords takes out what was written, for somebody else to keep: the question is
// not open any more, or was answered.
func (d *Permission) TakeWords() string {
	words := strings.TrimSpace(d.words.Text())
	d.words, d.writing = list.Input{}, false
	return words
}

// write takes a key while the words are written.
func (d *Permission) write(msg tea.KeyPressMsg) Action {
	keys, key := d.env.Keys, msg.String()
	switch {
	case keys.Match(config.ActionDialogAccept, key):
		return d.reject(msg)
	case keys.Match(config.ActionDialogClose, key):
		d.StopWriting(key)
	case keys.Match(config.ActionDialogPageUp, key), keys.Match(config.ActionDialogPageDown, key), key == "shift+up", key == "shift+down":
		d.scroll.Key(keys, key)
	case keys.Match(config.ActionRejectWords, key), d.words.Key(msg):
	default:
		return NotTaken{}
	}
	return nil
}

// reject rejects with what was written. If what is asked has changed a moment ago, it
// is not known what the key was meant for.
func (d *Permission) reject(msg tea.KeyPressMsg) Action {
	if msg.IsRepeat || strings.TrimSpace(d.words.Text()) == "" || d.env.Guard.inert() {
		return nil
	}
	d.env.Guard.answer(msg.String())
	a := RejectWith{ID: d.asked.ID, Words: d.TakeWords()}
	if o, ok := plainRejection(d.asked.Options); ok {
		a.Option = o.OptionID
	}
	return a
}

// plainRejection is the option that rejects this once and nothing more. Of several it
// is the one with the shortest name: the others say what else they do.
func plainRejection(options []acpclient.PermissionOption) (plain acpclient.PermissionOption, ok bool) {
	for _, o := range options {
		if o.Kind == acpclient.RejectOnce && (!ok || len(optionName(o)) < len(optionName(plain))) {
			plain, ok = o, true
		}
	}
	return plain, ok
}

// optionName is what an option is called, in one line: by its identity if it has no
// name.
func optionName(o acpclient.PermissionOption) string {
	if name := termtext.VisibleLine(o.Name); name != "" {
		return name
	}
	return termtext.VisibleLine(string(o.OptionID))
}

// Paste implements [Dialog]: it is text of the words, or of the prompt.
func (d *Permission) Paste(text string) Action {
	if d.writing {
		d.words.Paste(text)
		return nil
	}
	return d.question.Paste(text)
}

// viewWriting draws the question with the line for the words in place of the answers.
func (d *Permission) viewWriting(p panel, width, maxHeight int) View {
	p.th, p.scroll = d.env.Theme, &d.scroll
	if maxHeight >= roomy {
		p.head = append([]string{""}, p.head...)
	}
	if words := d.env.Guard.aside; words != "" {
		return d.viewAside(p, words, width, maxHeight)
	}
	w := inner(width, maxHeight)
	p.focused = !d.env.Guard.inert()
	what := "Cancel the turn and say what to do instead"
	if o, ok := plainRejection(d.asked.Options); ok {
		what = "Answer “" + optionName(o) + "” and say what to do instead"
	}
	words := prose(what, w)
	if len(words) > nameLines {
		words = someLines(what, w, nameLines)
	}
	foot := styled(words, p.th.Muted)
	const lead = "❯ "
	room := max(1, w-termtext.Width(lead))
	line, column := d.words.Draw(room, p.th)
	p.cursor, p.inFoot = tea.NewCursor(termtext.Width(lead)+column, len(foot)), true
	p.foot, p.keep = fixed(append(foot, p.th.Accent.Render(lead)+line)), len(foot)
	v, place := p.view(width, maxHeight)
	d.question.placement = place
	return v
}

// writingHints are the keys that matter while words are written.
func (d *Permission) writingHints() []Hint {
	words := "reject and send"
	if _, ok := plainRejection(d.asked.Options); !ok {
		words = "cancel and send"
	}
	var hints []Hint
	if strings.TrimSpace(d.words.Text()) != "" {
		hints = append(hints, d.key(config.ActionDialogAccept, words)...)
	}
	hints = append(hints, d.key(config.ActionDialogClose, "back")...)
	if d.scroll.Scrolls() {
		hints = append(hints, d.key(config.ActionDialogPageDown, "scroll")...)
	}
	return hints
}

// key is a hint for an action, also where the prompt holds text: it gets no keys now.
func (d *Permission) key(a config.Action, text string) []Hint {
	if keys := d.env.Keys.For(a); len(keys) > 0 {
		return []Hint{{keys[0], text}}
	}
	return nil
}
