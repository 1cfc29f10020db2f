package tab

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/tui/dialog"
)

// types types words with a pause behind each key.
func (b *bench) types(words string, pause time.Duration) {
	for _, r := range words {
		b.press(string(r))
		b.passes(pause)
	}
}

// passes lets time pass, and the timer of a held key with it.
func (b *bench) passes(d time.Duration) {
	b.clock = b.clock.Add(d)
	b.Update(then(b.held.Settle))
}

// asksAll is a permission with an option of every kind.
func asksAll(b *bench) {
	title := "Launch"
	b.events(conversation.PromptSent{At: b.clock}, conversation.PermissionOpened{ID: 1, Request: &acpclient.RequestPermissionRequest{
		ToolCall: acpclient.ToolCallUpdate{ToolCallID: "t", Title: &title},
		Options: []acpclient.PermissionOption{
			{OptionID: "always", Name: "Always allow it", Kind: acpclient.AllowAlways},
			{OptionID: "yes", Name: "Allow it", Kind: acpclient.AllowOnce},
			{OptionID: "no", Name: "Reject it", Kind: acpclient.RejectOnce},
			{OptionID: "never", Name: "Always reject it", Kind: acpclient.RejectAlways},
		},
	}})
	b.draw()
}

// What is typed at a question that has been open for long goes to the prompt, letter
// for letter, and answers nothing.
func TestWordsAnswerNoQuestion(t *testing.T) {
	for _, words := range []string{"actually no", "also check", "yes please", "no wait", "don't", "is it", "keep going", "quick question"} {
		for _, pause := range []time.Duration{20 * time.Millisecond, 200 * time.Millisecond} {
			t.Run(words+" "+pause.String(), func(t *testing.T) {
				b := newBench(t, t.TempDir())
				asksAll(b)
				b.passes(3 * time.Second)
				b.types(words, pause)
				b.passes(3 * time.Second)
				b.mustShow(t, "❯ "+words, "Always allow it")
			})
		}
	}
}

// While the prompt holds text, however slowly it is written, letters and digits are
// the prompt's, and enter gives nothing that a letter could have marked.
func TestADraftTakesLettersAndDigits(t *testing.T) {
	const words = "a 1 y2 n3 d and so on"
	b := newBench(t, t.TempDir())
	b.types("x", time.Second)
	asksAll(b)
	b.passes(3 * time.Second)
	b.types(words, time.Second)
	b.mustShow(t, "❯ x"+words, "Always allow it")
	if got := b.dialogs.Top().Key(keyPress("enter")); got != (dialog.NotTaken{}) {
		t.Errorf("enter did %#v", got)
	}
	if got := b.dialogs.Top().Key(tea.KeyPressMsg{Code: '2', Mod: tea.ModAlt}); got != (dialog.Answer{ID: 1, Option: "yes"}) {
		t.Errorf("alt+2 did %#v", got)
	}
}

// A letter that nothing follows is an answer; an always is only marked by it, and
// is not marked any more when a word follows.
func TestAMarkEndsWhenAWordBegins(t *testing.T) {
	b := newBench(t, t.TempDir())
	asksAll(b)
	b.passes(3 * time.Second)
	b.types("a", time.Second)
	b.mustShow(t, "❯ 1", "Always allow it")
	b.types("lso", time.Second)
	b.mustNotShow(t, "❯ 1")
	b.mustShow(t, "❯ lso")
	if got := b.dialogs.Top().Key(keyPress("enter")); got != (dialog.NotTaken{}) {
		t.Errorf("enter did %#v", got)
	}
}

func TestTheKeyThatAcceptsBehindALetterDoesNothing(t *testing.T) {
	b := newBench(t, t.TempDir())
	asksAll(b)
	b.passes(3 * time.Second)
	b.press("y", "enter")
	b.passes(time.Second)
	b.mustShow(t, "❯ y", "Always allow it")
}

