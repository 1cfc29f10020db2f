// This file knows which files a person is asked about before an agent reads or
// writes them, wherever they are: files that hold secrets, and files that make programs
// run when they are written.
//
// Files are told by their paths, which must be without links. A path can be spelled in
// more ways than one where file systems take them for the same: in other case, with
// characters that nobody sees, with dots and blanks at the end of a name. All of these
// are compared as one, on every system.

package policy

import (
	"fmt"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"unicode"

	"github.com/bmatcuk/doublestar/v4"
	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Use is why the person is asked about a file.
type FileUse uint8

// The uses.
const (
	// Reading is asked, and writing too: the file may hold secrets.
	Reading FileUse = iota
	// Writing is asked: what stands in the file is run, or decides what is run.
	Writing
)

// Table says which files are asked about. It does not change, and may be used from any
// goroutine.
type SensitiveFiles struct {
	patterns [2][]pattern
	own      []string
}

// pattern is a line of the table. Of those that match a path, the last one counts.
type pattern struct {
	text     string // as it was written
	spare    bool   // what matches is not asked about
	anchored bool   // it begins at the top of the path
	// names match one name each, one after the other; nil if the pattern is not of
	// that kind, and then glob matches whole spelled paths.
	names []string
	glob  string
}

// maxGlobbed is how many names a path may have that is compared with patterns of the
// general kind, which takes the square of that. A path of more is taken to match.
const maxGlobbed = 200

// New makes a table: parley's own lines, and behind them those of the person. own are
// the files and directories of parley itself, which are always asked about. Each line
// is a glob:
//
//   - "*" is anything in a name, "**" any folders, "{a,b}" one of several;
//   - a folder stands for all that is in it;
//   - a glob that begins with neither "/" nor "~/" may match anywhere in a path, one
//     with "~/" begins at the home directory;
//   - "!" in front takes out what matches.
//
// Where the home directory is not known, "" here, it is taken to be anywhere. The error
// names the first line that is none.
func NewSensitiveFiles(reading, writing, own []string, home string) (*SensitiveFiles, error) {
	t := &SensitiveFiles{}
	for use, lines := range [2][]string{
		Reading: append(append([]string(nil), Secrets...), reading...),
		Writing: append(append([]string(nil), Running...), writing...),
	} {
		for _, line := range lines {
			if err := CheckFilePattern(line); err != nil {
				return nil, err
			}
			t.patterns[use] = append(t.patterns[use], compile(line, home))
		}
	}
	for _, o := range own {
		t.own = append(t.own, spelled(o))
	}
	return t, nil
}

// Check says what is wrong with a line of the table.
func CheckFilePattern(line string) error {
	glob := strings.TrimPrefix(line, "!")
	switch {
	case strings.Trim(glob, "/") == "" || strings.TrimSpace(glob) != glob:
		return fmt.Errorf("%q names no files", line)
	case !doublestar.ValidatePattern(glob):
		return fmt.Errorf("%q is no pattern: ** stands for any folders, * for anything in a name", line)
	case path.Clean(glob) != strings.TrimSuffix(glob, "/") || strings.HasPrefix(glob, "../") || glob == "..":
		return fmt.Errorf("%q can match nothing: write it without . and .. in it", line)
	}
	return nil
}

func compile(line, home string) pattern {
	glob, spare := strings.CutPrefix(line, "!")
	p := pattern{text: glob, spare: spare}
	glob = strings.TrimSuffix(glob, "/")
	if below, atHome := strings.CutPrefix(glob, "~/"); atHome {
		if glob = below; home != "" {
			glob = LiteralFilePattern(filepath.ToSlash(home)) + "/" + below
		}
	}
	glob = fold(glob)
	p.anchored = strings.HasPrefix(glob, "/") || filepath.VolumeName(glob) != ""
	p.names = strings.Split(glob, "/")
	for _, name := range p.names {
		if strings.Contains(name, "**") || !doublestar.ValidatePattern(name) {
			p.names, p.glob = nil, glob
			if !p.anchored {
				p.glob = "**/" + glob
			}
			break
		}
	}
	return p
}

// Literal is a path as a line that matches it, with what is below it, and nothing else.
func LiteralFilePattern(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`, `{`, `\{`).Replace(path)
}

// Own reports whether a file belongs to parley itself.
func (t *SensitiveFiles) Own(path string) bool {
	path = spelled(path)
	for _, o := range t.own {
		if path == o || strings.HasPrefix(path, strings.TrimSuffix(o, "/")+"/") {
			return true
		}
	}
	return false
}

// Match returns the line that a file is asked about for, "" if it is not in the table.
// The path is absolute and without links.
func (t *SensitiveFiles) Match(use FileUse, path string) string {
	names := strings.Split(spelled(path), "/")
	found := ""
	for _, p := range t.patterns[use] {
		if (found == "") != p.spare && p.match(names) {
			found = p.text
			if p.spare {
				found = ""
			}
		}
	}
	return found
}

// match matches the names of a path, or of one of the folders that it is in.
func (p pattern) match(path []string) bool {
	if p.names == nil {
		return p.matchGlob(path)
	}
	last := len(path) - len(p.names)
	if p.anchored {
		last = min(last, 0)
	}
	for from := 0; from <= last; from++ {
		if matchNames(p.names, path[from:]) {
			return true
		}
	}
	return false
}

func matchNames(patterns, names []string) bool {
	for i, pattern := range patterns {
		if pattern == names[i] {
			continue
		}
		if !strings.ContainsAny(pattern, `*?[{\`) {
			return false // it stands for itself
		}
		if ok, _ := doublestar.Match(pattern, names[i]); !ok {
			return false
		}
	}
	return true
}

func (p pattern) matchGlob(path []string) bool {
	if len(path) > maxGlobbed {
		return !p.spare
	}
	for n := len(path); n > 1; n-- {
		if ok, _ := doublestar.Match(p.glob, strings.Join(path[:n], "/")); ok {
			return true
		}
	}
	return false
}

// spelled is a path in the one spelling in which paths are compared.
func spelled(path string) string {
	names := strings.Split(filepath.ToSlash(path), "/")
	for i, name := range names {
		if runtime.GOOS == "windows" && i > 0 {
			name, _, _ = strings.Cut(name, ":") // what follows is a stream of the same file
		}
		if short := strings.TrimRight(fold(name), ". "); short != "" {
			names[i] = short
		}
	}
	return strings.Join(names, "/")
}

// fold takes away what file systems may take no notice of: case, the way that
// characters are composed, and characters that nobody sees.
func fold(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, s)
	return norm.NFC.String(cases.Fold().String(norm.NFD.String(s)))
}
