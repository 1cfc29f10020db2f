//go:build linux || darwin

package e2e

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley/internal/host"
	"parley/internal/test"
	"parley/internal/test/ptytest"
)

// kept is a place in which parley keeps sessions running. Its hosts end with the test.
type kept struct{ place }

func newKept(t *testing.T) kept { return kept{newPlace(t)} }

// open starts parley there.
func (k kept) open(o Options) *Parley {
	k.t.Helper()
	o.Home, o.Project, o.Config = k.home, k.dir, cmp.Or(o.Config, "[host]\nkeep = true\n")
	p := Start(k.t, o)
	k.t.Cleanup(k.endHosts) // before that of the terminal, which wants no process to be left
	return p
}

// start starts parley with a scripted agent.
func (k kept) start(script string, args ...string) *Parley {
	k.t.Helper()
	return k.open(Options{Script: script, Args: args})
}

// attach attaches to the session, in a terminal in which all of it has room.
func (k kept) attach(args ...string) *Parley {
	k.t.Helper()
	return k.open(Options{Args: append([]string{"attach"}, args...), Cols: tall.cols, Rows: tall.rows})
}

// tall is a terminal that shows a whole conversation at once.
var tall = struct{ cols, rows int }{90, 240}

func (k kept) sockets() []string { return sockets(k.home) }

// hosts are the sessions that run.
func (k kept) hosts() []host.Status {
	var all []host.Status
	for _, socket := range k.sockets() {
		if s, c, err := askHost(socket); err == nil {
			all = append(all, s)
			_ = c.Close()
		}
	}
	return all
}

// host is the session that runs. There must be one.
func (k kept) host() host.Status {
	k.t.Helper()
	all := k.hosts()
	if len(all) != 1 {
		k.t.Fatalf("%d sessions run: %+v", len(all), all)
	}
	return all[0]
}

func (k kept) endHosts() { EndHosts(k.home) }

// transcript is what the transcript on a screen says, line by line.
func transcript(s ptytest.Screen) []string {
	var lines []string
	for y := range s.Rows {
		lines = append(lines, strings.TrimRight(s.Line(y), " "))
	}
	if prompt := promptOn(s); prompt >= 0 {
		lines = lines[:prompt-2] // without the line above the prompt, which says what goes on
	}
	for len(lines) > 0 && lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	first := slices.IndexFunc(lines, func(l string) bool { return l != "" })
	if first < 0 {
		return nil
	}
	return lines[first:]
}

// promptOn is the row of the prompt, below the last rule but one; -1 if there is none.
func promptOn(s ptytest.Screen) int {
	rules := 0
	for y := s.Rows - 1; y >= 0; y-- {
		if strings.HasPrefix(s.Line(y), "────") {
			if rules++; rules == 2 {
				return y + 1
			}
		}
	}
	return -1
}

// draft is what the prompt holds.
func draft(s ptytest.Screen) string {
	y := promptOn(s)
	if y < 0 {
		return ""
	}
	text := strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(s.Line(y)), "❯"))
	if strings.HasPrefix(text, "Type a prompt") || strings.HasPrefix(text, "Answer above") {
		return ""
	}
	return text
}

// mustBeSame fails the test where two transcripts differ.
func mustBeSame(t *testing.T, got, want []string) {
	t.Helper()
	for i := range max(len(got), len(want)) {
		g, w := at(got, i), at(want, i)
		if g != w {
			t.Fatalf("line %d is %q, want %q, after\n%s", i, g, w, strings.Join(want[max(0, i-9):i], "\n"))
		}
	}
}

func at(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return "(nothing)"
}

