package tab

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/config"
	"parley/internal/app"
	"parley/internal/conversation"
	"parley/internal/session"
	"parley/internal/test"
	"parley/tui/composer"
	"parley/tui/dialog"
	"parley/tui/toolview"
)

func opened(id int, title, path string) conversation.Event {
	return conversation.PermissionOpened{ID: id, Request: &acpclient.RequestPermissionRequest{
		ToolCall: acpclient.ToolCallUpdate{ToolCallID: acpclient.ToolCallID(title), Title: &title, Locations: []acpclient.ToolCallLocation{{Path: path}}},
		Options:  []acpclient.PermissionOption{{OptionID: "yes", Name: "Allow it", Kind: acpclient.AllowOnce}, {OptionID: "no", Name: "Reject it", Kind: acpclient.RejectOnce}},
	}}
}

// questionsBench are the questions of a tab in which a turn runs.
func questionsBench(b *bench) *questions {
	b.ready()
	b.conv().Apply(conversation.PromptSent{})
	return &b.open().questions
}

// One question is in sight at a time. When it is over, the one that stands in its place
// is; the others can be looked at meanwhile.
func TestOneAfterTheOther(t *testing.T) {
	runBench(t, func(t *testing.T, b *bench) {
		q := questionsBench(b)
		b.conv().Apply(opened(1, "Read the first", "1"))
		b.conv().Apply(opened(2, "Read the second", "2"))
		b.conv().Apply(opened(3, "Read the third", "3"))
		b.Do(q.Follow())
		b.MustSay("Read the first")
		b.Do(q.Another(1))
		b.MustSay("Read the second")
		b.Do(q.Another(-2))
		b.MustSay("Read the third")
		b.Do(q.Another(-1))
		b.conv().Apply(conversation.QuestionClosed{ID: 2})
		b.Do(q.Follow())
		b.MustSay("Read the third")
		b.conv().Apply(conversation.QuestionClosed{ID: 3})
		b.Do(q.Follow())
		b.MustSay("Read the first")
		b.conv().Apply(conversation.QuestionClosed{ID: 1})
		b.Do(q.Follow())
		if b.MustSay("the agent withdrew its question"); !b.dialogs.Empty() {
			t.Errorf("it still asks\n%s", b.Screen())
		}
	})
}

// An agent that goes has not taken its question back.
func TestAQuestionEndsWithItsAgent(t *testing.T) {
	runBench(t, func(t *testing.T, b *bench) {
		q := questionsBench(b)
		b.conv().Apply(opened(1, "Read the first", "1"))
		b.Do(q.Follow())
		b.MustSay("Read the first")
		session.Post(b.session(), session.Start{}) // which fails
		synctest.Wait()
		b.conv().Apply(conversation.QuestionClosed{ID: 1})
		b.Do(q.Follow())
		if b.toast.text != "" {
			t.Errorf("it says %q", b.toast.text)
		}
	})
}

// Where a path leads is found out beside the screen, and then said.
func TestWhereAPathLeads(t *testing.T) {
	runBench(t, func(_ *testing.T, b *bench) {
		q := questionsBench(b)
		b.conv().Apply(opened(1, "Read it", filepath.Join(b.cwd, "..", "elsewhere")))
		b.Do(q.Follow())
		b.MustSay("outside the project")
	})
}

// An agent that names thousands of places hides none behind them.
func TestWhereThePathsOfManyLead(t *testing.T) {
	runBench(t, func(t *testing.T, b *bench) {
		q := questionsBench(b)
		cwd := t.TempDir()
		if err := os.Symlink(t.TempDir(), filepath.Join(cwd, "z")); err != nil {
			t.Fatal(err)
		}
		q.facts = &toolview.Facts{Roots: []string{cwd}}
		e := opened(1, "Edit them", filepath.Join(cwd, "z", "file")).(conversation.PermissionOpened)
		for i := range 2500 {
			call := &e.Request.ToolCall
			call.Locations = append(call.Locations, acpclient.ToolCallLocation{Path: filepath.Join(cwd, strconv.Itoa(i))})
		}
		b.conv().Apply(e)
		b.Do(q.Follow())
		if led := q.facts.Target(filepath.Join(cwd, "z", "file")); !led.Outside {
			t.Errorf("a link that leads out was not followed: %+v", led)
		}
	})
}

