//go:build realagents

package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestRealConversation talks to each agent line by line, so that what parley does
// with them stands on what they have been seen to do. With -update it keeps
// the conversations in testdata.
func TestRealConversation(t *testing.T) {
	agents := Install(t)
	for name, setUp := range map[string]func(testing.TB, string) Agent{
		"opencode": agents.OpenCode, "claude": agents.Claude, "gemini": agents.Gemini,
	} {
		t.Run(name, func(t *testing.T) {
			for _, s := range []struct {
				name string
				run  func(*testing.T, *peer)
			}{
				{"say", say},
				{"write-allowed", writeAllowed},
				{"write-rejected", writeRejected},
				{"run", runCommand},
				{"plan", plan},
				{"cancel", cancel},
				{"switch", switchOptions},
				{"plan-exit", planExit},
				{"question", question},
				{"announced-mode", announcedMode},
				{"fail", fail},
			} {
				t.Run(s.name, func(t *testing.T) {
					s.run(t, converse(t, setUp(t, startModel(t).URL)))
				})
			}
		})
	}
}

func say(t *testing.T, p *peer) {
	if got := p.prompt("SAY hello from the model"); got != "end_turn" {
		t.Errorf("stop reason %q, want end_turn", got)
	}
	p.wantText("hello from the model")
}

func writeAllowed(t *testing.T, p *peer) {
	p.choose = "allow_once"
	file := filepath.Join(p.project, "hello.txt")
	if got := p.prompt("WRITE " + file + " hello file"); got != "end_turn" {
		t.Errorf("stop reason %q, want end_turn", got)
	}
	p.wantText("DONE write")
	if got, err := os.ReadFile(file); err != nil || string(got) != "hello file\n" {
		t.Errorf("the file holds %q, error %v", got, err)
	}
	if len(p.permissions) != 1 || p.permissions[0].ToolCall.Kind != "edit" {
		t.Errorf("permissions %+v, want one for an edit", p.permissions)
	}
	if !p.saw("tool_call_update", func(u sessionUpdate) bool { return u.Status == "completed" }) {
		t.Error("the tool call has not completed")
	}
}

func writeRejected(t *testing.T, p *peer) {
	p.choose = "reject_once"
	file := filepath.Join(p.project, "hello.txt")
	p.prompt("WRITE " + file + " hello file")
	if _, err := os.Stat(file); err == nil {
		t.Error("the file was written")
	}
	if len(p.permissions) != 1 {
		t.Errorf("permissions %+v, want one", p.permissions)
	}
	failed := p.saw("tool_call_update", func(u sessionUpdate) bool { return u.Status == "failed" })
	// Gemini CLI says no more of a call that was rejected.
	if want := p.agent.Name != "gemini"; failed != want {
		t.Errorf("the tool call has failed: %v, want %v", failed, want)
	}
}

func runCommand(t *testing.T, p *peer) {
	p.choose = "allow_once"
	p.prompt("RUN echo out-of-the-command && touch made.txt")
	p.wantText("DONE run")
	if _, err := os.Stat(filepath.Join(p.project, "made.txt")); err != nil {
		t.Errorf("the command has not run: %v", err)
	}
	if len(p.permissions) != 1 || p.permissions[0].ToolCall.Kind != "execute" {
		t.Errorf("permissions %+v, want one for a command", p.permissions)
	}
}

func plan(t *testing.T, p *peer) {
	if p.agent.Name == "gemini" {
		t.Skip("Gemini CLI has no to-do list")
	}
	p.choose = "allow_once"
	p.prompt("PLAN")
	p.wantText("DONE plan")
	hasPlan := p.saw("plan", func(u sessionUpdate) bool { return len(u.Entries) > 0 })
	// opencode keeps its to-do list to itself, as a tool call.
	if want := p.agent.Name != "opencode"; hasPlan != want {
		t.Errorf("a plan has come: %v, want %v", hasPlan, want)
	}
}

