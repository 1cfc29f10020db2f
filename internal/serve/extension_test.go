package serve

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/journal"
	"parley/internal/session"
)

// toldStates returns the states of the session that the client was told of, in order. c.mu must be held.
func (c *client) toldStates() (all []Status) {
	for _, line := range c.lines {
		var n struct {
			Method string `json:"method"`
			Params Status `json:"params"`
		}
		if json.Unmarshal([]byte(line), &n) == nil && n.Method == MethodStatus {
			all = append(all, n.Params)
		}
	}
	return all
}

// A client that knows the status is told when it changes, and not otherwise. Its prompts wait in a
// paused queue until it is resumed.
func TestTheStatus(t *testing.T) {
	const script = `handshake
expect session/prompt as first
update {"sessionUpdate":"usage_update","used":1,"size":9,"cost":{"amount":2,"currency":"USD"}}
update {"sessionUpdate":"plan","entries":[{"content":"one","priority":"high","status":"completed"},{"content":"two","priority":"high","status":"in_progress"}]}
request session/request_permission {"sessionId":"${session}","toolCall":{"toolCallId":"t","title":"ls"},"options":[{"optionId":"yes","name":"Yes","kind":"allow_once"}]} as asked
await asked contains "yes"
reply-error first -32603 it broke
expect session/prompt
end-turn
serve
`
	for _, v2 := range []bool{false, true} {
		t.Run(fmt.Sprintf("version 2 %t", v2), func(t *testing.T) { theStatus(t, newStage(t, script), v2) })
	}
}

func theStatus(t *testing.T, s *stage, v2 bool) {
	s.viewers = []string{"viewer", "another"}
	c := s.client(Options{}, acpclient.ClientCapabilities{Meta: acpclient.Meta(`{"parley":{"status":true}}`)}, v2).open(s.opt.Cwd)
	deaf := s.client(Options{Running: "host"}, acpclient.ClientCapabilities{}, v2).open(s.opt.Cwd)
	told := func(what string, is func(Status) bool) {
		c.until(what, func() bool {
			all := c.toldStates()
			return len(all) > 0 && is(all[len(all)-1])
		})
	}
	answer := make(chan acpclient.PermissionOptionID)
	c.decide = func(ctx context.Context, _ *acpclient.RequestPermissionRequest) (acpclient.PermissionOptionID, error) {
		return <-answer, nil
	}
	deaf.decide = func(ctx context.Context, _ *acpclient.RequestPermissionRequest) (acpclient.PermissionOptionID, error) {
		<-ctx.Done()
		return "", ctx.Err()
	}
	c.prompt("one")
	told("the question", func(st Status) bool {
		o := st.Overview
		return st.SessionID == c.id && st.State == "waits for your answer" && o.Question == "ls" && o.Progress.Done == 1 && o.Spent.Cost != nil && o.Spent.Cost.Amount == 2
	})
	second := c.prompt("two")
	told("the queue", func(st Status) bool { return len(st.Queue) == 1 && st.Queue[0].Text == "two" && st.Queue[0].Own })
	answer <- "yes"
	told("the paused queue", func(st Status) bool { return len(st.Queue) == 1 && st.Overview.Paused })
	if st := c.reports(func(Status) bool { return true }); strings.Join(st.Viewers, " ") != "viewer another" {
		t.Errorf("the viewers are %q", st.Viewers)
	}
	if err := c.call(MethodResumeQueue, map[string]any{"sessionId": c.id}); err != nil {
		t.Fatal(err)
	}
	c.ends(second, "end_turn")
	told("the end", func(st Status) bool { return len(st.Queue) == 0 && !st.Overview.Working })
	session.Post(s.viewer(), session.AddNotice{Severity: acpclient.NoticeWarning, Title: "Of no weight"})
	c.said("Of no weight")
	c.reports(func(Status) bool { return true }) // what is sent on account of it comes before
	deaf.reports(func(st Status) bool { return len(st.Queue) == 0 })
	c.mu.Lock()
	defer c.mu.Unlock()
	all := c.toldStates()
	for i, st := range all {
		if i > 0 && encode(st) == encode(all[i-1]) {
			t.Errorf("told twice: %+v", st)
		}
	}
	deaf.mu.Lock()
	defer deaf.mu.Unlock()
	if all := deaf.toldStates(); len(all) > 0 {
		t.Errorf("a client that does not know it is told %+v", all)
	}
}

