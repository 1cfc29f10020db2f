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

// passes lets time pass, and draws the screen.
func (b *bench) passes(d time.Duration) {
	b.clock = b.clock.Add(d)
	b.draw()
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
// for letter, and answers nothing, however slowly it is typed.
func TestWordsAnswerNoQuestion(t *testing.T) {
	for _, words := range []string{"actually no", "also check", "yes please", "no wait", "don't", "is it", "keep going", "quick question"} {
		for _, pause := range []time.Duration{20 * time.Millisecond, 50 * time.Millisecond, 300 * time.Millisecond, 500 * time.Millisecond, time.Minute} {
			t.Run(words+" "+pause.String(), func(t *testing.T) {
				b := newBench(t, t.TempDir())
				asksAll(b)
				b.passes(3 * time.Second)
				b.types(words, pause)
				b.passes(3 * time.Second)
				b.mustShow(t, "❯ "+words, "Always allow it")
				b.mustNotShow(t, "❯ 1")
				b.mustNotShow(t, "❯ 2")
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

// A letter marks an answer, which the key that accepts gives; the answer is not marked any
// more when a word follows.
func TestAMarkEndsWhenAWordBegins(t *testing.T) {
	b := newBench(t, t.TempDir())
	asksAll(b)
	b.passes(3 * time.Second)
	b.types("a", time.Second)
	b.mustShow(t, "❯ 1", "Always allow it", "enter give the marked answer")
	if c := b.draw().Cursor; c != nil {
		t.Errorf("the question has the focus, and the cursor is at %v", c)
	}
	b.types("lso", time.Second)
	b.mustNotShow(t, "❯ 1")
	b.mustShow(t, "❯ also")
	if got := b.dialogs.Top().Key(keyPress("enter")); got != (dialog.NotTaken{}) {
		t.Errorf("enter did %#v", got)
	}
}

// An arrow, or backspace behind the letter, makes the letter no text.
func TestALetterIsTakenBack(t *testing.T) {
	for _, key := range []string{"backspace", "down"} {
		b := newBench(t, t.TempDir())
		asksAll(b)
		b.passes(3 * time.Second)
		b.press("y", key, "w")
		if got := b.composer.Text(); got != "w" {
			t.Errorf("behind %s the prompt has %q", key, got)
		}
	}
}

// The cursor is in the prompt as long as the keys go there.
func TestTheCursorIsWhereTheFocusIs(t *testing.T) {
	b := newBench(t, t.TempDir())
	if b.draw().Cursor == nil {
		t.Error("the prompt has no cursor")
	}
	asksAll(b)
	if b.draw().Cursor == nil {
		t.Error("the prompt has no cursor while the question takes no key")
	}
	b.passes(3 * time.Second)
	if c := b.draw().Cursor; c != nil {
		t.Errorf("the question has the focus, and the cursor is at %v", c)
	}
	b.types("w", time.Millisecond)
	if b.draw().Cursor == nil {
		t.Error("the prompt has no cursor while it is written to")
	}
	b.passes(3 * time.Second)
	if c := b.draw().Cursor; c != nil {
		t.Errorf("the question has the focus again, and the cursor is at %v", c)
	}
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
		{"keep going", "k", func(b *bench) { b.lifecycle.AskToStop() }},
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
				if !strings.Contains(b.screen(), "❯ "+tt.words) {
					t.Errorf("the prompt lacks %q:\n%s", tt.words, b.screen())
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
	b.mustShow(t, "Second", "withdrew its question")
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
	b.mustNotShow(t, "withdrew its question")
	if in := b.ArmsIn(); in > dialog.LookTime {
		t.Errorf("the next one takes keys in %v", in)
	}
}
