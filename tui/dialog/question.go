package dialog

import (
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
	"parley/internal/termtext"
	"parley/tui/list"
	"parley/tui/theme"
)

// question is what all guarded dialogs with numbered replies have in common.
type question struct {
	env       Env
	replies   replies
	scroll    list.Scroll
	placement placement
	viewed    viewed
	begin     int             // the line of the body with which it begins
	pins      int             // the lines at the end of the head that say what is in sight
	letter    tea.KeyPressMsg // the letter that has marked a reply; the zero value if none has
}

func newQuestion(env Env) question { return question{env: env, replies: newReplies(nil)} }

// SetTheme implements [Dialog].
func (q *question) SetTheme(th *theme.Theme) { q.env.Theme = th }

// ArmsIn implements [Guarded].
func (q *question) ArmsIn(now time.Time) time.Duration { return q.env.Guard.ArmsIn(now) }

// held notes input that an inert dialog does not take.
func (q *question) held() bool {
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
	return q.stray(msg)
}

// take takes the keys that every question knows; taken is false for others.
//
// A letter marks a reply, and so does an arrow; the key that accepts gives the marked one,
// and a number gives its own at once. A letter that follows a letter, or that marks
// nothing, is text, and so is the letter before it: nothing is marked any more.
func (q *question) take(msg tea.KeyPressMsg) (a Action, taken bool) {
	if q.held() {
		return NotTaken{}, true
	}
	key := msg.String()
	i := q.replies.byKey(key)
	switch keys := q.env.Keys; {
	case q.env.drafts(key):
		return q.typed(), true
	case msg.IsRepeat && (i >= 0 || keys.Match(config.ActionDialogAccept, key)):
		return nil, true // a key held down answers nothing
	case letter(key):
		if i < 0 || q.letter.Code != 0 || !q.viewed.complete() {
			return nil, false
		}
		q.replies.marked, q.letter = i, msg
	case i >= 0:
		return q.choose(i, key), true
	case keys.Match(config.ActionDialogAccept, key):
		if c, ok := q.replies.current(); ok {
			return q.give(c, key), true
		}
		return nil, false
	case keys.Match(config.ActionDialogUp, key):
		q.move(-1)
	case keys.Match(config.ActionDialogDown, key):
		q.move(1)
	case key == "backspace" && q.letter.Code != 0:
		q.mark(-1)
	default:
		return nil, q.scroll.Key(keys, key)
	}
	return nil, true
}

// stray is what becomes of a key that means nothing to the question: a letter is text, and
// what accepts does nothing as long as nothing is marked, unless there is a draft to send.
func (q *question) stray(msg tea.KeyPressMsg) Action {
	key := msg.String()
	switch {
	case letter(key):
		return q.typed()
	case q.env.drafting():
		q.replies.marked = -1
	case q.env.Keys.Match(config.ActionDialogAccept, key), config.Types(key):
		return nil
	}
	return NotTaken{}
}

// typed gives a key to the prompt. What was marked is not any more: enter, at
// the end of what the person writes, must not give it.
func (q *question) typed() Action {
	q.replies.marked = -1
	q.env.Guard.Typed()
	return NotTaken{}
}

// letter reports whether a key types text, and is no number.
func letter(key string) bool {
	return config.Types(key) && (key < "0" || key > "9")
}

// Release implements [Guarded].
func (q *question) Release() (letter tea.KeyPressMsg, ok bool) {
	if q.letter.Code == 0 {
		return letter, false
	}
	letter = q.letter
	q.mark(-1)
	return letter, true
}

// mark marks a reply, -1 none.
func (q *question) mark(i int) { q.replies.marked, q.letter = i, tea.KeyPressMsg{} }

// move marks the next or the previous reply.
func (q *question) move(by int) {
	q.letter = tea.KeyPressMsg{}
	q.replies.move(by)
}

// choose gives a reply that was named by its number, or marks it if that is not
// enough for it.
func (q *question) choose(i int, key string) Action {
	if q.replies.list[i].grave || !q.viewed.complete() {
		q.mark(i)
		return nil
	}
	return q.give(q.replies.list[i], key)
}

