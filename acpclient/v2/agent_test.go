package v2

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"testing"

	"parley/acpclient"
	"parley/internal/schema"
)

// answering is an agent that is written for version 1.
type answering map[string]func(ctx context.Context, params json.RawMessage) (any, error)

func (answering) HandleNotification(context.Context, string, json.RawMessage) {}

func (a answering) HandleRequest(ctx context.Context, method string, params json.RawMessage) (any, error) {
	if answer := a[method]; answer != nil {
		return answer(ctx, params)
	}
	return nil, acpclient.MethodNotFoundError(method)
}

// between connects an agent with a client that offers version 2. The schema is the referee.
func between(t *testing.T, agent answering, h acpclient.Handler) (*Agent, acpclient.Requester, *acpclient.InitializeResponse) {
	t.Helper()
	toAgentR, toAgentW := io.Pipe()
	toClientR, toClientW := io.Pipe()
	valid := schema.NewValidator(schema.V2Unstable())
	a := Serve(acpclient.NewLines(toAgentR, toClientW), agent, acpclient.ConnOptions{})
	first := acpclient.NewClient(acpclient.NewLines(toClientR, toAgentW), h, acpclient.ConnOptions{Tap: func(sent bool, line []byte) {
		if err := valid.Line(map[bool]schema.Side{true: schema.Client, false: schema.Agent}[sent], line); err != nil {
			t.Errorf("%s: %v", line, err)
		}
	}})
	t.Cleanup(func() {
		_, _ = toAgentW.Close(), toClientW.Close()
		<-first.Conn().Done()
		<-a.Done()
	})
	r := &acpclient.InitializeRequest{ClientInfo: &acpclient.Implementation{Name: "c", Version: "1"}}
	c, info, err := Negotiate(t.Context(), first, h, r, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return a, c, info
}

// Requests, and prompts that are accepted, beyond those that may wait are answered with an error, and what
// follows is read.
func TestTooManyRequests(t *testing.T) {
	const most, more = acpclient.MaxHandlers, 10
	for _, method := range []string{acpclient.SessionClose.Name, acpclient.SessionPrompt.Name} {
		release := make(chan struct{})
		wait := func(ctx context.Context, _ json.RawMessage) (any, error) {
			acpclient.Async(ctx)
			<-release
			return &acpclient.PromptResponse{StopReason: acpclient.StopEndTurn}, nil
		}
		_, c, _ := between(t, answering{
			"initialize": func(context.Context, json.RawMessage) (any, error) {
				return json.RawMessage(`{"protocolVersion":1,"agentInfo":{"name":"a","version":"1"},"agentCapabilities":{}}`), nil
			},
			"session/new":    func(context.Context, json.RawMessage) (any, error) { return json.RawMessage(`{"sessionId":"s"}`), nil },
			"session/prompt": wait,
			"session/close":  wait,
		}, newHears())
		if _, err := acpclient.Call(t.Context(), c, acpclient.SessionNew, &acpclient.NewSessionRequest{Cwd: "/"}); err != nil {
			t.Fatal(err)
		}
		ends := make(chan error, most+more)
		for range most + more {
			if method == acpclient.SessionClose.Name {
				acpclient.Go(c, acpclient.SessionClose, &acpclient.CloseSessionRequest{SessionID: "s"}, func(_ *acpclient.CloseSessionResponse, err error) { ends <- err })
				continue
			}
			r := &acpclient.PromptRequest{SessionID: "s", Prompt: []acpclient.ContentBlock{acpclient.TextBlock("a")}}
			acpclient.Go(c, acpclient.SessionPrompt, r, func(_ *acpclient.PromptResponse, err error) { ends <- err })
		}
		for range more {
			if err := <-ends; err == nil || err.Error() != acpclient.ErrTooMany.Error() {
				t.Errorf("%s: %v", method, err)
			}
		}
		close(release)
		for range most {
			if err := <-ends; err != nil {
				t.Errorf("%s: %v", method, err)
			}
		}
	}
}

func TestAnAgentOfVersion1ServesVersion2(t *testing.T) {
	refuse := true
	agent := answering{
		"initialize": func(context.Context, json.RawMessage) (any, error) {
			return json.RawMessage(`{"protocolVersion":1,"agentInfo":{"name":"a","version":"1"},"agentCapabilities":{"loadSession":true,
				"promptCapabilities":{"image":true,"audio":false},"mcpCapabilities":{"http":true},"sessionCapabilities":{"list":{},"delete":{}}},
				"authMethods":[{"id":"in","name":"In"}]}`), nil
		},
		"session/new": func(context.Context, json.RawMessage) (any, error) {
			return json.RawMessage(`{"sessionId":"s","modes":{"currentModeId":"m","availableModes":[]},
				"configOptions":[{"id":"o","name":"O","type":"select","currentValue":"v","options":[{"group":"g","name":"G","options":[{"value":"v","name":"V"}]}]}]}`), nil
		},
		"session/load":  func(context.Context, json.RawMessage) (any, error) { return nil, errors.New("loaded") },
		"session/close": func(context.Context, json.RawMessage) (any, error) { return nil, nil },
		"_own":          func(context.Context, json.RawMessage) (any, error) { return nil, errors.New("an extension") },
		"session/prompt": func(ctx context.Context, _ json.RawMessage) (any, error) {
			if refuse {
				return nil, errors.New("not now")
			}
			acpclient.Async(ctx)
			return nil, errors.New("it broke")
		},
	}
	h := newHears()
	a, c, info := between(t, agent, h)
	if caps := info.AgentCapabilities; !a.SpeaksV2() || !caps.PromptCapabilities.Image || caps.PromptCapabilities.Audio || !caps.MCPCapabilities.HTTP ||
		caps.SessionCapabilities.Delete == nil || caps.SessionCapabilities.Fork != nil || info.AuthMethods[0].ID != "in" || info.AuthMethods[0].Type != acpclient.AuthMethodAgent {
		t.Errorf("%+v", info)
	}
	s, err := acpclient.Call(t.Context(), c, acpclient.SessionNew, &acpclient.NewSessionRequest{Cwd: "/"})
	if err != nil || s.Modes != nil || s.ConfigOptions[0].ID != "o" || s.ConfigOptions[0].Options[0].Group != "g" {
		t.Fatalf("%+v, %v", s, err)
	}
	for _, want := range []string{"not now", "it broke"} {
		done := result(t, c, acpclient.SessionPrompt, &acpclient.PromptRequest{SessionID: "s", Prompt: []acpclient.ContentBlock{acpclient.TextBlock("a")}})
		if e, ok := errors.AsType[*acpclient.Error](within(t, done)); !ok || e.Message != want {
			t.Errorf("%v, not %q", e, want)
		}
		refuse = false
	}
	for method, want := range map[string]string{"session/load": "loaded", "session/close": "", "session/delete": "Method not found"} {
		err := c.Call(t.Context(), method, map[string]any{"sessionId": "s", "cwd": "/", "mcpServers": []any{}}, nil)
		if e, _ := errors.AsType[*acpclient.Error](err); (e == nil) != (want == "") || e != nil && e.Message != want {
			t.Errorf("%s: %v", method, err)
		}
	}
	err = c.Call(t.Context(), "session/resume", map[string]any{"sessionId": "s", "cwd": "/", "mcpServers": []any{}, "replayFrom": map[string]any{"type": "_later"}}, nil)
	if e, _ := errors.AsType[*acpclient.Error](err); e == nil || e.Code != acpclient.CodeInvalidParams {
		t.Errorf("from a position that it does not know: %v", err)
	}
}
