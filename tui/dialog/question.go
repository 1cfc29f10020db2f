package dialog

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"parley/config"
	"parley/internal/command"
	"parley/internal/termtext"
	"parley/tui/list"
	"parley/tui/theme"
)

// question is the common part of all guarded dialogs with numbered replies.
type question struct {
	env       Env
	replies   replies
	scroll    list.Scroll
	placement placement
	viewed    viewed
	pinned    int             // the number of lines of a pinned path
	marker    tea.KeyPressMsg // the reply's key that marked it, or the zero value
	doubled   time.Time       // when that key was pressed to give it, or zero
	once      bool            // it was the first press
	layout    layout          // of the last view
	laidOut   time.Time       // since when it is the layout
	why       string          // why the last key had no effect, or ""
	// answer, if not nil, returns what a reply does, nil if it cannot be given, with the reason in why.
	answer func(reply) Action
	// ordinary, if not nil, reports whether one press may give a reply: see Env.Press.
	ordinary func() bool
}

func newQuestion(env Env) question { return question{env: env, replies: newReplies(nil)} }

// SetTheme implements [Dialog].
func (q *question) SetTheme(th *theme.Theme) { q.env.Theme = th }

// ignores reports whether the dialog is inert, and notes the input then.
func (q *question) ignores() bool {
	if !q.env.Guard.inert() {
		return false
	}
	q.typed()
	return true
}

// Key implements [Dialog] for a question that may be closed without an answer.
func (q *question) Key(msg tea.KeyPressMsg) Action {
	if a, taken := q.take(msg); taken {
		return a
	}
	if q.closes(msg) {
		return Close{}
	}
	return q.passOn(msg)
}

// take takes the keys that every question knows; taken is false for others.
//
// Every key marks first: the number or a letter of a reply, an arrow, and space and the key
// that accepts, if nothing is marked. The key that accepts gives the marked reply, and so does
// the key that has marked it, pressed again with nothing right behind it, unless the reply takes
// enter only. Any other character is text for
// the prompt, with the keys that have marked before it. While the prompt holds text, all
// these keys are the prompt's, and arrows and the key that accepts need alt.
func (q *question) take(msg tea.KeyPressMsg) (a Action, taken bool) {
	q.why = ""
	if q.ignores() {
		return NotTaken{}, true
	}
	if !config.Types(msg.String()) {
		q.doubled = time.Time{} // something follows
	}
	key, keys, drafting := msg.String(), q.env.Keys, q.env.drafting()
	bare, alt := strings.CutPrefix(key, "alt+")
	accepts, up, down := keys.Match(command.DialogAccept, bare), keys.Match(command.DialogUp, bare), keys.Match(command.DialogDown, bare)
	if alt && !drafting {
		accepts = false // esc and enter may arrive as one key
	}
	i := q.replies.byKey(key)
	switch {
	case drafting && !alt && (accepts || up || down), !(alt && (accepts || up || down)) && q.env.drafts(key):
		return q.typed(), true
	case msg.IsRepeat && (i >= 0 || accepts):
		q.doubled = time.Time{}
		return nil, true // a key held down answers nothing
	case accepts:
		return q.accept(key), true
	case up:
		q.move(-1)
	case down:
		q.move(1)
	case i >= 0 && keys.Match(command.DialogClose, key):
		return q.give(q.replies.list[i], key), true
	case i >= 0 && (q.doubled.IsZero() || q.once) && (q.marker.Code == 0 || q.marker.String() == key):
		return q.press(i, msg), true
	case key == "space" && q.marker.Code == 0 && q.viewed.complete():
		q.space()
	case key == "backspace" && q.marker.Code != 0:
		q.mark(-1)
	default:
		return nil, q.page(key) || q.scroll.Key(keys, key)
	}
	return nil, true
}

