package tab

import (
	"fmt"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/tui/dialog"
	"parley/tui/toolview"
)

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
	b.mustShow(t, "tool  Step2", "2 of 3", "Pause typing to answer")
	b.press("1")
	b.mustShow(t, "❯ 1", "tool  Step2")
	b.passes(3 * time.Second)
	b.draw()
	b.press("alt+p") // with a draft the arrows are the prompt's
	b.mustShow(t, "tool  Step1", "1 of 3")
	b.passes(3 * time.Second)
	b.draw()
	b.press("alt+p")
	b.mustShow(t, "tool  Step3", "3 of 3")
}

// The one that stands in the place of one that was withdrawn takes nothing for as long as
// after any that was, whichever was looked at; those elsewhere in the queue go unnoticed.
func TestTheQueueMovesUp(t *testing.T) {
	b := newBench(t, t.TempDir())
	queue(b, 4)
	b.passes(3 * time.Second)
	b.draw()
	b.press("alt+n")
	b.events(conversation.PermissionClosed{ID: 4})
	b.mustShow(t, "tool  Step2", "2 of 3")
	b.mustNotShow(t, "withdrew its question")
	b.events(conversation.PermissionClosed{ID: 2})
	b.mustShow(t, "tool  Step3", "2 of 2", "the agent withdrew its question")
	b.passes(dialog.LookTime + time.Millisecond)
	b.draw()
	if in := b.ArmsIn(); in != dialog.ReplaceTime-dialog.LookTime-time.Millisecond {
		t.Errorf("it arms in %v", in)
	}
	b.events(conversation.PermissionClosed{ID: 3})
	b.mustShow(t, "tool  Step1")
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
	b.mustShow(t, "❯ 1ya", "Answer “Reject it”")
	b.press("esc")
	b.mustShow(t, "Pause typing to answer", "Allow it")
	b.press("esc") // a second press of it
	if !b.conv.Turn.Cancelling.IsZero() {
		t.Error("a second esc cancelled the turn")
	}
	b.passes(3 * time.Second)
	b.draw()
	b.press("tab")
	b.mustShow(t, "❯ 1ya") // the words are still there
	b.press("ctrl+c")
	b.mustShow(t, "Allow it", "Answer above, or type")
	if !b.conv.Turn.Cancelling.IsZero() || len(b.conv.Permissions) != 1 {
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
	b.mustShow(t, "Allow it", "Answer above, or type")
	if !b.conv.Turn.Cancelling.IsZero() || len(b.conv.Permissions) != 1 {
		t.Error("the turn was cancelled")
	}
}

// What the agent takes back while the person writes to it leaves them their words.
func TestWordsToAWithdrawnQuestionBecomeTheDraft(t *testing.T) {
	b := newBench(t, t.TempDir())
	b.types("draft", time.Second)
	queue(b, 2)
	b.passes(3 * time.Second)
	b.draw()
	b.press("tab")
	b.types("not so", time.Second)
	b.events(conversation.PermissionClosed{ID: 1})
	b.mustShow(t, "❯ draft", "  not so", "tool  Step2")
}

// What stands on the whole screen of a question closes with it.
func TestTheWholeScreenOfAQuestionClosesWithIt(t *testing.T) {
	b := newBench(t, t.TempDir())
	queue(b, 1)
	b.passes(3 * time.Second)
	b.draw()
	b.press("ctrl+e")
	b.mustShow(t, "Permission: • Step1")
	b.events(conversation.PermissionClosed{ID: 1})
	b.mustNotShow(t, "Permission:")
	b.mustShow(t, "the agent withdrew its question")
	if !b.dialogs.Empty() {
		t.Error("a dialog is left")
	}
}

// A key pressed too early for the question does not lead elsewhere.
func TestTabAtAnInertQuestionDoesNothing(t *testing.T) {
	b := newBench(t, t.TempDir())
	b.events(say("words"))
	queue(b, 1)
	b.press("tab")
	if b.reader.Focused() {
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
		b.questions.Reach().Add(map[string]toolview.Target{"a.txt": {Outside: true, Real: "/srv/a.txt"}})
		return nil
	}))
	b.mustShow(t, "a.txt → /srv/a.txt  outside the project", "Pause typing to answer")
	b.Update(then(func() tea.Cmd {
		b.questions.Reach().Add(map[string]toolview.Target{"elsewhere": {Outside: true}})
		return nil
	}))
	b.passes(3 * time.Second)
	b.mustNotShow(t, "takes no keys")
}
