//go:build unix

package e2e

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"parley/internal/test"
	"parley/internal/test/ptytest"
)

// session is the opening of the agent, with what can be chosen there.
const session = `
expect initialize
reply {"protocolVersion": 1, "agentInfo": {"name": "wren", "title": "Wren", "version": "1.4.0"}, "agentCapabilities": {"loadSession": true, "promptCapabilities": {"image": true, "embeddedContext": true}}}
expect session/new|session/load
reply {"sessionId": "s1", "configOptions": [
  {"id": "mode", "name": "Mode", "category": "mode", "type": "select", "currentValue": "ask", "options": [
    {"value": "ask", "name": "Ask", "description": "Asks before it changes anything"},
    {"value": "code", "name": "Code", "description": "Edits files, asks before it runs commands"},
    {"value": "plan", "name": "Plan", "description": "Reads and plans, changes nothing"}]},
  {"id": "model", "name": "Model", "category": "model", "type": "select", "currentValue": "wren-large", "options": [
    {"value": "wren-large", "name": "Wren Large", "description": "For hard problems"},
    {"value": "wren-small", "name": "Wren Small", "description": "Quick, for everyday work"}]},
  {"id": "thought", "name": "Thinking", "category": "thought_level", "type": "select", "currentValue": "medium", "options": [
    {"value": "low", "name": "Low"}, {"value": "medium", "name": "Medium"}, {"value": "high", "name": "High"}]}]}
update {"sessionUpdate": "available_commands_update", "availableCommands": [
  {"name": "review", "description": "Review what has changed"}, {"name": "test", "description": "Run the tests and mend what fails"}]}
`

// works is a turn with a plan, a file that is read, a change and a command.
const works = session + `
expect session/prompt
update {"sessionUpdate": "usage_update", "used": 18400, "size": 200000, "cost": {"amount": 0.09, "currency": "USD"}}
think The loop begins at one, and lists begin at zero.
update {"sessionUpdate": "plan", "entries": [
  {"content": "Find out why Ada is left out", "priority": "high", "status": "completed"},
  {"content": "Mend the loop", "priority": "high", "status": "in_progress"},
  {"content": "Look at the change", "priority": "medium", "status": "pending"}]}
update {"sessionUpdate": "tool_call", "toolCallId": "r", "title": "Read main.go", "kind": "read", "status": "completed", "locations": [{"path": "${cwd}/main.go"}]}
say "The loop begins at **1**, so the first name on the list never gets its greeting. Ranging over the names leaves nobody out:\n"
`

const before = `package main\n\nimport \"fmt\"\n\nfunc main() {\n\tnames := []string{\"Ada\", \"Grace\", \"Linus\", \"Margaret\"}\n\n\tfor i := 1; i < len(names); i++ {\n\t\tfmt.Printf(\"Hello, %s!\\n\", names[i])\n\t}\n}\n`

const after = `package main\n\nimport \"fmt\"\n\nfunc main() {\n\tnames := []string{\"Ada\", \"Grace\", \"Linus\", \"Margaret\"}\n\n\tfor _, name := range names {\n\t\tfmt.Printf(\"Hello, %s!\\n\", name)\n\t}\n}\n`

// edits is the change of that turn, which is asked about.
const edits = `
request session/request_permission {"sessionId": "${session}", "toolCall": {"toolCallId": "e", "title": "Edit main.go", "kind": "edit", "status": "pending",
  "locations": [{"path": "${cwd}/main.go", "line": 8}],
  "content": [{"type": "diff", "path": "${cwd}/main.go", "oldText": "` + before + `", "newText": "` + after + `"}]}, "options": [
  {"optionId": "once", "name": "Allow once", "kind": "allow_once"}, {"optionId": "always", "name": "Allow all edits in this session", "kind": "allow_always"},
  {"optionId": "no", "name": "No, leave it as it is", "kind": "reject_once"}]} as edit
await edit contains "once"
request fs/write_text_file {"sessionId": "${session}", "path": "${cwd}/main.go", "content": "` + after + `"} as written
await written
update {"sessionUpdate": "tool_call_update", "toolCallId": "e", "status": "completed"}
`