// telling is an agent with much to tell.
const telling = `
handshake ` + resumes + ` {"sessionId": "s1"}
expect session/prompt
think "First I think about it, and about what else there is to be thought about before anything is done at all."
update {"sessionUpdate": "plan", "entries": [{"content": "count", "priority": "high", "status": "in_progress"}, {"content": "write", "priority": "high", "status": "pending"}]}
repeat 40
  say "line ${n} is long enough that it has to be wrapped in a narrow terminal, and is not in a wide one: "
  sleep 3ms
  say "so it goes on.\n\n"
  sleep 3ms
end
update {"sessionUpdate": "tool_call", "toolCallId": "t1", "title": "Write a.txt", "kind": "edit", "status": "in_progress"}
update {"sessionUpdate": "tool_call_update", "toolCallId": "t1", "status": "completed", "content": [{"type": "diff", "path": "${cwd}/a.txt", "oldText": "one\n", "newText": "one\ntwo\n"}]}
say "~~~go\nfunc main() {\n"
repeat 30
  say "\tline(${n})\n"
  sleep 3ms
end
say "}\n~~~\n\n| a | b |\n|---|---|\n"
repeat 5
  say "| ${n} | cell |\n"
  sleep 3ms
end
say "\nAll is told."
end-turn
`

// told is the transcript of the session that nobody has ever left.
func told(t *testing.T) []string {
	t.Helper()
	k := newKept(t)
	p := k.open(Options{Script: telling, Cols: tall.cols, Rows: tall.rows})
	p.Ready().Ask("tell").Shows("All is told.").Idle()
	return transcript(p.Screen())
}

// The window of the terminal is closed while the agent speaks. The session goes on, and
// another terminal, of another size, shows it as if it had never been left.
func TestAClosedTerminalLosesNothing(t *testing.T) {
	t.Parallel()
	k := newKept(t)
	want := told(t)
	p := k.open(Options{Script: telling, Cols: 60, Rows: 20})
	p.Ready().Ask("tell")
	p.WaitUntil("some is told", func(s ptytest.Screen) bool { return lastLine(s) >= 7 || s.Contains("All is told.") })
	p.HangUp().WaitExit()
	q := k.attach()
	q.Shows("All is told.").Idle()
	mustBeSame(t, transcript(q.Screen()), want)
	q.Leave()
	r := k.attach()
	r.Shows("All is told.").Idle()
	mustBeSame(t, transcript(r.Screen()), want)
	r.Leave()
}

// questioning is an agent that asks a question in each turn. It says what it has heard.
const questioning = `
handshake ` + resumes + ` {"sessionId": "s1"}
repeat 50
  expect session/prompt as heard
  say "heard ${heard.params.prompt.0.text}"
  request session/request_permission {"sessionId": "${session}", "toolCall": {"toolCallId": "t${n}", "title": "Write ${n}.txt", "kind": "edit"}, "options": [{"optionId": "yes", "name": "Allow", "kind": "allow_once"}, {"optionId": "no", "name": "Deny", "kind": "reject_once"}]} as permission
  await permission
  say "then ${permission.result.outcome.optionId} to ${heard.params.prompt.0.text}"
  end-turn
end
`

// A rewind in a kept session is the same for all who look on: they go on in what it has become.
func TestAllViewersFollowARewind(t *testing.T) {
	t.Parallel()
	k := newKept(t)
	p := k.start(forksAtMessages)
	p.Ready().Ask("first").Shows("Answer 1.").Idle().Ask("second").Shows("Answer 2.").Idle()
	q := k.attach()
	q.Shows("Answer 2.").Idle()
	p.Press("alt+z").Shows("Rewind to before a prompt").Press("enter").Question("Rewind to before prompt 2?").Answer("Conversation only")
	p.Shows("Continues an earlier session from here").Gone("Answer 2.").Idle()
	q.Shows("Continues an earlier session from here").Gone("Answer 2.").Idle()
	q.Ask("third").Shows("❯ third", "Answer 1.").Idle()
	p.Shows("❯ third")
	if h := k.host(); len(h.Viewers) != 2 {
		t.Errorf("the viewers are %q", h.Viewers)
	}
	p.Press("ctrl+c").Leave()
	q.Leave()
}

