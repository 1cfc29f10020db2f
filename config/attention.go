package config

import "slices"

// When says whether the person is told of what happens.
type When string

// WhenUnfocused tells only while the terminal has said that it is not focused.
const (
	WhenUnfocused When = "unfocused"
	WhenAlways    When = "always"
	WhenNever     When = "never"
)

// Notice is a way of the terminal to call the person.
type Notice string

// NoticeAuto is the way that the terminal is known to have, else the bell.
const (
	NoticeAuto   Notice = "auto"
	NoticeOSC9   Notice = "osc9"
	NoticeOSC777 Notice = "osc777"
	NoticeOSC99  Notice = "osc99"
	NoticeBell   Notice = "bell"
	NoticeNone   Notice = "none"
)

// Happening is what the person is told of.
type Happening string

// A turn has ended; a question waits for an answer; the agent has gone.
const (
	HappeningTurn     Happening = "turn"
	HappeningQuestion Happening = "question"
	HappeningLost     Happening = "lost"
)

// Attention says how the person is told of what happens while they look elsewhere.
type Attention struct {
	When   When
	On     []Happening
	Notify Notice
	// Command, if not empty, is a program of the person's and its arguments, run as well.
	Command []string
	// NoTitle leaves the title of the window alone.
	NoTitle bool
	// Progress is shown by the terminal: nil where it is known to be able to.
	Progress *bool
}

// DefaultAttention is the Attention of a person who has said nothing about it.
func DefaultAttention() Attention {
	return Attention{When: WhenUnfocused, On: []Happening{HappeningTurn, HappeningQuestion, HappeningLost}, Notify: NoticeAuto}
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
		what := Happening(text)
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
