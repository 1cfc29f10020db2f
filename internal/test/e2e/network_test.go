//go:build unix

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/schema"
	"parley/internal/test"
	"parley/internal/test/ptytest"
)

// An agent that listens is worked with as one that was started, but is offered nothing
// of this machine.
func TestConnectToAnAgentThatListens(t *testing.T) {
	t.Parallel()
	for _, far := range []string{"ws://%s/acp", "http://%s/acp"} {
		p := Start(t, Options{Far: far, Script: `
handshake
expect session/prompt contains hello
request session/request_permission {
  "sessionId": "${session}",
  "toolCall": {"toolCallId": "t1", "title": "Look at the stars", "kind": "fetch"},
  "options": [{"optionId": "yes", "name": "Allow it", "kind": "allow_once"}, {"optionId": "no", "name": "Reject it", "kind": "reject_once"}]
} as permission
await permission contains "yes"
say I come from far away.
end-turn`})
		p.Ready().Ask("hello").Question("Look at the stars").Answer("Allow it").Shows("I come from far away.").Idle()
		if hello := p.Sent("initialize"); len(hello) != 1 || strings.Contains(hello[0], `"terminal":true`) || strings.Contains(hello[0], `"readTextFile":true`) {
			t.Errorf("the agent was offered %q", hello)
		}
		p.Leave()
	}
}

// A connection that is lost is told as an agent's end is. The session goes on where it
// was; what was in flight stays to be read and is not sent again.
func TestALostConnectionIsToldAndMadeAgain(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Far: "ws://%s/acp", Script: `
handshake {"loadSession": true}
expect session/prompt contains slow
say I have begun with it.
expect session/prompt
say The second is done.
end-turn`})
	p.Ready().Ask("slow work").Shows("I have begun with it.")
	p.far.Cut()
	p.Shows("Lost the connection to the agent", p.at, "Reconnect")
	p.Answer("Stay and read").Shows("lost the connection to the agent", "alt+r reconnects", "I have begun with it.")
	p.Press("alt+r").Gone("lost the connection to the agent")
	p.WaitSent("session/load", 1)
	p.Idle().Shows("slow work", "I have begun with it.")
	if sent := p.Sent("session/prompt"); len(sent) != 1 {
		t.Errorf("prompts were sent: %q", sent)
	}
	p.Leave()
}

// The same in the second version, in which the session is resumed. What was in flight
// stays to be read, and is not sent again.
func TestALostConnectionInTheSecondVersion(t *testing.T) {
	t.Parallel()
	for _, far := range []string{"ws://%s/acp", "http://%s/acp"} {
		p := Start(t, Options{Args: []string{"--protocol=auto"}, Far: far, Script: `
speaks v2
handshake
expect session/prompt
accept
say I have begun with it.
wait-cancel
end-turn cancelled
serve`})
		p.Ready().Shows("ACP 2").Ask("slow work").Shows("I have begun with it.")
		p.far.Cut()
		p.Shows("Lost the connection to the agent", p.at)
		p.Answer("Stay and read").Press("alt+r").Gone("lost the connection to the agent").WaitSent("session/resume", 1)
		p.Idle().Shows("❯ slow work", "I have begun with it.").Ask("the next thing").WaitSent("session/prompt", 2)
		p.Shows("❯ the next thing")
		p.WaitUntil("the agent has begun twice", func(s ptytest.Screen) bool { return strings.Count(s.String(), "I have begun with it.") == 2 })
		if s := p.Screen().String(); strings.Count(s, "slow work") != 1 || strings.Count(s, "the next thing") != 1 {
			t.Errorf("the screen shows\n%s", s)
		}
		if sent := p.Sent("session/prompt"); len(sent) != 2 || strings.Contains(sent[1], "slow work") {
			t.Errorf("prompts were sent: %q", sent)
		}
		p.Press("esc").Shows("Cancelled").Leave()
	}
}