// page marks an answer out of sight with a key that scrolls, once the body is at its end.
func (q *question) page(key string) bool {
	lines, place, at := q.replies.layout.starts, q.placement, -1
	above, below := q.scroll.Hidden()
	if n := len(q.replies.list); n == 0 || len(lines) != n+1 || place.footTo-place.footFrom >= lines[n] {
		return false
	}
	switch down, up := below == 0, above == 0 || q.replies.marked > 0; {
	case down && key == "end":
		at = len(q.replies.list) - 1
	case down && q.env.Keys.Match(command.DialogPageDown, key):
		at = q.replies.at(min(2*place.footTo-place.footFrom, lines[len(lines)-1]) - 1)
	case up && key == "home":
		at = 0
	case up && q.env.Keys.Match(command.DialogPageUp, key):
		at = q.replies.at(max(0, place.footFrom-1))
	default:
		return false
	}
	q.mark(at)
	return true
}

// accept gives the marked reply, marks one if none is, or goes to the end of a question
// that must be read first.
func (q *question) accept(key string) Action {
	switch {
	case !q.viewed.complete():
		if _, below := q.scroll.Hidden(); below > 0 && !q.viewed.ended && !q.tooSmall() {
			q.scroll.Key(q.env.Keys, "end")
			return nil
		}
		q.refuse()
	case q.replies.marked >= 0:
		return q.give(q.replies.list[q.replies.marked], key)
	default:
		q.mark(q.replies.first())
		if q.replies.marked < 0 {
			q.why = noReplyWords
		}
	}
	return nil
}

// press marks a reply by its key, or gives it if the key has marked it before or need not.
func (q *question) press(i int, msg tea.KeyPressMsg) Action {
	switch r := q.replies.list[i]; {
	case !q.viewed.complete():
		q.refuse()
	case r.off:
		q.why = offWords
	case q.marker.Code == 0:
		once := q.presses(i)
		q.mark(i)
		if q.marker, q.once = msg, once; once {
			q.confirm()
		}
	case r.enterOnly:
		q.why = enterOnlyWords
	default:
		q.once = false
		q.confirm()
	}
	return nil
}

// confirm gives the marked reply after a pause: see Due.
func (q *question) confirm() {
	q.doubled = q.env.Guard.now()
	q.why = pauseWords
}

// presses reports whether one press of its key may give a reply: all is in sight, nothing cut.
func (q *question) presses(i int) bool {
	return q.env.Press != nil && q.env.Press() && q.ordinary != nil && q.ordinary() && q.viewed.whole && q.replies.list[i].single && !q.replies.cut(i)
}

// space marks a reply if none is marked. It is no text for an empty prompt, where it could not
// be seen.
func (q *question) space() {
	switch {
	case q.replies.marked >= 0:
		q.why = spaceWords
	default:
		if q.mark(q.replies.first()); q.replies.marked < 0 {
			q.why = noReplyWords
		}
	}
}

// GivesIn implements [Guarded].
func (q *question) GivesIn(now time.Time) time.Duration {
	if q.doubled.IsZero() {
		return 0
	}
	return max(1, q.doubled.Add(QuietTime).Sub(now))
}

// Due implements [Guarded].
func (q *question) Due() Action {
	if q.doubled.IsZero() || q.env.Guard.now().Before(q.doubled.Add(QuietTime)) {
		return nil
	}
	q.doubled, q.why = time.Time{}, ""
	if q.replies.marked < 0 || q.env.Guard.inert() || q.env.Guard.unfocused != "" || q.once && !q.presses(q.replies.marked) {
		return nil
	}
	return q.give(q.replies.list[q.replies.marked], q.marker.String())
}

// passOn handles a key that the question does not use: a character is text for the
// prompt, together with the one that marked a reply before it.
func (q *question) passOn(msg tea.KeyPressMsg) Action {
	switch {
	case !config.Types(msg.String()):
		return NotTaken{}
	case !q.viewed.complete() && q.viewed.width > 0:
		q.refuse()
		return nil
	}
	return q.typed()
}

