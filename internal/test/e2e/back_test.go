//go:build unix

package e2e

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley/internal/test/ptytest"
)

// place is a home and a project that several parleys share, one after the other.
type place struct {
	t         *testing.T
	home, dir string
}

func newPlace(t *testing.T) place {
	return place{t, t.TempDir(), resolved(t, t.TempDir())}
}

// start starts parley there.
func (p place) start(script string, args ...string) *Parley {
	p.t.Helper()
	return Start(p.t, Options{Home: p.home, Project: p.dir, Script: script, Args: args})
}

const (
	resumes = `{"sessionCapabilities": {"resume": {}}}`
	loads   = `{"loadSession": true}`
)

// talk is an agent that answers one prompt.
func talk(capabilities, answer string) string {
	return "handshake " + capabilities + ` {"sessionId": "s1"}
expect session/prompt
say ` + answer + `
end-turn
`
}

// workedIn is a place in which an agent of these capabilities has answered "first".
func workedIn(t *testing.T, capabilities string) place {
	t.Helper()
	at := newPlace(t)
	at.start(talk(capabilities, "The first answer.")).Ready().Ask("first").Shows("The first answer.").Idle().Leave()
	return at
}

func TestContinuesByResuming(t *testing.T) {
	t.Parallel()
	at := workedIn(t, resumes)
	p := at.start(`
expect initialize
reply {`+initialized+`, "agentCapabilities": `+resumes+`}
expect session/resume contains "sessionId":"s1"
reply {}
expect session/prompt
say The second answer.
end-turn
`, "--continue")
	p.Shows("❯ first", "The first answer.")
	p.WaitSent("session/resume", 1)
	p.Ask("second").Shows("❯ first", "The first answer.", "The second answer.").Idle().Leave()
	if got := stored(t, at.home); len(got) != 1 || got[0] != "The first answer.The second answer." {
		t.Errorf("stored is %q", got)
	}
}

// The agent replays what the store has already, some of it late.
func TestContinuesByLoadingWithoutSayingAnythingTwice(t *testing.T) {
	t.Parallel()
	at := workedIn(t, loads)
	p := at.start(`
expect initialize
reply {`+initialized+`, "agentCapabilities": `+loads+`}
expect session/load contains "sessionId":"s1"
update {"sessionUpdate": "user_message_chunk", "content": {"type": "text", "text": "first"}}
update {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "The first"}}
reply {}
update {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": " answer."}}
update {"sessionUpdate": "session_info_update", "title": "All is replayed"}
expect session/prompt
say The second answer.
end-turn
`, "--continue")
	p.WaitUntil("the replay is over", func(s ptytest.Screen) bool { return strings.Contains(s.Title, "All is replayed") })
	p.Ask("second").Shows("The second answer.").Idle()
	if n := strings.Count(p.Screen().String(), "The first answer."); n != 1 {
		t.Errorf("the first answer is there %d times:\n%s", n, p.Screen().String())
	}
	p.Leave()
	if got := stored(t, at.home); len(got) != 1 || got[0] != "The first answer.The second answer." {
		t.Errorf("stored is %q", got)
	}
}

// An agent that can do neither: what was said is there to read, and a new session can be
// told of it.
func TestContinuesWithAnAgentThatRemembersNothing(t *testing.T) {
	t.Parallel()
	at := workedIn(t, `{}`)
	p := at.start(talk(`{}`, "I was told."), "--continue")
	p.Question("The agent cannot resume this session", "does not keep sessions").Answer("New session with this conversation")
	p.WaitSent("session/new", 1)
	p.Shows("The first answer.")
	p.Ask("second").Shows("The first answer.", "I was told.").Idle()
	if got := p.WaitSent("session/prompt", 1); !strings.Contains(got, `"text":"second"`) || !strings.Contains(got, `The first answer.`) {
		t.Errorf("the agent was told %s", got)
	}
	p.Leave()
}

// A session that the agent refuses to open is refused once, and nothing is tried again.
func TestARefusedSessionIsSaidOnce(t *testing.T) {
	t.Parallel()
	at := workedIn(t, loads)
	p := at.start(`
expect initialize
reply {`+initialized+`, "agentCapabilities": `+loads+`}
expect session/load
reply-error -32002 It is gone
expect session/new
reply {"sessionId": "s2"}
expect session/prompt
say A new beginning.
end-turn
`, "--continue")
	p.Question("The agent cannot resume this session", "It is gone").Answer("New session")
	p.WaitSent("session/new", 1)
	p.Ask("second").Shows("The first answer.", "A new beginning.").Idle()
	if n := len(p.Sent("session/load")); n != 1 {
		t.Errorf("it was tried %d times", n)
	}
	if got := p.WaitSent("session/prompt", 1); strings.Contains(got, "The first answer.") {
		t.Errorf("the agent was told %s, unasked", got)
	}
	p.Leave()
}

