package dialog

import (
	"cmp"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/config"
	"parley/tui/theme"
)

// Item is something to choose from a list.
type Item struct {
	// ID tells it apart from the others: the mark stays on it when the list
	// changes.
	ID string
	// Title, Detail and Group may come from outside.
	Title, Detail, Group string
	// About is shown below the list while the item is marked. If it is empty,
	// Detail is, where it did not fit.
	About string
	// Current marks the value that holds now, Pending one that waits for the
	// agent's answer.
	Current, Pending bool
	// Disabled items are seen and cannot be chosen; Detail should say why.
	Disabled bool
	// Dim items can be chosen, and stand back behind the others.
	Dim bool
	// Do is what choosing it means.
	Do Action
	// Delete is what deleting it means; nil if it cannot be deleted.
	Delete Action
	// Found says that the item is in the list because of what is written in the line to
	// filter with, whatever its texts are: it is shown below those that the filter fits.
	Found bool
}

// List is what a [Selector] shows.
type List struct {
	Title string
	Items []Item
	// Loading says that items are on their way.
	Loading bool
	// Empty is what to say when there are no items.
	Empty string
	// Filter shows the line to filter with, however few items there are.
	Filter bool
	// Search, if not nil, is what to do whenever something else is written in that line:
	// it is asked for items that the list does not have.
	Search func(words string) tea.Cmd
	// Wider, if not nil, is what the key for more items does, WiderHint what that is
	// called.
	Wider     Action
	WiderHint string
	// Marked, if not nil, is told which item is marked whenever that is another one, and
	// Left that the list is closed without a choice. Both must not wait for anything.
	Marked func(id string)
	Left   func()
	// Keys are further keys, for what the marked item can do.
	Keys []ItemKey
	// Closing says what closing the list does; "" is that it closes.
	Closing string
	// Instead, if not nil, is done in place of closing the list, also while something is
	// written in the line to filter with.
	Instead Action
}

// ItemKey is what the key of an action does with the item that is marked. Hint is what
// that is called; "" if another hint says so.
type ItemKey struct {
	Action config.Action
	Hint   string
	Do     func(Item) Action
}

// manyItems is how many items there are when a filter is shown.
const manyItems = 9

// Selector is a list to choose one item from. Typing filters it.
type Selector struct {
	env  Env
	list List
	// follow, if not nil, gives the items anew whenever they are looked at.
	follow func() []Item

	input  input
	rows   rows
	marked int    // the position in rows, -1 if there is nothing to mark
	kept   string // the ID of what was marked when there was something to mark
	top    int    // the first row in view
	inView int    // how many rows are in view

	closing string // what closing means, if the selector is a part of something else

	place placement
}

// NewSelector shows a list that the person asked for. The current item is
// marked, or else the first.
func NewSelector(env Env, l List) *Selector {
	s := &Selector{env: env, list: l, input: input{hint: "type to filter"}}
	s.rows = newRows(l.Items)
	s.markCurrent()
	return s
}

func (s *Selector) markCurrent() {
	s.marked = s.rows.next(-1, 1)
	for i, r := range s.rows.shown {
		if r.item >= 0 && s.list.Items[r.item].Current && !s.list.Items[r.item].Disabled {
			s.marked = i
			return
		}
	}
}

// SetList shows the list as it is now. The filter stays, and the mark stays on
// its item if that is still there, also if the list was empty in between.
func (s *Selector) SetList(l List) {
	id, had := s.markedID()
	if had {
		s.kept = id
	}
	s.list = l
	s.rows = newRows(l.Items)
	s.rows.filter(s.input.text)
	s.marked = min(s.marked, len(s.rows.shown)-1)
	switch {
	case s.mark(s.kept):
	case !had:
		s.markCurrent()
	default:
		s.marked = s.rows.next(s.marked-1, 1)
	}
}

// mark marks an item, and reports whether it is there.
func (s *Selector) mark(id string) bool {
	for i, r := range s.rows.shown {
		if id != "" && r.item >= 0 && s.list.Items[r.item].ID == id {
			s.marked = i
			return true
		}
	}
	return false
}

