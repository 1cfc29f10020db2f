package tab

import (
	"context"
	"errors"
	"testing"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/internal/conversation"
)

// ready is the conversation of an agent with these modes, of which the first is set.
func listsReady(modes ...string) *conversation.Conversation {
	c := conversation.New()
	state := &acpclient.SessionModeState{}
	for _, id := range modes {
		state.AvailableModes = append(state.AvailableModes, acpclient.SessionMode{ID: acpclient.SessionModeID(id), Name: "Mode " + id})
	}
	if len(modes) > 0 {
		state.CurrentModeID = acpclient.SessionModeID(modes[0])
		c.Apply(conversation.SessionOpened{ID: "s", State: acpclient.SessionState{Modes: state}})
		return c
	}
	c.Apply(conversation.SessionOpened{ID: "s"})
	return c
}

func TestNextMode(t *testing.T) {
	runBench(t, func(t *testing.T, b *deskBench) {
		var got acpclient.ConfigValueID
		set := func(_ acpclient.ConfigID, v acpclient.ConfigValue) { got = v.ID }
		b.Do(nextModeList(b.desk, conversation.New(), set))
		if got != "" || b.Said() != "" {
			t.Errorf("before there is a session %q was set, and it says %q", got, b.Said())
		}
		for _, want := range [][2]string{{"ask", "code"}, {"code", "ask"}} {
			c := listsReady("ask", "code")
			c.Apply(conversation.Update{Update: &acpclient.CurrentModeUpdate{CurrentModeID: acpclient.SessionModeID(want[0])}})
			if b.Do(nextModeList(b.desk, c, set)); string(got) != want[1] {
				t.Errorf("behind %s comes %q", want[0], got)
			}
		}
		b.Do(nextModeList(b.desk, listsReady(), set))
		b.MustSay("this agent has no modes")
	})
}

func TestCategory(t *testing.T) {
	runBench(t, func(t *testing.T, b *deskBench) {
		b.Do(categoryList(b.desk, listsReady("ask"), acpclient.CategoryModel, "this agent offers no models"))
		b.MustSay("this agent offers no models")
		b.Do(categoryList(b.desk, listsReady("ask", "code"), acpclient.CategoryMode, ""))
		b.MustSay("Mode code")
	})
}

// The files that the agent wrote are listed with how much they have changed, and opened in
// the person's editor.
func TestFiles(t *testing.T) {
	runBench(t, func(t *testing.T, b *deskBench) {
		c := listsReady("ask")
		c.Apply(conversation.FileWritten{Path: b.Env.Cwd + "/a.txt", After: "one\ntwo\n"})
		opened := ""
		b.Do(fileList(b.desk, c, func(path string, _ int) tea.Cmd { opened = path; return nil }))
		b.MustSay("a.txt")
		b.MustSay("+2")
		if b.Choose("a.txt"); opened != b.Env.Cwd+"/a.txt" {
			t.Errorf("%q was opened", opened)
		}
		b.Do(fileList(b.desk, listsReady("ask"), nil))
		b.MustSay("The agent has written no file through parley.")
	})
}

// canceller refuses to cancel, and notes what is told of that.
type fakeCanceller struct{ told string }

func (c *fakeCanceller) CancelPiece(context.Context, conversation.Piece) error {
	return errors.New("it is done already")
}

func (c *fakeCanceller) Said(_ acpclient.NoticeSeverity, title, text string) {
	c.told = title + ": " + text
}

func TestNothingToCancel(t *testing.T) {
	if items := pieceItems(t.Context(), listsReady("ask"), &fakeCanceller{}); len(items) != 0 {
		t.Errorf("%d calls can be cancelled", len(items))
	}
}

// What the agent does not cancel is told in the transcript.
func TestCancelPiece(t *testing.T) {
	s := &fakeCanceller{}
	cancelPiece(t.Context(), s, conversation.Piece{Call: &conversation.ToolCall{ID: "t"}})()
	if s.told != "The agent has not cancelled the call: it is done already" {
		t.Errorf("told is %q", s.told)
	}
}
