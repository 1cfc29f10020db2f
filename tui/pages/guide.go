package pages

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/internal/command"
	"parley/internal/termtext"
	"parley/tui/dialog"
	"parley/tui/list"
	"parley/tui/markdown"
	"parley/tui/theme"
)

// Guide shows a document to read by its sections: a list of them goes to each, and words
// are found in it.
type Guide struct {
	env      dialog.Env
	page     list.Page
	title    string
	sections []section
	text     list.Text
	// contents lists the sections while one is chosen, nil otherwise.
	contents *dialog.Selector
	words    string // what the user looks for
	from     int    // the line in which the search began

	layout  termtext.Layout // of the text as it is laid out; zero if it must be laid out anew
	listed  int             // the first section that the list beside the text shows
	beside  int             // the width of that list, 0 if there is none
	overlay int             // the line where the contents begin
}

// section is a part of the document; start is its first line, as it is laid out.
type section struct {
	markdown.Section
	start int
}

// NewGuide shows a document in Markdown below a title.
func NewGuide(env dialog.Env, title, text string) *Guide {
	d := &Guide{env: env, page: list.Page{Theme: env.Theme}, title: termtext.Line(title), text: list.NewText(env.Keys)}
	for _, s := range markdown.Sections(text) {
		d.sections = append(d.sections, section{Section: s})
	}
	return d
}

// Covers says that the page takes the whole screen.
func (d *Guide) Covers() {}

// SetTheme implements dialog.Dialog.
func (d *Guide) SetTheme(th *theme.Theme) {
	d.env.Theme, d.page.Theme, d.layout = th, th, termtext.Layout{}
	if d.contents != nil {
		d.contents.SetTheme(th)
	}
}

// lay lays the sections out below each other, a blank line between two of them.
func (d *Guide) lay(width int) {
	layout := termtext.NewLayout(width)
	if d.layout == layout {
		return
	}
	d.layout = layout
	var lines []string
	for i := range d.sections {
		if i > 0 {
			lines = append(lines, "")
		}
		drawn := markdown.Whole(d.sections[i].Source, width, d.env.Theme)
		d.sections[i].start = len(lines)
		lines = append(lines, drawn...)
	}
	d.text.SetLines(lines, d.env.Theme)
}

// current returns the section of the first visible line.
func (d *Guide) current() int {
	at := 0
	for i, s := range d.sections {
		if s.start <= d.text.Top()+1 {
			at = i
		}
	}
	return at
}

// goTo shows a section from its heading on.
func (d *Guide) goTo(i int) {
	if len(d.sections) > 0 {
		d.text.GoTo(d.sections[max(0, min(i, len(d.sections)-1))].start)
	}
}

// name is the heading of a section, indented by its level.
func (s *section) name() string { return strings.Repeat("  ", max(0, s.Level-2)) + s.Heading }

// showContents lists the sections to choose one from.
func (d *Guide) showContents() {
	items := make([]command.Item, len(d.sections))
	for i := range d.sections {
		s := &d.sections[i]
		items[i] = command.Item{ID: s.Heading, Title: s.name(), Current: i == d.current(), Do: func() { d.goTo(i) }}
	}
	d.contents = dialog.NewSelector(d.env, command.Choice{Title: d.title + ": contents", Items: items, Filter: true})
}

// chosen carries out what a key or a click in the list of sections does.
func (d *Guide) chosen(a dialog.Action) dialog.Action {
	switch a := a.(type) {
	case dialog.Act:
		d.contents = nil
		a.Do()
		return nil
	case dialog.Close:
		d.contents = nil
		return nil
	}
	return a
}

// Key implements dialog.Dialog.
func (d *Guide) Key(msg tea.KeyPressMsg) dialog.Action {
	key, keys := msg.String(), d.env.Keys
	switch {
	case d.contents != nil:
		return d.chosen(d.contents.Key(msg))
	case d.page.Writes() && d.findKey(msg):
	case keys.Match(command.DialogClose, key) && d.text.Finds():
		d.find("")
	case keys.Match(command.DialogClose, key), keys.Match(command.Guide, key), keys.Match(command.Help, key), key == "q":
		d.env.Guard.Ended(key)
		return dialog.Close{}
	case key == "tab":
		d.showContents()
	case keys.Match(command.Search, key), keys.Match(command.Find, key):
		d.from = d.text.Top()
		d.page.Write("find", "words", d.words)
	case keys.Match(command.FindNext, key):
		d.text.FindNext(1)
	case keys.Match(command.FindPrev, key):
		d.text.FindNext(-1)
	case keys.Match(command.PromptNext, key):
		d.goTo(d.current() + 1)
	case keys.Match(command.PromptPrev, key):
		at := d.current()
		if len(d.sections) > 0 && d.text.Top() <= d.sections[at].start {
			at--
		}
		d.goTo(at)
	case key == "j":
		d.text.By(1)
	case key == "k":
		d.text.By(-1)
	case key == "space":
		d.text.Page()
	default:
		d.text.Key(msg)
	}
	return nil
}

