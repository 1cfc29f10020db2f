package demoagent

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"parley/acpclient"
)

func TestSessionsOutliveTheAgent(t *testing.T) {
	state := t.TempDir()
	first := meet(t, Options{StateDir: state}, able)
	s := first.newSession(true)
	first.prompt(s.SessionID, "/tour")
	if _, err := acpclient.Call(t.Context(), first.Conn(), acpclient.SessionSetConfigOption, &acpclient.SetSessionConfigOptionRequest{
		SessionID: s.SessionID, ConfigID: "model", Value: acpclient.SelectValue("huge"),
	}); err != nil {
		t.Fatal(err)
	}

	second := meet(t, Options{StateDir: state}, able)
	list, err := acpclient.Call(t.Context(), second, acpclient.SessionList, &acpclient.ListSessionsRequest{Cwd: first.dir})
	if err != nil || len(list.Sessions) != 1 || list.Sessions[0].SessionID != s.SessionID || list.Sessions[0].Title != "The tour" {
		t.Fatalf("got %+v, %v", list, err)
	}
	loaded, err := acpclient.Call(t.Context(), second.Conn(), acpclient.SessionLoad, &acpclient.LoadSessionRequest{SessionID: s.SessionID, Cwd: first.dir})
	if err != nil {
		t.Fatal(err)
	}
	second.want("model", string(loaded.ConfigOptions[1].CurrentValue.ID), "huge")
	for _, kind := range []acpclient.ChunkKind{acpclient.AgentMessageChunk, acpclient.AgentThoughtChunk} {
		second.want(string(kind), second.said(kind), strings.TrimPrefix(first.said(kind), string(embedded("banner.md")))) // the greeting is not kept
	}
	second.want("prompts", second.said(acpclient.UserMessageChunk), "/tour")
	second.want("tools", second.outcome(), first.outcome())
	if c := second.tools()[2].content[0]; c.Type != acpclient.ToolContentBlock || !strings.Contains(c.Content.Text, "checking the greeter") {
		t.Errorf("instead of its terminal the command has %+v", c)
	}
	if n := len(all[*acpclient.ContentChunk](second)); n > 20 {
		t.Errorf("replayed in %d chunks", n)
	}
	// What comes now has ids of its own.
	second.prompt(s.SessionID, "/run true")
	second.want("tools", second.outcome(), first.outcome()+" execute:completed")

	third := meet(t, Options{StateDir: state}, able)
	if _, err := acpclient.Call(t.Context(), third.Conn(), acpclient.SessionResume, &acpclient.ResumeSessionRequest{SessionID: s.SessionID, Cwd: first.dir}); err != nil {
		t.Fatal(err)
	}
	if n := len(all[*acpclient.ContentChunk](third)); n != 0 {
		t.Errorf("resume replayed %d chunks", n)
	}
	if _, err := acpclient.Call(t.Context(), third, acpclient.SessionDelete, &acpclient.DeleteSessionRequest{SessionID: s.SessionID}); err != nil {
		t.Fatal(err)
	}
	if _, err := acpclient.Call(t.Context(), third.Conn(), acpclient.SessionLoad, &acpclient.LoadSessionRequest{SessionID: s.SessionID, Cwd: first.dir}); !acpclient.IsCode(err, acpclient.CodeResourceNotFound) {
		t.Errorf("a deleted session: %v", err)
	}
}

func TestCloseAndDeleteEndTheTurn(t *testing.T) {
	for name, end := range map[string]func(*user, acpclient.SessionID) error{
		"close": func(p *user, id acpclient.SessionID) error {
			_, err := acpclient.Call(p.t.Context(), p.Conn(), acpclient.SessionClose, &acpclient.CloseSessionRequest{SessionID: id})
			return err
		},
		"delete": func(p *user, id acpclient.SessionID) error {
			_, err := acpclient.Call(p.t.Context(), p, acpclient.SessionDelete, &acpclient.DeleteSessionRequest{SessionID: id})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := meet(t, Options{}, able)
			s := p.newSession(true)
			p.decide = func(*acpclient.RequestPermissionRequest) acpclient.PermissionOptionID {
				if err := end(p, s.SessionID); err != nil {
					t.Error(err)
				}
				return ""
			}
			p.want("stop reason", string(p.prompt(s.SessionID, "/edit")), string(acpclient.StopCancelled))
			if _, err := acpclient.Call(t.Context(), p.Conn(), acpclient.SessionPrompt, &acpclient.PromptRequest{SessionID: s.SessionID}); !acpclient.IsCode(err, acpclient.CodeResourceNotFound) {
				t.Errorf("a prompt to it: %v", err)
			}
			list, err := acpclient.Call(t.Context(), p, acpclient.SessionList, &acpclient.ListSessionsRequest{})
			if want := map[string]int{"close": 1, "delete": 0}[name]; err != nil || len(list.Sessions) != want {
				t.Errorf("%d are kept, %v", len(list.Sessions), err)
			}
		})
	}
}