// typed gives a key to the prompt and unmarks the reply, so that enter at the end of the
// text does not give it.
func (q *question) typed() Action {
	q.replies.marked, q.why = -1, ""
	q.env.Guard.Typed()
	return NotTaken{}
}

// Release implements [Guarded].
func (q *question) Release() (keys []tea.KeyPressMsg) {
	if q.marker.Code == 0 {
		return nil
	}
	if config.Types(q.marker.String()) {
		keys = append(keys, q.marker)
		if !q.doubled.IsZero() && !q.once {
			keys = append(keys, q.marker)
		}
	}
	q.mark(-1)
	return keys
}

// mark marks a reply, -1 none.
func (q *question) mark(i int) {
	q.replies.marked = i
	q.forget()
}

// forget forgets the keys that have marked a reply: they are no text for the prompt. The mark stays.
func (q *question) forget() { q.marker, q.doubled, q.once = tea.KeyPressMsg{}, time.Time{}, false }

// Marked implements [AgentQuestion], as the methods below do.
func (q *question) Marked() bool { return q.replies.marked >= 0 }

// Begin marks the first answer, or goes to the end of a question that must be read first.
func (q *question) Begin() Action {
	if q.Marked() || q.ignores() {
		return nil
	}
	return q.accept("")
}

func (q *question) Unmark() { q.mark(-1) }

func (*question) TakeWords() string { return "" }

// move marks the next or the previous reply.
func (q *question) move(by int) {
	q.forget()
	q.replies.move(by)
}

// refuse sets the reason why a key answers nothing: part of the question was not seen.
func (q *question) refuse() {
	switch {
	case q.viewed.complete(), q.viewed.width <= 0:
	case q.tooSmall():
		q.why = smallWords
	case q.viewed.ended && q.viewed.begun:
		q.why = hiddenWords
	default:
		q.why = unseenWords
	}
}

// give gives a reply if the user has seen the whole question.
func (q *question) give(r reply, key string) Action {
	switch {
	case !q.viewed.complete():
		q.refuse()
		return nil
	case r.off:
		q.why = offWords
		return nil
	}
	a := r.action
	if q.answer != nil {
		a = q.answer(r)
	}
	if a != nil {
		q.forget()
		q.env.Guard.answer(key)
	}
	return a
}

// closes reports whether the key is the one that closes dialogs.
func (q *question) closes(msg tea.KeyPressMsg) bool {
	key := msg.String()
	if !q.env.Keys.Match(command.DialogClose, key) {
		return false
	}
	q.forget()
	q.env.Guard.answer(key)
	return true
}

// Paste implements [Dialog]: pasted text is never an answer.
func (q *question) Paste(string) Action {
	return q.typed()
}

// Mouse implements [Dialog]: the wheel scrolls, and a click gives a reply that has been where
// it is for as long as a key would need.
func (q *question) Mouse(msg tea.MouseMsg, _, y int) Action {
	switch m := msg.(type) {
	case tea.MouseWheelMsg:
		q.doubled = time.Time{}
		q.scroll.Wheel(m)
	case tea.MouseClickMsg:
		q.doubled = time.Time{}
		if q.ignores() {
			return NotTaken{}
		}
		if line, ok := q.placement.footLine(y); ok && m.Button == tea.MouseLeft && q.replies.layout.count == len(q.replies.list) {
			i := q.replies.at(line)
			switch q.why = ""; {
			case i < 0 || !q.viewed.complete():
				q.mark(-1)
				q.refuse()
			case q.replies.list[i].enterOnly:
				q.mark(i)
			case !q.settled() && !q.replies.list[i].off:
				q.mark(i)
				q.why = movedWords
			default:
				return q.give(q.replies.list[i], "")
			}
		}
	}
	return nil
}

// inertWords say why a dialog takes no keys while the user types.
const inertWords, inertBrief = "Pause typing to answer", "pause first"

// unseenWords say why a dialog takes no answer yet.
const unseenWords, unseenBrief = "Scroll to the end to answer", "scroll first"

