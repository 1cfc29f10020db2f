package dialog

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/config"
	"parley/internal/termtext"
	"parley/tui/list"
	"parley/tui/theme"
)

// Help lists all actions with their keys. Typing leaves those that it is about.
type Help struct {
	env    Env
	input  list.Input
	scroll list.Scroll
	about  content
}

// NewHelp shows the help, which the person asked for.
func NewHelp(env Env) *Help {
	d := &Help{env: env, input: list.Input{Hint: "type what you want to do, or a key"}}
	d.about = newBlock(d.draw)
	return d
}

var contextNames = map[config.Context]string{
	config.ContextPrompt:     "In the prompt, and everywhere",
	config.ContextTranscript: "In the transcript",
	config.ContextPager:      "In the view of one item on the whole screen",
	config.ContextTerminal:   "In a command into which you have stepped",
	config.ContextChanges:    "Among the changed files",
	config.ContextInspector:  "In the inspector",
	config.ContextReplay:     "In a replay",
	config.ContextDialog:     "In dialogs",
}

// helpContexts are the contexts in the order of the help.
var helpContexts = []config.Context{
	config.ContextPrompt, config.ContextTranscript, config.ContextPager, config.ContextTerminal, config.ContextChanges, config.ContextInspector,
	config.ContextReplay, config.ContextDialog,
}

// helpRow is an action with its keys. hits are where the words that are looked for
// stand in each of the two.
type helpRow struct {
	keys, text        string
	keyHits, textHits []int
}

// helpRows are the rows of a context, as far as they have to do with the words.
func (d *Help) helpRows(in config.Context, words []string) []helpRow {
	var rows []helpRow
	for _, a := range config.Actions() {
		if a.Context != in {
			continue
		}
		b := d.env.Keys.Binding(a.Action)
		row := helpRow{keys: "no key", text: b.Help().Desc}
		if b.Enabled() {
			row.keys = keyNames(b.Keys())
		}
		others := strings.Join(b.Keys(), " ") + " " + string(a.Action) // not all of it is shown
		if row.find(words, others) {
			rows = append(rows, row)
		}
	}
	return rows
}

// find notes where the words stand in a row, and reports whether all of them are there,
// or in what else belongs to it.
func (r *helpRow) find(words []string, others string) bool {
	for _, word := range words {
		inKeys, inText := places(r.keys, word), places(r.text, word)
		if len(inKeys)+len(inText) == 0 && !strings.Contains(strings.ToLower(others), word) {
			return false
		}
		r.keyHits, r.textHits = append(r.keyHits, inKeys...), append(r.textHits, inText...)
	}
	return true
}

