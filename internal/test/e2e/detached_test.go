//go:build linux || darwin

package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"parley/internal/test"
)

// commands runs parley's commands on sessions that keep running. They end with the test.
type commands struct {
	t       *testing.T
	bin     string
	project string
	sockets string
	env     []string
}

// commandsWith prepares an agent that follows a script. Everything that parley sends to it is
// validated.
func commandsWith(t *testing.T, script string) *commands {
	t.Helper()
	dir := resolved(t, t.TempDir())
	run, err := os.MkdirTemp("", "run") // a socket's path must be short
	must(t, err)
	k := &commands{t: t, bin: test.Parley(t), project: filepath.Join(dir, "project"), sockets: filepath.Join(run, "parley")}
	home := filepath.Join(dir, "home")
	must(t, os.MkdirAll(filepath.Join(home, ".config", "parley"), 0o700))
	must(t, os.Mkdir(k.project, 0o700))
	config := "default_agent = \"scripted\"\n" + configured(t, dir, "scripted", script)
	must(t, os.WriteFile(filepath.Join(home, ".config", "parley", "config.toml"), []byte(config), 0o600))
	k.env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "XDG_RUNTIME_DIR=" + run}
	t.Cleanup(func() {
		ids := k.running()
		for _, id := range ids {
			k.run("sessions", "end", id)
		}
		must(t, os.RemoveAll(run))
		(&Parley{t: t, log: wireOf(dir, "scripted")}).validate(false)
	})
	return k
}

// command is a command of parley's that runs.
type command struct {
	t        *testing.T
	cmd      *exec.Cmd
	out, err bytes.Buffer
	lines    *bufio.Reader // of stderr
}

func (k *commands) start(args ...string) *command {
	k.t.Helper()
	c := &command{t: k.t, cmd: exec.Command(k.bin, args...)}
	c.cmd.Dir, c.cmd.Env, c.cmd.Stdout = k.project, k.env, &c.out
	told, err := c.cmd.StderrPipe()
	must(k.t, err)
	c.lines = bufio.NewReader(io.TeeReader(told, &c.err))
	must(k.t, c.cmd.Start())
	k.t.Cleanup(func() { _ = c.cmd.Process.Kill() }) // it has ended, unless the test failed
	return c
}

// tells reads lines of stderr until one has a text.
func (c *command) tells(text string) {
	c.t.Helper()
	for {
		line, err := c.lines.ReadString('\n')
		if strings.Contains(line, text) {
			return
		}
		if err != nil {
			c.t.Fatalf("%v: stderr has no %q:\n%s", c.cmd.Args[1:], text, c.err.String())
		}
	}
}

// wait waits for the end of the command.
func (c *command) wait() error {
	_, _ = io.Copy(io.Discard, c.lines)
	return c.cmd.Wait()
}

// ends waits for the end of the command, and checks its exit code and what it has printed.
func (c *command) ends(code int, out, told string) {
	c.t.Helper()
	err := c.wait()
	if exit := new(exec.ExitError); err != nil && !errors.As(err, &exit) {
		c.t.Fatal(err)
	}
	if got := c.cmd.ProcessState.ExitCode(); got != code || c.out.String() != out || !strings.Contains(c.err.String(), told) {
		c.t.Fatalf("%v: exit %d, want %d; stdout %q, want %q; stderr %q, want %q", c.cmd.Args[1:], got, code, c.out.String(), out, c.err.String(), told)
	}
}

// run runs a command to its end, which is a success.
func (k *commands) run(args ...string) string {
	k.t.Helper()
	c := k.start(args...)
	if err := c.wait(); err != nil {
		k.t.Errorf("%v: %v %s", args, err, c.err.String())
	}
	return c.out.String()
}

// number returns the number of the open question whose text has a line. Two requests at once
// are asked in either order.
func (k *commands) number(id, line string) string {
	k.t.Helper()
	for question := range strings.SplitSeq("\n"+k.run("answer", id), "\nQuestion ") {
		if strings.Contains(question, "\n  "+line+"\n") {
			number, _, _ := strings.Cut(question, ":")
			return number
		}
	}
	k.t.Fatalf("no question has the line %q", line)
	return ""
}

