//go:build realagents

package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"parley/internal/schema"
)

// onEachWire runs a test with the agent on the protocol's own TypeScript package: as a
// program, and with the package's own server over WebSocket and streamable HTTP.
func onEachWire(t *testing.T, protocol string, test func(t *testing.T, p *Parley)) {
	agents := Install(t)
	options := func(agent Agent) Options {
		return Options{Args: []string{"--protocol=" + protocol}, Env: agent.Env, Home: agent.Home, Cols: 120, Rows: 60}
	}
	t.Run("stdio", func(t *testing.T) {
		agent := agents.SDK(t)
		o := options(agent)
		o.Agent = agent.Cmd
		test(t, Start(t, o))
	})
	for _, scheme := range []string{"ws", "http"} {
		t.Run(scheme, func(t *testing.T) {
			agent := agents.SDK(t)
			o := options(agent)
			o.Wire = filepath.Join(t.TempDir(), "wire.log")
			o.At = scheme + "://" + agent.Listen(t, o.Wire) + "/acp"
			test(t, Start(t, o))
		})
	}
}

// TestRealSecondVersion uses all of the second version, over each way of carrying it.
// Whatever either side sends is held against the schema.
func TestRealSecondVersion(t *testing.T) {
	onEachWire(t, "auto", func(t *testing.T, p *Parley) {
		p.Question("say who you are", "Pretend").Answer("Pretend")
		p.Ready().Shows("Asking", "Agent of the SDK 1 ACP 2")
		useUpdates(t, p)
		usePieces(p)
		useSessions(p)
		p.Press("ctrl+p").Type("sign out").Shows("Sign out of the agent").Press("enter").WaitSent("auth/logout", 1)
		p.Idle().Leave()
		for method, want := range map[string]int{"session/prompt": 7, "session/cancel": 1, "session/set_config_option": 1} {
			if got := p.Sent(method); len(got) != want {
				t.Errorf("%s was sent %d times, want %d", method, len(got), want)
			}
		}
		checkAllWasUsed(t, p)
	})
}

// useUpdates has the agent tell everything that it can, and ask.
func useUpdates(t *testing.T, p *Parley) {
	p.Ask("all").Question("May I write the file?").Answer("Go on")
	p.Question("May I list files?", "ls -l").Answer("Go on")
	p.Shows("❯ all", "This is right.", "total 4 ✓", "A notice of the agent", "_of_its_own", "1 task in the background")
	if got, err := os.ReadFile(filepath.Join(p.Project(), "a.txt")); err != nil || string(got) != "made by the agent\n" {
		t.Errorf("the file holds %q, error %v", got, err)
	}
	p.Ask("form").Question("Which colour?").TakesKeys().Type("red").Press("tab", "enter").Shows("You have chosen red.").Idle()
	p.Ask("address").Question("https://example.com/login").TakesKeys().Press("c", "enter").Answer("Continue: I opened it myself")
	p.Shows("You have gone there: accept.").Answer("Done").Idle()
}

// usePieces cancels what can be cancelled: a call, a command, a turn; and has the
// agent take a question back.
func usePieces(p *Parley) {
	p.Ask("pieces").Shows("Count to a million", "Watch the files")
	p.Press("ctrl+p").Type("cancel only").Shows("cancel only: Count to a million").Type(": Count").Press("enter").WaitSent("tool_call/cancel", 1)
	p.Shows("⊘").Press("ctrl+p").Type("cancel only").Shows("cancel only: ").Press("enter").WaitSent("terminal/cancel", 1)
	p.Shows("Both were cancelled.").Idle()
	p.Ask("questions").Question("May I look at the stars?", "They are far away.", "1 of 2").Answer("Look")
	p.Shows("The stars: yes. The moon: cancelled.").Idle()
	p.Ask("slow").Shows("Waiting to be cancelled.").Press("esc").Shows("That was it.", "Cancelled")
	p.Ask("fail").Shows("the model is out of reach")
	p.Press("shift+tab").Status("Working on")
}

// useSessions deletes a session of earlier days, and opens another.
func useSessions(p *Parley) {
	p.Idle().Press("ctrl+s").Shows("About apples", "About bananas").Type("apple").Gone("About bananas")
	p.Press("ctrl+x").Answer("Delete it").Gone("About apples").Press("esc").Shows("About bananas")
	p.Type("banana").Press("enter").Shows("❯ What are bananas?", "Bananas are berries.")
}

// checkAllWasUsed finds the methods and updates of the second version that did not cross
// the wire.
func checkAllWasUsed(t *testing.T, p *Parley) {
	t.Helper()
	methods, updates := map[string]bool{}, map[string]bool{}
	for _, m := range p.Wire() {
		methods[m.Method] = true
		var told struct {
			Update struct{ SessionUpdate string }
		}
		if m.Method == "session/update" && json.Unmarshal(m.Params, &told) == nil {
			updates[told.Update.SessionUpdate] = true
		}
	}
	for key := range schema.V2().Methods {
		if !methods[key.Method] {
			t.Errorf("%s was not used", key.Method)
		}
	}
	for _, kind := range schema.V2().Kinds("SessionUpdate", "sessionUpdate") {
		if !updates[kind] {
			t.Errorf("the update %s was not used", kind)
		}
	}
}

// TestRealFirstVersion works with the package's own server in the first version.
func TestRealFirstVersion(t *testing.T) {
	onEachWire(t, "v1", func(t *testing.T, p *Parley) {
		p.Ready().Ask("hello").Question("Look at the stars").Answer("Go on").Shows("I come from far away, yes.").Idle()
		p.Ask("slow").Shows("Waiting to be cancelled.").Press("esc").Shows("Cancelled").Idle().Leave()
		for method, want := range map[string]int{"session/new": 1, "session/prompt": 2, "session/cancel": 1} {
			if got := p.Sent(method); len(got) != want {
				t.Errorf("%s was sent %d times, want %d", method, len(got), want)
			}
		}
	})
}

// TestRealTheServerHangsUp loses the connection in a turn and makes it again, in both
// versions.
func TestRealTheServerHangsUp(t *testing.T) {
	agents := Install(t)
	for _, tt := range []struct{ scheme, protocol, opens string }{
		{"ws", "v1", "session/load"}, {"http", "v1", "session/load"}, {"ws", "auto", "session/resume"}, {"http", "auto", "session/resume"},
	} {
		t.Run(tt.scheme+" "+tt.protocol, func(t *testing.T) {
			agent := agents.SDK(t)
			wire := filepath.Join(t.TempDir(), "wire.log")
			p := Start(t, Options{
				Args: []string{"--protocol=" + tt.protocol}, Env: agent.Env, Home: agent.Home, Cols: 120, Rows: 60,
				Wire: wire, At: tt.scheme + "://" + agent.Listen(t, wire) + "/acp",
			})
			if tt.protocol == "auto" {
				p.Question("say who you are").Answer("Pretend")
			}
			p.Ready().Ask("hangUp").Shows("Lost the connection to the agent", "I am about to hang up.")
			p.Answer("Stay and read").Press("alt+r").WaitSent(tt.opens, 1)
			p.Gone("lost the connection to the agent").Idle().Shows("hangUp", "I am about to hang up.")
			p.Ask("slow").Shows("Waiting to be cancelled.").Press("esc").Shows("Cancelled").Idle().Leave()
			if got := p.Sent("session/prompt"); len(got) != 2 {
				t.Errorf("prompts were sent: %q", got)
			}
		})
	}
}