// A client gets the files that the session has changed, and an error for one that comes from its log.
func TestTheChanges(t *testing.T) {
	s := newStage(t, `handshake
expect session/prompt
request fs/write_text_file {"sessionId":"${session}","path":"${cwd}/file","content":"a\nb\n"} as wrote
await wrote contains "result"
update {"sessionUpdate":"tool_call","toolCallId":"t","title":"Edit","kind":"edit","status":"completed","content":[{"type":"diff","path":"${cwd}/made","newText":"c\n"}]}
end-turn
serve
`).storing()
	c := s.client(Options{}, acpclient.ClientCapabilities{}, false).open(s.opt.Cwd)
	c.decide = func(context.Context, *acpclient.RequestPermissionRequest) (acpclient.PermissionOptionID, error) {
		if err := os.WriteFile(filepath.Join(s.opt.Cwd, "made"), []byte("c\n"), 0o600); err != nil { // as the agent reports later
			t.Error(err)
		}
		return conversation.FileOnce, nil
	}
	changes := func(c *client) string {
		var raw json.RawMessage
		if err := c.Call(t.Context(), MethodChanges, map[string]any{"sessionId": c.id}, &raw); err != nil {
			return err.Error()
		}
		return string(raw)
	}
	if got := changes(c); got != `{"files":[]}` {
		t.Errorf("%s", got)
	}
	c.ends(c.prompt("write"), "end_turn")
	if text, err := os.ReadFile(filepath.Join(s.opt.Cwd, "file")); err != nil || string(text) != "a\nb\n" {
		t.Fatalf("%q, %v", text, err)
	}
	c.reports(func(st Status) bool { return st.Overview.Changed.Files == 2 && st.Overview.Changed.Added == 2 })
	viewer := s.viewer()
	session.Post(viewer, session.KeepFile{Part: journal.Part{Path: filepath.Join(s.opt.Cwd, "file")}})
	if _, err := session.Do(t.Context(), viewer, session.ChangedFiles{}); err != nil { // after it
		t.Error(err)
	}
	want := `{"files":[{"path":"/file","sources":["write"],"accepted":true},{"path":"/made","sources":["report"]}]}`
	if got := strings.ReplaceAll(changes(c), s.opt.Cwd, ""); got != want {
		t.Errorf("%s", got)
	}
	id := s.remembers("hello")[0]
	looks := s.client(Options{ReadOnly: true}, acpclient.ClientCapabilities{}, false)
	if err := looks.load(id); err != nil {
		t.Fatal(err)
	}
	if got := changes(looks); !strings.Contains(got, "does not record changes") {
		t.Errorf("%s", got)
	}
}

// The queue's prompts have ids, those of other viewers too. A prompt that is not in it is not taken out.
func TestAPromptOfAnotherViewerIsTakenOut(t *testing.T) {
	s := newStage(t, "handshake\nexpect session/prompt\nsay working\nwait-cancel\nend-turn cancelled\nserve\n")
	c := s.client(Options{}, acpclient.ClientCapabilities{}, false).open(s.opt.Cwd)
	turn := c.prompt("one")
	c.said("working")
	session.Post(s.viewer(), session.Prompt{Prompt: conversation.QueuedPrompt{Prompt: []acpclient.ContentBlock{acpclient.TextBlock("two")}}})
	q := c.reports(func(st Status) bool { return len(st.Queue) > 0 }).Queue[0]
	if q.Text != "two" || q.Own {
		t.Errorf("%+v", q)
	}
	for _, want := range []string{"", session.ErrNotQueued.Error()} {
		if err := c.call(MethodUnqueue, map[string]any{"sessionId": c.id, "id": q.ID}); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%v, not %q", err, want)
		}
	}
	c.reports(func(st Status) bool { return len(st.Queue) == 0 })
	if err := c.conn.Notify(acpclient.SessionCancel.Name, &acpclient.CancelNotification{SessionID: c.id}); err != nil {
		t.Fatal(err)
	}
	c.ends(turn, "cancelled")
}
