package pages

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/config"
	"parley/internal/command"
	"parley/internal/termtext"
	"parley/tui/dialog"
	"parley/tui/markdown"
)

// Guide shows a document to read by its sections: a list of them goes to each, and words
// are found in it.
type Guide struct {
	page
	text
	title    string
	sections []section
	words    string // what the user looks for
	from     int    // the line in which the search began

	listed int // the first section that the list beside the text shows
	beside int // the width of that list, 0 if there is none
}

// section is a part of the document; start is its first line, as it is laid out.
type section struct {
	markdown.Section
	start int
}

// NewGuide shows a document in Markdown below a title.
func NewGuide(env Env, title, text string) *Guide {
	d := &Guide{title: termtext.Line(title)}
	d.page = newPage(env, config.ContextPager, d.table)
	for _, s := range markdown.Sections(text) {
		d.sections = append(d.sections, section{Section: s})
	}
	return d
}

// whole lays the sections out below each other, a blank line between two of them.
func (d *Guide) whole(width int) (lines []string) {
	for i := range d.sections {
		if i > 0 {
			lines = append(lines, "")
		}
		d.sections[i].start = len(lines)
		lines = append(lines, markdown.Draw(d.sections[i].Source, width, d.Theme)...)
	}
	return lines
}

// current returns the section of the first visible line.
func (d *Guide) current() int {
	at := 0
	for i, s := range d.sections {
		if s.start <= d.Top+1 {
			at = i
		}
	}
	return at
}

// goTo shows a section from its heading on.
func (d *Guide) goTo(i int) {
	if len(d.sections) > 0 {
		d.text.goTo(d.sections[max(0, min(i, len(d.sections)-1))].start)
	}
}

// name is the heading of a section, indented by its level.
func (s *section) name() string { return strings.Repeat("  ", max(0, s.Level-2)) + s.Heading }

// showContents lists the sections to choose one from.
func (d *Guide) showContents() {
	items := make([]command.Item, len(d.sections))
	for i := range d.sections {
		items[i] = command.Item{ID: fmt.Sprint(i), Title: d.sections[i].name(), Current: i == d.current(), Do: func() { d.goTo(i) }}
	}
	d.Host.Choose(command.Choice{Title: d.title + ": contents", Items: items, Filter: true})
}

// table has the commands of the guide.
func (d *Guide) table() rows {
	find := always(func() {
		d.from = d.Top
		d.writeLine(input{lead: "find", enter: "next", esc: "end", typed: d.look}, "words", d.words)
	}, "find")
	return append(rows{
		{ID: "page_down", Do: when(d.Scrolls, func() { d.Page(1) }, "scroll")},
		{ID: command.FocusPrompt, Do: when(func() bool { return len(d.sections) > 1 }, d.showContents, "contents")},
		{ID: command.Search, Do: find},
		{ID: command.FindNext, Do: when(d.finds, func() { d.findNext(1) }, "next")},
		{ID: command.PagerClose, Do: either(d.finds, d.back, "end", "close")},
		{ID: command.Find, Do: quiet(find.do)},
		{ID: command.FindPrev, Do: quiet(func() { d.findNext(-1) })},
		{ID: command.PromptNext, Do: quiet(func() { d.goTo(d.current() + 1) })},
		{ID: command.PromptPrev, Do: quiet(func() {
			at := d.current()
			if len(d.sections) > 0 && d.Top <= d.sections[at].start {
				at--
			}
			d.goTo(at)
		})},
		{ID: command.Expand, Do: quiet(func() { d.Page(1) })},
		{ID: command.Guide, Do: quiet(d.close)},
		{ID: command.Help, Do: quiet(d.close)},
	}, moving(d.By, func() int { return d.Height })...)
}

// back ends the search, or closes the guide.
func (d *Guide) back() {
	if d.finds() {
		d.look("")
		return
	}
	d.close()
}

// look shows the first place that has words, from where the search began.
func (d *Guide) look(words string) {
	d.words = words
	d.find(words, d.from)
}

// Mouse implements dialog.Dialog.
func (d *Guide) Mouse(msg tea.MouseMsg, x, y int) dialog.Action {
	switch m := msg.(type) {
	case tea.MouseWheelMsg:
		d.Wheel(m)
	case tea.MouseClickMsg:
		if line := bodyLine(y); m.Button == tea.MouseLeft && line >= 0 && x < d.beside {
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
	th, rows := d.Theme, bodyHeight(height)
	d.beside = 0
	if width >= roomForTwo && len(d.sections) > 2 {
		d.beside = sectionsWidth
	}
	d.lay(max(1, min(width-d.beside-2*margin, widestText)), th, d.whole)
	body := d.text.draw(rows)
	if d.beside > 0 {
		body = beside(d.contentsBeside(rows), body, d.beside, th.Faint.Render("│ "))
	} else {
		body = beside(nil, body, margin, "")
	}
	return d.page.draw(d.head(d.title, "", d.hidden(), width), "", body, d.finding(), th.Text, width, height)
}

// finding describes the visible match and the number of matches.
func (d *Guide) finding() string {
	switch {
	case !d.finds():
		return ""
	case len(d.matches) == 0:
		return "not found: " + d.words
	}
	return fmt.Sprintf("%s: %d of %d", d.words, d.found+1, len(d.matches))
}

// contentsBeside draws the list of sections, the current one in sight.
func (d *Guide) contentsBeside(rows int) []string {
	th, at := d.Theme, d.current()
	d.listed = max(0, min(at-rows/2, len(d.sections)-rows))
	lines := make([]string, rows)
	for i := d.listed; i < min(d.listed+rows, len(d.sections)); i++ {
		style := th.Muted
		if i == at {
			style = th.Accent.Bold(true)
		}
		lines[i-d.listed] = "  " + style.Render(termtext.Truncate(d.sections[i].name(), d.beside-3, "…"))
	}
	return lines
}
