package markdown

import (
	"bufio"
	"bytes"
	"html"
	"image/color"
	"net/url"
	"strings"

	"charm.land/glamour/v2/ansi"
	"charm.land/lipgloss/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	goldmark "github.com/yuin/goldmark/renderer/html"
	"golang.org/x/text/cases"
	"golang.org/x/text/language"

	"parley/internal/termtext"
)

// maxLink bounds the target of an OSC 8 link in bytes; terminals drop longer ones.
const maxLink = 2000

// inliner converts the inline nodes of one block to spans.
type inliner struct {
	p     *palette
	src   []byte
	spans []span
}

func (r *renderer) inline(n ast.Node, base *ink) []span {
	in := inliner{p: r.p, src: r.src}
	in.children(n, r.p.over(r.p.words.ink, base), "")
	return in.spans
}

func (in *inliner) children(n ast.Node, k *ink, link string) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		in.node(c, k, link)
	}
}

func (in *inliner) add(text string, k *ink, link string) {
	if text == "" {
		return
	}
	text = termtext.Block(text)
	if strings.ContainsAny(text, "\n\t") {
		text = strings.NewReplacer("\n", " ", "\t", " ").Replace(text)
	}
	if k.letters != asWritten {
		text = k.letters.apply(text)
	}
	if text != "" {
		in.spans = append(in.spans, span{text: text, ink: k, link: link})
	}
}

// within adds what surrounds a part and, inside it, what draw adds. The part has the
// ink k and is in text of the ink base.
func (in *inliner) within(e *part, k, base *ink, link string, draw func()) {
	in.add(e.before, base, "")
	in.add(e.prefix, k, link)
	draw()
	in.add(e.suffix, k, link)
	in.add(e.after, base, "")
}

// part adds text as a part of the style.
func (in *inliner) part(e *part, text string, base *ink, link string) {
	k := in.p.over(e.ink, base)
	in.within(e, k, base, link, func() { in.add(e.formed(text), k, link) })
}

func (in *inliner) node(n ast.Node, k *ink, link string) {
	switch n := n.(type) {
	case *ast.Text:
		in.text(n, k, link)
	case *ast.String:
		in.add(string(n.Value), k, link)
	case *ast.CodeSpan:
		in.codeSpan(n, k, link)
	case *ast.Emphasis:
		e, inner := &in.p.emphasis, in.p.over(in.p.emphasis.ink, k)
		if n.Level > 1 {
			e, inner = &in.p.strong, in.p.over(in.p.strong.ink, k)
			if in.p.own != nil && k == in.p.text {
				inner = in.p.over(in.p.own.bold, k)
			}
		}
		in.within(e, inner, inner, link, func() { in.children(n, inner, link) })
	case *extast.Strikethrough:
		inner := in.p.over(in.p.strike.ink, k)
		in.within(&in.p.strike, inner, k, link, func() { in.children(n, inner, link) })
	case *extast.TaskCheckBox:
		// drawn as the item's mark
	case *ast.Link:
		in.link(n, string(n.Destination), &in.p.linkText, &in.p.link, k)
	case *ast.Image:
		in.link(n, string(n.Destination), &in.p.imageText, &in.p.image, k)
	case *ast.AutoLink:
		e := &in.p.link
		if n.AutoLinkType == ast.AutoLinkEmail {
			e = &in.p.linkText
		}
		in.part(e, string(n.Label(in.src)), k, target(string(n.URL(in.src))))
	case *ast.RawHTML:
		tag := string(n.Segments.Value(in.src))
		switch strings.ToLower(strings.ReplaceAll(tag, " ", "")) {
		case "<br>", "<br/>":
			in.spans = append(in.spans, span{text: "\n"})
		default:
			in.add(tag, in.p.over(in.p.htmlSpan.ink, k), link)
		}
	default:
		in.children(n, k, link)
	}
}

