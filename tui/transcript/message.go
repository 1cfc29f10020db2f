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

// follow follows the message.
func (m *messageParts) follow(th *theme.Theme) {
	if m.last == m.item.Version() && m.parts != nil {
		return
	}
	m.last = m.item.Version()
	if r := m.item.Replaced(); r != m.replaced {
		m.parts, m.done, m.replaced = nil, false, r
	}
	m.parts = m.parts.follow(m.item.Parts, th)
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

// follow adds new parts and text.
func (parts textParts) follow(items conversation.Parts, th *theme.Theme) textParts {
	if parts == nil {
		parts = textParts{}
	}
	for i := range items {
		if i == len(parts) {
			p := part{block: items[i].Block}
			if p.block == nil {
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

// draw adds the lines of a section. Without pics, pictures are one line.
func (parts textParts) draw(s *sheet, section, width int, env *environment, pics *pictures) {
	for i := range parts {
		p := &parts[i]
		n := p.sections()
		if section >= n {
			section -= n
			continue
		}
		if p.doc == nil {
			s.add(fit(env.places.Block(p.block).Styled(env.theme), width))
			s.add(pics.lines(p.block, width)...)
			return
		}
		if i > 0 && section == 0 {
			s.add("")
		}
		s.block(p.doc, section, width)
		return
	}
}

// message draws a message of the agent.
type message struct {
	base
	messageParts
	pictures uint64 // the version of the pictures drawn
}

func (m *message) update(env *environment, expanded bool) (changed bool) {
	m.follow(env.theme)
	changed = m.pictures != env.pictures.version
	m.pictures = env.pictures.version
	return m.base.update(env, expanded) || changed
}

func (m *message) sections() int { return m.parts.sections() }

func (m *message) draw(s *sheet, section, width int) {
	m.parts.draw(s, section, width, m.env, m.env.pictures)
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

func (t *thought) update(env *environment, expanded bool) bool {
	t.follow(env.dimmed)
	return t.base.update(env, expanded)
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

func (t *thought) draw(s *sheet, section, width int) {
	th := t.env.theme
	switch {
	case section > 0:
		t.parts.draw(s, section-1, width, t.env, nil)
	case t.expanded:
		s.add(th.Thought.Render("Thought"))
	case !t.item.Growing:
		s.add(fit(th.Thought.Render("Thought: ")+th.Faint.Render(firstLine(t.firstText())), width))
	default:
		s.add(th.Thought.Render("Thinking…"))
		var tail []string
		for n := t.parts.sections() - 1; n >= 0 && len(tail) < thoughtTail; n-- {
			var part sheet
			t.parts.draw(&part, n, width, t.env, nil)
			for _, line := range slices.Backward(part.lines) {
				if line != "" && len(tail) < thoughtTail {
					tail = append(tail, line)
				}
			}
		}
		slices.Reverse(tail)
		s.add(tail...)
	}
}

func (t *thought) mark() string { return t.env.theme.ThoughtMark.Render("✻") }

func (t *thought) compact() bool { return !t.item.Growing && !t.expanded }

func (t *thought) title() string { return "Thought" }

// firstLine returns the first line with text, without Markdown's emphasis; "" if there
// is none near the beginning.
func firstLine(text string) string {
	const enough = 400
	text = termtext.Head(strings.TrimSpace(text), enough, "")
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
	pictures uint64 // the version of the pictures drawn
}

func (p *prompt) update(env *environment, expanded bool) (changed bool) {
	changed = p.pictures != env.pictures.version
	p.pictures = env.pictures.version
	return p.base.update(env, expanded) || changed
}

func (p *prompt) draw(s *sheet, _, width int) {
	top := len(s.lines)
	for i := range p.item.Parts {
		if part := &p.item.Parts[i]; part.Block != nil {
			s.add(fit(p.env.places.Block(part.Block).Styled(p.env.theme), width))
			s.add(p.env.pictures.lines(part.Block, width)...)
		} else if text := strings.TrimSpace(part.Text()); text != "" {
			p.text(s, text, width)
		}
	}
	switch {
	case p.item.Steered:
		s.add(fit(p.env.theme.Muted.Render("steered into the running turn"), width))
	case p.item.Relayed:
		s.add(fit(p.env.theme.Muted.Render("from the agent to its subagent"), width))
	}
	if len(s.lines) == top {
		s.add("")
	}
}

// text adds text of the prompt, only the beginning of a long one that is folded.
func (p *prompt) text(s *sheet, text string, width int) {
	part := text
	if !p.expanded {
		part = firstLines(text, promptMost+1)
	}
	top := len(s.lines)
	s.wrap(part, width, p.env.theme.User)
	lines := len(s.lines) - top
	if p.expanded || part == text && lines <= promptMost {
		return
	}
	shown := min(promptPeek, lines)
	s.cut(top + shown)
	more := lines - shown
	if rest := text[len(part):]; rest != "" {
		more += strings.Count(rest, "\n") + 1
	}
	s.add(p.env.theme.Muted.Render(moreLines(more)))
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