func TestDraftsAndModesComeBack(t *testing.T) {
	t.Parallel()
	at := newPlace(t)
	const modes = ` {"sessionId": "s1", "modes": {"currentModeId": "ask", "availableModes": [{"id": "ask", "name": "Asking"}, {"id": "code", "name": "Coding"}]}}
serve session/set_mode
`
	p := at.start("handshake " + resumes + modes + `expect session/prompt
say The first answer.
end-turn
`)
	p.Ready().Ask("first").Shows("The first answer.").Idle()
	p.Press("shift+tab").Mode("Coding")
	p.WaitSent("session/set_mode", 1)
	p.Type("half a tho").Shows("❯ half a tho").Leaves()
	p = at.start("handshake "+resumes+modes, "--continue")
	p.Shows("The first answer.", "❯ half a tho").Mode("Coding")
	if got := p.WaitSent("session/set_mode", 1); !strings.Contains(got, `"modeId":"code"`) {
		t.Errorf("the mode was set by %s", got)
	}
}

// Leaves leaves parley though the prompt holds a draft: it is told to end.
func (p *Parley) Leaves() {
	p.t.Helper()
	p.Signal(syscall.SIGTERM)
	p.WaitExit()
}

func TestASavedDraftOutlivesAKill(t *testing.T) {
	t.Parallel()
	at := newPlace(t)
	p := at.start(talk(resumes, "The first answer."))
	p.Ready().Ask("first").Shows("The first answer.").Idle().Type("not yet sent")
	waitForFile(t, at.home+"/.local/state/parley/sessions/*.view", "not yet sent")
	p.Signal(syscall.SIGKILL)
	p.WaitExit()
	at.start(talk(resumes, "x"), "--continue").Shows("The first answer.", "❯ not yet sent")
}

// What was written in an editor is not lost with parley.
func TestTextInAnEditorOutlivesAKill(t *testing.T) {
	t.Parallel()
	at, temp := newPlace(t), t.TempDir()
	editor := filepath.Join(t.TempDir(), "ed")
	must(t, os.WriteFile(editor, []byte("#!/bin/sh\necho ' and in the editor' >> \"$1\"\nkill -9 $PPID\n"), 0o755))
	p := Start(t, Options{
		Home: at.home, Project: at.dir, Script: talk(resumes, "The first answer."),
		Env: []string{"TMPDIR=" + temp, "EDITOR=" + editor},
	})
	p.Ready().Ask("first").Shows("The first answer.").Idle().Type("in the prompt").Press("ctrl+g").WaitExit()
	at.start(talk(resumes, "x"), "--continue").Shows("The first answer.", "❯ in the prompt and in the editor").Leaves()
	if left, _ := filepath.Glob(filepath.Join(temp, "parley-prompt-*")); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}

// Queued prompts are not sent before somebody says so.
func TestQueuedPromptsComeBackAndWait(t *testing.T) {
	t.Parallel()
	at := newPlace(t)
	p := at.start("handshake " + resumes + ` {"sessionId": "s1"}
expect session/prompt
say At it.
`)
	p.Ready().Ask("first").Shows("At it.").Ask("and then this").Shows("and then this")
	waitForFile(t, at.home+"/.local/state/parley/sessions/*.jsonl", "and then this")
	p.Signal(syscall.SIGKILL)
	p.WaitExit()
	p = at.start(talk(resumes, "Now that."), "--continue")
	p.Shows("At it.", "What is stored ends in the middle of this turn", "and then this")
	p.WaitSent("session/resume", 1)
	if n := len(p.Sent("session/prompt")); n != 0 {
		t.Errorf("%d prompts were sent", n)
	}
	p.Press("enter").Shows("Now that.")
}

func TestASessionThatIsOpenElsewhereCanBeRead(t *testing.T) {
	t.Parallel()
	at := newPlace(t)
	first := at.start(talk(resumes, "The first answer."))
	first.Ready().Ask("first").Shows("The first answer.").Idle()
	p := at.start(talk(resumes, "x"), "--continue")
	p.Question("This session is read-only", "open elsewhere").Answer("Read it")
	p.Shows("The first answer.").Type("me too").Shows("❯ me too").Press("enter").Shows("read-only here", "❯ me too")
	if n := len(p.Wire()); n > 0 {
		t.Errorf("an agent was started: %d messages", n)
	}
}