func TestListIsPagedAndPruned(t *testing.T) {
	st := store{t.TempDir()}
	begin := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	for i := range keptSessions + 5 {
		r := &record{ID: acpclient.SessionID(fmt.Sprintf("tour-%016x", i)), Cwd: "/w", Updated: begin.Add(time.Duration(i) * time.Minute)}
		if err := st.save(r); err != nil {
			t.Fatal(err)
		}
	}
	p := meet(t, Options{StateDir: st.dir}, able)
	var got []acpclient.SessionInfo
	cursor, pages := "", 0
	for {
		res, err := acpclient.Call(t.Context(), p, acpclient.SessionList, &acpclient.ListSessionsRequest{Cursor: cursor})
		if err != nil {
			t.Fatal(err)
		}
		got, pages = append(got, res.Sessions...), pages+1
		if cursor = res.NextCursor; cursor == "" {
			break
		}
	}
	if len(got) != keptSessions || pages != 3 || got[0].UpdatedAt != "2026-11-01T00:54:00Z" {
		t.Errorf("%d sessions on %d pages, the first of %s", len(got), pages, got[0].UpdatedAt)
	}
	if _, err := acpclient.Call(t.Context(), p, acpclient.SessionList, &acpclient.ListSessionsRequest{Cursor: "x"}); !acpclient.IsCode(err, acpclient.CodeInvalidParams) {
		t.Errorf("a strange cursor: %v", err)
	}
	if res, err := acpclient.Call(t.Context(), p, acpclient.SessionList, &acpclient.ListSessionsRequest{Cwd: "/elsewhere"}); err != nil || len(res.Sessions) != 0 {
		t.Errorf("elsewhere: %+v, %v", res, err)
	}
}

func TestBadSessions(t *testing.T) {
	p := meet(t, Options{}, able)
	for _, id := range []acpclient.SessionID{"tour-0000000000000000", "../../etc/passwd", ""} {
		if _, err := acpclient.Call(t.Context(), p.Conn(), acpclient.SessionLoad, &acpclient.LoadSessionRequest{SessionID: id, Cwd: "/"}); !acpclient.IsCode(err, acpclient.CodeResourceNotFound) {
			t.Errorf("%q: got %v", id, err)
		}
	}
	if _, err := acpclient.Call(t.Context(), p.Conn(), acpclient.SessionNew, &acpclient.NewSessionRequest{Cwd: "relative"}); !acpclient.IsCode(err, acpclient.CodeInvalidParams) {
		t.Errorf("a relative directory: %v", err)
	}
	if _, err := acpclient.Call(t.Context(), p.Conn(), acpclient.SessionSetMode, &acpclient.SetSessionModeRequest{SessionID: "none", ModeID: modeAsk}); !acpclient.IsCode(err, acpclient.CodeResourceNotFound) {
		t.Errorf("no session: %v", err)
	}
	if err := p.Conn().Call(t.Context(), "_parley/none", nil, nil); !acpclient.IsCode(err, acpclient.CodeMethodNotFound) {
		t.Errorf("an unknown method: %v", err)
	}
}

func TestSigningIn(t *testing.T) {
	opt := Options{StateDir: t.TempDir(), RequireAuth: true}
	p := meet(t, opt, able)
	res, err := p.Initialize(t.Context(), &acpclient.InitializeRequest{ClientCapabilities: able})
	if err != nil || len(res.AuthMethods) != 2 || res.AuthMethods[1].Type != acpclient.AuthMethodTerminal || res.AgentCapabilities.Auth.Logout == nil {
		t.Fatalf("got %+v, %v", res, err)
	}
	refused := func(when string) {
		t.Helper()
		if _, err := acpclient.Call(t.Context(), p.Conn(), acpclient.SessionNew, &acpclient.NewSessionRequest{Cwd: "/"}); !acpclient.IsCode(err, acpclient.CodeAuthRequired) {
			t.Errorf("%s: %v", when, err)
		}
	}
	refused("at first")
	if _, err := acpclient.Call(t.Context(), p.Conn(), acpclient.Authenticate, &acpclient.AuthenticateRequest{MethodID: "other"}); !acpclient.IsCode(err, acpclient.CodeInvalidParams) {
		t.Errorf("another method: %v", err)
	}
	refused("after a failure")
	if _, err := acpclient.Call(t.Context(), p.Conn(), acpclient.Authenticate, &acpclient.AuthenticateRequest{MethodID: authPretend}); err != nil {
		t.Fatal(err)
	}
	s := p.newSession(true)
	if _, err := acpclient.Call(t.Context(), p, acpclient.Logout, &acpclient.LogoutRequest{}); err != nil {
		t.Fatal(err)
	}
	if _, err := acpclient.Call(t.Context(), p.Conn(), acpclient.SessionPrompt, &acpclient.PromptRequest{SessionID: s.SessionID}); !acpclient.IsCode(err, acpclient.CodeAuthRequired) {
		t.Errorf("in the middle of a session: %v", err)
	}
	var out strings.Builder
	if err := SignIn(&out, opt); err != nil || !strings.Contains(out.String(), "signed in") {
		t.Errorf("%v, %s", err, out.String())
	}
	p.want("after the terminal", string(p.prompt(s.SessionID, "/help")), string(acpclient.StopEndTurn))

	plain := meet(t, opt, unable)
	if res, err := plain.Initialize(t.Context(), &acpclient.InitializeRequest{}); err != nil || len(res.AuthMethods) != 1 {
		t.Errorf("a client without terminals is offered %+v, %v", res, err)
	}
}
