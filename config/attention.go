package config

import "slices"

// When says when to notify the user.
type When string

// WhenUnfocused notifies only while the terminal reports that it has no focus.
const (
	WhenUnfocused When = "unfocused"
	WhenAlways    When = "always"
	WhenNever     When = "never"
)

// Notice is the terminal's means of notifying the user.
type Notice string

// NoticeAuto is what the terminal is known to support, else the bell.
const (
	NoticeAuto   Notice = "auto"
	NoticeOSC9   Notice = "osc9"
	NoticeOSC777 Notice = "osc777"
	NoticeOSC99  Notice = "osc99"
	NoticeBell   Notice = "bell"
	NoticeNone   Notice = "none"
)

// AttentionEvent is an event to notify the user of.
type AttentionEvent string

// A turn has ended; a question waits for an answer; the agent has exited.
const (
	HappeningTurn     AttentionEvent = "turn"
	HappeningQuestion AttentionEvent = "question"
	HappeningLost     AttentionEvent = "lost"
)

// Attention configures how to notify users who look elsewhere.
type Attention struct {
	When   When
	On     []AttentionEvent
	Notify Notice
	// Command, if not empty, is a program of the user's, with arguments, to run as
	// well.
	Command []string
	// NoTitle keeps the title of the window unchanged.
	NoTitle bool
	// Progress shows progress in the terminal; nil means where it is known to be
	// supported.
	Progress *bool
}

// DefaultAttention returns the default.
func DefaultAttention() Attention {
	return Attention{When: WhenUnfocused, On: []AttentionEvent{HappeningTurn, HappeningQuestion, HappeningLost}, Notify: NoticeAuto}
}

// attention reads [attention].
func (t *table) attention() Attention {
	a := DefaultAttention()
	in, ok := t.child("attention")
	if !ok {
		return a
	}
	a.When = oneOf(in, "when", a.When, WhenUnfocused, WhenAlways, WhenNever)
	a.Notify = oneOf(in, "notify", a.Notify, NoticeAuto, NoticeOSC9, NoticeOSC777, NoticeOSC99, NoticeBell, NoticeNone)
	if in.has("on") {
		a.On = nil
	}
	for _, text := range in.texts("on", true) {
		what := AttentionEvent(text)
		if !slices.Contains(DefaultAttention().On, what) {
			in.fail("on", didYouMean(text, []string{"turn", "question", "lost"}, "known"), "cannot have %q", text)
		}
		a.On = append(a.On, what)
	}
	a.Command = in.texts("command", false)
	if in.has("command") && len(a.Command) > 0 && a.Command[0] == "" {
		in.fail("command", "name a program first", "is empty")
	}
	a.NoTitle = in.off("title")
	if in.has("progress") {
		on := in.flag("progress")
		a.Progress = &on
	}
	in.done()
	return a
}

// oneOf reads one of a few words.
func oneOf[T ~string](t *table, key string, unset T, known ...T) T {
	text := t.text(key)
	if !t.has(key) || slices.Contains(known, T(text)) {
		if text == "" {
			return unset
		}
		return T(text)
	}
	all := make([]string, len(known))
	for i, k := range known {
		all[i] = string(k)
	}
	if _, isText := t.values[key].(string); isText {
		t.fail(key, didYouMean(text, all, "known"), "cannot be %q", text)
	}
	return unset
}
