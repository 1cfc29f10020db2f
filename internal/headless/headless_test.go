package headless_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"parley/acpclient"
	"parley/docs"
	"parley/internal/app"
	"parley/internal/conversation"
	"parley/internal/headless"
	"parley/internal/machine"
	"parley/internal/policy"
	"parley/internal/session"
	"parley/internal/test"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// scripted is a session with an agent in this process that does what a script says.
func scripted(t *testing.T, script string) app.Session {
	t.Helper()
	return tapped(t, script, func(bool, []byte) {})
}

// lineTap is a tap of the wire alone.
type lineTap func(sent bool, line []byte)

func (t lineTap) Line(sent bool, line []byte)   { t(sent, line) }
func (lineTap) Stderr([]byte)                   {}
func (lineTap) Take([]conversation.Event) error { return nil }

// tapped is such a session whose lines on the wire somebody sees.
func tapped(t *testing.T, script string, tap func(sent bool, line []byte)) app.Session {
	t.Helper()
	dir := t.TempDir()
	s, err := app.Here(session.Options{
		Cwd: dir, Unattended: true, Taps: []session.Tap{lineTap(tap)},
		Spawn: func(acpclient.Command) (*acpclient.Peer, error) { return test.Play(script), nil },
		Machine: func(w session.Observer, a session.Asker) (session.Machine, error) {
			table, err := policy.NewSensitiveFiles(nil, nil, nil, "")
			if err != nil {
				return nil, err
			}
			return machine.New(w, machine.Options{Asker: a, Sensitive: table, Unattended: true}, dir)
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// heard is what a run has said while it was going on.
type heard struct {
	answers, told, progress []string
	events                  []conversation.Event
}

func (h *heard) options(prompts ...string) headless.Options {
	return headless.Options{
		Prompts:  prompts,
		Answer:   func(text string) error { h.answers = append(h.answers, text); return nil },
		Event:    func(e conversation.Event) error { h.events = append(h.events, e); return nil },
		Tell:     func(line string) { h.told = append(h.told, line) },
		Progress: func(line string) { h.progress = append(h.progress, line) },
	}
}

const work = `
handshake {"loadSession": true}
expect session/prompt
think hm
say "First "
say "words."
update {"sessionUpdate":"tool_call","toolCallId":"a","title":"Read \u001b[2J a.txt","kind":"read","status":"in_progress"}
update {"sessionUpdate":"tool_call_update","toolCallId":"a","status":"completed"}
update {"sessionUpdate":"tool_call","toolCallId":"b","title":"Run it","kind":"execute","status":"failed"}
update {"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"a subagent's"},"_meta":{"claudeCode":{"parentToolUseId":"b"}}}
say Last words.
update {"sessionUpdate":"agent_message_chunk","content":{"type":"resource_link","name":"a.txt","uri":"file:///a.txt"}}
update {"sessionUpdate":"tool_call","toolCallId":"c","title":"Never done","kind":"fetch","status":"pending"}
end-turn
expect session/prompt
say Second answer.
end-turn
`

func TestAnswersAreWhatTheAgentItselfSaysInEachTurn(t *testing.T) {
	t.Parallel()
	var h heard
	r := headless.Run(t.Context(), scripted(t, work), h.options("one", "two"))
	first := "First words.\n\nLast words.\n\n[a.txt](file:///a.txt)"
	if r.Status != headless.Answered || r.Text != "Second answer." || r.StopReason != acpclient.StopEndTurn {
		t.Errorf("%+v", r)
	}
	if want := []string{first, "Second answer."}; !reflect.DeepEqual(h.answers, want) {
		t.Errorf("the answers are %q, want %q", h.answers, want)
	}
	if len(r.Turns) != 2 || r.Turns[0].Text != first {
		t.Errorf("the turns are %+v", r.Turns)
	}
	if want := []string{"✓ read: Read ␛[2J a.txt", "✗ execute: Run it (failed)", "✗ fetch: Never done (pending)"}; !reflect.DeepEqual(h.progress, want) {
		t.Errorf("the progress is %q, want %q", h.progress, want)
	}
	var calls []string
	for _, c := range r.ToolCalls {
		calls = append(calls, c.Status)
	}
	if want := []string{"completed", "failed", "pending"}; !reflect.DeepEqual(calls, want) {
		t.Errorf("the calls are %q, want %q", calls, want)
	}
}

// An agent that starts in a mode in which it asks about nothing is told of, once, unless the user
// has chosen the mode.
func TestAModeThatAsksNothingIsTold(t *testing.T) {
	t.Parallel()
	for mode, want := range map[string]int{"": 1, "yolo": 0, "default": 0} {
		var h heard
		opt := h.options("one", "two")
		opt.Mode = mode
		r := headless.Run(t.Context(), scripted(t, `
expect initialize
reply {"protocolVersion": 1}
expect session/new
reply {"sessionId": "s", "modes": {"currentModeId": "yolo", "availableModes": [{"id": "default", "name": "Default"}, {"id": "yolo", "name": "Yolo"}]}}
`+strings.Repeat("expect session/set_mode\nreply {}\n", min(1, len(mode)))+strings.Repeat("expect session/prompt\nsay Done.\nend-turn\n", 2)), opt)
		told := strings.Count(strings.Join(h.told, "\n"), "its mode is Yolo")
		if r.Status != headless.Answered || told != want || (r.Mode == "Yolo") != (want == 1) {
			t.Errorf("%q: %s, %q, %q", mode, r.Status, h.told, r.Mode)
		}
	}
}

// Whoever takes a text out of the JSON and prints it prints no control character.
// What parley does for an agent needs no rule, so the result says what that was.
func TestTheResultNamesWhatParleyWroteAndRan(t *testing.T) {
	t.Parallel()
	var h heard
	s := scripted(t, `
handshake
expect session/prompt
request fs/write_text_file {"sessionId":"${session}","path":"${cwd}/a\u001b.txt","content":"one"} as first
await first
request fs/write_text_file {"sessionId":"${session}","path":"${cwd}/a\u001b.txt","content":"two"} as second
await second
request terminal/create {"sessionId":"${session}","command":"true","args":["x y"]} as command
await command
end-turn
`)
	r := headless.Run(t.Context(), s, h.options("go"))
	if len(r.FilesWritten) != 1 || !strings.HasSuffix(r.FilesWritten[0], "a\x1b.txt") || !reflect.DeepEqual(r.CommandsRun, []string{"true 'x y'"}) {
		t.Errorf("wrote %q, ran %q", r.FilesWritten, r.CommandsRun)
	}
	if len(h.told) != 2 || !strings.HasPrefix(h.told[0], "wrote: /") || h.told[1] != "ran: true 'x y'" {
		t.Errorf("told %q", h.told)
	}
	if out, err := r.JSON(); err != nil || bytes.ContainsRune(out, '\x1b') || !bytes.Contains(out, []byte(`"commandsRun": [`)) {
		t.Errorf("%s, %v", out, err)
	}
}

func TestTheResultHasNoControlCharacters(t *testing.T) {
	t.Parallel()
	var h heard
	script := "handshake\nexpect session/prompt\nsay \"red \\u001b[31mtext\\u202e\"\n" +
		`update {"sessionUpdate":"tool_call","toolCallId":"t","title":"a\u001b]0;x\u0007b","status":"completed"}` + "\nend-turn"
	r := headless.Run(t.Context(), scripted(t, script), h.options("hi"))
	object, err := r.JSON()
	if err != nil {
		t.Fatal(err)
	}
	line, err := r.Line()
	if err != nil {
		t.Fatal(err)
	}
	for _, got := range [][]byte{object, line} {
		if !bytes.Contains(got, []byte(`"text"`)) || bytes.Contains(got, []byte(`\u`)) {
			t.Errorf("the result is %s", got)
		}
	}
}

// A banner comes right behind the answer to session/new, when the prompt could be on its
// way already.
func TestABannerIsNoPartOfTheAnswer(t *testing.T) {
	t.Parallel()
	var h heard
	r := headless.Run(t.Context(), scripted(t, "handshake\nsay Welcome!\nexpect session/prompt\nsay Hello.\nend-turn"), h.options("hi"))
	if r.Text != "Hello." || !reflect.DeepEqual(h.answers, []string{"Hello."}) {
		t.Errorf("the answer is %q, %q", r.Text, h.answers)
	}
}

// pi-acp has its banner in the answer to session/new, and sends it whenever it can: also
// where it answers a prompt with nothing.
func TestABannerIsNoAnswerWhenItComesLate(t *testing.T) {
	t.Parallel()
	const opened = `handshake {} {"_meta":{"piAcp":{"startupInfo":"pi v1"}}}` + "\nexpect session/prompt\nsay pi v1\n"
	var h heard
	if r := headless.Run(t.Context(), scripted(t, opened+"end-turn"), h.options("hi")); r.Status != headless.AgentFailed || r.Text != "" {
		t.Errorf("%+v", r)
	}
	if r := headless.Run(t.Context(), scripted(t, opened+"say Hello.\nend-turn"), h.options("hi")); r.Status != headless.Answered || r.Text != "Hello." {
		t.Errorf("%+v", r)
	}
}

// What the agent has left behind is found after its turn, when the work is over, and told.
func TestWhatIsPutRightAfterTheTurnIsTold(t *testing.T) {
	t.Parallel()
	const script = "handshake\nexpect session/prompt\nsay hi\nend-turn"
	closing, left := make(chan struct{}), true
	here, err := app.Here(session.Options{
		Cwd: t.TempDir(), Unattended: true,
		AfterTurn: func() (string, string) { // runs once at a time
			<-closing
			if !left {
				return "", ""
			}
			left = false
			return "Removed links", ".git/x"
		},
		Spawn: func(acpclient.Command) (*acpclient.Peer, error) { return test.Play(script), nil },
		Machine: func(w session.Observer, a session.Asker) (session.Machine, error) {
			return machine.New(w, machine.Options{Asker: a, Unattended: true}, t.TempDir())
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	var h heard
	if r := headless.Run(t.Context(), closed{here, closing}, h.options("go")); r.Status != headless.Answered || !reflect.DeepEqual(h.told, []string{"Removed links: .git/x"}) {
		t.Errorf("%s, told %q", r.Status, h.told)
	}
}

// closed is a session that tells that it is being closed.
type closed struct {
	app.Session
	closing chan struct{}
}

func (c closed) Close(ctx context.Context) {
	close(c.closing)
	c.Session.Close(ctx)
}

func TestFirstTurnThatDoesNotEndWellIsTheLast(t *testing.T) {
	t.Parallel()
	for status, script := range map[headless.Status]string{
		headless.Refused:     "handshake\nexpect session/prompt\nsay no\nend-turn refusal\nexpect session/prompt\nsay more\nend-turn",
		headless.Incomplete:  "handshake\nexpect session/prompt\nsay no\nend-turn max_turn_requests\nexpect session/prompt\nsay more\nend-turn",
		headless.AgentFailed: "handshake\nexpect session/prompt\nsay no\nreply-error 500 broken\nexpect session/prompt\nsay more\nend-turn",
		headless.Cancelled:   "handshake\nexpect session/prompt\nsay no\nend-turn cancelled\nexpect session/prompt\nsay more\nend-turn",
	} {
		var h heard
		r := headless.Run(t.Context(), scripted(t, script), h.options("one", "two"))
		if r.Status != status || r.Text != "no" || len(r.Turns) != 1 || r.Message == "" {
			t.Errorf("%s: %+v", status, r)
		}
	}
}

func TestATurnThatTheAgentsDeathCutFails(t *testing.T) {
	t.Parallel()
	var h heard
	r := headless.Run(t.Context(), scripted(t, "handshake\nexpect session/prompt\nsay half\nend-turn cancelled\nexit 143"), h.options("one"))
	if r.Status != headless.AgentFailed || r.Text != "half" {
		t.Errorf("%+v", r)
	}
}

func TestSignInThatIsWantedInTheMiddleEndsTheWork(t *testing.T) {
	t.Parallel()
	var h heard
	r := headless.Run(t.Context(), scripted(t, "handshake\nexpect session/prompt\nsay hello\nend-turn\nexpect session/prompt\nreply-error -32000 again"), h.options("one", "two"))
	if r.Status != headless.SignInNeeded || !strings.HasSuffix(r.Message, "sign in first: again") || r.Turns[0].Text != "hello" {
		t.Errorf("%+v", r)
	}
}

const stuck = "handshake\nexpect session/prompt as p\nsay begun\nwait-cancel\nreply p {\"stopReason\":\"cancelled\"}"

// interrupted are the options of a run that is interrupted once for each of the events
// that at reports.
func interrupted(at func(conversation.Event) bool) headless.Options {
	interrupts := make(chan os.Signal, 2)
	opt := new(heard).options("one")
	opt.Interrupts = interrupts
	opt.Event = func(e conversation.Event) error {
		if at(e) {
			interrupts <- os.Interrupt
		}
		return nil
	}
	return opt
}

func TestInterruptCancelsTheTurn(t *testing.T) {
	t.Parallel()
	opt := interrupted(func(e conversation.Event) bool { _, text := e.(conversation.Text); return text })
	r := headless.Run(t.Context(), scripted(t, stuck), opt)
	if r.Status != headless.Cancelled || r.StopReason != acpclient.StopCancelled || r.Text != "begun" {
		t.Errorf("%+v", r)
	}
}

func TestSecondInterruptDoesNotWaitForTheAgent(t *testing.T) {
	t.Parallel()
	opt := interrupted(func(e conversation.Event) bool {
		switch e.(type) {
		case conversation.Text, conversation.CancelRequested:
			return true
		}
		return false
	})
	r := headless.Run(t.Context(), scripted(t, "handshake\nexpect session/prompt\nsay begun\nexpect session/nothing"), opt)
	if r.Status != headless.Cancelled || r.StopReason != "" || r.Text != "begun" || len(r.Turns) != 1 {
		t.Errorf("%+v", r)
	}
}

// A question that the agent has given up before it could be denied is no reason to cancel
// the turn.
func TestQuestionThatWasGivenUpIsNotDenied(t *testing.T) {
	t.Parallel()
	const script = `
handshake
expect session/prompt as p
request session/request_permission {"sessionId": "${session}", "toolCall": {"toolCallId": "t", "title": "Run it"}, "options": [{"optionId": "n", "name": "No", "kind": "reject_once"}]} as question
cancel question
await question
say Never mind.
reply p {"stopReason": "end_turn"}`
	given := make(chan struct{})
	s := tapped(t, script, func(sent bool, line []byte) {
		if sent && bytes.Contains(line, []byte(`"error"`)) {
			close(given)
		}
	})
	var h heard
	opt := h.options("one")
	opt.Event = func(e conversation.Event) error {
		if _, asked := e.(conversation.PermissionOpened); asked {
			<-given
		}
		return nil
	}
	if r := headless.Run(t.Context(), s, opt); r.Status != headless.Answered || r.Text != "Never mind." || len(r.Denied) > 0 {
		t.Errorf("%+v", r)
	}
}

func TestOutputThatCannotBeWrittenEndsTheWork(t *testing.T) {
	t.Parallel()
	full := errors.New("the disk is full")
	var h heard
	opt := h.options("one", "two")
	opt.Answer = func(string) error { return full }
	if r := headless.Run(t.Context(), scripted(t, work), opt); r.Status != headless.Failed || !strings.Contains(r.Message, full.Error()) || len(r.Turns) != 1 {
		t.Errorf("%+v", r)
	}
}

func TestWorkThatIsGivenUpEnds(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	var h heard
	opt := h.options("one")
	opt.Event = func(e conversation.Event) error {
		if _, text := e.(conversation.Text); text {
			cancel()
		}
		return nil
	}
	if r := headless.Run(ctx, scripted(t, stuck), opt); r.Status != headless.Cancelled || r.Text != "begun" {
		t.Errorf("%+v", r)
	}
}

// Whatever stands in an event, its line holds no character that a terminal acts upon,
// and is decoded to the same.
func TestLinesAreHarmlessAndLoseNothing(t *testing.T) {
	t.Parallel()
	text := "esc \x1b[31m del \x7f c1 \u009b31m bidi \u202e line \u2028 tag \U000E0041 emoji 👩‍🚀 <&> \"quoted\" \\"
	e := conversation.Text{Chunk: acpclient.AgentMessageChunk, Text: text}
	line, err := headless.Line(e)
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"\x1b", "\x7f", "\u009b", "\u202e", "\u2028", "\U000E0041"} {
		if bytes.Contains(line, []byte(bad)) {
			t.Errorf("the line holds %q: %q", bad, line)
		}
	}
	if bytes.Count(line, []byte("\n")) != 1 || line[len(line)-1] != '\n' {
		t.Errorf("it is not one line: %q", line)
	}
	if got, err := conversation.Decode(bytes.TrimSuffix(line, []byte("\n"))); err != nil || !reflect.DeepEqual(got, e) {
		t.Errorf("decoded: %+v, %v", got, err)
	}
}

// Folding the lines of a run gives the conversation that there was.
func TestLinesOfARunAreTheSession(t *testing.T) {
	t.Parallel()
	var h heard
	opt := h.options("one", "two")
	c := conversation.New()
	opt.Event = func(e conversation.Event) error {
		line, err := headless.Line(e)
		if err != nil {
			return err
		}
		if e, err = conversation.Decode(line); err != nil {
			return err
		}
		c.Apply(e)
		return nil
	}
	r := headless.Run(t.Context(), scripted(t, work), opt)
	if r.Status != headless.Answered || c.ID != r.SessionID {
		t.Errorf("%s %s", r.Message, c.ID)
	}
	last := c.Items[len(c.Items)-1].(*conversation.Message)
	if got := last.Parts.Plain(); got != "Second answer." {
		t.Errorf("the last item says %q", got)
	}
	line, err := r.Line()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := conversation.Decode(line); !errors.Is(err, conversation.ErrUnknownEvent) {
		t.Errorf("the last line is taken for an event: %v", err)
	}
}

// A run ends with its time, also if the agent ignores that the turn is cancelled.
func TestTheTimeOfARunIsOver(t *testing.T) {
	for name, script := range map[string]string{
		"before the answer to initialize": "hang",
		"in a turn":                       "handshake\nexpect session/prompt\nsay half of it\nhang",
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var h heard
				opt := h.options("hi")
				opt.Timeout = 20 * time.Second
				s, began := scripted(t, script), time.Now()
				r := headless.Run(t.Context(), s, opt)
				if took := time.Since(began); r.Status != headless.TimedOut || took > 22*time.Second {
					t.Errorf("%v after %v", r.Status, took)
				}
			})
		})
	}
}

// Whoever writes a script finds every exit code in the guide, with its meaning.
func TestOutcomesAreInTheGuide(t *testing.T) {
	seen := map[int]bool{}
	for _, o := range headless.Outcomes {
		if seen[o.Code] {
			t.Errorf("the exit code %d has two meanings", o.Code)
		}
		seen[o.Code] = true
		if got := o.Status.ExitCode(); got != o.Code {
			t.Errorf("%s exits with %d, want %d", o.Status, got, o.Code)
		}
		if row := fmt.Sprintf("| %d | `%s` | %s |\n", o.Code, o.Status, o.Means); !strings.Contains(docs.Guide(), row) {
			t.Errorf("the guide lacks the line %s", row)
		}
	}
}

// An agent that was denied may have nothing to say: opencode ends its turn at once.
func TestADeniedTurnIsNoFailureOfTheAgent(t *testing.T) {
	t.Parallel()
	var h heard
	r := headless.Run(t.Context(), scripted(t, `handshake
expect session/prompt
request session/request_permission {"sessionId":"${session}","toolCall":{"toolCallId":"t","title":"Edit a","kind":"edit"},"options":[{"optionId":"y","name":"Yes","kind":"allow_once"},{"optionId":"n","name":"No","kind":"reject_once"}]} as q
await q
update {"sessionUpdate":"tool_call_update","toolCallId":"t","status":"failed"}
end-turn
`), h.options("hi"))
	if r.Status != headless.PermissionDenied {
		t.Errorf("the status is %s: %s", r.Status, r.Message)
	}
}