// give gives a reply, if the person has seen what they are asked.
func (q *question) give(c reply, key string) Action {
	if !q.viewed.complete() {
		return nil
	}
	q.letter = tea.KeyPressMsg{}
	q.env.Guard.answer(key)
	return c.action
}

// closes reports whether the key is the one that closes dialogs.
func (q *question) closes(msg tea.KeyPressMsg) bool {
	key := msg.String()
	if !q.env.Keys.Match(config.ActionDialogClose, key) {
		return false
	}
	q.letter = tea.KeyPressMsg{}
	q.env.Guard.answer(key)
	return true
}

// Paste implements [Dialog]: pasted text is never an answer.
func (q *question) Paste(string) Action {
	return q.typed()
}

// Mouse implements [Dialog]: the wheel scrolls, and a click gives a reply.
func (q *question) Mouse(msg tea.MouseMsg, _, y int) Action {
	switch m := msg.(type) {
	case tea.MouseWheelMsg:
		q.scroll.Wheel(m)
	case tea.MouseClickMsg:
		if q.env.Guard.inert() {
			return NotTaken{}
		}
		if line, ok := q.placement.footLine(y); ok && m.Button == tea.MouseLeft && q.replies.laid.count == len(q.replies.list) {
			i := q.replies.at(line)
			if i >= 0 && !q.replies.list[i].off {
				return q.choose(i, "")
			}
			q.mark(i)
		}
	}
	return nil
}

// inertWords say why a dialog does not take keys yet.
const inertWords, inertBrief = "Pause typing to answer", "pause first"

// unseenWords say why a dialog takes no answer yet.
const unseenWords, unseenBrief = "Scroll to the end to answer", "scroll first"

// roomy is the height from which on there is room for empty lines.
const roomy = 14

// view draws the question: what it is about, and the replies below.
func (q *question) view(p panel, width, maxHeight int) View {
	p.th, p.scroll, p.shrink = q.env.Theme, &q.scroll, true
	if maxHeight >= roomy {
		p.head = append([]string{""}, p.head...)
	}
	if words := q.env.Guard.aside; words != "" {
		return q.viewAside(p, words, width, maxHeight)
	}
	w := inner(width, maxHeight)
	q.viewed.resize(width, maxHeight)
	q.foot(&p, w, true)
	unmoved := q.scroll.Top == q.begin
	if p.body != nil {
		if unmoved {
			p.start(width, maxHeight)
			q.begin = q.scroll.Top
		}
		p.begin = q.begin
		top := q.scroll.Top
		p.arrange(width, maxHeight)
		atEnd := q.scroll.End() == q.scroll.Len
		pins := p.pin(w)
		q.scroll.Top = top // there is less room now than it was fitted to
		if atEnd && pins > q.pins {
			q.scroll.Top += pins - q.pins // the end stays in sight
		}
		q.pins = pins
	}
	for {
		known := q.viewed.complete()
		inert := q.env.Guard.inert()
		p.focused, p.status, p.brief = !inert && known, "", ""
		switch {
		case inert:
			p.status, p.brief = inertWords, inertBrief
		case !known:
			p.status, p.brief = unseenWords, unseenBrief
		}
		q.foot(&p, w, !p.focused)
		v, place := p.view(width, maxHeight)
		q.placement = place
		q.viewed.note(&p, &q.replies, place, w)
		if unmoved {
			q.begin = q.scroll.Top // it is bounded now
		}
		if q.viewed.complete() == known {
			return v
		}
	}
}

