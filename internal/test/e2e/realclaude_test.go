//go:build realagents

package e2e

import (
	"strings"
	"testing"
)

// claude starts parley with the ACP adapter of Claude.
func claude(t *testing.T) *Parley {
	t.Helper()
	agent := Install(t).Claude(t, startModel(t).URL)
	p := Start(t, Options{Agent: agent.Cmd, Env: agent.Env, Home: agent.Home, Loose: true, Legacy: []string{"session/set_model"}})
	p.Shows("Manual")
	return p
}

// Claude takes a prompt into the turn: while it streams, and while a question is open.
func TestRealClaudeIsSteered(t *testing.T) {
	p := claude(t)
	p.Ask("SLOW 60").Shows("chunk 2 ", "alt+s steer")
	p.Type("SAY steered").Press("alt+s").Shows("❯ SAY steered", "steered into the running turn", "● steered").Idle()
	p.Paste("RUN touch made.txt").Press("enter")
	p.Question("Permission")
	p.Type("SAY steered while asked").Press("alt+s").Shows("❯ SAY steered while asked")
	p.Answer("Yes").Shows("● steered while asked").Idle()
	if n := len(p.Sent("session/cancel")); n != 0 {
		t.Errorf("%d turns were cancelled", n)
	}
	p.Leave()
}

// A subagent of Claude has a session of its own: it is named in its question, and cancelled
// alone.
func TestRealClaudesSubagents(t *testing.T) {
	p := claude(t)
	p.Paste(`CALL Agent {"description":"Look around","prompt":"RUN touch made.txt","subagent_type":"general-purpose"}`).Press("enter")
	p.Question("from a subagent: Look around", "touch made.txt").Answer("Yes").Shows("DONE").Idle()
	p.Paste(`CALL Agent {"description":"Wait long","prompt":"SLOW 6000","subagent_type":"general-purpose"}`).Press("enter")
	p.Shows("◐ • Wait long").Press("f6").Shows("In the background", "Wait long").Press("ctrl+x", "esc")
	p.Shows("cancelled").Idle().Leave()
}

// Claude forks its session at a message: it knows what was said before the prompt, and not
// what came after it.
func TestRealClaudeIsRewound(t *testing.T) {
	p := claude(t)
	p.Ask("SAY first answer").Shows("● first answer").Idle()
	p.Ask("SAY second answer").Shows("● second answer").Idle()
	p.Press("alt+z").Shows("Rewind to before a prompt", "The agent forks the session at this message.").Press("enter")
	p.Question("Rewind to before prompt 2?").Answer("Conversation only")
	p.Shows("● first answer", "Continues an earlier session from here", "❯ SAY second answer").Gone("● second answer")
	if fork := p.WaitSent("session/fork", 1); !strings.Contains(fork, `"messageId":"msg_`) {
		t.Errorf("the fork was asked for with %s", fork)
	}
	p.Press("enter").Shows("● second answer").Idle().Leave()
}
