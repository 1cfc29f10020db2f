package transcript

import (
	"strings"

	"charm.land/lipgloss/v2"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/termtext"
	"parley/tui/toolview"
)

// note draws a notice, an error or the end of a turn; expanded, with its JSON.
type note struct {
	base
	item *conversation.Note
	raw  *rawBody
}

// Note implements conversation.Visitor.
func (m *maker) Note(i *conversation.Note) { m.made = &note{item: i} }

func (n *note) update(env *environment, expanded bool) bool {
	n.raw = n.raw.of("as the agent sent it", n.item.Raw)
	return n.base.update(env, expanded)
}

func (n *note) draw(s *sheet, _, width int) {
	s.wrap(n.item.Title, width, n.style())
	if words := n.worked(); words != "" {
		if last := &s.lines[len(s.lines)-1]; termtext.Width(*last)+termtext.Width(words) <= width {
			*last += n.env.theme.Faint.Render(words)
		}
	}
	if n.item.Detail != "" {
		s.wrap(n.item.Detail, width, n.env.theme.Muted)
	}
	if n.expanded && n.raw != nil {
		n.raw.print(s, width, n.env)
	}
}

// worked says how long the turn that ended worked, "" if that is short.
func (n *note) worked() string {
	words := worked(n.item.Worked)
	switch {
	case words == "":
		return ""
	case n.item.Title == "":
		return "worked " + words
	}
	return "  worked " + words
}

func (n *note) style() lipgloss.Style {
	switch n.item.Severity {
	case acpclient.NoticeError:
		return n.env.theme.Error
	case acpclient.NoticeWarning:
		return n.env.theme.Warning
	}
	return n.env.theme.Muted
}

func (n *note) mark() string {
	switch n.item.Severity {
	case acpclient.NoticeError:
		return n.style().Render("✗")
	case acpclient.NoticeWarning:
		return n.style().Render("!")
	}
	if n.item.Title == "" {
		return n.env.theme.Faint.Render("·")
	}
	return n.style().Render("·")
}

func (n *note) excerpt() toolview.Excerpt {
	return toolview.Excerpt{Text: strings.TrimSpace(n.item.Title + n.worked() + "\n" + n.item.Detail)}
}