// What is said with a rejection goes to the agent; if that cannot be, it is the draft.
func TestRejectWith(t *testing.T) {
	runBench(t, func(t *testing.T, b *bench) {
		q := questionsBench(b)
		b.composer.SetText("a draft")
		b.Do(q.RejectWith(dialog.RejectWith{Question: b.seen(1), Option: "no", Words: "read the other one"}))
		b.MustSay(session.ErrAnswered.Error())
		if b.composer.Text() != "a draft\nread the other one" {
			t.Errorf("the draft is %q", b.composer.Text())
		}
	})
	runBench(t, func(t *testing.T, b *bench) {
		b.play(strings.Replace(asking, `contains "yes"
end-turn`, `
end-turn
expect session/prompt contains "read the other one"
end-turn`, 1))
		b.Do(b.prompts.Submit(composer.NewPrompt("go")))
		b.composer.SetText("a draft")
		b.wire.got()
		b.Do(b.open().questions.RejectWith(dialog.RejectWith{Question: test.Permissions(b.conv())[0].Seen, Option: "yes", Words: "read the other one"}))
		if got := b.wire.got(); got != "session/prompt" || b.composer.Text() != "a draft" {
			t.Errorf("the agent got %q, and the draft is %q", got, b.composer.Text())
		}
	})
}

// queue opens so many questions at once.
func queue(b *bench, n int) {
	all := []conversation.Event{conversation.PromptSent{At: b.clock}}
	for i := 1; i <= n; i++ {
		all = append(all, permissionEvent(i, fmt.Sprintf("Step%d", i)))
	}
	b.events(all...)
	b.draw()
}

// Whoever turns to another question has to see it before a key counts.
func TestAnotherQuestionIsInertAtFirst(t *testing.T) {
	b := newBench(t, t.TempDir())
	queue(b, 3)
	b.passes(3 * time.Second)
	b.draw()
	b.press("alt+n")
	b.mustShow(t, "│ Step2", "2 of 3")
	b.press("1")
	b.mustShow(t, "❯ 1", "│ Step2", "Pause typing to answer")
	b.passes(3 * time.Second)
	b.draw()
	b.press("alt+p") // with a draft the arrows are the prompt's
	b.mustShow(t, "│ Step1", "1 of 3")
	b.passes(3 * time.Second)
	b.draw()
	b.press("alt+p")
	b.mustShow(t, "│ Step3", "3 of 3")
}

// The one that stands in the place of one that was withdrawn takes nothing for as long as
// after any that was, whichever was looked at; those elsewhere in the queue go unnoticed.
func TestTheQueueMovesUp(t *testing.T) {
	b := newBench(t, t.TempDir())
	queue(b, 4)
	b.passes(3 * time.Second)
	b.draw()
	b.press("alt+n")
	b.events(conversation.QuestionClosed{ID: 4})
	b.mustShow(t, "│ Step2", "2 of 3")
	b.mustNotShow(t, "withdrew its question")
	b.events(conversation.QuestionClosed{ID: 2})
	b.mustShow(t, "│ Step3", "2 of 2", "the agent withdrew its question")
	b.passes(dialog.LookTime + time.Millisecond)
	b.draw()
	if in := b.ArmsIn(); in != dialog.ReplaceTime-dialog.LookTime-time.Millisecond {
		t.Errorf("it arms in %v", in)
	}
	b.events(conversation.QuestionClosed{ID: 3})
	b.mustShow(t, "│ Step1")
	b.mustNotShow(t, "1 of 1")
}

// Nothing that is written to a question allows anything, nor does leaving it.
func TestWritingToAQuestionAllowsNothing(t *testing.T) {
	b := newBench(t, t.TempDir())
	asksAll(b)
	b.passes(3 * time.Second)
	b.draw()
	b.press("tab")
	b.types("1ya", time.Second)
	b.mustShow(t, "❯ 1ya", "Reject (“Reject it”)")
	b.press("esc")
	b.mustShow(t, "Allow it")
	b.press("esc") // a second press of it
	if !b.conv().Turn.Cancelling.IsZero() {
		t.Error("a second esc cancelled the turn")
	}
	b.passes(3 * time.Second)
	b.draw()
	b.press("tab")
	b.mustShow(t, "❯ 1ya") // the words are still there
	b.press("ctrl+c")
	b.mustShow(t, "Allow it", "Answer above, or queue")
	if !b.conv().Turn.Cancelling.IsZero() || len(test.Permissions(b.conv())) != 1 {
		t.Error("ctrl+c cancelled the turn")
	}
}