func (s *Selector) markedID() (string, bool) {
	if i := s.item(); i >= 0 {
		return s.list.Items[i].ID, true
	}
	return "", false
}

// item is the position of the marked item in the list, -1 if there is none.
func (s *Selector) item() int {
	if s.marked < 0 || s.marked >= len(s.rows.shown) {
		return -1
	}
	return s.rows.shown[s.marked].item
}

func (s *Selector) filter() string { return strings.ReplaceAll(s.input.text, " ", "") }

// refresh takes over what the list has become.
func (s *Selector) refresh() {
	if s.follow == nil {
		return
	}
	l := s.list
	if l.Items = s.follow(); !sameItems(l.Items, s.list.Items) {
		s.SetList(l)
	}
}

// sameItems compares what is drawn: what choosing does belongs to the ID.
func sameItems(a, b []Item) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		x, y := a[i], b[i]
		if x.ID != y.ID || x.Title != y.Title || x.Detail != y.Detail || x.About != y.About || x.Group != y.Group ||
			x.Current != y.Current || x.Pending != y.Pending || x.Disabled != y.Disabled || x.Dim != y.Dim {
			return false
		}
	}
	return true
}

// SetTheme implements [Dialog].
func (s *Selector) SetTheme(th *theme.Theme) { s.env.Theme = th }

// Key implements [Dialog].
func (s *Selector) Key(msg tea.KeyPressMsg) Action {
	before := s.input.text
	defer s.tell(s.markedNow())
	if a := s.env.done(msg, s.press(msg)); a != nil {
		return a
	}
	return s.search(before)
}

// markedNow is the ID of the marked item, "" if there is none.
func (s *Selector) markedNow() string {
	id, _ := s.markedID()
	return id
}

// tell tells who wants to know it which item is marked, if it was another before.
func (s *Selector) tell(before string) {
	if now := s.markedNow(); s.list.Marked != nil && now != before && now != "" {
		s.list.Marked(now)
	}
}

// leave closes the list without a choice.
func (s *Selector) leave() Action {
	if s.list.Left != nil {
		s.list.Left()
	}
	return Close{}
}

// search is what to do if the line to filter with is not as before.
func (s *Selector) search(before string) Action {
	words := s.input.text
	if s.list.Search == nil || words == before {
		return nil
	}
	return Stay(func() tea.Cmd { return s.list.Search(words) })
}

// press is Key without noting the key.
func (s *Selector) press(msg tea.KeyPressMsg) Action {
	s.refresh()
	key := msg.String()
	page := max(1, s.inView-1)
	switch keys := s.env.Keys; {
	case config.Types(key) && s.filters(): // whatever else the key may do
		s.write(msg)
	case keys.Match(config.ActionDialogClose, key):
		if s.list.Instead != nil {
			return s.list.Instead
		}
		if s.input.text == "" {
			return s.leave()
		}
		s.setFilter("", 0)
	case keys.Match(config.ActionDialogAccept, key):
		return s.choose()
	case keys.Match(config.ActionDialogDelete, key):
		if i := s.item(); i >= 0 {
			return s.list.Items[i].Delete
		}
	case s.list.Wider != nil && keys.Match(config.ActionDialogWider, key):
		return s.list.Wider
	case s.itemKey(key) != nil:
		if i := s.item(); i >= 0 {
			return s.itemKey(key).Do(s.list.Items[i])
		}
	case keys.Match(config.ActionDialogUp, key), key == "ctrl+p":
		s.move(-1)
	case keys.Match(config.ActionDialogDown, key), key == "ctrl+n":
		s.move(1)
	case keys.Match(config.ActionDialogPageUp, key):
		s.move(-page)
	case keys.Match(config.ActionDialogPageDown, key):
		s.move(page)
	case key == "home":
		s.move(-len(s.rows.shown))
	case key == "end":
		s.move(len(s.rows.shown))
	default:
		s.write(msg)
	}
	return nil
}

