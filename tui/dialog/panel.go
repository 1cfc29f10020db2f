package dialog

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"parley/internal/termtext"
	"parley/tui/list"
	"parley/tui/theme"
)

// panel is the frame of a dialog and what stands in it: a part that scrolls
// between two that do not.
type panel struct {
	th    *theme.Theme
	title string
	// note stands at the right of the title, status in the bottom border; brief says in
	// few words what status says, for where that has no room.
	note, status, brief string
	// hidden is how many lines of the foot there is no room for.
	hidden int
	// lit says that a question takes keys. Its frame shows that: it is as dim as
	// other lines until then. Nothing else tells the end-to-end tests either.
	lit bool

	head []string
	body content
	// asked is the first part of the body, which must have been seen before a question
	// takes an answer, from the line begin on; nil if that is all of it.
	asked  content
	begin  int
	scroll *list.Scroll
	foot   content
	// keep is the line of the foot that must be seen when there is no room for
	// all of it.
	keep int
	// cursor is a position in the head, or, if inBody or inFoot is set, in that part;
	// nil if there is no cursor.
	cursor         *tea.Cursor
	inBody, inFoot bool
	// snug says that the frame is no wider than what stands in it. What is in other
	// panels changes with every key, and they would jump.
	snug bool
}

// placement says where the parts of a panel stand in its view.
type placement struct {
	left int
	// head is how many lines of the head are shown.
	head int
	// body is the line of the view where the body begins, shown how many of its
	// lines there are.
	body, shown int
	// foot is the line of the view where the foot begins, of which the lines
	// footFrom to footTo are drawn.
	foot, footFrom, footTo int
}

// footLine is the line of the foot that was drawn on line y of the view.
func (p placement) footLine(y int) (int, bool) {
	line := y - p.foot + p.footFrom
	return line, y >= p.foot && line < p.footTo
}

// bodyLine is the line of what was drawn of the body on line y of the view.
func (p placement) bodyLine(y int) (int, bool) {
	return y - p.body, y >= p.body && y < p.body+p.shown
}

const (
	frameWidth  = 6 // border and padding of both sides
	frameHeight = 2
	leastWidth  = 20 // what is narrower has no frame
	leastHeight = 5
	// widest is as wide as panels get: longer lines of text are hard to read. snuggest
	// is as narrow as a snug one gets where there is room for more.
	widest   = 118 + frameWidth
	snuggest = 60
)

// atMost is the width that a panel takes of what there is.
func atMost(width int) int { return min(width, widest) }

func framed(width, maxHeight int) bool { return width >= leastWidth && maxHeight >= leastHeight }

// inner is the width of what is inside the frame.
func inner(width, maxHeight int) int {
	if framed(width, maxHeight) {
		return width - frameWidth
	}
	return width
}

// view draws the panel and says what stands where.
func (p *panel) view(width, maxHeight int) (View, placement) {
	if width <= 0 || maxHeight <= 0 {
		return View{}, placement{}
	}
	w, rows, frame := inner(width, maxHeight), maxHeight, framed(width, maxHeight)
	if frame {
		rows -= frameHeight
	}
	place, split := p.arrange(w, rows)
	lines := append(make([]string, 0, rows+frameHeight), p.head[:place.body]...)
	body, bar := p.bodyLines(w, place)
	lines = append(lines, body...)
	var foot []string
	if place.footFrom < place.footTo {
		foot = p.foot.lines(paper{w, p.th}, place.footFrom, place.footTo)
	}
	if p.snug && frame && (p.scroll == nil || !p.scroll.Scrolls()) {
		width = p.fitted(lines, foot, width)
		w = inner(width, maxHeight)
	}
	if split {
		lines = append(lines, p.divider(w))
	}
	lines = append(lines, foot...)

	var view View
	if !frame {
		for i := range lines {
			lines[i] = cut(lines[i], width)
		}
		view.Lines = lines
	} else {
		view.Lines = p.frame(lines, bar, width)
		place.left = frameWidth / 2
		place.body++
		place.foot++
	}
	view.Cursor = p.cursorAt(place, frame, width, len(view.Lines))
	return view, place
}