// The reasons why a key answers nothing.
const (
	smallWords     = "Enlarge the window to answer"
	hiddenWords    = "Scroll through the answers first"
	enterOnlyWords = "This answer takes enter"
	offWords       = "This answer is not available"
	noReplyWords   = "There is no answer to give"
	changedWords   = "The question has changed"
	pauseWords     = "Answers once you pause typing"
	spaceWords     = "enter gives the marked answer"
	noWords        = "Type a reason, or go back"
	movedWords     = "It has moved: click again"
)

// roomy is the height from which on there is room for empty lines.
const roomy = 14

// view draws the question: what it is about, and the replies below.
func (q *question) view(p panel, width, maxHeight int) View {
	p.th, p.scroll, p.shrink, p.asks = q.env.Theme, &q.scroll, !p.inBody, true
	if maxHeight >= roomy {
		p.head = append([]string{""}, p.head...)
	}
	if words := q.env.Guard.unfocused; words != "" {
		return q.viewUnfocused(p, words, width, maxHeight)
	}
	w := inner(width, maxHeight)
	q.viewed.resize(width, maxHeight)
	q.foot(&p, w, true)
	if p.to > 0 {
		p.reveal(p.from, p.to, width, maxHeight)
	}
	if p.body != nil {
		top := q.scroll.Top
		p.arrange(width, maxHeight)
		atEnd := q.scroll.End() == q.scroll.Len
		pins := p.pin(w)
		q.scroll.Top = top // there is less room now than it was fitted to
		if atEnd && pins > q.pinned {
			q.scroll.Top += pins - q.pinned // the end stays in sight
		}
		q.pinned = pins
	}
	for {
		known := q.viewed.complete()
		inert := q.env.Guard.inert()
		if inert {
			p.cursor = nil
		}
		p.focused, p.status, p.brief, p.urgent = !inert && known, q.why, "", true
		switch {
		case inert && q.env.Guard.Typing():
			p.status, p.brief = inertWords, inertBrief
		case inert && q.why != changedWords:
			p.status = ""
		case !known && (q.why == "" || q.why == unseenWords):
			p.status, p.brief = unseenWords, unseenBrief
		}
		q.foot(&p, w, !p.focused)
		v, place := p.view(width, maxHeight)
		q.placement = place
		q.viewed.note(&p, &q.replies, place, w)
		if q.viewed.complete() == known {
			q.lay(layout{place, len(v.Lines), q.replies.layout.moves})
			return v
		}
	}
}

// layout is what decides where on the screen a click finds a reply.
type layout struct {
	placement
	height int
	moves  int
}

// lay notes the layout of a view.
func (q *question) lay(now layout) {
	if now != q.layout {
		q.layout, q.laidOut = now, q.env.Guard.now()
	}
}

// settled reports whether the layout has not changed for LookTime: only then does a click answer.
func (q *question) settled() bool { return q.env.Guard.now().Sub(q.laidOut) >= LookTime }

// viewUnfocused draws the question while keys go elsewhere. It may be small then, and nothing
// counts as seen.
func (q *question) viewUnfocused(p panel, words string, width, maxHeight int) View {
	p.focused, p.status = false, words
	q.foot(&p, inner(width, maxHeight), true)
	var v View
	v, q.placement = p.view(width, maxHeight)
	return v
}

// foot puts the replies into a panel.
func (q *question) foot(p *panel, w int, inert bool) {
	if len(q.replies.list) > 0 {
		p.foot, p.keep = replyList{&q.replies, inert}, q.replies.markedAt(w)
	}
}

// tooSmall reports whether the window has no room for what must be seen.
func (q *question) tooSmall() bool {
	return q.viewed.height <= 0 || !q.viewed.head || q.scroll.Height <= 0 && q.scroll.Len > 0
}

