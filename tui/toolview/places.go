package toolview

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"parley/acpclient"
	"parley/internal/termtext"
)

// Places are the directories that a person knows, and that paths are written
// relative to.
type Places struct {
	// Dir is the working directory of the session; "" if there is none.
	Dir string
	// Home is the person's home directory; "" if it is not known.
	Home string
}

// In are the places of a session that works in dir, with the home directory of
// the person who runs parley. Without a session, dir is "".
func In(dir string) Places {
	home, _ := os.UserHomeDir() // without one, no path begins with ~
	return Places{Dir: dir, Home: home}
}

// Path writes a path for people, in one line: relative if it is inside the
// working directory, beginning with ~ if it is inside the home directory, else
// as it is. Every character of it can be seen.
func (p Places) Path(path string) string {
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

// within is an absolute path as seen from a directory that it is in.
func within(dir, path string) (rel string, ok bool) {
	if dir == "" || !filepath.IsAbs(path) {
		return "", false
	}
	rel, err := filepath.Rel(dir, path)
	return rel, err == nil && filepath.IsLocal(rel)
}

// Location writes the path of a location, and its line if it names one.
func (p Places) Location(l acpclient.ToolCallLocation) string {
	at := p.Path(l.Path)
	if l.Line != nil {
		at += fmt.Sprintf(":%d", *l.Line)
	}
	return at
}

// Works are the places that a call works on, as far as they say something: that a
// command runs in the working directory goes without saying.
func (p Places) Works(locations []acpclient.ToolCallLocation) []acpclient.ToolCallLocation {
	return slices.DeleteFunc(slices.Clone(locations), func(l acpclient.ToolCallLocation) bool {
		return l.Line == nil && p.Dir != "" && filepath.Clean(l.Path) == filepath.Clean(p.Dir)
	})
}

// address writes where something is: a file by its path, anything else by its
// whole URI. Every character of it can be seen.
func (p Places) address(uri string) (words string, file bool) {
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

// PathKeys are the names under which agents give the path of a file in the raw input
// of a tool call.
var PathKeys = []string{"path", "file_path", "filePath", "filepath", "abs_path", "absolute_path", "absolutePath", "notebook_path", "target_file"}
