package tab

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"pgregory.net/rapid"

	"parley/acpclient"
	"parley/internal/app"
	"parley/internal/conversation"
	"parley/internal/session"
	"parley/internal/test"
	"parley/tui/dialog"
)

// hosted is a session that several viewers look at, each as far as its events have come. It
// knows what each has had in sight, and since when.
type hosted struct {
	t       *rapid.T
	conv    *conversation.Conversation
	viewers []*viewing
	asks    map[int]string // what each question asks now
	given   int
}

// viewing is a viewer of a hosted session.
type viewing struct {
	app.Session
	*bench
	of   *hosted
	late []conversation.Event // those on their way
	// since is when each command came in sight, while it is there.
	since map[string]time.Time
}

// say adds an event, which the viewers have yet to get.
func (h *hosted) say(e conversation.Event) {
	h.conv.Apply(e)
	for _, v := range h.viewers {
		v.late = append(v.late, e)
	}
}

// Perform takes answers as a session does. Other acts are no matter here.
func (v *viewing) Perform(_ context.Context, c session.Call) error {
	switch a := c.Act().(type) {
	case session.Answer:
		return v.answer(a.Question, a.Option)
	}
	return nil
}

// Begin implements [session.Doer].
func (v *viewing) Begin(c session.Call) (func(context.Context) error, error) {
	return nil, v.Perform(context.Background(), c)
}

// answer fails the test if the viewer had not seen what is allowed for long enough.
func (v *viewing) answer(q conversation.Seen, option acpclient.PermissionOptionID) error {
	h := v.of
	switch open := h.conv.Question(q.ID); {
	case open == nil || !h.conv.Asks(open):
		return session.ErrAnswered
	case open.Now() != q:
		return session.ErrChanged
	}
	command := h.asks[q.ID]
	if since, seen := v.since[command]; !seen || v.clock.Sub(since) < dialog.LookTime {
		h.t.Fatalf("%q was answered, in sight since %v:\n%s", command, v.clock.Sub(since), v.screen())
	}
	h.given++
	h.say(conversation.QuestionClosed{ID: q.ID, Outcome: acpclient.PermissionSelected(option), At: v.clock})
	return nil
}

// look draws the screen, and notes which commands are in sight.
func (v *viewing) look() {
	s := v.screen()
	seen := map[string]time.Time{}
	for _, line := range strings.Split(s, "\n") {
		if _, command, found := strings.Cut(line, "│  $ "); found {
			command = strings.TrimRight(strings.TrimRight(command, "│"), " ")
			if seen[command] = v.clock; !v.since[command].IsZero() {
				seen[command] = v.since[command]
			}
		}
	}
	v.since = seen
}