// unseenHints say how to bring the rest of a question into view.
func (q *question) unseenHints(closing string) []Hint {
	var hints []Hint
	_, below := q.scroll.Hidden()
	switch s := &q.viewed; {
	case q.tooSmall():
		hints = append(hints, Hint{"", "enlarge the window to answer"})
	case !s.ended && below > 0:
		hints = q.env.hint(hints, command.DialogPageDown, "scroll on to answer")
		hints = append(hints, Hint{q.accepting(), "to the end"})
	case !s.begun && q.scroll.Top > 0 && !q.env.drafts("home"):
		hints = append(hints, Hint{"home", "to the start"})
	case s.unseen > 0:
		hints = q.env.hint(hints, command.DialogPageDown, "all answers")
	default:
		hints = append(hints, Hint{"", "enlarge the window to answer"})
	}
	return q.closing(hints, closing)
}

// closing adds what the key that closes does, if anything. It comes last, where it stays when
// there is room for some hints only.
func (q *question) closing(hints []Hint, words string) []Hint {
	if words == "" {
		return hints
	}
	return q.env.hint(hints, command.DialogClose, words)
}

// alt adds alt to a key while the prompt holds text, which would get it otherwise.
func (q *question) alt(key string) string {
	if q.env.drafting() {
		return "alt+" + key
	}
	return key
}

// accepting returns the key that gives the marked answer.
func (q *question) accepting() string {
	if key := q.env.Keys.First(command.DialogAccept); key != "" {
		return q.alt(key)
	}
	return ""
}

// selecting returns the keys that mark an answer.
func (q *question) selecting() string {
	var keys []string
	if n := min(9, len(q.replies.list)); !q.env.drafting() && n > 0 {
		keys = append(keys, "1")
		if n > 1 {
			keys[0] = fmt.Sprintf("1-%d", n)
		}
		const most = 3
		for i, r := range q.replies.list[n:] {
			if i == most {
				keys = append(keys, "…")
				break
			}
			if key := r.key(); key != "" {
				keys = append(keys, key)
			}
		}
	}
	return strings.Join(append(keys, q.alt("↑↓")), " ")
}

// hintName is how much of the name of an answer a hint shows, in cells.
const hintName = 32

// hints returns the keys of every question, beginning with the one that accepts. closing
// says what the key that closes does; "" leaves it out.
func (q *question) hints(closing string) []Hint {
	if q.env.Guard.inert() {
		return nil
	}
	if !q.viewed.complete() {
		return q.unseenHints(closing)
	}
	var hints []Hint
	if next := q.replies.first(); next >= 0 {
		key, words := q.accepting(), "select "
		if q.replies.marked >= 0 {
			next, words = q.replies.marked, ""
			if q.marker.Code != 0 && !q.replies.list[next].enterOnly && !q.env.drafting() {
				key += " or " + q.marker.String()
			}
		}
		r := q.replies.list[next]
		if r.warns {
			r.name = r.more + ": " + r.name
		}
		hints = append(hints, Hint{key + ":", words + cut(r.name, hintName)})
	}
	hints = append(hints, q.promptHints()...)
	var gives []string
	for i, r := range q.replies.list {
		if len(gives) < 3 && q.presses(i) {
			gives = append(gives, cmp.Or(r.key(), strconv.Itoa(i+1)))
		}
	}
	switch {
	case len(q.replies.list) == 0:
	case len(gives) > 0:
		hints = append(hints, Hint{strings.Join(gives, "/"), "answer"}, Hint{q.alt("↑↓"), "select"})
	default:
		hints = append(hints, Hint{q.selecting(), "select"})
	}
	if q.scroll.Scrolls() {
		hints = q.env.hint(hints, command.DialogPageDown, "scroll")
	}
	return q.closing(hints, closing)
}

// promptHints says what the accepting key does while the prompt holds text.
func (q *question) promptHints() []Hint {
	keys := q.env.Keys.For(command.DialogAccept)
	if !q.env.drafting() || len(keys) == 0 || q.env.Sends == nil {
		return nil
	}
	return []Hint{{keys[0], q.env.Sends()}}
}

// tone is the meaning of a choice. It decides the look of its icon.
type tone uint8

