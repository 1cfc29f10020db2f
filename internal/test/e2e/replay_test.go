//go:build unix

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/test"
	"parley/internal/test/ptytest"
	"parley/tui/theme"
)

// startReplay plays something on a terminal like that of Start.
func startReplay(t *testing.T, home, project string, args ...string) *Parley {
	t.Helper()
	p := &Parley{t: t, project: project, log: filepath.Join(t.TempDir(), "wire.log"), focused: hex(theme.New(true).BorderFocused)}
	cmd := append([]string{test.Parley(t), "replay"}, args...)
	p.Terminal = ptytest.Start(t, ptytest.Options{Cmd: cmd, Dir: project, Home: home})
	return p
}

const tidying = `
handshake
expect session/prompt
think what is there?
update {"sessionUpdate":"plan","entries":[{"content":"Look around","priority":"high","status":"completed"},{"content":"Tidy up","priority":"high","status":"in_progress"}]}
update {"sessionUpdate":"tool_call","toolCallId":"r","title":"Read notes.txt","kind":"read","status":"completed","content":[{"type":"content","content":{"type":"text","text":"a note"}}]}
request session/request_permission {"sessionId": "${session}", "toolCall": {"toolCallId": "t", "title": "Clean up", "kind": "execute", "rawInput": {"command": "rm -rf build"}}, "options": [{"optionId": "yes", "name": "Allow", "kind": "allow_once"}, {"optionId": "no", "name": "Reject", "kind": "reject_once"}]} as one
await one contains "optionId":"yes"
request terminal/create {"sessionId": "${session}", "command": "printf", "args": ["red words"], "cwd": "${cwd}"} as term
await term
update {"sessionUpdate": "tool_call_update", "toolCallId": "t", "status": "in_progress", "content": [{"type": "terminal", "terminalId": "${term.result.terminalId}"}]}
request terminal/wait_for_exit {"sessionId": "${session}", "terminalId": "${term.result.terminalId}"} as exit
await exit contains "exitCode":0
update {"sessionUpdate": "tool_call_update", "toolCallId": "t", "status": "completed"}
say It is **tidy** now.
end-turn
expect session/prompt
say And it stays so.
end-turn
`

// withoutPrompt is a screen without what only the prompt has: its line, and the keys.
func withoutPrompt(s ptytest.Screen) string {
	var lines []string
	for y := range s.Rows {
		if y != s.Rows-4 && y != s.Rows-1 {
			lines = append(lines, s.Line(y))
		}
	}
	return strings.Join(lines, "\n")
}

// What the replay of a recording shows at its end is what the session showed. So does
// the replay of the same session as it was stored.
func TestReplayShowsWhatTheSessionShowed(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	file := filepath.Join(t.TempDir(), "session.jsonl")
	p := Start(t, Options{Home: home, Script: tidying, Args: []string{"--record", file}})
	p.Ready().Ask("tidy up").Question("rm -rf build").Answer("Allow").Shows("It is tidy now.", "red words").Idle()
	p.Ask("keep it so").Shows("And it stays so.").Idle()
	p.WaitUntil("the prompt is empty", func(s ptytest.Screen) bool { return strings.Contains(s.Line(s.Rows-4), "Type a prompt") })
	live := withoutPrompt(p.Screen())
	p.Leave()

	logs, err := filepath.Glob(filepath.Join(home, ".local", "state", "parley", "sessions", "*.jsonl"))
	must(t, err)
	if len(logs) != 1 {
		t.Fatalf("stored are %s", logs)
	}
	id := strings.TrimSuffix(filepath.Base(logs[0]), ".jsonl")
	for _, what := range []string{file, id} {
		r := startReplay(t, home, p.Project(), "--speed", "max", what)
		r.Shows("REPLAY  at the end", "turn 2 of 2")
		if got := withoutPrompt(r.Screen()); got != live {
			t.Errorf("the replay of %s shows\n%s\nthe session showed\n%s", what, got, live)
		}
		r.Press("[", "[").Shows("turn 1 of 2").Press("q").Exits(0)
	}
}

// slowly is a recording of two turns, in which nothing happens for many minutes.
const slowly = `{"v":1,"recording":"parley","version":"1","started":"2026-01-01T12:00:00Z","cwd":"/work"}
{"t":0,"event":{"v":1,"event":"session_opened","data":{"id":"s","cwd":"/work"}}}
{"t":0.1,"event":{"v":1,"event":"prompt_sent","data":{"prompt":[{"type":"text","text":"the first"}],"at":"2026-01-01T12:00:00Z"}}}
{"t":1000,"event":{"v":1,"event":"text","data":{"chunk":"agent_message_chunk","text":"one"}}}
{"t":1000,"event":{"v":1,"event":"turn_ended","data":{"reason":"end_turn"}}}
this line is damaged
{"t":2000,"event":{"v":1,"event":"prompt_sent","data":{"prompt":[{"type":"text","text":"the second"}]}}}
{"t":3000,"event":{"v":1,"event":"text","data":{"chunk":"agent_message_chunk","text":"two"}}}
{"t":3000,"event":{"v":1,"event":"turn_ended","data":{"reason":"end_turn"}}}
`

func TestReplayIsSteered(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "slow.jsonl")
	must(t, os.WriteFile(file, []byte(slowly), 0o600))
	r := startReplay(t, t.TempDir(), dir, "--max-pause", "1h", file)
	r.Shows("❯ the first", "REPLAY  playing", "/ 50:00  turn 1 of 2  speed 1x", "1 damaged place left out", "space pause", "working ")
	r.Press("space").Shows("paused", "space resume")
	r.Press("]").Shows("❯ the second", "one", "turn 2 of 2", "33:20 / 50:00")
	r.Press("[").Shows("turn 1 of 2").Gone("❯ the second")
	r.Press("+").Shows("speed 2x").Press("-").Press("-").Shows("speed 0.5x")
	r.Press("1").Press("ctrl+n").Shows("this is a replay: nothing is run", "turn 1 of 2")
	r.Press("space").Shows("playing")
	for range 9 {
		r.Press("+")
	}
	r.Shows("speed max", "at the end", "two", "50:00 / 50:00")
	r.Press("ctrl+c").Exits(0)
}

// A session that is resumed is recorded from its beginning on.
func TestRecordsWhatASessionGoesOnWith(t *testing.T) {
	t.Parallel()
	at := newPlace(t)
	at.start(talk(resumes, "Before that.")).Ready().Ask("begin").Shows("Before that.").Idle().Leave()
	file := filepath.Join(t.TempDir(), "session.jsonl")
	p := at.start(`
expect initialize
reply {`+initialized+`, "agentCapabilities": `+resumes+`}
expect session/resume
reply {}
expect session/prompt
say After that.
end-turn
`, "--continue", "--record", file)
	p.Shows("Before that.").Ask("go on").Shows("After that.").Idle().Leave()
	r := startReplay(t, at.home, at.dir, "--speed", "max", file)
	r.Shows("at the end", "❯ begin", "Before that.", "❯ go on", "After that.").Press("q").Exits(0)
}
