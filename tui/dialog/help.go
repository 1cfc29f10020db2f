package dialog

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/config"
	"parley/internal/cells"
	"parley/tui/theme"
)

// guideKey opens the guide from the help, beside the key that opens it everywhere.
const guideKey = "g"

// Help lists all actions with their keys.
type Help struct {
	env    Env
	scroll scroller
	about  content
}

// NewHelp shows the help, which the person asked for.
func NewHelp(env Env) *Help {
	d := &Help{env: env}
	d.about = newBlock(d.draw)
	return d
}

var contextNames = map[config.Context]string{
	config.ContextPrompt:     "In the prompt, and everywhere",
	config.ContextTranscript: "In the transcript",
	config.ContextPager:      "In the view of one item on the whole screen",
	config.ContextTerminal:   "In a command into which you have stepped",
	config.ContextChanges:    "Among the changed files",
	config.ContextDialog:     "In dialogs",
}

type helpRow struct{ keys, text string }

// helpRows are the rows of a context.
func (d *Help) helpRows(in config.Context) []helpRow {
	var rows []helpRow
	for _, a := range config.Actions() {
		if a.Context != in {
			continue
		}
		b := d.env.Keys.Binding(a.Action)
		keys := "no key"
		if b.Enabled() {
			keys = keyNames(b.Keys())
		}
		rows = append(rows, helpRow{keys, b.Help().Desc})
	}
	return rows
}

// keyNames are keys in a few words: of many, which belong together then, the first
// and the last.
func keyNames(keys []string) string {
	const most = 3
	if len(keys) > most {
		return keys[0] + " … " + keys[len(keys)-1]
	}
	return strings.Join(keys, "  ")
}

func (d *Help) draw(p paper) []string {
	var out []string
	for _, in := range []config.Context{config.ContextPrompt, config.ContextTranscript, config.ContextPager, config.ContextTerminal, config.ContextChanges, config.ContextDialog} {
		if len(out) > 0 {
			out = append(out, "")
		}
		out = append(out, p.th.DialogTitle.Render(cut(contextNames[in], p.width)))
		rows := d.helpRows(in)
		column := 0
		for _, r := range rows {
			column = max(column, cells.Width(r.keys))
		}
		column = min(column, max(4, p.width/2))
		for _, r := range rows {
			texts := prose(r.text, max(1, p.width-column-4))
			for i, text := range texts {
				keys := ""
				if i == 0 {
					keys = r.keys
				}
				out = append(out, "  "+p.th.Key.Render(pad(keys, column))+"  "+p.th.Muted.Render(text))
			}
		}
	}
	return out
}

// SetTheme implements [Dialog].
func (d *Help) SetTheme(th *theme.Theme) { d.env.Theme = th }

// Key implements [Dialog].
func (d *Help) Key(msg tea.KeyPressMsg) Action {
	key, keys := msg.String(), d.env.Keys
	switch {
	case keys.Match(config.ActionDialogClose, key), keys.Match(config.ActionHelp, key),
		keys.Match(config.ActionDialogAccept, key), key == "q":
		return d.env.done(msg, Close{})
	case keys.Match(config.ActionGuide, key), key == guideKey:
		return d.env.done(msg, Run{config.ActionGuide})
	case keys.Match(config.ActionDialogUp, key):
		d.scroll.by(-1)
	case keys.Match(config.ActionDialogDown, key):
		d.scroll.by(1)
	default:
		d.scroll.key(keys, key)
	}
	return nil
}

// Paste implements [Dialog].
func (d *Help) Paste(string) Action { return nil }

// Mouse implements [Dialog].
func (d *Help) Mouse(msg tea.MouseMsg, _, _ int) Action {
	if m, ok := msg.(tea.MouseWheelMsg); ok {
		d.scroll.wheel(m)
	}
	return nil
}

// View implements [Dialog].
func (d *Help) View(width, maxHeight int) View {
	width = atMost(width)
	p := panel{th: d.env.Theme, title: "Help", body: d.about, scroll: &d.scroll}
	if maxHeight >= roomy {
		p.head = []string{""}
	}
	v, _ := p.view(width, maxHeight)
	return v
}

// Hints implements [Dialog].
func (d *Help) Hints() []Hint {
	var hints []Hint
	if d.scroll.scrolls() {
		hints = d.env.hint(hints, config.ActionDialogPageDown, "scroll")
	}
	hints = append(hints, Hint{guideKey, "guide"})
	return d.env.hint(hints, config.ActionDialogClose, "close")
}