const (
	neutral tone = iota
	good
	caution // it allows more than what is asked now
	bad
)

func (t tone) style(th *theme.Theme) lipgloss.Style {
	switch t {
	case good:
		return th.Success
	case caution:
		return th.Warning
	case bad:
		return th.Error
	}
	return th.Muted
}

// reply is a possible answer. It has a number and may have keys.
type reply struct {
	icon string
	tone tone
	// name is safe to draw and may be long. more distinguishes replies with the
	// same name.
	name, more string
	// warns says that more is a warning: it begins with what the reply does.
	warns bool
	// keys mark the reply; the first is shown.
	keys   []string
	action Action
	// off replies are visible but disabled.
	off bool
	// enterOnly replies affect more than this question, or end something: only the key that
	// accepts gives them.
	enterOnly bool
	// once means that the reply allows what is asked, and nothing more, single that it allows or rejects
	// just that.
	once, single bool
}

// replies is a vertical list of numbered choices. None is marked at first, so that only
// a key meant for a choice selects one.
type replies struct {
	list   []reply
	marked int // -1: none

	layout replyLayout
}

func newReplies(list []reply) replies { return replies{list: list, marked: -1} }

// move marks the next or the previous reply.
func (a *replies) move(by int) {
	switch {
	case len(a.list) == 0:
	case a.marked < 0 && by > 0:
		a.marked = 0
	case a.marked < 0:
		a.marked = len(a.list) - 1
	default:
		a.marked = max(0, min(a.marked+by, len(a.list)-1))
	}
}

// first returns the position of the reply to mark when the user names none: the first
// that allows once, else the first that a key may give; -1 if there is none.
func (a *replies) first() int {
	for _, suits := range []func(reply) bool{
		func(r reply) bool { return r.once },
		func(r reply) bool { return !r.off && !r.enterOnly },
		func(r reply) bool { return !r.off },
	} {
		if i := slices.IndexFunc(a.list, suits); i >= 0 {
			return i
		}
	}
	return -1
}

// byKey returns the position of the reply with a key, or -1. The key is its number or one
// of its keys.
func (a *replies) byKey(key string) int {
	if i := digit(key); i >= 0 && i < len(a.list) {
		return i
	}
	return slices.IndexFunc(a.list, func(r reply) bool { return slices.Contains(r.keys, key) })
}

// cut reports whether the text of a reply is shortened while it is not marked.
func (a *replies) cut(i int) bool {
	name, more := a.text(i, false)
	wholeName, wholeMore := a.text(i, true)
	return !slices.Equal(name, wholeName) || !slices.Equal(more, wholeMore)
}

// key returns the key to show, or "".
func (c reply) key() string {
	if len(c.keys) > 0 {
		return c.keys[0]
	}
	return ""
}

// digit returns the position for a number key, or -1.
func digit(key string) int {
	if len(key) == 1 && key[0] >= '1' && key[0] <= '9' {
		return int(key[0] - '1')
	}
	return -1
}

// leastName is the minimum width of a name, in cells.
const leastName = 6

type replyLooks struct{ pointer, number, key, icon, name, more lipgloss.Style }

func looks(th *theme.Theme, t tone, marked, inert bool) replyLooks {
	switch {
	case inert:
		faint := th.DialogInert
		return replyLooks{faint, faint, faint, faint, faint, faint}
	case marked:
		row := th.Strong.Reverse(true)
		return replyLooks{accent(th), row, row, row, row, row}
	}
	return replyLooks{accent(th), th.Muted, th.Key, t.style(th), th.Choice, th.Faint}
}

// accent is the one colour in which a question shows where it is and what is marked.
func accent(th *theme.Theme) lipgloss.Style {
	return lipgloss.NewStyle().Foreground(th.BorderFocused)
}

// nameLines is the maximum number of lines for each of name and more of a reply that is
// not marked, so that a long name does not push the other replies out of view.
const nameLines = 2

