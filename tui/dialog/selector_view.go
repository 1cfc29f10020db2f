package dialog

import (
	"slices"
	"strings"

	"parley/internal/termtext"
	"parley/tui/list"
	"parley/tui/theme"
)

// View implements [Dialog].
func (s *Selector) View(width, maxHeight int) View {
	width = atMost(width)
	s.refresh()
	p := panel{th: s.env.Theme, title: termtext.Line(s.list.Title), scroll: &s.window.Scroll}
	w := inner(width, maxHeight)
	if s.list.About != "" && maxHeight >= roomy {
		p.head = styled(prose(list.Clip(s.list.About), w), s.env.Theme.Muted)
		p.head = p.head[:min(len(p.head), maxDetail)]
	}
	if s.filters() {
		p.searchLine(&s.input, w)
	}
	if maxHeight >= roomy {
		p.head = append(p.head, "")
	}
	if len(s.rows) > 0 {
		p.body, p.note = (*selectorRows)(s), s.counter()
		if maxHeight >= roomForDetail {
			p.foot = fixed(s.detail(w))
		}
		if from := s.window.Mark; from == 1 {
			p.reveal(0, 2, width, maxHeight) // with the heading above the first item
		} else if from >= 0 {
			p.reveal(from, from+1, width, maxHeight)
		}
	} else {
		p.foot = fixed(append(styled(prose(s.nothing(), w), s.env.Theme.Muted), ""))
	}
	v, place := p.view(width, maxHeight)
	s.place = place
	return v
}

func (s *Selector) nothing() string {
	switch {
	case s.list.Loading:
		return "loading …"
	case len(s.list.Items) > 0:
		return "No matches"
	case s.list.Empty != "":
		return s.list.Empty
	}
	return "Nothing to choose from"
}

func (s *Selector) counter() string {
	all := len(s.list.Items)
	switch {
	case s.filtered():
		return theme.Grouped(len(s.rows)) + " of " + theme.Grouped(all)
	case s.list.Loading:
		return "loading …"
	case all > manyItems:
		return theme.Grouped(all)
	}
	return ""
}

// roomForDetail is the height from which on there is room for the marked item's detail
// beside the item itself and some others.
const roomForDetail = 8

// maxDetail is how many lines of the marked item's detail are drawn.
const maxDetail = 3

// detail is what there is to say about the marked item, whole where the row had
// no room for it. Lists in which no item has anything to say have no such part;
// in others it always has the same height, so that nothing jumps.
func (s *Selector) detail(w int) []string {
	column := s.titleWidth(w)
	some := slices.ContainsFunc(s.list.Items[:min(len(s.list.Items), 200)], func(it Item) bool { return it.more(column, w) != "" })
	if !some {
		return nil
	}
	var lines []string
	if it := s.marked(); it != nil {
		lines = prose(it.more(column, w), w)
	}
	if len(lines) > maxDetail {
		lines = lines[:maxDetail]
		lines[maxDetail-1] = cut(lines[maxDetail-1], w-2) + " …"
	}
	for len(lines) < s.detailHeight(w) {
		lines = append(lines, "")
	}
	return styled(lines, s.env.Theme.Muted)
}

// more is what there is to say about an item beside its row of a width, in which its title
// has a column.
func (it Item) more(column, w int) string {
	title, detail := list.Clip(it.Title), list.Clip(it.Detail)
	cuts := func(text string, room int) bool {
		return len(text) > room && termtext.Width(termtext.Line(text)) > room
	}
	if detail == "" {
		column = w - rowLead
	}
	words := list.Clip(it.About)
	if words == "" && cuts(detail, w-column-rowLead-2) {
		words = detail
	}
	if cuts(title, column) {
		return strings.TrimSuffix(title+": "+words, ": ")
	}
	return words
}

// detailHeight is how many lines the longest detail takes, as far as that is
// known without looking at a great many.
func (s *Selector) detailHeight(w int) int {
	const few = 40
	if len(s.list.Items) > few {
		return maxDetail - 1
	}
	n := 1
	for _, it := range s.list.Items {
		n = max(n, len(prose(list.Clip(it.About), w)))
	}
	return min(n, maxDetail)
}

// titleWidth is the width of the column of titles, so that details stand below
// each other. It has two fifths of the room, three where there is little, and more if
// the details leave it.
// Only what is near counts, so that it costs what is drawn.
func (s *Selector) titleWidth(w int) int {
	const near = 60
	from := min(s.window.Top, len(s.rows))
	title, detail := 0, 0
	for _, r := range s.rows[from:min(from+near, len(s.rows))] {
		if r.item >= 0 {
			it := s.list.Items[r.item]
			title = max(title, termtext.Width(termtext.Line(list.Clip(it.Title))))
			detail = max(detail, termtext.Width(termtext.Line(list.Clip(it.Detail))))
		}
	}
	share := w * 2 / 5
	if w < snuggest {
		share = w * 3 / 5
	}
	return min(title, max(12, share, w-rowLead-2-detail))
}

// rowLead is the width in front of an item's title.
const rowLead = 4

// selectorRows is the list as content of a panel.
type selectorRows Selector

func (s *selectorRows) height(renderContext) int { return len(s.rows) }

func (s *selectorRows) lines(p renderContext, from, to int) []string {
	sel := (*Selector)(s)
	column := sel.titleWidth(p.width)
	out := make([]string, 0, to-from)
	for i := from; i < to; i++ {
		r := s.rows[i]
		if r.item < 0 {
			out = append(out, p.th.Muted.Render(cut(r.heading, p.width)))
			continue
		}
		out = append(out, sel.row(p, r, i == s.window.Mark, column))
	}
	return out
}

func (s *Selector) row(p renderContext, r selectorRow, marked bool, column int) string {
	th, it := p.th, s.list.Items[r.item]
	pointer, name, detail := "  ", th.Choice, th.Faint
	switch {
	case it.Disabled:
		name = th.Faint
	case marked:
		pointer, name, detail = th.Accent.Render("❯")+" ", th.Strong, th.Muted
	case it.Dim:
		name = th.Faint
	}
	now := "  "
	switch {
	case it.Pending:
		now = th.Warning.Render("◐") + " "
	case it.Current:
		now = th.Success.Render("●") + " "
	}
	title := termtext.Line(list.Clip(it.Title))
	if title == "" {
		title = "(" + termtext.Line(list.Clip(it.ID)) + ")"
	}
	text := theme.Letters(title, r.letters, name, th.Accent.Bold(marked))
	about := termtext.Line(list.Clip(it.Detail))
	if group := s.group(&it); s.filtered() && group != "" {
		about = strings.TrimSuffix(termtext.Line(list.Clip(group))+" · "+about, " · ")
	}
	line := pointer + now
	if about == "" {
		return line + cut(text, p.width-rowLead)
	}
	return line + pad(text, column) + "  " + detail.Render(cut(about, max(0, p.width-column-rowLead-2)))
}