// While a question waits, ctrl+c clears the draft as it does without one: only then is it the
// turn that it cancels.
func TestInterruptClearsTheDraftBelowAQuestion(t *testing.T) {
	b := newBench(t, t.TempDir())
	b.types("draft", time.Second)
	asksAll(b)
	b.passes(3 * time.Second)
	b.mustShow(t, "Allow it", "❯ draft")
	b.press("ctrl+c")
	b.mustShow(t, "Allow it", "Answer above, or queue")
	if !b.conv().Turn.Cancelling.IsZero() || len(test.Permissions(b.conv())) != 1 {
		t.Error("the turn was cancelled")
	}
}

// What the agent takes back while the user writes to it leaves them their words.
func TestWordsToAWithdrawnQuestionBecomeTheDraft(t *testing.T) {
	b := newBench(t, t.TempDir())
	b.types("draft", time.Second)
	queue(b, 2)
	b.passes(3 * time.Second)
	b.draw()
	b.press("tab")
	b.types("not so", time.Second)
	b.events(conversation.QuestionClosed{ID: 1})
	b.mustShow(t, "❯ draft", "  not so", "│ Step2")
}

// What stands on the whole screen of a question closes with it.
func TestTheWholeScreenOfAQuestionClosesWithIt(t *testing.T) {
	b := newBench(t, t.TempDir())
	queue(b, 1)
	b.passes(3 * time.Second)
	b.draw()
	b.press("ctrl+e")
	b.mustShow(t, "Permission: • Step1")
	b.events(conversation.QuestionClosed{ID: 1})
	b.mustNotShow(t, "Permission:")
	b.mustShow(t, "the agent withdrew its question")
	if !b.dialogs.Empty() {
		t.Error("a dialog is left")
	}
}

// A look at the whole of a question leaves its mark, and types nothing. What has changed meanwhile has to
// be marked again.
func TestTheWholeScreenOfAQuestionLeavesTheMark(t *testing.T) {
	for _, changed := range []bool{false, true} {
		b := newBench(t, t.TempDir())
		queue(b, 1)
		b.passes(3 * time.Second)
		b.draw()
		b.press("2", "ctrl+e")
		b.mustShow(t, "Permission: • Step1")
		if changed {
			ask := permissionEvent(1, "Another step").(conversation.PermissionOpened)
			ask.Request.ToolCall.ToolCallID = "Step1"
			b.events(conversation.Update{Update: &ask.Request.ToolCall})
		}
		b.press("q")
		b.mustNotShow(t, "Permission:")
		b.mustShow(t, "Answer above, or queue a prompt")
		b.passes(3 * time.Second)
		b.draw()
		action := b.dialogs.Top().Key(keyPress("enter"))
		answer, gives := action.(dialog.Answer)
		if gives == changed || gives && answer.Act.(session.Answer).Option != "no" {
			t.Errorf("changed %v: enter does %+v", changed, action)
		}
	}
}

// A key pressed too early for the question does not lead elsewhere.
func TestTabAtAnInertQuestionDoesNothing(t *testing.T) {
	b := newBench(t, t.TempDir())
	b.events(say("words"))
	queue(b, 1)
	b.press("tab")
	if b.list().Focused() {
		t.Error("the transcript has the focus")
	}
	b.mustShow(t, "Allow it")
}

// A path that is found to lead out makes the question inert: it was not what it seemed.
func TestAPathThatIsFoundToLeadOutIsNews(t *testing.T) {
	b := newBench(t, t.TempDir())
	title := "Edit"
	b.events(conversation.PromptSent{At: b.clock}, conversation.PermissionOpened{ID: 1, Request: &acpclient.RequestPermissionRequest{
		ToolCall: acpclient.ToolCallUpdate{ToolCallID: "t", Title: &title, Locations: []acpclient.ToolCallLocation{{Path: "a.txt"}, {Path: "/etc/x"}}},
		Options:  []acpclient.PermissionOption{{OptionID: "yes", Name: "Allow it", Kind: acpclient.AllowOnce}},
	}})
	b.mustShow(t, "/etc/x  outside the project")
	b.passes(3 * time.Second)
	b.draw()
	b.Update(then(func() tea.Cmd {
		b.facts.Add(toolview.Found{Targets: map[string]toolview.Target{"a.txt": {Outside: true, Real: "/srv/a.txt"}}})
		return nil
	}))
	b.mustShow(t, "a.txt → /srv/a.txt  outside the project")
	if b.ArmsIn() == 0 {
		t.Error("it takes keys at once")
	}
	b.Update(then(func() tea.Cmd {
		b.facts.Add(toolview.Found{Targets: map[string]toolview.Target{"elsewhere": {Outside: true}}})
		return nil
	}))
	b.passes(3 * time.Second)
	b.mustNotShow(t, "takes no keys")
}

