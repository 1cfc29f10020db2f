package dialog

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/config"
	"parley/internal/termtext"
	"parley/tui/list"
	"parley/tui/markdown"
	"parley/tui/theme"
)

// Guide shows a document to read, by its sections: a list of them goes to each, and
// words can be looked for.
type Guide struct {
	env      Env
	title    string
	scroll   list.Scroll
	sections []section
	text     column
	// contents lists the sections while one is chosen, nil otherwise.
	contents *Selector
	find     finding
	// width is the width of the text as it was drawn last.
	width int
	// list is the width of the list of sections beside it, 0 if there is none.
	list  int
	place placement
}

// section is a part of a document below a heading; that of the first is its title.
type section struct {
	heading string
	level   int
	text    *block
}

// NewGuide shows a document in Markdown below a title, which the person asked for.
func NewGuide(env Env, title, text string) *Guide {
	d := &Guide{env: env, title: termtext.Line(title)}
	d.find.input.Hint = "find words"
	for _, s := range cutSections(text) {
		if len(d.text) > 0 {
			d.text = append(d.text, fixed{""})
		}
		d.sections = append(d.sections, s)
		d.text = append(d.text, s.text)
	}
	return d
}

// cutSections cuts a document at its headings, down to those of the third level.
func cutSections(text string) []section {
	var list []section
	var part strings.Builder
	heading, level, fenced := "", 1, false
	end := func() {
		if source := part.String(); strings.TrimSpace(source) != "" {
			draw := func(p paper) []string { return trimBlank(markdown.Whole(source, p.width, p.th)) }
			list = append(list, section{heading, level, newBlock(draw)})
		}
		part.Reset()
	}
	for line := range strings.Lines(text) {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			fenced = !fenced
		}
		marks := len(line) - len(strings.TrimLeft(line, "#"))
		if title, is := strings.CutPrefix(line[marks:], " "); is && !fenced && marks >= 1 && marks <= 3 {
			end()
			heading, level = termtext.Line(strings.ReplaceAll(title, "`", "")), marks
		}
		part.WriteString(line)
	}
	end()
	return list
}

