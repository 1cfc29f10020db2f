package markdown

import (
	"image/color"
	"strings"

	"charm.land/glamour/v2/ansi"
	"charm.land/lipgloss/v2"
	sgr "github.com/charmbracelet/x/ansi"
	"golang.org/x/text/cases"
	"golang.org/x/text/language"
)

// ink is a text style for the terminal: the attributes, and the SGR sequence that sets
// them. Inks are created once per palette, so that equal pointers mean the same style.
type ink struct {
	look
	sgr string
}

// look holds the attributes that Markdown needs. The zero value leaves all unset.
type look struct {
	fg, bg  color.Color
	on, set attributes // the attributes that are on, and those that are specified
	letters letters
}

type attributes uint8

const (
	bold attributes = 1 << iota
	italic
	underline
	strike
	inverse
	blink
)

// letters is a change of case.
type letters uint8

const (
	asWritten letters = iota
	upperCase
	lowerCase
	titleCase
)

func (l letters) apply(text string) string {
	switch l {
	case upperCase:
		return cases.Upper(language.English).String(text)
	case lowerCase:
		return cases.Lower(language.English).String(text)
	case titleCase:
		return cases.Title(language.English).String(text)
	}
	return text
}

// over merges l into base; attributes of l win.
func (l look) over(base look) look {
	if l.fg == nil {
		l.fg = base.fg
	}
	if l.bg == nil {
		l.bg = base.bg
	}
	if l.letters == asWritten {
		l.letters = base.letters
	}
	l.on |= base.on &^ l.set
	l.set |= base.set
	return l
}

// lookOf converts a primitive of Glamour's format. As in Glamour, faint and conceal
// have no effect.
func lookOf(s ansi.StylePrimitive) look {
	var l look
	l.fg, l.bg = colorOf(s.Color), colorOf(s.BackgroundColor)
	for a, value := range map[attributes]*bool{
		bold: s.Bold, italic: s.Italic, underline: s.Underline, strike: s.CrossedOut, inverse: s.Inverse, blink: s.Blink,
	} {
		if value != nil {
			l.set |= a
			if *value {
				l.on |= a
			}
		}
	}
	isSet := func(b *bool) bool { return b != nil && *b }
	switch {
	case isSet(s.Title):
		l.letters = titleCase
	case isSet(s.Lower):
		l.letters = lowerCase
	case isSet(s.Upper):
		l.letters = upperCase
	}
	return l
}

func colorOf(name *string) color.Color {
	if name == nil {
		return nil
	}
	if c := lipgloss.Color(*name); c != (lipgloss.NoColor{}) {
		return c
	}
	return nil
}

// lookOfStyle converts a style of the theme.
func lookOfStyle(s lipgloss.Style) look {
	var l look
	for a, is := range map[attributes]bool{bold: s.GetBold(), italic: s.GetItalic(), underline: s.GetUnderline(), strike: s.GetStrikethrough()} {
		if is {
			l.on |= a
		}
	}
	l.set = l.on
	if c := s.GetForeground(); c != (lipgloss.NoColor{}) {
		l.fg = c
	}
	if c := s.GetBackground(); c != (lipgloss.NoColor{}) {
		l.bg = c
	}
	return l
}

// sequence returns the SGR sequence that switches l on.
func (l look) sequence() string {
	var s sgr.Style
	if l.on&bold != 0 {
		s = s.Bold()
	}
	if l.on&italic != 0 {
		s = s.Italic(true)
	}
	if l.on&underline != 0 {
		s = s.Underline(true)
	}
	if l.on&strike != 0 {
		s = s.Strikethrough(true)
	}
	if l.on&inverse != 0 {
		s = s.Reverse(true)
	}
	if l.on&blink != 0 {
		s = s.Blink(true)
	}
	if l.fg != nil {
		s = s.ForegroundColor(l.fg)
	}
	if l.bg != nil {
		s = s.BackgroundColor(l.bg)
	}
	if len(s) == 0 {
		return ""
	}
	return s.String()
}

const (
	sgrReset = "\x1b[m"
	linkEnd  = "\x1b]8;;\x07"
)

// pen writes one line, switching styles and links only where they change.
type pen struct {
	b    strings.Builder
	ink  *ink
	link string
}

func (p *pen) write(s string, k *ink, link string) {
	if s == "" {
		return
	}
	if link != p.link {
		p.setLink(link)
	}
	if k != p.ink {
		p.setInk(k)
	}
	p.b.WriteString(s)
}

func (p *pen) setInk(k *ink) {
	if p.ink != nil && p.ink.sgr != "" {
		p.b.WriteString(sgrReset)
	}
	if k != nil {
		p.b.WriteString(k.sgr)
	}
	p.ink = k
}

func (p *pen) setLink(link string) {
	if link == "" {
		p.b.WriteString(linkEnd)
	} else {
		p.b.WriteString("\x1b]8;;")
		p.b.WriteString(link)
		p.b.WriteByte('\x07')
	}
	p.link = link
}

// line ends the line and returns it; the pen can be used again.
func (p *pen) line() string {
	if p.ink != nil {
		p.setInk(nil)
	}
	if p.link != "" {
		p.setLink("")
	}
	s := p.b.String()
	p.b.Reset()
	return s
}
