package dialog

import (
	tea "charm.land/bubbletea/v2"

	"parley/config"
	"parley/internal/termtext"
	"parley/tui/list"
	"parley/tui/theme"
)

// Entry asks the person for a line of text.
type Entry struct {
	Title string
	// Text is the initial text, Hint is shown while there is none.
	Text, Hint string
	// Do takes the text, which may be empty.
	Do func(text string) tea.Cmd
}

// EntryDialog is the dialog of an [Entry].
type EntryDialog struct {
	env   Env
	entry Entry
	input list.Input
}

func NewEntry(env Env, e Entry) *EntryDialog {
	d := &EntryDialog{env: env, entry: e, input: list.Input{Hint: termtext.Line(e.Hint)}}
	d.input.Set(e.Text)
	return d
}

// Key implements [Dialog].
func (d *EntryDialog) Key(msg tea.KeyPressMsg) Action { return d.env.done(msg, d.press(msg)) }

// press is Key without noting the key.
func (d *EntryDialog) press(msg tea.KeyPressMsg) Action {
	switch keys, key := d.env.Keys, msg.String(); {
	case config.Types(key): // whatever else the key may do
		d.input.Key(msg)
	case keys.Match(config.ActionDialogClose, key):
		return Close{}
	case keys.Match(config.ActionDialogAccept, key):
		return Do(func() tea.Cmd { return d.entry.Do(d.input.Text()) })
	default:
		d.input.Key(msg)
	}
	return nil
}

// Paste implements [Dialog].
func (d *EntryDialog) Paste(text string) Action {
	d.input.Paste(text)
	return nil
}

// Mouse implements [Dialog].
func (d *EntryDialog) Mouse(tea.MouseMsg, int, int) Action { return nil }

// View implements [Dialog].
func (d *EntryDialog) View(width, maxHeight int) View {
	width = atMost(width)
	th := d.env.Theme
	text, column := d.input.Draw(max(1, inner(width, maxHeight)-2), th)
	p := panel{th: th, title: termtext.Line(d.entry.Title), shrink: true, head: []string{th.Accent.Render("❯") + " " + text}}
	p.cursor = tea.NewCursor(column+2, 0)
	v, _ := p.view(width, maxHeight)
	return v
}

// Hints implements [Dialog].
func (d *EntryDialog) Hints() []Hint {
	hints := d.env.hint(nil, config.ActionDialogAccept, "accept")
	return d.env.hint(hints, config.ActionDialogClose, "close")
}

// SetTheme implements [Dialog].
func (d *EntryDialog) SetTheme(th *theme.Theme) { d.env.Theme = th }