// runs is its command.
const runs = `
request terminal/create {"sessionId": "${session}", "command": "git", "args": ["--no-pager", "diff", "--stat"], "cwd": "${cwd}"} as term
await term
update {"sessionUpdate": "tool_call", "toolCallId": "c", "title": "Look at what has changed", "kind": "execute", "status": "in_progress", "content": [{"type": "terminal", "terminalId": "${term.result.terminalId}"}]}
request terminal/wait_for_exit {"sessionId": "${session}", "terminalId": "${term.result.terminalId}"} as exit
await exit
update {"sessionUpdate": "tool_call_update", "toolCallId": "c", "status": "completed"}
update {"sessionUpdate": "plan", "entries": [
  {"content": "Find out why Ada is left out", "priority": "high", "status": "completed"},
  {"content": "Mend the loop", "priority": "high", "status": "completed"},
  {"content": "Look at the change", "priority": "medium", "status": "completed"}]}
say "Everybody is greeted now, Ada first."
end-turn
`

// ready is the hint that is shown once a session is open.
const ready = "enter send"

// asked sends the prompt of all these scenes.
func asked(s *stage) *ptytest.Terminal {
	s.t.Helper()
	return complained(s.start("-a", "wren"))
}

// complained sends the prompt of the scenes.
func complained(term *ptytest.Terminal) *ptytest.Terminal {
	return term.WaitFor(ready).Type("Somebody says that Ada never gets a greeting. Can you look into it?").Press("enter")
}

// allowed has the change allowed, once the question takes keys and all of it was in sight.
func allowed(term *ptytest.Terminal) *ptytest.Terminal {
	return term.WaitFor("No, leave it as it is", "esc cancel the turn").Press("end").WaitFor("enter: select Allow once").Press("y").WaitFor("enter or y: Allow once").Press("y").WaitGone("No, leave it as it is")
}

// done waits until the turn is over.
func done(term *ptytest.Terminal) *ptytest.Terminal {
	return term.WaitFor("Everybody is greeted now").WaitGone("working ").WaitGone("Waiting for you")
}

// confirms is a turn that runs a command which waits for an answer.
const confirms = session + `
expect session/prompt
say "I update the packages; the package manager wants to know whether it may."
request terminal/create {"sessionId": "${session}", "command": "pkg", "args": ["upgrade"], "cwd": "${cwd}"} as term
await term
update {"sessionUpdate": "tool_call", "toolCallId": "c", "title": "pkg upgrade", "kind": "execute", "status": "in_progress", "content": [{"type": "terminal", "terminalId": "${term.result.terminalId}"}]}
request terminal/wait_for_exit {"sessionId": "${session}", "terminalId": "${term.result.terminalId}"} as exit
await exit
end-turn
`

// waits is an agent that asks whether it may run a command.
const waits = session + `
expect session/prompt
say "The tests pass. One thing is left: the tag."
request session/request_permission {"sessionId": "${session}", "toolCall": {"toolCallId": "t", "title": "Tag the release", "kind": "execute", "rawInput": {"command": "git tag v1.4.0"}}, "options": [
  {"optionId": "yes", "name": "Allow", "kind": "allow_once"}, {"optionId": "no", "name": "Reject", "kind": "reject_once"}]} as tag
await tag
end-turn
`

// mends is an agent that mends the greeting in one way or another.
func mends(code, answer, cost string) string {
	return session + `
expect session/prompt
update {"sessionUpdate": "plan", "entries": [{"content": "Find out why", "priority": "high", "status": "completed"}, {"content": "Mend the loop", "priority": "high", "status": "in_progress"}, {"content": "Run it", "priority": "low", "status": "pending"}]}
request fs/write_text_file {"sessionId": "${session}", "path": "${cwd}/main.go", "content": "` + code + `"} as written
await written
update {"sessionUpdate": "usage_update", "used": 18400, "size": 200000, "cost": {"amount": ` + cost + `, "currency": "USD"}}
say "` + answer + `"
`
}

const otherwise = `package main\n\nimport \"fmt\"\n\nfunc main() {\n\tnames := []string{\"Ada\", \"Grace\", \"Linus\", \"Margaret\"}\n\n\tfor i := range names {\n\t\tfmt.Printf(\"Hello, %s!\\n\", names[i])\n\t}\n}\n`

