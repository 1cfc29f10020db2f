package dialog

import (
	tea "charm.land/bubbletea/v2"

	"parley/config"
	"parley/internal/app"
	"parley/internal/command"
	"parley/internal/termtext"
	"parley/tui/list"
	"parley/tui/theme"
)

// entry is a question of parley's own that takes a line of text.
type entry struct {
	env   Env
	asked app.Question
	input list.Input
}

func newEntry(env Env, q app.Question) *entry {
	d := &entry{env: env, asked: q, input: list.Input{Hint: termtext.Line(q.Hint)}}
	d.input.Set(q.Entered)
	return d
}

// Key implements [Dialog].
func (d *entry) Key(msg tea.KeyPressMsg) Action { return d.env.done(msg, d.press(msg)) }

// press is Key without noting the key.
func (d *entry) press(msg tea.KeyPressMsg) Action {
	switch keys, key := d.env.Keys, msg.String(); {
	case config.Types(key): // whatever else the key may do
		d.input.Key(msg)
	case keys.Match(command.DialogClose, key):
		return Close{}
	case keys.Match(command.DialogAccept, key):
		return Entered{d.asked, d.input.Text()}
	default:
		d.input.Key(msg)
	}
	return nil
}

// Paste implements [Dialog].
func (d *entry) Paste(text string) Action {
	d.input.Paste(text)
	return nil
}

// Mouse implements [Dialog].
func (d *entry) Mouse(tea.MouseMsg, int, int) Action { return nil }

// View implements [Dialog].
func (d *entry) View(width, maxHeight int) View {
	width = min(width, widest)
	th := d.env.Theme
	text, column := d.input.Draw(max(1, inner(width, maxHeight)-2), th)
	p := panel{th: th, title: termtext.Line(d.asked.Title), shrink: true, head: []string{th.Accent.Render("❯") + " " + text}}
	p.cursor = tea.NewCursor(column+2, 0)
	v, _ := p.view(width, maxHeight)
	return v
}

// Hints implements [Dialog].
func (d *entry) Hints() []Hint {
	hints := d.env.hint(nil, command.DialogAccept, "accept")
	return d.env.hint(hints, command.DialogClose, "close")
}

// SetTheme implements [Dialog].
func (d *entry) SetTheme(th *theme.Theme) { d.env.Theme = th }
