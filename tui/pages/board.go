package pages

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/config"
	"parley/internal/app"
	"parley/internal/command"
	"parley/internal/conversation"
	"parley/internal/termtext"
	"parley/tui/dialog"
	"parley/tui/list"
)

// Board lists sessions in a table. Beside it, or below where it is narrow, are the last lines of the
// marked one and its question, which the host of the page puts there.
type Board struct {
	page
	choice command.Choice
	rows   []boardRow
	words  string // the filter
	window list.Window
	marked string // the ID of the marked item
	// touched means that the user has pressed a key or used the mouse.
	touched bool
	asked   dialog.Dialog // nil without a question
	left    int           // the width of the table, as drawn
	at      area          // of the question, as drawn
}

// area is a part of the page.
type area struct{ x, y, height int }

// boardRow is an item, or, with item -1, the heading of a group or, under it, of a comparison.
type boardRow struct {
	item    int
	heading string
	under   bool
}

var _ dialog.Dialog = (*Board)(nil)

// NewBoard makes a page for a choice that is a table of sessions.
func NewBoard(env Env, c command.Choice) *Board {
	v := &Board{}
	v.page = newPage(env, config.ContextDialog, v.table)
	v.Set(c)
	return v
}

// Set replaces the list. While a list loads that the user has not touched, the mark returns to the first
// item.
func (v *Board) Set(c command.Choice) {
	if v.choice.Loading && !v.touched {
		v.marked = ""
	}
	v.choice = c
	v.Follow()
}

// Follow lists the sessions as they are now.
func (v *Board) Follow() {
	if v.choice.Now != nil {
		v.choice.Items = v.choice.Now()
	}
	v.arrange()
}

// arrange makes the rows of the items that the filter finds, and keeps the mark.
func (v *Board) arrange() {
	items, found := v.choice.Items, map[int]bool{}
	if v.words != "" {
		filter := list.NewFilter(len(items), func(i int) (title, about string) {
			return items[i].Title, strings.Join(append([]string{items[i].Words, items[i].Under}, items[i].Columns...), " ")
		})
		for _, hit := range filter.Find(v.words, nil) {
			found[hit.Row] = true
		}
	}
	v.rows = v.rows[:0]
	group, under, mark := "", "", -1
	for i, it := range items {
		if v.words != "" && !found[i] {
			continue
		}
		if it.Group != group {
			group, under = it.Group, ""
			v.rows = append(v.rows, boardRow{item: -1, heading: group})
		}
		if under != it.Under && it.Under != "" {
			v.rows = append(v.rows, boardRow{item: -1, heading: it.Under, under: true})
		}
		if under = it.Under; it.ID == v.marked {
			mark = len(v.rows)
		}
		v.rows = append(v.rows, boardRow{item: i})
	}
	v.window.Fit(len(v.rows), v.window.Height)
	if mark >= 0 || v.marked == "" {
		v.window.Put(max(0, mark))
	}
	v.move(0)
}

// mostHeadings is how many headings are above the first item at most.
const mostHeadings = 2

// move moves the mark by rows, and on to an item.
func (v *Board) move(by int) {
	v.window.Move(by)
	on := cmp.Or(cmp.Compare(by, 0), 1)
	for _, on := range []int{on, -on} {
		for v.Marked() == nil && v.window.Mark+on >= 0 && v.window.Mark+on < len(v.rows) {
			v.window.Move(on)
		}
	}
	if v.window.Mark < min(mostHeadings+1, v.window.Height) {
		v.window.Top = 0 // with the headings above the first one
	}
	if it := v.Marked(); it != nil && it.ID != v.marked {
		if v.marked = it.ID; v.choice.Marked != nil && v.touched {
			v.choice.Marked(it.ID)
		}
	}
}

// Marked returns the marked item, nil if there is none.
func (v *Board) Marked() *command.Item {
	if i := v.window.Mark; i >= 0 && i < len(v.rows) && v.rows[i].item >= 0 {
		return &v.choice.Items[v.rows[i].item]
	}
	return nil
}

// Changes returns when the table changes without an event; zero is never.
func (v *Board) Changes(now time.Time) (next time.Time) {
	for i := range v.choice.Items {
		if at := v.choice.Items[i].Session.Next(now); next.IsZero() || !at.IsZero() && at.Before(next) {
			next = at
		}
	}
	return next
}

// Item returns an item by its ID, nil if there is none.
func (v *Board) Item(id string) *command.Item {
	i := slices.IndexFunc(v.choice.Items, func(it command.Item) bool { return it.ID == id })
	if i < 0 {
		return nil
	}
	return &v.choice.Items[i]
}

