package transcript

import (
	"math"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"parley/internal/termtext"
	"parley/terminal/screen"
	"parley/tui/diffview"
	"parley/tui/toolview"
)

// source is a text, and which lines of a stretch show it.
type source struct {
	text     string
	from, to int // to is the first line behind it; whole is all lines there are
	// lead is how many cells left of the text are none of it.
	lead int
	// flows says that the text is a piece of a longer one and goes on directly
	// where the source before it ends.
	flows bool
	// part says that the lines show no more than a part of the text.
	part bool
}

const whole = math.MaxInt

// stretch is some sections of an item that show one thing, such as a long output.
// Its lines are those of its sections, one after the other.
type stretch struct {
	first, sections int
	per             int // lines of each section but the last
}

// sourced is a drawing that knows which text its lines show. Lines of others, and
// those that have no source, are copied as they are drawn.
type sourced interface {
	drawing
	// stretch is the stretch that a section belongs to.
	stretch(section int) stretch
	// sources are the texts that the lines from (inclusive) to (exclusive) of a
	// stretch show, in order, none overlapping another.
	sources(s stretch, from, to, width int) []source
}

func single(section int) stretch { return stretch{first: section, sections: 1} }

func (m *message) stretch(section int) stretch { return single(section) }

func (m *message) sources(s stretch, _, _, _ int) []source { return partSources(m.parts, s.first) }

func (p *prompt) stretch(section int) stretch {
	if !p.expanded {
		return single(section)
	}
	return stretch{sections: p.sections(), per: chunk}
}

// sources is all that the person wrote. If it is folded, the last line tells so.
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

// partSources is the source of the n-th section of several parts; there is none if
// it shows a block that is not text.
func partSources(parts []part, section int) []source {
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

func (t *thought) stretch(section int) stretch { return single(section) }

func (t *thought) sources(s stretch, _, _, _ int) []source {
	if s.first == 0 {
		return nil
	}
	return partSources(t.parts, s.first-1)
}

func (c *compaction) stretch(section int) stretch { return single(section) }

func (c *compaction) sources(s stretch, _, _, _ int) []source {
	if s.first == 0 {
		return nil
	}
	return partSources(c.parts, s.first-1)
}

func (n *note) stretch(section int) stretch { return single(section) }

func (n *note) sources(stretch, int, int, int) []source {
	return []source{{text: n.excerpt().Text, to: whole}}
}

func (p *plan) stretch(section int) stretch { return single(section) }

// sources is the plan as a list of tasks; the line above it has its progress.
func (p *plan) sources(stretch, int, int, int) []source {
	return []source{{text: p.excerpt().Text, from: 1, to: whole}}
}

func (u *unknown) stretch(section int) stretch { return single(section) }

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
	body
	// sources are the texts that lines of the whole body show.
	sources(from, to, width int, env *environment) []source
	// peekSources are those that the collapsed body shows in its first n lines.
	peekSources(n, width int, env *environment) []source
}

// headSources are the sources of a collapsed body that shows the first n lines of
// the whole one.
func headSources(b sourcedBody, n, width int, env *environment) []source {
	return upTo(b.sources(0, n, width, env), n)
}

// upTo cuts sources off behind n lines.
func upTo(list []source, n int) []source {
	for i := range list {
		if s := &list[i]; s.to > n {
			s.to, s.part = n, true
		}
	}
	return list
}

// stretch is section 0, with the header and the collapsed bodies, or all sections
// of a body.
func (t *toolCall) stretch(section int) stretch {
	first := 1
	for _, b := range t.expandedBodies() {
		n := (b.len(t.widthOf(b, t.env.width), t.env) + chunk - 1) / chunk
		if section >= first && section < first+n {
			return stretch{first: first, sections: n, per: chunk}
		}
		first += n
	}
	return single(section)
}

func (t *toolCall) expandedBodies() []body {
	if !t.expanded {
		return nil
	}
	return t.wholeBodies()
}

func (t *toolCall) sources(s stretch, from, to, width int) []source {
	if s.first == 0 {
		return t.peekSources(width)
	}
	section := 1
	for _, b := range t.expandedBodies() {
		inner := t.widthOf(b, width)
		if section == s.first {
			if b, ok := b.(sourcedBody); ok {
				return shifted(b.sources(from, to, inner, t.env), 0, width-t.bodyWidth(width))
			}
			return nil
		}
		section += (b.len(inner, t.env) + chunk - 1) / chunk
	}
	return nil
}

