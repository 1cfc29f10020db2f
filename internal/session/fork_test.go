package session

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"parley/acpclient"
	"parley/internal/conversation"
)

// claude is the answer to initialize of an agent that forks at messages from some version
// on.
func claude(version, capabilities string) func(*harness, *Options) {
	return func(h *harness, _ *Options) {
		h.prepare = func(a *fakeAgent) {
			a.set("initialize", json.RawMessage(`{"protocolVersion":1,"agentInfo":{"name":"@agentclientprotocol/claude-agent-acp","version":"`+
				version+`"},"agentCapabilities":`+capabilities+`}`))
		}
	}
}

func forkOf(id acpclient.SessionID, at acpclient.MessageID) func(*harness, *Options) {
	return func(_ *harness, o *Options) { o.Fork = &ForkPoint{id, at} }
}

func TestForkAtAMessage(t *testing.T) {
	const forks = `{"sessionCapabilities":{"fork":{}}}`
	bubble(t, func(t *testing.T, h *harness) {
		q := h.agent().open("session/fork")
		if q == nil || sessionOf(q.params) != "old" || !strings.Contains(string(q.params), `"_meta":{"jetbrains":{"air":{"fork":{"version":1,"messageId":"m2"}}}}`) {
			t.Fatalf("the fork is asked for with %+v", q)
		}
		h.reply("session/fork", `{"sessionId":"copy"}`)
		h.prompt("go on")
		if q := h.agent().open("session/prompt"); sessionOf(q.params) != "copy" || h.conv.ID != "copy" {
			t.Errorf("the prompt went to %s", q.params)
		}
	}, claude("0.101.0", forks), forkOf("old", "m2"))
	bubble(t, func(t *testing.T, h *harness) {
		h.fail("session/fork", acpclient.CodeInvalidParams, "Fork point message m2 was not found")
		if h.conv.Phase != conversation.PhaseFailed || h.agent().count("session/new") != 0 {
			t.Errorf("phase %v, the agent got %q", h.conv.Phase, h.agent().got())
		}
		err := Try(h.Context(), h, OpenAnew{})
		h.settle()
		if err != nil || h.agent().count("session/new") != 1 {
			t.Errorf("a new session in its place: %v", err)
		}
	}, claude("1.0.0", forks), forkOf("old", "m2"))
	for name, agent := range map[string]func(*harness, *Options){
		"an older version":    claude("0.99.3", forks),
		"without forks":       claude("0.101.0", `{}`),
		"an agent not known":  func(*harness, *Options) {},
		"an unknown version":  claude("nightly", forks),
		"a shorter version":   claude("0", forks),
		"an earlier preview":  claude("0.100.0-rc1", forks),
		"no version whatever": claude("", forks),
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, h *harness) {
				if n := h.agent().count("session/fork"); n != 0 || h.conv.Phase != conversation.PhaseFailed {
					t.Errorf("%d forks were asked for, phase %v", n, h.conv.Phase)
				}
				var failed conversation.SessionFailed
				for _, e := range h.events {
					if e, ok := e.(conversation.SessionFailed); ok {
						failed = e
					}
				}
				if !errors.Is(failed.Err, ErrUnsupported) {
					t.Errorf("the reason is %v", failed.Err)
				}
			}, agent, forkOf("old", "m2"))
		})
	}
}
