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

// languageSet finds chroma's lexers by language or file name. What was found is
// remembered. A lexer is compiled when it is first used.
type languageSet struct {
	mu    sync.Mutex
	found map[string]chroma.Lexer // also what was not found, as nil
}

// maxNames bounds the names that a languageSet remembers, and their length.
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

// lexerOf is lexers.Get for a name in lower case, which takes some milliseconds for
// what is not the name of a language: it tries each pattern for files a dozen times.
// Every file has another name, so they are looked for in an index.
func lexerOf(name string) chroma.Lexer { return indexed().get(name) }

// lexerIndex has what the names and file patterns of chroma's lexers lead to.
type lexerIndex struct {
	names    map[string]chroma.Lexer
	patterns []filePattern // in the order of the lexers
}

// filePattern is a pattern for the names of files.
type filePattern struct {
	glob string
	// end is what stands behind the asterisk of a pattern that is nothing else; "" if
	// there is more to it.
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
	for _, lexer := range all { // a name counts more than an alias
		x.names[strings.ToLower(lexer.Config().Name)] = lexer
	}
	return x
})

// get finds a lexer by name, by the ending of files, or by the name of a file.
func (x *lexerIndex) get(name string) chroma.Lexer {
	if lexer := x.names[name]; lexer != nil {
		return lexer
	}
	return first(x.match("filename."+name), x.match(name))
}

// copies are the endings that chroma takes for those of copies and templates of a file.
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

// first is the one of two lexers that has precedence; either may be nil.
func first(a, b chroma.Lexer) chroma.Lexer {
	if a == nil || b != nil && priority(b) > priority(a) {
		return b
	}
	return a
}

// priority is that of a lexer among those for the same file.
func priority(lexer chroma.Lexer) float32 {
	if p := lexer.Config().Priority; p != 0 {
		return p
	}
	return 1 // what chroma takes for one that says nothing
}