// Two who look on see the same. What one answers, the other need not.
func TestTwoViewersSeeTheSame(t *testing.T) {
	t.Parallel()
	k := newKept(t)
	size := Options{Script: questioning, Cols: tall.cols, Rows: 60}
	p := k.open(size)
	p.Ready().Ask("first").Question("Permission", "Write 1.txt")
	size.Args = []string{"attach"}
	q := k.open(size)
	q.Question("Permission", "Write 1.txt").Answer("Allow")
	p.Shows("you: Allow", "Answered on ", "then yes to first").Idle()
	q.Shows("you: Allow", "then yes to first").Idle()
	mustBeSame(t, transcript(q.Screen()), transcript(p.Screen()))
	if len(k.host().Viewers) != 2 {
		t.Errorf("the viewers are %q", k.host().Viewers)
	}

	q.Type("of q alone").Shows("❯ of q alone")
	waitForFile(t, k.home+"/.local/state/parley/sessions/*.view", "of q alone")
	r := k.attach()
	if r.Shows("then yes to first").Idle(); draft(r.Screen()) != "" {
		t.Errorf("a third viewer has the draft of the second: %q", draft(r.Screen()))
	}
	r.Leave()
	p.Ask("second").Question("Write 2.txt").Answer("Deny")
	q.Shows("then no to second", "❯ of q alone").Idle()
	p.Shows("then no to second").Idle()
	mustBeSame(t, transcript(q.Screen()), transcript(p.Screen()))
	if got := p.Answers("session/request_permission"); len(got) != 2 || !strings.Contains(got[0], `"yes"`) || !strings.Contains(got[1], `"no"`) {
		t.Errorf("the agent got the answers %q", got)
	}
}

// Two who write to one session both find again what they have not sent, whichever way they left: as the draft,
// and in the history.
func TestTwoViewersLoseNoDraft(t *testing.T) {
	t.Parallel()
	k := newKept(t)
	p := k.start(talk(resumes, "The first answer."))
	p.Ready().Ask("first").Shows("The first answer.").Idle()
	q, state := k.attach(), k.home+"/.local/state/parley/sessions/"
	q.Shows("The first answer.").Idle()
	p.Type("of p")
	waitForFile(t, state+"*.view", "of p")
	q.Type("of q")
	waitForFile(t, state+"drafts/*", "of q")
	p.Type(" alone")
	waitForFile(t, state+"*.view", "of p alone")
	p.Press("ctrl+z").WaitExit()
	q.Signal(syscall.SIGKILL)
	q.WaitExit()
	r := k.attach()
	r.Shows("❯ of p alone", "another unsent draft of this session is in the prompt history: ↑").Press("up").Shows("❯ of q")
	r.Press("down").Shows("❯ of p alone").Press("ctrl+z").WaitExit()
	r = k.attach()
	if r.Shows("❯ of p alone"); r.Screen().Contains("another unsent draft") {
		t.Error("it comes back once more")
	}
	if left, _ := filepath.Glob(state + "drafts/*-*"); len(left) > 0 {
		t.Errorf("%q stays", left)
	}
	r.Press("ctrl+c").Leave()
}

// prompts are the texts of the prompts that the agent has got.
func (p *Parley) prompts() []string {
	var all []string
	for _, sent := range p.Sent("session/prompt") {
		var params struct{ Prompt []struct{ Text string } }
		if json.Unmarshal([]byte(sent), &params) == nil && len(params.Prompt) > 0 {
			all = append(all, params.Prompt[0].Text)
		}
	}
	return all
}

// promptsIn are the prompts of a transcript.
func promptsIn(lines []string) []string {
	var all []string
	for _, l := range lines {
		if text, is := strings.CutPrefix(l, "❯ "); is {
			all = append(all, strings.TrimSpace(text))
		}
	}
	return all
}

// settle answers what is asked until no turn runs, and a text is there unless it is "".
func (p *Parley) settle(text string) *Parley {
	p.t.Helper()
	for {
		asked := false
		p.WaitUntil(fmt.Sprintf("a question takes keys, or no turn runs and there is %q", text), func(s ptytest.Screen) bool {
			d, open := dialogOn(s)
			asked = open && strings.Contains(d.text(), "Permission") && p.armed(s, d)
			return asked || promptOn(s) >= 0 && !open && s.Contains(text) && !s.Contains("working ") && !s.Contains("Waiting for you") && !s.Contains("enter queue")
		})
		if !asked {
			return p
		}
		p.Answer("Allow")
	}
}

// moments is how often something is killed: see killsEnv.
func moments(t *testing.T, few int) int {
	t.Helper()
	text := os.Getenv(killsEnv)
	if text == "" {
		return few
	}
	var n int
	_, err := fmt.Sscan(text, &n)
	must(t, err)
	return n
}

