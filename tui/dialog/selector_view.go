package dialog

import (
	"slices"
	"strings"

	"parley/internal/termtext"
	"parley/tui/theme"
)

// View implements [Dialog].
func (s *Selector) View(width, maxHeight int) View {
	width = atMost(width)
	s.refresh()
	th := s.env.Theme
	p := panel{th: th, title: termtext.Line(s.list.Title), scroll: &scroller{}}
	w := inner(width, maxHeight)
	if s.filters() {
		p.searchLine(&s.input, w)
	}
	if maxHeight >= roomy {
		p.head = append(p.head, "")
	}
	if n := len(s.rows.shown); n > 0 {
		p.body = (*selectorRows)(s)
		p.note = s.counter()
		var foot []string
		if maxHeight >= roomForDetail {
			foot = s.detail(w)
		}
		p.foot = fixed(foot)
		s.fit(maxHeight, len(p.head), len(foot))
		p.scroll.offset = s.top
	} else {
		p.foot = fixed(append(styled(prose(s.nothing(), w), th.Muted), ""))
	}
	v, place := p.view(width, maxHeight)
	s.place = place
	if place.shown > 0 {
		s.inView, s.top = place.shown, p.scroll.offset
	}
	return v
}

// fit keeps the marked item in view. It works out how many rows there is room for
// in the same way as the panel will.
func (s *Selector) fit(maxHeight, head, foot int) {
	rows := maxHeight - head - foot - frameHeight - 1
	sc := scroller{offset: s.top, total: len(s.rows.shown), height: max(1, rows)}
	if s.marked >= 0 {
		from := s.marked
		if from == 1 {
			from = 0 // the heading above the first item
		}
		sc.show(from, s.marked+1)
	}
	s.top = max(0, sc.offset)
}

func (s *Selector) nothing() string {
	switch {
	case s.list.Loading:
		return "loading …"
	case len(s.list.Items) > 0:
		return "nothing fits"
	case s.list.Empty != "":
		return s.list.Empty
	}
	return "nothing to choose from"
}

func (s *Selector) counter() string {
	all := len(s.list.Items)
	switch {
	case s.filter() != "":
		return theme.Grouped(len(s.rows.shown)) + " of " + theme.Grouped(all)
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
	if i := s.item(); i >= 0 {
		lines = prose(s.list.Items[i].more(column, w), w)
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
	title, detail := clip(it.Title), clip(it.Detail)
	cuts := func(text string, room int) bool {
		return len(text) > room && termtext.Width(termtext.Line(text)) > room
	}
	if detail == "" {
		column = w - rowLead
	}
	words := clip(it.About)
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
		n = max(n, len(prose(clip(it.About), w)))
	}
	return min(n, maxDetail)
}

// clip bounds a text that is drawn in part only.
func clip(s string) string {
	const most = 4 << 10
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "…"
	}
	return s
}

// titleWidth is the width of the column of titles, so that details stand below
// each other. It has two fifths of the room, three where there is little, and more if
// the details leave it.
// Only what is near counts, so that it costs what is drawn.
func (s *Selector) titleWidth(w int) int {
	const near = 60
	from := min(s.top, len(s.rows.shown))
	title, detail := 0, 0
	for _, r := range s.rows.shown[from:min(from+near, len(s.rows.shown))] {
		if r.item >= 0 {
			it := s.list.Items[r.item]
			title = max(title, termtext.Width(termtext.Line(clip(it.Title))))
			detail = max(detail, termtext.Width(termtext.Line(clip(it.Detail))))
		}
	}
	share := w * 2 / 5
	if w < snuggest {
		share = w * 3 / 5
	}
	return min(title, max(12, share, w-rowLead-2-detail))
}

// rowLead is the width of what stands before the title of an item.
const rowLead = 4

// selectorRows is the list as content of a panel.
type selectorRows Selector

func (s *selectorRows) height(paper) int { return len(s.rows.shown) }

func (s *selectorRows) lines(p paper, from, to int) []string {
	sel := (*Selector)(s)
	column := sel.titleWidth(p.width)
	out := make([]string, 0, to-from)
	for i := from; i < to; i++ {
		r := s.rows.shown[i]
		if r.item < 0 {
			out = append(out, p.th.Muted.Render(cut(r.heading, p.width)))
			continue
		}
		out = append(out, sel.row(p, r, i == s.marked, column))
	}
	return out
}

func (s *Selector) row(p paper, r row, marked bool, column int) string {
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
	title := termtext.Line(clip(it.Title))
	if title == "" {
		title = "(" + termtext.Line(clip(it.ID)) + ")"
	}
	text := theme.Letters(title, r.hits, name, th.Accent.Bold(marked))
	about := termtext.Line(clip(it.Detail))
	if s.filter() != "" && it.Group != "" {
		about = strings.TrimSuffix(termtext.Line(clip(it.Group))+" · "+about, " · ")
	}
	line := pointer + now
	if about == "" {
		return line + cut(text, p.width-rowLead)
	}
	return line + pad(text, column) + "  " + detail.Render(cut(about, max(0, p.width-column-rowLead-2)))
}