// detached starts a session with prompts, and returns its id.
func (k *commands) detached(prompts ...string) string {
	k.t.Helper()
	args := []string{"run", "--detach"}
	for _, p := range prompts {
		args = append(args, "-p", p)
	}
	out := k.run(args...)
	id := strings.TrimSuffix(out, "\n")
	if id == "" || strings.ContainsAny(id, " \n") {
		k.t.Fatalf("run --detach prints %q, want an id", out)
	}
	return id
}

// running returns the ids of the sessions that run.
func (k *commands) running() (ids []string) {
	k.t.Helper()
	for _, r := range k.listed() {
		ids = append(ids, r.ID)
	}
	return ids
}

type runningHost struct {
	ID      string
	PID     int
	Waiting int
}

func (k *commands) listed() (all []runningHost) {
	k.t.Helper()
	var list []struct{ Running *runningHost }
	must(k.t, json.Unmarshal([]byte(k.run("sessions", "--json", "--all")), &list))
	for _, l := range list {
		if l.Running != nil {
			all = append(all, *l.Running)
		}
	}
	return all
}

const asksToTidy = `
handshake
expect session/prompt as p
request session/request_permission {"sessionId": "${session}", "toolCall": {"toolCallId": "t", "title": "Tidy up", "kind": "execute", "rawInput": {"command": "rm -rf build"}},
  "options": [{"optionId": "yes", "name": "Allow once", "kind": "allow_once"}, {"optionId": "no", "name": "No", "kind": "reject_once"}]} as answer
await answer
say "The answer is ${answer.result.outcome.optionId}"
reply p {"stopReason": "end_turn"}
expect session/prompt as p
say "And ${p.params.prompt.0.text}"
end-turn
`

// A session goes on without anybody, and its question is answered from another place.
func TestDetachedRunIsAnsweredAndWaitedFor(t *testing.T) {
	t.Parallel()
	k := commandsWith(t, asksToTidy)
	id := k.detached("tidy up")
	waits := k.start("wait", id)
	waits.tells("a question waits: execute: Tidy up")
	waits.tells("parley answer " + id)

	if list := k.run("sessions"); !strings.Contains(list, "runs as "+id+": waits for your answer; 1 viewer: ") {
		t.Errorf("the list is %s", list)
	}
	list := k.run("answer", id)
	if !strings.Contains(list, "rm -rf build\n") || !strings.Contains(list, "1. Allow once  [allow_once]\n2. No  [reject_once]\n") {
		t.Errorf("the questions are %s", list)
	}
	number, _, _ := strings.Cut(strings.TrimPrefix(list, "Question "), ":")
	k.start("answer", id, "100", "1").ends(1, "", `no question "100" is open`)
	k.start("answer", id, number, "Maybe").ends(1, "", "has no option \"Maybe\"\n1. Allow once\n2. No\n")
	k.start("answer", id, number, "allow once").ends(0, "question "+number+": Allow once\n", "")
	waits.ends(0, "The answer is yes\n", "")
	k.start("answer", id).ends(0, "", "No question is open.")
	k.start("answer", id, number, "1").ends(1, "", "no question")

	k.start("send", id[:5], "more").ends(0, "", "")
	k.start("wait", id).ends(0, "And more\n", "")
	k.start("sessions", "end", id).ends(0, "ended "+id+"\n", "")
	if ids := k.running(); len(ids) > 0 {
		t.Errorf("%v still run", ids)
	}
	k.start("wait", id).ends(6, "", "has ended")
	k.start("send", id, "more").ends(1, "", "has ended")
}

