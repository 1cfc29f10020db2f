package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/test"
)

// A question is answered before its turn ends: a view between the two never shows a
// question that nobody asks any more.
func TestLoadClosesQuestionsBeforeItsTurn(t *testing.T) {
	bubble(t, func(t *testing.T, h *harness) {
		h.prompt("one")
		h.agent().ask(t.Context(), "session/request_permission", permissionFor("t1"))
		h.agent().ask(t.Context(), "elicitation/create", `{"sessionId":"s1","mode":"form","message":"?","requestedSchema":{}}`)
		h.settle()
		if err := Try(h.Context(), h, OpenSession{acpclient.SessionInfo{SessionID: "other"}}); err != nil {
			t.Fatal(err)
		}
		h.settle()
		c := conversation.New()
		for _, e := range h.events {
			c.Apply(e)
			if _, ended := e.(conversation.TurnEnded); ended && len(test.Permissions(c))+len(test.Elicitations(c)) > 0 {
				t.Errorf("the turn ended with %d permissions and %d forms open", len(test.Permissions(c)), len(test.Elicitations(c)))
			}
		}
		if len(eventsOf[conversation.TurnEnded](h)) != 1 {
			t.Error("the turn did not end")
		}
	})
}

// capable makes agents advertise what is in capabilities, as JSON.
func capable(capabilities string, unset ...string) func(*harness, *Options) {
	return func(h *harness, _ *Options) {
		h.prepare = func(a *fakeAgent) {
			a.auto["initialize"] = hello(capabilities)
			for _, m := range unset {
				delete(a.auto, m)
			}
		}
	}
}

func TestUpdatesBeforeTheSessionIsKnown(t *testing.T) {
	bubble(t, func(t *testing.T, h *harness) {
		a := h.agent()
		a.text("s1", "Welcome")
		a.text("other", "not ours")
		a.update("s1", `{"sessionUpdate":"available_commands_update","availableCommands":[{"name":"init"}]}`)
		h.settle()
		if len(h.conv.Items) != 0 {
			t.Error("something is shown before it is known whose it is")
		}
		h.reply("session/new", `{"sessionId":"s1","modes":{"currentModeId":"ask","availableModes":[{"id":"ask","name":"Ask"}]}}`)
		test.WantTranscript(t, h.conv, "agent: Welcome")
		if len(h.conv.Commands) != 1 {
			t.Error("the commands were lost")
		}
		if name, _ := h.conv.CategoryValue(acpclient.CategoryMode); name != "Ask" {
			t.Errorf("mode %q", name)
		}
		a.text("other", "still not ours")
		h.settle()
		test.WantTranscript(t, h.conv, "agent: Welcome")
	}, capable(`{}`, "session/new"))
}

func TestEarlyUpdatesAreBounded(t *testing.T) {
	bubble(t, func(t *testing.T, h *harness) {
		n := &acpclient.SessionNotification{SessionID: "s1", Update: &acpclient.ContentChunk{
			Chunk: acpclient.AgentMessageChunk, Content: acpclient.TextBlock(strings.Repeat("x", 1<<20)),
		}}
		for range 40 {
			h.Session.agent.SessionUpdate(t.Context(), n)
		}
		h.reply("session/new", `{"sessionId":"s1"}`)
		if n := len(h.conv.Items[0].(*conversation.Message).Parts.Plain()); n < earlyBound/2 || n > earlyBound {
			t.Errorf("%d bytes were kept", n)
		}
	}, capable(`{}`, "session/new"))
}

func TestLoadReplaysBeforeAndAfterTheAnswer(t *testing.T) {
	bubble(t, func(t *testing.T, h *harness) {
		a := h.agent()
		a.update("old", `{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"before"}}`)
		a.text("old", "yes")
		h.settle()
		test.WantTranscript(t, h.conv, "user: before", "agent: yes")
		h.reply("session/load", `null`)
		a.update("old", `{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"after"}}`)
		a.text("old", "too")
		h.settle()
		test.WantTranscript(t, h.conv, "user: before", "agent: yes", "user: after", "agent: too")
		if h.conv.Phase != conversation.PhaseReady || h.conv.ID != "old" {
			t.Errorf("phase %v, id %q", h.conv.Phase, h.conv.ID)
		}
	}, capable(everything), func(_ *harness, o *Options) { o.ResumeID = "old" })
}

