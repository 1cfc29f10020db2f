package markdown

import (
	"strings"
	"sync"

	"charm.land/glamour/v2/ansi"
	"github.com/alecthomas/chroma/v2"

	"parley/config"
	"parley/internal/termtext"
	"parley/tui/theme"
)

// palette is a theme's style for Markdown, prepared for drawing. A lipgloss style costs
// about a microsecond per rendered string; here a style costs two string copies. Hold
// mu while drawing with a shared palette, because inks are added on demand.
type palette struct {
	mu     sync.Mutex
	style  *theme.Markdown
	inks   map[look]*ink
	layers map[layer]*ink
	marks  map[markKey]margin
	own    *ownMarks // nil in other styles

	line []byte // a reused buffer, because streaming text is drawn with every frame

	text                                   *ink
	document, quote, list, paragraph       part
	headings                               [6]part
	words, strong, emphasis, strike        part
	code, link, linkText, image, imageText part
	item, number, task, rule               part
	table, codeBlock, htmlBlock, htmlSpan  part
	nested                                 int // indentation of a nested list, in cells
	separators                             separators
	border                                 *ink
	plainCode                              *ink // code in an unknown language
	syntax                                 *syntaxStyle
	added, removed, hunk, path             *ink
	addedSign, removedSign                 *ink
	callouts                               map[string]*ink // by title
}

// ownMarks are the inks of [theme.Marks].
type ownMarks struct {
	bold, quote, code, language, item, done, url, tableHeader *ink
	bullets                                                   []string
	noCodeBar                                                 bool
}

// part is a part of a style: its ink, and the text around it.
type part struct {
	ink *ink
	// before and after have the ink of the surrounding text, prefix and suffix that of
	// the part.
	before, prefix, suffix, after string
	// form, if not "", is the format of the text, see [config.FormatText].
	form string
	// left is how often token precedes a block, right the room to its right in cells.
	left, right int
	token       string
}

type layer struct{ top, base *ink }

// palettes holds the palettes of all documents, by theme: a document that is never
// drawn should cost no more than its text.
var palettes struct {
	mu sync.Mutex
	of map[*theme.Theme]*palette
}

// maxPalettes exceeds the themes in use at a time: a session has three.
const maxPalettes = 32

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
	s := &t.Markdown
	p := &palette{style: s, inks: map[look]*ink{}, layers: map[layer]*ink{}, marks: map[markKey]margin{}}
	p.document, p.quote, p.list, p.paragraph = p.block(s.Document), p.block(s.BlockQuote), p.block(s.List.StyleBlock), p.block(s.Paragraph)
	p.text = p.document.ink
	for i, h := range []ansi.StyleBlock{s.H1, s.H2, s.H3, s.H4, s.H5, s.H6} {
		p.headings[i] = p.heading(s.Heading, h)
	}
	p.words, p.strong, p.emphasis, p.strike = p.part(s.Text), p.part(s.Strong), p.part(s.Emph), p.part(s.Strikethrough)
	p.code, p.link, p.linkText = p.part(s.Code.StylePrimitive), p.part(s.Link), p.part(s.LinkText)
	p.image, p.imageText = p.part(s.Image), p.part(s.ImageText)
	p.item, p.number, p.task, p.rule = p.part(s.Item), p.part(s.Enumeration), p.part(s.Task.StylePrimitive), p.part(s.HorizontalRule)
	p.table, p.codeBlock = p.block(s.Table.StyleBlock), p.block(s.CodeBlock.StyleBlock)
	p.htmlBlock, p.htmlSpan = p.part(s.HTMLBlock.StylePrimitive), p.part(s.HTMLSpan.StylePrimitive)
	p.nested, p.separators = int(min(s.List.LevelIndent, maxInset)), separatorsOf(&s.Table)
	p.border = p.ink(look{})
	p.plainCode = p.over(p.codeBlock.ink, p.text)
	if m := s.Marks; m != nil {
		of := func(s ansi.StylePrimitive) *ink { return p.ink(lookOf(s)) }
		p.own = &ownMarks{
			bold: of(m.Bold), quote: of(m.Quote), code: of(m.Code), language: of(m.Language), item: of(m.Item), done: of(m.Done),
			url: of(m.URL), tableHeader: of(m.TableHeader), bullets: m.Bullets, noCodeBar: m.NoCodeBar,
		}
		p.border = of(m.TableBorder)
	}
	p.added, p.removed = p.ink(lookOfStyle(t.DiffAdded)), p.ink(lookOfStyle(t.DiffRemoved))
	p.addedSign, p.removedSign = p.ink(lookOfStyle(t.DiffAddedNumber)), p.ink(lookOfStyle(t.DiffRemovedNumber))
	p.hunk, p.path = p.ink(lookOfStyle(t.DiffHunk)), p.ink(lookOfStyle(t.DiffPath))
	p.callouts = map[string]*ink{}
	for _, c := range callouts {
		p.callouts[c.title] = p.ink(lookOfStyle(c.style(t).Bold(true).Italic(false)))
	}
	p.syntax = newSyntaxStyle(p)
	if p.own == nil && p.syntax.style != nil {
		p.plainCode = p.syntax.ink(chroma.Text)
	}
	return p
}

