package toolview

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/termtext"
)

// Paths are the directories that paths are shown relative to.
type Paths struct {
	// Dir is the working directory of the session; "" if there is none.
	Dir string
	// Home is the user's home directory; "" if unknown.
	Home string
}

// PathsIn returns the Paths of a session in dir, "" without a session, with the current
// user's home directory.
func PathsIn(dir string) Paths {
	home, _ := os.UserHomeDir() // without one, no path begins with ~
	return Paths{Dir: dir, Home: home}
}

// Path returns a path for display on one line: relative inside the working directory,
// with ~ inside the home directory, else unchanged. Every character is visible.
func (p Paths) Path(path string) string {
	if rel, ok := within(p.Dir, path); ok {
		if strings.HasPrefix(rel, "~") {
			rel = "." + string(filepath.Separator) + rel // a file of that name, not the home directory
		}
		return termtext.VisibleLine(rel)
	}
	if rel, ok := within(p.Home, path); ok && p.Home != filepath.Dir(p.Home) {
		return termtext.VisibleLine(filepath.Join("~", rel))
	}
	return termtext.VisibleLine(path)
}

// within returns an absolute path relative to a directory that contains it.
func within(dir, path string) (rel string, ok bool) {
	if dir == "" || !filepath.IsAbs(path) {
		return "", false
	}
	rel, err := filepath.Rel(dir, path)
	return rel, err == nil && filepath.IsLocal(rel)
}

// Location returns the path of a location, with its line if it has one.
func (p Paths) Location(l acpclient.ToolCallLocation) string {
	at := p.Path(l.Path)
	if l.Line != nil {
		at += fmt.Sprintf(":%d", *l.Line)
	}
	return at
}

// ShownLocations returns the locations of a call that are worth showing: not the working
// directory of a command.
func (p Paths) ShownLocations(locations []acpclient.ToolCallLocation) []acpclient.ToolCallLocation {
	return slices.DeleteFunc(slices.Clone(locations), func(l acpclient.ToolCallLocation) bool {
		return l.Line == nil && p.Dir != "" && filepath.Clean(l.Path) == filepath.Clean(p.Dir)
	})
}

// address returns a file by its path, anything else by its whole URI. Every character
// is visible.
func (p Paths) address(uri string) (words string, file bool) {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" || u.Host != "" && u.Host != "localhost" || u.Path == "" {
		return termtext.VisibleLine(uri), false
	}
	path := u.Path
	if len(path) > 2 && path[0] == '/' && path[2] == ':' {
		path = path[1:] // a drive
	}
	words = p.Path(filepath.FromSlash(path))
	if u.Fragment != "" { // lines of the file
		words += termtext.VisibleLine("#" + u.Fragment)
	}
	return words, true
}

// PathKeys are the keys that agents use for the path of a file in the raw input of a
// tool call.
var PathKeys = []string{"path", "file_path", "filePath", "filepath", "abs_path", "absolute_path", "absolutePath", "notebook_path", "target_file"}

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
