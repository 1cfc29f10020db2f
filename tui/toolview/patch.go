package toolview

import (
	"strings"

	"parley/acpclient"
)

// isPatchOf reports whether a text is a unified diff that says nothing but what a
// change says: each of its hunks stands in the old and in the new text, and it is
// about the same file.
func isPatchOf(patch string, c acpclient.ToolCallContent) bool {
	before := ""
	if c.OldText != nil {
		before = *c.OldText
	}
	var hunk struct{ before, after strings.Builder }
	hunks := 0
	fits := func() bool {
		ok := contains(before, hunk.before.String()) && contains(c.NewText, hunk.after.String())
		hunk.before.Reset()
		hunk.after.Reset()
		return ok
	}
	for line := range strings.Lines(patch) {
		text := strings.TrimRight(line, "\r\n")
		switch {
		case strings.HasPrefix(text, "@@"):
			if !fits() {
				return false
			}
			hunks++
		case hunks == 0:
			if !patchHead(text, c.Path) {
				return false
			}
		case text == "", text[0] == ' ':
			hunk.before.WriteString(strings.TrimPrefix(text, " ") + "\n")
			hunk.after.WriteString(strings.TrimPrefix(text, " ") + "\n")
		case text[0] == '-':
			hunk.before.WriteString(text[1:] + "\n")
		case text[0] == '+':
			hunk.after.WriteString(text[1:] + "\n")
		case text[0] != '\\':
			return false
		}
	}
	return hunks > 0 && fits()
}

// contains reports whether whole lines stand in a text, whose last line may lack its
// end.
func contains(text, lines string) bool {
	return lines == "" || strings.Contains("\n"+strings.ReplaceAll(text, "\r\n", "\n")+"\n", "\n"+lines)
}

// patchHead reports whether a line before the first hunk says no more than which file
// is changed.
func patchHead(line, path string) bool {
	if strings.Trim(line, "=") == "" {
		return true
	}
	for _, lead := range []string{"Index: ", "--- ", "+++ "} {
		if name, ok := strings.CutPrefix(line, lead); ok {
			name, _, _ = strings.Cut(name, "\t")
			return name == path || name == "/dev/null" || name == "a/"+strings.TrimPrefix(path, "/") || name == "b/"+strings.TrimPrefix(path, "/")
		}
	}
	return false
}
