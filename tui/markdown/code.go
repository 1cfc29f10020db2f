package markdown

import (
	"fmt"
	"image/color"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"charm.land/glamour/v2/ansi"
	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"
	"github.com/alecthomas/chroma/v2/styles"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/yuin/goldmark/ast"

	"parley/internal/termtext"
	"parley/tui/theme"
)

// goesOnMark precedes the continuation rows of a line of code.
const goesOnMark = "¦ "

// gutter returns what precedes the first row of a line of code, and the others.
func (r *renderer) gutter() (first, rest span) {
	if own := r.p.own; own != nil {
		if own.noCodeBar {
			return span{ink: own.code}, span{text: goesOnMark, ink: own.code}
		}
		return span{text: "│ ", ink: own.code}, span{text: goesOnMark, ink: own.code}
	}
	blank := strings.Repeat(" ", min(r.p.codeBlock.left, max(0, r.room-minText)))
	first, rest = span{text: blank, ink: r.p.text}, span{text: blank, ink: r.p.text}
	if len(blank) >= 2 {
		rest.text = blank[2:] + goesOnMark
	}
	return first, rest
}

// memo caches the colours of the code in the open block, by language and text.
type memo map[string][][]span

// code draws a code block. While it is open, it is coloured by chunks that end at blank
// lines: only the last chunk, of at most maxChunk bytes, is lexed again as it grows. A
// closed block is lexed as a whole.
// The first row names the language.
func (r *renderer) code(n ast.Node, language string) {
	sent := strings.TrimSuffix(string(n.Lines().Value(r.src)), "\n")
	text := expandTabs(sent)
	goesOn := r.cont != nil && n.Parent().Kind() == ast.KindDocument && n.PreviousSibling() == nil
	if language != "" && !goesOn {
		r.language(language)
	}
	var lines [][]span
	switch language = strings.ToLower(language); {
	case r.p.own != nil && (language == "diff" || language == "patch" || language == "udiff"):
		lines = r.p.diff(text)
	case r.live == nil:
		lines = r.p.highlight(text, language)
	case n.Kind() == ast.KindFencedCodeBlock && n.NextSibling() != nil:
		lines = r.live.highlight(r.p, text, language)
	default:
		for text != "" || lines == nil {
			chunk := nextChunk(text)
			text = text[len(chunk):]
			lines = append(lines, r.live.highlight(r.p, strings.TrimSuffix(chunk, "\n"), language)...)
		}
	}
	if goesOn && n.Lines().Len() == 0 {
		return
	}
	rest := sent
	for i, line := range lines {
		sent, rest, _ = strings.Cut(rest, "\n")
		r.codeLine(line, sent, i == 0 && goesOn && r.cont.within)
	}
}

// language draws the name of a code block's language, where code has a bar.
func (r *renderer) language(name string) {
	if own := r.p.own; own != nil && !own.noCodeBar {
		bar, _ := r.gutter()
		room := max(r.room-termtext.Width(bar.text), 2)
		r.codeRow(bar, []span{{text: termtext.Truncate(termtext.Line(name), room, "…"), ink: own.language}}, r.ornament())
	}
}

func (m memo) highlight(p *palette, code, language string) [][]span {
	key := language + "\n" + code
	lines, ok := m[key]
	if !ok {
		if len(m) > 64 {
			clear(m) // mostly the growing stages of chunks
		}
		lines = p.highlight(code, language)
		m[key] = lines
	}
	return lines
}

const maxChunk = 1024

// nextChunk returns the beginning of code up to a blank line, or the lines that fit
// maxChunk, including the newline.
func nextChunk(code string) string {
	end := 0
	for end < len(code) {
		n := strings.IndexByte(code[end:], '\n') + 1
		if n == 0 {
			n = len(code) - end
		}
		if end > 0 && end+n > maxChunk {
			break
		}
		blank := strings.TrimSpace(code[end:end+n]) == ""
		end += n
		if blank && end > maxChunk/4 {
			break
		}
	}
	return code[:end]
}

