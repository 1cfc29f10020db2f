package dialog

import (
	tea "charm.land/bubbletea/v2"

	"parley/config"
	"parley/tui/markdown"
	"parley/tui/theme"
)

// Guide shows a document to read.
type Guide struct {
	env    Env
	scroll scroller
	text   content
}

// NewGuide shows a document in Markdown, which the person asked for.
func NewGuide(env Env, text string) *Guide {
	draw := func(p paper) []string { return markdown.Whole(text, p.width, p.th) }
	return &Guide{env: env, text: newBlock(draw)}
}

// SetTheme implements [Dialog].
func (d *Guide) SetTheme(th *theme.Theme) { d.env.Theme = th }

// Key implements [Dialog].
func (d *Guide) Key(msg tea.KeyPressMsg) Action {
	key, keys := msg.String(), d.env.Keys
	switch {
	case keys.Match(config.ActionDialogClose, key), keys.Match(config.ActionGuide, key),
		keys.Match(config.ActionHelp, key), key == "q":
		return d.env.done(msg, Close{})
	case keys.Match(config.ActionDialogUp, key), key == "k":
		d.scroll.by(-1)
	case keys.Match(config.ActionDialogDown, key), key == "j":
		d.scroll.by(1)
	case key == "space":
		d.scroll.page(1)
	default:
		d.scroll.key(keys, key)
	}
	return nil
}

// Paste implements [Dialog].
func (d *Guide) Paste(string) Action { return nil }

// Mouse implements [Dialog].
func (d *Guide) Mouse(msg tea.MouseMsg, _, _ int) Action {
	if m, ok := msg.(tea.MouseWheelMsg); ok {
		d.scroll.wheel(m)
	}
	return nil
}

// View implements [Dialog].
func (d *Guide) View(width, maxHeight int) View {
	width = atMost(width)
	p := panel{th: d.env.Theme, title: "Guide", body: d.text, scroll: &d.scroll}
	if maxHeight >= roomy {
		p.head = []string{""}
	}
	v, _ := p.view(width, maxHeight)
	return v
}

// Hints implements [Dialog].
func (d *Guide) Hints() []Hint {
	var hints []Hint
	if d.scroll.scrolls() {
		hints = d.env.hint(hints, config.ActionDialogPageDown, "scroll")
	}
	return d.env.hint(hints, config.ActionDialogClose, "close")
}