// A denial is told as run does, and so is what ends a session while somebody waits.
func TestWaitTellsHowASessionEnds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		do   func(k *commands, id string, waits *command)
		code int
		out  string
		told string
	}{
		{"denied", func(k *commands, id string, _ *command) { k.run("answer", id, k.number(id, "rm -rf build"), "No") }, 5, "The answer is no\n", "the agent answered, but a request was denied"},
		{"ended", func(k *commands, id string, _ *command) { k.run("sessions", "end", id) }, 6, "", "parley: the session was ended\n"},
		{"killed", func(k *commands, _ string, _ *command) {
			must(k.t, syscall.Kill(k.listed()[0].PID, syscall.SIGKILL))
		}, 6, "", "parley: the process that kept the session has ended\n"},
		{"interrupted", func(k *commands, _ string, waits *command) { must(k.t, waits.cmd.Process.Signal(os.Interrupt)) }, 4, "", "stopped waiting: the session goes on"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			k := commandsWith(t, asksToTidy)
			id := k.detached("tidy up")
			waits := k.start("wait", id)
			waits.tells("to answer it")
			c.do(k, id, waits)
			waits.ends(c.code, c.out, c.told)
			if goes, want := slices.Contains(k.running(), id), c.code != 6; goes != want {
				t.Errorf("the session goes on is %v, want %v", goes, want)
			}
			if left, _ := filepath.Glob(filepath.Join(k.sockets, "*")); len(left) > 0 && c.code == 6 {
				t.Errorf("%v are left", left)
			}
		})
	}
}

// An agent that exits takes the answer of its turn with it, but not the reason.
func TestWaitTellsWhyAnAgentExited(t *testing.T) {
	t.Parallel()
	k := commandsWith(t, `
handshake
expect session/prompt
say half of it
request session/request_permission {"sessionId": "${session}", "toolCall": {"toolCallId": "t", "title": "Go on"}, "options": [{"optionId": "yes", "name": "Yes", "kind": "allow_once"}]} as answer
await answer
stderr out of luck
exit 3
`)
	id := k.detached("begin", "never sent")
	waits := k.start("wait", id)
	waits.tells("to answer it")
	k.run("answer", id, k.number(id, "Go on"), "1")
	waits.ends(6, "half of it\n", "out of luck\n")
	if !strings.Contains(waits.err.String(), "parley: the agent exited: ") {
		t.Errorf("wait tells %s", waits.err.String())
	}
}

// All prompts are queued; the answer is that of the last turn.
func TestDetachedRunQueuesItsPrompts(t *testing.T) {
	t.Parallel()
	k := commandsWith(t, `
handshake
repeat 3
  expect session/prompt as p
  say "${p.params.prompt.0.text} is done"
  reply p {"stopReason": "end_turn"}
end
`)
	id := k.detached("one", "two")
	k.start("wait", id).ends(0, "two is done\n", "")
	c := k.start("wait", "--output", "json", id)
	_, _ = io.Copy(io.Discard, c.lines)
	var result struct {
		Status string
		Turns  []struct{ Text string }
	}
	must(t, c.cmd.Wait())
	if must(t, json.Unmarshal(c.out.Bytes(), &result)); result.Status != "answered" || len(result.Turns) != 1 || result.Turns[0].Text != "two is done" {
		t.Errorf("the result is %s", c.out.String())
	}
}

// A paused queue waits for its user: wait says so, and what is sent joins it.
func TestAPausedQueueWaitsForItsUser(t *testing.T) {
	t.Parallel()
	k := commandsWith(t, `
handshake
expect session/prompt as p
request session/request_permission {"sessionId": "${session}", "toolCall": {"toolCallId": "t", "title": "Go on"}, "options": [{"optionId": "yes", "name": "Yes", "kind": "allow_once"}]} as answer
await answer
reply-error p 400 "out of order"
expect session/prompt
`)
	id := k.detached("one", "two")
	waits := k.start("wait", id)
	waits.tells("to answer it")
	k.run("answer", id, k.number(id, "Go on"), "1")
	waits.tells("the queue is paused with 1 prompt")
	waits.tells("parley attach " + id)
	waits.ends(6, "", "out of order")

	k.start("send", id, "three").ends(0, "", "the queue is paused, and the prompt waits in it")
	k.start("wait", id).ends(6, "", "the queue is paused with 2 prompts")
}

