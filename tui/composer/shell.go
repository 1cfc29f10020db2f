package composer

import "strings"

// commandMark begins a draft that is a command of the user's instead of a prompt.
const commandMark = "!"

// IsCommand reports whether the draft is a command of the user's: it begins with "!". A
// space before that makes it a prompt.
func (c *Composer) IsCommand() bool {
	return c.search == nil && strings.HasPrefix(c.buf.lines[0].text, commandMark)
}

// IsShell reports whether the draft is "!" alone, which means the user's shell.
func (c *Composer) IsShell() bool {
	return c.IsCommand() && strings.TrimSpace(c.buf.raw()) == commandMark
}

// commandHighlights adds the highlights of a command line to its chips: the text
// between them has a colour of its own.
func commandHighlights(chips []highlight, from, to int) []highlight {
	var list []highlight
	for _, ch := range chips {
		if ch.from > from {
			list = append(list, highlight{from, ch.from, markShell})
		}
		list = append(list, ch)
		from = ch.to
	}
	if from < to {
		list = append(list, highlight{from, to, markShell})
	}
	return list
}