// A server that is not there is told with its address, and can be tried again.
func TestAServerThatIsNotThere(t *testing.T) {
	t.Parallel()
	p := Start(t, Options{Args: []string{"-a", "far"}, Far: "ws://%s/acp", Script: "handshake", Config: `
[agents.far]
name = "Far away"
url = "ws://127.0.0.1:1/acp?key=hunter2"
`})
	p.Shows("Not connected to the agent", "cannot connect to ws://127.0.0.1:1/acp", "connection refused")
	if p.Screen().Contains("hunter2") {
		t.Error("a secret is on the screen")
	}
	if got := len(p.Wire()); got != 0 {
		t.Errorf("%d messages crossed the wire of %s", got, schema.Agent)
	}
	p.Answer("Quit parley").Exits(0)
}

// elsewhere configures an agent "build" behind a stand-in for ssh, and returns the
// options to start it.
func elsewhere(t *testing.T, settings, script string) Options {
	t.Helper()
	dir := t.TempDir()
	bin := filepath.Join(dir, "bin")
	must(t, os.Mkdir(bin, 0o700))
	must(t, os.WriteFile(filepath.Join(bin, "ssh"), []byte("#!/bin/sh\n[ \"$1\" = build.example.com ] || exit 255\nshift\nexec sh -c \"$*\"\n"), 0o700))
	path := filepath.Join(dir, "far.script")
	must(t, os.WriteFile(path, []byte(script), 0o600))
	command := strings.Join(append(test.Tap(t), test.Scripted(t), path), " ")
	return Options{
		Args: []string{"-a", "build"}, Env: []string{"PATH=" + bin + ":" + os.Getenv("PATH")},
		Config: fmt.Sprintf("[agents.build]\ncommand = \"ssh\"\nargs = [\"build.example.com\", %q]\n%s\n", command, settings),
		Files:  map[string]string{"notes.txt": "milk\n"},
	}
}

// An agent behind ssh has the session's directory elsewhere: what it is told has its
// paths, and what it names is found here, within the same bounds.
func TestAnAgentBehindSSHHasPathsOfItsOwn(t *testing.T) {
	t.Parallel()
	p := Start(t, elsewhere(t, "remote_root = \"/srv/shop\"\nserve_files = true", `
handshake {"promptCapabilities": {"embeddedContext": false}}
expect session/prompt
request fs/read_text_file {"sessionId": "${session}", "path": "/srv/shop/notes.txt"} as notes
await notes contains milk
request fs/write_text_file {"sessionId": "${session}", "path": "/srv/shop/sub/new.txt", "content": "bread"} as new
await new
update {"sessionUpdate":"tool_call","toolCallId":"a","title":"Change the list","kind":"edit","status":"completed","locations":[{"path":"/srv/shop/notes.txt"}],
  "content":[{"type":"diff","path":"/srv/shop/notes.txt","oldText":"milk","newText":"cheese"}]}
say All is done.
end-turn`))
	p.Ready().Ask("look at @notes.txt now").Shows("All is done.", "notes.txt").Idle()
	if p.Screen().Contains("/srv/shop") {
		t.Error("a path of the other machine is on the screen")
	}
	if got, err := os.ReadFile(filepath.Join(p.Project(), "sub", "new.txt")); err != nil || string(got) != "bread" {
		t.Errorf("the file holds %q, %v", got, err)
	}
	if sent := p.Sent("session/new"); len(sent) != 1 || !strings.Contains(sent[0], `"cwd":"/srv/shop"`) {
		t.Errorf("the session is that of %q", sent)
	}
	if sent := p.Sent("session/prompt"); len(sent) != 1 || !strings.Contains(sent[0], "file:///srv/shop/notes.txt") {
		t.Errorf("the prompt was %q", sent)
	}
	p.Leave()
}

// Without a word in the configuration an agent elsewhere is offered nothing of this
// machine, and gets nothing.
func TestAnAgentElsewhereIsOfferedNothing(t *testing.T) {
	t.Parallel()
	o := elsewhere(t, `remote_root = "/srv/shop"`, `
handshake
expect session/prompt
request fs/read_text_file {"sessionId": "${session}", "path": "/srv/shop/notes.txt"} as notes
await notes contains -32601
request terminal/create {"sessionId": "${session}", "command": "true"} as term
await term contains -32601
say I was given nothing.
end-turn`)
	o.Loose = true // it asks for what it was not offered
	p := Start(t, o)
	p.Ready().Ask("hello").Shows("I was given nothing.").Idle()
	p.Leave()
}