func (in *inliner) text(n *ast.Text, k *ink, link string) {
	text := string(n.Segment.Value(in.src))
	if !n.IsRaw() {
		text = unescape(text)
	}
	in.add(text, k, link)
	switch {
	case n.HardLineBreak(), n.SoftLineBreak() && definition(n.NextSibling(), in.src):
		in.spans = append(in.spans, span{text: "\n"})
	case n.SoftLineBreak():
		in.spans = append(in.spans, span{text: " ", ink: k, link: link})
	}
}

// definition reports whether a line that looks like a link reference definition begins
// at n; such lines are kept apart.
func definition(n ast.Node, src []byte) bool {
	t, ok := n.(*ast.Text)
	if !ok || t.Segment.Start >= len(src) || src[t.Segment.Start] != '[' {
		return false
	}
	line := string(src[t.Segment.Start:lineEnd(src, t.Segment.Start)])
	i := strings.IndexByte(line, ']')
	return i > 1 && strings.HasPrefix(line[i:], "]: ")
}

func (in *inliner) codeSpan(n *ast.CodeSpan, k *ink, link string) {
	var b strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if t, ok := c.(*ast.Text); ok {
			b.Write(t.Segment.Value(in.src))
		}
	}
	from := len(in.spans)
	inner := in.p.over(in.p.code.ink, k)
	in.add(in.p.code.prefix, inner, link)
	in.add(b.String(), inner, link)
	in.add(in.p.code.suffix, inner, link)
	for i := range in.spans[from:] {
		in.spans[from+i].code = true
	}
}

// link draws a link or an image: its text, and its target unless the text is the same.
func (in *inliner) link(n ast.Node, destination string, text, url *part, base *ink) {
	destination = unescape(destination)
	to := target(destination)
	label := inliner{p: in.p, src: in.src}
	k := in.p.over(text.ink, base)
	label.children(n, k, to)
	written := strings.TrimSpace(textOf(label.spans))
	if written == "" {
		in.part(url, destination, base, to)
		return
	}
	in.within(text, k, base, to, func() {
		if text.form != "" {
			in.add(text.formed(written), k, to)
		} else {
			in.spans = append(in.spans, label.spans...)
		}
	})
	switch {
	case destination == "" || sameURL(written, destination):
	case in.p.own != nil:
		in.add(" ("+destination+")", in.p.over(in.p.own.url, base), to)
	default:
		in.add(" ", base, "")
		in.part(url, destination, base, to)
	}
}

func sameURL(text, destination string) bool {
	for _, scheme := range []string{"", "http://", "https://", "mailto:", "file://"} {
		if d, ok := strings.CutPrefix(destination, scheme); ok && strings.TrimSuffix(d, "/") == strings.TrimSuffix(text, "/") {
			return true
		}
	}
	return false
}