// replyLayout holds the position of each reply. It is rebuilt only after a change, and
// only the visible replies are drawn, because there may be very many.
type replyLayout struct {
	on            termtext.Layout
	width         int
	marked, count int

	moves   int   // how often replies have come to other lines
	keys    int   // the width of the column of keys
	heights []int // of each reply while it is not marked
	starts  []int // the first line of each, and at the end the number of lines
}

// lay updates the layout.
func (a *replies) lay(width int) *replyLayout {
	l := &a.layout
	on := termtext.NewLayout(width)
	if l.starts != nil && l.on == on && l.count == len(a.list) {
		if l.marked != a.marked {
			l.marked = a.marked
			a.stack()
		}
		return l
	}
	*l = replyLayout{on: on, width: width, marked: a.marked, count: len(a.list), starts: l.starts, moves: l.moves}
	for _, c := range a.list {
		l.keys = max(l.keys, termtext.Width(c.key()))
	}
	l.heights = make([]int, len(a.list))
	for i := range a.list {
		name, more := a.text(i, false)
		l.heights[i] = len(name) + len(more)
	}
	a.stack()
	return l
}

// stack computes the line at which each reply begins.
func (a *replies) stack() {
	l, line := &a.layout, 0
	before := l.starts
	l.starts = make([]int, len(a.list)+1)
	for i, n := range l.heights {
		l.starts[i] = line
		if i == l.marked {
			name, more := a.text(i, true)
			n = len(name) + len(more)
		}
		line += n
	}
	if l.starts[len(a.list)] = line; !slices.Equal(before, l.starts) {
		l.moves++
	}
}

// indent returns the width in front of the name of a reply.
func (a *replies) indent(c reply) int {
	n := 5 // the pointer, the number and blanks
	if a.layout.keys > 0 {
		n += a.layout.keys + 2
	}
	if c.icon != "" {
		n += termtext.Width(c.icon) + 1
	}
	return n
}

// text returns the lines of a reply, its name and more, shortened unless the reply is
// marked. more follows the name on one line if there is room.
func (a *replies) text(i int, whole bool) (name, more []string) {
	c := a.list[i]
	room := max(leastName, a.layout.width-a.indent(c))
	most := 0
	if !whole {
		most = nameLines
	}
	name = someLines(c.name, room, most)
	if c.more == "" {
		return name, nil
	}
	more = someLines(c.more, room, most)
	if last := name[len(name)-1]; len(more) == 1 && termtext.Width(last)+termtext.Width(more[0])+2 <= room {
		return name, nil
	}
	return name, more
}

// someLines wraps safe text into at most most lines, or all lines if most is 0. The last
// line shows whether text is missing.
func someLines(s string, width, most int) []string {
	if most == 0 {
		return termtext.Wrap(s, width)
	}
	cutOff := false
	if enough := 32 * width * most; len(s) > enough { // whatever the characters are
		for !utf8.RuneStart(s[enough]) {
			enough--
		}
		s, cutOff = s[:enough], true
	}
	lines := termtext.Wrap(s, width)
	if len(lines) > most {
		lines, cutOff = lines[:most], true
	}
	if last := len(lines) - 1; cutOff {
		lines[last] = cut(lines[last]+strings.Repeat(" ", width), max(1, width-1)) + "…"
		lines[last] = strings.TrimRight(strings.TrimSuffix(lines[last], "……"), " …") + "…"
	}
	return lines
}

// replyList is content that draws replies.
type replyList struct {
	*replies
	inert bool
}

func (a replyList) height(p renderContext) int {
	l := a.lay(p.width)
	return l.starts[len(a.list)]
}

func (a replyList) lines(p renderContext, from, to int) []string {
	l := a.lay(p.width)
	var out []string
	first := a.at(from)
	for i := first; i < len(a.list) && l.starts[i] < to; i++ {
		out = append(out, a.draw(i, p)...)
	}
	out = out[from-l.starts[first]:]
	return out[:min(len(out), to-from)]
}

