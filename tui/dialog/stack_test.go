package dialog

import (
	"testing"
	"time"

	"parley/acpclient"
	"parley/internal/app"
	"parley/internal/conversation"
	"parley/internal/test"
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
			tt.do(s, NewPermission(env, editPermission(), 1), newEntry(env, app.Question{}))
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
	back.Push(newConfirm(env, app.Question{}))
	back.Pop()
	if got := strike(front.Top(), "y"); got != giving(seen(7), "once") {
		t.Errorf("y did %#v", got)
	}
	if in := back.ArmsIn(c.now()); in != 0 {
		t.Errorf("a hidden question wants to be drawn in %v", in)
	}
}

// Closing something below a question, or opening it there, holds nothing back.
func TestWhatHappensBelowAQuestionLeavesItArmed(t *testing.T) {
	s, env, c := newStack()
	list := newEntry(env, app.Question{})
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
	first := NewPermission(env, test.Permissions(c)[0], 3)
	help := newEntry(env, app.Question{})
	s.Push(first)
	s.Push(help)
	c.Apply(conversation.QuestionClosed{ID: 3})
	if !s.Follow(c) || first.waiting != 2 {
		t.Errorf("it says that %d wait", first.waiting)
	}
	c.Apply(conversation.QuestionClosed{ID: 1})
	if s.Follow(c) || s.Has(first) || s.Top() != Dialog(help) {
		t.Error("the dialog of a question that is over is left, or another is gone")
	}
}

// Once the user has gone to an address, its dialog asks for nothing more, and
// stays.
func TestAnAddressThatIsVisitedStays(t *testing.T) {
	s, env, c := newStack()
	conv := conversation.New()
	request := linkElicitation("https://example.com/").Request
	conv.Apply(conversation.ElicitationOpened{ID: 5, Request: request})
	form := NewElicitation(env, formElicitation(), "Agent") // of an elicitation that is not open
	link := NewElicitation(env, test.Elicitations(conv)[0], "Agent")
	s.Push(form)
	s.Push(link)
	if !s.Follow(conv) || s.Has(form) {
		t.Error("the open question has no dialog, or the other one is left")
	}
	c.pass(QuietTime)
	if got := strike(link, "o"); got != (OpenURL{seen(5), "https://example.com/"}) {
		t.Fatalf("o did %#v", got)
	}
	conv.Apply(conversation.QuestionClosed{ID: 5})
	if s.Follow(conv) || s.Top() != Dialog(link) {
		t.Errorf("on top is %T", s.Top())
	}
}

func TestAThemeIsForAll(t *testing.T) {
	s, env, _ := newStack()
	below, above := newEntry(env, app.Question{}), newConfirm(env, app.Question{})
	s.Push(below)
	s.Push(above)
	light := theme.New(false)
	s.SetTheme(light)
	if below.env.Theme != light || above.env.Theme != light {
		t.Error("not all dialogs have the new theme")
	}
}

func TestGuard(t *testing.T) {
	const ms = time.Millisecond
	// Each step is a moment after the dialog came up.
	type step struct {
		at    time.Duration
		typed bool
		want  time.Duration // until it takes keys, after the step
	}
	for _, tt := range []struct {
		name  string
		steps []step
	}{
		{"nobody types", []step{{at: 0, want: 450 * ms}, {at: 449 * ms, want: ms}, {at: 450 * ms, want: 0}}},
		{"typed long before", []step{{at: -time.Second, typed: true, want: 0}, {at: 0, want: 450 * ms}}},
		{"typed just before", []step{{at: -10 * ms, typed: true, want: 490 * ms}, {at: 0, want: 490 * ms}, {at: 490 * ms, want: 0}}},
		{"types on", []step{
			{at: 100 * ms, typed: true, want: 500 * ms},
			{at: 550 * ms, typed: true, want: 500 * ms},
			{at: 1049 * ms, want: ms},
			{at: 1050 * ms, want: 0},
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := &clock{time.Unix(1000, 0)}
			g := NewGuard(c.now)
			came := c.at
			opened := false
			for _, s := range tt.steps {
				c.at = came.Add(s.at)
				if s.at >= 0 && !opened {
					at := c.at
					c.at = came
					g.open()
					c.at, opened = at, true
				}
				if s.typed {
					g.Typed()
				}
				if !opened {
					continue
				}
				if got := g.ArmsIn(c.at); got != s.want {
					t.Errorf("at %v: arms in %v, want %v", s.at, got, s.want)
				}
			}
		})
	}
}

func TestGuardBounce(t *testing.T) {
	c := &clock{time.Unix(1000, 0)}
	g := NewGuard(c.now)
	if g.Repeats("y") {
		t.Error("a key bounced before any answer")
	}
	g.answer("y")
	g.open()
	for range 20 { // held down
		c.pass(100 * time.Millisecond)
		if !g.Repeats("y") {
			t.Fatal("a key held down after it answered reached somebody")
		}
		if g.Repeats("n") {
			t.Error("another key bounced")
		}
		if !g.inert() {
			t.Error("the next question takes keys while the last key is held down")
		}
	}
	c.pass(LookTime)
	if g.Repeats("y") {
		t.Error("a new press counts as a bounce")
	}
	if g.inert() {
		t.Error("still inert")
	}
}

// A question that is long on its way to the screen has been seen by nobody.
func TestGuardBeginsWhenTheQuestionIsOnTheScreen(t *testing.T) {
	c := &clock{time.Unix(1000, 0)}
	g := NewGuard(c.now)
	g.Watched = true
	g.open()
	first, unseen := g.Unseen()
	c.pass(time.Minute)
	if !unseen || !g.inert() {
		t.Error("it takes keys before it is on the screen")
	}
	g.open() // another question, before the first one is on the screen
	second, _ := g.Unseen()
	g.Seen(first)
	c.pass(LookTime)
	if !g.inert() {
		t.Error("it takes keys because another question was on the screen")
	}
	g.Seen(second)
	if in := g.ArmsIn(c.at); in != LookTime {
		t.Errorf("once it is on the screen it takes keys in %v, want %v", in, LookTime)
	}
	c.pass(LookTime)
	g.Seen(second) // as the next frame says
	if _, unseen := g.Unseen(); unseen || g.inert() {
		t.Error("it never takes keys")
	}
}
