package demoagent

import (
	"log/slog"
	"strings"
	"testing"

	"parley/acpclient"
	v2 "parley/acpclient/v2"
	"parley/internal/schema"
)

// userV2 is a user whose client speaks the second version.
type userV2 struct {
	*user
	client v2.Negotiated
}

func meetV2(t *testing.T, delay float64) *userV2 {
	t.Helper()
	p := startTour(t, delay, schema.V2())
	r := &acpclient.InitializeRequest{ClientInfo: &acpclient.Implementation{Name: "test", Version: "1"}, ClientCapabilities: able}
	c, info, err := v2.Negotiate(t.Context(), p.Client, p, r, slog.New(slog.DiscardHandler))
	if err != nil || info.ProtocolVersion != v2.Version {
		t.Fatal(info, err)
	}
	return &userV2{p, c}
}

// calls makes a call and waits for its answer.
func calls[P, R any](p *userV2, m acpclient.Method[P, R], params *P) *R {
	p.t.Helper()
	type answer struct {
		r   *R
		err error
	}
	done := make(chan answer, 1)
	acpclient.Go(p.client, m, params, func(r *R, err error) { done <- answer{r, err} })
	a := <-done
	if a.err != nil {
		p.t.Fatalf("%s: %v", m.Name, a.err)
	}
	return a.r
}

// open opens a session in a sample project.
func (p *userV2) open() *acpclient.NewSessionResponse {
	p.t.Helper()
	p.dir = p.t.TempDir()
	if err := WriteSample(p.dir); err != nil {
		p.t.Fatal(err)
	}
	return calls(p, acpclient.SessionNew, &acpclient.NewSessionRequest{Cwd: p.dir})
}

func (p *userV2) says(id acpclient.SessionID, text string) acpclient.StopReason {
	p.t.Helper()
	return calls(p, acpclient.SessionPrompt, &acpclient.PromptRequest{SessionID: id, Prompt: []acpclient.ContentBlock{acpclient.TextBlock(text)}}).StopReason
}

// states are the states that the agent has told, in a line.
func (p *userV2) states() string {
	var words []string
	for _, u := range all[*acpclient.StateUpdate](p.user) {
		words = append(words, string(u.State))
	}
	return strings.Join(words, " ")
}

func TestTheTourInTheSecondVersion(t *testing.T) {
	for _, tt := range []struct {
		name            string
		mode            acpclient.ConfigValueID
		decide          acpclient.PermissionOptionID
		outcome, states string
		repaired        bool
	}{
		{"allowed", modeAsk, allowOnce, "read:completed edit:completed execute:completed", "running requires_action running requires_action running idle", true},
		{"rejected", modeAsk, reject, "read:completed edit:failed execute:failed", "running requires_action running requires_action running idle", false},
		{"not asked", modeAuto, "", "read:completed edit:completed execute:completed", "running idle", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := meetV2(t, 0)
			p.decide = func(*acpclient.RequestPermissionRequest) acpclient.PermissionOptionID { return tt.decide }
			s := p.open()
			set := calls(p, acpclient.SessionSetConfigOption, &acpclient.SetSessionConfigOptionRequest{
				SessionID: s.SessionID, ConfigID: optionMode, Value: acpclient.SelectValue(tt.mode),
			})
			p.want("mode", string(set.ConfigOptions[0].CurrentValue.ID), string(tt.mode))
			p.want("stop reason", string(p.says(s.SessionID, "/tour")), string(acpclient.StopEndTurn))
			p.want("tools", p.outcome(), tt.outcome)
			p.want("states", p.states(), tt.states)
			if got := strings.Contains(p.file("main.go"), fixedLoop); got != tt.repaired {
				t.Errorf("repaired: %v", got)
			}
			plans := all[*acpclient.PlanUpdate](p.user)
			if len(plans) != 6 {
				t.Errorf("%d plans", len(plans))
			}
			for _, e := range plans[len(plans)-1].Plan.Entries {
				if e.Status != acpclient.PlanCompleted {
					t.Errorf("%q is %s in the end", e.Content, e.Status)
				}
			}
			p.wantSaid("# Welcome to parley", "I do that myself", "```go\nfor i", "a terminal that belongs to me", "`ctrl+d`")
			if len(p.files)+len(p.terminals) > 0 {
				t.Error("it had the client read, write or run something")
			}
		})
	}
}