func (a replyList) draw(i int, p renderContext) []string {
	c, th := a.list[i], p.th
	inert, marked := a.inert || c.off, i == a.marked
	l := looks(th, c.tone, marked, inert)
	if c.warns && !inert && !marked {
		l.more = th.Warning
	}
	number, pointer := " ", " "
	if i < 9 {
		number = strconv.Itoa(i + 1)
	}
	if marked {
		pointer = "❯"
	}
	lead := l.number.Render(number + "  ")
	if a.layout.keys > 0 {
		lead += l.key.Render(pad(c.key(), a.layout.keys) + "  ")
	}
	if c.icon != "" {
		lead += l.icon.Render(c.icon + " ")
	}
	lead = cut(l.pointer.Render(pointer)+" "+lead, max(0, p.width-leastName))
	name, more := a.text(i, marked)
	lines := append(styled(name, l.name), styled(more, l.more)...)
	if c.more != "" && more == nil {
		lines[len(lines)-1] += l.more.Render("  " + c.more)
	}
	return hang(lead, strings.Repeat(" ", termtext.Width(lead)), lines)
}

// markedAt returns the line on which the marked reply begins, 0 if none is marked.
func (a *replies) markedAt(width int) int {
	if a.marked < 0 {
		return 0
	}
	return a.lay(width).starts[a.marked]
}

// at returns the position of the reply on a line of the last layout.
func (a *replies) at(line int) int {
	return sort.Search(len(a.list), func(i int) bool { return a.layout.starts[i] > line }) - 1
}

// changeAt is the change of a file that a line of a content belongs to, if the line is
// below its head; nil if there is none.
func changeAt(c content, p renderContext, line int) *change {
	switch c := c.(type) {
	case *change:
		if line > 0 {
			return c
		}
	case column:
		for _, part := range c {
			n := part.height(p)
			if line < n {
				return changeAt(part, p, line)
			}
			line -= n
		}
	}
	return nil
}

// viewed tracks which parts of a question the user has seen: the vital lines, and the
// first line of every answer. It restarts when the panel is resized.
type viewed struct {
	width, height int

	head, begun, ended bool
	whole              bool // all lines and answers are in sight at once
	answers            []bool
	unseen             int // how many answers were not seen yet
}

// complete reports whether everything was seen.
func (s *viewed) complete() bool {
	return s.width > 0 && s.height > 0 && s.head && s.begun && s.ended && s.unseen == 0
}

// resize sets the panel's size. It reports whether everything must be seen again, because
// the panel has another width or has become lower.
func (s *viewed) resize(width, height int) bool {
	reset := s.width != width || s.height > height
	if reset {
		*s = viewed{width: width}
	}
	s.height = height
	return reset
}

// note notes what a panel shows.
func (s *viewed) note(p *panel, a *replies, place placement, width int) {
	if s.width <= 0 || s.height <= 0 {
		return
	}
	s.head = s.head || place.head == len(p.head)
	from, end := 0, 0
	if p.scroll != nil {
		from = p.scroll.Top
	}
	switch on := (renderContext{width, p.th}); {
	case p.asked != nil:
		end = p.asked.height(on)
	case p.body != nil:
		end = p.body.height(on)
	}
	to := from + place.shown
	s.begun = s.begun || end == 0 || from == 0 && to > 0
	s.ended = s.ended || end == 0 || from < to && end <= to
	s.whole = from == 0 && end <= to
	if a == nil || p.foot == nil {
		return
	}
	s.whole = s.whole && place.footFrom == 0 && a.layout.starts[len(a.list)] <= place.footTo
	if len(s.answers) != len(a.list) {
		s.answers, s.unseen = make([]bool, len(a.list)), len(a.list)
	}
	for i := max(0, a.at(place.footFrom)); i < len(a.list) && a.layout.starts[i] < place.footTo; i++ {
		if a.layout.starts[i] >= place.footFrom && !s.answers[i] {
			s.answers[i] = true
			s.unseen--
		}
	}
}
