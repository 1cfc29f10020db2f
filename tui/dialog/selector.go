package dialog

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/config"
	"parley/internal/command"
	"parley/internal/termtext"
	"parley/tui/list"
	"parley/tui/theme"
)

const loadingText = "loading …"

// manyItems is the maximum number of items of a list without a filter.
const manyItems = 5

// Selector lists a choice. Typing filters it.
type Selector struct {
	env  Env
	list command.Choice

	input  list.Input
	filter *list.Filter
	rows   []selectorRow
	all    int         // rows without a filter
	window list.Window // its mark is -1 if there is nothing to mark
	kept   string      // the ID of the last item that was marked
	// touched means that the user has pressed a key or used the mouse.
	touched bool

	place placement
}

// selectorRow is an item, or, with item -1, the heading of a group.
type selectorRow struct {
	item    int
	heading string
	// letters are the positions of the bytes in the item's title that the filter found.
	letters []int
}

// NewSelector lists a choice and marks the current item, or else the first.
func NewSelector(env Env, c command.Choice) *Selector {
	s := &Selector{env: env, input: list.Input{Hint: "type to filter", Limit: maxFilter}}
	s.take(c)
	s.markCurrent()
	return s
}

// take replaces the list.
func (s *Selector) take(c command.Choice) {
	if c.Now != nil {
		c.Items = c.Now()
	}
	s.list = c
	s.filter = list.NewFilter(len(c.Items), func(i int) (title, about string) {
		it := &c.Items[i]
		return it.Title, strings.Join([]string{s.group(it), s.about(it), it.Words}, " ")
	})
	s.filter.Name = func(i int) string { name, _, _ := strings.Cut(c.Items[i].Words, " "); return name }
	s.arrange()
}

// arrange makes the rows: the items that the filter finds, best first, or all items with
// headings between the groups.
func (s *Selector) arrange() {
	s.rows = make([]selectorRow, 0, len(s.list.Items))
	if s.filtered() {
		for _, hit := range s.filter.Find(s.input.Text(), func(i int) bool { return s.list.Items[i].Found }) {
			s.rows = append(s.rows, selectorRow{item: hit.Row, letters: hit.Letters})
		}
		return
	}
	group := ""
	for i := range s.list.Items {
		if g := s.list.Items[i].Group; g != group {
			group = g // an empty heading ends the group before it
			s.rows = append(s.rows, selectorRow{item: -1, heading: termtext.Line(g)})
		}
		s.rows = append(s.rows, selectorRow{item: i})
	}
	s.all = len(s.rows)
}

// group returns the group of an item as the filter searches and shows it.
func (s *Selector) group(it *command.Item) string {
	if s.list.Headings {
		return ""
	}
	return it.Group
}

// about is what stands beside the title of an item: why it cannot be chosen, or else when it was
// last used and further details.
func (s *Selector) about(it *command.Item) string {
	switch {
	case it.Why != "":
		return it.Why
	case it.Used.IsZero():
		return it.Detail
	}
	return fmt.Sprintf("%-9s  %s", termtext.Ago(s.env.Now().Sub(it.Used)), it.Detail)
}

// filtered reports whether a filter decides which items are shown.
func (s *Selector) filtered() bool { return strings.TrimSpace(s.input.Text()) != "" }

// next returns the nearest row after from that can be chosen, or before it if by is -1;
// -1 if there is none.
func (s *Selector) next(from, by int) int {
	for i := from + by; i >= 0 && i < len(s.rows); i += by {
		if s.choosable(i) {
			return i
		}
	}
	return -1
}

func (s *Selector) choosable(row int) bool {
	item := s.rows[row].item
	return item >= 0 && s.list.Items[item].Why == ""
}

// markWhere marks the first row whose item fits, and reports whether there is one.
func (s *Selector) markWhere(is func(*command.Item) bool) bool {
	i := slices.IndexFunc(s.rows, func(r selectorRow) bool { return r.item >= 0 && is(&s.list.Items[r.item]) })
	if i >= 0 {
		s.window.Mark = i
	}
	return i >= 0
}