// itemKey is what a key does with the marked item, nil if it does nothing.
func (s *Selector) itemKey(key string) *ItemKey {
	for i, k := range s.list.Keys {
		if s.env.Keys.Match(k.Action, key) {
			return &s.list.Keys[i]
		}
	}
	return nil
}

// write edits the filter.
func (s *Selector) write(msg tea.KeyPressMsg) {
	before := s.input.text
	if s.input.key(msg) && s.input.text != before {
		s.setFilter(s.input.text, s.input.at)
	}
}

// Paste implements [Dialog].
func (s *Selector) Paste(text string) Action {
	before := s.input.text
	s.input.insert(text)
	marked := s.markedNow()
	s.setFilter(s.input.text, s.input.at)
	s.tell(marked)
	return s.search(before)
}

// maxFilter bounds a filter, in bytes.
const maxFilter = 100

// setFilter shows what the filter leaves.
func (s *Selector) setFilter(text string, at int) {
	if len(text) > maxFilter {
		text = strings.ToValidUTF8(text[:maxFilter], "")
		at = len(text)
	}
	s.input.text, s.input.at = text, at
	s.rows.filter(s.input.text)
	s.top = 0
	if s.filter() == "" {
		s.markCurrent()
		return
	}
	s.marked = s.rows.next(-1, 1)
}

// move marks another item, past those that cannot be chosen.
func (s *Selector) move(by int) {
	dir := 1
	if by < 0 {
		dir = -1
	}
	to := max(0, min(s.marked+by, len(s.rows.shown)-1))
	if next := s.rows.next(to-dir, dir); next >= 0 {
		s.marked = next
	} else if next := s.rows.next(to+dir, -dir); next >= 0 {
		s.marked = next
	}
}

func (s *Selector) choose() Action {
	i := s.item()
	if i < 0 || s.list.Items[i].Disabled {
		return nil
	}
	return s.list.Items[i].Do
}

// Mouse implements [Dialog]: the wheel moves the mark, a click marks an item,
// and a click on the marked one chooses it.
func (s *Selector) Mouse(msg tea.MouseMsg, _, y int) Action {
	defer s.tell(s.markedNow())
	switch m := msg.(type) {
	case tea.MouseWheelMsg:
		switch m.Button {
		case tea.MouseWheelUp:
			s.move(-wheelLines)
		case tea.MouseWheelDown:
			s.move(wheelLines)
		}
	case tea.MouseClickMsg:
		line, ok := s.place.bodyLine(y)
		row := s.top + line
		if !ok || m.Button != tea.MouseLeft || row >= len(s.rows.shown) || s.rows.next(row-1, 1) != row {
			return nil
		}
		if s.marked == row {
			return s.choose()
		}
		s.marked = row
	}
	return nil
}

// Hints implements [Dialog].
func (s *Selector) Hints() []Hint {
	var hints []Hint
	if s.item() >= 0 {
		hints = s.env.hint(hints, config.ActionDialogAccept, "choose")
		hints = s.env.hint(hints, config.ActionDialogDown, "next")
	}
	if s.filters() {
		hints = append(hints, Hint{"type", "filter"})
	}
	if s.list.Wider != nil {
		hints = s.env.hint(hints, config.ActionDialogWider, s.list.WiderHint)
	}
	for _, k := range s.list.Keys {
		if k.Hint != "" && s.item() >= 0 {
			hints = s.env.hint(hints, k.Action, k.Hint)
		}
	}
	if i := s.item(); i >= 0 && s.list.Items[i].Delete != nil {
		hints = s.env.hint(hints, config.ActionDialogDelete, "delete")
	}
	if s.input.text != "" && s.list.Instead == nil {
		return s.env.hint(hints, config.ActionDialogClose, "clear the filter")
	}
	return s.env.hint(hints, config.ActionDialogClose, cmp.Or(s.closing, s.list.Closing, "close"))
}

// filters reports whether the line to filter with is shown.
func (s *Selector) filters() bool {
	return s.list.Filter || len(s.list.Items) > manyItems || s.input.text != ""
}
