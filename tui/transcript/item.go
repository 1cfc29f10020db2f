package transcript

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/termtext"
	"parley/terminal/screen"
	"parley/tui/diffview"
	"parley/tui/markdown"
	"parley/tui/theme"
	"parley/tui/toolview"
)

// drawing draws one item.
type drawing interface {
	// update brings the drawing up to date with its item. It reports whether the lines
	// of the first section have changed in spite of an equal version.
	update(env *environment, expanded bool) (changed bool)
	// sections returns the number of sections; an item without sections is not shown.
	sections() int
	// draw adds the lines of a section, none wider than width.
	draw(s *sheet, section, width int)
	// mark returns the symbol in the margin of the first line.
	mark() string
	// compact reports whether the item needs no blank line around it.
	compact() bool
	// excerpt returns what can be copied, saved or opened.
	excerpt() toolview.Excerpt
	// title names the item in a line.
	title() string
}

// environment is shared by all drawings at one depth.
type environment struct {
	theme     *theme.Theme
	dimmed    *theme.Theme // for thoughts
	inner     *theme.Theme // for the output of tools
	bar       string       // left of it
	now       time.Time    // for clocks, or zero
	places    toolview.Paths
	facts     *toolview.Facts
	width     int // of text, in cells
	diffWidth int // of diffs, in cells
	diffs     *diffview.Preference
	// pictures are the images that are ready to be drawn.
	pictures *pictures
	emulated *int // counts the lines of emulators
	// open are the permission requests shown above the prompt. They show the content
	// of their tool calls.
	open []*conversation.Permission
}

// base is the common part of most drawings: one section, with blank lines around it.
type base struct {
	env      *environment
	expanded bool
}

func (b *base) update(env *environment, expanded bool) bool {
	b.env, b.expanded = env, expanded
	return false
}

func (b *base) sections() int { return 1 }

func (b *base) compact() bool { return false }

func (b *base) title() string { return "Notice" }

// newDrawing returns the drawing for an item.
func newDrawing(item conversation.Item) drawing {
	if g, ok := item.(*conversation.Group); ok {
		return &group{item: g}
	}
	var m maker
	item.Visit(&m)
	return m.made
}

// maker makes the drawing of an item by its kind.
type maker struct{ made drawing }

// Message implements conversation.Visitor, like the methods beside the other drawings.
func (m *maker) Message(i *conversation.Message) {
	switch i.Chunk {
	case acpclient.UserMessageChunk:
		m.made = &prompt{item: i}
	case acpclient.AgentThoughtChunk:
		m.made = &thought{messageParts: messageParts{item: i}}
	default:
		m.made = &message{messageParts: messageParts{item: i}}
	}
}

// Title returns the name of an item, in one line.
func Title(item conversation.Item) string { return newDrawing(item).title() }

// sheet collects drawn lines and, if they are to be copied, what each of them shows.
type sheet struct {
	lines  []string
	copies bool
	rows   []termtext.Row // as many as lines if copies is set
}

// add adds lines that are copied as they are drawn.
func (s *sheet) add(lines ...string) {
	s.lines = append(s.lines, lines...)
	if s.copies {
		s.rows = append(s.rows, make([]termtext.Row, len(lines))...)
	}
}

// tell says what the lines added last show.
func (s *sheet) tell(rows ...termtext.Row) { copy(s.rows[len(s.rows)-len(rows):], rows) }

// cut drops the lines from an index on.
func (s *sheet) cut(at int) {
	s.lines = s.lines[:at]
	if s.copies {
		s.rows = s.rows[:at]
	}
}

// take adds some lines of another sheet.
func (s *sheet) take(from *sheet, first, end int) {
	end = min(end, len(from.lines))
	first = min(first, end)
	s.add(from.lines[first:end]...)
	if s.copies {
		s.tell(from.rows[first:end]...)
	}
}

// wrap adds plain text, wrapped, in a style.
func (s *sheet) wrap(text string, width int, style lipgloss.Style) {
	for line := range strings.SplitSeq(strings.TrimRight(termtext.Block(text), "\n"), "\n") {
		text := strings.ReplaceAll(line, "\t", "    ")
		parts := termtext.Wrap(text, width)
		for _, part := range parts {
			s.add(style.Render(part))
		}
		if s.copies {
			rows := termtext.Rows(text, parts)
			if len(parts) == 1 {
				rows[0].Text = line
			}
			s.tell(rows...)
		}
	}
}

// block adds a block of a document.
func (s *sheet) block(doc *markdown.Document, i, width int) {
	lines := doc.Lines(i, width)
	if len(s.lines) == 0 && !s.copies {
		s.lines = slices.Clip(lines) // they need no copy
		return
	}
	s.add(lines...)
	if s.copies {
		s.tell(doc.Rows(i, width)...)
	}
}

// emulated adds lines of an emulator. sent is the text that it was given, "" if unknown.
func (s *sheet) emulated(emu *screen.Screen, from, to int, sent string) {
	to = min(to, emu.Len())
	for i := from; i < to; i++ {
		s.add(emu.Line(i))
	}
	if !s.copies {
		return
	}
	sent = termtext.Block(sent)
	rest := "" // of a line of the text, behind what the line above shows
	for i := range to {
		shown, row := ansi.Strip(emu.Line(i)), termtext.Row{Soft: i > 0 && emu.Wrapped(i-1)}
		if more := strings.TrimLeft(rest, " "); more != "" && strings.HasPrefix(more, shown) {
			row.Soft, row.Gap, rest = true, rest[:len(rest)-len(more)], more[len(shown):]
		} else if !row.Soft {
			var line string
			line, sent, _ = strings.Cut(sent, "\n")
			before, after, begins := strings.Cut(termtext.ExpandTabs(line, outputTab), shown)
			if rest = ""; begins && before == "" {
				rest = after
			}
			if begins && before+strings.TrimRight(after, " ") == "" {
				row.Text = line
			}
		}
		if i >= from {
			s.rows[len(s.rows)-to+i] = row
		}
	}
}

// tail adds the last lines of an emulator, and says how many there are above them. Above
// are lines that the emulator does not have.
func (s *sheet) tail(emu *screen.Screen, above int, env *environment, sent string) {
	all := emu.Len()
	from, hidden := max(0, all-terminalPeek), above+all-terminalPeek
	if hidden > 1 || above > 0 {
		s.add(env.theme.Faint.Render(fmt.Sprintf("… %d lines above", max(2, hidden))))
	} else {
		from = 0 // a single further line needs no more room than saying so
	}
	first := len(s.lines)
	s.emulated(emu, from, all, sent)
	if first < len(s.rows) {
		s.rows[first].Soft = false
	}
}

// inset puts a bar left of the lines from an index on.
func (s *sheet) inset(from, width int, bar string) {
	for i := from; i < len(s.lines); i++ {
		s.lines[i] = termtext.Truncate(bar+s.lines[i], width, "")
		if s.copies {
			s.rows[i] = s.rows[i].Right(barWidth)
		}
	}
}

// head returns how many of some lines are the first n, and how many more there are. A
// single further line counts among the first: it needs no more room than saying so.
func head(lines, n int) (shown, more int) {
	if lines <= n+1 {
		return lines, 0
	}
	return n, lines - n
}

// fit cuts a styled line to a width.
func fit(line string, width int) string { return termtext.Truncate(line, width, "…") }