// codeLine draws a line of code, in colours and as it was sent; goesOn means that it began
// in an earlier piece.
func (r *renderer) codeLine(line []span, sent string, goesOn bool) {
	bar, rest := r.gutter()
	row := termtext.Row{Soft: goesOn}
	if strings.IndexByte(sent, '\t') < 0 {
		sent = ""
	}
	if goesOn {
		bar = rest
	}
	beside := func(bar span) int { return max(r.room-termtext.Width(bar.text), 2) }
	room := beside(bar)
	for k := len(line) - 1; k >= 0; k-- { // the trailing spaces
		line[k].text = strings.TrimRight(line[k].text, " ")
		if line[k].text != "" {
			break
		}
	}
	left := room
	var spans []span
	for _, s := range line {
		for s.text != "" {
			n, w := termtext.Fit(s.text, left, room)
			if n > 0 {
				part := s
				part.text, s.text = s.text[:n], s.text[n:]
				spans = append(spans, part)
				left -= w
			}
			if s.text != "" {
				if row.Text = ""; sent != "" {
					row.Text = termtext.Reindent(textOf(spans), sent)
				}
				r.codeRow(bar, spans, row)
				row.Soft, sent = true, ""
				bar, spans, room = rest, spans[:0], beside(rest)
				left = room
			}
		}
	}
	row.Text = sent
	r.codeRow(bar, spans, row)
}

func textOf(spans []span) (text string) {
	for _, s := range spans {
		text += s.text
	}
	return text
}

func (r *renderer) codeRow(bar span, spans []span, row termtext.Row) {
	row = row.Right(termtext.Width(bar.text))
	if len(spans) == 0 {
		bar.text = strings.TrimRight(bar.text, " ")
	}
	r.pen.write(bar.text, bar.ink, "")
	for _, s := range spans {
		r.pen.write(s.text, s.ink, "")
	}
	r.emit(row)
}

// diff colours the lines of a diff by their meaning. Where added and removed lines have the
// same ground, their signs differ.
func (p *palette) diff(text string) [][]span {
	var lines [][]span
	for line := range strings.SplitSeq(text, "\n") {
		k, sign := p.text, (*ink)(nil)
		switch {
		case strings.HasPrefix(line, "+++ "), strings.HasPrefix(line, "--- "),
			strings.HasPrefix(line, "diff "), strings.HasPrefix(line, "index "):
			k = p.path
		case strings.HasPrefix(line, "@@"):
			k = p.hunk
		case strings.HasPrefix(line, "+"):
			k, sign = p.added, p.addedSign
		case strings.HasPrefix(line, "-"):
			k, sign = p.removed, p.removedSign
		}
		switch {
		case line == "":
			lines = append(lines, nil)
		case sign != nil:
			lines = append(lines, []span{{text: line[:1], ink: sign}, {text: line[1:], ink: k}})
		default:
			lines = append(lines, []span{{text: line, ink: k}})
		}
	}
	return lines
}

const tabWidth = 4

func expandTabs(s string) string { return termtext.ExpandTabs(s, tabWidth) }

// CodeBlock is a code block in a text.
type CodeBlock struct {
	// Code is the content without the fence and the last newline.
	Code string
	// At is the offset of its first line in the text, in bytes.
	At int
}

// CodeBlocks returns the code blocks of a Markdown text, in order and without empty
// ones. They are independent of drawing.
func CodeBlocks(text string) []CodeBlock {
	src := []byte(text)
	var out []CodeBlock
	_ = ast.Walk(parseBlocks(src), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n.(type) {
		case *ast.FencedCodeBlock, *ast.CodeBlock:
		default:
			return ast.WalkContinue, nil
		}
		if lines := n.Lines(); entering && lines.Len() > 0 {
			code := strings.TrimRight(string(lines.Value(src)), "\n")
			out = append(out, CodeBlock{Code: code, At: lines.At(0).Start})
		}
		return ast.WalkSkipChildren, nil
	})
	return out
}

// CodeSpan is a piece of a line of code in one colour.
type CodeSpan struct {
	Text string
	// Color is nil for the colour of plain code.
	Color color.Color
}

