package transcript

import (
	"bytes"
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"parley/internal/conversation"
	"parley/internal/termtext"
	"parley/terminal/screen"
	"parley/tui/diffview"
	"parley/tui/toolview"
)

// source is a text and the lines of a stretch that show it.
type source struct {
	text     string
	from, to int  // to is exclusive; whole means all lines
	lead     int  // the width of the margin left of the text, in cells
	flows    bool // continues the source before it on the same line
	part     bool // the lines show only a part of the text
}

const whole = math.MaxInt

// stretch is a run of sections that show one thing, such as a long output.
type stretch struct {
	first, sections int
	per             int // lines of each section but the last
}

// sourced is a drawing that knows which text its lines show. Lines without a source
// are copied as drawn.
type sourced interface {
	// sources returns the texts that the lines from (inclusive) to (exclusive) of a
	// stretch show, in order and without overlaps.
	sources(s stretch, from, to, width int) []source
}

// stretched is a drawing with stretches of several sections.
type stretched interface {
	// stretch returns the stretch that a section belongs to.
	stretch(section int) stretch
}

func single(section int) stretch { return stretch{first: section, sections: 1} }

func (m *message) sources(s stretch, _, _, _ int) []source { return m.parts.sources(s.first) }

func (p *prompt) stretch(section int) stretch {
	if !p.expanded {
		return single(section)
	}
	return stretch{sections: p.sections(), per: chunk}
}

// sources is the whole prompt. The last line of a folded one is not part of it.
func (p *prompt) sources(_ stretch, _, _, width int) []source {
	var texts []string
	folded := false
	for i := range p.item.Parts {
		text := strings.TrimSpace(p.item.Parts[i].Text())
		if text == "" {
			continue
		}
		texts = append(texts, text)
		part := firstLines(text, promptMost+1)
		folded = folded || part != text || len(wrap(part, width, p.env.theme.User)) > promptMost
	}
	s := source{text: strings.Join(texts, "\n"), to: whole}
	if folded && !p.expanded {
		s.to, s.part = len(p.all(width))-1, true
	}
	return []source{s}
}

// sources returns the source of a section, none if it shows a block that is not text.
func (parts textParts) sources(section int) []source {
	for i := range parts {
		p := &parts[i]
		n := p.sections()
		switch {
		case section >= n:
			section -= n
		case p.doc == nil:
			return nil
		default:
			return []source{{text: p.doc.Source(section), to: whole, flows: section > 0}}
		}
	}
	return nil
}

func (t *thought) sources(s stretch, _, _, _ int) []source {
	if s.first == 0 {
		return nil
	}
	return t.parts.sources(s.first - 1)
}

func (c *compaction) sources(s stretch, _, _, _ int) []source {
	if s.first == 0 {
		return nil
	}
	return c.parts.sources(s.first - 1)
}

func (n *note) sources(stretch, int, int, int) []source {
	return []source{{text: n.excerpt().Text, to: whole}}
}

// sources is the plan as a list of tasks, below the line with its progress.
func (p *plan) sources(stretch, int, int, int) []source {
	return []source{{text: p.excerpt().Text, from: 1, to: whole}}
}

func (u *unknown) sources(_ stretch, from, to, width int) []source {
	if !u.expanded || u.raw == nil {
		return nil
	}
	return shifted(u.raw.sources(from-1, to-1, width, u.env), 1, 0)
}

// shifted moves sources down and to the right.
func shifted(list []source, lines, cells int) []source {
	for i := range list {
		s := &list[i]
		s.from += lines
		if s.to != whole {
			s.to += lines
		}
		s.lead += cells
	}
	return list
}

// sourcedBody is a body that knows which text its lines show.
type sourcedBody interface {
	// sources returns the texts that lines of the whole body show.
	sources(from, to, width int, env *environment) []source
}

// peekSourced is a body that shows something else than its first lines while it is
// collapsed.
type peekSourced interface {
	// peekSources returns the texts that n lines of the collapsed body show.
	peekSources(n, width int, env *environment) []source
}

// upTo cuts sources off after n lines.
func upTo(list []source, n int) []source {
	for i := range list {
		if s := &list[i]; s.to > n {
			s.to, s.part = n, true
		}
	}
	return list
}

// stretch returns section 0, with the header and the collapsed bodies, or all sections
// of a body.
func (t *toolCall) stretch(section int) stretch {
	if b, first, length := t.bodyAt(section, t.env.width); b != nil {
		return stretch{first: first, sections: chunks(length), per: chunk}
	}
	return single(section)
}

func (t *toolCall) sources(s stretch, from, to, width int) []source {
	if s.first == 0 {
		return t.peekSources(width)
	}
	shown, _, _ := t.bodyAt(s.first, width)
	if b, ok := shown.(sourcedBody); ok {
		return shifted(b.sources(from, to, t.widthOf(shown, width), t.env), 0, barWidth)
	}
	return nil
}

