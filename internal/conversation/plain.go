package conversation

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// mostPlainOutput is how much of a tool's output is written as plain text, in bytes:
// the end says most.
const mostPlainOutput = 4 << 10

// Paragraph is a piece of a conversation as text. It is not sanitised.
type Paragraph struct {
	Text string
	// Markdown says that the text is a heading or was written as Markdown. Prompts and
	// the output of tools are not.
	Markdown bool
}

// Paragraphs returns a conversation as text for people and agents to read: a heading for
// each side, messages as they are, and a line for each tool call with its output indented
// below.
func Paragraphs(c *Conversation) []Paragraph {
	var all []Paragraph
	last := ""
	for _, i := range c.Items {
		side, paragraphs := i.plain()
		if side != "" && side != last {
			all = append(all, Paragraph{"## " + side, true})
			last = side
		}
		for _, p := range paragraphs {
			p.Text = strings.Trim(p.Text, "\n")
			if p.Text == "" {
				continue
			}
			if side == "" {
				p.Text = "> " + strings.TrimSpace(p.Text)
			}
			all = append(all, p)
		}
	}
	return all
}

// WritePlain writes the paragraphs of a conversation with blank lines between them. The
// text is not sanitised.
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

// plainOutput is the end of a tool's output, indented.
func plainOutput(text string) string {
	if cut := len(text) - mostPlainOutput; cut > 0 {
		text = "…" + strings.ToValidUTF8(text[cut:], "")
	}
	if text = strings.TrimRight(text, "\n"); text == "" {
		return ""
	}
	return "    " + strings.ReplaceAll(text, "\n", "\n    ")
}