func TestResumeWhereThereIsNoLoad(t *testing.T) {
	bubble(t, func(t *testing.T, h *harness) {
		h.reply("session/resume", `{}`)
		if h.conv.Phase != conversation.PhaseReady || h.conv.ID != "old" {
			t.Errorf("phase %v, id %q", h.conv.Phase, h.conv.ID)
		}
		test.WantTranscript(t, h.conv, "note: The history of this session is not available")
	}, capable(`{"sessionCapabilities":{"resume":{}}}`), func(_ *harness, o *Options) { o.ResumeID = "old" })
}

func TestAnOldSessionWithAnAgentThatCannot(t *testing.T) {
	bubble(t, func(t *testing.T, h *harness) {
		if h.conv.Phase != conversation.PhaseFailed || h.agent().count("session/new") != 0 {
			t.Errorf("phase %v, agent got %q", h.conv.Phase, h.agent().got())
		}
		if err := Try(h.Context(), h, OpenSession{acpclient.SessionInfo{SessionID: "x"}}); !errors.Is(err, ErrUnsupported) {
			t.Error(err)
		}
		if err := Try(h.Context(), h, OpenAnew{}); err != nil {
			t.Fatal(err)
		}
		h.settle()
		if h.conv.Phase != conversation.PhaseReady {
			t.Errorf("phase %v", h.conv.Phase)
		}
	}, capable(`{}`), func(_ *harness, o *Options) { o.ResumeID = "old" })
}

func TestOnlyWhatTheAgentTakesIsSent(t *testing.T) {
	given := func(h *harness, o *Options) {
		o.AdditionalDirectories = []string{"/lib"}
		o.MCPServers = []acpclient.MCPServer{{Name: "local", Command: "/bin/mcp"}, {Name: "web", Type: acpclient.MCPHTTP, URL: "http://x"}}
	}
	for capabilities, want := range map[string]string{
		`{}`: `{"cwd":"/work","mcpServers":[{"name":"local","command":"/bin/mcp","args":[],"env":[]}]}`,
		`{"mcpCapabilities":{"http":true},"sessionCapabilities":{"additionalDirectories":{}}}`: `{"cwd":"/work","additionalDirectories":["/lib"],"mcpServers":[{"name":"local","command":"/bin/mcp","args":[],"env":[]},{"type":"http","name":"web","url":"http://x","headers":[]}]}`,
	} {
		bubble(t, func(t *testing.T, h *harness) {
			if got := string(h.agent().open("session/new").params); got != want {
				t.Errorf("sent %s, want %s", got, want)
			}
			if notes := len(h.conv.Items); capabilities == `{}` && notes != 2 || capabilities != `{}` && notes != 0 {
				t.Errorf("%d notes on what was left out", notes)
			}
		}, capable(capabilities, "session/new"), given)
	}
}

func TestOpeningFailsAndIsTriedAgain(t *testing.T) {
	bubble(t, func(t *testing.T, h *harness) {
		h.prompt("waits")
		h.fail("session/new", acpclient.CodeInternalError, "disk full")
		if h.conv.Phase != conversation.PhaseFailed {
			t.Errorf("phase %v", h.conv.Phase)
		}
		Post(h, Start{})
		h.settle()
		h.reply("session/new", `{"sessionId":"s1"}`)
		if h.conv.Phase != conversation.PhaseReady || !h.conv.Turn.Running {
			t.Errorf("phase %v, running %v", h.conv.Phase, h.conv.Turn.Running)
		}
	}, capable(everything, "session/new"))
}

