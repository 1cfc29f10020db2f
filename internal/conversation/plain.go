package conversation

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"parley/acpclient"
)

// plainOutput is how much of what a tool gave is written as plain text, in bytes: its
// end says most.
const plainOutput = 4 << 10

// Paragraph is a piece of a conversation as plain text. It is not fit to be drawn.
type Paragraph struct {
	Text string
	// Markdown says that the text is a heading or was written as Markdown. A prompt
	// and what tools give are not.
	Markdown bool
}

// Paragraphs returns what was said and done as text that people and agents can read: a
// heading for each side, what they said as they said it, a line for each call of a
// tool with what it gave indented below.
func Paragraphs(c *Conversation) []Paragraph {
	var w plainWriter
	for _, i := range c.Items {
		w.item(i)
	}
	return w.paragraphs
}

// WritePlain writes the paragraphs of a conversation with blank lines between them. It
// is not fit to be drawn.
func WritePlain(to io.Writer, c *Conversation) error {
	w := bufio.NewWriter(to)
	for i, p := range Paragraphs(c) {
		if i > 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintln(w, p.Text)
	}
	return w.Flush()
}

// plainWriter collects the paragraphs of items.
type plainWriter struct {
	paragraphs []Paragraph
	side       string // whose heading came last
}

// plain adds a paragraph, markdown one that is Markdown.
func (w *plainWriter) plain(text string) { w.add(text, false) }

func (w *plainWriter) markdown(text string) { w.add(text, true) }

func (w *plainWriter) add(text string, markdown bool) {
	if text = strings.Trim(text, "\n"); text != "" {
		w.paragraphs = append(w.paragraphs, Paragraph{text, markdown})
	}
}

// speaks adds the heading of a side, unless it goes on speaking.
func (w *plainWriter) speaks(side string) {
	if w.side != side {
		w.markdown("## " + side)
	}
	w.side = side
}

func (w *plainWriter) item(i Item) {
	switch i := i.(type) {
	case *Message:
		w.message(i)
	case *ToolCall:
		w.speaks("Agent")
		w.tool(i)
	case *Plan:
		w.speaks("Agent")
		w.plan(i)
	case *Note:
		if i.Title != "" {
			w.plain("> " + strings.TrimSpace(i.Title+"\n"+i.Detail))
		}
	case *Elicitation:
		w.plain("> " + i.Request.Message + " " + string(i.Action))
	case *Compaction:
		w.markdown("> The conversation was compacted.\n" + i.Summary.Plain())
	}
}

func (w *plainWriter) message(m *Message) {
	switch m.Chunk {
	case acpclient.UserMessageChunk:
		w.speaks("You")
	case acpclient.AgentThoughtChunk:
		w.speaks("Agent, thinking")
	default:
		w.speaks("Agent")
	}
	for i := range m.Parts {
		p := &m.Parts[i]
		switch {
		case p.Block != nil:
			w.plain("[" + strings.TrimSpace(string(p.Block.Type)+" "+p.Block.Name+" "+p.Block.URI) + "]")
		case m.Chunk == acpclient.UserMessageChunk:
			w.plain(p.Text())
		default:
			w.markdown(p.Text())
		}
	}
}

func (w *plainWriter) tool(t *ToolCall) {
	state := string(t.Status)
	switch {
	case t.Rejected:
		state = "rejected"
	case t.Cancelled:
		state = "cancelled"
	}
	w.plain(fmt.Sprintf("* %s: %s (%s)", t.Kind, t.Title, state))
	for _, c := range t.Content {
		switch {
		case c.Content != nil:
			w.indented(c.Content.Text)
		case c.Path != "":
			w.indented("changed " + c.Path)
		}
	}
	for _, term := range t.Terminals {
		data, _ := term.Since(max(0, term.Total()-plainOutput))
		w.indented("$ " + term.Command + "\n" + string(data))
	}
}

// indented adds the end of what a tool gave to the last paragraph.
func (w *plainWriter) indented(text string) {
	if cut := len(text) - plainOutput; cut > 0 {
		text = "…" + strings.ToValidUTF8(text[cut:], "")
	}
	if text = strings.TrimRight(text, "\n"); text != "" {
		last := &w.paragraphs[len(w.paragraphs)-1]
		last.Text += "\n    " + strings.ReplaceAll(text, "\n", "\n    ")
	}
}

func (w *plainWriter) plan(p *Plan) {
	lines := []string{}
	for _, e := range p.Entries {
		box := "[ ]"
		if e.Status == acpclient.PlanCompleted {
			box = "[x]"
		}
		lines = append(lines, "- "+box+" "+e.Content)
	}
	w.markdown(strings.Join(append(lines, p.Markdown), "\n"))
}
