package markdown

import (
	"path/filepath"
	"strings"
	"sync"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"
)

// languages are the languages that can be coloured.
var languages languageSet

// languageSet finds and caches chroma's lexers by language or file name. A lexer is
// compiled on first use.
type languageSet struct {
	mu    sync.Mutex
	found map[string]chroma.Lexer // nil for names that were not found
}

// maxNames bounds the names that a languageSet caches, and maxNameLen their length.
const maxNames, maxNameLen = 500, 100

func (s *languageSet) find(name string) chroma.Lexer {
	name = strings.ToLower(strings.Trim(name, " {}.`'\""))
	if name == "" || len(name) > maxNameLen {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if lexer, ok := s.found[name]; ok {
		return lexer
	}
	lexer := lexerOf(name)
	if lexer == nil { // "rust,ignore", "go:main.go", "12:20:src/main.py"
		if i := strings.IndexAny(name, ",;{["); i > 0 {
			lexer = lexerOf(name[:i])
		} else if i := strings.LastIndexByte(name, ':'); i >= 0 {
			if lexer = lexerOf(name[i+1:]); lexer == nil {
				lexer = lexerOf(name[:strings.IndexByte(name, ':')])
			}
		}
	}
	if s.found == nil {
		s.found = map[string]chroma.Lexer{}
	}
	if len(s.found) < maxNames {
		s.found[name] = lexer
	}
	return lexer
}

// lexerOf is lexers.Get for a name in lower case. That takes some milliseconds for
// names that are not languages, because it tries each file pattern a dozen times;
// lexerOf uses an index.
func lexerOf(name string) chroma.Lexer { return indexed().get(name) }

// lexerIndex maps names and file patterns to chroma's lexers.
type lexerIndex struct {
	names    map[string]chroma.Lexer
	patterns []filePattern // in the order of the lexers
}

// filePattern is a pattern for file names.
type filePattern struct {
	glob string
	// end is what follows the asterisk of a simple pattern; "" for others.
	end   string
	lexer chroma.Lexer
}

func (p *filePattern) matches(file string) bool {
	if p.end != "" {
		return strings.HasSuffix(file, p.end)
	}
	ok, _ := filepath.Match(p.glob, file)
	return ok
}

var indexed = sync.OnceValue(func() *lexerIndex {
	x := &lexerIndex{names: map[string]chroma.Lexer{}}
	all := lexers.GlobalLexerRegistry.Lexers
	for _, lexer := range all {
		for _, alias := range lexer.Config().Aliases {
			x.names[strings.ToLower(alias)] = lexer
		}
		for _, glob := range lexer.Config().Filenames {
			end, simple := strings.CutPrefix(glob, "*")
			if !simple || strings.ContainsAny(end, `*?[\`) {
				end = ""
			}
			x.patterns = append(x.patterns, filePattern{glob, end, lexer})
		}
	}
	for _, lexer := range all { // a name wins over an alias
		x.names[strings.ToLower(lexer.Config().Name)] = lexer
	}
	return x
})

// get finds a lexer by name, file extension, or file name.
func (x *lexerIndex) get(name string) chroma.Lexer {
	if lexer := x.names[name]; lexer != nil {
		return lexer
	}
	return first(x.match("filename."+name), x.match(name))
}

// copies are the suffixes that chroma ignores as those of copies and templates of a
// file.
var copies = []string{
	"~", ".bak", ".old", ".orig", ".dpkg-dist", ".dpkg-old", ".ucf-dist", ".ucf-new", ".ucf-old", ".rpmnew", ".rpmorig", ".rpmsave", ".in",
}

// match finds a lexer by the name of a file.
func (x *lexerIndex) match(file string) chroma.Lexer {
	file = filepath.Base(file)
	best := x.matchBase(file)
	for _, end := range copies {
		if original, ok := strings.CutSuffix(file, end); ok {
			best = first(best, x.matchBase(original))
		}
	}
	return best
}

// matchBase finds a lexer by the name of a file without its directories.
func (x *lexerIndex) matchBase(file string) (best chroma.Lexer) {
	for i := range x.patterns {
		if p := &x.patterns[i]; p.matches(file) {
			best = first(best, p.lexer)
		}
	}
	return best
}

// first returns the one of two lexers that has precedence; either may be nil.
func first(a, b chroma.Lexer) chroma.Lexer {
	if a == nil || b != nil && priority(b) > priority(a) {
		return b
	}
	return a
}

// priority returns a lexer's priority among those for the same file.
func priority(lexer chroma.Lexer) float32 {
	if p := lexer.Config().Priority; p != 0 {
		return p
	}
	return 1 // chroma's default
}