// start scrolls the body to where a question begins: to its first line, or to the first
// changed line if that would be out of sight.
func (p *panel) start(width, maxHeight int) {
	p.scroll.Top = 0
	place := p.fit(width, maxHeight)
	change := firstChange(p.body, paper{inner(width, maxHeight), p.th})
	if min(change+2, p.scroll.Len) > place.shown {
		p.scroll.Top = change
	}
}

// fit shares out the rows of a panel.
func (p *panel) fit(width, maxHeight int) placement {
	rows := maxHeight
	if framed(width, maxHeight) {
		rows -= frameHeight
	}
	place, _ := p.arrange(inner(width, maxHeight), rows)
	return place
}

// pin puts the path of the change in sight into the head, if it stands above what is shown
// of the body, and returns how many lines longer the head is.
func (p *panel) pin(w int) int {
	on := paper{w, p.th}
	c := changeAt(p.body, on, p.scroll.Top)
	if c == nil {
		return 0
	}
	before := len(p.head)
	p.head = c.head.lines(on, 0, min(pinned, c.head.height(on))) // in place of an empty line
	return len(p.head) - before
}

// pinned is how many lines of the path of a change stay in sight at most.
const pinned = 2

// reveal scrolls the body as little as it takes to have lines of it in view.
func (p *panel) reveal(from, to, width, maxHeight int) {
	p.fit(width, maxHeight)
	p.scroll.Show(from, to)
}

// fitted is the width of a snug panel: that of its widest line, of those above the
// foot or in it.
func (p *panel) fitted(lines, foot []string, width int) int {
	need := snuggest - frameWidth
	for _, part := range [][]string{lines, foot} {
		for _, line := range part {
			need = max(need, termtext.Width(line))
		}
	}
	// What stands in the border has its blanks and a corner on both sides.
	need = max(need, termtext.Width(p.title)+termtext.Width(p.note)+6, termtext.Width(p.below(width))+6)
	return min(width, need+frameWidth)
}

// placement shares out rows among head, body and foot, without the frame. split says
// that a line stands between body and foot.
func (p *panel) arrange(w, rows int) (place placement, split bool) {
	total, answers := 0, 0
	if p.body != nil {
		total = p.body.height(paper{w, p.th})
	}
	if p.foot != nil {
		answers = p.foot.height(paper{w, p.th})
	}
	// The foot, mostly what there is to answer, comes first; but a body is
	// never squeezed out: a third of the room is its own, or half of a little.
	foot := min(answers, rows)
	if total > 0 && rows > 2 {
		own := rows / 3
		if rows < 9 {
			own = max(2, (rows+1)/2)
		}
		foot = min(foot, max(1, rows-len(p.head)-min(total+1, own)))
	}
	head := min(len(p.head), rows-foot)
	room, between := rows-foot-head, 0
	if total > 0 && room > 1 && (foot > 0 || total > room) {
		between = 1
	}
	shown := min(total, room-between)
	if p.scroll != nil {
		p.scroll.Fit(total, shown)
	}
	place = placement{head: head, body: head, shown: shown, foot: head + shown + between}
	place.footFrom = min(max(0, p.keep-foot+1), answers-foot)
	place.footTo = place.footFrom + foot
	p.hidden = answers - foot
	return place, between == 1
}

// below is what stands in the bottom border of a frame: the status, and how much of the
// foot is hidden.
func (p *panel) below(width int) string {
	hidden := ""
	if p.hidden > 0 {
		hidden = "↕ " + termtext.Count(p.hidden, "more line")
	}
	joined := func(status string) string { return strings.Trim(status+" · "+hidden, " ·") }
	if words := joined(p.status); p.brief == "" || termtext.Width(words) <= borderRoom(width) {
		return words
	}
	return joined(p.brief)
}

