package dialog

import (
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/config"
	"parley/tui/theme"
)

// question is what all guarded dialogs with numbered replies have in common.
type question struct {
	env     Env
	replies replies
	scroll  scroller
	place   placement
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
	q.env.Guard.Typed()
	return true
}

// take takes the keys that every question knows; taken is false for others.
func (q *question) take(msg tea.KeyPressMsg) (a Action, taken bool) {
	if q.held() {
		return NotTaken{}, true
	}
	key := msg.String()
	if c, ok := q.replyTo(key); ok {
		if msg.IsRepeat {
			return nil, true // a key held down answers nothing
		}
		q.env.Guard.answer(key)
		return c.action, true
	}
	switch keys := q.env.Keys; {
	case keys.Match(config.ActionDialogUp, key):
		q.replies.move(-1)
	case keys.Match(config.ActionDialogDown, key):
		q.replies.move(1)
	default:
		return nil, q.scroll.key(keys, key)
	}
	return nil, true
}

// stray is what becomes of a key that means nothing to the question. One that
// types text begins a prompt: it is not the question's, and neither are those
// behind it until the person pauses, or the letters of a word would answer. A
// digit is an answer that is not there.
func (q *question) stray(msg tea.KeyPressMsg) Action {
	key := msg.String()
	if !config.Types(key) || key >= "0" && key <= "9" {
		return nil
	}
	q.env.Guard.Typed()
	return NotTaken{}
}

// closes reports whether the key is the one that closes dialogs.
func (q *question) closes(msg tea.KeyPressMsg) bool {
	key := msg.String()
	if !q.env.Keys.Match(config.ActionDialogClose, key) {
		return false
	}
	q.env.Guard.answer(key)
	return true
}

// replyTo is the reply that a key gives: by its number, by a key of its own,
// or, once one is marked, by the key that accepts.
func (q *question) replyTo(key string) (reply, bool) {
	if q.env.Keys.Match(config.ActionDialogAccept, key) {
		return q.replies.current()
	}
	return q.replies.byKey(key)
}

// Paste implements [Dialog]: pasted text is never an answer.
func (q *question) Paste(string) Action {
	q.held()
	return NotTaken{}
}

// Mouse implements [Dialog]: the wheel scrolls, a click marks a reply.
func (q *question) Mouse(msg tea.MouseMsg, _, y int) Action {
	switch m := msg.(type) {
	case tea.MouseWheelMsg:
		q.scroll.wheel(m)
	case tea.MouseClickMsg:
		if q.env.Guard.inert() {
			return NotTaken{}
		}
		if line, ok := q.place.footLine(y); ok && m.Button == tea.MouseLeft {
			q.replies.marked = q.replies.at(line)
		}
	}
	return nil
}

// inertWords say why a dialog does not take keys yet.
const inertWords = "takes no keys until you pause"

// roomy is the height from which on there is room for empty lines.
const roomy = 14

// view draws the question: what it is about, and the replies below.
func (q *question) view(p panel, width, maxHeight int) View {
	inert := q.env.Guard.inert()
	p.th, p.lit, p.scroll, p.snug = q.env.Theme, !inert, &q.scroll, true
	if maxHeight >= roomy {
		p.head = append([]string{""}, p.head...)
	}
	if inert {
		p.status = inertWords
	}
	if len(q.replies.list) > 0 {
		p.foot, p.keep = q.replies.draw(inner(width, maxHeight), inert, p.th)
	}
	v, place := p.view(width, maxHeight)
	q.place = place
	return v
}

// hints are the keys that every question knows. Closing means something else
// in each.
func (q *question) hints(closing string) []Hint {
	if q.env.Guard.inert() {
		return nil
	}
	var hints []Hint
	if n := min(9, len(q.replies.list)); n == 1 {
		hints = append(hints, Hint{"1", "answer"})
	} else if n > 1 {
		hints = append(hints, Hint{fmt.Sprintf("1-%d", n), "answer"})
	}
	if q.replies.marked >= 0 {
		hints = q.env.hint(hints, config.ActionDialogAccept, "take the marked one")
	} else if len(q.replies.list) > 0 {
		hints = q.env.hint(hints, config.ActionDialogDown, "mark")
	}
	hints = q.env.hint(hints, config.ActionDialogClose, closing)
	if q.scroll.scrolls() {
		hints = q.env.hint(hints, config.ActionDialogPageDown, "scroll")
	}
	return hints
}
