package demoagent

import (
	"testing"

	"parley/acpclient"
)

func TestCloseEndsTheTurn(t *testing.T) {
	p := meet(t, 0, able)
	s := p.newSession(true)
	p.decide = func(*acpclient.RequestPermissionRequest) acpclient.PermissionOptionID {
		calls(p, acpclient.SessionClose, &acpclient.CloseSessionRequest{SessionID: s.SessionID})
		return ""
	}
	p.want("stop reason", string(p.prompt(s.SessionID, "/edit")), string(acpclient.StopCancelled))
	if _, err := acpclient.Call(t.Context(), p.Conn(), acpclient.SessionPrompt, &acpclient.PromptRequest{SessionID: s.SessionID}); !acpclient.IsCode(err, acpclient.CodeResourceNotFound) {
		t.Errorf("a prompt to it: %v", err)
	}
}

func TestBadSessions(t *testing.T) {
	p := meet(t, 0, able)
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