// peekSources returns the sources of the bodies of a collapsed call.
func (t *toolCall) peekSources(width int) []source {
	if t.expanded || t.asked || t.brief {
		return nil
	}
	var out []source
	at := len(t.header(width))
	for _, b := range t.bodies {
		inner := t.widthOf(b, width)
		lines, more := b.peek(inner, t.env)
		var shown []source
		switch b := b.(type) {
		case peekSourced:
			shown = b.peekSources(len(lines), inner, t.env)
		case sourcedBody:
			shown = upTo(b.sources(0, len(lines), inner, t.env), len(lines))
		}
		out = append(out, shifted(shown, at, barWidth)...)
		if at += len(lines); more > 0 {
			at++ // the line "… more lines"
		}
	}
	return out
}

func (b *textBody) sources(from, to, width int, _ *environment) []source {
	var out []source
	at := 0
	for i := range b.doc.Len() {
		end := at + len(b.doc.Lines(i, width))
		if at < to && end > from {
			out = append(out, source{text: b.doc.Source(i), from: at, to: end, flows: i > 0})
		}
		at = end
	}
	b.doc.Release()
	return out
}

func (b *diffBody) sources(from, to, width int, env *environment) []source {
	return b.below(env.diffs.Layout(b.Diff, width), from, to)
}

func (b *diffBody) peekSources(n, width int, _ *environment) []source {
	return upTo(b.below(b.Layout(width, diffview.Unified), 0, n), n)
}

// below returns the sources of lines of a layout below the heading, if there is one.
func (b *diffBody) below(l *diffview.Layout, from, to int) []source {
	heading := 0
	if b.headed {
		heading = 1
	}
	var out []source
	for _, s := range l.Sources(from-heading, to-heading) {
		out = append(out, source{text: s.Text, from: s.From, to: s.To, lead: s.Lead})
	}
	return shifted(out, heading, 0)
}

// sources is the JSON below the label.
func (b *rawBody) sources(_, _, _ int, _ *environment) []source {
	return []source{{text: toolview.JSON(b.data, rawMost), from: 1, to: whole}}
}

// sources is the command without the prompt sign.
func (b *commandBody) sources(_, _, width int, _ *environment) []source {
	return []source{{text: b.command.Line, to: len(termtext.Break(b.command.Line, width-2)), lead: 2}}
}

// sources returns the lines of the text, unwrapped.
func (b *outputBody) sources(from, to, width int, _ *environment) []source {
	list := printedSources(b.draw(width), from, to, 0)
	if len(list) == 0 {
		return nil
	}
	// The emulator has no tabs. A line of the text is what it shows, unless the
	// program has moved the cursor.
	at := 0
	for i := range list[0].from {
		if !b.all.Wrapped(i) {
			at++
		}
	}
	lines := strings.Split(clean(b.text), "\n")
	for i := range list {
		s := &list[i]
		if at+i < len(lines) && slices.Equal(strings.Fields(lines[at+i]), strings.Fields(s.text)) {
			s.text = lines[at+i]
		}
	}
	return list
}

func (b *outputBody) peekSources(n, width int, env *environment) []source {
	all := b.draw(width).Len()
	if !b.ends {
		return upTo(b.sources(0, n, width, env), n)
	}
	at := 0
	if all > n {
		at = 1 // the line "… lines above"
	}
	return tailSources(b.sources(all-n+at, all, width, env), all-n, at)
}

// tailSources moves sources up, to a view of the end of a body that begins at a line,
// and cuts off what is above that line.
func tailSources(list []source, up, at int) []source {
	list = shifted(list, -up, 0)
	for i := range list {
		if s := &list[i]; s.from < at {
			s.from, s.part = at, true
		}
	}
	return list
}

// sources returns the command and, below it, the lines of the output, unwrapped.
func (v *terminalView) sources(from, to, width int, _ *environment) []source {
	v.draw(width)
	var out []source
	head := v.head()
	if head > 0 {
		out = append(out, source{text: cmp.Or(v.line, v.term.Command), from: 0, to: 1})
	}
	return append(out, printedSources(v.emu, from-head, to-head, head)...)
}

// printedSources returns the sources of lines of an emulator whose first line is drawn
// on line at.
func printedSources(emu *screen.Screen, from, to, at int) []source {
	var out []source
	from, to = max(from, 0), min(to, emu.Len())
	for from > 0 && emu.Wrapped(from-1) {
		from--
	}
	for from < to {
		end := from + 1
		text := ansi.Strip(emu.Line(from))
		for emu.Wrapped(end-1) && end < emu.Len() {
			text += ansi.Strip(emu.Line(end))
			end++
		}
		out = append(out, source{text: strings.TrimRight(text, " "), from: from + at, to: end + at})
		from = end
	}
	return out
}

