package linemode

import (
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/charmbracelet/x/term"

	"parley/internal/conversation"
	"parley/internal/termtext"
)

// printer writes lines, which never change afterwards. It sanitises all text.
type printer struct {
	to  io.Writer
	err error // the first write error, after which nothing is written
	// echoes means that the terminal shows what the user types.
	echoes bool

	asking string // the prompt before the line being typed, or ""
	blank  bool   // the last line is empty, or there is none

	// conv is the conversation being written; it may be empty.
	conv *conversation.Conversation
	seen int       // how many of its items were written
	open []*growth // the items that may still change
	// halves are the items with an incomplete line. speaks is the last written item if it may
	// continue, else nil.
	halves []*growth
	speaks *growth
	calls  []*conversation.ToolCall       // by their numbers, from 1 on
	typed  map[*conversation.Message]bool // prompts that the user has just typed
	kept   int                            // seen, before the items were cleared
}

func newPrinter(to io.Writer, echoes bool) *printer {
	return &printer{to: to, echoes: echoes, blank: true, conv: conversation.New(), typed: map[*conversation.Message]bool{}}
}

// line writes text as separate lines, without trailing empty ones.
func (w *printer) line(text string) { w.lines(strings.TrimRight(text, "\n")) }

// lines writes text as separate lines.
func (w *printer) lines(text string) {
	w.broken()
	text = termtext.Block(text)
	w.write(text + "\n")
	w.blank, w.speaks = text == "" || strings.HasSuffix(text, "\n"), nil
}

// words writes parley's own lines, wrapped between words.
func (w *printer) words(lines ...string) {
	width := widthOf(w.to)
	for _, line := range lines {
		w.line(strings.Join(wrapped(line, width), "\n"))
	}
}

// gap writes an empty line, unless the last one is empty.
func (w *printer) gap() {
	if !w.blank {
		w.line("")
	}
}

// prompt asks the user to type a line.
func (w *printer) prompt(words string) {
	if w.asking == words {
		return
	}
	w.broken()
	w.write(words)
	w.asking = words
}

// again repeats the prompt, which may have scrolled away.
func (w *printer) again() {
	words := w.asking
	w.broken()
	if words != "" {
		w.prompt(words)
	}
}

// broken ends the line of the prompt, before something else is written.
func (w *printer) broken() {
	if w.asking != "" {
		w.write("\n")
	}
	w.asking = ""
}

// answered records that the user has typed a line, which a terminal echoes.
func (w *printer) answered() {
	if !w.echoes {
		w.broken()
	}
	w.asking = ""
	w.blank = false
}

func (w *printer) write(text string) {
	if w.err == nil {
		_, w.err = io.WriteString(w.to, text)
	}
}

// growth is an item that may still change, and how much of it was written.
type growth struct {
	item    conversation.Item
	version uint64
	drawn   bool

	prose       prose  // of a message: whether it is inside a code block
	part, bytes int    // of a message: how much of it was written
	replaced    int    // the last Replaced of a message
	begun       bool   // the speaker was named
	half        bool   // the last line is incomplete
	last        string // the last written state
	number      int    // of a tool call
	announced   bool   // the beginning was written
	over        bool
}

// show begins to write a conversation.
func (w *printer) show(c *conversation.Conversation) {
	w.conv, w.calls = c, nil
	w.skip(0)
}

// skip marks the first items as written.
func (w *printer) skip(seen int) { w.seen, w.open, w.halves = seen, nil, nil }

// items writes the news of all items.
func (w *printer) items() {
	w.seen = min(w.seen, len(w.conv.Items))
	open := w.open[:0]
	for _, g := range w.open {
		if w.item(g, false); !g.over {
			open = append(open, g)
		}
	}
	clear(w.open[len(open):])
	w.open = open
	for _, item := range w.conv.Items[w.seen:] {
		w.flush() // complete the earlier items first
		g := &growth{item: item}
		if w.item(g, false); !g.over {
			w.open = append(w.open, g)
		}
	}
	w.seen = len(w.conv.Items)
}

// hangs reports whether nothing will mark the end of an incomplete line: the agent sent it
// outside a turn, or a command that may be waiting for an answer.
func (g *growth) hangs(c *conversation.Conversation) bool {
	_, command := g.item.(*conversation.ShellCommand)
	return command || !c.Turn.Running
}

// waits reports whether an incomplete line may be all of its text.
func (w *printer) waits() bool {
	return slices.ContainsFunc(w.halves, func(g *growth) bool { return g.hangs(w.conv) })
}

// flushHanging writes incomplete lines that may be all of their text.
func (w *printer) flushHanging() {
	var rest []*growth
	for _, g := range w.halves {
		if !g.hangs(w.conv) {
			rest = append(rest, g)
			continue
		}
		w.item(g, true)
	}
	w.halves = rest
}

// flush writes all incomplete lines.
func (w *printer) flush() {
	halves := w.halves
	w.halves = nil
	for _, g := range halves {
		w.item(g, true)
	}
}

// prose turns Markdown into plain text: it removes the marks of headings, emphasis and
// inline code, and keeps code blocks. It remembers the open fence between calls.
type prose struct{ fence string }

var (
	fenceLine   = regexp.MustCompile("^ {0,3}(```+|~~~+)")
	headingLine = regexp.MustCompile(`^ {0,3}#{1,6}[ \t]+(.*?)[ \t]*#*[ \t]*$`)
	// strongOrCode matches both, so that asterisks in code stay.
	strongOrCode = regexp.MustCompile("`+([^`]+)`+|\\*\\*([^\\s*](?:[^*]*[^\\s*])?)\\*\\*|(?:\\b|^)__([^\\s_](?:[^_]*[^\\s_])?)__(?:\\b|$)")
)

// Lines returns complete lines as plain text, wrapped to a width in cells or, if that is 0,
// not at all. lead precedes the first one.
func (p *prose) Lines(text, lead string, width int) string {
	var out []string
	for line := range strings.SplitSeq(text, "\n") {
		fence := fenceLine.FindStringSubmatch(line)
		switch {
		case fence != nil && p.fence == "":
			p.fence = fence[1]
		case fence != nil && strings.HasPrefix(fence[1], p.fence):
			p.fence = ""
		case p.fence == "":
			if h := headingLine.FindStringSubmatch(line); h != nil {
				line = h[1]
			}
			out = append(out, wrapped(lead+strongOrCode.ReplaceAllString(line, "$1$2$3"), width)...)
			lead = ""
			continue
		}
		out, lead = append(out, lead+line), ""
	}
	return strings.Join(out, "\n")
}

// wrapped breaks a line between words.
func wrapped(line string, width int) []string {
	if width <= 0 || termtext.Width(line) <= width {
		return []string{line}
	}
	return termtext.Wrap(termtext.Block(line), width)
}

// widthOf returns the width of a terminal, or 0 for anything else.
func widthOf(to io.Writer) int {
	f, ok := to.(interface{ Fd() uintptr })
	if !ok {
		return 0
	}
	width, _, err := term.GetSize(f.Fd())
	if err != nil {
		return 0
	}
	return width
}
