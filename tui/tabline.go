package tui

import (
	"fmt"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/internal/conversation"
	"parley/internal/termtext"
	"parley/tui/tab"
	"parley/tui/theme"
)

const (
	// roomForLine is how high a terminal is at least in which the line of tabs is
	// shown.
	roomForLine = 8
	// widestTab and narrowestTab bound how wide the title of a tab is drawn, in cells.
	widestTab, narrowestTab = 28, 10
)

// tabFrame is how wide a tab is beside its title and number: blanks, and the mark.
const tabFrame = 5

// endWidth is the room for each end of the line, beyond which there are more tabs.
const endWidth = 7

// tabLine is the line of tabs. It remembers what it has drawn where, for the mouse.
type tabLine struct {
	spans []tabSpan
}

// tabSpan is the position of a tab in the line, in cells.
type tabSpan struct{ number, from, to int }

// lineHeight returns the height of the tab line: 0 while there is one tab.
func (m *Model) lineHeight() int {
	if len(m.tabs) < 2 || m.height < roomForLine {
		return 0
	}
	return 1
}

// summaries returns the summaries of all tabs.
func (m *Model) summaries() []tab.Summary {
	faces := make([]tab.Summary, len(m.tabs))
	for i, t := range m.tabs {
		faces[i] = t.Summary()
	}
	return faces
}

// mouse gives an event to the line of tabs, or to the tab in front.
func (m *Model) mouse(msg tea.MouseMsg) tea.Cmd {
	above := m.lineHeight()
	click, isClick := msg.(tea.MouseClickMsg)
	if above > 0 && isClick && click.Y < above {
		if click.Button == tea.MouseLeft {
			tabRow{m}.Go(m.line.at(click.X))
		}
		return nil
	}
	return m.front.Update(raised(msg, above))
}

// raised returns a mouse event moved up by some lines.
func raised(msg tea.MouseMsg, lines int) tea.MouseMsg {
	switch msg := msg.(type) {
	case tea.MouseClickMsg:
		msg.Y -= lines
		return msg
	case tea.MouseReleaseMsg:
		msg.Y -= lines
		return msg
	case tea.MouseWheelMsg:
		msg.Y -= lines
		return msg
	case tea.MouseMotionMsg:
		msg.Y -= lines
		return msg
	}
	return msg
}

// at returns the index of the tab in a column, or -1.
func (l *tabLine) at(column int) int {
	for _, p := range l.spans {
		if column >= p.from && column < p.to {
			return p.number
		}
	}
	return -1
}

// draw draws the tabs into a line of a width. If there is no room for all of them,
// those around the one in front are drawn, and the ends say how many there are
// beyond, and what is most urgent there.
func (l *tabLine) draw(th *theme.Theme, faces []tab.Summary, front, width int) string {
	titles := shortened(faces, width)
	from, to := around(titles, front, width)
	l.spans = l.spans[:0]
	var b strings.Builder
	at := 0
	write := func(number int, text string) {
		w := termtext.Width(text)
		l.spans = append(l.spans, tabSpan{number, at, at + w})
		b.WriteString(text)
		at += w
	}
	if from > 0 {
		write(from-1, beyond(th, "‹", faces[:from]))
	}
	for i := from; i < to; i++ {
		write(i, drawTab(th, i, faces[i].State, titles[i], i == front))
	}
	if to < len(faces) {
		end := beyond(th, "›", faces[to:])
		if gap := width - at - termtext.Width(end); gap > 0 {
			b.WriteString(strings.Repeat(" ", gap))
			at += gap
		}
		write(to, end)
	}
	return termtext.Truncate(b.String(), width, "")
}

// shortened returns the titles of the tabs, shortened to fit, but long enough to tell them
// apart.
func shortened(faces []tab.Summary, width int) []string {
	titles, wide := make([]string, len(faces)), make([]int, len(faces))
	for i, f := range faces {
		titles[i] = termtext.Truncate(f.Title, widestTab, "…")
		wide[i] = termtext.Width(titles[i])
	}
	most := widestTab
	for most > narrowestTab && tabsWidth(wide, most) > width {
		most--
	}
	for i := range titles {
		titles[i] = termtext.Truncate(titles[i], most, "…")
	}
	return titles
}

// tabsWidth is how wide all tabs are with titles so wide, if none may be wider than
// most.
func tabsWidth(titles []int, most int) int {
	sum := 0
	for i, w := range titles {
		sum += tabWidth(i, min(w, most))
	}
	return sum
}

// tabWidth returns the width of a tab with a title of the given width.
func tabWidth(i, title int) int { return title + tabFrame + len(strconv.Itoa(i+1)) }

// around is which tabs are drawn: the one in front, and as many around it as there
// is room for.
func around(titles []string, front, width int) (from, to int) {
	wide := func(i int) int { return tabWidth(i, termtext.Width(titles[i])) }
	from, to = front, front+1
	used := wide(front)
	fits := func(from, to, used int) bool {
		if from > 0 {
			used += endWidth
		}
		if to < len(titles) {
			used += endWidth
		}
		return used <= width
	}
	for grown := true; grown; {
		grown = false
		if to < len(titles) && fits(from, to+1, used+wide(to)) {
			used, to, grown = used+wide(to), to+1, true
		}
		if from > 0 && fits(from-1, to, used+wide(from-1)) {
			used, from, grown = used+wide(from-1), from-1, true
		}
	}
	return from, to
}

// drawTab draws one tab: its number, which is that of its key, its state and title.
func drawTab(th *theme.Theme, i int, state conversation.Standing, title string, front bool) string {
	number, style := th.Faint, th.Muted
	if front {
		number, style = th.ChoiceSelected, th.ChoiceSelected.Bold(true)
	}
	mark, look := th.Mark(state)
	if front {
		look = look.Background(th.ChoiceSelected.GetBackground()).Reverse(th.ChoiceSelected.GetReverse())
	}
	return number.Render(fmt.Sprintf(" %d ", i+1)) + look.Render(mark) + style.Render(" "+title+" ")
}

// beyond is an end of the line: how many tabs there are beyond it, and the mark of
// what is most urgent among them.
func beyond(th *theme.Theme, arrow string, faces []tab.Summary) string {
	urgent := conversation.StandingIdle
	for _, f := range faces {
		urgent = max(urgent, f.State)
	}
	mark, look := th.Mark(urgent)
	if urgent == conversation.StandingIdle {
		mark = " "
	}
	count := fmt.Sprint(len(faces))
	if arrow == "›" {
		return th.Faint.Render(" "+count) + look.Render(mark) + th.Accent.Render(arrow) + " "
	}
	return " " + th.Accent.Render(arrow) + th.Faint.Render(count) + look.Render(mark) + " "
}