// peekSources are the sources of the bodies while the call is collapsed.
func (t *toolCall) peekSources(width int) []source {
	if t.expanded || t.asked || t.brief {
		return nil
	}
	var out []source
	inner, at := t.bodyWidth(width), len(t.header(width))
	for _, b := range t.bodies {
		lines, more := b.peek(inner, t.env)
		if b, ok := b.(sourcedBody); ok {
			out = append(out, shifted(b.peekSources(len(lines), inner, t.env), at, width-inner)...)
		}
		if at += len(lines); more > 0 {
			at++ // says how many more there are
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

func (b *textBody) peekSources(n, width int, env *environment) []source {
	return headSources(b, n, width, env)
}

func (b *diffBody) sources(from, to, width int, env *environment) []source {
	return b.below(env.diffs.Layout(b.Diff, width), from, to)
}

func (b *diffBody) peekSources(n, width int, _ *environment) []source {
	return upTo(b.below(b.Layout(width, diffview.Unified), 0, n), n)
}

// below are the sources of lines of a layout, which stands below the heading if there
// is one.
func (b *diffBody) below(l *diffview.Layout, from, to int) []source {
	if b.headed {
		return shifted(diffSources(l, from-1, to-1), 1, 0)
	}
	return diffSources(l, from, to)
}

// diffSources are the lines of the two texts that a layout shows.
func diffSources(l *diffview.Layout, from, to int) []source {
	var out []source
	for _, s := range l.Sources(from, to) {
		out = append(out, source{text: s.Text, from: s.From, to: s.To, lead: s.Lead})
	}
	return out
}

// sources is the JSON below the label.
func (b *rawBody) sources(_, _, _ int, _ *environment) []source {
	return []source{{text: toolview.JSON(b.data, rawMost), from: 1, to: whole}}
}

func (b *rawBody) peekSources(n, width int, env *environment) []source {
	return headSources(b, n, width, env)
}

// sources is the command without the sign before it.
func (b *commandBody) sources(_, _, width int, _ *environment) []source {
	return []source{{text: b.command.Line, to: len(termtext.Break(b.command.Line, width-2)), lead: 2}}
}

func (b *commandBody) peekSources(n, width int, env *environment) []source {
	return headSources(b, n, width, env)
}

// sources are the lines of the text, each as long as it was.
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
		if s := &list[i]; at+i < len(lines) && sameButBlanks(lines[at+i], s.text) {
			s.text = lines[at+i]
		}
	}
	return list
}

// sameButBlanks reports that two texts differ in their blanks at most.
func sameButBlanks(a, b string) bool {
	return slices.Equal(strings.Fields(a), strings.Fields(b))
}

func (b *outputBody) peekSources(n, width int, env *environment) []source {
	all := b.draw(width).Len()
	if !b.ends {
		return headSources(b, n, width, env)
	}
	at := 0
	if all > n {
		at = 1 // says how many there are above
	}
	return tailSources(b.sources(all-n+at, all, width, env), all-n, at)
}

// tailSources moves sources up by so many lines, to where the end of a body is shown
// from a line on. What is above that line is not shown.
func tailSources(list []source, up, at int) []source {
	list = shifted(list, -up, 0)
	for i := range list {
		if s := &list[i]; s.from < at {
			s.from, s.part = at, true
		}
	}
	return list
}

// sources are the lines of the output, each as long as the program made it. The
// command stands above them.
func (v *terminalView) sources(from, to, width int, _ *environment) []source {
	v.draw(width)
	out := []source{{text: v.term.Command, from: 0, to: 1}}
	return append(out, printedSources(v.emu, from-1, to-1, 1)...)
}

// printedSources are the sources of lines of an emulator, of which the first is drawn
// on the line at.
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
	if v.term.Command != "" {
		out, at = append(out, source{text: v.term.Command, to: 1}), 1
	}
	shown := n - at - len(v.status(env))
	if all > shown {
		at, shown = at+1, shown-1 // says how many there are above
	}
	return append(out, tailSources(printedSources(v.emu, all-shown, all, 0), all-shown-at, at)...)
}

// clean makes a source's text fit to be compared with what was drawn of it.
func clean(text string) string { return termtext.Block(text) }