// A letter whose question is gone before it could answer is not lost.
func TestALetterOutlivesItsQuestion(t *testing.T) {
	b := newBench(t, t.TempDir())
	asksAll(b)
	b.passes(3 * time.Second)
	b.press("y")
	b.events(conversation.PermissionClosed{ID: 1})
	b.passes(time.Second)
	b.mustShow(t, "❯ y")
	b.mustNotShow(t, "Always allow it")
}

// Stopping the agent and leaving parley take two keys, and no words.
func TestWordsNeitherStopNorLeave(t *testing.T) {
	for _, tt := range []struct {
		words, key string
		ask        func(b *bench)
	}{
		{"keep going", "k", func(b *bench) { b.ending.AskToStop() }},
		{"quick question", "q", func(b *bench) { b.AskToLeave([]string{"this one"}) }},
	} {
		for _, pause := range []time.Duration{50 * time.Millisecond, 700 * time.Millisecond} {
			t.Run(tt.words+" "+pause.String(), func(t *testing.T) {
				b := newBench(t, t.TempDir())
				b.events(conversation.PromptSent{At: b.clock}, conversation.CancelRequested{At: b.clock})
				tt.ask(b)
				b.draw()
				b.passes(3 * time.Second)
				b.types(tt.words, pause)
				b.passes(3 * time.Second)
				question := b.dialogs.Top()
				if question == nil {
					t.Fatal("the question was answered")
				}
				if got := question.Key(keyPress("enter")); got != (dialog.NotTaken{}) {
					t.Errorf("enter did %#v", got)
				}
				if typed := strings.TrimPrefix(tt.words, tt.key); !strings.Contains(b.screen(), typed) {
					t.Errorf("the prompt lacks %q:\n%s", typed, b.screen())
				}
			})
		}
		t.Run(tt.key+" and enter", func(t *testing.T) {
			b := newBench(t, t.TempDir())
			b.events(conversation.PromptSent{At: b.clock}, conversation.CancelRequested{At: b.clock})
			tt.ask(b)
			b.draw()
			b.passes(3 * time.Second)
			b.types(tt.key, time.Second)
			if _, ok := b.dialogs.Top().Key(keyPress("enter")).(dialog.Do); !ok {
				t.Error("it was not given")
			}
		})
	}
}

// A question that takes the place of one that the agent has taken back was not what
// a key on its way was meant for.
func TestAQuestionInThePlaceOfAnotherIsInertForLonger(t *testing.T) {
	b := newBench(t, t.TempDir())
	b.events(conversation.PromptSent{At: b.clock}, permissionEvent(1, "First"), permissionEvent(2, "Second"))
	b.draw()
	b.passes(3 * time.Second)
	b.events(conversation.PermissionClosed{ID: 1})
	b.mustShow(t, "Second", "has taken its question back")
	b.passes(dialog.LookTime + 100*time.Millisecond)
	if got := b.dialogs.Top().Key(keyPress("1")); got != (dialog.NotTaken{}) {
		t.Errorf("1 did %#v", got)
	}
	b.passes(dialog.ReplaceTime)
	b.draw()
	if got := b.dialogs.Top().Key(keyPress("1")); got != (dialog.Answer{ID: 2, Option: "yes"}) {
		t.Errorf("later, 1 did %#v", got)
	}
}

// One that the person has answered is not said to be taken back.
func TestAnAnsweredQuestionIsNotSaidToBeTakenBack(t *testing.T) {
	b := newBench(t, t.TempDir())
	b.events(conversation.PromptSent{At: b.clock}, permissionEvent(1, "First"), permissionEvent(2, "Second"))
	b.draw()
	b.passes(3 * time.Second)
	b.dialogs.Top().Key(keyPress("1"))
	b.events(conversation.PermissionClosed{ID: 1})
	b.mustNotShow(t, "has taken its question back")
	if in := b.ArmsIn(); in > dialog.LookTime {
		t.Errorf("the next one takes keys in %v", in)
	}
}
