package export

import (
	"bytes"
	_ "embed" // the page
	"fmt"
	"html"
	"html/template"
	"image/color"
	"io"
	"strings"
	"sync"
	"time"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"parley/internal/termtext"
)

//go:embed page.html
var pageSource string

var page = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("page").Funcs(template.FuncMap{
		"markdown": markdownToHTML, "diff": diffToHTML, "terminal": terminalToHTML, "date": func(t time.Time) string { return t.Format(time.DateTime) },
		"image": imageOf, "label": Attachment.label, "took": Entry.took, "title": func(e Entry) template.HTML { return inlineToHTML(e.callTitle()) }, "changed": Entry.changed, "noteTitle": Entry.noteTitle,
		"caption": func(e Entry) string { return e.Caption }, "shown": Field.shown,
	}).Parse(pageSource))
})

// HTML writes a transcript as one self-contained page. Its content security policy forbids
// scripts and anything from elsewhere.
func HTML(w io.Writer, t *Transcript) error {
	var b bytes.Buffer
	if err := page().Execute(&b, t); err != nil {
		return fmt.Errorf("export the session: %w", err)
	}
	if _, err := b.WriteTo(w); err != nil {
		return fmt.Errorf("export the session: %w", err)
	}
	return nil
}

// markdown renders what agents write. It shows HTML as text, and leaves out links with
// unsafe schemes.
var markdown = sync.OnceValue(func() goldmark.Markdown {
	return goldmark.New(goldmark.WithExtensions(extension.Table, extension.Linkify, extension.TaskList), goldmark.WithParser(parser.NewParser(
		parser.WithBlockParsers(
			util.Prioritized(parser.NewSetextHeadingParser(), 100), util.Prioritized(parser.NewThematicBreakParser(), 200),
			util.Prioritized(parser.NewListParser(), 300), util.Prioritized(parser.NewListItemParser(), 400),
			util.Prioritized(parser.NewCodeBlockParser(), 500), util.Prioritized(parser.NewATXHeadingParser(), 600),
			util.Prioritized(parser.NewFencedCodeBlockParser(), 700), util.Prioritized(parser.NewBlockquoteParser(), 800),
			util.Prioritized(parser.NewParagraphParser(), 1000),
		),
		parser.WithInlineParsers(
			util.Prioritized(NewSymbolParser(), 0),
			util.Prioritized(parser.NewCodeSpanParser(), 100), util.Prioritized(parser.NewLinkParser(), 200),
			util.Prioritized(parser.NewAutoLinkParser(), 300), util.Prioritized(NewEmphasisParser(), 500),
			util.Prioritized(NewStrikethroughParser(), 500),
		),
		parser.WithASTTransformers(util.Prioritized(imagesToLinks{}, 100)),
		parser.WithParagraphTransformers(parser.DefaultParagraphTransformers()...),
	)), goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(extension.NewStrikethroughHTMLRenderer(), 500))))
})

// imagesToLinks turns images, which a browser would fetch, into links. An image in a link
// becomes its text.
type imagesToLinks struct{}

func (imagesToLinks) Transform(doc *ast.Document, _ text.Reader, _ parser.Context) {
	var images []*ast.Image
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if image, ok := n.(*ast.Image); ok && entering {
			images = append(images, image)
		}
		return ast.WalkContinue, nil
	})
	for _, image := range images {
		parent := image.Parent()
		if inLink(image) {
			for child := image.FirstChild(); child != nil; child = image.FirstChild() {
				parent.InsertBefore(parent, image, child)
			}
			parent.RemoveChild(parent, image)
			continue
		}
		link := ast.NewLink()
		link.Destination, link.Title = image.Destination, image.Title
		for child := image.FirstChild(); child != nil; child = image.FirstChild() {
			link.AppendChild(link, child)
		}
		parent.ReplaceChild(parent, image, link)
	}
}

func inLink(n ast.Node) bool {
	for n = n.Parent(); n != nil; n = n.Parent() {
		if n.Kind() == ast.KindLink {
			return true
		}
	}
	return false
}

func markdownToHTML(text string) template.HTML {
	var b bytes.Buffer
	if err := markdown().Convert([]byte(text), &b); err != nil {
		return template.HTML("<pre>" + html.EscapeString(text) + "</pre>")
	}
	return template.HTML(termtext.Visible(b.String())) // entities are any characters
}