// After a kill the next start offers to go on. It does so as long as nobody has said no.
func TestOffersToGoOnAfterAKill(t *testing.T) {
	t.Parallel()
	at := newPlace(t)
	p := at.start(talk(resumes, "The first answer."))
	p.Ready().Ask("the big task").Shows("The first answer.").Idle()
	p.Signal(syscall.SIGKILL)
	p.WaitExit()

	p = at.start(talk(resumes, "x"))
	p.Question("An interrupted session", "the big task").Answer("Not now")
	waitFor(t, "it is forgotten", func() bool { return !inFiles(t, at.home+"/.local/state/parley/sessions/open/*", "") })
	p.Leave()
	p = at.start(talk(resumes, "Killed again."))
	p.Ready().Ask("once more").Shows("Killed again.").Idle()
	if strings.Contains(p.Screen().String(), "was not ended") {
		t.Error("it is offered again")
	}
	p.Signal(syscall.SIGKILL)
	p.WaitExit()

	p = at.start("handshake " + resumes + "\n")
	p.Question("An interrupted session", "once more").Answer("Resume it")
	p.Question("Start the agent of this session?").Answer("Start it") // another script, another command
	p.Shows("Killed again.")
}

func TestChoosesAmongStoredSessions(t *testing.T) {
	t.Parallel()
	at := newPlace(t)
	at.start(talk(resumes, "It is about apples.")).Ready().Ask("first question").Shows("It is about apples.").Idle().Leave()
	at.start(talk(resumes, "It is about bananas.")).Ready().Ask("second question").Shows("It is about bananas.").Idle().Leave()
	elsewhere := place{t, at.home, resolved(t, t.TempDir())}
	p := elsewhere.start(talk(resumes, "x"), "--resume")
	p.Question("Sessions", "No sessions of this directory.").Press("ctrl+t")
	p.Shows("first question", "second question")
	p.Type("bananas").Gone("first question").Shows("second question", "It is about bananas.")
	p.Press("enter")
	p.Question("Start the agent of this session?").Answer("Only read")
	p.Shows("❯ second question", "It is about bananas.")
}

var lineNumber = regexp.MustCompile(`line (\d+)`)

// killsEnv is how often parley is killed in the middle of a turn: more often than each run of
// the tests can afford, see the Makefile.
const killsEnv = "PARLEY_TEST_KILLS"

// However a turn is cut off, what was on the screen is there afterwards.
func TestWhatTheScreenShowedIsThereAfterAKill(t *testing.T) {
	t.Parallel()
	rounds := 6
	if testing.Short() {
		rounds = 2
	}
	if text := os.Getenv(killsEnv); text != "" {
		n, err := strconv.Atoi(text)
		must(t, err)
		rounds = n
	}
	for range rounds {
		at := newPlace(t)
		p := at.start(`
handshake ` + resumes + ` {"sessionId": "s1"}
expect session/prompt
repeat 400
  say "line ${n}\n\n"
  sleep 1ms
end
sleep 1h
`)
		until := rand.IntN(300) + 1
		p.Ready().Ask("count")
		p.WaitUntil("some lines are there", func(s ptytest.Screen) bool { return lastLine(s) >= until })
		p.Signal(syscall.SIGKILL)
		p.WaitExit()
		shown := lastLine(p.Screen())
		p = at.start(talk(resumes, "x"), "--continue")
		p.WaitUntil("what was shown is there", func(s ptytest.Screen) bool { return lastLine(s) >= shown })
		p.Shows("What is stored ends in the middle of this turn")
		p.Leaves()
	}
}

// lastLine is the highest number of a line on the screen.
func lastLine(s ptytest.Screen) int {
	last := 0
	for _, m := range lineNumber.FindAllStringSubmatch(s.String(), -1) {
		n, _ := strconv.Atoi(m[1])
		last = max(last, n)
	}
	return last
}

// waitForFile waits until one of the files that a pattern names has a text in it.
func waitForFile(t *testing.T, pattern, text string) {
	t.Helper()
	waitFor(t, fmt.Sprintf("a file %s has %q", pattern, text), func() bool { return inFiles(t, pattern, text) })
}

// waitFor waits until something about files is so: nothing tells when they change.
func waitFor(t *testing.T, what string, so func() bool) {
	t.Helper()
	deadline := time.Now().Add(2 * time.Minute)
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	for !so() {
		if time.Now().After(deadline) {
			t.Fatalf("still not so: %s", what)
		}
		<-ticker.C
	}
}

// inFiles reports whether one of these files has a text. Those that are still being
// written, to take the place of another, do not count.
func inFiles(t *testing.T, pattern, text string) bool {
	t.Helper()
	files, err := filepath.Glob(pattern)
	must(t, err)
	for _, f := range files {
		if strings.HasSuffix(f, ".new") {
			continue
		}
		if b, err := os.ReadFile(f); err == nil && strings.Contains(string(b), text) {
			return true
		}
	}
	return false
}