// compared has three agents mend the same: one is done, one asks, one is at work.
func compared(s *stage) *ptytest.Terminal {
	s.t.Helper()
	term := s.start("-a", "wren").WaitFor(ready).Type("/compare Ada never gets a greeting. Mend it.").Press("enter").WaitFor("Compare agents", "choose 2 to 6")
	for _, name := range []string{"Robin", "Finch"} {
		term.Type(name).WaitFor("/ " + name).Press("enter").WaitFor("● " + name).Press("esc").WaitFor("type to filter")
	}
	term.Press("end", "up", "enter").WaitFor("Command that tests").Type("grep -q range main.go").Press("enter").WaitFor("grep -q")
	return term.Press("home").WaitFor("❯   Start").Press("enter").WaitFor("check passed", "asks 1", "Tag the release", "I compare", "1 file +2 −2", "1 file +1 −1").WaitGone("making 3 worktrees")
}

// scenes are the pictures.
var scenes = []scene{
	{name: "first", everywhere: true, rows: 30, title: "The first screen: sessions to go on with, and the agents that were found", agent: session, play: func(s *stage) *ptytest.Terminal {
		s.stored(3*time.Hour, "wren", "Say hello in Finnish as well", "Hei!")
		return s.start().WaitFor("Wren", "enter choose")
	}},
	{name: "turn", everywhere: true, title: "A turn: thoughts, plan, tool calls, a change, a command and what it printed", agent: works + edits + runs, play: turn},
	{name: "turn-light", title: "The same turn on a light terminal", light: true, agent: works + edits + runs, play: turn},
	{name: "permission", everywhere: true, rows: 38, title: "A question: the change that would be made, and the answers", agent: works + edits, play: func(s *stage) *ptytest.Terminal {
		return asked(s).WaitFor("No, leave it as it is", "esc cancel the turn")
	}},
	{name: "client", rows: 32, title: "The same question in a second client of the session: a parley in lines, through parley serve", agent: works + edits, play: func(s *stage) *ptytest.Terminal {
		complained(s.start("-a", "wren", "--keep")).WaitFor("No, leave it as it is")
		s.program("parley", fmt.Sprintf("exec '%s' \"$@\"", test.Parley(s.t)))
		id := strings.TrimSuffix(filepath.Base(sockets(s.home)[0]), ".sock")
		client := s.start("--plain", "--", "parley", "serve", id)
		s.t.Cleanup(func() { EndHosts(s.home) })
		return client.WaitFor("No, leave it as it is", "Answer 1 to 3")
	}},
	{name: "command", rows: 20, title: "A command of the agent, stepped into to answer it", agent: confirms, play: func(s *stage) *ptytest.Terminal {
		s.program("pkg", "echo 'Packages that will be upgraded:'; echo '  fmtlib 10.2 -> 11.0'; echo '  spdlog 1.13 -> 1.14'; printf 'Proceed? [y/N] '; read answer; echo")
		return asked(s).WaitFor("[y/N]").Press("f7").WaitFor("AGENT'S COMMAND", "[y/N]")
	}},
	{name: "mode", everywhere: true, rows: 20, title: "Choosing the mode", agent: session, play: func(s *stage) *ptytest.Terminal {
		return s.start("-a", "wren").WaitFor("Wren Large").Press("f2").WaitFor("Reads and plans, changes nothing")
	}},
	{name: "options", rows: 20, title: "All options of the agent", agent: session, play: func(s *stage) *ptytest.Terminal {
		return s.start("-a", "wren").WaitFor("Wren Large").Press("ctrl+o").WaitFor("Thinking", "Wren Large")
	}},
	{name: "review", title: "The review of what the agent has changed", agent: works + edits + runs, play: func(s *stage) *ptytest.Terminal {
		return done(allowed(asked(s))).Press("f5").WaitFor("Session changes").Press("enter").WaitFor("change 1 of")
	}},
	{name: "sessions", rows: 24, title: "The sessions that are kept, with the words that were searched for", agent: session, play: func(s *stage) *ptytest.Terminal {
		s.stored(2*time.Hour, "wren", "Ada never gets a greeting", "The loop began at one. Everybody is greeted now.")
		s.stored(26*time.Hour, "wren", "Say hello in Finnish as well", "Hei! The greeting is chosen by the language of the system now.")
		s.stored(4*24*time.Hour, "wren", "Write a README", "It says what the program does, and how it is run.")
		return s.start("-a", "wren").WaitFor(ready).Press("ctrl+s").WaitFor("Ada never gets", "Finnish", "README").
			Type("language").WaitGone("Ada never gets").WaitFor("chosen by the language")
	}},
	{name: "tabs", title: "Two sessions in tabs: the one behind waits for an answer", agent: works + edits + runs, others: map[string]string{"robin": waits}, play: func(s *stage) *ptytest.Terminal {
		term := done(allowed(asked(s)))
		term.Press("ctrl+p").WaitFor("Command palette").Type("New tab with another").WaitFor("New tab with another agent").Press("enter").WaitFor("New tab: choose an agent").Type("robin").WaitFor("❯   Robin").Press("enter").WaitFor(ready)
		term.Type("Check everything and tag the release").Press("enter").WaitFor("git tag v1.4.0")
		return term.Press("alt+,").WaitFor("Everybody is greeted now", "?")
	}},
	{
		name: "compare", cols: 130, rows: 24, title: "Three agents with the same prompt: one is done and checked, one asks, one is at work",
		agent:  mends(after, "The loop began at **1**. Ranging over the names leaves nobody out.", "0.09") + "end-turn\nserve\n",
		others: map[string]string{"robin": waits, "finch": mends(otherwise, "I compare the ways to write the loop.", "0.12") + "hang\n"},
		play:   compared,
	},
	{
		name: "differences", cols: 130, rows: 24, title: "What two agents have changed, with a change that is marked to be merged",
		agent:  mends(after, "The loop began at **1**. Ranging over the names leaves nobody out.", "0.09") + "end-turn\nserve\n",
		others: map[string]string{"robin": waits, "finch": mends(otherwise, "I compare the ways to write the loop.", "0.12") + "hang\n"},
		play: func(s *stage) *ptytest.Terminal {
			return compared(s).Press("d").WaitFor("main.go", "change 1 of").Press("right", "left", "space").WaitFor("1 marked")
		},
	},
	{
		name: "board", rows: 24, title: "The board: all sessions that run, those that need you first", agent: works + edits + runs,
		others: map[string]string{"robin": waits, "finch": mends(otherwise, "I compare the ways to write the loop.", "0.12") + "hang\n"},
		play: func(s *stage) *ptytest.Terminal {
			term := done(allowed(asked(s)))
			for _, of := range [][2]string{{"Finch", "Is there a shorter loop?"}, {"Robin", "Check everything and tag the release"}} {
				title, prompt := of[0], of[1]
				term.Press("ctrl+p").WaitFor("Command palette").Type("New tab with another").WaitFor("New tab with another agent").Press("enter").WaitFor("New tab: choose an agent").Type(title).WaitFor("❯   " + title).Press("enter").WaitFor(ready)
				term.Type(prompt).Press("enter").WaitFor("❯ " + prompt)
			}
			return term.WaitFor("enter: select Allow").Press("alt+a").WaitFor("Board", "waits for your answer", "works")
		},
	},
	{name: "palette", everywhere: true, title: "The palette: everything there is, to search in", agent: session, play: func(s *stage) *ptytest.Terminal {
		return s.start("-a", "wren").WaitFor("Wren Large").Press("ctrl+p").WaitFor("type to filter")
	}},
	{name: "themes", title: "The list of themes, each shown while it is marked", agent: works + edits + runs, play: func(s *stage) *ptytest.Terminal {
		term := done(allowed(asked(s)))
		return term.Press("ctrl+p").WaitFor("type to filter").Type("Choose the theme").WaitFor("/ Choose the theme").Press("enter").WaitFor("gruvbox-dark").
			Press("down", "down", "down").WaitFor("❯   gruvbox-dark")
	}},
	{name: "guide", title: "The guide, inside", agent: session, play: func(s *stage) *ptytest.Terminal {
		return s.start("-a", "wren").WaitFor("Wren Large").Press("f1").WaitFor("Help").Press("tab").WaitFor("The guide to parley")
	}},
	{name: "help", everywhere: true, title: "The help, with every key", agent: session, play: func(s *stage) *ptytest.Terminal {
		return s.start("-a", "wren").WaitFor("Wren Large").Press("f1").WaitFor("esc close")
	}},
}

// turn is the whole turn.
func turn(s *stage) *ptytest.Terminal { return done(allowed(asked(s))) }