func (s *Selector) markCurrent() {
	if !s.markWhere(func(it *command.Item) bool { return it.Current && it.Why == "" }) {
		s.window.Mark = s.next(-1, 1)
	}
}

// SetList replaces the list. The filter stays, and so does the mark if its item is still there,
// even if the list was empty in between. While a list loads that the user has not touched, the mark
// returns to the first item.
func (s *Selector) SetList(c command.Choice) {
	marked, loaded := s.marked(), s.list.Loading && !s.touched
	if marked != nil {
		s.kept = marked.ID
	}
	s.take(c)
	s.window.Mark = min(s.window.Mark, len(s.rows)-1)
	switch {
	case loaded:
		s.markCurrent()
	case s.kept != "" && s.markWhere(func(it *command.Item) bool { return it.ID == s.kept }):
	case marked == nil:
		s.markCurrent()
	default:
		s.window.Mark = s.next(s.window.Mark-1, 1)
	}
}

// marked returns the marked item, or nil.
func (s *Selector) marked() *command.Item {
	if i := s.window.Mark; i >= 0 && i < len(s.rows) && s.rows[i].item >= 0 {
		return &s.list.Items[s.rows[i].item]
	}
	return nil
}

// markedID returns the ID of the marked item, or "".
func (s *Selector) markedID() string {
	if it := s.marked(); it != nil {
		return it.ID
	}
	return ""
}

// refresh updates the items of a list that follows something.
func (s *Selector) refresh() {
	if s.list.Now != nil {
		s.SetList(s.list)
	}
}

// SetTheme implements [Dialog].
func (s *Selector) SetTheme(th *theme.Theme) { s.env.Theme = th }

// Key implements [Dialog].
func (s *Selector) Key(msg tea.KeyPressMsg) Action {
	s.touched = true
	before := s.input.Text()
	defer s.tell(s.markedID())
	a := s.press(msg)
	if _, no := a.(NotTaken); no {
		return a
	}
	if s.env.done(msg, a) != nil {
		return a
	}
	return s.search(before)
}

// tell calls Marked if another item is marked than before.
func (s *Selector) tell(before string) {
	if now := s.markedID(); s.list.Marked != nil && now != before && now != "" {
		s.list.Marked(now)
	}
}

// search searches for more items if the filter has changed.
func (s *Selector) search(before string) Action {
	words := s.input.Text()
	if s.list.Search == nil || words == before {
		return nil
	}
	return Act{func() { s.list.Search(words) }, true}
}

// press is Key without noting the key.
func (s *Selector) press(msg tea.KeyPressMsg) Action {
	s.refresh()
	key := msg.String()
	switch at := slices.IndexFunc(s.list.Keys, func(k command.Key) bool { return s.env.Keys.Match(k.ID, key) }); {
	case s.list.Space && key == "space" && s.input.Text() == "":
		return s.choose()
	case config.Types(key) && s.filters() && (at < 0 || s.input.Text() != ""): // whatever else the key may do
		s.write(msg)
		return nil
	case at >= 0:
		return s.also(at)
	}
	if row := listRows().Pressed(s.env.Keys, key, config.ContextDialog); row != nil && row.Do != nil {
		if a := row.Do(s); a != Action(NotTaken{}) {
			return a
		}
	}
	switch key {
	case "ctrl+p", "shift+tab":
		s.move(-1)
	case "ctrl+n", "tab":
		s.move(1)
	case "home":
		s.move(-len(s.rows))
	case "end":
		s.move(len(s.rows))
	default:
		if !s.write(msg) {
			return NotTaken{}
		}
	}
	return nil
}