// A prompt that was begun before anything was said is there again, and makes no session.
func TestADraftWithoutASessionComesBack(t *testing.T) {
	t.Parallel()
	at := newPlace(t)
	const sessions = "/.local/state/parley/sessions/"
	at.start(talk(resumes, "x")).Ready().Leave()
	at.start(talk(resumes, "x")).Ready().Type("half a tho").Shows("❯ half a tho").Leaves()
	at.start(talk(resumes, "x"), "--continue").Shows("❯ half a tho").Type("ught").Shows("❯ half a thought").Leaves()
	if inFiles(t, at.home+sessions+"*.jsonl", "") {
		t.Error("there is a session in which nothing was said")
	}
	elsewhere := place{t, at.home, resolved(t, t.TempDir())}
	elsewhere.start(talk(resumes, "x")).Ready().Leave()

	p := at.start(talk(resumes, "The first answer."))
	p.Shows("❯ half a thought").Press("enter").Shows("The first answer.").Idle()
	waitFor(t, "the draft is forgotten", func() bool { return !inFiles(t, at.home+sessions+"drafts/*", "") })
	p.Leave()
	at.start(talk(resumes, "x")).Ready().Type("later").Shows("❯ later").Leaves()
	p = at.start(talk(resumes, "x"), "--continue")
	p.Shows("The first answer.", "❯ later").Press("ctrl+c")
	waitFor(t, "the draft is forgotten", func() bool { return !inFiles(t, at.home+sessions+"drafts/*", "") })
	p.Leave()
	at.start(talk(resumes, "x")).Ready()
}

func TestALooseDraftOutlivesAKill(t *testing.T) {
	t.Parallel()
	at := newPlace(t)
	p := at.start(talk(resumes, "x")).Ready().Type("not yet sent")
	waitForFile(t, at.home+"/.local/state/parley/sessions/drafts/*", "not yet sent")
	p.Signal(syscall.SIGKILL)
	p.WaitExit()
	at.start(talk(resumes, "x")).Shows("❯ not yet sent")
}

// Sessions of one agent that were killed come back after one question about its command.
func TestOneQuestionStartsTheAgentOfAllSessions(t *testing.T) {
	t.Parallel()
	at := newPlace(t)
	p := at.start(talk(resumes, "Apples."))
	p.Ready().Ask("about apples").Shows("Apples.").Idle()
	p.Press("ctrl+n").Ready().Ask("about pears").Shows("❯ about pears", "Apples.").Idle()
	p.Press("ctrl+n").Ready().Ask("about plums").Shows("❯ about plums", "Apples.").Idle()
	p.Signal(syscall.SIGKILL)
	p.WaitExit()

	p = at.start(talk(resumes, "x")) // another script, another command
	p.Question("3 interrupted sessions", "about plums", "about pears", "about apples").Answer("Resume all")
	p.Question("Start the agent of this session?").Answer("Start it")
	p.Shows("❯ about plums").WaitSent("session/resume", 3)
	p.Press("alt+1").Shows("❯ about apples").Press("alt+2").Shows("❯ about pears")
	if strings.Contains(p.Screen().String(), "Start the agent") {
		t.Errorf("it is asked again:\n%s", p.Screen())
	}
	p.Leave()
}

// None of several sessions is forgotten: neither when parley is killed, nor when it is left.
func TestEveryTabIsGoneOnWith(t *testing.T) {
	t.Parallel()
	at := newPlace(t)
	options := func(args ...string) Options {
		return Options{
			Home: at.home, Project: at.dir, Script: talk(resumes, "Apples."), Args: args,
			Others: map[string]string{"other": `
expect initialize
reply {` + initialized + `, "agentCapabilities": ` + resumes + `}
expect session/new|session/resume
reply {"sessionId": "s2"}
expect session/prompt
say Pears.
end-turn
`},
		}
	}
	p := Start(t, options())
	p.Ready().Ask("about apples").Shows("Apples.").Idle()
	p.Pick("other").Ask("about pears").Shows("Pears.").Idle()
	p.Signal(syscall.SIGKILL)
	p.WaitExit()

	p = Start(t, options())
	p.Question("2 interrupted sessions", "about pears", "about apples", "just now · other · ● Pears.", " · ● Apples.").Answer("Resume all")
	p.Shows("❯ about pears", "Pears.").TabLine("1 ", "about apples", "2 ", "about pears")
	p.Other("other").WaitSent("session/resume", 1)
	p.Press("alt+,").Question("Start the agent of this session?").Answer("Only read")
	p.Shows("❯ about apples", "Apples.")
	p.Press("alt+.").Shows("Pears.").Leave()
	if said := p.Screen().String(); strings.Count(said, "To resume ") != 2 || !strings.Contains(said, `To resume "about apples": parley --resume=`) {
		t.Errorf("said is\n%s", said)
	}
	Start(t, options()).Ready().Leave() // nothing is left to be offered
}