// Whenever a viewer is killed, what it did has happened once or not at all, and what it
// showed is there.
func TestAKilledViewerLosesNothing(t *testing.T) {
	t.Parallel()
	for range moments(t, 3) {
		k := newKept(t)
		p := k.start(questioning)
		p.Ready()
		agent := p
		var do []func()
		for i := range 2 {
			text := fmt.Sprintf("prompt%d", i)
			for _, key := range text {
				do = append(do, func() { p.Press(string(key)) })
			}
			do = append(do,
				func() { p.Press("enter") },
				func() { p.Question(fmt.Sprintf("Write %d.txt", i+1)).TakesKeys().Press("y") },
				func() { p.Shows("❯ 1 ").Press("enter") },
				func() { p.Shows("then yes to " + text) },
			)
		}
		for _, act := range do[:1+rand.IntN(len(do))] {
			act()
		}
		time.Sleep(time.Duration(rand.IntN(20)) * time.Millisecond) // the moment, nothing to wait for
		p.Signal(syscall.SIGKILL)
		p.WaitExit()
		shown := transcript(p.Screen())

		q := k.attach()
		for q.settle(""); len(agent.prompts()) > len(agent.Answers("session/request_permission")); {
			q.settle("") // it was not shown yet
		}
		if left := draft(q.Screen()); slices.Contains(agent.prompts(), left) {
			t.Errorf("the prompt holds what was sent: %q", left)
		}
		if draft(q.Screen()) != "" {
			q.Press("ctrl+c").WaitUntil("the draft is gone", func(s ptytest.Screen) bool { return draft(s) == "" })
		}
		const last = "the end"
		q.Ask(last).settle("then yes to " + last)
		got := transcript(q.Screen())
		if want := agent.prompts(); !slices.Equal(promptsIn(got), want) {
			t.Errorf("the transcript has the prompts %q, the agent got %q", promptsIn(got), want)
		}
		for i, text := range agent.prompts() {
			if slices.Contains(agent.prompts()[:i], text) {
				t.Errorf("the agent got %q twice", text)
			}
		}
		for _, line := range shown {
			if strings.HasPrefix(line, "❯ ") || strings.Contains(line, "heard ") || strings.Contains(line, "then ") {
				if strings.Count(strings.Join(got, "\n")+"\n", line+"\n") != 1 {
					t.Errorf("%q was shown, and is now %d times in\n%s", line, strings.Count(strings.Join(got, "\n"), line), strings.Join(got, "\n"))
				}
			}
		}
		if asked, answered := len(agent.prompts()), len(agent.Answers("session/request_permission")); asked != answered {
			t.Errorf("the agent asked %d times and got %d answers", asked, answered)
		}
		q.Leave()
		if t.Failed() {
			return
		}
	}
}

// sshTo makes a program ssh that runs the command here, and notes its process. It returns
// the PATH on which that and parley are.
func sshTo(t *testing.T) (path, notes string) {
	t.Helper()
	dir := resolved(t, t.TempDir())
	notes = filepath.Join(dir, "pid")
	must(t, os.Symlink(test.Parley(t), filepath.Join(dir, "parley")))
	must(t, os.WriteFile(filepath.Join(dir, "ssh"), []byte(`#!/bin/sh
options=
while [ "$1" != -- ]; do options="$options $1"; shift; done
shift 2
[ -e `+notes+` ] && case "$options" in *BatchMode=yes*) ;; *) echo "password:" >/dev/tty ;; esac
echo "ssh has something to say" >&2
echo $$ >`+notes+`.new && mv `+notes+`.new `+notes+`
exec sh -c "exec $*"
`), 0o755))
	return dir + ":" + os.Getenv("PATH"), notes
}