// listRows are the commands of lists. Those without a function are keys that only some
// lists have.
func listRows() command.Rows[func(*Selector) Action] {
	move := func(by int) func(*Selector) Action { return func(s *Selector) Action { s.move(by); return nil } }
	page := func(by int) func(*Selector) Action {
		return func(s *Selector) Action { s.move(by * max(1, s.window.Height-1)); return nil }
	}
	return command.Rows[func(*Selector) Action]{
		{ID: command.DialogUp, Keys: "up", Help: "Previous choice", Do: move(-1)},
		{ID: command.DialogDown, Keys: "down", Help: "Next choice", Do: move(1)},
		{ID: command.DialogPageUp, Keys: "pgup", Help: "Scroll the dialog up", Do: page(-1)},
		{ID: command.DialogPageDown, Keys: "pgdown", Help: "Scroll the dialog down", Do: page(1)},
		{ID: command.DialogAccept, Keys: "enter", Help: "Confirm the marked answer", Do: (*Selector).choose},
		{ID: command.DialogClose, Keys: "esc", Help: "Close the dialog", Do: (*Selector).close},
		{ID: command.DialogDelete, Keys: "ctrl+x", Help: "Delete the marked item", Words: "remove", Do: (*Selector).delete},
		{ID: command.DialogWider, Keys: "ctrl+t", Help: "Sessions: all directories, or this one", Do: (*Selector).wider},
		{ID: command.DialogDefault, Keys: "ctrl+d", Help: "Options: make the value the default", Words: "settings"},
		{ID: command.DialogFork, Keys: "alt+o ctrl+f", Help: "Rewind: fork before the prompt", Words: "branch"},
		{ID: command.DialogSend, Keys: "alt+s", Help: "Board: send a prompt", Words: "steer"},
		{ID: command.DialogDetach, Keys: "alt+d", Help: "Board: detach"},
		{ID: command.DialogMoveUp, Keys: "ctrl+up alt+up", Help: "Queue: move up"},
		{ID: command.DialogMoveDown, Keys: "ctrl+down alt+down", Help: "Queue: move down"},
	}
}

// act is the action of a function that may be nil.
func act(do func(), stays bool) Action {
	if do == nil {
		return nil
	}
	return Act{do, stays}
}

// close clears the filter, or closes the list.
func (s *Selector) close() Action {
	switch {
	case s.list.Stop != nil:
		return Act{s.list.Stop, true}
	case s.list.Left != nil:
		return Act{s.list.Left, false}
	case s.input.Text() == "":
		return Close{}
	}
	s.input.Set("")
	s.refilter()
	return nil
}

// delete deletes the marked item.
func (s *Selector) delete() Action {
	switch marked := s.marked(); {
	case marked == nil:
		return nil
	case marked.Deletes:
		return s.choose()
	default:
		return act(marked.Delete, true)
	}
}

// wider lists more items.
func (s *Selector) wider() Action {
	if s.list.Wider == nil {
		return NotTaken{}
	}
	return Act{s.list.Wider, true}
}

// also does what one of the choice's keys does.
func (s *Selector) also(at int) Action {
	k, marked := s.list.Keys[at], s.marked()
	switch {
	case k.Do != nil:
		return Act{k.Do, !k.Closes}
	case marked == nil:
		return NotTaken{}
	case at < len(marked.Also):
		return act(marked.Also[at], !k.Closes)
	}
	return nil
}

// Gone implements [Dialog]s that a [Stack] tells of their end.
func (s *Selector) Gone() {
	if s.list.Gone != nil {
		s.list.Gone()
	}
}

// write edits the filter, and reports whether the key could: an empty one has no text to
// move in or to delete.
func (s *Selector) write(msg tea.KeyPressMsg) bool {
	before := s.input.Text()
	used := s.input.Key(msg)
	if s.input.Text() != before {
		s.refilter()
	}
	return used && (before != "" || s.input.Text() != "")
}

// Paste implements [Dialog].
func (s *Selector) Paste(text string) Action {
	before := s.input.Text()
	defer s.tell(s.markedID())
	s.input.Paste(text)
	s.refilter()
	return s.search(before)
}

