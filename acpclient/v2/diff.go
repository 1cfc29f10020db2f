package v2

import (
	"strings"

	"parley/acpclient"
)

// toV1 returns one diff for each hunk of the patch. Changes to a file as a whole are
// separate contents, and a patch that cannot be parsed is text.
func (d *Diff) toV1() acpclient.ToolCallContents {
	var sections []section
	out := acpclient.ToolCallContents{}
	if p := d.Patch; p != nil && p.Format == GitPatch {
		sections = sectionsOf(p.Text)
	}
	told, about := make([]bool, len(sections)), byPath(sections)
	for _, c := range d.Changes {
		var texts acpclient.ToolCallContents
		for _, i := range about[c.Path] {
			if !told[i] {
				told[i] = true
				texts = append(texts, sections[i].contents(c)...)
			}
		}
		delete(about, c.Path) // all of them are told
		if len(texts) == 0 || c.Operation != acpclient.FileModify && c.Operation != acpclient.FileAdd {
			out = append(out, c.toV1())
		}
		out = append(out, texts...)
	}
	for i := range sections { // none may be hidden, though the changes ought to name it
		if !told[i] {
			out = append(out, sections[i].contents(sections[i].change())...)
		}
	}
	if d.Patch != nil && len(sections) == 0 && strings.TrimSpace(d.Patch.Text) != "" {
		out = append(out, acpclient.TextContent(fenced(d.Patch.Text)))
	}
	return out
}

// toV1 describes a change to the file as a whole.
func (c DiffChange) toV1() acpclient.ToolCallContent {
	out := acpclient.DiffContent(c.Path, new(string), "")
	out.Change = &acpclient.FileChange{Operation: c.Operation, OldPath: c.OldPath, FileType: c.FileType, MimeType: c.MimeType}
	return out
}

// fenced puts a text into a code block that it cannot end.
func fenced(text string) string {
	longest := 2 // a fence has three at least
	for run := range strings.FieldsFuncSeq(text, func(r rune) bool { return r != '`' }) {
		longest = max(longest, len(run))
	}
	fence := strings.Repeat("`", longest+1)
	return fence + "diff\n" + strings.TrimSuffix(text, "\n") + "\n" + fence
}
