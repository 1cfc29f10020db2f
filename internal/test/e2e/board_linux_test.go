package e2e

import (
	"strings"
	"syscall"
	"testing"

	"parley/internal/test/ptytest"
)

// launching is an agent that follows a plan and asks in the middle of it. It repeats the second
// prompt.
const launching = `
handshake ` + resumes + ` {"sessionId": "s1"}
expect session/prompt
say I have looked around.
update {"sessionUpdate": "plan", "entries": [{"content": "Look", "status": "completed", "priority": "high"}, {"content": "Launch", "status": "in_progress", "priority": "high"}]}
update {"sessionUpdate": "usage_update", "used": 10, "size": 100, "cost": {"amount": 0.42, "currency": "USD"}}
request session/request_permission {"sessionId": "${session}", "toolCall": {"toolCallId": "t", "title": "Launch", "kind": "execute"}, "options": [
  {"optionId": "yes", "name": "Allow it", "kind": "allow_once"}, {"optionId": "no", "name": "Never", "kind": "reject_once"}]} as answer
await answer contains "optionId":"yes"
say Launched.
end-turn
expect session/prompt contains "and land"
say Landed.
end-turn
`

// boardLine waits until a line of the board has all the texts.
func (p *Parley) boardLine(texts ...string) *Parley {
	p.t.Helper()
	p.WaitUntil("a line has "+strings.Join(texts, ", "), func(s ptytest.Screen) bool {
		for y := range s.Rows {
			line, all := s.Line(y), true
			for _, text := range texts {
				all = all && strings.Contains(line, text)
			}
			if all {
				return true
			}
		}
		return false
	})
	return p
}

// All tabs stand on the board: one that asks, one that works, one that idles. From there one
// answers, sends, goes there and ends.
func TestTheBoardOfTabs(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Script: streams, Others: map[string]string{"launcher": launching, "idler": "handshake\nserve\n"}, Cols: 120, Rows: 40})
	p.Ready().Ask("count").Shows("1 2 3")
	p.Pick("launcher").Ask("go").Question("Launch", "Allow it")
	launcher := p.Other("launcher")
	p.Press("alt+,").Pick("idler").TabLine("3 · ")
	p.Press("alt+a").Shows("Board", "Needs you", "Works", "Done", "Permission, launcher, tab 2")
	p.boardLine("❯ ?", "asks", "launcher", "go", "$0.42").boardLine("◐", "works", "count").boardLine("·", "idle", "idler")

	p.Shows("→ answer").Press("y").Shows("❯ 1  y  ✓ Allow it", "enter or y: Allow it", "esc back").Press("enter")
	p.boardLine("✓", "done", "go")
	p.Press("/").Type("launcher").Press("enter").Gone("Works").Press("alt+s").Question("Send to go").Type("and land").Press("enter")
	p.Shows("sent to go")
	launcher.WaitSent("session/prompt", 2)
	p.Press("down", "enter").Shows("Launched.", "❯ and land", "Landed.").TabLine("2 · go") // a second enter at once is ignored

	p.Press("alt+a", "/").Type("count").Press("enter").Gone("Done").Press("alt+d").Shows("this session ends with parley")
	p.Press("ctrl+x").Question("End this session?", "count", "in the middle of its turn", "The transcript stays.").Shows("Board", "State").Answer("Keep it").Shows("clear the filter")
	p.Press("ctrl+x").Question("End this session?").Answer("End it").Press("esc", "esc").TabLine("1 · go", "2 · ")
	p.Press("alt+a").Shows("Board").Gone("count")
}

// parley board shows the sessions that keep running, starts no agent, and goes to one of them. What
// happens there is seen on it.
func TestTheBoardAlone(t *testing.T) {
	t.Parallel()
	k := newKept(t)
	p := k.start(launching)
	p.Ready().Ask("go").Question("Launch", "Allow it").TakesKeys().Press("ctrl+z").Exits(0)
	id := k.host().ID

	text := k.runs("board")
	if !strings.Contains(text, id) || !strings.Contains(text, "NOW") || !strings.Contains(text, "asks") || !strings.Contains(text, "Launch") || !strings.Contains(text, "$0.42") {
		t.Errorf("the table is\n%s", text)
	}
	if text := k.runs("board", "--json"); !strings.Contains(text, `"standing": "asks"`) || !strings.Contains(text, `"I have looked around."`) {
		t.Errorf("the JSON is\n%s", text)
	}

	b := k.open(Options{Args: []string{"board"}, Cols: 160, Rows: 40})
	b.boardLine("❯ ?", "asks", "go", "│ keeps running").Shows("I have looked around.", "keeps running as "+id, "Permission, ", "✓ Allow it")
	b.Press("alt+d").Shows("it is not attached here")
	b.Shows("→ answer").Press("right").Shows("❯ 1  y  ✓ Allow it").Press("enter") // nothing is attached for it
	b.boardLine("❯ ·", "go", "idle").Shows("Launched.", "keeps running as "+id)
	b.Press("alt+s").Shows("Send to go").Type("and land").Press("enter").Shows("sent to go", "Landed.")
	b.Press("down", "enter").Shows("❯ and land", "Landed.", "kept").Press("ctrl+z").Exits(0)

	c := k.open(Options{Args: []string{"board"}})
	c.boardLine("❯ ·", "idle", "go").Press("ctrl+x").Question("End this session?", "The transcript stays.").Answer("End it")
	c.Shows("Nothing runs.").Press("esc").Exits(0)
	if all := k.hosts(); len(all) > 0 {
		t.Errorf("it still runs: %+v", all)
	}
}

// In plain lines the board says the same in words.
func TestTheBoardInPlainLines(t *testing.T) {
	t.Parallel()
	k := newKept(t)
	k.start(launching).Ready().Ask("go").Question("Launch", "Allow it").TakesKeys().Press("ctrl+z").Exits(0)
	id := k.host().ID
	p := k.open(Options{Script: "handshake\nserve\n", Args: []string{"--plain"}, Env: []string{"TERM=dumb"}, Keep: true, Config: "[host]\nkeep = false\n"})
	p.Hears(invitation).Tells("/board")
	p.Hears("1. go: asks, ", "$0.42", "Launch", "2. ", "idle", "/board N: go there", "/board end N", "/board send N: send")
	p.Tells("/board detach 1").Hears("It is not attached here.")
	p.Tells("/board send " + id + " and land").Hears("Sent to go.")
	p.Tells("/board 1").Hears("Question: may the agent do this?", "1. Allow it", "Answer 1 to 2")
	p.Tells("1").Hears("Launched.", "Landed.")
	p.Send("\x04").WaitExit()

	must(t, syscall.Kill(k.host().PID, syscall.SIGKILL))
	p = k.open(Options{Script: "handshake\nserve\n", Args: []string{"--plain"}, Env: []string{"TERM=dumb"}, Keep: true, Config: "[host]\nkeep = false\n"})
	p.Hears(invitation).Tells("/board").Hears("go: ended", "go there to open it again")
	p.Send("\x04").WaitExit()
}