// maxFilter bounds a filter, in bytes.
const maxFilter = 100

// refilter applies a changed filter.
func (s *Selector) refilter() {
	s.arrange()
	s.window.Top = 0
	if s.window.Mark = s.next(-1, 1); !s.filtered() {
		s.markCurrent()
	}
}

// move moves the mark, skipping items that cannot be chosen.
func (s *Selector) move(by int) {
	dir := 1
	if by < 0 {
		dir = -1
	}
	to := max(0, min(s.window.Mark+by, len(s.rows)-1))
	if next := s.next(to-dir, dir); next >= 0 {
		s.window.Mark = next
	} else if next := s.next(to+dir, -dir); next >= 0 {
		s.window.Mark = next
	}
}

func (s *Selector) choose() Action {
	switch it := s.marked(); {
	case it == nil, it.Why != "":
		return nil
	case it.Do == nil:
		return act(it.Open, true)
	default:
		return Act{it.Do, it.Stays}
	}
}

// Mouse implements [Dialog]: the wheel moves the mark, a click marks an item,
// and a click on the marked one chooses it.
func (s *Selector) Mouse(msg tea.MouseMsg, _, y int) Action {
	s.touched = true
	defer s.tell(s.markedID())
	switch m := msg.(type) {
	case tea.MouseWheelMsg:
		if by := list.Notch(m); by != 0 {
			s.move(by)
		}
	case tea.MouseClickMsg:
		line, ok := s.place.bodyLine(y)
		if row, there := s.window.At(line); ok && there && m.Button == tea.MouseLeft && s.choosable(row) && s.window.Click(line) {
			return s.choose()
		}
	}
	return nil
}

// Hints implements [Dialog].
func (s *Selector) Hints() []Hint {
	var hints []Hint
	marked := s.marked()
	if marked != nil {
		hints = s.env.hint(hints, command.DialogAccept, cmp.Or(s.list.Choosing, "choose"))
		hints = s.env.hint(hints, command.DialogDown, "next")
	}
	if s.filters() {
		hints = append(hints, Hint{"type", "filter"})
	}
	if s.list.Wider != nil {
		hints = s.env.hint(hints, command.DialogWider, s.list.WiderHint)
	}
	for i, k := range s.list.Keys {
		if k.Hint != "" && marked != nil && s.also(i) != nil {
			hints = s.env.hint(hints, k.ID, k.Hint)
		}
	}
	if s.delete() != nil {
		hints = s.env.hint(hints, command.DialogDelete, cmp.Or(s.list.Deleting, "delete"))
	}
	if s.input.Text() != "" && s.list.Stop == nil && s.list.Left == nil {
		return s.env.hint(hints, command.DialogClose, "clear the filter")
	}
	return s.env.hint(hints, command.DialogClose, cmp.Or(s.list.Closing, "close"))
}

// filters reports whether the filter input is shown.
func (s *Selector) filters() bool {
	return s.list.Filter || len(s.list.Items) > manyItems || s.input.Text() != ""
}