// The prompt stands in the session under the id with which it was accepted, once.
func TestThePromptIsToldOf(t *testing.T) {
	p := meetV2(t, 0)
	s := p.open()
	p.says(s.SessionID, "hello")
	accepted, told := all[*acpclient.PromptAccepted](p.user), all[*acpclient.MessageUpdate](p.user)
	if len(accepted) != 1 || len(told) != 1 || accepted[0].MessageID != told[0].MessageID || (*told[0].Content.Value)[0].Text != "hello" {
		t.Errorf("accepted %+v, told %+v", accepted, told)
	}
}

// A command runs in a terminal of the tour's own, whose output is shown as it comes.
func TestACommandIsShownInTheSecondVersion(t *testing.T) {
	p := meetV2(t, 0)
	s := p.open()
	p.says(s.SessionID, "/run echo 'it is ✓'; exit 3")
	p.want("tools", p.outcome(), "execute:failed")
	var printed []byte
	for _, c := range all[*acpclient.TerminalOutputChunk](p.user) {
		printed = append(printed, c.Data...)
	}
	p.want("output", string(printed), "it is ✓\n")
	shown := all[*acpclient.TerminalUpdate](p.user)
	if first, last := shown[0], shown[len(shown)-1]; *first.Cwd.Value != p.dir || last.ExitStatus.Value == nil || *last.ExitStatus.Value.ExitCode != 3 {
		t.Errorf("%+v", shown)
	}
	if c := p.tools()[0].content; len(c) != 1 || c[0].TerminalID != shown[0].TerminalID {
		t.Errorf("the call shows %+v", c)
	}
}

// Whatever the tour can do, it says in words of the version: the schema is the referee.
func TestEveryCommandInTheSecondVersion(t *testing.T) {
	p := meetV2(t, 0)
	p.fill = acpclient.CreateElicitationResponse{Action: acpclient.ElicitDecline}
	s := p.open()
	for _, text := range []string{"/plan greet", "/edit one", "/run", "/slow 3", "/ask", "/ask url", "/image", "/compact", "/help", "/nothing", "hello"} {
		p.want(text, string(p.says(s.SessionID, text)), string(acpclient.StopEndTurn))
	}
	if len(p.elicited) != 2 || len(all[*acpclient.CompactionUpdate](p.user)) == 0 || len(all[*acpclient.CurrentModeUpdate](p.user)) > 0 {
		t.Errorf("%d questions", len(p.elicited))
	}
}

func TestCancellingInTheSecondVersion(t *testing.T) {
	p := meetV2(t, 0)
	s := p.open()
	begun := make(chan struct{}, 1)
	p.seen = func(u acpclient.SessionUpdate) {
		if c, ok := u.(*acpclient.ContentChunk); ok && c.Chunk == acpclient.AgentMessageChunk {
			select {
			case begun <- struct{}{}:
			default:
			}
		}
	}
	go func() {
		<-begun
		if err := p.client.Cancel(&acpclient.CancelNotification{SessionID: s.SessionID}); err != nil {
			t.Error(err)
		}
	}()
	p.want("stop reason", string(p.says(s.SessionID, "/slow 100000")), string(acpclient.StopCancelled))
	p.want("states", p.states(), "running idle")
}

// A session of this run can be opened again, and is replayed where the client asks for it.
func TestResumingInTheSecondVersion(t *testing.T) {
	p := meetV2(t, 0)
	s := p.open()
	p.says(s.SessionID, "hello")
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