// Put shows a question of the marked item, nil for none.
func (v *Board) Put(asked dialog.Dialog) { v.asked = asked }

// Writes reports whether all keys are for a line of text.
func (v *Board) Writes() bool { return v.input != nil }

// Tell shows a message until the next key.
func (v *Board) Tell(words string) { v.say(words) }

// Gone implements dialog.Dialog.
func (v *Board) Gone() {
	v.page.Gone()
	if v.choice.Gone != nil {
		v.choice.Gone()
	}
}

// table has the commands of the board.
func (v *Board) table() rows {
	has := func() bool { return v.Marked() != nil }
	// on is a command for the marked item, which may refuse it: the page then says why, and has no hint.
	on := func(a config.Action, hint string, do func(it *command.Item)) command.Row[does] {
		return command.Row[does]{ID: a, Do: when(func() bool { return has() && v.Marked().Refused[a] == "" }, func() {
			switch it := v.Marked(); {
			case it == nil:
			case it.Refused[a] == "":
				do(it)
			default:
				if v.say(it.Refused[a]); a == command.DialogSend {
					v.stray = v.Now() // what is typed on is the prompt
				}
			}
		}, hint)}
	}
	deleting := v.choice.Deleting
	if has() {
		deleting = cmp.Or(v.Marked().Deleting, deleting)
	}
	all := rows{
		{ID: command.DialogNext, Do: when(func() bool { return has() && v.Marked().Answer != nil }, v.answer, "answer")},
		on(command.DialogAccept, v.choice.Choosing, func(it *command.Item) { it.Do() }),
		{ID: command.DialogUp, Do: quiet(func() { v.move(-1) })},
		{ID: command.DialogDown, Do: when(has, func() { v.move(1) }, "next")},
		{ID: command.Search, Do: always(v.startFilter, "filter")},
	}
	for i, k := range v.choice.Keys {
		all = append(all, on(k.ID, k.Hint, func(it *command.Item) { it.Also[i]() }))
	}
	page := func(by int) does { return quiet(func() { v.move(by * max(1, v.window.Height-1)) }) }
	return append(append(all, moving(v.move, func() int { return v.window.Height })...), rows{
		{ID: command.DialogPageUp, Do: page(-1)},
		{ID: command.DialogPageDown, Do: page(1)},
		on(command.DialogDelete, deleting, func(it *command.Item) { it.Delete() }),
		{ID: command.Board, Do: quiet(v.close)},
		{ID: command.DialogClose, Do: either(func() bool { return v.words != "" }, v.back, "clear the filter", "close")},
	}...)
}

// answer asks what the marked session asks, or says where it is asked.
func (v *Board) answer() {
	switch it := v.Marked(); {
	case it == nil:
	case it.Answer != nil:
		it.Answer()
	case it.Session.Asked.ID != 0:
		v.say("its question comes: press " + v.keyOf(command.DialogNext) + " again once it is here")
	case it.Session.Standing == conversation.StandingAsks:
		v.say("it is answered where it is: " + v.keyOf(command.DialogAccept) + " goes there")
	default:
		v.say("it asks nothing")
	}
}

// startFilter writes the filter.
func (v *Board) startFilter() {
	v.writeLine(input{lead: "/", enter: "keep", esc: "clear", typed: func(words string) {
		v.words = strings.TrimSpace(words)
		v.arrange()
	}}, "type to filter", v.words)
}

// back clears the filter, or closes the page.
func (v *Board) back() {
	if v.words == "" {
		v.close()
		return
	}
	v.words = ""
	v.arrange()
}

// Key implements dialog.Dialog.
func (v *Board) Key(k tea.KeyPressMsg) dialog.Action {
	v.touched = true
	return v.page.Key(k)
}

// Mouse implements dialog.Dialog: a click marks, and one on what is marked opens it. The question has its
// own.
func (v *Board) Mouse(msg tea.MouseMsg, x, y int) dialog.Action {
	v.touched = true
	if y -= v.at.y; v.asked != nil && x >= v.at.x && y >= 0 && y < v.at.height {
		return v.asked.Mouse(msg, x-v.at.x, y)
	}
	y += v.at.y
	return v.act(func() {
		switch m := msg.(type) {
		case tea.MouseWheelMsg:
			v.move(list.Notch(m))
		case tea.MouseClickMsg:
			row, ok := v.window.At(bodyLine(y))
			if m.Button != tea.MouseLeft || !ok || x >= v.left || v.rows[row].item < 0 {
				return
			}
			if again := v.window.Click(bodyLine(y)); again && v.Marked().Do != nil {
				v.Marked().Do()
			}
			v.move(0)
		}
	})
}

