package export

import (
	"bytes"
	"cmp"
	_ "embed" // the page
	"fmt"
	"html"
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

// page has {title}, {about} and {entries} in place of what a transcript has.
//
//go:embed page.html
var page string

// markup is HTML. Constants are; any other string becomes markup by [escaped] or by what renders it.
type markup string

// escaped shows any string as it is, also within the quotes of an attribute.
func escaped(s string) markup { return markup(html.EscapeString(s)) }

// element puts contents into an element, whose tag may have attributes: `div class="note"`.
func element(tag markup, contents ...markup) markup {
	name, _, _ := strings.Cut(string(tag), " ")
	return "<" + tag + ">" + join(contents) + "</" + markup(name) + ">"
}

// filled is an element with a text, nothing where there is no text.
func filled(tag markup, s string) markup {
	if s == "" {
		return ""
	}
	return element(tag, escaped(s))
}

// each joins the markup of several values.
func each[T any](values []T, draw func(T) markup) markup {
	var all []markup
	for _, v := range values {
		all = append(all, draw(v))
	}
	return join(all)
}

func join(parts []markup) markup {
	var b strings.Builder
	for _, part := range parts {
		b.WriteString(string(part))
	}
	return markup(b.String())
}

// HTML writes a transcript as one self-contained page. Its content security policy forbids
// scripts and anything from elsewhere.
func HTML(w io.Writer, t *Transcript) error {
	begun := ""
	if !t.Begun.IsZero() {
		begun = t.Begun.Format(time.DateTime)
	}
	var about markup
	for _, fact := range [][2]string{{"Agent", t.Agent}, {"Directory", t.Cwd}, {"Begun", begun}, {"Session", cmp.Or(t.Stored, t.Session)}} {
		if fact[1] != "" {
			about += filled("dt", fact[0]) + filled("dd", fact[1])
		}
	}
	title := string(escaped(cmp.Or(t.Title, "A session")))
	_, err := strings.NewReplacer("{title}", title, "{about}", string(about), "{entries}", string(each(t.Entries, entryToHTML))).WriteString(w, page)
	if err != nil {
		return fmt.Errorf("export the session: %w", err)
	}
	return nil
}

func entryToHTML(e Entry) markup {
	attachments := each(e.Attachments, func(a Attachment) markup { return element("div", attachmentToHTML(a)) })
	var entry markup
	switch {
	case e.Type == "prompt":
		entry = element(`div class="prompt"`, escaped(e.Text), attachments)
	case e.Type == "answer":
		entry = element(`div class="answer"`, markdownToHTML(e.Text), attachments)
	case e.Type == "thought":
		entry = element("details", `<summary class="thought">Thought</summary>`, element(`div class="body thought"`, markdownToHTML(e.Text)))
	case e.Type == "tool_call":
		entry = callToHTML(e)
	case e.Type == "command":
		entry = each(e.Content, terminalToHTML)
	case e.Type == "plan":
		entry = element("section", "<b>Plan</b>", markdownToHTML(e.Text), stepsToHTML(e.Steps), attachments)
	case e.Type == "question":
		answers := each(e.Fields, func(f Field) markup { return element("div", escaped(f.Name), ": ", escaped(f.shown())) })
		if answers == "" {
			answers = element(`div class="note"`, escaped(e.Status))
		}
		entry = element("section", filled("b", e.Text), answers)
	case e.Type == "note":
		detail := escaped(e.Text)
		if detail != "" {
			detail = "<br>" + detail
		}
		entry = element(`p class="note `+escaped(e.Severity)+`"`, escaped(e.noteTitle()), detail)
	case e.Text != "" || e.Input != "":
		entry = element("details", filled(`summary class="note"`, e.Caption), element(`div class="body"`, markdownToHTML(e.Text), filled("pre", e.Input)))
	default:
		entry = filled(`p class="note"`, e.Caption)
	}
	return entry + "\n"
}

func callToHTML(e Entry) markup {
	tag := markup("details")
	if e.Parent != "" {
		tag = `details class="child"`
	}
	answer := e.Answer
	if answer != "" {
		answer = "you: " + answer
	}
	input := filled("pre", e.Input)
	if input != "" {
		input = element("details", "<summary>Input</summary>", element(`div class="body"`, input))
	}
	return element(tag,
		element("summary", element("b", inlineToHTML(e.callTitle())), filled("span", e.changed()), filled("span", e.Kind),
			filled(`span class="`+escaped(e.Status)+`"`, e.Status), filled("span", answer), filled("span", e.took())), "\n",
		element(`div class="body"`, each(e.Paths, func(path string) markup { return filled(`div class="path"`, path) }),
			stepsToHTML(e.Steps), each(e.Content, contentToHTML), input))
}

func contentToHTML(c Content) markup {
	switch {
	case c.Type == "diff":
		return filled(`div class="path"`, c.Path) + element(`pre class="diff"`, diffToHTML(c.Diff))
	case c.Type == "terminal":
		return terminalToHTML(c)
	case c.Type != "attachment":
		return element("pre", escaped(c.Text))
	case c.Attachment != nil:
		return attachmentToHTML(*c.Attachment)
	}
	return ""
}

// attachmentToHTML shows an image that is safe to show, and names anything else.
func attachmentToHTML(a Attachment) markup {
	if url := imageOf(a); url != "" {
		return `<img src="` + escaped(url) + `" alt="">`
	}
	return filled(`span class="path"`, a.label())
}

func stepsToHTML(steps []Step) markup {
	if len(steps) == 0 {
		return ""
	}
	return element(`ul class="steps"`, each(steps, func(s Step) markup {
		mark := markup("○ ")
		switch s.Status {
		case "completed":
			mark = "✓ "
		case "in_progress":
			mark = "◐ "
		}
		return element("li", mark, escaped(s.Text))
	}))
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

func markdownToHTML(source string) markup {
	var b bytes.Buffer
	if err := markdown().Convert([]byte(source), &b); err != nil {
		return element("pre", escaped(source))
	}
	return markup(termtext.Visible(b.String())) // entities are any characters
}

// inlineToHTML renders a line of Markdown, such as a title.
func inlineToHTML(line string) markup {
	drawn, one := strings.CutPrefix(strings.TrimSpace(string(markdownToHTML(line))), "<p>")
	drawn, ends := strings.CutSuffix(drawn, "</p>")
	if !one || !ends || strings.Contains(drawn, "<p>") {
		return escaped(line) // a heading, a list and the like
	}
	return markup(drawn)
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
func imageOf(a Attachment) string {
	switch a.MimeType {
	case "image/png", "image/jpeg", "image/gif", "image/webp":
	default:
		return ""
	}
	if a.Data == "" || strings.Trim(a.Data, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=\n") != "" {
		return ""
	}
	return "data:" + a.MimeType + ";base64," + a.Data
}

func diffToHTML(diff string) markup {
	var b strings.Builder
	inside := false // a hunk, where "--- one" is the removed line "-- one"
	for line := range strings.SplitSeq(strings.TrimRight(diff, "\n"), "\n") {
		class := markup("same")
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
		b.WriteString(string(element(`span class="`+class+`"`, escaped(line), "\n")))
	}
	return markup(b.String())
}

func terminalToHTML(c Content) markup {
	var command, exit markup
	if c.Command != "" {
		command = filled("pre", "$ "+c.Command)
	}
	if c.Exit != "" {
		exit = filled(`div class="note"`, "ended: "+c.Exit)
	}
	screen := each(c.Lines, func(line string) markup { return lineToHTML(line) + "\n" })
	return command + element(`pre class="screen"`, markup(strings.TrimRight(string(screen), "\n"))) + exit
}

// lineToHTML renders a line of the emulator, which contains only text and colours.
func lineToHTML(line string) markup {
	var b, run strings.Builder
	var pen uv.Style
	flush := func() {
		styled := escaped(run.String())
		if css := cssOf(&pen); css != "" && styled != "" {
			styled = element(`span style="`+escaped(css)+`"`, styled)
		}
		b.WriteString(string(styled))
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
	return markup(b.String())
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
