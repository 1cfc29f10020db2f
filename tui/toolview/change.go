package toolview

import (
	"strings"

	"parley/acpclient"
	"parley/internal/termtext"
)

// Change says in Markdown what is done with a file as a whole: which file, from where,
// and what it is if it is no text.
func Change(c *acpclient.ToolCallContent) string {
	what := c.Change
	words := map[acpclient.FileOperation]string{
		acpclient.FileAdd: "Adds", acpclient.FileDelete: "Deletes", acpclient.FileModify: "Changes",
		acpclient.FileMove: "Moves", acpclient.FileCopy: "Copies",
	}[what.Operation]
	if words == "" {
		words = "Does " + code(string(what.Operation)) + " with"
	}
	if what.FileType != "" && what.FileType != "text" {
		words += " the " + termtext.Line(what.FileType)
	}
	if what.OldPath != "" {
		words += " " + code(what.OldPath) + " to"
	}
	if words += " " + code(c.Path); what.MimeType != "" {
		words += " (" + code(what.MimeType) + ")"
	}
	return words
}

// code is a text in Markdown as it is, whatever is in it.
func code(text string) string {
	text = termtext.Line(text)
	longest := 0
	for run := range strings.FieldsFuncSeq(text, func(r rune) bool { return r != '`' }) {
		longest = max(longest, len(run))
	}
	fence := strings.Repeat("`", longest+1)
	if strings.HasPrefix(text, "`") || strings.HasSuffix(text, "`") {
		text = " " + text + " "
	}
	return fence + text + fence
}
