package toolview

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"parley/acpclient"
	"parley/fs"
	"parley/internal/app"
	"parley/internal/conversation"
	"parley/internal/termtext"
)

// Paths are the directories that paths are shown relative to.
type Paths struct {
	// Dir is the working directory of the session; "" if there is none.
	Dir string
	// Home is the user's home directory; "" if unknown.
	Home string

	real string // Home with links followed
}

var realHomes sync.Map // by Home, as frames ask for them

// PathsIn returns the Paths of a session in dir, "" without a session, with the current
// user's home directory.
func PathsIn(dir string) Paths {
	home, _ := os.UserHomeDir() // without one, no path begins with ~
	real, known := realHomes.Load(home)
	if !known {
		resolved, _ := filepath.EvalSymlinks(home) // "" if it does not exist
		real, _ = realHomes.LoadOrStore(home, resolved)
	}
	return Paths{Dir: dir, Home: home, real: real.(string)}
}

// Path returns a path for display on one line: relative inside the working directory,
// with ~ inside the home directory, else unchanged. Every character is visible.
func (p Paths) Path(path string) string {
	if rel, ok := within(p.Dir, path); ok {
		if strings.HasPrefix(rel, "~") {
			rel = "." + string(filepath.Separator) + rel // a file of that name, not the home directory
		}
		return termtext.ExactLine(rel)
	}
	for _, home := range []string{p.Home, p.real} {
		if rel, ok := within(home, path); ok && home != filepath.Dir(home) {
			return termtext.ExactLine(filepath.Join("~", rel))
		}
	}
	return termtext.ExactLine(path)
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
		return termtext.ExactLine(uri), false
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

// pathKeys are the keys that agents use for the path of a file in the raw input of a
// tool call.
var pathKeys = []string{"path", "file_path", "filePath", "filepath", "fileName", "abs_path", "absolute_path", "absolutePath", "notebook_path", "target_file"}

// Heading returns the title of a call on one line, for a list: its first line, with
// paths in the form of [Paths.Path]. whole is false if the title has more lines.
func (p Paths) Heading(t *conversation.ToolCall) (line string, whole bool) {
	first, rest, _ := strings.Cut(withoutDescription(strings.TrimSpace(Title(t, termtext.Block)), t), "\n")
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

// withoutDescription removes from a title that begins with the command of the call what agents append to it,
// in parentheses: qwen-code the description, droid the risk.
func withoutDescription(title string, t *conversation.ToolCall) string {
	if !strings.HasSuffix(title, ")") {
		return title
	}
	for _, call := range append([]*conversation.ToolCall{t}, t.Asked...) {
		in := app.Decoded[map[string]json.RawMessage](call.RawInput)
		line, _ := lineOf(in)
		line = termtext.Block(line)
		about := termtext.Block(app.Decoded[string](in["description"]))
		for _, about := range []string{about, strings.ReplaceAll(about, "\n", " "), termtext.Block(app.Decoded[string](in["riskLevel"]))} {
			rest, ok := strings.CutSuffix(title, " ("+about+")")
			if ok && line != "" && about != "" && strings.HasPrefix(strings.TrimPrefix(rest, "`"), line) {
				return rest
			}
		}
	}
	return title
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

// Facts are what is known of the files that calls name: where paths lead, and where changes stand
// in their files. What has to be looked up is known after [Facts.Look]. The zero value, and nil, have
// no directories, report no path as outside, and know no position. It is not safe for concurrent use.
type Facts struct {
	// Roots are the session's directories, absolute.
	Roots []string

	known   Found
	version uint64
}

// Found is the result of looking files up.
type Found struct {
	Targets   map[string]Target
	Positions map[Fragment]DiffPosition
}

// Add adds results.
func (f *Facts) Add(found Found) {
	if len(found.Targets)+len(found.Positions) > 0 {
		f.version++
	}
	if f.known.Targets == nil {
		f.known = Found{Targets: map[string]Target{}, Positions: map[Fragment]DiffPosition{}}
	}
	maps.Copy(f.known.Targets, found.Targets)
	maps.Copy(f.known.Positions, found.Positions)
}

// Version changes with every addition.
func (f *Facts) Version() uint64 {
	if f == nil {
		return 0
	}
	return f.version
}

// Look returns what looks up, outside of Update, what is not known of a call that is asked about; nil
// if there is nothing. Call it again when the result was added.
func (f *Facts) Look(asked *conversation.ToolCall) func() Found {
	const most = 1000 // paths at a time
	if len(f.Roots) == 0 {
		return nil
	}
	unknown := slices.DeleteFunc(NamedPaths(asked), func(path string) bool {
		_, known := f.known.Targets[path]
		return known
	})
	if len(unknown) == 0 {
		return nil
	}
	roots := f.Roots
	return func() Found {
		return Found{Targets: Resolve(roots, unknown[:min(len(unknown), most)])}
	}
}

// Target is where a path leads.
type Target struct {
	// Outside means that it leads out of the session's directories.
	Outside bool
	// Real is the target if the path contains links; "" otherwise, or if unknown.
	Real string
}

// Target returns where a path of an agent leads, as far as that is known.
func (f *Facts) Target(path string) Target {
	if f == nil || len(f.Roots) == 0 || path == "" {
		return Target{}
	}
	if s, ok := f.known.Targets[path]; ok {
		return s
	}
	return Target{Outside: !inOneOf(f.Roots, filepath.Clean(fs.Absolute(f.Roots[0], path)))}
}

func inOneOf(roots []string, path string) bool {
	for _, root := range roots {
		if _, in := within(root, path); in {
			return true
		}
	}
	return false
}

// Resolve returns where paths of an agent lead, for a session in these directories. It
// reads directories, so call it outside of Update.
func Resolve(roots, paths []string) map[string]Target {
	real := make([]string, len(roots))
	for i, root := range roots {
		real[i] = follow(root)
	}
	found := map[string]Target{}
	for _, path := range paths {
		plain := filepath.Clean(fs.Absolute(roots[0], path))
		leads := follow(fs.Absolute(roots[0], path))
		s := Target{Outside: !inOneOf(real, leads)}
		// Inside a root that is a link, every path resolves to another one.
		for i, root := range roots {
			if rel, in := within(root, plain); in && leads != filepath.Join(real[i], rel) {
				s.Real = leads
			}
		}
		found[path] = s
	}
	return found
}

// follow resolves the links in a path, as far as it exists and they do not lead in a circle.
func follow(path string) string {
	real, err := fs.Resolve(path)
	if err != nil && path != filepath.Dir(path) {
		return filepath.Join(follow(filepath.Dir(path)), filepath.Base(path))
	}
	return real
}