// target returns the OSC 8 target for a link to u, "" if it may have none.
func target(u string) string {
	if len(u) > maxLink {
		return ""
	}
	parsed, err := url.Parse(u)
	if err != nil {
		return ""
	}
	switch parsed.Scheme {
	case "http", "https":
		if parsed.Host == "" {
			return ""
		}
	case "file":
	default:
		return ""
	}
	var b strings.Builder
	for i := range len(u) {
		if c := u[i]; c <= ' ' || c >= 0x7f {
			const hex = "0123456789ABCDEF"
			b.Write([]byte{'%', hex[c>>4], hex[c&15]})
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// unescape resolves backslash escapes and character references.
func unescape(s string) string {
	if !strings.ContainsAny(s, `\&`) {
		return s
	}
	var b bytes.Buffer
	w := bufio.NewWriterSize(&b, len(s))
	goldmark.DefaultWriter.Write(w, []byte(s)) // for HTML
	_ = w.Flush()
	return html.UnescapeString(b.String())
}

// ink is a text style for the terminal: the attributes, and the SGR sequence that sets
// them. Inks are created once per palette, so that equal pointers mean the same style.
type ink struct {
	look
	sgr string
}

// look is a style that may leave attributes to the text around it.
type look struct {
	uv.Style
	set     uint8 // the attributes that are specified, and underlineSet
	letters letters
}

// underlineSet is the bit of look.set for the underline. Nothing is concealed.
const underlineSet = uv.AttrConceal

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
	if l.Fg == nil {
		l.Fg = base.Fg
	}
	if l.Bg == nil {
		l.Bg = base.Bg
	}
	if l.set&underlineSet == 0 {
		l.Underline = base.Underline
	}
	if l.letters == asWritten {
		l.letters = base.letters
	}
	l.Attrs |= base.Attrs &^ l.set
	l.set |= base.set
	return l
}

// lookOf converts a primitive of Glamour's format. As in Glamour, faint and conceal
// have no effect.
func lookOf(s ansi.StylePrimitive) look {
	var l look
	l.Fg, l.Bg = colorOf(s.Color), colorOf(s.BackgroundColor)
	isSet := func(b *bool) bool { return b != nil && *b }
	for a, value := range map[uint8]*bool{
		uv.AttrBold: s.Bold, uv.AttrItalic: s.Italic, underlineSet: s.Underline, uv.AttrStrikethrough: s.CrossedOut, uv.AttrReverse: s.Inverse, uv.AttrBlink: s.Blink,
	} {
		if value != nil {
			l.set |= a
			l.switchOn(a, *value)
		}
	}
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

// switchOn switches an attribute on if it is.
func (l *look) switchOn(attribute uint8, is bool) {
	switch {
	case !is:
	case attribute == underlineSet:
		l.Underline = uv.UnderlineSingle
	default:
		l.Attrs |= attribute
	}
}

// lookOfStyle converts a style of the theme.
func lookOfStyle(s lipgloss.Style) (l look) {
	for a, is := range map[uint8]bool{
		uv.AttrBold: s.GetBold(), uv.AttrItalic: s.GetItalic(), underlineSet: s.GetUnderline(), uv.AttrStrikethrough: s.GetStrikethrough(),
	} {
		l.switchOn(a, is)
	}
	if c := s.GetForeground(); c != (lipgloss.NoColor{}) {
		l.Fg = c
	}
	if c := s.GetBackground(); c != (lipgloss.NoColor{}) {
		l.Bg = c
	}
	return l
}

const (
	sgrReset = "\x1b[m"
	linkEnd  = "\x1b]8;;\x07"
)

// pen writes one line, switching styles and links only where they change.
type pen struct {
	b    []byte
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
	p.b = append(p.b, s...)
}

// text returns spans as text, with single spaces in prose.
func (p *pen) text(spans []span) string {
	spaced := true // one more space would be too many
	for _, s := range spans {
		switch {
		case s.text == "":
			continue
		case s.text == "\n":
			p.b, spaced = append(p.b, '\n'), true
			continue
		case s.code:
		case strings.Contains(s.text, "  "), spaced && s.text[0] == ' ':
			s.text = collapsed(s.text, spaced)
		}
		p.write(s.text, s.ink, s.link)
		spaced = strings.HasSuffix(s.text, " ")
	}
	return p.line()
}

// collapsed returns a text with one space for several; none at its beginning if one precedes it.
func collapsed(text string, spaced bool) string {
	out := make([]byte, 0, len(text))
	for i := range len(text) {
		if text[i] != ' ' || !spaced {
			out = append(out, text[i])
		}
		spaced = text[i] == ' '
	}
	return string(out)
}

// styled writes a line with styles of its own.
func (p *pen) styled(line string) {
	p.setInk(nil)
	p.b = append(p.b, line...)
}

func (p *pen) setInk(k *ink) {
	if p.ink != nil && p.ink.sgr != "" {
		p.b = append(p.b, sgrReset...)
	}
	if k != nil {
		p.b = append(p.b, k.sgr...)
	}
	p.ink = k
}

func (p *pen) setLink(link string) {
	if link == "" {
		p.b = append(p.b, linkEnd...)
	} else {
		p.b = append(append(append(p.b, "\x1b]8;;"...), link...), '\x07')
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
	s := string(p.b)
	p.b = p.b[:0]
	return s
}
