package markdown

import (
	"strings"
	"sync/atomic"
	"time"

	"github.com/alecthomas/chroma/v2"
)

// maxHighlight bounds the bytes of code coloured at once; lexers manage about a quarter
// of a megabyte a second. The lines beyond it are drawn plain.
const maxHighlight = 16 << 10

// maxLexing bounds the time for a text on which a lexer's expressions backtrack
// endlessly; the rest is drawn plain. Tests raise it, because their result must not
// depend on the load of the machine.
var maxLexing = 500 * time.Millisecond

var unhurried atomic.Bool

// Unhurried removes all time limits for colouring code. It is for tests, for the same
// reason.
func Unhurried() { unhurried.Store(true) }

// timeFor returns a limit for colouring, or a very long time after Unhurried.
func timeFor(most time.Duration) time.Duration {
	if unhurried.Load() {
		return time.Hour
	}
	return most
}

// highlight colours sanitised code; the result has an element for each line.
func (p *palette) highlight(code, name string) [][]span {
	return p.highlightWithin(timeFor(maxLexing), code, name)
}

// highlightWithin is highlight with another time limit.
func (p *palette) highlightWithin(most time.Duration, code, name string) [][]span {
	rest := ""
	if len(code) > maxHighlight {
		cut := strings.LastIndexByte(code[:maxHighlight], '\n') + 1
		code, rest = code[:cut], code[cut:]
	}
	lines := lineWriter{lines: make([][]span, 1, 1+strings.Count(code, "\n"))}
	if lexer := languages.find(name); lexer != nil && p.syntax.style != nil && code != "" {
		lines.tokens(lexer, p.syntax, code, most)
		rest = code[lines.written:] + rest
	} else {
		rest = code + rest
	}
	lines.add(rest, p.plainCode)
	return lines.lines
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

// tokens adds as much of code as the lexer understands. It ignores a lexer that fails
// or does not return the text that it was given.
func (w *lineWriter) tokens(lexer chroma.Lexer, style *syntaxStyle, code string, most time.Duration) {
	defer func() { _ = recover() }() // chroma panics on a faulty lexer definition
	it, err := lexer.Tokenise(nil, code)
	if err != nil {
		return
	}
	until := time.Now().Add(most)
	for t := it(); t != chroma.EOF && time.Now().Before(until); t = it() {
		rest := code[w.written:]
		if !strings.HasPrefix(rest, t.Value) {
			if rest+"\n" != t.Value { // some lexers end the text with a newline
				return
			}
			t.Value = rest
		}
		w.add(t.Value, style.ink(t.Type))
	}
}