func TestLoadAnotherSession(t *testing.T) {
	bubble(t, func(t *testing.T, h *harness) {
		h.prompt("one")
		h.prompt("two")
		open := h.agent().ask(t.Context(), "session/request_permission", permissionFor("t1"))
		h.settle()
		if err := Try(h.Context(), h, OpenSession{acpclient.SessionInfo{SessionID: "b", Cwd: "/elsewhere"}}); err == nil {
			t.Error("a session of another directory was opened here")
		}
		if err := Try(h.Context(), h, OpenSession{acpclient.SessionInfo{SessionID: "b", Cwd: "/work/"}}); err != nil {
			t.Fatal(err)
		}
		if err := Try(h.Context(), h, OpenSession{acpclient.SessionInfo{SessionID: "c"}}); err == nil {
			t.Error("opened two at once")
		}
		h.settle()
		wantAnswer(t, open, `{"outcome":{"outcome":"cancelled"}}`)
		if h.conv.Turn.Running || len(h.conv.Queue) != 0 || len(test.Permissions(h.conv)) != 0 {
			t.Error("something of the old session is still open")
		}
		got := h.agent().got()
		if want := []string{"session/cancel s1", "session/close s1", "session/load b"}; !slices.Equal(got[len(got)-3:], want) {
			t.Errorf("the agent got %q", got)
		}
		// What the old session still says is nobody's business.
		h.agent().text("s1", "late")
		h.agent().reply(t, "session/prompt", json.RawMessage(`{"stopReason":"cancelled"}`))
		late := h.agent().ask(t.Context(), "session/request_permission", permissionFor("t1"))
		file := h.agent().ask(t.Context(), "fs/read_text_file", `{"sessionId":"s1","path":"/work/x"}`)
		h.agent().text("b", "history")
		h.settle()
		wantAnswer(t, late, `{"outcome":{"outcome":"cancelled"}}`)
		if got := <-file; !acpclient.IsCode(got.err, acpclient.CodeInvalidParams) {
			t.Errorf("a session that was left read a file: %s %v", got.raw, got.err)
		}
		h.reply("session/load", `{}`)
		test.WantTranscript(t, h.conv, "note: A queued prompt was dropped", "agent: history")
		if h.conv.ID != "b" || len(test.Permissions(h.conv)) != 0 {
			t.Errorf("id %q", h.conv.ID)
		}
		// Back again.
		if err := Try(h.Context(), h, OpenSession{acpclient.SessionInfo{SessionID: "s1"}}); err != nil {
			t.Fatal(err)
		}
		h.settle()
		h.agent().text("s1", "replayed")
		h.settle()
		test.WantTranscript(t, h.conv, "agent: replayed")
	})
}

// A question that waits for room in the stream while its session is left is nobody's
// business either.
func TestAQuestionWhoseSessionIsLeftBeforeItIsSeen(t *testing.T) {
	for method, params := range map[string]string{
		"session/request_permission": permissionFor("t1"),
		"elicitation/create":         `{"sessionId":"s1","mode":"form","message":"?","requestedSchema":{}}`,
	} {
		t.Run(method, func(t *testing.T) {
			bubble(t, func(t *testing.T, h *harness) {
				h.stream.post(says(strings.Repeat("x", pendingBound)))
				asked := h.agent().ask(t.Context(), method, params)
				synctest.Wait()
				if err := Try(h.Context(), h, OpenSession{acpclient.SessionInfo{SessionID: "b"}}); err != nil {
					t.Fatal(err)
				}
				h.settle()
				if len(test.Permissions(h.conv))+len(test.Elicitations(h.conv)) != 0 {
					t.Error("the user is asked")
				}
				select {
				case got := <-asked:
					if got.err != nil || !strings.Contains(string(got.raw), "cancel") {
						t.Errorf("it is answered %s %v", got.raw, got.err)
					}
				default:
					t.Error("it is not answered")
				}
			})
		})
	}
}

func TestLoadTakesTheOthersPlace(t *testing.T) {
	bubble(t, func(t *testing.T, h *harness) {
		h.prompt("one")
		h.reply("session/prompt", `{}`)
		h.agent().update("s1", `{"sessionUpdate":"session_info_update","title":"Old"}`)
		h.settle()
		h.agent().set("session/load", json.RawMessage(`{}`))
		if err := Try(h.Context(), h, OpenSession{acpclient.SessionInfo{SessionID: "fresh"}}); err != nil {
			t.Fatal(err)
		}
		h.settle()
		test.WantTranscript(t, h.conv)
		if h.conv.ID != "fresh" || h.conv.Title != "" || h.conv.Phase != conversation.PhaseReady || h.conv.Agent.Name() != "fake" {
			t.Errorf("%q %q %v", h.conv.ID, h.conv.Title, h.conv.Phase)
		}
		// A restart goes on with the fresh one.
		h.agent().exit(errors.New("crash"))
		h.settle()
		Post(h, Start{})
		h.settle()
		if q := h.agent().open("session/resume"); q == nil || sessionOf(q.params) != "fresh" {
			t.Errorf("the agent got %q", h.agent().got())
		}
	})
}

func TestSeveralDroppedPrompts(t *testing.T) {
	bubble(t, func(t *testing.T, h *harness) {
		for i := range 4 {
			h.prompt(fmt.Sprint(i))
		}
		h.unsetClose()
		_ = Try(h.Context(), h, OpenSession{acpclient.SessionInfo{SessionID: "other"}})
		h.settle()
		test.WantTranscript(t, h.conv, "note: 3 queued prompts were dropped")
	})
}

// unsetClose answers session/close, so that nothing is open at the agent.
func (h *harness) unsetClose() { h.agent().set("session/close", json.RawMessage(`{}`)) }