// CodeColors colours lines of the file at path in a theme's colours for code: an
// element per line, whose spans are the line's text. The code must already be
// sanitised. It returns nil for an unknown language, or a theme without colours.
//
// Some code takes very long to colour. CodeColors gives up after roughly most and then
// returns tame = false: leave the rest of such a file plain. It is safe for concurrent
// use.
func CodeColors(code, path string, th *theme.Theme, most time.Duration) (lines [][]CodeSpan, tame bool) {
	name := filepath.Base(path)
	p := sharedPalette(th)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.syntax.style == nil || languages.find(name) == nil {
		return nil, true
	}
	plain := p.syntax.ink(chroma.Text).Fg
	coloured, tame := p.highlightWithin(most, code, name)
	for _, spans := range coloured {
		var line []CodeSpan
		for _, s := range spans {
			c := CodeSpan{Text: s.text}
			if s.ink != p.plainCode && s.ink.Fg != plain {
				c.Color = s.ink.Fg
			}
			line = append(line, c)
		}
		lines = append(lines, line)
	}
	return lines, tame
}

// syntaxStyle is a chroma style in inks.
type syntaxStyle struct {
	palette *palette
	style   *chroma.Style // nil: code has one colour
	inks    map[chroma.TokenType]*ink
}

func newSyntaxStyle(p *palette) *syntaxStyle {
	s := &syntaxStyle{palette: p, inks: map[chroma.TokenType]*ink{}}
	name := codeStyle(&p.style.CodeBlock)
	if name == "" {
		return s
	}
	codeStyles.mu.RLock()
	defer codeStyles.mu.RUnlock()
	s.style = styles.Get(name)
	// Code as a whole has no background; tokens keep their own.
	b := s.style.Builder()
	behind := b.Get(chroma.Background)
	behind.Background, behind.NoInherit = 0, true
	if plain, err := b.AddEntry(chroma.Background, behind).Build(); err == nil {
		s.style = plain
	}
	return s
}

func (s *syntaxStyle) ink(t chroma.TokenType) *ink {
	if k, ok := s.inks[t]; ok {
		return k
	}
	e := s.style.Get(t)
	var l look
	for a, value := range map[uint8]chroma.Trilean{uv.AttrBold: e.Bold, uv.AttrItalic: e.Italic, underlineSet: e.Underline} {
		l.switchOn(a, value == chroma.Yes)
	}
	of := func(c chroma.Colour) color.Color {
		if !c.IsSet() {
			return nil
		}
		return color.RGBA{c.Red(), c.Green(), c.Blue(), 0xff}
	}
	l.Fg, l.Bg = of(e.Colour), of(e.Background)
	k := s.palette.ink(l)
	s.inks[t] = k
	return k
}

// codeStyles are the styles for code that were registered with chroma, which knows
// styles only by name. Its registry is a plain map, which Glamour reads, too: readers
// must hold mu.
var codeStyles struct {
	mu    sync.RWMutex
	names map[*ansi.Chroma]string
}

// codeStyle returns the name under which chroma knows a style for code, "" for one
// without colours. Glamour itself would register the first style used in the program
// and then use it for all others.
func codeStyle(s *ansi.StyleCodeBlock) string {
	if s.Chroma == nil {
		return s.Theme
	}
	codeStyles.mu.Lock()
	defer codeStyles.mu.Unlock()
	name, ok := codeStyles.names[s.Chroma]
	if ok {
		return name
	}
	name = fmt.Sprintf("parley-%d", len(codeStyles.names))
	b := chroma.NewStyleBuilder(name)
	for t, part := range tokens(s.Chroma) {
		b.AddEntry(t, entry(part))
	}
	style, err := b.Build()
	if err != nil { // entries made from values are never malformed
		return ""
	}
	if codeStyles.names == nil {
		codeStyles.names = map[*ansi.Chroma]string{}
	}
	codeStyles.names[s.Chroma] = name
	styles.Register(style)
	return name
}

