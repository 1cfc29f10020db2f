package transcript

import (
	"cmp"

	"parley/internal/conversation"
	"parley/internal/termtext"
	"parley/tui/toolview"
)

// unknown draws an update of an unknown kind: its name; expanded, with its JSON.
type unknown struct {
	base
	item *conversation.Unknown
	raw  *rawBody
}

// Unknown implements conversation.Visitor.
func (m *maker) Unknown(i *conversation.Unknown) { m.made = &unknown{item: i} }

func (u *unknown) update(env *environment, expanded bool) bool {
	u.raw = u.raw.of("update", u.item.Raw)
	return u.base.update(env, expanded)
}

func (u *unknown) draw(s *sheet, _, width int) {
	name := cmp.Or(termtext.Line(u.item.Kind), "without a kind")
	s.add(fit(u.env.theme.Faint.Render("The agent sent an update that parley does not know: "+name), width))
	if u.expanded && u.raw != nil {
		u.raw.print(s, width, u.env)
	}
}

func (u *unknown) mark() string { return u.env.theme.Faint.Render("?") }

func (u *unknown) compact() bool { return true }

func (u *unknown) excerpt() toolview.Excerpt { return toolview.Excerpt{Text: string(u.item.Raw)} }