// Whatever agents change, repeat, withdraw and replace, and whatever several users press, paste
// and click, at any pace and over links of any speed: nothing is allowed that was not in sight,
// and no letter is lost.
func TestNothingUnseenIsAllowed(t *testing.T) {
	test.Checks(t, 60) // of many steps each
	dir, given := t.TempDir(), 0
	rapid.Check(t, func(rt *rapid.T) {
		h := &hosted{t: rt, conv: conversation.New(), asks: map[int]string{}}
		start := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
		for range rapid.IntRange(1, 2).Draw(rt, "viewers") {
			v := &viewing{of: h, bench: newBench(t, dir)}
			v.Session = newSession(dir, noMachine{})
			v.has(v)
			v.opens()
			h.viewers = append(h.viewers, v)
		}
		h.say(conversation.PromptSent{At: start})
		commands, questions := 0, 0
		input := func(id int) []byte {
			commands++
			h.asks[id] = fmt.Sprintf("run c%03d", commands)
			return []byte(`{"command":"` + h.asks[id] + `"}`)
		}
		call := func(id int) acpclient.ToolCallID { return acpclient.ToolCallID(fmt.Sprint("t", id)) }
		ask := func() {
			questions++
			kind := acpclient.ToolExecute
			h.say(conversation.PermissionOpened{ID: questions, At: start, Request: &acpclient.RequestPermissionRequest{
				ToolCall: acpclient.ToolCallUpdate{ToolCallID: call(questions), Kind: &kind, RawInput: input(questions)},
				Options: []acpclient.PermissionOption{
					{OptionID: "yes", Name: "Allow it", Kind: acpclient.AllowOnce},
					{OptionID: "always", Name: "Always allow it", Kind: acpclient.AllowAlways},
					{OptionID: "no", Name: "Reject it", Kind: acpclient.RejectOnce},
				},
			}})
		}
		open := func() *conversation.Permission {
			if len(test.Permissions(h.conv)) == 0 {
				return nil
			}
			return test.Permissions(h.conv)[rapid.IntRange(0, len(test.Permissions(h.conv))-1).Draw(rt, "question")]
		}
		change := func(p *conversation.Permission, raw []byte) {
			h.say(conversation.Update{Update: &acpclient.ToolCallUpdate{ToolCallID: call(p.ID), RawInput: raw}, At: start})
		}
		for range 60 {
			v := h.viewers[rapid.IntRange(0, len(h.viewers)-1).Draw(rt, "viewer")]
			switch step := rapid.SampledFrom([]string{"ask", "change", "repeat", "withdraw", "replace", "hear", "hear", "hear", "wait", "wait", "key", "key", "key", "key", "twice", "twice", "paste", "click", "click"}).Draw(rt, "step"); step {
			case "ask":
				ask()
			case "change":
				if p := open(); p != nil {
					change(p, input(p.ID))
				}
			case "repeat":
				if p := open(); p != nil {
					change(p, []byte(`{"command": "`+h.asks[p.ID]+`"}`))
				}
			case "withdraw", "replace":
				if p := open(); p != nil {
					h.say(conversation.QuestionClosed{ID: p.ID, Outcome: acpclient.PermissionCancelled, At: start})
				}
				if step == "replace" {
					ask()
				}
			case "hear":
				n := rapid.IntRange(0, len(v.late)).Draw(rt, "events")
				batch := slices.Clone(v.late[:n])
				v.late = v.late[n:]
				v.events(batch...)
			case "wait":
				pause := time.Duration(rapid.SampledFrom([]int{10, 100, 300, 449, 500, 1000, 2000}).Draw(rt, "ms")) * time.Millisecond
				for _, o := range h.viewers {
					o.clock = o.clock.Add(pause)
					o.look()
					o.Due()
					o.look()
				}
			case "key", "twice":
				key := rapid.SampledFrom([]string{"1", "2", "3", "y", "a", "n", "x", ":", "space", "enter", "enter", "up", "down", "backspace", "pgdown", "left", "right", "esc"}).Draw(rt, "key")
				v.presses(key)
				if step == "twice" {
					v.look()
					v.presses(key)
				}
			case "paste":
				v.Update(tea.PasteMsg{Content: "1"})
			case "click":
				rows := strings.Split(v.screen(), "\n")
				y := slices.IndexFunc(rows, func(l string) bool { return strings.Contains(l, "✓ Allow it") })
				if y < 0 {
					y = rapid.IntRange(0, len(rows)-1).Draw(rt, "row")
				}
				v.Update(tea.MouseClickMsg{Button: tea.MouseLeft, X: 10, Y: y})
			}
			v.look()
		}
		v := h.viewers[0] // who answers in the end what is in sight, so that some runs allow something
		v.events(v.late...)
		v.late = nil
		for range 2 {
			v.clock = v.clock.Add(2 * time.Second)
			v.look()
			v.Due()
		}
		for range 2 {
			v.look()
			v.presses("enter")
		}
		given += h.given
	})
	if given == 0 {
		t.Error("nothing was ever allowed: this test tells nothing")
	}
}

// presses presses a key. A letter marks, gives, writes, or a reason is shown.
func (v *viewing) presses(key string) {
	before, text, given := v.screen(), v.composer.Text(), v.of.given
	bounces := v.program.Guard.Repeats(key)
	v.press(key)
	letter := (key == "x" || key == ":") && !v.reads()
	if letter && !bounces && v.composer.Text() == text && v.of.given == given && v.screen() == before {
		v.of.t.Fatalf("%s did nothing:\n%s", key, before)
	}
}
