package composer

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"parley/internal/prompt"
	"parley/internal/termtext"
	"parley/tui/theme"
)

const (
	narrowest = 4 // minimum number of columns
	gutter    = 2 // columns of the mark before the draft
	popupRows = 8
)

// textWidth returns the columns of the text. The last one is for a cursor after a full
// row.
func (c *Composer) textWidth() int { return c.width - gutter - 1 }

// layout is the number of lines of each part.
type layout struct{ popup, search, editor int }

func (c *Composer) layout() layout {
	var l layout
	if c.search != nil && c.maxHeight > 1 {
		l.search = 1
	}
	_, below := c.buf.step(wrappedRow{}, c.maxHeight-l.search-1, c.textWidth())
	l.editor = below + 1
	if p := c.offered(); p.open() {
		want := min(popupRows, max(1, len(p.items)))
		// If both are long, the draft keeps half.
		room := c.maxHeight - l.search
		l.popup = max(0, min(want, room-min(l.editor, max(1, room/2))))
		l.editor = min(l.editor, room-l.popup)
	}
	return l
}

// settle scrolls so that the cursor and the marked item of the popup are visible,
// without empty rows below the draft.
func (c *Composer) settle() {
	c.follow()
	l, b, width := c.layout(), c.buf, c.textWidth()
	if c.top.line >= len(b.lines) || c.top.row >= len(b.rows(c.top.line, width)) {
		c.top = b.rowOf(pos(min(c.top.line, len(b.lines)-1), 0), width)
	}
	cursor := b.rowOf(b.cur, width)
	if first, _ := b.step(cursor, 1-l.editor, width); c.top.before(first) {
		c.top = first
	} else if cursor.before(c.top) {
		c.top = cursor
	}
	if _, below := b.step(c.top, l.editor-1, width); below < l.editor-1 {
		c.top, _ = b.step(c.top, below-(l.editor-1), width)
	}
	if p := c.offered(); l.popup > 0 {
		p.window.Fit(len(p.items), l.popup)
	} else {
		p.window.Top = 0
	}
}

// View draws the composer: as many lines as it needs, none wider than the width, the
// popup first. cursor is the position of the terminal's cursor, counted from the first
// line and column.
func (c *Composer) View() (lines []string, cursor *tea.Cursor) {
	l, b, width := c.layout(), c.buf, c.textWidth()
	lines = make([]string, 0, l.popup+l.search+l.editor)
	lines = c.popupLines(lines, l.popup)
	cursor = tea.NewCursor(0, 0)
	cursor.Shape = c.cursorShape()
	if l.search > 0 {
		line, x := c.search.line(c.Theme, c.width)
		cursor.X, cursor.Y = x, len(lines)
		lines = append(lines, line)
	}
	at := b.rowOf(b.cur, width)
	p := c.top
	for i := range l.editor {
		if p == at && l.search == 0 {
			cursor.X, cursor.Y = gutter+min(b.column(b.cur, width), width), len(lines)
		}
		next, more := b.step(p, 1, width)
		line := c.mark(p, i == 0, i == l.editor-1 && more > 0) + c.row(p, width)
		if more == 0 {
			line += c.ghost(gutter + b.column(b.last(), width))
		}
		lines = append(lines, line)
		p = next
	}
	return lines, cursor
}

// mark returns what precedes a row: the prompt sign, or a sign that there is more.
func (c *Composer) mark(p wrappedRow, first, cutOff bool) string {
	switch {
	case p == wrappedRow{} && c.IsCommand():
		return c.Theme.Warning.Bold(true).Render("$") + " "
	case p == wrappedRow{} && c.unfocused:
		return "  "
	case p == wrappedRow{}:
		return c.Theme.UserMark.Render("❯") + " "
	case first:
		return c.Theme.Faint.Render("↑") + " "
	case cutOff:
		return c.Theme.Faint.Render("↓") + " "
	}
	return "  "
}

// ghost returns the placeholder, or the hint of a command's input until the user types
// it.
func (c *Composer) ghost(column int) string {
	b, text := c.buf, ""
	draft := b.lines[0].text
	name, isCommand := strings.CutPrefix(strings.TrimRight(draft, " "), "/")
	switch {
	case b.empty():
		text = c.placeholder
	case isCommand && len(b.lines) == 1 && b.cur == b.last() && !c.completion.open():
		cmd, _ := c.commands.find(name)
		if text = cmd.hint; text != "" && !strings.HasSuffix(draft, " ") {
			text = " " + text
		}
	}
	if text == "" {
		return ""
	}
	return c.Theme.Faint.Render(termtext.Truncate(text, max(0, c.width-column), "…"))
}

