package transcript

import (
	"regexp"
	"slices"
	"strings"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/termtext"
	"parley/tui/markdown"
	"parley/tui/theme"
	"parley/tui/toolview"
)

// messageParts are the parts of a message and its state when they were drawn.
type messageParts struct {
	item     *conversation.Message
	parts    textParts
	done     bool
	replaced int
	last     uint64
}

// follow follows the message. On a page, Glamour draws a complete one.
func (m *messageParts) follow(th *theme.Theme, page bool) {
	if m.last == m.item.Version() && m.parts != nil {
		return
	}
	m.last = m.item.Version()
	if r := m.item.Replaced(); r != m.replaced {
		m.parts, m.done, m.replaced = nil, false, r
	}
	m.parts = m.parts.follow(m.item.Parts, th, page && m.item.Done)
	if m.item.Done && !m.done {
		m.done = true
		for i := range m.parts {
			if doc := m.parts[i].doc; doc != nil {
				doc.Finish()
			}
		}
	}
}

func (m *messageParts) excerpt() toolview.Excerpt { return messageExcerpt(m.item) }

// textParts are Markdown documents and blocks.
type textParts []part

// part is a Markdown document, or a block that is not text.
type part struct {
	doc    *markdown.Document
	block  *acpclient.ContentBlock
	hidden bool // the annotations reserve the block for the model
}

// follow adds new parts and text. With complete, Glamour draws new parts.
func (parts textParts) follow(items conversation.Parts, th *theme.Theme, complete bool) textParts {
	if parts == nil {
		parts = textParts{}
	}
	for i := range items {
		if i == len(parts) {
			p := part{block: items[i].Block}
			switch {
			case p.block != nil:
			case complete:
				p.doc = markdown.Complete(items[i].Text(), th)
			default:
				p.doc = markdown.New(th)
			}
			p.hidden = p.block != nil && !p.block.Annotations.ForUser()
			parts = append(parts, p)
		}
		if p := &parts[i]; p.doc != nil {
			p.doc.SetText(items[i].Text())
		}
	}
	return parts
}

func (p *part) sections() int {
	switch {
	case p.hidden:
		return 0
	case p.doc != nil:
		return p.doc.Len()
	}
	return 1
}

func (parts textParts) sections() int {
	n := 0
	for i := range parts {
		n += parts[i].sections()
	}
	return n
}

// lines draws a section. Without pics, pictures are one line.
func (parts textParts) lines(section, width int, env *environment, pics *pictures) []string {
	for i := range parts {
		p := &parts[i]
		n := p.sections()
		if section >= n {
			section -= n
			continue
		}
		if p.doc == nil {
			return append([]string{fit(env.places.Block(p.block).Styled(env.theme), width)}, pics.lines(p.block, width)...)
		}
		lines := p.doc.Lines(section, width)
		if i > 0 && section == 0 {
			lines = append([]string{""}, lines...)
		}
		return lines
	}
	return nil
}

// message draws a message of the agent.
type message struct {
	base
	messageParts
}

func (m *message) update(env *environment, _ bool) {
	m.env = env
	m.follow(env.theme, env.page)
}

func (m *message) sections() int { return m.parts.sections() }

func (m *message) lines(section, width int) []string {
	return m.parts.lines(section, width, m.env, m.env.pictures)
}

func (m *message) mark() string { return m.env.theme.AgentMark.Render("●") }

func (m *message) title() string { return "Answer" }

// messageExcerpt returns the text of a message and the last of its media.
func messageExcerpt(m *conversation.Message) toolview.Excerpt {
	e := toolview.Excerpt{Text: strings.TrimSpace(m.Parts.Plain())}
	for _, p := range m.Parts {
		if p.Block == nil {
			continue
		}
		if media := (toolview.Paths{}).Block(p.Block).Media; media != nil {
			e.Media = media
		}
	}
	return e
}

// thought draws a thought of the agent: its end while it grows, then one line, or all
// of it when expanded.
type thought struct {
	base
	messageParts
}

// thoughtTail is the number of lines shown of a growing thought.
const thoughtTail = 4

func (t *thought) update(env *environment, expanded bool) {
	t.env, t.expanded = env, expanded
	t.follow(env.dimmed, env.page)
}

func (t *thought) sections() int {
	if firstLine(t.firstText()) == "" && len(t.parts) <= 1 {
		return 0
	}
	if t.expanded {
		return 1 + t.parts.sections()
	}
	return 1
}

// firstText returns the first part that is text.
func (t *thought) firstText() string {
	for i := range t.item.Parts {
		if p := &t.item.Parts[i]; p.Block == nil {
			return p.Text()
		}
	}
	return ""
}

