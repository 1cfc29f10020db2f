package markdown

import (
	"fmt"
	"image/color"
	"sync"

	"charm.land/glamour/v2/ansi"
	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/styles"
)

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
	s.style = withoutBackground(styles.Get(name))
	return s
}

// withoutBackground returns a style without the background of code as a whole. Tokens
// keep their own backgrounds.
func withoutBackground(style *chroma.Style) *chroma.Style {
	b := style.Builder()
	behind := b.Get(chroma.Background)
	behind.Background, behind.NoInherit = 0, true
	if plain, err := b.AddEntry(chroma.Background, behind).Build(); err == nil {
		return plain
	}
	return style
}

func (s *syntaxStyle) ink(t chroma.TokenType) *ink {
	if k, ok := s.inks[t]; ok {
		return k
	}
	e := s.style.Get(t)
	var l look
	for a, value := range map[attributes]chroma.Trilean{bold: e.Bold, italic: e.Italic, underline: e.Underline} {
		if value == chroma.Yes {
			l.on |= a
		}
	}
	l.set = l.on
	of := func(c chroma.Colour) color.Color {
		if !c.IsSet() {
			return nil
		}
		return color.RGBA{c.Red(), c.Green(), c.Blue(), 0xff}
	}
	l.fg, l.bg = of(e.Colour), of(e.Background)
	k := s.palette.ink(l)
	s.inks[t] = k
	return k
}

// codeStyles are the styles for code that were registered with chroma, which knows
// styles only by name. Its registry is a plain map: whoever reads it, as Glamour does,
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
	value := func(a attributes) chroma.Trilean {
		if l.on&a != 0 {
			return chroma.Yes
		}
		return chroma.Pass
	}
	return chroma.StyleEntry{
		Colour: colour(l.fg), Background: colour(l.bg),
		Bold: value(bold), Italic: value(italic), Underline: value(underline),
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