const (
	// asideFrom is the width from which on the marked session is beside the table.
	asideFrom = 120
	// asideHead is the height of what is above the question, room permitting.
	asideHead = 2
)

// View implements dialog.Dialog.
func (v *Board) View(width, height int) dialog.View {
	rows, marked := bodyHeight(height), v.Marked()
	var body []string
	var heads string
	var cursor *tea.Cursor
	switch {
	case marked == nil:
		v.left, v.at = width, area{}
		body = []string{"", "  " + v.Theme.Muted.Render(v.nothing())}
	case width >= asideFrom:
		v.left, v.at = width-width/2, area{x: width - width/2 + 2, y: headLines}
		asked := v.question(width/2-3, rows-asideHead)
		heads, body = v.tableLines(v.left-1, rows)
		body = append(body, make([]string, rows-len(body))...)
		body = beside(body, v.aside(marked, width/2-3, rows, asked.Lines), v.left, v.Theme.Faint.Render("│")+" ")
		cursor = asked.Cursor
	default:
		table := min(len(v.rows), max(3, rows/5))
		asked := v.question(width-2*margin, rows-table-1-min(asideHead, rows/9))
		below := len(asked.Lines)
		if below == 0 {
			below = rows / 4 // rows come first
		}
		table = max(table, min(len(v.rows), rows-1-below-asideHead))
		v.left, v.at = width, area{x: margin, y: headLines + table + 1}
		heads, body = v.tableLines(width, table)
		body = append(body, v.Theme.Faint.Render(strings.Repeat("─", width)))
		body = append(body, beside(nil, v.aside(marked, width-2*margin, rows-table-1, asked.Lines), margin, "")...)
		cursor = asked.Cursor
	}
	if cursor != nil {
		cursor.X += v.at.x
		cursor.Y += v.at.y
	}
	out := v.draw(v.head("Board", "", v.counts(), width), heads, body, "", v.Theme.Muted, width, height)
	if out.Cursor == nil {
		out.Cursor = cursor
	}
	return out
}

func (v *Board) nothing() string {
	switch {
	case len(v.choice.Items) > 0:
		return "No matches"
	case v.choice.Loading:
		return "loading …"
	}
	return v.choice.Empty
}

// counts says how many sessions are in each group.
func (v *Board) counts() string {
	var words []string
	for i, group := range app.Groups {
		n, look := 0, v.Theme.Muted
		for _, it := range v.choice.Items {
			if it.Session.Group() == i {
				n++
			}
		}
		if i == 0 {
			look = v.Theme.Warning
		}
		if n > 0 {
			words = append(words, look.Render(strings.ToLower(group)+" "+strconv.Itoa(n)))
		}
	}
	return strings.Join(words, v.Theme.Faint.Render(" · "))
}

// The columns of a row: the title stands after the first two of the item's.
const (
	agentColumn = 1
	titleColumn = 2
	columnGap   = 2
	widestCell  = 40
)

// cells returns the cells of an item, safe to draw. A title that only repeats the agent is left out.
func cells(it *command.Item) []string {
	title := it.Title
	if title == it.Columns[agentColumn] {
		title = ""
	} else if it.Under != "" {
		title = "  " + termtext.Line(list.Clip(title))
	}
	all := slices.Insert(slices.Clone(it.Columns), titleColumn, title)
	for i, text := range all {
		if i != titleColumn || it.Under == "" {
			all[i] = termtext.Line(list.Clip(text))
		}
	}
	return all
}

// widths returns the widths of the columns for so much room. Those that say nothing, or for which there
// is no room, have none.
func (v *Board) widths(width int) []int {
	all, whole := make([]int, len(v.choice.Heads)), make([]int, len(v.choice.Heads))
	for i := range v.choice.Items {
		for col, text := range cells(&v.choice.Items[i]) {
			if w := termtext.Width(text); w > 0 {
				whole[col] = max(whole[col], w, termtext.Width(v.choice.Heads[col]))
			}
		}
	}
	over := 4 - columnGap - width // the mark is before them
	for col := range all {
		all[col] = min(whole[col], widestCell)
	}
	for _, w := range all {
		if w > 0 {
			over += w + columnGap
		}
	}
	// What shrinks first, and to what; 0 leaves it out.
	for _, s := range []struct{ col, least int }{{6, 20}, {2, 24}, {6, 10}, {2, 20}, {6, 0}, {3, 10}, {1, 8}, {2, 12}, {3, 0}, {1, 0}, {5, 0}, {4, 0}, {2, 1}} {
		if w := &all[s.col]; over > 0 && *w > s.least {
			before := *w
			if *w = max(s.least, *w-over); s.least == 0 {
				*w, over = 0, over-columnGap
			}
			over -= before - *w
		}
	}
	for _, col := range []int{1, 2, 3, 6} { // room that is left, perhaps by a column that is left out
		if more := min(whole[col]-all[col], -over); all[col] > 0 && more > 0 {
			all[col], over = all[col]+more, over+more
		}
	}
	return all
}

