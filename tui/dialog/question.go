package dialog

import (
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/config"
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
		if line, ok := q.placement.footLine(y); ok && m.Button == tea.MouseLeft && q.replies.drawn() {
			return q.click(q.replies.at(line))
		}
	}
	return nil
}

// click gives the reply that was clicked, or marks it if that is not enough for it.
func (q *question) click(i int) Action {
	if i < 0 || q.replies.list[i].off {
		q.mark(i)
		return nil
	}
	return q.choose(i, "")
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
	if len(q.replies.list) > 0 {
		p.foot, p.keep = replyList{&q.replies, true}, q.replies.markedAt(w)
	}
	unmoved := q.scroll.Top == q.begin
	if p.body != nil {
		if unmoved {
			p.start(width, maxHeight)
			q.begin = q.scroll.Top
		}
		p.begin = q.begin
		top := q.scroll.Top
		p.fit(width, maxHeight)
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
		if len(q.replies.list) > 0 {
			p.foot, p.keep = replyList{&q.replies, !p.focused}, q.replies.markedAt(w)
		}
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
	if len(q.replies.list) > 0 {
		p.foot, p.keep = replyList{&q.replies, true}, q.replies.markedAt(inner(width, maxHeight))
	}
	v, place := p.view(width, maxHeight)
	q.placement = place
	return v
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
