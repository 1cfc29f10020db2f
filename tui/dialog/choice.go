package dialog

import (
	"slices"
	"strings"

	"charm.land/lipgloss/v2"

	"parley/tui/theme"
)

// tone is what a choice means, and so how its icon looks.
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

// reply is one thing that can be answered: it has a number, and perhaps a key.
type reply struct {
	icon string
	tone tone
	// name is safe to be drawn; it may be long. more tells apart what has the
	// same name.
	name, more string
	// warns says that more is a warning: how far the reply reaches.
	warns bool
	// keys answer with it at once; the first is shown.
	keys   []string
	action Action
	// off replies are seen and cannot be given.
	off bool
	// grave replies reach further than this one question, or end something: a
	// letter or a number only marks them.
	grave bool
}

// replies are numbered choices below each other. None is marked at first, so
// that only a key meant for a choice takes one.
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

// current is the marked reply.
func (a *replies) current() (reply, bool) {
	if a.marked < 0 || a.marked >= len(a.list) {
		return reply{}, false
	}
	return a.list[a.marked], !a.list[a.marked].off
}

// byKey is the position of the reply that a key stands for, -1 if there is none:
// its number, with alt or without, or a key of its own.
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

// key is the key to show, "" if there is none.
func (c reply) key() string {
	if len(c.keys) > 0 {
		return c.keys[0]
	}
	return ""
}

// digit is the position that a number key stands for, -1 if it is another key.
func digit(key string) int {
	if len(key) == 1 && key[0] >= '1' && key[0] <= '9' {
		return int(key[0] - '1')
	}
	return -1
}

// leastName is the width that a name gets, whatever else has to go.
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