// bodyLines are the lines of the body that are shown. bar says which of all lines
// of the panel have the scroll bar's thumb beside them.
func (p *panel) bodyLines(w int, place placement) (lines []string, bar map[int]bool) {
	if place.shown <= 0 {
		return nil, nil
	}
	from := 0
	bar = make(map[int]bool)
	if p.scroll != nil {
		from = p.scroll.Top
		top, bottom := p.scroll.Thumb()
		for i := top; i < bottom; i++ {
			bar[place.body+i] = true
		}
	}
	return p.body.lines(paper{w, p.th}, from, from+place.shown), bar
}

// cursorAt is where the cursor stands in the view, nil if it is not in it.
func (p *panel) cursorAt(place placement, frame bool, width, height int) *tea.Cursor {
	if p.cursor == nil {
		return nil
	}
	c := *p.cursor
	c.X = min(c.X+place.left, width-1)
	switch {
	case p.inBody:
		line := c.Y - p.scroll.Top
		if line < 0 || line >= place.shown {
			return nil
		}
		c.Y = place.body + line
	case p.inFoot:
		line := c.Y - place.footFrom
		if line < 0 || c.Y >= place.footTo {
			return nil
		}
		c.Y = place.foot + line
	case frame:
		c.Y++
	}
	if c.Y >= height {
		return nil
	}
	return &c
}

// divider stands between body and foot and says how much of the body is hidden.
func (p *panel) divider(w int) string {
	if p.scroll == nil {
		return ""
	}
	above, below := p.scroll.Hidden()
	var words []string
	if above > 0 {
		words = append(words, "↑ "+termtext.Count(above, "more line"))
	}
	if below > 0 {
		words = append(words, "↓ "+termtext.Count(below, "more line"))
	}
	if len(words) == 0 {
		return ""
	}
	rule := lipgloss.NewStyle().Foreground(p.th.Border)
	text := cut(strings.Join(words, " · "), w)
	rest := max(0, w-termtext.Width(text)-1)
	return p.th.Info.Render(text) + " " + rule.Render(strings.Repeat("╌", rest))
}

func (p *panel) frame(lines []string, bar map[int]bool, width int) []string {
	edge := lipgloss.NewStyle().Foreground(p.th.Border)
	if p.lit {
		edge = lipgloss.NewStyle().Foreground(p.th.BorderFocused)
	}
	thumb := lipgloss.NewStyle().Foreground(p.th.BorderFocused)
	left, right, grip := edge.Render("│")+"  ", "  "+edge.Render("│"), "  "+thumb.Render("┃")
	out := make([]string, 0, len(lines)+frameHeight)
	out = append(out, border(edge, "╭", "╮", p.th.DialogTitle.Render(p.title), p.th.Muted.Render(p.note), width))
	for i, l := range lines {
		end := right
		if bar[i] {
			end = grip
		}
		out = append(out, left+pad(l, width-frameWidth)+end)
	}
	return append(out, border(edge, "╰", "╯", p.th.Muted.Render(p.below(width)), "", width))
}

// borderRoom is how wide a text in a border can be: it has corners and blanks around it.
func borderRoom(width int) int { return width - 6 }

// border draws a horizontal border with texts in it.
func border(edge lipgloss.Style, from, to, left, right string, width int) string {
	room := borderRoom(width)
	label := func(s string) string {
		if termtext.Width(s) == 0 {
			return ""
		}
		return " " + s + " "
	}
	right = label(cut(right, room/2))
	left = label(cut(left, room-termtext.Width(right)))
	fill := max(0, width-4-termtext.Width(left)-termtext.Width(right))
	return edge.Render(from+"─") + left + edge.Render(strings.Repeat("─", fill)) + right + edge.Render("─"+to)
}

// searchLine puts the line in which words are written that are looked for into the
// head of the panel.
func (p *panel) searchLine(in *list.Input, w int) {
	text, column := in.Draw(max(1, w-2), p.th)
	p.head = append(p.head, p.th.Accent.Render("/")+" "+text)
	p.cursor = tea.NewCursor(column+2, 0)
}
