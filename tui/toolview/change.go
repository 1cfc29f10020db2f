package toolview

import (
	"strings"

	"parley/acpclient"
	"parley/internal/termtext"
)

// Change describes in Markdown an operation on a whole file: which file, from where,
// and its type if it is not text.
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

// code returns a text as Markdown code, whatever it contains.
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
