package demoagent

import (
	"log/slog"
	"strings"
	"testing"

	"parley/acpclient"
	v2 "parley/acpclient/v2"
	"parley/internal/schema"
)

// meetV2 is meet with a client that speaks the second version.
func meetV2(t *testing.T) *user {
	t.Helper()
	p := startTour(t, 0, schema.V2())
	r := &acpclient.InitializeRequest{ClientInfo: &acpclient.Implementation{Name: "test", Version: "1"}, ClientCapabilities: able}
	c, info, err := v2.Negotiate(t.Context(), p.Client, p, r, slog.New(slog.DiscardHandler))
	if err != nil || info.ProtocolVersion != v2.Version {
		t.Fatal(info, err)
	}
	p.client = c
	return p
}

// states are the states that the agent has told, in a line.
func (p *user) states() string {
	var words []string
	for _, u := range all[*acpclient.StateUpdate](p) {
		words = append(words, string(u.State))
	}
	return strings.Join(words, " ")
}

// The prompt stands in the session under the id with which it was accepted, once.
func TestThePromptIsToldOf(t *testing.T) {
	p := meetV2(t)
	s := p.newSession(true)
	p.prompt(s.SessionID, "hello")
	accepted, told := all[*acpclient.PromptAccepted](p), all[*acpclient.MessageUpdate](p)
	if len(accepted) != 1 || len(told) != 1 || accepted[0].MessageID != told[0].MessageID || (*told[0].Content.Value)[0].Text != "hello" {
		t.Errorf("accepted %+v, told %+v", accepted, told)
	}
}

// A command runs in a terminal of the tour's own, whose output is shown as it comes.
func TestACommandIsShownInTheSecondVersion(t *testing.T) {
	p := meetV2(t)
	s := p.newSession(true)
	p.prompt(s.SessionID, "/run echo 'it is ✓'; exit 3")
	p.want("tools", p.outcome(), "execute:failed")
	var printed []byte
	for _, c := range all[*acpclient.TerminalOutputChunk](p) {
		printed = append(printed, c.Data...)
	}
	p.want("output", string(printed), "it is ✓\n")
	shown := all[*acpclient.TerminalUpdate](p)
	if first, last := shown[0], shown[len(shown)-1]; *first.Cwd.Value != p.dir || last.ExitStatus.Value == nil || *last.ExitStatus.Value.ExitCode != 3 {
		t.Errorf("%+v", shown)
	}
	if c := p.tools()[0].content; len(c) != 1 || c[0].TerminalID != shown[0].TerminalID {
		t.Errorf("the call shows %+v", c)
	}
}

// Whatever the tour can do, it says in words of the version: the schema is the referee.
func TestEveryCommandInTheSecondVersion(t *testing.T) {
	p := meetV2(t)
	p.fill = acpclient.CreateElicitationResponse{Action: acpclient.ElicitDecline}
	s := p.newSession(true)
	for _, text := range []string{"/plan greet", "/edit one", "/run", "/slow 3", "/ask", "/ask url", "/image", "/compact", "/help", "/nothing", "hello"} {
		p.want(text, string(p.prompt(s.SessionID, text)), string(acpclient.StopEndTurn))
	}
	if len(p.elicited) != 2 || len(all[*acpclient.CompactionUpdate](p)) == 0 || len(all[*acpclient.CurrentModeUpdate](p)) > 0 {
		t.Errorf("%d questions", len(p.elicited))
	}
}

func TestCancellingInTheSecondVersion(t *testing.T) {
	p := meetV2(t)
	s := p.newSession(true)
	p.seen = func(u acpclient.SessionUpdate) {
		if c, ok := u.(*acpclient.ContentChunk); ok && c.Chunk == acpclient.AgentMessageChunk {
			_ = p.Conn().Notify(acpclient.SessionCancel.Name, &acpclient.CancelNotification{SessionID: s.SessionID})
		}
	}
	p.want("stop reason", string(p.prompt(s.SessionID, "/slow 100000")), string(acpclient.StopCancelled))
	p.want("states", p.states(), "running idle")
}

// A session of this run can be opened again, and is replayed where the client asks for it.
func TestResumingInTheSecondVersion(t *testing.T) {
	p := meetV2(t)
	s := p.newSession(true)
	p.prompt(s.SessionID, "hello")
	calls(p, acpclient.SessionClose, &acpclient.CloseSessionRequest{SessionID: s.SessionID})
	said := p.said(acpclient.AgentMessageChunk)
	calls(p, acpclient.SessionResume, &acpclient.ResumeSessionRequest{SessionID: s.SessionID, Cwd: p.dir})
	p.want("said", p.said(acpclient.AgentMessageChunk), said)
	calls(p, acpclient.SessionLoad, &acpclient.LoadSessionRequest{SessionID: s.SessionID, Cwd: p.dir})
	p.want("replayed", p.said(acpclient.AgentMessageChunk), said+said)
	p.want("prompt", p.said(acpclient.UserMessageChunk), "hello")
	p.want("states", p.states(), "running idle idle idle")
	_, err := acpclient.Call(t.Context(), p.client, acpclient.SessionResume, &acpclient.ResumeSessionRequest{SessionID: "other", Cwd: p.dir})
	if !acpclient.IsCode(err, acpclient.CodeResourceNotFound) {
		t.Errorf("another one: %v", err)
	}
}
