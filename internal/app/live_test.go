package app_test

import (
	"testing"

	"parley/config"
	"parley/internal/app"
	"parley/internal/conversation"
	"parley/internal/session"
)

// The queue is asked about once, when a session is open again after the agent exited.
func TestTheQueueIsAskedAboutOnceAfterALoss(t *testing.T) {
	s, err := app.Here(session.Options{
		Cwd:     t.TempDir(),
		Machine: func(session.Observer, session.Asker) (session.Machine, error) { return nil, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	l := (&app.Opened{Agent: config.Agent{ID: "a", InstallHint: "npm i a"}, Session: s}).Live()
	asks := func(events ...conversation.Event) bool {
		for _, e := range events {
			l.Apply(e)
		}
		return l.SendQueueQuestion() != nil
	}
	queue := conversation.QueueChanged{Queue: []conversation.QueuedPrompt{{ID: 1}}, Paused: true}
	opened := conversation.SessionOpened{ID: "s", Cwd: l.Conversation.Cwd}
	if asks(opened, queue) {
		t.Error("it asks though the agent has not exited")
	}
	if !asks(conversation.AgentLost{}, opened) || asks(opened) {
		t.Error("it does not ask once after the agent exited")
	}
	if asks(conversation.AgentLost{}, conversation.QueueChanged{}, opened) {
		t.Error("it asks about an empty queue")
	}
}

// The notice of a request without an answer names the key that helps.
func TestANoticeNamesTheKey(t *testing.T) {
	l := &app.Live{Conversation: conversation.New(), Restart: "alt+r"}
	l.Apply(conversation.NoticeAdded{Title: "The agent has not answered", Detail: "Wait, or restart the agent.", Unanswered: true})
	if n := l.Conversation.Items[0].(*conversation.Note); n.Detail != "Wait, or restart the agent with alt+r." {
		t.Errorf("it says %q", n.Detail)
	}
}