// places are the positions of the bytes of a word in a text, whatever the case of its
// letters. Actions and keys are ASCII.
func places(text, word string) []int {
	at := strings.Index(strings.ToLower(text), word)
	if at < 0 {
		return nil
	}
	hits := make([]int, len(word))
	for i := range hits {
		hits[i] = at + i
	}
	return hits
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

// roomForTwo is the width from which on the rows stand in two columns, roomForAll that
// from which on there is room for all keys of an action in one, and roomForKeys that from
// which on the keys have a column of their own; apart is what separates the columns.
const (
	roomForTwo  = 96
	roomForAll  = 60
	roomForKeys = 48
	apart       = 4
)

func (d *Help) draw(p paper) []string {
	words := strings.Fields(strings.ToLower(d.input.Text()))
	var out []string
	for _, in := range helpContexts {
		rows := d.helpRows(in, words)
		if len(rows) == 0 {
			continue
		}
		if len(out) > 0 {
			out = append(out, "")
		}
		out = append(out, p.th.DialogTitle.Render(cut(contextNames[in], p.width)))
		out = append(out, drawRows(p, rows)...)
	}
	if len(out) == 0 {
		out = styled(prose("Nothing is called so. The guide may say more about it: "+guideKey, p.width), p.th.Muted)
	}
	return out
}

// drawRows draws the rows of a context: in two columns, one after the other, where
// there is room for them.
func drawRows(p paper, rows []helpRow) []string {
	if p.width < roomForKeys {
		return flat(drawNarrow(p, rows))
	}
	two := p.width >= roomForTwo && len(rows) >= 4
	for i := range rows {
		if two || p.width < roomForAll {
			rows[i].keys = shorter(rows[i].keys)
		}
	}
	if !two {
		return flat(drawColumn(p, rows))
	}
	half := (len(rows) + 1) / 2
	p.width = (p.width - apart) / 2
	left, right := drawColumn(p, rows[:half]), drawColumn(p, rows[half:])
	var out []string
	for i := range left {
		var other []string
		if i < len(right) {
			other = right[i]
		}
		for j := range max(len(left[i]), len(other)) {
			l, r := "", ""
			if j < len(left[i]) {
				l = left[i][j]
			}
			if j < len(other) {
				r = other[j]
			}
			out = append(out, strings.TrimRight(pad(l, p.width)+strings.Repeat(" ", apart)+r, " "))
		}
	}
	return out
}

// shorter are keys as there is room for them in two columns: of those that are too
// wide, the first.
func shorter(keys string) string {
	const widest = 16
	if first, _, several := strings.Cut(keys, "  "); several && len(keys) > widest {
		return first + " …"
	}
	return keys
}

// drawNarrow draws rows where there is no room for a column of keys: what they do stands
// behind them, or, if that is too long, below.
func drawNarrow(p paper, rows []helpRow) [][]string {
	out := make([][]string, len(rows))
	for i, r := range rows {
		keys, text := r.styled(p.th)
		if termtext.Width(r.keys)+termtext.Width(r.text)+4 <= p.width {
			out[i] = []string{"  " + keys + "  " + text}
			continue
		}
		out[i] = []string{"  " + keys}
		for _, line := range prose(r.text, max(1, p.width-4)) {
			out[i] = append(out[i], "    "+p.th.Muted.Render(line))
		}
	}
	return out
}

// styled are keys and text of a row, with what is looked for marked.
func (r helpRow) styled(th *theme.Theme) (keys, text string) {
	return theme.Letters(r.keys, within(r.keyHits, len(r.keys)), th.Key, th.Accent.Bold(true).Underline(true)),
		theme.Letters(r.text, r.textHits, th.Muted, th.Accent.Underline(true))
}

// drawColumn draws rows below each other, each in lines of its own.
func drawColumn(p paper, rows []helpRow) [][]string {
	column := 0
	for _, r := range rows {
		column = max(column, termtext.Width(r.keys))
	}
	column = min(column, max(4, p.width/2))
	out := make([][]string, len(rows))
	for i, r := range rows {
		texts := prose(r.text, max(1, p.width-column-4))
		keys, whole := r.styled(p.th)
		for j, text := range texts {
			text = p.th.Muted.Render(text)
			if len(texts) == 1 { // the places are those of the whole text
				text = whole
			}
			out[i] = append(out[i], "  "+pad(keys, column)+"  "+text)
			if j == 0 {
				keys = ""
			}
		}
	}
	return out
}

// within are those of the positions that are below a bound.
func within(hits []int, bound int) []int {
	return slices.DeleteFunc(slices.Clone(hits), func(h int) bool { return h >= bound })
}

func flat(rows [][]string) []string {
	var out []string
	for _, r := range rows {
		out = append(out, r...)
	}
	return out
}

// SetTheme implements [Dialog].
func (d *Help) SetTheme(th *theme.Theme) { d.env.Theme = th }

// guideKey opens the guide from the help, beside the key that opens it everywhere.
const guideKey = "tab"

// Key implements [Dialog].
func (d *Help) Key(msg tea.KeyPressMsg) Action {
	key, keys := msg.String(), d.env.Keys
	switch {
	case config.Types(key) && (d.input.Text() != "" || !keys.Match(config.ActionHelp, key)): // whatever else the key may do
		d.edit(msg)
	case keys.Match(config.ActionDialogClose, key):
		if d.input.Text() == "" {
			return d.env.done(msg, Close{})
		}
		d.input.Set("")
		d.look()
	case keys.Match(config.ActionHelp, key), keys.Match(config.ActionDialogAccept, key):
		return d.env.done(msg, Close{})
	case keys.Match(config.ActionGuide, key), key == guideKey:
		return Run{config.ActionGuide} // where the same key does something else: a second press is meant
	case keys.Match(config.ActionDialogUp, key):
		d.scroll.By(-1)
	case keys.Match(config.ActionDialogDown, key):
		d.scroll.By(1)
	case d.scroll.Key(keys, key):
	default:
		d.edit(msg)
	}
	return nil
}

// edit changes what is looked for.
func (d *Help) edit(msg tea.KeyPressMsg) {
	before := d.input.Text()
	if d.input.Key(msg) && d.input.Text() != before {
		d.look()
	}
}

// look shows what is looked for.
func (d *Help) look() {
	d.scroll.Top = 0
	d.about = newBlock(d.draw)
}

// Paste implements [Dialog].
func (d *Help) Paste(text string) Action {
	d.input.Paste(text)
	d.look()
	return nil
}

// Mouse implements [Dialog].
func (d *Help) Mouse(msg tea.MouseMsg, _, _ int) Action {
	if m, ok := msg.(tea.MouseWheelMsg); ok {
		d.scroll.Wheel(m)
	}
	return nil
}

// View implements [Dialog].
func (d *Help) View(width, maxHeight int) View {
	width = atMost(width)
	p := panel{th: d.env.Theme, title: "Help", body: d.about, scroll: &d.scroll}
	p.searchLine(&d.input, inner(width, maxHeight))
	if maxHeight >= roomy {
		p.head = append(p.head, "")
	}
	v, _ := p.view(width, maxHeight)
	return v
}

// searchLine puts the line in which words are written that are looked for into the
// head of the panel.
func (p *panel) searchLine(in *list.Input, w int) {
	text, column := in.Draw(max(1, w-2), p.th)
	p.head = append(p.head, p.th.Accent.Render("/")+" "+text)
	p.cursor = tea.NewCursor(column+2, 0)
}

// Hints implements [Dialog].
func (d *Help) Hints() []Hint {
	hints := []Hint{{"type", "find"}}
	if d.scroll.Scrolls() {
		hints = d.env.hint(hints, config.ActionDialogPageDown, "scroll")
	}
	hints = append(hints, Hint{guideKey, "guide"})
	if d.input.Text() != "" {
		return d.env.hint(hints, config.ActionDialogClose, "all keys")
	}
	return d.env.hint(hints, config.ActionDialogClose, "close")
}