// Over ssh a session is as here. When the connection is lost, parley attaches again.
func TestAttachesOverSSH(t *testing.T) {
	t.Parallel()
	k := newKept(t)
	p := k.start(`
handshake ` + resumes + ` {"sessionId": "s1"}
expect session/prompt as heard
request session/request_permission {"sessionId": "${session}", "toolCall": {"toolCallId": "t1", "title": "Write 1.txt", "kind": "edit"}, "options": [{"optionId": "yes", "name": "Allow", "kind": "allow_once"}]} as permission
await permission
repeat 60
  say "- line ${n}\n"
  sleep 20ms
end
end-turn
expect session/prompt
say "The second answer."
end-turn
`)
	p.Ready()
	path, notes := sshTo(t)
	far := func(args ...string) *Parley {
		return k.open(Options{Args: append([]string{"attach", "ssh://box/" + k.host().ID}, args...), Env: []string{"PATH=" + path}, Cols: tall.cols, Rows: tall.rows})
	}
	on := far("--read-only")
	on.Question("read-only").Answer("Read it")
	on.Type("not sent").Shows("❯ not sent").Press("enter").Shows("read-only", "❯ not sent").Press("ctrl+c").Gone("❯ not sent")
	must(t, os.Remove(notes)) // by the first start of ssh it can be asked on the terminal
	q := far()
	q.Ready().Type("@").Shows("the files are on the other machine").Press("backspace").Ready()
	q.Ask("first").Question("Write 1.txt")
	on.Question("Write 1.txt").TakesKeys().Press("y").Shows("❯ 1 ").Press("enter").Shows("you only look on at this session")
	if got := p.Answers("session/request_permission"); len(got) > 0 {
		t.Errorf("who only looks on has answered %q", got)
	}
	q.Answer("Allow")
	for i, line := range []int{5, 20, 40} {
		q.WaitUntil("some lines are there", func(s ptytest.Screen) bool { return lastLine(s) >= line })
		q.Type("x").Shows("❯ " + strings.Repeat("x", i+1))
		b, err := os.ReadFile(notes)
		must(t, err)
		var pid int
		_, err = fmt.Sscan(string(b), &pid)
		must(t, err)
		must(t, syscall.Kill(pid, syscall.SIGKILL))
		waitFor(t, "it attaches again", func() bool { now, err := os.ReadFile(notes); return err == nil && string(now) != string(b) })
	}
	q.Shows("line 60", "❯ xxx").Idle()
	for n := range 60 {
		if count := strings.Count(q.Screen().String(), fmt.Sprintf("line %d\n", n+1)); count > 1 {
			t.Errorf("line %d is there %d times", n+1, count)
		}
	}
	q.Press("enter").Shows("The second answer.").Idle()
	if got := p.prompts(); !slices.Equal(got, []string{"first", "xxx"}) {
		t.Errorf("the agent got %q", got)
	}
	on.Shows("line 60", "The second answer.")
	mustBeSame(t, transcript(on.Screen()), transcript(q.Screen()))
	if s := q.Screen(); s.Contains("something to say") || s.Contains("password:") {
		t.Errorf("ssh writes on the screen:\n%s", s)
	}
	must(t, syscall.Kill(k.host().PID, syscall.SIGKILL))
	q.Shows("the process that kept the session has ended")
}

// Two attach at the same moment, and two open one stored session at the same moment: there is
// one host, and all see the same.
func TestOneHostForAllWhoComeAtOnce(t *testing.T) {
	t.Parallel()
	k := newKept(t)
	script := `
handshake ` + resumes + ` {"sessionId": "s1"}
repeat 9
  expect session/prompt as heard
  say "heard ${heard.params.prompt.0.text}"
  end-turn
end
`
	p := k.start(script)
	p.Ready().Ask("first").Shows("heard first").Idle()
	for _, q := range []*Parley{k.attach(), k.attach()} {
		q.Shows("heard first").Idle()
	}
	if n := len(k.host().Viewers); n != 3 {
		t.Errorf("%d look on, want 3", n)
	}
	k.endHosts()

	both := []*Parley{k.start(script, "--continue"), k.start(script, "--continue")}
	for _, q := range both {
		q.Shows("heard first").Idle()
	}
	k.host()
	both[0].Ask("second")
	for _, q := range both {
		q.Shows("heard second").Idle()
	}
	mustBeSame(t, transcript(both[1].Screen()), transcript(both[0].Screen()))
}

