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

// WritePlain writes what was said and done as text that people and agents can read: a
// heading for each side, what they said as they said it, a line for each call of a
// tool with what it gave indented below. It is not fit to be drawn.
func WritePlain(to io.Writer, c *Conversation) error {
	w := plainWriter{Writer: bufio.NewWriter(to)}
	for _, i := range c.Items {
		w.item(i)
	}
	return w.Flush()
}

// plainWriter writes items. Errors are those of its buffer, which keeps the first.
type plainWriter struct {
	*bufio.Writer
	side  string // whose heading was written last
	begun bool   // something was written
}

// paragraph writes text that stands by itself.
func (w *plainWriter) paragraph(text string) {
	if text = strings.Trim(text, "\n"); text == "" {
		return
	}
	if w.begun {
		fmt.Fprintln(w)
	}
	w.begun = true
	fmt.Fprintln(w, text)
}

// speaks writes the heading of a side, unless it goes on speaking.
func (w *plainWriter) speaks(side string) {
	if w.side != side {
		w.paragraph("## " + side)
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
			w.paragraph("> " + strings.TrimSpace(i.Title+"\n"+i.Detail))
		}
	case *Elicitation:
		w.paragraph("> " + i.Request.Message + " " + string(i.Action))
	case *Compaction:
		w.paragraph("> The conversation was compacted.\n" + i.Summary.Plain())
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
		if p.Block == nil {
			w.paragraph(p.Text())
		} else {
			w.paragraph("[" + strings.TrimSpace(string(p.Block.Type)+" "+p.Block.Name+" "+p.Block.URI) + "]")
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
	w.paragraph(fmt.Sprintf("* %s: %s (%s)", t.Kind, t.Title, state))
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

// indented writes the end of what a tool gave.
func (w *plainWriter) indented(text string) {
	if cut := len(text) - plainOutput; cut > 0 {
		text = "…" + strings.ToValidUTF8(text[cut:], "")
	}
	if text = strings.TrimRight(text, "\n"); text != "" {
		fmt.Fprintln(w, "    "+strings.ReplaceAll(text, "\n", "\n    "))
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
	w.paragraph(strings.Join(append(lines, p.Markdown), "\n"))
}