func entry(s ansi.StylePrimitive) chroma.StyleEntry {
	l := lookOf(s)
	colour := func(c color.Color) chroma.Colour {
		if c == nil {
			return 0
		}
		r, g, b, _ := c.RGBA()
		return chroma.NewColour(uint8(r>>8), uint8(g>>8), uint8(b>>8))
	}
	value := func(is bool) chroma.Trilean {
		if is {
			return chroma.Yes
		}
		return chroma.Pass
	}
	return chroma.StyleEntry{
		Colour: colour(l.Fg), Background: colour(l.Bg),
		Bold: value(l.Attrs&uv.AttrBold != 0), Italic: value(l.Attrs&uv.AttrItalic != 0), Underline: value(l.Underline != 0),
	}
}

// tokens maps the kinds of tokens to their colours in Glamour's format.
func tokens(c *ansi.Chroma) map[chroma.TokenType]ansi.StylePrimitive {
	return map[chroma.TokenType]ansi.StylePrimitive{
		chroma.Text: c.Text, chroma.Error: c.Error, chroma.Comment: c.Comment, chroma.CommentPreproc: c.CommentPreproc,
		chroma.Keyword: c.Keyword, chroma.KeywordReserved: c.KeywordReserved,
		chroma.KeywordNamespace: c.KeywordNamespace, chroma.KeywordType: c.KeywordType,
		chroma.Operator: c.Operator, chroma.Punctuation: c.Punctuation,
		chroma.Name: c.Name, chroma.NameBuiltin: c.NameBuiltin, chroma.NameTag: c.NameTag,
		chroma.NameAttribute: c.NameAttribute, chroma.NameClass: c.NameClass, chroma.NameConstant: c.NameConstant,
		chroma.NameDecorator: c.NameDecorator, chroma.NameException: c.NameException,
		chroma.NameFunction: c.NameFunction, chroma.NameOther: c.NameOther,
		chroma.Literal: c.Literal, chroma.LiteralNumber: c.LiteralNumber, chroma.LiteralDate: c.LiteralDate,
		chroma.LiteralString: c.LiteralString, chroma.LiteralStringEscape: c.LiteralStringEscape,
		chroma.GenericDeleted: c.GenericDeleted, chroma.GenericEmph: c.GenericEmph, chroma.GenericInserted: c.GenericInserted,
		chroma.GenericStrong: c.GenericStrong, chroma.GenericSubheading: c.GenericSubheading,
		chroma.Background: c.Background,
	}
}

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

// lexerOf is lexers.Get for a name in lower case: the name of a language, a file
// extension, or a file name. lexers.Get takes up to 20 ms for names that are not
// languages, because it tries each file pattern a dozen times.
func lexerOf(name string) chroma.Lexer {
	all := lexers.GlobalLexerRegistry.Lexers
	sameName := func(other string) bool { return strings.EqualFold(other, name) }
	for _, has := range []func(*chroma.Config) bool{ // a name wins over an alias
		func(c *chroma.Config) bool { return sameName(c.Name) },
		func(c *chroma.Config) bool { return slices.ContainsFunc(c.Aliases, sameName) },
	} {
		for _, lexer := range all {
			if has(lexer.Config()) {
				return lexer
			}
		}
	}
	return first(matchFile("filename."+name), matchFile(name))
}

// copies are the suffixes that chroma ignores as those of copies and templates of a
// file.
var copies = []string{
	"~", ".bak", ".old", ".orig", ".dpkg-dist", ".dpkg-old", ".ucf-dist", ".ucf-new", ".ucf-old", ".rpmnew", ".rpmorig", ".rpmsave", ".in",
}

// matchFile finds a lexer by the name of a file.
func matchFile(file string) (best chroma.Lexer) {
	names := []string{filepath.Base(file)}
	for _, end := range copies {
		if original, ok := strings.CutSuffix(names[0], end); ok {
			names = append(names, original)
		}
	}
	for _, lexer := range lexers.GlobalLexerRegistry.Lexers {
		for _, glob := range lexer.Config().Filenames {
			if slices.ContainsFunc(names, func(name string) bool { ok, _ := filepath.Match(glob, name); return ok }) {
				best = first(best, lexer)
			}
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
