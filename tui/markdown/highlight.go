package markdown

import (
	"strings"
	"time"

	"github.com/alecthomas/chroma/v2"
)

// maxHighlight bounds the bytes of code coloured at once; lexers manage about a quarter
// of a megabyte a second. The lines beyond it are drawn plain.
const maxHighlight = 16 << 10

// maxLexing bounds the time for a text on which a lexer's expressions backtrack
// endlessly; the rest is drawn plain. The tests of this package raise it: they colour
// long texts.
var maxLexing = 500 * time.Millisecond

// highlight colours sanitised code; the result has an element for each line.
func (p *palette) highlight(code, name string) [][]span {
	lines, _ := p.highlightWithin(maxLexing, code, name)
	return lines
}

// highlightWithin is highlight with another time limit, and reports whether the lexer
// kept to it. Compiling the lexer does not count.
func (p *palette) highlightWithin(most time.Duration, code, name string) (_ [][]span, inTime bool) {
	inTime = true
	rest := ""
	if len(code) > maxHighlight {
		cut := strings.LastIndexByte(code[:maxHighlight], '\n') + 1
		code, rest = code[:cut], code[cut:]
	}
	lines := lineWriter{lines: make([][]span, 1, 1+strings.Count(code, "\n"))}
	if lexer := languages.find(name); lexer != nil && p.syntax.style != nil && code != "" {
		inTime = lines.tokens(lexer, p.syntax, code, most)
		rest = code[lines.written:] + rest
	} else {
		rest = code + rest
	}
	lines.add(rest, p.plainCode)
	return lines.lines, inTime
}

// lineWriter collects tokens by line.
type lineWriter struct {
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

// tokens adds as much of code as the lexer understands, and reports whether it took
// less than most. It ignores a lexer that fails or does not return the text that it was
// given.
func (w *lineWriter) tokens(lexer chroma.Lexer, style *syntaxStyle, code string, most time.Duration) (inTime bool) {
	inTime = true
	defer func() { _ = recover() }() // chroma panics on a faulty lexer definition
	it, err := lexer.Tokenise(nil, code)
	if err != nil {
		return true
	}
	until := time.Now().Add(most)
	for t := it(); t != chroma.EOF && time.Now().Before(until); t = it() {
		rest := code[w.written:]
		if !strings.HasPrefix(rest, t.Value) {
			if rest+"\n" != t.Value { // some lexers end the text with a newline
				return true
			}
			t.Value = rest
		}
		w.add(t.Value, style.ink(t.Type))
	}
	return time.Now().Before(until)
}