// A session that cannot begin is not kept, and the exit code is that of run.
func TestDetachedRunThatCannotBegin(t *testing.T) {
	t.Parallel()
	k := commandsWith(t, asksToTidy)
	k.start("run", "--detach", "--mode", "fast", "hi").ends(2, "", "the agent has no modes: leave out --mode")
	k.start("run", "--detach", "hi", "--", "no-such-agent").ends(6, "", "the agent could not be started: ")
	if ids := k.running(); len(ids) > 0 {
		t.Errorf("%v run", ids)
	}
}

// The number of a question does not answer what it was not the number of.
func TestAnswerRefusesAQuestionThatHasChanged(t *testing.T) {
	t.Parallel()
	ask := func(call, command string) string {
		return `request session/request_permission {"sessionId": "${session}", "toolCall": {"toolCallId": "` + call + `", "title": "Tidy up", "kind": "execute", "rawInput": {"command": "` + command + `"}},` +
			` "options": [{"optionId": "yes", "name": "Yes", "kind": "allow_once"}]} as ` + call + "\n"
	}
	k := commandsWith(t, `
handshake
expect session/prompt as p
`+ask("a", "rm -rf build")+ask("b", "true")+`
await b
update {"sessionUpdate": "tool_call_update", "toolCallId": "a", "rawInput": {"command": "rm -rf /"}}
`+ask("c", "false")+`
await a
say a was answered
await c
reply p {"stopReason": "end_turn"}
`)
	id := k.detached("tidy up")
	waits := k.start("wait", id)
	waits.tells("to answer it")
	waits.tells("to answer it")
	before := k.number(id, "rm -rf build")
	k.start("answer", id, "1").ends(2, "", "name a question and an option")
	k.run("answer", id, k.number(id, "true"), "1")
	waits.tells("to answer it")
	waits.tells("to answer it") // of what has changed, and of the last one
	k.start("answer", id, before, "1").ends(1, "", "question "+before+" has changed")
	if after := k.number(id, "rm -rf /"); after != before+".2" {
		t.Errorf("what has changed has the number %s", after)
	}
	k.run("answer", id, k.number(id, "false"), "1")
	k.run("answer", id, k.number(id, "rm -rf /"), "1")
	waits.ends(0, "a was answered\n", "")
}

// A form without required fields is accepted as it is; another one is declined.
func TestAnswerToAForm(t *testing.T) {
	t.Parallel()
	k := commandsWith(t, `
handshake
expect session/prompt as p
request elicitation/create {"sessionId": "${session}", "mode": "form", "message": "Which colour?", "requestedSchema": {"type": "object", "properties": {"colour": {"type": "string", "default": "red"}}}} as form
await form
request elicitation/create {"sessionId": "${session}", "mode": "form", "message": "Whose name?", "requestedSchema": {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}} as other
await other
say "${form.result.action} ${form.result.content.colour}, ${other.result.action}"
reply p {"stopReason": "end_turn"}
`)
	id := k.detached("paint it")
	waits := k.start("wait", id)
	waits.tells("a question waits: Which colour?")
	if list := k.run("answer", id); !strings.Contains(list, "\n  Which colour?\n  - colour: red\n\n1. Accept, as it is shown\n2. Decline\n3. Cancel: no answer\n") {
		t.Errorf("the form is %s", list)
	}
	k.run("answer", id, k.number(id, "Which colour?"), "accept")
	waits.tells("a question waits: Whose name?")
	if list := k.run("answer", id); !strings.Contains(list, "\n1. Decline\n2. Cancel: no answer\n") || !strings.Contains(list, "To fill it in: parley attach "+id) {
		t.Errorf("the form is %s", list)
	}
	k.start("answer", id, k.number(id, "Whose name?"), "accept").ends(1, "", "has no option \"accept\"")
	k.run("answer", id, k.number(id, "Whose name?"), "decline")
	waits.ends(0, "accept red, decline\n", "")
}
