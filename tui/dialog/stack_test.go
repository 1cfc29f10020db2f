package dialog

import (
	"testing"
	"time"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/tui/theme"
)

// newStack is an empty stack that is on the screen, and has been for long.
func newStack() (*Stack, Env, *clock) {
	env, c := newEnv()
	s := NewStack(env.Guard)
	s.Show()
	c.pass(time.Minute)
	return s, env, c
}

func permissions(c *conversation.Conversation, ids ...int) {
	for _, id := range ids {
		c.Apply(conversation.PermissionOpened{ID: id, Request: &acpclient.RequestPermissionRequest{Options: usualOptions()}})
	}
}

// A question is inert whenever it gets into sight, however it gets there.
func TestWhatGetsIntoSightIsInertAtFirst(t *testing.T) {
	for _, tt := range []struct {
		name string
		do   func(s *Stack, question, list Dialog)
	}{
		{"it comes up", func(s *Stack, question, _ Dialog) { s.Push(question) }},
		{"what stood above it is closed", func(s *Stack, question, list Dialog) {
			s.Push(question)
			s.Push(list)
			s.guard.opened = time.Time{}
			s.Pop()
		}},
		{"its tab comes to the front", func(s *Stack, question, _ Dialog) {
			s.Hide()
			s.Push(question)
			s.Show()
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, env, c := newStack()
			tt.do(s, NewPermission(env, editPermission(), 1), NewEntry(env, Entry{}))
			if in := s.ArmsIn(c.now()); in != LookTime {
				t.Errorf("it arms in %v", in)
			}
			if got := strike(s.Top(), "y"); got != (NotTaken{}) {
				t.Errorf("y did %#v", got)
			}
			c.pass(QuietTime)
			if in := s.ArmsIn(c.now()); in != 0 {
				t.Errorf("after a pause it arms in %v", in)
			}
		})
	}
}

// What happens in a hidden stack does not hold back the question in sight.
func TestAHiddenStackLeavesTheGuardAlone(t *testing.T) {
	front, env, c := newStack()
	front.Push(NewPermission(env, editPermission(), 1))
	c.pass(LookTime)
	back := NewStack(env.Guard)
	back.Push(NewPermission(env, runPermission(), 1))
	back.Push(NewConfirm(env, Confirmation{}))
	back.Pop()
	if got := strike(front.Top(), "y"); got != (Answer{7, "once"}) {
		t.Errorf("y did %#v", got)
	}
	if in := back.ArmsIn(c.now()); in != 0 {
		t.Errorf("a hidden question wants to be drawn in %v", in)
	}
}

// Closing something below a question, or opening it there, holds nothing back.
func TestWhatHappensBelowAQuestionLeavesItArmed(t *testing.T) {
	s, env, c := newStack()
	list := NewEntry(env, Entry{})
	question := NewPermission(env, editPermission(), 1)
	s.Push(question)
	c.pass(LookTime)
	s.PushBelow(list)
	s.Close(list)
	s.Close(list) // it is not open any more
	if s.Top() != Dialog(question) || s.Has(list) || s.ArmsIn(c.now()) != 0 {
		t.Errorf("on top is %T, and it arms in %v", s.Top(), s.ArmsIn(c.now()))
	}
	s.Close(question)
	s.PushBelow(list)
	if s.Top() != Dialog(list) || s.Asks() {
		t.Errorf("without a question, %T is on top", s.Top())
	}
}

func TestQuestionsThatAreOverClose(t *testing.T) {
	s, env, _ := newStack()
	c := conversation.New()
	permissions(c, 1, 2, 3)
	if s.Follow(c) {
		t.Error("a question has a dialog before one was opened")
	}
	first := NewPermission(env, c.Permissions[0], 3)
	help := NewEntry(env, Entry{})
	s.Push(first)
	s.Push(help)
	c.Apply(conversation.PermissionClosed{ID: 3})
	if !s.Follow(c) || first.waiting != 2 {
		t.Errorf("it says that %d wait", first.waiting)
	}
	c.Apply(conversation.PermissionClosed{ID: 1})
	if s.Follow(c) || s.Has(first) || s.Top() != Dialog(help) {
		t.Error("the dialog of a question that is over is left, or another is gone")
	}
}

// Once the person has gone to an address, its dialog asks for nothing more, and
// stays.
func TestAnAddressThatIsVisitedStays(t *testing.T) {
	s, env, c := newStack()
	conv := conversation.New()
	request := linkElicitation("https://example.com/").Request
	conv.Apply(conversation.ElicitationOpened{ID: 5, Request: request})
	form := NewElicitation(env, formElicitation(), "Agent") // of an elicitation that is not open
	link := NewElicitation(env, conv.Elicitations[0], "Agent")
	s.Push(form)
	s.Push(link)
	if !s.Follow(conv) || s.Has(form) {
		t.Error("the open question has no dialog, or the other one is left")
	}
	c.pass(QuietTime)
	if got := strike(link, "o"); got != (OpenURL{5, "https://example.com/"}) {
		t.Fatalf("o did %#v", got)
	}
	conv.Apply(conversation.ElicitationClosed{ID: 5})
	if s.Follow(conv) || s.Top() != Dialog(link) {
		t.Errorf("on top is %T", s.Top())
	}
}

func TestAThemeIsForAll(t *testing.T) {
	s, env, _ := newStack()
	below, above := NewEntry(env, Entry{}), NewConfirm(env, Confirmation{})
	s.Push(below)
	s.Push(above)
	light := theme.New(false)
	s.SetTheme(light)
	if below.env.Theme != light || above.env.Theme != light {
		t.Error("not all dialogs have the new theme")
	}
}