// line draws cells behind a lead.
func (v *Board) line(cells []string, widths []int, lead string, look func(...string) string) string {
	var b strings.Builder
	for i, w := range widths {
		if w == 0 {
			continue
		}
		if b.Len() > 0 {
			b.WriteString("  ")
		}
		text := termtext.Truncate(cells[i], w, "…")
		blanks := strings.Repeat(" ", w-termtext.Width(text))
		if i == 4 || i == 5 { // numbers
			text, blanks = blanks+text, ""
		}
		b.WriteString(text + blanks)
	}
	return lead + look(strings.TrimRight(b.String(), " "))
}

// tableLines draws the heads, which say what is hidden, and at most so many rows of the table.
func (v *Board) tableLines(width, most int) (heads string, lines []string) {
	th, widths := v.Theme, v.widths(width)
	v.window.Fit(len(v.rows), most)
	v.move(0)
	end := v.window.End()
	for end < len(v.rows) && end > v.window.Top && v.rows[end-1].item < 0 {
		end-- // no heading without rows
	}
	for i := v.window.Top; i < end; i++ {
		r := v.rows[i]
		if r.item < 0 {
			look, lead := th.Title, " "
			if r.under {
				look, lead = th.Muted, "    Comparison: "
			}
			lines = append(lines, look.Render(termtext.Truncate(lead+r.heading, width, "…")))
			continue
		}
		it := &v.choice.Items[r.item]
		mark, look := th.Mark(it.Session.Stands())
		lead, text := "  ", th.Text
		if i == v.window.Mark {
			lead, text = th.Accent.Render("❯")+" ", th.Strong
		}
		lines = append(lines, v.line(cells(it), widths, lead+look.Render(mark)+" ", text.Render))
	}
	lines = append(lines, make([]string, v.window.End()-end)...)
	heads = v.line(v.choice.Heads, widths, "    ", th.Faint.Render)
	if words := list.HiddenWords(v.window.Top, len(v.rows)-end); words != "" {
		heads = termtext.JoinSides(heads, th.Muted.Render(words+" "), width)
	}
	return heads, lines
}

// question draws the question of the marked session in at most so many lines.
func (v *Board) question(width, most int) (view dialog.View) {
	if v.asked != nil {
		view = v.asked.View(width, most)
	}
	return view
}

// aside draws what belongs to the marked session in so many lines: where it stands, its last lines, and
// its question.
func (v *Board) aside(it *command.Item, width, most int, asked []string) []string {
	th := v.Theme
	_, look := th.Mark(it.Session.Stands())
	title := th.Strong.Render(termtext.Line(list.Clip(it.Title)))
	lines := []string{
		termtext.JoinSides(title, look.Render(it.Session.StateText(v.Now())), width),
		th.Muted.Render(termtext.Truncate(termtext.Line(it.About), width, "…")),
	}
	if now := termtext.Line(list.Clip(it.Session.Now())); now != "" && now != it.Session.State() && len(asked) == 0 {
		for _, line := range termtext.Wrap(now, max(1, width)) {
			lines = append(lines, th.Text.Render(line))
		}
	}
	if it.Session.Standing == conversation.StandingAsks && len(asked) == 0 {
		how := v.keyOf(command.DialogNext) + ": answer"
		if it.Answer == nil {
			how = v.keyOf(command.DialogAccept) + " goes there to answer"
		}
		lines = append(lines, th.Muted.Render(how))
	}
	lines = lines[:max(0, min(len(lines), most-len(asked)))]
	if last := v.lastLines(it.Session.Last, width, most-len(lines)-len(asked)-2); len(last) > 0 {
		lines = append(append(lines, ""), last...)
	}
	if len(lines)+len(asked) < most {
		lines = append(lines, "")
	}
	v.at.y += len(lines)
	v.at.height = len(asked)
	return append(lines, asked...)
}
