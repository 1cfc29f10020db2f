package dialog

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"parley/internal/termtext"
	"parley/tui/list"
	"parley/tui/theme"
)

// panel is the frame of a dialog with its contents: a scrolling body between a fixed head
// and foot.
type panel struct {
	th    *theme.Theme
	title string
	// note is at the right of the title, status in the bottom border; brief is a short
	// form of status for narrow panels.
	note, status, brief string
	// urgent means that the status says why answers are blocked, and stands out.
	urgent bool
	// hidden is the number of foot lines that do not fit.
	hidden int
	// asks means that the panel is a question.
	asks bool
	// focused means that a question takes keys. Only the frame shows it, which is dim
	// until then; the end-to-end tests rely on that.
	focused bool

	head []string
	body content
	// asked is the first part of the body, which must have been seen before a question
	// takes an answer; nil if that is all of it.
	asked  content
	scroll *list.Scroll
	// from and to are lines of the body to bring into view; to is 0 for none.
	from, to int
	foot     content
	// keep is the line of the foot to keep visible when the foot does not fit.
	keep int
	// cursor is a position in the head, or, if inBody or inFoot is set, in that part;
	// nil if there is no cursor.
	cursor         *tea.Cursor
	inBody, inFoot bool
	// shrink makes the frame as narrow as its content. Not for content that changes with
	// every key: the frame would jump.
	shrink bool
}

// placement holds the positions of a panel's parts in its view.
type placement struct {
	left int
	// head is the number of visible lines of the head.
	head int
	// body is the line of the view where the body begins, shown the number of its
	// visible lines.
	body, shown int
	// foot is the line of the view where the foot begins; its lines footFrom to
	// footTo are drawn.
	foot, footFrom, footTo int
	// split means that a line separates body and foot.
	split bool
}

// footLine returns the line of the foot that was drawn on line y of the view.
func (p placement) footLine(y int) (int, bool) {
	line := y - p.foot + p.footFrom
	return line, y >= p.foot && line < p.footTo
}

// bodyLine returns the line of the body that was drawn on line y of the view.
func (p placement) bodyLine(y int) (int, bool) {
	return y - p.body, y >= p.body && y < p.body+p.shown
}

const (
	frameWidth  = 6 // border and padding of both sides
	frameHeight = 2
	leastWidth  = 20 // what is narrower has no frame
	leastHeight = 5
	// widest is the maximum width of a panel, because longer lines are hard to read.
	// snuggest is the minimum width of one that shrinks, room permitting.
	widest   = 118 + frameWidth
	snuggest = 60
)

func framed(width, maxHeight int) bool { return width >= leastWidth && maxHeight >= leastHeight }

// inner returns the width inside the frame.
func inner(width, maxHeight int) int {
	if framed(width, maxHeight) {
		return width - frameWidth
	}
	return width
}

// view draws the panel and returns the positions of its parts.
func (p *panel) view(width, maxHeight int) (View, placement) {
	if width <= 0 || maxHeight <= 0 {
		return View{}, placement{}
	}
	w, frame := inner(width, maxHeight), framed(width, maxHeight)
	place := p.arrange(width, maxHeight)
	lines := append(make([]string, 0, maxHeight), p.head[:place.body]...)
	var thumbTop, thumbEnd int // of the scroll bar
	if place.shown > 0 {
		from := 0
		if p.scroll != nil {
			from = p.scroll.Top
			thumbTop, thumbEnd = p.scroll.Thumb()
		}
		lines = append(lines, p.body.lines(renderContext{w, p.th}, from, from+place.shown)...)
	}
	var foot []string
	if place.footFrom < place.footTo {
		foot = p.foot.lines(renderContext{w, p.th}, place.footFrom, place.footTo)
	}
	if p.shrink && frame && (p.scroll == nil || !p.scroll.Scrolls()) {
		width = p.fitted(lines, foot, width)
		w = inner(width, maxHeight)
	}
	if place.split {
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
		view.Lines = p.frame(lines, place.body+thumbTop, place.body+thumbEnd, width)
		place.left = frameWidth / 2
		place.body++
		place.foot++
	}
	view.Cursor = p.cursorAt(place, frame, width, len(view.Lines))
	return view, place
}

