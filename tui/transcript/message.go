package transcript

import (
	"regexp"
	"strings"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/termtext"
	"parley/tui/markdown"
	"parley/tui/theme"
	"parley/tui/toolview"
)

// message draws what the agent said. Each part of it is a Markdown document, or one
// line for a block that is not text.
type message struct {
	item     *conversation.Message
	env      *environment
	parts    []part
	done     bool
	replaced int // what the message's Replaced was when it was drawn
	last     uint64
}

// part is a Markdown document that follows a text, or a block.
type part struct {
	doc   *markdown.Document
	fed   int // bytes of the text that are in doc
	block *acpclient.ContentBlock
	// hidden content is for the model only, as its annotations say.
	hidden bool
}

func (m *message) update(env *environment, _ bool) {
	m.env = env
	if m.last == m.item.Version() && m.parts != nil {
		return
	}
	m.last = m.item.Version()
	if r := m.item.Replaced(); r != m.replaced {
		m.parts, m.done, m.replaced = nil, false, r
	}
	m.parts = feed(m.parts, m.item.Parts, env.theme, env.page && m.item.Done)
	if m.item.Done && !m.done {
		m.done = true
		finish(m.parts)
	}
}

// feed brings drawn parts up to date with what has been added. Glamour draws those
// that are complete when they are first shown on a page.
func feed(parts []part, items conversation.Parts, th *theme.Theme, complete bool) []part {
	if parts == nil {
		parts = []part{}
	}
	for i := range items {
		if i == len(parts) {
			p := part{block: items[i].Block}
			switch {
			case p.block != nil:
			case complete:
				p.doc = markdown.Complete(items[i].Text(), th)
				p.fed = len(items[i].Text())
			default:
				p.doc = markdown.New(th)
			}
			p.hidden = p.block != nil && !p.block.Annotations.ForUser()
			parts = append(parts, p)
		}
		if p := &parts[i]; p.doc != nil {
			text := items[i].Text()
			if len(text) > p.fed {
				p.doc.Append(text[p.fed:])
				p.fed = len(text)
			}
		}
	}
	return parts
}

// finish notes that no more text follows.
func finish(parts []part) {
	for i := range parts {
		if parts[i].doc != nil {
			parts[i].doc.Finish()
		}
	}
}

func (m *message) sections() int { return countSections(m.parts) }

func (p *part) sections() int {
	switch {
	case p.hidden:
		return 0
	case p.doc != nil:
		return p.doc.Len()
	}
	return 1
}

func countSections(parts []part) int {
	n := 0
	for i := range parts {
		n += parts[i].sections()
	}
	return n
}

func (m *message) lines(section, width int) []string {
	return partLines(m.parts, section, width, m.env, m.env.pictures)
}

// partLines draws the n-th section of several parts.
func partLines(parts []part, section, width int, env *environment, pics *pictures) []string {
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

func (m *message) mark() string { return m.env.theme.AgentMark.Render("●") }

func (m *message) compact() bool { return false }

func (m *message) excerpt() toolview.Excerpt { return messageExcerpt(m.item) }

func (m *message) title() string { return "Answer" }

// messageExcerpt is the text of a message, and the last of its media.
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

// thought draws what the agent thought: the end of it while it thinks, one line
// when it is done, all of it when it is expanded.
type thought struct {
	item     *conversation.Message
	env      *environment
	parts    []part
	done     bool
	expanded bool
	replaced int // what the message's Replaced was when it was drawn
	last     uint64
}

// thoughtTail is how many lines of a thought that goes on are shown.
const thoughtTail = 4

func (t *thought) update(env *environment, expanded bool) {
	t.env, t.expanded = env, expanded
	if t.last == t.item.Version() && t.parts != nil {
		return
	}
	t.last = t.item.Version()
	if r := t.item.Replaced(); r != t.replaced {
		t.parts, t.done, t.replaced = nil, false, r
	}
	t.parts = feed(t.parts, t.item.Parts, env.dimmed, env.page && t.item.Done)
	if t.item.Done && !t.done {
		t.done = true
		finish(t.parts)
	}
}

func (t *thought) sections() int {
	if firstLine(t.firstText()) == "" && len(t.parts) <= 1 {
		return 0
	}
	if t.expanded {
		return 1 + countSections(t.parts)
	}
	return 1
}

// firstText is the text of the first part that has text.
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
		return partLines(t.parts, section-1, width, t.env, nil)
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
	for s := countSections(t.parts) - 1; s >= 0 && len(tail) < thoughtTail; s-- {
		lines := partLines(t.parts, s, width, t.env, nil)
		for i := len(lines) - 1; i >= 0 && len(tail) < thoughtTail; i-- {
			if lines[i] != "" {
				tail = append(tail, lines[i])
			}
		}
	}
	for i := len(tail) - 1; i >= 0; i-- {
		out = append(out, tail[i])
	}
	return out
}

func (t *thought) mark() string { return t.env.theme.ThoughtMark.Render("✻") }

func (t *thought) compact() bool { return !t.item.Growing && !t.expanded }

func (t *thought) excerpt() toolview.Excerpt { return messageExcerpt(t.item) }

func (t *thought) title() string { return "Thought" }

// firstLine is the first line of a text in which there is something to read,
// without Markdown's emphasis; "" if there is none near the beginning.
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

// htmlComment is a comment of HTML, which Markdown does not show. Some agents end
// each heading of a thought with one.
var htmlComment = regexp.MustCompile(`(?s)<!--.*?-->`)
