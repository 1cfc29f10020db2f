package tab

import (
	"errors"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/internal/command"
	"parley/internal/conversation"
)

// What is said stays until its own time is over: the end of what was said before it does
// not take it away.
func TestSay(t *testing.T) {
	runBench(t, func(t *testing.T, b *bench) {
		first := b.say("first")
		second := b.sayIf(errors.New("it said \x1b]0;owned\x07so"))
		if b.sayIf(nil) != nil || strings.ContainsRune(b.toast.text, '\x1b') || !strings.Contains(b.toast.text, "so") {
			t.Errorf("%q is said", b.toast.text)
		}
		over := func(cmd tea.Cmd) { cmd().(then)() }
		if over(first); b.toast.text == "" {
			t.Error("the end of the first took the second away")
		}
		if over(second); b.toast.text != "" {
			t.Errorf("%q is still said", b.toast.text)
		}
	})
}

// A toast goes as soon as it is no longer true, and another one has nothing to do with it.
func TestAToastThatIsNoLongerTrue(t *testing.T) {
	runBench(t, func(t *testing.T, b *bench) {
		b.composer.SetText("a draft")
		b.press("ctrl+d")
		b.mustShow(t, "ctrl+d quits when the draft is empty: ctrl+c clears it")
		b.press("ctrl+c")
		b.mustNotShow(t, "when the draft is empty")
		b.composer.SetText("another")
		b.mustNotShow(t, "when the draft is empty")
		b.say("something else")
		b.mustShow(t, "something else")
	})
}

// That the queue is empty is said until it is not.
func TestTheEmptyQueue(t *testing.T) {
	runBench(t, func(t *testing.T, b *bench) {
		b.work(t)
		b.shared(command.Queue)
		b.mustShow(t, "The queue is empty")
		b.enqueue("next")
		b.mustNotShow(t, "The queue is empty")
	})
}

// A hint that a second press does something goes when that press would do something else.
func TestTheSecondPressIsHintedWhileItCounts(t *testing.T) {
	turn := conversation.PromptSent{Prompt: []acpclient.ContentBlock{acpclient.TextBlock("go")}}
	for key, hint := range map[string]string{"ctrl+c": "again: quit", "esc": "again: edit the last prompt"} {
		for name, other := range map[string]func(*bench){
			"a draft": func(b *bench) { b.composer.SetText("a draft") },
			"a turn":  func(b *bench) { b.events(turn) },
		} {
			runBench(t, func(t *testing.T, b *bench) {
				b.ready()
				b.events(turn, conversation.TurnEnded{Reason: acpclient.StopEndTurn})
				b.press(key)
				b.mustShow(t, hint)
				other(b)
				if strings.Contains(b.screen(), hint) {
					t.Errorf("%s: with %s, the screen says %q", key, name, hint)
				}
			})
		}
	}
}

func TestTell(t *testing.T) {
	runBench(t, func(t *testing.T, b *bench) {
		b.tell("Nothing was merged", "there is no branch")
		b.MustSay("Nothing was merged")
		b.MustSay("there is no branch")
		if b.Choose("Close"); !b.dialogs.Empty() {
			t.Errorf("it stays:\n%s", b.Screen())
		}
	})
}

// A command that has nothing to follow brings no message, and so nothing is drawn again.
func TestBeside(t *testing.T) {
	if msg := inBackground(func() then { return nil })(); msg != nil {
		t.Errorf("%T came of nothing", msg)
	}
	runBench(t, func(t *testing.T, b *bench) {
		began := time.Now()
		b.Do(inBackground(func() then { return func() tea.Cmd { return b.say("done") } }))
		b.MustSay("done")
		if time.Since(began) != 0 {
			t.Error("it waited for something")
		}
	})
}