// planQuestion asks whether to carry out a plan of so many steps.
func planQuestion(steps int) conversation.PermissionOpened {
	e := permissionEvent(1, "Plan").(conversation.PermissionOpened)
	var plan strings.Builder
	for i := range steps {
		fmt.Fprintf(&plan, "%d. Step number %d\n", i+1, i+1)
	}
	e.Request.ToolCall.Content = []acpclient.ToolCallContent{acpclient.TextContent(plan.String())}
	return e
}

// A question takes all rows that it needs but three, and the hint says at once with which
// key the rest of it is seen at this size.
func TestAQuestionTakesTheRoomThatItNeeds(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {60, 20}, {40, 12}} {
		b := newBench(t, t.TempDir())
		b.columns, b.rows = size[0], size[1]
		b.events(conversation.PromptSent{At: b.clock}, planQuestion(59))
		b.draw()
		b.passes(3 * time.Second)
		lines := strings.Split(b.screen(), "\n")
		if !strings.HasPrefix(lines[0], "╭─ Permission") || !strings.HasPrefix(lines[len(lines)-4], "╰─") {
			t.Errorf("at %v it has not all rows but three:\n%s", size, b.screen())
		}
		if hints := lines[len(lines)-1]; !strings.Contains(hints, "pgdown scroll on") {
			t.Errorf("at %v the hints are %q", size, hints)
		}
		b.press("end")
		if hints := b.draw().Lines[b.rows-1]; strings.Contains(hints, "pgdown scroll on") {
			t.Errorf("at %v the hints lag behind: %q", size, hints)
		}
	}
}

// A short question leaves the prompt its room.
func TestAShortQuestionTakesNoMoreRoom(t *testing.T) {
	b := newBench(t, t.TempDir())
	b.events(conversation.PromptSent{At: b.clock}, planQuestion(2))
	b.draw()
	b.passes(dialog.LookTime)
	if lines := strings.Split(b.screen(), "\n"); !strings.HasPrefix(lines[len(lines)-3], "────") {
		t.Errorf("the prompt has no room:\n%s", b.screen())
	}
}

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
// seen names an open question as the user has seen it, or one that is not there.
func (b *bench) seen(id int) conversation.Seen {
	for _, p := range test.Permissions(b.conv()) {
		if p.ID == id {
			return p.Seen
		}
	}
	return conversation.Seen{ID: id, Revision: 1}
}

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
	b.passes(3 * time.Second)
	for range 2 {
		if got := b.dialogs.Top().Key(tea.KeyPressMsg{Code: tea.KeyDown, Mod: tea.ModAlt}); got != nil {
			t.Errorf("alt+down did %#v", got)
		}
	}
	if got := b.dialogs.Top().Key(tea.KeyPressMsg{Code: tea.KeyEnter, Mod: tea.ModAlt}); got != (dialog.Answer{Act: session.Answer{Question: b.seen(1), Option: "yes"}}) {
		t.Errorf("alt+enter did %#v", got)
	}
}

// The way out stays in the hint line, however narrow it is.
func TestTheWayOutStaysInTheHint(t *testing.T) {
	for _, columns := range []int{60, 80, 120} {
		for _, draft := range []string{"", "a draft"} {
			b := newBench(t, t.TempDir())
			b.columns, b.rows = columns, 20
			b.composer.SetText(draft)
			asksAll(b)
			b.passes(3 * time.Second)
			b.mustShow(t, "esc cancel the turn", "Allow it")
		}
	}
}