func (v *terminalView) peekSources(n, width int, env *environment) []source {
	v.draw(width)
	var out []source
	at, all := 0, v.emu.Len()
	if v.head() > 0 {
		out, at = append(out, source{text: cmp.Or(v.line, v.term.Command), to: 1}), 1
	}
	shown := n - at - len(v.status(env))
	if all > shown {
		at, shown = at+1, shown-1 // the line "… lines above"
	}
	return append(out, tailSources(printedSources(v.emu, all-shown, all, 0), all-shown-at, at)...)
}

// clean sanitises a source's text as drawing does.
func clean(text string) string { return termtext.Block(text) }

// taken returns the text that an item shows between two points; nil is its start or
// its end.
func (l *layout) taken(n *conversation.Node, from, to *point) string {
	start, end := l.ends(n)
	if from != nil && (before(from.position, start) || from.position == start && from.cell == 0) {
		from = nil
	}
	if to != nil && !before(to.position, end) && to.cell >= termtext.Width(l.textOf(end)) {
		to = nil
	}
	d := l.at(n)
	if text := d.excerpt().Text; from == nil && to == nil && text != "" {
		return clean(text)
	}
	var out pieces
	last := end.section
	if to != nil {
		last = to.section
	}
	section := 0
	if from != nil {
		section = from.section
	}
	for section <= last {
		s := single(section)
		if d, ok := d.(stretched); ok {
			s = d.stretch(section)
		}
		out = l.cut(out, n, s, l.caretIn(s, n, from), l.caretIn(s, n, to))
		section = s.first + s.sections
	}
	return string(out.text)
}

// caretIn converts a point to a caret in a stretch, nil if it is outside.
func (l *layout) caretIn(s stretch, n *conversation.Node, p *point) *caret {
	if p == nil || p.section < s.first || p.section >= s.first+s.sections {
		return nil
	}
	line := p.line + (p.section-s.first)*s.per
	if p.section == 0 && l.lead(n) {
		line--
	}
	if line < 0 {
		return &caret{}
	}
	return &caret{line: line, cell: p.cell}
}

// cut appends the text that a stretch shows between two carets.
func (l *layout) cut(out pieces, at *conversation.Node, st stretch, from, to *caret) pieces {
	d, width := l.at(at), l.textWidth(at)
	low, high := 0, (st.sections-1)*st.per+len(d.lines(st.first+st.sections-1, width))
	all := high
	if from != nil {
		low = from.line
	}
	if to != nil {
		high = min(high, to.line+1)
	}
	var sources []source
	if d, ok := d.(sourced); ok {
		sources = d.sources(st, low, high, width)
	}
	for n := low; n < high; {
		for len(sources) > 0 && sources[0].to <= n {
			sources = sources[1:]
		}
		if len(sources) == 0 || n < sources[0].from {
			a, b := within(n, n+1, from, to)
			text := ""
			if lines := l.stretchLines(at, st, n, n+1); len(lines) > 0 {
				left, right := 0, -1
				if a != nil {
					left = a.cell
				}
				if b != nil {
					right = b.cell
				}
				text = strings.TrimRight(cellText(ansi.Strip(lines[0]), left, right), " ")
			}
			out = out.add(text, false)
			n++
			continue
		}
		s := sources[0]
		s.to = min(s.to, all)
		a, b := within(s.from, s.to, from, to)
		if s.part && b == nil {
			b = &caret{line: s.to - s.from}
		}
		text := clean(s.text)
		if a != nil || b != nil {
			text = newAlignment(text, l.stretchLines(at, st, s.from, s.to), s.lead).cut(a, b)
		}
		out = out.add(text, s.flows && out.open)
		out.open, n = true, s.to
	}
	return out
}

// within converts two carets to the lines low to high; one outside them becomes nil.
func within(low, high int, from, to *caret) (a, b *caret) {
	if from != nil && from.line >= low {
		a = &caret{line: from.line - low, cell: from.cell}
	}
	if to != nil && to.line < high {
		b = &caret{line: to.line - low, cell: to.cell}
	}
	return a, b
}

// stretchLines returns the lines from (inclusive) to (exclusive) of a stretch.
func (l *layout) stretchLines(n *conversation.Node, s stretch, from, to int) []string {
	var out []string
	d := l.at(n)
	for i := range s.sections {
		at := i * s.per
		if at >= to || s.per > 0 && at+s.per <= from && i+1 < s.sections {
			continue
		}
		lines := d.lines(s.first+i, l.textWidth(n))
		out = append(out, between(lines, max(0, from-at), to-at)...)
	}
	return out
}

// pieces is a text made of pieces.
type pieces struct {
	text []byte
	n    int
	last int  // where the last piece begins
	open bool // the next piece may continue the last one's line
}

// add appends a piece, on a line of its own unless it continues the last one's. A piece
// that is followed by a line loses its newlines at the end.
func (p pieces) add(text string, continues bool) pieces {
	if p.n > 0 && !continues {
		rest := bytes.TrimRight(p.text[p.last:], "\n")
		p.text = append(p.text[:p.last+len(rest)], '\n')
	}
	p.last = len(p.text)
	p.text, p.n, p.open = append(p.text, text...), p.n+1, false
	return p
}