// pin adds the path of the visible change to the head if it has scrolled out of view, and
// returns the number of added lines.
func (p *panel) pin(w int) int {
	on := renderContext{w, p.th}
	c := changeAt(p.body, on, p.scroll.Top)
	if c == nil {
		return 0
	}
	before := len(p.head)
	p.head = c.head.lines(on, 0, min(pinned, c.head.height(on))) // in place of an empty line
	return len(p.head) - before
}

// pinned is the maximum number of lines of a pinned path.
const pinned = 2

// reveal scrolls the body as little as necessary to bring lines into view.
func (p *panel) reveal(from, to, width, maxHeight int) {
	p.arrange(width, maxHeight)
	p.scroll.Show(from, to)
}

// fitted returns the width of a panel that shrinks: that of its widest line.
func (p *panel) fitted(lines, foot []string, width int) int {
	need := snuggest - frameWidth
	for _, part := range [][]string{lines, foot} {
		for _, line := range part {
			need = max(need, termtext.Width(line))
		}
	}
	// A text in the border has a blank and a corner on both sides.
	need = max(need, termtext.Width(p.title)+termtext.Width(p.note)+6, termtext.Width(p.below(width))+6)
	return min(width, need+frameWidth)
}

// arrange divides the rows inside the frame among head, body and foot.
func (p *panel) arrange(width, maxHeight int) placement {
	w, rows := inner(width, maxHeight), maxHeight
	if framed(width, maxHeight) {
		rows -= frameHeight
	}
	total, answers := 0, 0
	if p.body != nil {
		total = p.body.height(renderContext{w, p.th})
	}
	if p.foot != nil {
		answers = p.foot.height(renderContext{w, p.th})
	}
	// The foot, mostly the answers, comes first; but the body is
	// never squeezed out: it gets a third of the room, or half if there is little.
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
	place := placement{head: head, body: head, shown: shown, foot: head + shown + between, split: between == 1}
	place.footFrom = min(max(0, p.keep-foot+1), answers-foot)
	place.footTo = place.footFrom + foot
	p.hidden = answers - foot
	return place
}

// below returns the text of the bottom border: the status, and how much of the foot is
// hidden.
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

// cursorAt returns the cursor's position in the view, nil if it is outside.
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

// divider draws the line between body and foot, which says how much of the body is hidden.
func (p *panel) divider(w int) string {
	if p.scroll == nil {
		return ""
	}
	words := list.HiddenWords(p.scroll.Hidden())
	if words == "" {
		return ""
	}
	rule, style := lipgloss.NewStyle().Foreground(p.th.Border), p.th.Info
	if p.asks {
		style = accent(p.th)
	}
	text := cut(words, w)
	rest := max(0, w-termtext.Width(text)-1)
	return style.Render(text) + " " + rule.Render(strings.Repeat("╌", rest))
}

// frame draws the frame, with the thumb of the scroll bar beside the lines from top to end.
func (p *panel) frame(lines []string, top, end, width int) []string {
	edge := lipgloss.NewStyle().Foreground(p.th.Border)
	if p.focused {
		edge = lipgloss.NewStyle().Foreground(p.th.BorderFocused)
	}
	thumb := lipgloss.NewStyle().Foreground(p.th.BorderFocused)
	left, right, grip := edge.Render("│")+"  ", "  "+edge.Render("│"), "  "+thumb.Render("┃")
	out := make([]string, 0, len(lines)+frameHeight)
	title := p.th.DialogTitle
	switch {
	case p.focused:
		title = accent(p.th).Bold(true)
	case p.asks:
		title = p.th.Title
	}
	out = append(out, border(edge, "╭", "╮", title.Render(p.title), p.th.Muted.Render(p.note), width))
	for i, l := range lines {
		side := right
		if top <= i && i < end {
			side = grip
		}
		out = append(out, left+pad(l, width-frameWidth)+side)
	}
	status := p.th.Muted
	if p.urgent && p.status != "" {
		status = p.th.Strong
	}
	return append(out, border(edge, "╰", "╯", status.Render(p.below(width)), "", width))
}