// viewAside draws the question while keys go elsewhere. It may be small then, and
// what is seen of it counts for nothing.
func (q *question) viewAside(p panel, words string, width, maxHeight int) View {
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

// unseenHints say how the rest of a question gets into sight.
func (q *question) unseenHints(closing string) []Hint {
	var hints []Hint
	_, below := q.scroll.Hidden()
	switch s := &q.viewed; {
	case s.height <= 0 || !s.head || q.scroll.Height <= 0 && q.scroll.Len > 0:
		hints = append(hints, Hint{"", "enlarge the window to answer"})
	case !s.ended && below > 0:
		hints = q.env.hint(hints, config.ActionDialogPageDown, "scroll on to answer")
		if !q.env.drafts("end") {
			hints = append(hints, Hint{"end", "to the end"})
		}
	case !s.begun && q.scroll.Top > 0 && !q.env.drafts("home"):
		hints = append(hints, Hint{"home", "to the start"})
	case s.unseen > 0:
		hints = q.env.hint(hints, config.ActionDialogDown, "all answers")
	default:
		hints = append(hints, Hint{"", "enlarge the window to answer"})
	}
	return q.env.hint(hints, config.ActionDialogClose, closing)
}

// letters returns the letters of the answers that have no number, or "".
func (q *question) letters() string {
	const most = 3
	var keys []string
	for _, r := range q.replies.list[min(9, len(q.replies.list)):] {
		if key := r.key(); key != "" {
			keys = append(keys, key)
		}
	}
	if len(keys) > most {
		keys = append(keys[:most], "…")
	}
	return strings.Join(keys, " ")
}

// hints are the keys that every question knows. Closing means something else
// in each.
func (q *question) hints(closing string) []Hint {
	if q.env.Guard.inert() {
		return nil
	}
	var hints []Hint
	if !q.viewed.complete() {
		return q.unseenHints(closing)
	}
	alt := ""
	if q.env.drafting() {
		alt = "alt+"
	}
	if n := min(9, len(q.replies.list)); n == 1 {
		hints = append(hints, Hint{alt + "1", "answer"})
	} else if n > 1 {
		hints = append(hints, Hint{fmt.Sprintf("%s1-%d", alt, n), "answer"})
	}
	if keys := q.letters(); keys != "" && alt == "" {
		hints = append(hints, Hint{keys, "mark"})
	}
	if q.replies.marked >= 0 {
		hints = q.env.hint(hints, config.ActionDialogAccept, "give the marked answer")
	} else if len(q.replies.list) > 0 {
		hints = q.env.hint(hints, config.ActionDialogDown, "mark")
	}
	hints = q.env.hint(hints, config.ActionDialogClose, closing)
	if q.scroll.Scrolls() {
		hints = q.env.hint(hints, config.ActionDialogPageDown, "scroll")
	}
	return hints
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
	// warns says that more is a warning: how far the reply reaches.
	warns bool
	// keys give the reply at once; the first is shown.
	keys   []string
	action Action
	// off replies are visible but disabled.
	off bool
	// grave replies affect more than this question, or end something: a letter or
	// number only marks them.
	grave bool
}

// replies is a vertical list of numbered choices. None is marked at first, so that only
// a key meant for a choice selects one.
type replies struct {
	list   []reply
	marked int // -1: none

	laid replyLayout
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

// current returns the marked reply.
func (a *replies) current() (reply, bool) {
	if a.marked < 0 || a.marked >= len(a.list) {
		return reply{}, false
	}
	return a.list[a.marked], !a.list[a.marked].off
}

// byKey returns the position of the reply with a key, or -1. The key is its number, with
// or without alt, or one of its keys.
func (a *replies) byKey(key string) int {
	i := digit(strings.TrimPrefix(key, "alt+"))
	if i < 0 {
		i = slices.IndexFunc(a.list, func(c reply) bool { return slices.Contains(c.keys, key) })
	}
	if i < 0 || i >= len(a.list) || a.list[i].off {
		return -1
	}
	return i
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
	if inert {
		faint := th.DialogInert
		return replyLooks{faint, faint, faint, faint, faint, faint}
	}
	l := replyLooks{th.Accent, th.Muted, th.Key, t.style(th), th.Choice, th.Faint}
	if marked {
		l.number, l.name = th.Accent, th.Strong
	}
	return l
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

	keys    int   // the width of the column of keys
	heights []int // of each reply while it is not marked
	starts  []int // the first line of each, and at the end the number of lines
}

// layout updates the layout.
func (a *replies) layout(width int) *replyLayout {
	l := &a.laid
	on := termtext.NewLayout(width)
	if l.starts != nil && l.on == on && l.count == len(a.list) {
		if l.marked != a.marked {
			l.marked = a.marked
			a.stack()
		}
		return l
	}
	*l = replyLayout{on: on, width: width, marked: a.marked, count: len(a.list)}
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
	l, line := &a.laid, 0
	l.starts = make([]int, len(a.list)+1)
	for i, n := range l.heights {
		l.starts[i] = line
		if i == l.marked {
			name, more := a.text(i, true)
			n = len(name) + len(more)
		}
		line += n
	}
	l.starts[len(a.list)] = line
}

// indent returns the width in front of the name of a reply.
func (a *replies) indent(c reply) int {
	n := 5 // the pointer, the number and blanks
	if a.laid.keys > 0 {
		n += a.laid.keys + 2
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
	room := max(leastName, a.laid.width-a.indent(c))
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
	l := a.layout(p.width)
	return l.starts[len(a.list)]
}

func (a replyList) lines(p renderContext, from, to int) []string {
	l := a.layout(p.width)
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
	l := looks(th, c.tone, i == a.marked, a.inert || c.off)
	if c.warns && !a.inert && !c.off {
		l.more = th.Warning
	}
	number, pointer := " ", " "
	if i < 9 {
		number = strconv.Itoa(i + 1)
	}
	if i == a.marked {
		pointer = "❯"
	}
	lead := l.pointer.Render(pointer) + " " + l.number.Render(number) + "  "
	if a.laid.keys > 0 {
		lead += l.key.Render(pad(c.key(), a.laid.keys)) + "  "
	}
	if c.icon != "" {
		lead += l.icon.Render(c.icon) + " "
	}
	lead = cut(lead, max(0, p.width-leastName))
	name, more := a.text(i, i == a.marked)
	lines := append(styled(name, l.name), styled(more, l.more)...)
	if c.more != "" && more == nil {
		lines[len(lines)-1] += "  " + l.more.Render(c.more)
	}
	return hang(lead, strings.Repeat(" ", termtext.Width(lead)), lines)
}

// markedAt returns the line on which the marked reply begins, 0 if none is marked.
func (a *replies) markedAt(width int) int {
	if a.marked < 0 {
		return 0
	}
	return a.layout(width).starts[a.marked]
}

// at returns the position of the reply on a line of the last layout.
func (a *replies) at(line int) int {
	return sort.Search(len(a.list), func(i int) bool { return a.laid.starts[i] > line }) - 1
}

// vital is content that a person must see to know what they are asked. Its first and last
// line must be seen before the question takes an answer.
type vital struct{ content }

// firstChange is the line of a content on which the first change of a file begins; 0 if
// there is none, or something vital above it.
func firstChange(c content, p renderContext) int {
	line, _ := findChange(c, p)
	return max(0, line)
}

// findChange is firstChange for a part of a question, -1 if it has no change; on says
// that a change may still follow.
func findChange(c content, p renderContext) (line int, on bool) {
	switch c := c.(type) {
	case vital:
		return -1, false
	case *change:
		return c.head.height(p) + c.diff.firstChange(p), false
	case column:
		at := 0
		for _, part := range c {
			line, on := findChange(part, p)
			if line >= 0 {
				return at + line, false
			}
			if !on {
				return -1, false
			}
			at += part.height(p)
		}
	}
	return -1, true
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

// viewed tracks which parts of a question the person has seen: the vital lines, and the
// first line of every answer. It restarts when the panel is resized.
type viewed struct {
	width, height int

	head, begun, ended bool
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
	s.begun = s.begun || end == 0 || from <= p.begin && p.begin < to
	s.ended = s.ended || end == 0 || from < to && end <= to
	if a == nil || p.foot == nil {
		return
	}
	if len(s.answers) != len(a.list) {
		s.answers, s.unseen = make([]bool, len(a.list)), len(a.list)
	}
	for i := max(0, a.at(place.footFrom)); i < len(a.list) && a.laid.starts[i] < place.footTo; i++ {
		if a.laid.starts[i] >= place.footFrom && !s.answers[i] {
			s.answers[i] = true
			s.unseen--
		}
	}
}