func cancel(t *testing.T, p *peer) {
	p.onChunk = func() { p.notify("session/cancel", map[string]any{"sessionId": p.session}) }
	if got := p.prompt("SLOW 10000"); got != "cancelled" {
		t.Errorf("stop reason %q, want cancelled", got)
	}
	if got := p.prompt("SAY still here"); got != "end_turn" {
		t.Errorf("stop reason %q after a cancel, want end_turn", got)
	}
	p.wantText("still here")
}

// switchOptions sets every select to its last value, one after the other.
func switchOptions(t *testing.T, p *peer) {
	if p.agent.Name == "gemini" {
		t.Skip("Gemini CLI has modes and models, and no config options")
	}
	if len(p.options) == 0 {
		t.Fatal("the agent has no config options")
	}
	for _, o := range p.options {
		if o.Type != "select" || len(o.Options) == 0 {
			continue
		}
		last := o.Options[len(o.Options)-1]
		if n := len(last.Options); n > 0 {
			last.Value = last.Options[n-1].Value
		}
		var set struct{ ConfigOptions []configOption }
		p.call("session/set_config_option", map[string]any{"sessionId": p.session, "configId": o.ID, "value": last.Value}, &set)
		settled := false
		for _, now := range set.ConfigOptions {
			settled = settled || now.ID == o.ID && now.CurrentValue == last.Value
		}
		if !settled {
			t.Errorf("option %s is not %s in %+v", o.ID, last.Value, set.ConfigOptions)
		}
	}
	p.prompt("SAY all set")
	p.wantText("all set")
}

// planExit leaves the plan mode as the agent proposes.
func planExit(t *testing.T, p *peer) {
	if p.agent.Name != "claude" {
		t.Skip("only Claude asks before it leaves its plan mode")
	}
	p.choose = "allow_once"
	p.call("session/set_config_option", map[string]any{"sessionId": p.session, "configId": "mode", "value": "plan"}, nil)
	p.prompt(`CALL ExitPlanMode {"plan":"# The plan\n\n1. Look around\n2. Build it"}`)
	if len(p.permissions) != 1 || p.permissions[0].ToolCall.Kind != "switch_mode" {
		t.Errorf("permissions %+v, want one to switch the mode", p.permissions)
	}
}

// question has the agent ask the user something.
func question(t *testing.T, p *peer) {
	if p.agent.Name != "claude" {
		t.Skip("only Claude asks questions")
	}
	p.prompt(`CALL AskUserQuestion {"questions":[{"question":"Which colour?","header":"Colour","multiSelect":false,"options":[{"label":"Red","description":"Warm"},{"label":"Blue","description":"Cold"}]}]}`)
	if !slices.Contains(p.methods, "elicitation/create") {
		t.Errorf("the agent has called %q, want a question", p.methods)
	}
}

// announcedMode allows all edits, which changes the mode of the agent. It says so in
// a message.
func announcedMode(t *testing.T, p *peer) {
	if p.agent.Name != "gemini" {
		t.Skip("only Gemini CLI tells of its modes in messages")
	}
	p.choose = "allow_always"
	p.prompt("WRITE " + filepath.Join(p.project, "hello.txt") + " hello file")
	p.wantText("[MODE_UPDATE] autoEdit")
	if p.saw("current_mode_update", nil) {
		t.Error("the agent says it as the protocol asks: the quirk is of no use any more")
	}
}

// fail has the model refuse: what the agent makes of that is shown to people.
func fail(t *testing.T, p *peer) {
	failure := p.promptFails("FAIL no credit is left")
	if !strings.Contains(failure+p.text.String(), "no credit is left") {
		t.Errorf("the agent has answered with %s and said %q: not why it failed", failure, p.text.String())
	}
}

func (p *peer) wantText(want string) {
	p.t.Helper()
	if got := p.text.String(); !strings.Contains(got, want) {
		p.t.Errorf("the agent has said %q, want %q", got, want)
	}
}