// row draws one row of the draft.
func (c *Composer) row(p wrappedRow, width int) string {
	b := c.buf
	from, to := b.bounds(p, width)
	text := b.lines[p.line].text
	var out, run strings.Builder
	style := c.Theme.Text
	marks := c.highlights(p.line, from, to)
	first, last, ends := c.selectedOn(p.line)
	flush := func() {
		if run.Len() > 0 {
			out.WriteString(style.Render(run.String()))
			run.Reset()
		}
	}
	now := unmarked
	for i, x := from, 0; i < to; {
		n, w := b.chips.part(text, i, width)
		shown := text[i : i+n]
		if ch, ok := b.chips.at(shown); ok {
			shown = termtext.Truncate(ch.label, w, "…")
		} else if shown == "\t" {
			shown = strings.Repeat(" ", w)
		}
		if x+w > width { // a space that hangs over
			break
		}
		for len(marks) > 0 && i >= marks[0].to {
			marks = marks[1:]
		}
		kind := unmarked
		if len(marks) > 0 && i >= marks[0].from {
			kind = marks[0].kind
		}
		if i >= first && i < last {
			kind = markSelected
		}
		if kind != now {
			flush()
			now, style = kind, kind.style(c.Theme)
		}
		run.WriteString(shown)
		i, x = i+n, x+w
	}
	flush()
	if ends && to == len(text) && b.chips.width(text[from:to]) < width {
		out.WriteString(c.Theme.Span.Render(" "))
	}
	return out.String()
}

// selectedOn returns the selected offsets of a line. ends means that its end is
// selected too.
func (c *Composer) selectedOn(row int) (first, last int, ends bool) {
	from, to, ok := c.selected()
	if !ok || c.search != nil || row < from.Row || row > to.Row {
		return 0, 0, false
	}
	last = len(c.buf.lines[row].text)
	if row == from.Row {
		first = from.Col
	}
	if row == to.Row {
		last = to.Col
	}
	return first, last, row < to.Row
}

// highlight is a part of a line in a style of its own.
type highlight struct {
	from, to int
	kind     highlightKind
}

type highlightKind int

const (
	unmarked highlightKind = iota
	markCommand
	markMention
	markChip
	markMatch
	markShell
	markSelected
)

func (k highlightKind) style(t *theme.Theme) lipgloss.Style {
	switch k {
	case markCommand, markChip:
		return t.Accent
	case markMention:
		return t.Info
	case markShell:
		return t.Warning
	case markMatch:
		return t.ChoiceSelected
	case markSelected:
		return t.Span
	}
	return t.Text
}

// highlights returns the highlights of a line between two offsets, in order.
func (c *Composer) highlights(row, from, to int) []highlight {
	text := c.buf.lines[row].text
	if c.search != nil {
		at := c.buf.cur
		_, found := c.search.match()
		if start, end, ok := c.search.sought.Next(text, min(at.Col, len(text))); found && ok && at.Row == row && start == at.Col {
			return []highlight{{start, end, markMatch}}
		}
		return nil
	}
	var list []highlight
	if row == 0 && strings.HasPrefix(text, "/") {
		name, _, _ := strings.Cut(text[1:], " ")
		if _, known := c.commands.find(name); known {
			list = append(list, highlight{0, 1 + len(name), markCommand})
		}
	}
	for i := from; i < to; {
		n, _ := c.chips.next(text, i)
		if _, ok := c.chips.at(text[i:]); ok {
			list = append(list, highlight{i, i + n, markChip})
		}
		i += n
	}
	if c.IsCommand() {
		return commandHighlights(list, from, to)
	}
	start := wordBefore(text, from)
	for _, m := range prompt.Mentions(text[start:to]) {
		if m.To > m.From+1 && start+m.To > from && c.looked[m.Path] {
			list = append(list, highlight{start + m.From, start + m.To, markMention})
		}
	}
	slices.SortFunc(list, func(a, b highlight) int { return a.from - b.from })
	return list
}

// wordBefore returns a position at or shortly before an offset where no word is cut.
func wordBefore(s string, at int) int {
	const reach = 512
	from := max(0, at-reach)
	if space := strings.IndexByte(s[from:at], ' '); from > 0 && space >= 0 {
		return from + space
	} else if from > 0 {
		return at
	}
	return 0
}
