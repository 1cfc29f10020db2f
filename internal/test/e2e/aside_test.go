//go:build unix

package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// askedAside is an agent that works on "work" until it is cancelled. Beside its first session it is asked
// something, which it wants to write and run for, and which costs. Its capabilities come first, and what it
// answers to a fork.
func askedAside(capabilities, fork string) string {
	return `
expect initialize
reply {"protocolVersion": 1, "agentInfo": {"name": "oracle", "version": "1"}, "agentCapabilities": ` + capabilities + `}
expect session/new|session/fork|session/resume as open
if open.method is session/fork
  ` + fork + `
else
  if open.method is session/resume
    reply {` + strings.Replace(teaModes, `"code"`, `"plan"`, 1) + `
  else
    reply {"sessionId": "s", ` + teaModes + `
  end
end
repeat 9
  expect session/set_mode|session/prompt as p
  if p.method is session/set_mode
    reply {}
  else
    if p.params.prompt.0.text is work
      update {"sessionUpdate": "usage_update", "used": 1, "size": 2, "cost": {"amount": 0.1, "currency": "USD"}}
      say "I am reading the tea leaves."
      wait-cancel
      end-turn cancelled
    else
      request session/request_permission {"sessionId": "${session}", "toolCall": {"toolCallId": "t", "title": "Stir the pot", "kind": "execute"}, "options": [
        {"optionId": "yes", "name": "Allow", "kind": "allow_once"}, {"optionId": "no", "name": "Never", "kind": "reject_once"}]} as answer
      await answer contains "optionId":"no"
      request fs/write_text_file {"sessionId": "${session}", "path": "${cwd}/a.txt", "content": "written\n"} as written
      await written contains "error"
      request terminal/create {"sessionId": "${session}", "command": "touch", "args": ["b.txt"]} as ran
      await ran contains "error"
      if p.params.prompt.0.text is tea?
        update {"sessionUpdate": "usage_update", "used": 1, "size": 2, "cost": {"amount": 0.3, "currency": "USD"}}
      end
      say "It is **oolong**."
      end-turn
    end
  end
end
`
}

const (
	teaModes  = `"modes": {"currentModeId": "code", "availableModes": [{"id": "code", "name": "Accept edits"}, {"id": "plan", "name": "Plan"}]}}`
	asksFork  = `{"sessionCapabilities": {"fork": {}, "resume": {}}}`
	takesFork = `reply {"sessionId": "copy", ` + teaModes
)

// A question that is asked aside during a turn leaves no trace: neither on the screen nor in
// what is stored. It is asked in a mode that changes nothing, and nothing that it wants is done. Only its cost
// counts.
func TestAQuestionAsideLeavesNoTrace(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		script, session, budget string
	}{
		"in a fork":               {askedAside(asksFork, takesFork), "copy", "0.35"},
		"without forks":           {askedAside(resumes, ""), "s", "0.45"},
		"where a fork is refused": {askedAside(asksFork, "reply-error -32602 busy"), "s", "0.45"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			p := Start(t, Options{Home: home, Script: c.script, Config: "[budget]\nsession = " + c.budget + "\n"})
			p.Ready().Ask("work").Shows("I am reading the tea leaves.").Ask("/btw tea?")
			p.Shows("Aside", "tea?", "It is oolong.", "rejected: Stir the pot", "working ")
			var sent struct {
				SessionID string
				Prompt    []struct{ Text string }
			}
			all := p.Sent("session/prompt")[1]
			must(t, json.Unmarshal([]byte(all), &sent))
			if sent.SessionID != c.session || !strings.Contains(all, "I am reading the tea leaves.") || sent.Prompt[0].Text != "tea?" {
				t.Errorf("the agent got %s", all)
			}
			if modes := p.Sent("session/set_mode"); len(modes) == 0 || strings.Contains(strings.Join(modes, ""), `"code"`) {
				t.Errorf("it set the modes %q", modes)
			}
			p.Press("k").Gone("Stir the pot").Shows("working ", "of the budget is used up", " of $"+c.budget, "❯ It is **oolong**.").Mode("Accept edits")
			p.holds("a.txt", "-").holds("b.txt", "-").HangUp().WaitExit()
			if logs := p.logs(home); len(logs) != 1 || strings.Contains(logs[0], "oolong") || strings.Contains(logs[0], "tea?") || strings.Contains(logs[0], "Stir") {
				t.Errorf("stored is\n%s", strings.Join(logs, "\n\n"))
			}
		})
	}
}

// logs are the contents of the stored sessions.
func (p *Parley) logs(home string) (all []string) {
	names, err := filepath.Glob(filepath.Join(home, ".local/state/parley/sessions/*.jsonl"))
	must(p.t, err)
	for _, name := range names {
		log, err := os.ReadFile(name)
		must(p.t, err)
		all = append(all, string(log))
	}
	return all
}

// It can be asked after a turn, too, and closed. Kept as a tab, it is a session like any other, in the mode of
// the first one: with its question, its answer, and what
// was said before.
func TestAQuestionAsideBecomesATab(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	p := Start(t, Options{Home: home, Script: askedAside(asksFork, takesFork)})
	p.Ready().Ask("work").Shows("I am reading the tea leaves.").Press("esc").Idle()
	p.Ask("/btw chai?").Shows("It is oolong.").Press("esc").Gone("oolong").Ask("/btw tea?").Shows("It is oolong.").Press("t")
	p.Shows("❯ work", "❯ tea?", "It is oolong.", "❯ Type a prompt")
	if resumed := p.WaitSent("session/resume", 1); !strings.Contains(resumed, `"copy"`) {
		t.Errorf("it resumed %s", resumed)
	}
	p.waitWire("the mode of the first session", 1, func() []string {
		return slices.DeleteFunc(p.Sent("session/set_mode"), func(sent string) bool { return !strings.Contains(sent, `"code"`) })
	})
	if logs := p.logs(home); len(logs) != 2 {
		t.Errorf("%d sessions are stored", len(logs))
	}
	p.Mode("Accept edits").Leave()
}

// A question aside ends with parley, which leaves no process.
func TestAQuestionAsideEndsWithParley(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Script: strings.Replace(askedAside(asksFork, takesFork), "say \"It is **oolong**.\"", "say Brewing.\n      wait-cancel", 1)})
	p.Ready().Ask("work").Shows("I am reading the tea leaves.").Press("esc").Idle()
	p.Ask("/btw tea?").Shows("Brewing.", "Answering").HangUp().WaitExit()
}
