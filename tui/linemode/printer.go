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

// printer writes lines. What it has written never changes. All that it writes is made
// fit to be shown.
type printer struct {
	to  io.Writer
	err error // the first one of writing; nothing is written after it
	// echoes says that the person sees what they type.
	echoes bool

	asking string // what stands at the beginning of the line that is being typed, "" if none does
	blank  bool   // the last line is empty, or nothing was written yet

	// conv is the conversation that is written; it may be empty.
	conv *conversation.Conversation
	seen int       // how many of its items were looked at
	open []*growth // those that may still change
	// halves are the messages of which a part of a line waits, and speaks is the one
	// whose lines were written last; nil if anything else was.
	halves []*growth
	speaks *growth
	calls  []*conversation.ToolCall       // by their numbers, from 1 on
	typed  map[*conversation.Message]bool // prompts that the person has just typed
	kept   int                            // seen, before the items were cleared
}

func newPrinter(to io.Writer, echoes bool) *printer {
	return &printer{to: to, echoes: echoes, blank: true, conv: conversation.New(), typed: map[*conversation.Message]bool{}}
}

// line writes text as lines of their own, without empty ones at its end.
func (w *printer) line(text string) { w.lines(strings.TrimRight(text, "\n")) }

// lines writes text as lines of their own.
func (w *printer) lines(text string) {
	w.broken()
	text = termtext.Block(text)
	w.write(text + "\n")
	w.blank, w.speaks = text == "" || strings.HasSuffix(text, "\n"), nil
}

// words writes lines of parley's own, broken between words.
func (w *printer) words(lines ...string) {
	width := widthOf(w.to)
	for _, line := range lines {
		w.line(strings.Join(wrapped(line, width), "\n"))
	}
}

// gap parts what comes next from what stands above.
func (w *printer) gap() {
	if !w.blank {
		w.line("")
	}
}

// prompt invites the person to type, behind some words.
func (w *printer) prompt(words string) {
	if w.asking == words {
		return
	}
	w.broken()
	w.write(words)
	w.asking = words
}

// again invites the person once more, when the line may have gone from sight.
func (w *printer) again() {
	words := w.asking
	w.broken()
	if words != "" {
		w.prompt(words)
	}
}

// broken ends the line that is being typed, for something else is to be written.
func (w *printer) broken() {
	if w.asking != "" {
		w.write("\n")
	}
	w.asking = ""
}

// answered notes that the person has ended the line: a terminal has shown that.
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

	prose       prose  // of a message: whether its lines are code
	part, bytes int    // of a message: up to where it was written
	replaced    int    // what the message's Replaced was then
	begun       bool   // its speaker was named
	half        bool   // a part of a line waits for its end
	last        string // of a plan: what was written last
	number      int    // of a tool call
	told        bool   // it was said that it has begun
	over        bool
}

// show begins to write a conversation.
func (w *printer) show(c *conversation.Conversation) {
	w.conv, w.calls = c, nil
	w.skip(0)
}

// skip marks the first items as written.
func (w *printer) skip(seen int) { w.seen, w.open, w.halves = seen, nil, nil }

// items writes what is new about the items.
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
		w.flush() // what comes before it stands above it
		g := &growth{item: item}
		if w.item(g, false); !g.over {
			w.open = append(w.open, g)
		}
	}
	w.seen = len(w.conv.Items)
}

// hangs reports whether nothing will say that a part of a line is whole: it is the agent's
// and no turn runs, or it is a command's, which may wait for an answer.
func (g *growth) hangs(c *conversation.Conversation) bool {
	_, command := g.item.(*conversation.ShellCommand)
	return command || !c.Turn.Running
}

// waits reports whether a part of a line waits that may be all of it.
func (w *printer) waits() bool {
	return slices.ContainsFunc(w.halves, func(g *growth) bool { return g.hangs(w.conv) })
}

// flushHanging writes the parts of lines that may be all of them.
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

// flush writes the parts of lines that wait.
func (w *printer) flush() {
	halves := w.halves
	w.halves = nil
	for _, g := range halves {
		w.item(g, true)
	}
}

// prose makes lines of an agent's message fit to be read as plain text: without the marks of
// headings, emphasis and inline code, and broken between words. A code block stays as it is.
// It takes whole lines as they come, so it keeps whether they are inside a fence.
type prose struct{ fence string }

var (
	fenceLine   = regexp.MustCompile("^ {0,3}(```+|~~~+)")
	headingLine = regexp.MustCompile(`^ {0,3}#{1,6}[ \t]+(.*?)[ \t]*#*[ \t]*$`)
	// strongOrCode matches both, so that asterisks in code stay.
	strongOrCode = regexp.MustCompile("`+([^`]+)`+|\\*\\*([^\\s*](?:[^*]*[^\\s*])?)\\*\\*|(?:\\b|^)__([^\\s_](?:[^_]*[^\\s_])?)__(?:\\b|$)")
)

// Lines returns lines as plain text of at most so many cells each, the first one behind
// lead; 0 means any number.
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