// View implements [Dialog].
func (s *Selector) View(width, maxHeight int) View {
	s.refresh()
	width = min(width, widest)
	p := panel{th: s.env.Theme, title: termtext.Line(s.list.Title), scroll: &s.window.Scroll}
	w := inner(width, maxHeight)
	about, detail := styled(prose(list.Clip(s.list.About), w), s.env.Theme.Muted), s.detailHeight(w)
	about = about[:min(len(about), maxDetail)]
	if missing := s.wholeHeight(len(about), detail) - maxHeight; missing > 0 && missing < detail { // for all items
		detail -= missing
	}
	if maxHeight >= min(roomy, s.wholeHeight(len(about), detail)) {
		p.head = about
	}
	if s.filters() {
		text, column := s.input.Draw(max(1, w-2), s.env.Theme)
		p.head = append(p.head, s.env.Theme.Accent.Render("/")+" "+text)
		p.cursor = tea.NewCursor(column+2, 0)
	}
	if maxHeight >= roomy {
		p.head = append(p.head, "")
	}
	if len(s.rows) > 0 {
		p.body = (*selectorRows)(s)
		switch all := len(s.list.Items); {
		case s.filtered():
			p.note = theme.Grouped(len(s.rows)) + " of " + theme.Grouped(all)
		case s.list.Loading:
			p.note = cmp.Or(s.list.Slow, loadingText)
		case all > manyItems:
			p.note = theme.Grouped(all)
		}
		if maxHeight >= roomForDetail {
			p.foot = fixed(s.detail(w, detail))
		}
		if from := s.window.Mark; from == 1 {
			p.reveal(0, 2, width, maxHeight) // with the heading above the first item
		} else if from >= 0 {
			p.reveal(from, from+1, width, maxHeight)
		}
	} else {
		p.foot = fixed(append(styled(prose(s.nothing(), w), s.env.Theme.Muted), ""))
	}
	var v View
	v, s.place = p.view(width, maxHeight)
	return v
}

// wholeHeight returns the height that shows all items, filter or not, with so many lines
// about the list and of detail.
func (s *Selector) wholeHeight(about, detail int) int {
	h := frameHeight + about + s.all + detail
	if s.filters() {
		h++
	}
	if detail > 0 {
		h++ // the line between
	}
	return h
}

func (s *Selector) nothing() string {
	switch {
	case s.list.Loading:
		return cmp.Or(s.list.Slow, loadingText)
	case len(s.list.Items) > 0:
		return "No matches"
	case s.list.Empty != "":
		return s.list.Empty
	}
	return "Nothing to choose from"
}

// roomForDetail is the minimum height for showing the marked item's detail below the list.
const roomForDetail = 8

// maxDetail is the maximum number of lines of the marked item's detail.
const maxDetail = 3

// detail draws in h lines what the marked item's row has no room for.
func (s *Selector) detail(w, h int) []string {
	var lines []string
	if it := s.marked(); it != nil {
		lines = prose(s.more(it, s.titleWidth(w-s.keysWidth()), w), w)
	}
	if len(lines) > h && h > 0 {
		lines[h-1] = cut(lines[h-1], w-2) + " …"
	}
	lines = append(lines, make([]string, h)...)
	return styled(lines[:h], s.env.Theme.Muted)
}

// more returns the text of an item that its row does not show; column is the width of
// the titles, w that of the panel.
func (s *Selector) more(it *command.Item, column, w int) string {
	title, detail := list.Clip(it.Title), list.Clip(s.about(it))
	forTitle, forDetail := share(termtext.Width(termtext.Line(title)), termtext.Width(termtext.Line(detail)), column, s.roomOf(it, w))
	cuts := func(text string, room int) bool {
		return len(text) > room && termtext.Width(termtext.Line(text)) > room
	}
	words := list.Clip(it.About)
	if words == "" && cuts(detail, forDetail) {
		words = detail
	}
	if cuts(title, forTitle) {
		return strings.TrimSuffix(title+": "+words, ": ")
	}
	return words
}

// roomOf returns the room for the title and the detail of an item in a panel of width w.
func (s *Selector) roomOf(it *command.Item, w int) int {
	if it.Key != "" {
		w -= s.keysWidth()
	}
	return w - rowLead
}

// detailGap separates a detail from the title before it.
const detailGap = 2

// share divides the room of a row between a title and its detail, of these widths. The detail
// begins at the column, unless the row fits only if it begins elsewhere. Without room for
// both, the detail gets what a title as wide as the column leaves.
func share(title, detail, column, room int) (forTitle, forDetail int) {
	if detail == 0 {
		return room, 0
	}
	fits := room - detailGap - detail
	switch {
	case title > column:
		column = max(column, min(title, fits))
	case title <= fits:
		column = min(column, fits)
	}
	return column, max(0, room-detailGap-column)
}