// A letter marks an answer, which the key that accepts gives; the answer is not marked any
// more when a word follows.
func TestAMarkEndsWhenAWordBegins(t *testing.T) {
	b := newBench(t, t.TempDir())
	asksAll(b)
	b.passes(3 * time.Second)
	b.types("a", time.Second)
	b.mustShow(t, "❯ 1", "enter: Always allow it")
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

// The key of a mark goes with its question, whoever has answered that: it is no draft.
func TestAMarkGoesWithItsQuestion(t *testing.T) {
	for name, closed := range map[string]conversation.QuestionClosed{
		"answered elsewhere": {ID: 1, Outcome: acpclient.PermissionSelected("no")}, "withdrawn": {ID: 1, Outcome: acpclient.PermissionCancelled},
	} {
		for _, keys := range [][]string{{"y"}, {"2"}, {"2", "2"}, {"down"}} {
			b := newBench(t, t.TempDir())
			asksAll(b)
			b.passes(3 * time.Second)
			b.press(keys...)
			b.events(closed)
			b.passes(time.Second)
			b.mustNotShow(t, "Always allow it")
			if got := b.composer.Text(); got != "" {
				t.Errorf("%s: after %v the prompt has %q", name, keys, got)
			}
			b.press("enter")
			if n := len(b.open().Conversation.Queue); n > 0 {
				t.Errorf("%s: after %v and enter, %d prompts are queued", name, keys, n)
			}
		}
	}
}

// What begins with a doubled digit is a prompt; alone it gives, once typing has paused.
func TestADoubledDigitBeginsAPrompt(t *testing.T) {
	for _, pause := range []time.Duration{20 * time.Millisecond, 300 * time.Millisecond, dialog.QuietTime - 1} {
		b := newBench(t, t.TempDir())
		asksAll(b)
		b.passes(3 * time.Second)
		for _, r := range "22:30 is when" {
			b.press(string(r))
			b.passes(pause)
			if b.Due() != nil {
				t.Fatalf("an answer was given at %q", r)
			}
		}
		b.mustShow(t, "❯ 22:30 is when", "Always allow it")
	}
	b := newBench(t, t.TempDir())
	asksAll(b)
	b.passes(3 * time.Second)
	b.press("2", "2")
	if in := b.ArmsIn(); in != dialog.QuietTime {
		t.Errorf("it is to be given in %v", in)
	}
	b.passes(dialog.QuietTime)
	if got := b.dialogs.Due(); got != (dialog.Answer{Act: session.Answer{Question: b.seen(1), Option: "yes"}}) {
		t.Errorf("2, twice, did %#v", got)
	}
}

// Blanks in the prompt are no draft, and space puts none there unseen.
func TestBlanksAreNoDraft(t *testing.T) {
	for _, draft := range []string{"", " ", "  \n\t "} {
		b := newBench(t, t.TempDir())
		b.composer.SetText(draft)
		asksAll(b)
		b.passes(3 * time.Second)
		b.press("space")
		if got := b.composer.Text(); got != draft {
			t.Errorf("space made %q of %q", got, draft)
		}
		b.press("down", "y")
		b.mustShow(t, "enter or y: Allow it")
		if got := b.dialogs.Top().Key(keyPress("enter")); got != (dialog.Answer{Act: session.Answer{Question: b.seen(1), Option: "yes"}}) {
			t.Errorf("with %q in the prompt, enter did %#v", draft, got)
		}
	}
}

// Stopping the agent and leaving parley take two keys, and no words.
func TestWordsNeitherStopNorLeave(t *testing.T) {
	for _, tt := range []struct {
		words, key string
		ask        func(b *bench)
	}{
		{"keep going", "k", func(b *bench) { b.open().askToStop() }},
		{"quick question", "q", func(b *bench) { b.AskToLeave(func() []string { return []string{"this one"} }) }},
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
			if _, ok := b.dialogs.Top().Key(keyPress("enter")).(dialog.Chosen); !ok {
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
	b.events(conversation.QuestionClosed{ID: 1})
	b.mustShow(t, "Second", "withdrew its question")
	b.passes(dialog.LookTime + 100*time.Millisecond)
	if got := b.dialogs.Top().Key(keyPress("1")); got != (dialog.NotTaken{}) {
		t.Errorf("1 did %#v", got)
	}
	b.passes(dialog.ReplaceTime)
	b.draw()
	b.dialogs.Top().Key(keyPress("1"))
	if got := b.dialogs.Top().Key(keyPress("enter")); got != (dialog.Answer{Act: session.Answer{Question: b.seen(2), Option: "yes"}}) {
		t.Errorf("later, 1 and enter did %#v", got)
	}
}

// One that the user has answered is not said to be taken back.
func TestAnAnsweredQuestionIsNotSaidToBeTakenBack(t *testing.T) {
	b := newBench(t, t.TempDir())
	b.events(conversation.PromptSent{At: b.clock}, permissionEvent(1, "First"), permissionEvent(2, "Second"))
	b.draw()
	b.passes(3 * time.Second)
	b.dialogs.Top().Key(keyPress("1"))
	b.dialogs.Top().Key(keyPress("enter"))
	b.events(conversation.QuestionClosed{ID: 1})
	b.mustNotShow(t, "withdrew its question")
	if in := b.ArmsIn(); in > dialog.LookTime {
		t.Errorf("the next one takes keys in %v", in)
	}
}

// The page stays in sight behind a question, which names its agent there. Nobody sees a prompt: what is
// no answer goes nowhere. Nor does what is pressed right after the question has gone.
func TestAQuestionOverAPage(t *testing.T) {
	b := newBench(t, t.TempDir())
	b.opens()
	b.open().Agent.Name = "baker"
	b.events(conversation.PromptSent{At: b.clock})
	b.types("draft", time.Second)
	b.press("f1")
	b.events(permissionEvent(1, "First"))
	b.mustShow(t, "  Help", "Permission, baker", "First")
	b.press("x")
	b.passes(3 * time.Second)
	b.press("y", "x", "enter")
	b.passes(3 * time.Second)
	b.press("y")
	b.mustShow(t, "  Help", "❯ 1  y")
	b.events(conversation.QuestionClosed{ID: 1})
	b.press("esc")
	b.mustShow(t, "  Help")
	b.passes(dialog.ReplaceTime)
	b.press("esc")
	b.mustNotShow(t, "  Help")
	b.mustShow(t, "❯ draft")
	if len(b.sentPrompts()) != 0 {
		t.Errorf("it sent %q", b.sentPrompts())
	}
}

// One key answers an ordinary question, if the configuration says so, also over a page, but not while
// the prompt behind that holds text.
func TestOneKeyAnswers(t *testing.T) {
	for _, draft := range []string{"", "draft"} {
		b := newBench(t, t.TempDir())
		b.program.AnswerKey = config.AnswerPresses
		b.opens()
		ask := permissionEvent(1, "First").(conversation.PermissionOpened)
		ask.Judging = true
		b.events(conversation.PromptSent{At: b.clock})
		b.types(draft, time.Second)
		b.press("f1")
		b.events(ask, conversation.PermissionReferred{ID: 1, Ordinary: true})
		b.passes(3 * time.Second)
		b.mustShow(t, "  Help", "First")
		b.press("y")
		b.passes(dialog.QuietTime)
		if _, gives := b.dialogs.Due().(dialog.Answer); gives != (draft == "") {
			t.Errorf("with the draft %q it is answered: %v", draft, gives)
		}
	}
}

// A line that could not be sent from the board is in its field again, below the reason.
func TestALineThatIsNotSentIsNotLost(t *testing.T) {
	runBench(t, func(t *testing.T, b *bench) {
		var sent []string
		fails := errors.New("its process has ended")
		b.ask(app.Question{Title: "Send to go", Enter: func(text string) (app.Outcome, error) {
			sent = append(sent, text)
			return app.Outcome{}, fails
		}})
		b.Update(tea.PasteMsg{Content: "mend it"})
		b.Do(b.Update(keyPress("enter")))
		b.mustShow(t, "Not done: Send to go", "its process has ended")
		b.Choose("Close")
		b.mustShow(t, "Send to go", "❯ mend it")
		fails = nil
		b.Press("enter")
		b.mustNotShow(t, "Send to go")
		if !slices.Equal(sent, []string{"mend it", "mend it"}) {
			t.Errorf("sent are %q", sent)
		}
	})
}

// A board that returns because the question is gone takes no key or click that was meant for that.
func TestABoardThatReturnsTakesNoKeyOfAQuestion(t *testing.T) {
	b := newBench(t, t.TempDir())
	b.program.Tabs = tabsOf{all: []*Tab{b.Tab}}
	open := true
	b.ask(app.Question{Title: "Sure?", Choices: []app.Choice{{Name: "Yes", Key: "y"}}, While: func() bool { return open }})
	b.draw()
	b.passes(3 * time.Second)
	b.press("alt+a", "right")
	b.mustShow(t, "Sure?")
	b.mustNotShow(t, "Board")
	b.passes(3 * time.Second)
	b.draw()
	open = false
	b.FollowOthers()
	b.mustShow(t, "Board")
	b.press("alt+s")
	b.mustShow(t, "Board", "the question is closed: alt+s did nothing")
	for range 2 {
		b.Update(tea.MouseClickMsg{X: 4, Y: b.line(t, "❯ · idle"), Button: tea.MouseLeft})
	}
	b.mustShow(t, "Board")
	b.passes(dialog.ReplaceTime)
	b.press("alt+s")
	b.mustShow(t, "Send to ")
}