// part converts a primitive. It ignores blank lines around blocks: there is always one
// between two of them.
func (p *palette) part(s ansi.StylePrimitive) part {
	return part{
		form: s.Format, ink: p.ink(lookOf(s)), before: oneLine(s.BlockPrefix), prefix: oneLine(s.Prefix), suffix: oneLine(s.Suffix), after: oneLine(s.BlockSuffix),
	}
}

// oneLine returns a text of a style on one line.
func oneLine(text string) string {
	return strings.NewReplacer("\n", "", "\t", " ").Replace(termtext.Block(text))
}

func (p *palette) block(s ansi.StyleBlock) part {
	made := p.part(s.StylePrimitive)
	made.token = " "
	if s.IndentToken != nil {
		made.token = oneLine(*s.IndentToken)
	}
	if s.Indent != nil {
		made.left = int(min(*s.Indent, maxInset))
	}
	if s.Margin != nil {
		made.right = int(min(*s.Margin, maxInset))
		made.left += made.right
	}
	return made
}

// maxInset bounds indents and margins, in cells.
const maxInset = 40

// heading returns the part for the headings of a level, whose style wins over that of
// all headings. Glamour has no margins for headings.
func (p *palette) heading(all, level ansi.StyleBlock) part {
	made, over := p.part(all.StylePrimitive), p.part(level.StylePrimitive)
	made.token = " "
	for _, indent := range []*uint{all.Indent, level.Indent} {
		if indent != nil {
			made.left = int(min(*indent, maxInset))
		}
	}
	made.ink = p.ink(over.ink.over(made.ink.look))
	for _, text := range []struct{ to, of *string }{
		{&made.before, &over.before}, {&made.prefix, &over.prefix}, {&made.suffix, &over.suffix}, {&made.after, &over.after},
	} {
		if *text.of != "" {
			*text.to = *text.of
		}
	}
	return made
}

// formed returns the transformed text.
func (e *part) formed(text string) string {
	if e.form == "" {
		return text
	}
	return config.FormatText(e.form, text)
}

func (p *palette) ink(l look) *ink {
	k, ok := p.inks[l]
	if !ok {
		k = &ink{look: l, sgr: l.String()}
		p.inks[l] = k
	}
	return k
}

// over returns the ink of text in top inside text in base.
func (p *palette) over(top, base *ink) *ink {
	if top.look == (look{}) {
		return base
	}
	key := layer{top, base}
	k, ok := p.layers[key]
	if !ok {
		k = p.ink(top.look.over(base.look))
		p.layers[key] = k
	}
	return k
}