// borderRoom returns the maximum width of a text in a border, without corners and blanks.
func borderRoom(width int) int { return width - 6 }

// border draws a horizontal border with texts.
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

// renderContext is the width and the theme that content is drawn for.
type renderContext struct {
	width int
	th    *theme.Theme
}

// content is a part of a panel that may be taller than the panel, and is drawn in pieces.
type content interface {
	// height returns the number of lines.
	height(renderContext) int
	// lines draws the existing lines from (inclusive) to (exclusive).
	lines(p renderContext, from, to int) []string
}

// column stacks contents.
type column []content

// add appends contents, with an empty line before each but the first of the column.
func (c *column) add(parts ...content) {
	for _, part := range parts {
		if len(*c) > 0 {
			*c = append(*c, gap)
		}
		*c = append(*c, part)
	}
}

func (c column) height(p renderContext) int {
	n := 0
	for _, part := range c {
		n += part.height(p)
	}
	return n
}

func (c column) lines(p renderContext, from, to int) []string {
	var out []string
	for _, part := range c {
		if to <= 0 {
			break
		}
		n := part.height(p)
		if from < n {
			out = append(out, part.lines(p, max(from, 0), min(to, n))...)
		}
		from, to = from-n, to-n
	}
	return out
}

// block is content that is laid out whole, once per context and layout.
type block struct {
	draw func(renderContext) []string

	on     renderContext
	layout termtext.Layout
	done   []string
}

func newBlock(draw func(renderContext) []string) *block { return &block{draw: draw} }

func (b *block) height(p renderContext) int {
	if layout := termtext.NewLayout(p.width); b.on != p || b.layout != layout {
		b.on, b.layout, b.done = p, layout, b.draw(p)
	}
	return len(b.done)
}

func (b *block) lines(p renderContext, from, to int) []string {
	b.height(p)
	return b.done[from:to]
}

// fixed is content that is already drawn.
type fixed []string

// gap is an empty line.
var gap = fixed{""}

func (f fixed) height(renderContext) int { return len(f) }

func (f fixed) lines(_ renderContext, from, to int) []string { return f[from:to] }

// prose breaks text from outside into lines of at most width cells, between
// words where it can. Empty text has no lines.
func prose(s string, width int) []string {
	s = strings.TrimRight(strings.ReplaceAll(termtext.Block(s), "\t", "    "), "\n ")
	if s == "" {
		return nil
	}
	return termtext.Wrap(s, width)
}

// marked is prose behind a mark of one cell, in a style of its own.
func marked(mark, s string, width int, style lipgloss.Style) []string {
	return styled(hang(mark+" ", "  ", prose(s, width-2)), style)
}

// hang puts first in front of the first line, and rest in front of the others. It changes
// lines.
func hang(first, rest string, lines []string) []string {
	for i := range lines {
		lines[i] = first + lines[i]
		first = rest
	}
	return lines
}

// cut shortens a styled line to width cells, with a mark where it was cut.
func cut(s string, width int) string { return termtext.Truncate(s, width, "…") }

// cutAtWord cuts a text without styles behind a word, if one fits.
func cutAtWord(s string, width int) string {
	if termtext.Width(s) <= width {
		return s
	}
	short := cut(s, width-1)
	if at := strings.LastIndexByte(short, ' '); at > 0 {
		return short[:at] + " …"
	}
	return cut(s, width)
}

// pad fills a styled line with spaces, or cuts it, to exactly width cells.
func pad(s string, width int) string {
	s = cut(s, width)
	return s + strings.Repeat(" ", max(0, width-termtext.Width(s)))
}

// styled draws each line in a style.
func styled(lines []string, style lipgloss.Style) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = style.Render(l)
	}
	return out
}