// detailHeight returns the number of lines of the longest detail, an estimate in long
// lists, so that nothing jumps from item to item.
func (s *Selector) detailHeight(w int) int {
	const few = 40
	column := s.titleWidth(w - s.keysWidth())
	if !slices.ContainsFunc(s.list.Items[:min(len(s.list.Items), 200)], func(it command.Item) bool { return s.more(&it, column, w) != "" }) {
		return 0
	}
	if len(s.list.Items) > few {
		if !slices.ContainsFunc(s.list.Items, func(it command.Item) bool { return it.About != "" }) {
			return 1
		}
		return maxDetail - 1
	}
	n := 1
	for _, it := range s.list.Items {
		n = max(n, len(prose(list.Clip(it.About), w-s.keysWidth())))
	}
	return min(n, maxDetail)
}

// titleWidth returns the width of the column of titles: two fifths of the room, three in
// a narrow panel, more if the details are short. It looks only at rows near those in
// sight.
func (s *Selector) titleWidth(w int) int {
	const near = 60
	from := min(s.window.Top, len(s.rows))
	title, detail := 0, 0
	for _, r := range s.rows[from:min(from+near, len(s.rows))] {
		if r.item >= 0 {
			it := s.list.Items[r.item]
			title = max(title, termtext.Width(termtext.Line(list.Clip(it.Title))))
			detail = max(detail, termtext.Width(termtext.Line(list.Clip(s.about(&it)))))
		}
	}
	share := w * 2 / 5
	if w < snuggest {
		share = w * 3 / 5
	}
	return min(title, max(12, share, w-rowLead-detailGap-detail))
}

// keysGap separates the keys from what is before them.
const keysGap = 2

// keysWidth returns the width of the column of keys and of the gap before it; 0 if no item
// has a key.
func (s *Selector) keysWidth() int {
	widest := 0
	for i := range s.list.Items {
		if key := s.list.Items[i].Key; key != "" {
			widest = max(widest, termtext.Width(key)+keysGap)
		}
	}
	return widest
}

// rowLead is the width before an item's title.
const rowLead = 4

// selectorRows is the list as content of a panel.
type selectorRows Selector

func (s *selectorRows) height(renderContext) int { return len(s.rows) }

func (s *selectorRows) lines(p renderContext, from, to int) []string {
	sel := (*Selector)(s)
	keyed := p.width - sel.keysWidth()
	column := sel.titleWidth(keyed)
	out := make([]string, 0, to-from)
	for i := from; i < to; i++ {
		r := s.rows[i]
		if r.item < 0 {
			out = append(out, p.th.Muted.Render(cut(r.heading, p.width)))
			continue
		}
		line := sel.row(p, r, i == s.window.Mark, column)
		if key := s.list.Items[r.item].Key; key != "" {
			line = pad(line, keyed+keysGap) + p.th.Key.Render(key)
		}
		out = append(out, line)
	}
	return out
}

func (s *Selector) row(p renderContext, r selectorRow, marked bool, column int) string {
	th, it := p.th, s.list.Items[r.item]
	pointer, name, detail := "  ", th.Choice, th.Faint
	switch {
	case it.Why != "":
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
	about := termtext.Line(list.Clip(s.about(&it)))
	if group := s.group(&it); s.filtered() && group != "" {
		about = strings.TrimSuffix(termtext.Line(list.Clip(group))+" · "+about, " · ")
	}
	forTitle, forDetail := share(termtext.Width(text), termtext.Width(about), column, s.roomOf(&it, p.width))
	if about == "" {
		return pointer + now + cut(text, forTitle)
	}
	if it.Why != "" { // its whole text is nowhere else, as the row cannot be marked
		about = cutAtWord(about, forDetail)
	}
	return pointer + now + pad(text, forTitle) + strings.Repeat(" ", detailGap) + detail.Render(cut(about, forDetail))
}