// trimBlank takes away the empty lines around a text: sections are set apart by one.
func trimBlank(lines []string) []string {
	blank := func(line string) bool { return strings.TrimSpace(plainOf(line)) == "" }
	for len(lines) > 0 && blank(lines[0]) {
		lines = lines[1:]
	}
	for len(lines) > 0 && blank(lines[len(lines)-1]) {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// start is the line at which a section begins.
func (d *Guide) start(i int) int {
	n := 0
	for _, part := range d.text[:2*i] { // a blank line stands between two sections
		n += part.height(paper{d.width, d.env.Theme})
	}
	return n
}

// current is the section of the first line in view.
func (d *Guide) current() int {
	at := 0
	for i := range d.sections {
		if d.start(i) <= d.scroll.Top+1 {
			at = i
		}
	}
	return at
}

// goTo shows a section from its heading on.
func (d *Guide) goTo(i int) {
	i = max(0, min(i, len(d.sections)-1))
	d.scroll.By(d.start(i) - d.scroll.Top)
}

// jump shows the section of that number.
type jump int

func (jump) action() {}

// showContents lists the sections to choose one from.
func (d *Guide) showContents() {
	items := make([]Item, len(d.sections))
	for i, s := range d.sections {
		items[i] = Item{ID: s.heading, Title: strings.Repeat("  ", max(0, s.level-2)) + s.heading, Current: i == d.current(), Do: jump(i)}
	}
	d.contents = NewSelector(d.env, List{Title: d.title + ": contents", Items: items, Filter: true})
}

// SetTheme implements [Dialog].
func (d *Guide) SetTheme(th *theme.Theme) {
	d.env.Theme = th
	if d.contents != nil {
		d.contents.SetTheme(th)
	}
}

// Key implements [Dialog].
func (d *Guide) Key(msg tea.KeyPressMsg) Action {
	switch {
	case d.contents != nil:
		return d.chosen(d.contents.Key(msg))
	case d.find.writing && d.findKey(msg):
		return nil
	}
	key, keys := msg.String(), d.env.Keys
	switch {
	case keys.Match(config.ActionDialogClose, key) && d.find.words() != "":
		d.find.stop()
	case keys.Match(config.ActionDialogClose, key), keys.Match(config.ActionGuide, key), keys.Match(config.ActionHelp, key), key == "q":
		return d.env.done(msg, Close{})
	case key == "tab":
		d.showContents()
	case keys.Match(config.ActionSearch, key), keys.Match(config.ActionFind, key):
		d.find.start(d.scroll.Top)
	case keys.Match(config.ActionFindNext, key):
		d.findOn(1)
	case keys.Match(config.ActionFindPrev, key):
		d.findOn(-1)
	case keys.Match(config.ActionPromptNext, key):
		d.goTo(d.current() + 1)
	case keys.Match(config.ActionPromptPrev, key):
		d.back()
	case keys.Match(config.ActionDialogUp, key), key == "k":
		d.scroll.By(-1)
	case keys.Match(config.ActionDialogDown, key), key == "j":
		d.scroll.By(1)
	case key == "space":
		d.scroll.Page(1)
	default:
		d.scroll.Key(keys, key)
	}
	return nil
}

// back goes to the beginning of the section, or, from there, to the one before.
func (d *Guide) back() {
	at := d.current()
	if d.scroll.Top <= d.start(at) {
		at--
	}
	d.goTo(at)
}

// chosen does what comes of a key or a click in the list of sections.
func (d *Guide) chosen(a Action) Action {
	switch a := a.(type) {
	case jump:
		d.contents = nil
		d.goTo(int(a))
		return nil
	case Close:
		d.contents = nil
		return nil
	}
	return a
}

// Paste implements [Dialog].
func (d *Guide) Paste(text string) Action {
	switch {
	case d.contents != nil:
		return d.contents.Paste(text)
	case d.find.writing:
		d.find.input.Paste(text)
		d.look()
	}
	return nil
}

// Mouse implements [Dialog].
func (d *Guide) Mouse(msg tea.MouseMsg, x, y int) Action {
	if d.contents != nil {
		return d.chosen(d.contents.Mouse(msg, x, y))
	}
	switch m := msg.(type) {
	case tea.MouseWheelMsg:
		d.scroll.Wheel(m)
	case tea.MouseClickMsg:
		line, ok := d.place.bodyLine(y)
		if at := d.place.left; ok && x >= at && x < at+d.list && m.Button == tea.MouseLeft {
			d.goTo(d.firstListed(d.place.shown) + line)
		}
	}
	return nil
}

// View implements [Dialog].
func (d *Guide) View(width, maxHeight int) View {
	if d.contents != nil {
		return d.contents.View(width, maxHeight)
	}
	width = atMost(width)
	w := inner(width, maxHeight)
	d.list = 0
	if w >= roomForTwo && len(d.sections) > 2 {
		d.list = listWidth
	}
	d.width = w - d.list
	p := panel{th: d.env.Theme, title: d.title, body: (*guideText)(d), scroll: &d.scroll}
	if d.find.writing {
		p.searchLine(&d.find.input, w)
	} else if words := d.find.words(); words != "" {
		p.note = d.find.note()
	}
	if maxHeight >= roomy {
		p.head = append(p.head, "")
	}
	v, place := p.view(width, maxHeight)
	d.place = place
	return v
}

// Hints implements [Dialog].
func (d *Guide) Hints() []Hint {
	if d.contents != nil {
		return d.contents.Hints()
	}
	if d.find.writing {
		hints := d.env.hint(nil, config.ActionDialogAccept, "next")
		return d.env.hint(hints, config.ActionDialogClose, "end")
	}
	var hints []Hint
	if d.scroll.Scrolls() {
		hints = d.env.hint(hints, config.ActionDialogPageDown, "scroll")
	}
	if len(d.sections) > 1 {
		hints = append(hints, Hint{"tab", "contents"})
	}
	hints = d.env.hint(hints, config.ActionSearch, "find")
	if d.find.words() != "" {
		hints = d.env.hint(hints, config.ActionFindNext, "next")
		return d.env.hint(hints, config.ActionDialogClose, "end")
	}
	return d.env.hint(hints, config.ActionDialogClose, "close")
}

// listWidth is the width of the list of sections beside the text, where there is room
// for both.
const listWidth = 26

// guideText is the text as content of a panel, with the list of sections at its left
// where there is room for it.
type guideText Guide

func (g *guideText) height(p paper) int {
	d := (*Guide)(g)
	return d.text.height(paper{d.width, p.th})
}

func (g *guideText) lines(p paper, from, to int) []string {
	d := (*Guide)(g)
	text := slices.Clone(d.text.lines(paper{d.width, p.th}, from, to))
	for i := range text {
		text[i] = d.find.mark(text[i], from+i, p.th)
	}
	if d.list == 0 {
		return text
	}
	at, first := d.current(), d.firstListed(to-from)
	for i := range text {
		entry := ""
		if n := first + i; n < len(d.sections) {
			entry = d.entry(n, n == at, d.list-4, p.th)
		}
		text[i] = pad(entry, d.list-3) + p.th.Faint.Render("│") + "  " + text[i]
	}
	return text
}

// entry is a section in the list beside the text.
func (d *Guide) entry(i int, current bool, width int, th *theme.Theme) string {
	s := d.sections[i]
	words, style := strings.Repeat("  ", max(0, s.level-2))+s.heading, th.Muted
	if current {
		style = th.Accent.Bold(true)
	}
	return style.Render(cut(words, width))
}

// firstListed is the first section in the list beside the text, of which so many have
// room: the current one is in sight.
func (d *Guide) firstListed(room int) int {
	return max(0, min(d.current()-room/2, len(d.sections)-room))
}
