package tab

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/session"
	"parley/tui/composer"
	"parley/tui/dialog"
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
	b.conv.Apply(conversation.PromptSent{})
	return b.questions
}

// One question is in sight at a time. When it is over, the one that stands in its place
// is; the others can be looked at meanwhile.
func TestOneAfterTheOther(t *testing.T) {
	runBench(t, func(t *testing.T, b *bench) {
		q := questionsBench(b)
		b.conv.Apply(opened(1, "Read the first", "1"))
		b.conv.Apply(opened(2, "Read the second", "2"))
		b.conv.Apply(opened(3, "Read the third", "3"))
		b.Do(q.Follow())
		b.MustSay("Read the first")
		b.Do(q.Another(1))
		b.MustSay("Read the second")
		b.Do(q.Another(-2))
		b.MustSay("Read the third")
		b.Do(q.Another(-1))
		b.conv.Apply(conversation.PermissionClosed{ID: 2})
		b.Do(q.Follow())
		b.MustSay("Read the third")
		b.conv.Apply(conversation.PermissionClosed{ID: 3})
		b.Do(q.Follow())
		b.MustSay("Read the first")
		b.conv.Apply(conversation.PermissionClosed{ID: 1})
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
		b.conv.Apply(opened(1, "Read the first", "1"))
		b.Do(q.Follow())
		b.MustSay("Read the first")
		b.session.Start() // which fails
		synctest.Wait()
		b.conv.Apply(conversation.PermissionClosed{ID: 1})
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
		b.conv.Apply(opened(1, "Read it", filepath.Join(b.cwd, "..", "elsewhere")))
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
		q.SetRoots([]string{cwd})
		e := opened(1, "Edit them", filepath.Join(cwd, "z", "file")).(conversation.PermissionOpened)
		for i := range 2500 {
			call := &e.Request.ToolCall
			call.Locations = append(call.Locations, acpclient.ToolCallLocation{Path: filepath.Join(cwd, strconv.Itoa(i))})
		}
		b.conv.Apply(e)
		b.Do(q.Follow())
		if led := q.Reach().Of(filepath.Join(cwd, "z", "file")); !led.Outside {
			t.Errorf("a link that leads out was not followed: %+v", led)
		}
	})
}

// What is said with a rejection goes to the agent; if that cannot be, it is the draft.
func TestRejectWith(t *testing.T) {
	runBench(t, func(t *testing.T, b *bench) {
		q := questionsBench(b)
		b.composer.SetText("a draft")
		b.Do(q.RejectWith(dialog.RejectWith{ID: 1, Option: "no", Words: "read the other one"}))
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
		b.Do(b.queue.Submit(composer.NewPrompt("go")))
		b.composer.SetText("a draft")
		b.wire.got()
		b.Do(b.questions.RejectWith(dialog.RejectWith{ID: b.conv.Permissions[0].ID, Option: "yes", Words: "read the other one"}))
		if got := b.wire.got(); got != "session/prompt" || b.composer.Text() != "a draft" {
			t.Errorf("the agent got %q, and the draft is %q", got, b.composer.Text())
		}
	})
}