func (t *thought) lines(section, width int) []string {
	if section > 0 {
		return t.parts.lines(section-1, width, t.env, nil)
	}
	th := t.env.theme
	if t.expanded {
		return []string{th.Thought.Render("Thought")}
	}
	if !t.item.Growing {
		return []string{fit(th.Thought.Render("Thought: ")+th.Faint.Render(firstLine(t.firstText())), width)}
	}
	out := []string{th.Thought.Render("Thinking…")}
	var tail []string
	for s := t.parts.sections() - 1; s >= 0 && len(tail) < thoughtTail; s-- {
		for _, line := range slices.Backward(t.parts.lines(s, width, t.env, nil)) {
			if line != "" && len(tail) < thoughtTail {
				tail = append(tail, line)
			}
		}
	}
	slices.Reverse(tail)
	return append(out, tail...)
}

func (t *thought) mark() string { return t.env.theme.ThoughtMark.Render("✻") }

func (t *thought) compact() bool { return !t.item.Growing && !t.expanded }

func (t *thought) title() string { return "Thought" }

// firstLine returns the first line with text, without Markdown's emphasis; "" if there
// is none near the beginning.
func firstLine(text string) string {
	const enough = 400
	text = strings.TrimSpace(text)
	if len(text) > enough {
		text = strings.ToValidUTF8(text[:enough], "")
	}
	for line := range strings.Lines(htmlComment.ReplaceAllString(text, "")) {
		line = termtext.Line(strings.NewReplacer("**", "", "`", "").Replace(line))
		if line = strings.TrimSpace(strings.TrimLeft(line, "#*_ ")); line != "" {
			return line
		}
	}
	return ""
}

// htmlComment matches an HTML comment. Some agents end each heading of a thought with
// one.
var htmlComment = regexp.MustCompile(`(?s)<!--.*?-->`)

// A collapsed prompt of more than promptMost lines shows promptPeek of them.
const (
	promptPeek = 8
	promptMost = 12
)

// prompt draws a prompt as plain text. It folds a long one.
type prompt struct {
	base
	item     *conversation.Message
	pictures uint64 // the version of the pictures in kept
}

func (p *prompt) update(env *environment, expanded bool) {
	p.base.update(env, expanded)
	if now := env.pictures.version; p.pictures != now {
		p.pictures = now
		p.kept.drop()
	}
}

func (p *prompt) sections() int {
	if !p.expanded {
		return 1
	}
	return max(1, chunks(len(p.all(p.env.width))))
}

func (p *prompt) lines(section, width int) []string {
	all := p.all(width)
	if !p.expanded {
		return all
	}
	return between(all, section*chunk, (section+1)*chunk)
}

// all returns all lines of the prompt, folded unless it is expanded.
func (p *prompt) all(width int) []string {
	return p.kept.get(p.item.Version(), width, func(width int) []string {
		var out []string
		for i := range p.item.Parts {
			if part := &p.item.Parts[i]; part.Block != nil {
				out = append(out, fit(p.env.places.Block(part.Block).Styled(p.env.theme), width))
				out = append(out, p.env.pictures.lines(part.Block, width)...)
			} else if text := strings.TrimSpace(part.Text()); text != "" {
				out = append(out, p.text(text, width)...)
			}
		}
		switch {
		case p.item.Steered:
			out = append(out, fit(p.env.theme.Muted.Render("steered into the running turn"), width))
		case p.item.Relayed:
			out = append(out, fit(p.env.theme.Muted.Render("from the agent to its subagent"), width))
		}
		if out == nil {
			out = []string{""}
		}
		return out
	})
}

// text draws text of the prompt, only the beginning of a long one that is folded.
func (p *prompt) text(text string, width int) []string {
	part := text
	if !p.expanded {
		part = firstLines(text, promptMost+1)
	}
	lines := wrap(part, width, p.env.theme.User)
	if p.expanded || part == text && len(lines) <= promptMost {
		return lines
	}
	shown := min(promptPeek, len(lines))
	more := len(lines) - shown
	if rest := text[len(part):]; rest != "" {
		more += strings.Count(rest, "\n") + 1
	}
	return append(lines[:shown:shown], p.env.theme.Muted.Render(moreLines(more)))
}

// band draws a line on the prompt's background across the whole width, with the mark in
// the margin. Without a background, each line has a bar instead.
func (p *prompt) band(mark, line string, width int) string {
	th := p.env.theme
	if mark == "" && th.Prompt == "" {
		mark = th.UserMark.Render("┃")
	}
	line = mark + strings.Repeat(" ", max(0, gutter-termtext.Width(mark))) + line
	if th.Prompt == "" {
		return line
	}
	return termtext.Ground(line, width, th.Prompt)
}

func (p *prompt) mark() string {
	if p.env.theme.Prompt == "" {
		return ""
	}
	return p.env.theme.UserMark.Render("❯")
}

func (p *prompt) excerpt() toolview.Excerpt { return messageExcerpt(p.item) }

func (p *prompt) title() string { return "Prompt" }
