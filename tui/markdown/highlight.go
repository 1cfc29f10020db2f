package markdown

import (
	"image/color"
	"strings"
	"sync"
	"time"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"
	"github.com/alecthomas/chroma/v2/styles"

	"parley/internal/safetext"
	"parley/tui/theme"
)

// MaxHighlight is how many bytes of code Highlight colours; lexers manage about
// a quarter of a megabyte a second. The lines beyond it are drawn plain.
const MaxHighlight = 16 << 10

// maxLexing ends the colouring of a text on which a lexer's expressions
// backtrack without end; what is left is drawn plain. Tests raise it, for what
// they see must not depend on the load of the machine.
var maxLexing = 500 * time.Millisecond

// Highlight colours code for the terminal, one string for each line of it. The
// name is that of a language or a file; code in no known language is drawn
// plain. Tabs are expanded, control characters removed, nothing is wrapped. It
// may be called from any goroutine.
func Highlight(code, name string, t *theme.Theme) []string {
	p := newPalette(t) // its own: colouring takes long, and drawing must not wait for it
	lines := expandTabs(strings.TrimSuffix(safetext.Block(code), "\n"))
	var pen pen
	var out []string
	for _, line := range p.highlight(lines, name) {
		for _, s := range line {
			pen.write(s.text, s.ink, "")
		}
		out = append(out, pen.line())
	}
	return out
}

// highlight colours safe code; the result has an element for each line.
func (p *palette) highlight(code, name string) [][]span {
	rest := ""
	if len(code) > MaxHighlight {
		cut := strings.LastIndexByte(code[:MaxHighlight], '\n') + 1
		code, rest = code[:cut], code[cut:]
	}
	lines := lineWriter{plain: p.text, lines: make([][]span, 1, 1+strings.Count(code, "\n"))}
	if lexer := languages.find(name); lexer != nil && code != "" {
		lines.tokens(lexer, p.syntaxStyle(), code)
		rest = code[lines.written:] + rest
	} else {
		rest = code + rest
	}
	lines.add(rest, p.text)
	return lines.lines
}

// lineWriter collects tokens by line.
type lineWriter struct {
	plain   *ink
	lines   [][]span
	written int // bytes
}

func (w *lineWriter) add(text string, k *ink) {
	w.written += len(text)
	for {
		line, rest, more := strings.Cut(text, "\n")
		if line != "" {
			last := &w.lines[len(w.lines)-1]
			if n := len(*last); n > 0 && (*last)[n-1].ink == k {
				(*last)[n-1].text += line
			} else {
				*last = append(*last, span{text: line, ink: k})
			}
		}
		if !more {
			return
		}
		w.lines = append(w.lines, nil)
		text = rest
	}
}

// tokens adds as much of code as the lexer makes sense of. A lexer that fails
// or does not give back the text it was given loses its say.
func (w *lineWriter) tokens(lexer chroma.Lexer, style *syntaxStyle, code string) {
	defer func() { _ = recover() }() // chroma panics on a faulty lexer definition
	it, err := lexer.Tokenise(nil, code)
	if err != nil {
		return
	}
	until := time.Now().Add(maxLexing)
	for t := it(); t != chroma.EOF && time.Now().Before(until); t = it() {
		if !strings.HasPrefix(code[w.written:], t.Value) {
			return
		}
		w.add(t.Value, style.ink(t.Type))
	}
}

// syntaxStyle is a chroma style in inks.
type syntaxStyle struct {
	palette *palette
	style   *chroma.Style
	inks    map[chroma.TokenType]*ink
}

// styleNamed is one of chroma's own styles, nil if there is none of that name.
func styleNamed(name string) *chroma.Style { return styles.Registry[strings.ToLower(name)] }

func (p *palette) syntaxStyle() *syntaxStyle {
	if p.syntax == nil {
		p.syntax = &syntaxStyle{palette: p, style: styleNamed(p.theme.Chroma), inks: map[chroma.TokenType]*ink{}}
	}
	return p.syntax
}

func (s *syntaxStyle) ink(t chroma.TokenType) *ink {
	if s.style == nil {
		return s.palette.text
	}
	if k, ok := s.inks[t]; ok {
		return k
	}
	e := s.style.Get(t)
	l := look{bold: e.Bold == chroma.Yes, italic: e.Italic == chroma.Yes, underline: e.Underline == chroma.Yes}
	if e.Colour.IsSet() {
		l.fg = color.RGBA{e.Colour.Red(), e.Colour.Green(), e.Colour.Blue(), 0xff}
	}
	k := s.palette.ink(l.over(look{fg: s.palette.text.fg}))
	s.inks[t] = k
	return k
}

// languages are the languages that can be coloured.
var languages languageSet

// languageSet finds chroma's lexers by language or file name. What was found is
// remembered, since chroma tries the file patterns of all its lexers for a name
// that it does not know. A lexer is compiled when it is first used.
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
	lexer := lexers.Get(name)
	if lexer == nil { // "rust,ignore", "go:main.go", "12:20:src/main.py"
		if i := strings.IndexAny(name, ",;{["); i > 0 {
			lexer = lexers.Get(name[:i])
		} else if i := strings.LastIndexByte(name, ':'); i >= 0 {
			if lexer = lexers.Get(name[i+1:]); lexer == nil {
				lexer = lexers.Get(name[:strings.IndexByte(name, ':')])
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