// inlineToHTML renders a line of Markdown, such as a title.
func inlineToHTML(line string) template.HTML {
	text, one := strings.CutPrefix(strings.TrimSpace(string(markdownToHTML(line))), "<p>")
	text, ends := strings.CutSuffix(text, "</p>")
	if !one || !ends || strings.Contains(text, "<p>") {
		return template.HTML(html.EscapeString(line)) // a heading, a list and the like
	}
	return template.HTML(text)
}

// changed returns how many lines a call has added and removed, or "".
func (e Entry) changed() string {
	added, removed := 0, 0
	for _, c := range e.Content {
		_, hunks, _ := strings.Cut(c.Diff, "\n@@")
		for line := range strings.Lines(hunks) {
			switch line[0] {
			case '+':
				added++
			case '-':
				removed++
			}
		}
	}
	if added+removed == 0 {
		return ""
	}
	return fmt.Sprintf("+%d −%d", added, removed)
}

// imageOf returns the data URL of an image, "" if its type is not safe to show.
func imageOf(a Attachment) template.URL {
	switch a.MimeType {
	case "image/png", "image/jpeg", "image/gif", "image/webp":
	default:
		return ""
	}
	if a.Data == "" || strings.Trim(a.Data, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=\n") != "" {
		return ""
	}
	return template.URL("data:" + a.MimeType + ";base64," + a.Data)
}

func diffToHTML(diff string) template.HTML {
	var b strings.Builder
	inside := false // a hunk, where "--- one" is the removed line "-- one"
	for line := range strings.SplitSeq(strings.TrimRight(diff, "\n"), "\n") {
		class := "same"
		switch {
		case strings.HasPrefix(line, "@@"):
			class, inside = "head", true
		case !inside && (strings.HasPrefix(line, "---") || strings.HasPrefix(line, "+++")):
			class = "head"
		case strings.HasPrefix(line, "+"):
			class = "add"
		case strings.HasPrefix(line, "-"):
			class = "del"
		}
		fmt.Fprintf(&b, "<span class=%q>%s\n</span>", class, html.EscapeString(line))
	}
	return template.HTML(b.String())
}

func terminalToHTML(c Content) template.HTML {
	var b strings.Builder
	for _, line := range c.Lines {
		b.WriteString(lineToHTML(line))
		b.WriteByte('\n')
	}
	return template.HTML(strings.TrimRight(b.String(), "\n"))
}

// lineToHTML renders a line of the emulator, which contains only text and colours.
func lineToHTML(line string) string {
	var b, run strings.Builder
	var pen uv.Style
	flush := func() {
		text := html.EscapeString(run.String())
		if css := cssOf(&pen); css != "" && text != "" {
			text = fmt.Sprintf(`<span style="%s">%s</span>`, css, text)
		}
		b.WriteString(text)
		run.Reset()
	}
	p := ansi.NewParser()
	state := byte(0)
	for len(line) > 0 {
		seq, width, n, next := ansi.DecodeSequence(line, state, p)
		state, line = next, line[n:]
		switch {
		case width > 0:
			run.WriteString(seq)
		case ansi.HasCsiPrefix(seq) && ansi.Cmd(p.Command()).Final() == 'm':
			flush()
			uv.ReadStyle(p.Params(), &pen)
		}
	}
	flush()
	return b.String()
}

// cssOf returns a style as CSS, "" for the plain one.
func cssOf(s *uv.Style) string {
	var css []string
	fg, bg := s.Fg, s.Bg
	if s.Attrs&uv.AttrReverse != 0 {
		fg, bg = bg, fg
		css = append(css, "filter:invert(1)")
	}
	hex := func(c color.Color) string {
		r, g, b, _ := c.RGBA()
		return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
	}
	if fg != nil {
		css = append(css, "color:"+hex(fg))
	}
	if bg != nil {
		css = append(css, "background:"+hex(bg))
	}
	if s.Attrs&uv.AttrBold != 0 {
		css = append(css, "font-weight:bold")
	}
	if s.Attrs&uv.AttrItalic != 0 {
		css = append(css, "font-style:italic")
	}
	if s.Attrs&uv.AttrFaint != 0 {
		css = append(css, "opacity:.7")
	}
	return strings.Join(css, ";")
}