// findKey takes a key while the user writes what to find. It returns false for keys that
// scroll.
func (d *Guide) findKey(msg tea.KeyPressMsg) bool {
	key, keys := msg.String(), d.env.Keys
	switch {
	case keys.Match(command.DialogClose, key):
		d.page.Written()
		d.find("")
	case keys.Match(command.DialogAccept, key):
		d.page.Written()
	case d.page.Line.Key(msg):
		d.find(d.page.Line.Text())
	default:
		return false
	}
	return true
}

// find shows the first place that has words, from where the search began.
func (d *Guide) find(words string) {
	d.words = words
	d.text.Find(words, d.from)
}

// Paste implements dialog.Dialog.
func (d *Guide) Paste(text string) dialog.Action {
	if d.contents != nil {
		return d.contents.Paste(text)
	}
	if d.page.Writes() {
		d.page.Line.Paste(text)
		d.find(d.page.Line.Text())
	}
	return nil
}

// Mouse implements dialog.Dialog.
func (d *Guide) Mouse(msg tea.MouseMsg, x, y int) dialog.Action {
	if d.contents != nil {
		return d.chosen(d.contents.Mouse(msg, x, y-d.overlay))
	}
	switch m := msg.(type) {
	case tea.MouseWheelMsg:
		d.text.Wheel(m)
	case tea.MouseClickMsg:
		if line := list.BodyLine(y); m.Button == tea.MouseLeft && line >= 0 && x < d.beside {
			d.goTo(d.listed + line)
		}
	}
	return nil
}

const (
	// roomForTwo is the minimum width for two columns.
	roomForTwo = 96
	// sectionsWidth is the width of the list of sections.
	sectionsWidth = 26
	// widestText is the maximum width of a text: longer lines are hard to read.
	widestText = 118
)

// View implements dialog.Dialog.
func (d *Guide) View(width, height int) dialog.View {
	th, rows := d.env.Theme, list.Rows(height)
	d.beside = 0
	if width >= roomForTwo && len(d.sections) > 2 {
		d.beside = sectionsWidth
	}
	room := max(1, min(width-d.beside-2*margin, widestText))
	d.lay(room)
	body := d.text.Draw(rows)
	if d.beside > 0 {
		body = list.Beside(d.contentsBeside(rows), body, d.beside, th.Faint.Render("│ "))
	} else {
		body = list.Beside(nil, body, margin, "")
	}
	lines, cursor := d.page.Draw(d.page.Head(d.title, "", th.Muted.Render(list.HiddenWords(d.text.Hidden())), width), "", body, d.finding(), th.Text, width, height)
	if d.contents == nil {
		return dialog.View{Lines: lines, Cursor: cursor}
	}
	v := d.contents.View(width, height)
	d.overlay = max(0, len(lines)-len(v.Lines))
	if v.Cursor != nil {
		v.Cursor.Y += d.overlay
	}
	v.Lines = append(lines[:d.overlay:d.overlay], v.Lines...)
	return v
}

// finding describes the visible match and the number of matches.
func (d *Guide) finding() string {
	at, all := d.text.Found()
	switch {
	case !d.text.Finds():
		return ""
	case all == 0:
		return "not found: " + d.words
	}
	return fmt.Sprintf("%s: %d of %d", d.words, at, all)
}

// contentsBeside draws the list of sections, the current one in sight.
func (d *Guide) contentsBeside(rows int) []string {
	th, at := d.env.Theme, d.current()
	d.listed = max(0, min(at-rows/2, len(d.sections)-rows))
	var lines []string
	for i := d.listed; i < min(d.listed+rows, len(d.sections)); i++ {
		style := th.Muted
		if i == at {
			style = th.Accent.Bold(true)
		}
		lines = append(lines, "  "+style.Render(termtext.Truncate(d.sections[i].name(), d.beside-3, "…")))
	}
	for len(lines) < rows {
		lines = append(lines, "")
	}
	return lines
}

// Hints implements dialog.Dialog.
func (d *Guide) Hints() []dialog.Hint {
	if d.contents != nil {
		return d.contents.Hints()
	}
	h := dialog.HintList{Keys: d.env.Keys}
	if d.page.Writes() {
		h.Add(command.DialogAccept, "next")
		h.Add(command.DialogClose, "end")
		return h.List
	}
	if above, below := d.text.Hidden(); above+below > 0 {
		h.Add(command.DialogPageDown, "scroll")
	}
	if len(d.sections) > 1 {
		h.List = append(h.List, dialog.Hint{Key: "tab", Text: "contents"})
	}
	h.Add(command.Search, "find")
	if d.text.Finds() {
		h.Add(command.FindNext, "next")
		h.Add(command.DialogClose, "end")
		return h.List
	}
	h.Add(command.DialogClose, "close")
	return h.List
}
