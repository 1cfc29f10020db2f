package tab

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/config"
	"parley/internal/conversation"
	"parley/tui/composer"
	"parley/tui/dialog"
	"parley/tui/theme"
)

// place is a tab whose session notes what is said with a rejection.
type questionsPlace struct {
	conv  *conversation.Conversation
	fails error
	told  string
}

func (p *questionsPlace) Conversation() *conversation.Conversation { return p.conv }
func (p *questionsPlace) Answers() questionSession                 { return p }
func (p *questionsPlace) Exec(*exec.Cmd, tea.ExecCallback) tea.Cmd { return nil }
func (p *questionsPlace) opens(id int, title, path string)         { p.conv.Apply(opened(id, title, path)) }

func (p *questionsPlace) closes(id int) { p.conv.Apply(conversation.PermissionClosed{ID: id}) }

func (p *questionsPlace) AnswerWith(_ int, _ acpclient.PermissionOptionID, prompt []acpclient.ContentBlock) error {
	if p.fails == nil {
		p.told = prompt[0].Text
	}
	return p.fails
}

func opened(id int, title, path string) conversation.Event {
	return conversation.PermissionOpened{ID: id, Request: &acpclient.RequestPermissionRequest{
		ToolCall: acpclient.ToolCallUpdate{ToolCallID: acpclient.ToolCallID(title), Title: &title, Locations: []acpclient.ToolCallLocation{{Path: path}}},
		Options:  []acpclient.PermissionOption{{OptionID: "yes", Name: "Allow it", Kind: acpclient.AllowOnce}, {OptionID: "no", Name: "Reject it", Kind: acpclient.RejectOnce}},
	}}
}

func questionsNewQuestions(b *deskBench) (*questions, *questionsPlace) {
	p := &questionsPlace{conv: conversation.New()}
	p.conv.Apply(conversation.PromptSent{})
	q := newQuestions(b.desk, p, composer.New(composer.Options{Theme: theme.New(true), Keys: config.DefaultKeys()}))
	q.SetRoots([]string{b.Env.Cwd})
	b.Env.Reach = q.Reach()
	return q, p
}

// One question is in sight at a time. When it is over, the one that stands in its place
// is; the others can be looked at meanwhile.
func TestOneAfterTheOther(t *testing.T) {
	runBench(t, func(t *testing.T, b *deskBench) {
		q, p := questionsNewQuestions(b)
		p.opens(1, "Read the first", "1")
		p.opens(2, "Read the second", "2")
		p.opens(3, "Read the third", "3")
		b.Do(q.Follow())
		b.MustSay("Read the first")
		b.Do(q.Another(1))
		b.MustSay("Read the second")
		b.Do(q.Another(-2))
		b.MustSay("Read the third")
		b.Do(q.Another(-1))
		p.closes(2)
		b.Do(q.Follow())
		b.MustSay("Read the third")
		p.closes(3)
		b.Do(q.Follow())
		b.MustSay("Read the first")
		p.closes(1)
		b.Do(q.Follow())
		if b.MustSay("the agent has taken its question back"); !b.Dialogs.Empty() {
			t.Errorf("it still asks\n%s", b.Screen())
		}
	})
}

// Where a path leads is found out beside the screen, and then said.
func TestWhereAPathLeads(t *testing.T) {
	runBench(t, func(_ *testing.T, b *deskBench) {
		q, p := questionsNewQuestions(b)
		p.opens(1, "Read it", filepath.Join(b.Env.Cwd, "..", "elsewhere"))
		b.Do(q.Follow())
		b.MustSay("outside the project")
	})
}

// An agent that names thousands of places hides none behind them.
func TestWhereThePathsOfManyLead(t *testing.T) {
	runBench(t, func(t *testing.T, b *deskBench) {
		q, p := questionsNewQuestions(b)
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
		p.conv.Apply(e)
		b.Do(q.Follow())
		if led := q.Reach().Of(filepath.Join(cwd, "z", "file")); !led.Outside {
			t.Errorf("a link that leads out was not followed: %+v", led)
		}
	})
}

// What is said with a rejection goes to the agent; if that cannot be, it is the draft.
func TestRejectWith(t *testing.T) {
	for _, fails := range []error{nil, errors.New("it was answered already")} {
		runBench(t, func(t *testing.T, b *deskBench) {
			q, p := questionsNewQuestions(b)
			p.fails = fails
			q.composer.SetText("a draft")
			b.Do(q.RejectWith(dialog.RejectWith{ID: 1, Option: "no", Words: "read the other one"}))
			told, draft := "read the other one", "a draft"
			if fails != nil {
				b.MustSay(fails.Error())
				told, draft = "", "a draft\nread the other one"
			}
			if p.told != told || q.composer.Text() != draft {
				t.Errorf("the agent is told %q, and the draft is %q", p.told, q.composer.Text())
			}
		})
	}
}
