package session

import (
	"context"
	"errors"
	"testing"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/test"
)

// fileAnswer is how a question about a file came out.
type fileAnswer struct {
	answer acpclient.PermissionOptionID
	err    error
}

func aboutFile(q *conversation.FileQuestion) conversation.PermissionOpened {
	return conversation.PermissionOpened{Request: conversation.FileRequest(q, nil, ""), File: q}
}

// askFile has the machine ask about a file, and waits until the question is open.
func (h *harness) askFile(ctx context.Context) chan fileAnswer {
	done := make(chan fileAnswer, 1)
	go func() {
		q := &conversation.FileQuestion{Path: "/etc/hosts", Target: "/etc/hosts", Outside: true}
		a, err := h.machine.asker.Ask(ctx, aboutFile(q), "")
		done <- fileAnswer{a, err}
	}()
	h.settle()
	return done
}

// An undo of the user's asks also when no agent runs, and its answer says nothing about
// the turn.
func TestTheQuestionOfAnUndoNeedsNoAgent(t *testing.T) {
	bubble(t, func(t *testing.T, h *harness) {
		h.agent().exit(errors.New("gone"))
		h.settle()
		answer := make(chan fileAnswer, 1)
		go func() {
			q := &conversation.FileQuestion{Path: "/etc/hosts", Target: "/etc/hosts", Outside: true, Write: true, Act: "undo"}
			a, err := h.machine.asker.Ask(t.Context(), aboutFile(q), "")
			answer <- fileAnswer{a, err}
		}()
		h.settle()
		if len(test.Permissions(h.conv)) != 1 {
			t.Fatalf("%d questions are open", len(test.Permissions(h.conv)))
		}
		if err := Try(h.Context(), h, Answer{Question: test.Permissions(h.conv)[0].Seen, Option: conversation.FileNo}); err != nil {
			t.Fatal(err)
		}
		h.settle()
		if got := <-answer; got.err != nil || got.answer != conversation.FileNo || h.conv.Turn.Rejected {
			t.Errorf("the answer is %+v, the turn's %v", got, h.conv.Turn.Rejected)
		}
	})
}

func TestFileQuestionIsAnswered(t *testing.T) {
	for _, option := range []acpclient.PermissionOptionID{conversation.FileOnce, conversation.FileSession, conversation.FileNo} {
		bubble(t, func(t *testing.T, h *harness) {
			h.prompt("go")
			done := h.askFile(t.Context())
			if len(test.Permissions(h.conv)) != 1 || test.Permissions(h.conv)[0].File == nil {
				t.Fatalf("open questions: %+v", test.Permissions(h.conv))
			}
			id := test.Permissions(h.conv)[0].Seen
			if err := Try(h.Context(), h, Answer{Question: id, Option: "allow"}); err == nil {
				t.Error("took an answer that was not offered")
			}
			if err := Try(h.Context(), h, Answer{Question: id, Option: option}); err != nil {
				t.Fatal(err)
			}
			h.settle()
			if got := <-done; got.err != nil || got.answer != option {
				t.Errorf("%s is answered %+v", option, got)
			}
			if err := Try(h.Context(), h, Answer{Question: id, Option: option}); err == nil {
				t.Error("took a second answer")
			}
			if len(h.agent().got()) == 0 || h.agent().count("session/request_permission") != 0 {
				t.Error("the agent was sent something")
			}
		})
	}
}

// Whatever ends what the question is for takes it back.
func TestFileQuestionIsTakenBack(t *testing.T) {
	for name, end := range map[string]func(*harness, context.CancelFunc){
		"the turn is cancelled": func(h *harness, _ context.CancelFunc) { resultOf(h, Cancel{}) },
		"the agent gives it up": func(_ *harness, cancel context.CancelFunc) { cancel() },
		"the agent dies":        func(h *harness, _ context.CancelFunc) { h.agent().exit(errors.New("dead")) },
		"another session opens": func(h *harness, _ context.CancelFunc) {
			_ = Try(h.Context(), h, OpenSession{acpclient.SessionInfo{SessionID: "other"}})
		},
		"the session is closed":  func(h *harness, _ context.CancelFunc) { h.Session.Close(context.Background()) },
		"the agent is restarted": func(h *harness, _ context.CancelFunc) { Post(h, Reconnect{}) },
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, h *harness) {
				h.prompt("go")
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				done := h.askFile(ctx)
				if len(test.Permissions(h.conv)) != 1 {
					t.Fatal("nothing was asked")
				}
				end(h, cancel)
				h.settle()
				if got := <-done; got.err == nil || got.answer != "" {
					t.Errorf("the answer is %+v", got)
				}
				if n := len(test.Permissions(h.conv)); n != 0 {
					t.Errorf("%d questions are still open", n)
				}
			})
		})
	}
}

// A file that is wanted after the turn was cancelled is not asked about.
func TestNoFileQuestionAfterCancel(t *testing.T) {
	bubble(t, func(t *testing.T, h *harness) {
		h.prompt("go")
		resultOf(h, Cancel{})
		if got := <-h.askFile(t.Context()); !errors.Is(got.err, ErrCancelled) {
			t.Errorf("the answer is %+v", got)
		}
		if len(eventsOf[conversation.PermissionOpened](h)) != 0 {
			t.Error("a question was opened")
		}
	})
}

// Nor is one that is wanted for a session that was left.
func TestNoFileQuestionForASessionThatWasLeft(t *testing.T) {
	bubble(t, func(t *testing.T, h *harness) {
		h.machine.busy = make(chan struct{})
		h.prompt("go")
		wrote := h.agent().ask(t.Context(), "fs/write_text_file", `{"sessionId":"s1","path":"/work/.env","content":"x"}`)
		h.settle()
		if err := Try(h.Context(), h, OpenSession{acpclient.SessionInfo{SessionID: "other"}}); err != nil {
			t.Fatal(err)
		}
		h.settle()
		close(h.machine.busy)
		h.settle()
		if len(test.Permissions(h.conv)) != 0 {
			t.Error("the user is asked")
		}
		select {
		case got := <-wrote:
			if got.err == nil {
				t.Errorf("it was written: %s", got.raw)
			}
		default:
			t.Error("the agent gets no answer")
		}
	})
}
