package dialog

import (
	"slices"
	"strings"

	"charm.land/lipgloss/v2"

	"parley/tui/theme"
)

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
