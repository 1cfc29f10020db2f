package toolview

import (
	"path/filepath"
	"strings"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/termtext"
)

// Heading returns the title of a call on one line, for a list: its first line, with
// paths in the form of [Paths.Path]. whole is false if the title has more lines.
func (p Paths) Heading(t *conversation.ToolCall) (line string, whole bool) {
	first, rest, _ := strings.Cut(strings.TrimSpace(Title(t, termtext.Block)), "\n")
	if t.Kind != acpclient.ToolExecute { // a command is shown as it runs
		first = p.shortened(first)
	}
	if code := strings.Trim(first, "`"); rest == "" && first == "`"+code+"`" && !strings.Contains(code, "`") {
		first = code // marked as code, as agents that write Markdown do
	}
	line, whole = termtext.Line(first), rest == ""
	if !whole {
		line += " …"
	}
	return line, whole
}

// shortened removes the working directory from the paths in a title. Without a
// repository, some agents write paths relative to the root of the file system, without
// the first slash.
func (p Paths) shortened(title string) string {
	if !filepath.IsAbs(p.Dir) || p.Dir == filepath.Dir(p.Dir) {
		return title
	}
	prefix := p.Dir + string(filepath.Separator)
	if rest, ok := strings.CutPrefix(title, strings.TrimPrefix(prefix, string(filepath.Separator))); ok && rest != "" {
		return rest
	}
	var b strings.Builder
	for {
		i := strings.Index(title, prefix)
		if i < 0 {
			b.WriteString(title)
			return b.String()
		}
		b.WriteString(title[:i])
		if before := b.String(); before != "" && !strings.ContainsAny(before[len(before)-1:], " \t`'\"([{<=:,") || title[i+len(prefix):] == "" {
			b.WriteString(prefix) // inside another path, or the directory itself
		}
		title = title[i+len(prefix):]
	}
}
