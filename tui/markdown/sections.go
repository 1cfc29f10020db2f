package markdown

import (
	"strings"

	"parley/internal/termtext"
)

// Section is a part of a document below a heading.
type Section struct {
	Heading string
	Level   int
	Source  string
}

// Sections cuts a document at its headings of the first three levels.
func Sections(text string) []Section {
	var all []Section
	var part strings.Builder
	heading, level, fenced := "", 1, false
	end := func() {
		if source := part.String(); strings.TrimSpace(source) != "" {
			all = append(all, Section{heading, level, source})
		}
		part.Reset()
	}
	for line := range strings.Lines(text) {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			fenced = !fenced
		}
		marks := len(line) - len(strings.TrimLeft(line, "#"))
		if title, is := strings.CutPrefix(line[marks:], " "); is && !fenced && marks >= 1 && marks <= 3 {
			end()
			heading, level = termtext.Line(strings.ReplaceAll(title, "`", "")), marks
		}
		part.WriteString(line)
	}
	end()
	return all
}