// A damaged line of the log costs that line, in a host as elsewhere.
func TestADamagedLogIsReopened(t *testing.T) {
	t.Parallel()
	k := newKept(t)
	p := k.start(talk(resumes, "The first answer."))
	p.Ready().Ask("first").Shows("The first answer.").Idle()
	k.endHosts()
	p.Leaves()
	logs, err := filepath.Glob(k.home + "/.local/state/parley/sessions/*.jsonl")
	must(t, err)
	if len(logs) != 1 {
		t.Fatalf("the logs are %q", logs)
	}
	b, err := os.ReadFile(logs[0])
	must(t, err)
	lines := strings.SplitAfter(string(b), "\n")
	for i, l := range lines {
		if strings.Contains(l, "The first answer.") {
			lines[i] = "\x00\x00\x00" + l[:len(l)/2] + "\n"
		}
	}
	must(t, os.WriteFile(logs[0], []byte(strings.Join(lines, "")), 0o600))
	p = k.start(talk(resumes, "The second answer."), "--continue")
	p.Shows("❯ first", "Damaged: cannot read 1 line of the stored session")
	p.Ask("second").Shows("The second answer.").Idle().Leave()
}

// The agent dies: whoever looks on sees it, and can start it again.
func TestAnAgentInAHostDiesAndIsStartedAgain(t *testing.T) {
	t.Parallel()
	k := newKept(t)
	p := k.start(`
handshake ` + resumes + ` {"sessionId": "s1"}
expect session/prompt
say "My last words."
kill-self
`)
	p.Ready()
	q := k.attach()
	q.Ready()
	p.Ask("please die").Question("The agent exited", "Restart it")
	k.attach().Question("The agent exited", "Restart it").Answer("Stay and read")
	if got := p.Sent("session/resume"); len(got) > 0 {
		t.Errorf("who only came to look has started the agent: %q", got)
	}
	q.Question("The agent exited", "Restart it").Answer("Restart it")
	p.Gone("Restart it").Shows("My last words.").WaitSent("session/resume", 1)
	q.Shows("My last words.").Idle()
	mustBeSame(t, transcript(q.Screen()), transcript(k.attach().Shows("My last words.").Idle().Screen()))
}

// Nobody looks on, and the agent dies: there is nothing left to keep.
func TestAHostEndsWithItsAgentWhenNobodyLooksOn(t *testing.T) {
	t.Parallel()
	k := newKept(t)
	p := k.start(`
handshake ` + resumes + ` {"sessionId": "s1"}
request terminal/create {"sessionId": "${session}", "command": "sh", "args": ["-c", "until [ -e go ]; do sleep 0.02; done"], "cwd": "${cwd}"} as waits
await waits
request terminal/wait_for_exit {"sessionId": "${session}", "terminalId": "${waits.result.terminalId}"} as over
expect session/prompt
say "I wait."
await over
kill-self
`)
	p.Shows("Type a prompt").Ask("wait").Shows("I wait.")
	p.HangUp().WaitExit()
	k.host()
	must(t, os.WriteFile(filepath.Join(k.dir, "go"), nil, 0o600))
	waitFor(t, "the host has ended", func() bool { return len(k.sockets()) == 0 })
}

// A kept session that only its agent stores is loaded, as one that is not kept.
func TestKeepsASessionOfTheAgent(t *testing.T) {
	t.Parallel()
	p := newKept(t).open(Options{Args: []string{"--resume=old-1"}, Script: `
expect initialize
reply {` + initialized + `, "agentCapabilities": {"loadSession": true}}
expect session/load contains "sessionId":"old-1"
update {"sessionUpdate": "user_message_chunk", "content": {"type": "text", "text": "an old question"}}
update {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "an old answer"}}
reply {}
`})
	p.Shows("❯ an old question", "an old answer").Status("kept")
}

// Who attaches to a session that wants a sign-in is asked for it.
func TestWhoAttachesIsAskedToSignIn(t *testing.T) {
	t.Parallel()
	k := newKept(t)
	p := k.start(`expect initialize
reply {"protocolVersion": 1, "authMethods": [{"id": "web", "name": "In the browser"}]}
expect session/new
reply {"sessionId": "s"}
expect session/prompt
reply-error -32000 Who are you?
expect authenticate
reply {}
expect session/prompt
say "It is you."
end-turn
serve
`)
	p.Ready().Ask("go").Shows("Who are you?", "In the browser")
	p.Press("ctrl+z")
	p.WaitExit()
	p = k.attach()
	p.Question("In the browser").Answer("In the browser")
	p.Shows("It is you.")
}
