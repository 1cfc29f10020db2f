//go:build unix

package e2e

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
)

// faulty is an agent that breaks the schema once in a turn.
const faulty = `
stderr warming up
handshake
expect session/prompt
say one
say two
update {"sessionUpdate":"tool_call","toolCallId":"t","title":"Read notes.txt","kind":"read","status":"whimsical"}
request fs/read_text_file {"sessionId": "${session}", "path": "${cwd}/notes.txt"} as notes
await notes contains "content"
say It is read.
end-turn
`

// indented is the message of the wire that has a text in it, as a user reads it.
func (p *Parley) indented(part string) string {
	p.t.Helper()
	for _, m := range p.Wire() {
		if strings.Contains(string(m.Line), part) {
			var b bytes.Buffer
			must(p.t, json.Indent(&b, bytes.TrimSpace(m.Line), "", "  "))
			return b.String()
		}
	}
	p.t.Fatalf("nothing on the wire has %s", part)
	return ""
}

func TestInspectsTheProtocol(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Script: faulty, Loose: true, Files: map[string]string{"notes.txt": "a note\n"}})
	p.Ready().Ask("look").Shows("It is read.").Idle()
	p.Press("f12").Shows("Inspector", "initialize", "session/prompt", "look", "fs/read_text_file", "answer to fs/read_text_file",
		"agent_message_chunk ×2", "✗ tool_call", "warming up", "✗ 1 invalid", "answer to session/prompt", "end_turn", "live")

	// The answer and its request belong together.
	p.Press("enter").Shows("answers session/prompt after", `"stopReason": "end_turn"`)
	p.Press("p").Shows("request 3 · from parley", "answered after", `"text": "look"`)

	// What breaks the schema is found, and said.
	p.Press("w").Shows("schema violations only", `✗ params/update/status: "whimsical" is not one of "completed",`, `"toolCallId": "t"`)
	p.Press("y").WaitClipboard(p.indented("whimsical"))

	p.Press("a").Shows("all messages").Press("d").Shows("sent only").Gone("tool_call").Press("a").Shows("tool_call")
	p.Press("f").Type("notes.txt").Shows("2 of ", "with “notes.txt”").Gone("f filter").Press("enter").Shows("f filter").Gone("end_turn").Press("a").Gone("with “notes.txt”")
	p.Press("/").Type("a NOTE").Press("enter").Shows("from parley", `"content": "a note\n"`)
	p.Press("q").Shows("summary").Press("q").Shows("It is read.").Leave()
}

// A session of version 2 is held against that version, and the title says which it is.
func TestInspectsTheSecondVersion(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Args: []string{"--protocol=auto"}, Loose: true, Script: `
speaks v2
handshake
expect session/prompt
accept
update {"sessionUpdate": "agent_message", "messageId": "m1", "content": [{"type": "text", "text": "It is read."}]}
update {"sessionUpdate": "agent_message", "messageId": "m2", "content": "no array"}
end-turn
serve
`})
	p.Ready().Ask("look").Shows("It is read.").Idle()
	p.Press("f12").Shows("Inspector", "ACP 2 · all messages", "session/prompt", "answer to session/prompt", "state_update", "running", "idle · end_turn", "✗ 1 invalid")
	p.Press("w").Shows("schema violations only", "✗ agent_message").Press("enter").Shows("✗ params/update/content", "notification · from the agent")
	p.Press("a", "m").Gone("✗ params/update/content").Press("f12").Shows("It is read.").Leave()
}

// What the inspector saves is a recording that can be played.
func TestSavesWhatTheInspectorHas(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	p := Start(t, Options{Script: faulty, Loose: true, Home: home, Files: map[string]string{"notes.txt": "a note\n"}})
	p.Ready().Ask("look").Shows("It is read.").Idle()
	p.Press("f12").Shows("all messages", "end_turn").Press("s").Shows("save to").Press("enter").Shows("saved ", " entries to ")
	p.Press("q").Shows("It is read.").Leave()
	files, err := filepath.Glob(filepath.Join(p.Project(), "parley-*.jsonl"))
	must(t, err)
	if len(files) != 1 {
		t.Fatalf("saved are %q", files)
	}
	r := startReplay(t, home, p.Project(), "--speed", "max", files[0])
	r.Shows("at the end", "❯ look", "It is read.", "Read notes.txt").Press("q").Exits(0)
}

// While it is paused, what comes is counted and the list stands still.
func TestPausesTheInspector(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Cols: 80, Rows: 24, Script: `
handshake
expect session/prompt
repeat 1000000
say word ${n}
sleep 10ms
end
`})
	p.Ready().Ask("talk").Shows("word 1")
	p.Press("f12").Shows("all messages", "agent_message_", "×", "live") // of the name less is shown, the more there are
	p.Press("space").Shows("paused, ", " new").Gone("live")
	p.Press("space").Shows("live").Gone("paused")
	p.Press("f12").Gone("agent_message_").Shows("word ")
}

// The inspector opens beside a question, which waits and takes no keys of it.
func TestInspectsWhileAQuestionWaits(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Script: tidying})
	p.Ready().Ask("tidy up").Question("rm -rf build").TakesKeys()
	p.Press("f12").Shows("session/request_permission", "Clean up", "…").Press("y").Shows("all messages").Press("f12")
	p.Question("rm -rf build").Answer("Allow").Shows("It is tidy now.").Idle().Leave()
}
