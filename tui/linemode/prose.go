package linemode

import (
	"io"
	"regexp"
	"strings"

	"github.com/charmbracelet/x/term"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/termtext"
)

// prose makes lines of an agent's message fit to be read as plain text: without the marks of
// headings and of emphasis, and broken between words. Code stays as it is. It takes whole
// lines as they come, so it keeps whether they are inside a fence.
type prose struct{ fence string }

var (
	fenceLine   = regexp.MustCompile("^ {0,3}(```+|~~~+)")
	headingLine = regexp.MustCompile(`^ {0,3}#{1,6}[ \t]+(.*?)[ \t]*#*[ \t]*$`)
	// strongOrCode matches both, so that asterisks in code stay.
	strongOrCode = regexp.MustCompile("(`+[^`]+`+)|\\*\\*([^\\s*](?:[^*]*[^\\s*])?)\\*\\*|(?:\\b|^)__([^\\s_](?:[^_]*[^\\s_])?)__(?:\\b|$)")
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
			out = append(out, wrapped(lead+plainLine(line), width)...)
			lead = ""
			continue
		}
		out, lead = append(out, lead+line), ""
	}
	return strings.Join(out, "\n")
}

// plainLine returns a line without the marks of headings and of strong emphasis.
func plainLine(line string) string {
	if h := headingLine.FindStringSubmatch(line); h != nil {
		line = h[1]
	}
	return strongOrCode.ReplaceAllString(line, "$1$2$3")
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

// isProse reports whether a message is written in Markdown: what the person typed is not.
func isProse(m *conversation.Message) bool { return m.Chunk != acpclient.UserMessageChunk }