func TestFork(t *testing.T) {
	bubble(t, func(t *testing.T, h *harness) {
		h.prompt("one")
		if err := Try(h.Context(), h, Fork{}); err == nil {
			t.Error("forked in a turn")
		}
		h.reply("session/prompt", `{}`)
		if err := Try(h.Context(), h, Fork{}); err != nil {
			t.Fatal(err)
		}
		h.prompt("for the copy")
		h.agent().text("copy", "hello from the copy")
		h.settle()
		h.reply("session/fork", `{"sessionId":"copy"}`)
		test.WantTranscript(t, h.conv, "user: one", "agent: hello from the copy", "user: for the copy")
		if q := h.agent().open("session/prompt"); sessionOf(q.params) != "copy" || h.conv.ID != "copy" {
			t.Errorf("the prompt went to %s", q.params)
		}
		if h.agent().count("session/close") != 0 {
			t.Error("the original was closed")
		}
		h.reply("session/prompt", `{}`)
		_ = Try(h.Context(), h, Fork{})
		h.settle()
		h.fail("session/fork", acpclient.CodeInternalError, "no")
		if h.conv.Phase != conversation.PhaseReady || h.conv.ID != "copy" {
			t.Errorf("phase %v, id %q", h.conv.Phase, h.conv.ID)
		}
		h.prompt("still here")
		if !h.conv.Turn.Running {
			t.Error("the session is not open any more")
		}
	})
	bubble(t, func(t *testing.T, h *harness) {
		if err := Try(h.Context(), h, Fork{}); !errors.Is(err, ErrUnsupported) {
			t.Error(err)
		}
	}, capable(`{}`))
}

func TestListAndDelete(t *testing.T) {
	bubble(t, func(t *testing.T, h *harness) {
		h.agent().set("session/list", json.RawMessage(`{"sessions":[{"sessionId":"a","cwd":"/work"},{"bad":true}],"nextCursor":"2"}`))
		page, err := Do(t.Context(), h, ListSessions{""})
		if err != nil || len(page.Sessions) != 1 || page.NextCursor != "2" {
			t.Errorf("%+v %v", page, err)
		}
		h.agent().set("session/delete", json.RawMessage(`null`))
		if err := Try(t.Context(), h, DeleteSession{"a"}); err != nil {
			t.Error(err)
		}
		if err := Try(t.Context(), h, DeleteSession{"s1"}); err == nil {
			t.Error("deleted the session that is open")
		}
	})
	bubble(t, func(t *testing.T, h *harness) {
		if _, err := Do(t.Context(), h, ListSessions{""}); !errors.Is(err, ErrUnsupported) {
			t.Error(err)
		}
		if err := Try(t.Context(), h, DeleteSession{"a"}); !errors.Is(err, ErrUnsupported) {
			t.Error(err)
		}
		if err := Try(t.Context(), h, Logout{}); !errors.Is(err, ErrUnsupported) {
			t.Error(err)
		}
	}, capable(`{}`))
}

// A burst is held back by a slow screen: nothing is lost, the order is kept, and
// what waits is bounded.
func TestABurstWithASlowReader(t *testing.T) {
	const updates = 60_000
	bubble(t, func(t *testing.T, h *harness) {
		h.prompt("go")
		go func() {
			const line = `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":%s}}` + "\n"
			long := strings.Repeat("x", 10_000)
			var burst bytes.Buffer
			for i := range updates {
				fmt.Fprintf(&burst, line, test.AgentSays(fmt.Sprintf("%d ", i), ""))
				if i%100 == 0 { // not all of it merges
					fmt.Fprintf(&burst, line, `{"sessionUpdate":"tool_call_update","toolCallId":"t","rawOutput":"`+long+`"}`)
				}
			}
			_, _ = burst.WriteTo(h.agent().says)
			h.agent().reply(t, "session/prompt", json.RawMessage(`{}`))
		}()
		var text strings.Builder
		most := 0
		for ended := false; !ended; {
			synctest.Wait()
			size := 0
			for _, e := range h.Stream().Take() {
				size += conversation.SizeOf(e)
				switch e := e.(type) {
				case conversation.Text:
					text.WriteString(e.Text)
				case conversation.TurnEnded:
					ended = true
				}
			}
			most = max(most, size)
		}
		if most > pendingBound+20_000 {
			t.Errorf("%d bytes waited", most)
		}
		next := 0
		for word := range strings.FieldsSeq(text.String()) {
			if word != fmt.Sprint(next) {
				t.Fatalf("%s came instead of %d", word, next)
			}
			next++
		}
		if next != updates {
			t.Errorf("%d of %d updates arrived before the end of the turn", next, updates)
		}
	}, func(_ *harness, o *Options) { o.Taps = nil })
}
