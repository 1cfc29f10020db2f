package markdown

import (
	"image/color"
	"strings"
	"sync"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"parley/tui/theme"
)

// ink is a text style as the terminal takes it: the attributes, and the SGR
// sequence that switches them on. Inks are made once per palette, so that two
// spans look the same exactly when their ink is the same pointer.
type ink struct {
	look
	sgr string
}

// look holds the attributes that Markdown needs. The zero value is plain text.
type look struct {
	fg, bg                          color.Color
	bold, italic, underline, strike bool
}

// over lays l on top of base: colours replace, the rest adds up.
func (l look) over(base look) look {
	if l.fg == nil {
		l.fg = base.fg
	}
	if l.bg == nil {
		l.bg = base.bg
	}
	l.bold = l.bold || base.bold
	l.italic = l.italic || base.italic
	l.underline = l.underline || base.underline
	l.strike = l.strike || base.strike
	return l
}

func lookOf(s lipgloss.Style) look {
	l := look{bold: s.GetBold(), italic: s.GetItalic(), underline: s.GetUnderline(), strike: s.GetStrikethrough()}
	if c := s.GetForeground(); c != (lipgloss.NoColor{}) {
		l.fg = c
	}
	if c := s.GetBackground(); c != (lipgloss.NoColor{}) {
		l.bg = c
	}
	return l
}

// palette is a theme made ready for drawing. lipgloss styles cost about a
// microsecond for each string they render; here a style costs two string
// copies. Whoever draws with a shared palette holds mu meanwhile, since inks are
// added as they are needed.
type palette struct {
	mu     sync.Mutex
	theme  *theme.Theme
	inks   map[look]*ink
	layers map[layer]*ink
	syntax *syntaxStyle

	text, bold, emphasis, strike, code, link, url *ink
	heading, mark, done, quote, rule, faint, raw  *ink
	tableHeader, border, bar                      *ink
	added, removed, hunk, path                    *ink
}

type layer struct{ top, base *ink }

// palettes are those of all documents, by theme: a document that is never drawn
// should cost no more than its text.
var palettes struct {
	mu sync.Mutex
	of map[*theme.Theme]*palette
}

// maxPalettes is more than the themes that are in use at a time.
const maxPalettes = 8

func sharedPalette(t *theme.Theme) *palette {
	palettes.mu.Lock()
	defer palettes.mu.Unlock()
	p, ok := palettes.of[t]
	if !ok {
		if palettes.of == nil || len(palettes.of) >= maxPalettes {
			palettes.of = map[*theme.Theme]*palette{}
		}
		p = newPalette(t)
		palettes.of[t] = p
	}
	return p
}

func newPalette(t *theme.Theme) *palette {
	p := &palette{theme: t, inks: map[look]*ink{}, layers: map[layer]*ink{}}
	of := func(s lipgloss.Style) *ink { return p.ink(lookOf(s)) }
	p.text, p.bold, p.emphasis, p.strike = of(t.Text), of(t.Bold), of(t.Emphasis), of(t.Strike)
	p.code, p.link, p.url = of(t.InlineCode), of(t.Link), of(t.LinkURL)
	p.heading, p.mark, p.done, p.quote = of(t.Heading), of(t.ListMark), of(t.Success), of(t.Quote)
	p.rule, p.faint, p.raw = of(t.Rule), of(t.Faint), of(t.Muted)
	p.tableHeader, p.border, p.bar = of(t.TableHeader), of(t.TableBorder), of(t.CodeBar)
	p.added, p.removed, p.hunk, p.path = of(t.DiffAdded), of(t.DiffRemoved), of(t.DiffHunk), of(t.DiffPath)
	return p
}

func (p *palette) ink(l look) *ink {
	if k, ok := p.inks[l]; ok {
		return k
	}
	var s ansi.Style
	if l.bold {
		s = s.Bold()
	}
	if l.italic {
		s = s.Italic(true)
	}
	if l.underline {
		s = s.Underline(true)
	}
	if l.strike {
		s = s.Strikethrough(true)
	}
	if l.fg != nil {
		s = s.ForegroundColor(l.fg)
	}
	if l.bg != nil {
		s = s.BackgroundColor(l.bg)
	}
	k := &ink{look: l}
	if len(s) > 0 {
		k.sgr = s.String()
	}
	p.inks[l] = k
	return k
}

// over is the ink of text in top that stands inside text in base. Colours of
// plain text do not win over those of what surrounds them.
func (p *palette) over(top, base *ink) *ink {
	if base == p.text {
		return top
	}
	key := layer{top, base}
	if k, ok := p.layers[key]; ok {
		return k
	}
	l := top.look
	if top == p.bold || top == p.emphasis {
		l.fg = nil // a bold word in a quote or heading keeps the colour around it
	}
	k := p.ink(l.over(base.look))
	p.layers[key] = k
	return k
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
