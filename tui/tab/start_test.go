package tab

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/config"
	"parley/internal/app"
	"parley/internal/command"
	"parley/internal/conversation"
	"parley/internal/session"
	"parley/internal/store"
	"parley/internal/test"
)

// pending is a tab whose session is still being made. Its agent starts for as long as the
// test runs.
func pending(t *testing.T) (b *bench, made app.Session) {
	t.Helper()
	b = newBench(t, t.TempDir())
	made, err := app.Here(session.Options{
		Command: acpclient.Command{Path: "quick", Args: []string{"--now"}},
		Cwd:     b.cwd,
		Spawn: func(acpclient.Command) (*acpclient.Peer, error) {
			<-t.Context().Done()
			return nil, t.Context().Err()
		},
		Machine: func(session.Observer, session.Asker) (session.Machine, error) { return noMachine{}, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	fresh := New(2, b.program, t.TempDir())
	fresh.program.Make = func(_ context.Context, s app.Spec) (*app.Opened, error) {
		return &app.Opened{Agent: *s.Agent, Session: made}, nil
	}
	b.Tab = fresh
	b.Show()
	b.Start(&config.Agent{ID: "a", Name: "Agent", Command: "quick", Args: []string{"--now"}})
	return b, made
}

// What is typed and sent while the session is being made is not lost: it goes to
// that session.
func TestAPromptBeforeTheSessionIsMade(t *testing.T) {
	b, made := pending(t)
	b.press("g", "o", "enter", "n", "o", "enter", "m", "o", "r", "e")
	b.mustShow(t, "» queued: go", "» queued: no", "❯ more", "alt+q queue")
	b.press("alt+q") // as in a queue, a prompt can be dropped, and edited at its place
	b.press("down", "ctrl+x", "esc")
	b.mustNotShow(t, "queued: no")
	b.press("ctrl+u", "o", "n", "enter", "up")
	b.mustShow(t, "» queued: go", "❯ on")
	b.press("enter")
	b.press("alt+q")
	b.press("home", "enter", "!", "enter")
	b.mustShow(t, "» queued: go!", "» queued: on")
	b.press("m", "o", "r", "e")
	var texts []string
	b.Update(openedMsg{of: b.opening, Opened: &app.Opened{Agent: config.Agent{ID: "a"}, Session: made}})
	for _, e := range made.Stream().Take() {
		if q, ok := e.(conversation.QueueChanged); ok && len(q.Queue) > 0 {
			texts = append(texts, q.Queue[len(q.Queue)-1].Prompt[0].Text)
		}
	}
	if strings.Join(texts, ",") != "go!,on" {
		t.Errorf("the session was sent %q", texts)
	}
	b.mustShow(t, "more") // the draft stays
}

// A tab whose worktree is being prepared says so, in lists too, and does not wait for it when it is closed.
func TestAWorktreeIsPreparedFirst(t *testing.T) {
	b, _ := pending(t)
	told, stopped := make(chan struct{}), make(chan struct{})
	b.program.Prepare = func(ctx context.Context, s app.Spec, tell app.Tell) []session.AddNotice {
		tell("setting up the worktree: npm ci", "")
		for i := range 9 {
			tell("setting up the worktree: npm ci", fmt.Sprintf("line %d", i))
		}
		close(told)
		<-ctx.Done()
		close(stopped)
		return []session.AddNotice{{Title: "set up"}}
	}
	var notes []session.AddNotice
	b.program.Make = func(_ context.Context, s app.Spec) (*app.Opened, error) {
		notes = *s.Notes
		return nil, context.Canceled
	}
	b.Start(&config.Agent{ID: "a", Name: "Agent", Command: "quick"})
	<-told
	b.mustShow(t, "setting up the worktree: npm ci, 0s")
	b.mustShow(t, "│ line 3", "│ line 8")
	b.mustNotShow(t, "line 2")
	if !b.Moves() {
		t.Error("its time stands still")
	}
	if o := b.Overview(); o.Step != "setting up the worktree: npm ci" || o.Since.IsZero() || o.Standing != conversation.StandingWorking {
		t.Errorf("lists say %+v", o)
	}
	b.press("esc")
	<-stopped
	b.mustShow(t, "interrupted: the session opens with what is there")
	b.Close()(t.Context())
	if len(notes) != 1 {
		t.Errorf("the session has the notices %+v", notes)
	}
}

// The start shows from the first frame on, and is not called slow before the session has
// told when it began.
func TestAStartShowsAtOnce(t *testing.T) {
	b, made := pending(t)
	b.mustShow(t, "starting quick --now")
	b.Update(openedMsg{of: b.opening, Opened: &app.Opened{Agent: b.agent(), Session: made}})
	b.mustShow(t, "starting quick --now")
	b.mustNotShow(t, "still starting")
}

// Who leaves an agent that starts gets the prompts back that were sent to it, also one that
// the session has taken a moment ago.
func TestAPromptComesBackFromAnAgentThatIsLeft(t *testing.T) {
	b, made := pending(t)
	b.Update(openedMsg{of: b.opening, Opened: &app.Opened{Agent: config.Agent{ID: "a"}, Session: made}})
	b.press("g", "o")
	run(b.Tab, b.Update(keyPress("enter")), func() {})
	b.mustNotShow(t, "❯ go")
	b.press("esc")
	if got := b.composer.Text(); got != "go" {
		t.Errorf("the draft is %q", got)
	}
}

// A tab in which a prompt waits is not given up for another.
func TestATabInWhichAPromptWaitsIsNotBlank(t *testing.T) {
	b := newBench(t, t.TempDir())
	if !b.Blank() {
		t.Error("a new tab is not blank")
	}
	b.events(conversation.QueueChanged{Queue: []conversation.QueuedPrompt{{ID: 1, Prompt: []acpclient.ContentBlock{acpclient.TextBlock("go")}}}})
	if b.Blank() {
		t.Error("a prompt would be lost with the tab")
	}
}

// run carries out commands until there are none, but for those that wait for the
// session.
func run(t *Tab, cmd tea.Cmd, after func()) {
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case tea.BatchMsg:
		for _, c := range msg {
			run(t, c, after)
		}
	case Msg:
		if _, ok := msg.Msg.(then); ok {
			t.Update(msg.Msg)
			after()
		}
	}
}

func TestAPromptWhoseSessionIsNotMade(t *testing.T) {
	b, _ := pending(t)
	b.press("g", "o", "enter")
	b.Update(openedMsg{of: b.opening, err: errors.New("it is not there")})
	b.mustShow(t, "could not be started", "❯ go")
}

// Prompts whose agent is not there are not joined: they wait for the user in the queue of the next one.
func TestPromptsWhoseSessionIsNotMade(t *testing.T) {
	runBench(t, func(t *testing.T, b *bench) {
		err := errors.New("it is not there")
		b.program.Make = func(context.Context, app.Spec) (*app.Opened, error) { return nil, err }
		cmd := b.Tab.open(app.Spec{Agent: &config.Agent{Name: "Mine"}})
		for _, words := range []string{"one", "two"} {
			b.Do(b.prompts.Submit(promptOf(words)))
		}
		b.composer.SetText("draft")
		b.Do(cmd)
		b.mustShow(t, "could not be started", "paused: one", "paused: two", "❯ draft")
		b.dialogs.Pop()
		b.ready()
		b.prompts.held.Send(b.session())
		b.Do(nil)
		if got := b.queued(); got != "one, two" || !b.conv().QueuePaused {
			t.Errorf("the queue is %q, paused %v", got, b.conv().QueuePaused)
		}
		b.Do(b.open().instead(command.ChooseAgent))
		if len(b.prompts.held) != 2 || b.composer.Text() != "draft" {
			t.Errorf("left, %d wait, and the draft is %q", len(b.prompts.held), b.composer.Text())
		}
	})
}

// newStored is a bench with a store in which sessions of its agent are.
func newStored(t *testing.T, prompts ...string) (*bench, []store.ID) {
	t.Helper()
	b := newBench(t, t.TempDir())
	b.program.Stored = store.NewLibrary(store.New(t.TempDir()))
	t.Cleanup(func() { _ = b.program.Stored.Close() })
	return b, storedIDs(t, b.program.Stored, b.cwd, prompts...)
}

// reopenedAs gives the bench a stored session, as a command would have read it.
func (b *bench) reopenedAs(t *testing.T, id store.ID, change func(*app.Opened)) {
	t.Helper()
	kept, err := b.program.Stored.Read(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	s, err := app.Here(session.Options{
		Cwd: b.cwd, ResumeID: kept.Conversation.ID, HasTranscript: true,
		Spawn:   func(acpclient.Command) (*acpclient.Peer, error) { return nil, context.Canceled },
		Machine: func(session.Observer, session.Asker) (session.Machine, error) { return noMachine{}, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	r := &app.Opened{Transcript: kept, Agent: config.Agent{ID: "mine"}, Session: s}
	change(r)
	b.opening = openingOf(app.Spec{Stored: id})
	b.Update(openedMsg{of: b.opening, Opened: r})
}

func TestTheViewComesBack(t *testing.T) {
	b, ids := newStored(t, "one")
	l, err := b.program.Stored.Continue(ids[0])
	if err != nil {
		t.Fatal(err)
	}
	for i := range 40 {
		if err := l.Append([]conversation.Event{test.Sent(fmt.Sprintf("prompt %d", i)), conversation.TurnEnded{}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	top := 10
	b.reopenedAs(t, ids[0], func(r *app.Opened) { r.View = store.View{Draft: "a draft", Top: &top} })
	b.mustShow(t, "❯ prompt 8", "❯ a draft")
	b.mustNotShow(t, "prompt 39")
	if v := b.drafts.view(); v.Top == nil || *v.Top != 10 || v.Draft != "a draft" {
		t.Errorf("the view is %+v", v)
	}
}

func TestADraftIsKeptOverTheOneThatComesBack(t *testing.T) {
	b, ids := newStored(t, "one")
	b.press("n", "e", "w")
	b.reopenedAs(t, ids[0], func(r *app.Opened) { r.View.Draft = "old" })
	b.mustShow(t, "❯ new")
	b.press("ctrl+r", "o", "l")
	b.mustShow(t, "❯ old") // it is in the history
}

// A draft goes along to another agent, behind the queue. It is stored before the session is left, and at
// once in the next one.
func TestADraftGoesAlongInAHandOver(t *testing.T) {
	b, ids := newStored(t, "one", "two")
	lib := b.program.Stored
	b.drafts.library = lib
	b.stores(ids[0])
	b.press("m", "i", "n", "e")
	b.Update(b.replace(openingOf(app.Spec{Stored: ids[0], Branch: 2, HandOver: true}), func(ctx context.Context) (*app.Opened, error) {
		view, err := lib.View(ids[0])
		if view.Draft != "mine" || err != nil {
			t.Errorf("as the session is left, it has %+v, %v", view, err)
		}
		kept, err := lib.Read(ctx, ids[1])
		next := newSession(b.cwd, noMachine{}, func(o *session.Options) { o.Recorder = keptAs{log: ids[1]} })
		queue := []conversation.QueuedPrompt{{Prompt: []acpclient.ContentBlock{acpclient.TextBlock("next")}}}
		return &app.Opened{Session: next, Runs: true, Transcript: kept, View: view, Branched: app.Branched{Queue: queue}}, err
	})())
	if err := b.drafts.last(); err != nil {
		t.Fatal(err)
	}
	const want = "next\n\nmine"
	if view, err := lib.View(ids[1]); b.composer.Text() != want || view.Draft != want || err != nil {
		t.Errorf("the prompt has %q, stored is %+v, %v", b.composer.Text(), view, err)
	}
}

// A prompt that was sent while the session was being read is a draft again if that can only
// be read.
func TestAPromptToASessionThatIsOnlyReadIsGivenBack(t *testing.T) {
	b, ids := newStored(t, "one")
	b.Open(app.Spec{Stored: ids[0]}) // it is being read
	b.Ask("go on")
	b.reopenedAs(t, ids[0], func(r *app.Opened) { r.ReadOnly = store.ErrInUse })
	b.mustShow(t, "❯ go on")
}

func TestWhatIsToldOfBeforeIsBounded(t *testing.T) {
	b, ids := newStored(t, "one")
	b.reopenedAs(t, ids[0], func(*app.Opened) {})
	b.events(conversation.Text{Chunk: acpclient.AgentMessageChunk, Text: strings.Repeat("many words\n", 50_000) + "the very end"})
	if text := app.EarlierText(b.conv()); len(text) > 65<<10 || !strings.HasSuffix(strings.TrimSpace(text), "the very end") || !strings.HasPrefix(text, "(earlier parts left out)") {
		t.Errorf("it is %d bytes: %.60q … %q", len(text), text, text[max(0, len(text)-30):])
	}
}

func TestNothingIsSentToASessionThatIsOnlyRead(t *testing.T) {
	b, ids := newStored(t, "one")
	b.reopenedAs(t, ids[0], func(r *app.Opened) { r.ReadOnly = store.ErrInUse })
	b.clock = b.clock.Add(time.Minute)
	b.draw()
	b.press("1", "enter") // "Read it"
	b.mustShow(t, "This session is read-only here")
	b.press("h", "i", "enter")
	b.mustShow(t, "read-only here", "❯ hi")
	if len(b.prompts.held) > 0 || len(b.conv().Queue) > 0 {
		t.Error("something waits to be sent")
	}
}

// In a session that is only read no command runs either, and no agent is started.
func TestNothingIsStartedInASessionThatIsOnlyRead(t *testing.T) {
	for _, key := range []string{"enter", "alt+r"} {
		b, ids := newStored(t, "one")
		b.reopenedAs(t, ids[0], func(r *app.Opened) { r.ReadOnly = store.ErrInUse })
		b.clock = b.clock.Add(time.Minute)
		b.draw()
		b.press("1", "enter") // "Read it"
		if key == "enter" {
			b.press("!", "l", "s")
		}
		b.press(key)
		if got := b.toast.text; !strings.Contains(got, "read-only here") {
			t.Errorf("%s says %q", key, got)
		}
		if got := b.session().Stream().Take(); len(got) > 0 {
			t.Errorf("%s does %v", key, got)
		}
	}
}

// What would act is refused in a session that is only read, and no hint offers it.
func TestTheHintsOfASessionThatIsOnlyReadHold(t *testing.T) {
	b, ids := newStored(t, "one")
	b.reopenedAs(t, ids[0], func(r *app.Opened) { r.ReadOnly = store.ErrInUse })
	b.mustShow(t, "Read it")
	b.clock = b.clock.Add(time.Minute)
	b.press("esc") // which is to read it
	b.mustShow(t, "tab transcript", "find", "ctrl+n new session")
	b.press("!")
	b.mustNotShow(t, "open your shell")
	b.press("backspace", "f5")
	b.mustShow(t, "no review: read-only here") // and nobody is told that the configuration wants it so
	for _, words := range []string{"restart", "keep", "options", "commands"} {
		if strings.Contains(b.screen(), words) {
			t.Errorf("%q is offered:\n%s", words, b.screen())
		}
	}
}

// The agent of a session that nobody knows any more, or that the user has not agreed to, is
// not started for another session either: one chooses. The question can be had again.
func TestAnAgentThatNobodyAgreedToIsNotStartedForANewSession(t *testing.T) {
	for name, change := range map[string]func(*app.Opened){
		"unknown":     func(r *app.Opened) { r.Agent, r.ReadOnly = config.Agent{}, errors.New("no agent is called far") },
		"not trusted": func(r *app.Opened) { r.ReadOnly = &app.UntrustedError{Listens: "wss://host/acp"} },
	} {
		t.Run(name, func(t *testing.T) {
			b, ids := newStored(t, "one")
			b.program.Available = func() ([]config.Agent, error) { return []config.Agent{{ID: "tour", Name: "The tour"}}, nil }
			b.program.Make = func(_ context.Context, s app.Spec) (*app.Opened, error) {
				t.Errorf("%q is started", s.Agent.ID)
				return nil, context.Canceled
			}
			b.reopenedAs(t, ids[0], change)
			b.draw()
			b.clock = b.clock.Add(time.Minute)
			b.press("esc") // which is to read it
			b.bring(b.Update(keyPress("ctrl+n")))
			b.mustShow(t, "New tab: choose an agent", "The tour")
			b.press("esc", "alt+r")
			if asks := strings.Contains(b.screen(), "Connect to the agent of this session?"); asks != (name == "not trusted") {
				t.Errorf("alt+r asks: %t\n%s", asks, b.screen())
			}
		})
	}
}

// wantsSignIn is an agent that opens no session before the user has signed in. The answer
// to what they do about it comes next.
const wantsSignIn = `expect initialize
reply {"protocolVersion": 1, "agentCapabilities": {"auth": {"logout": {}}}, "authMethods": [{"id": "web", "name": "In the browser"},
  {"id": "here", "name": "Here", "type": "terminal", "args": ["--now"]},
  {"id": "theirs", "name": "Theirs", "_meta": {"terminal-auth": {"command": "PROGRAM", "args": ["log\u200bin"], "env": {"ACCOUNT": "me"}}}}]}
expect session/new
reply-error -32000 who are you?
`

// signInBench is a tab whose agent wants its user to sign in.
func signInBench(b *bench, then string) *signIn {
	program, _ := os.Executable()
	b.play(strings.ReplaceAll(wantsSignIn, "PROGRAM", filepath.ToSlash(program)) + then)
	b.wire.got()
	return &b.open().signIn
}

// The agent signs the user in. The dialog says so, and goes when that has ended well.
func TestByAgent(t *testing.T) {
	runBench(t, func(t *testing.T, b *bench) {
		s := signInBench(b, "expect authenticate\nreply-error 1 the browser was closed\nserve\n")
		b.MustSay("In the browser")
		b.MustSay("who are you?")
		b.mustShow(t, "Waiting for you to sign in")
		if b.Moves() {
			t.Error("a clock runs while it waits for the person")
		}
		s.Begin("web")
		if s.dialog == nil {
			t.Error("the dialog is closed")
		}
		b.Do(nil)
		if got := b.wire.got(); got != "authenticate" {
			t.Errorf("the agent got %s", got)
		}
		b.MustSay("the browser was closed")
		s.Begin("web")
		if b.Do(nil); s.dialog != nil || !b.dialogs.Empty() {
			t.Errorf("it still asks\n%s", b.Screen())
		}
	})
}

// A program on the terminal signs the user in: the agent is asked anew if it has ended
// well.
func TestOnTerminal(t *testing.T) {
	for _, fails := range []error{nil, errors.New("exit status 1")} {
		runBench(t, func(t *testing.T, b *bench) {
			s := signInBench(b, "")
			b.Do(s.Begin("here"))
			run := b.wished()[0].(Exec)
			if args := run.To.(*app.SignInProgram).Args; args[len(args)-1] != "--now" {
				t.Errorf("it runs %q", args)
			}
			b.Do(func() tea.Msg { return run.Done(fails) })
			if got, again := b.wire.got(), fails == nil; strings.Contains(got, "initialize") != again {
				t.Errorf("fails: %v: the agent got %q", fails, got)
			}
			if fails != nil {
				b.MustSay("the program failed: exit status 1")
			}
		})
	}
}

// A program that the agent chose is shown whole, and runs only once the user has said so.
func TestAProgramOfTheAgentsIsAskedAbout(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, runs := range []bool{false, true} {
		runBench(t, func(t *testing.T, b *bench) {
			s := signInBench(b, "")
			b.Do(s.Begin("theirs"))
			if wished := b.wished(); len(wished) != 0 {
				t.Fatalf("it wishes %v unasked", wished)
			}
			b.mustShow(t, "Run this program to sign in?")
			flat := strings.NewReplacer("\n", "", " ", "", "▎", "", "│", "").Replace(b.screen())
			for _, want := range []string{program, "log⟨U+200B⟩in", "withACCOUNT=me"} {
				if !strings.Contains(flat, want) {
					t.Errorf("%s is not in\n%s", want, b.screen())
				}
			}
			if !runs {
				if b.Press("esc"); s.dialog == nil || len(b.wished()) != 0 {
					t.Errorf("after esc:\n%s", b.screen())
				}
				return
			}
			b.Press("r")
			if wished := b.wished(); len(wished) != 0 {
				t.Fatalf("a single key runs %v", wished)
			}
			b.Press("enter")
			run := b.wished()[0].(Exec)
			if p := run.To.(*app.SignInProgram); p.Path != program || !slices.Contains(p.Env, "ACCOUNT=me") {
				t.Errorf("it runs %v", p)
			}
			b.Do(func() tea.Msg { return run.Done(nil) })
			if got := b.wire.got(); !strings.Contains(got, "initialize") {
				t.Errorf("the agent got %q", got)
			}
		})
	}
}

func TestDismissAndOut(t *testing.T) {
	runBench(t, func(t *testing.T, b *bench) {
		s := signInBench(b, "expect logout\nreply\nexpect logout\nreply-error 1 no network\n")
		if s.Dismiss(); s.dialog != nil {
			t.Error("it still asks")
		}
		b.shared("sign_out")
		b.MustSay("signed out")
		b.shared("sign_out")
		b.MustSay("signing out failed: ")
		b.MustSay("no network")
	})
}

// A list that is closed while the agent starts leaves the tab open.
func TestClosingAListWhileTheAgentStarts(t *testing.T) {
	b, _ := pending(t)
	b.press("ctrl+p")
	b.mustShow(t, "Command palette")
	if cmd := b.Update(keyPress("esc")); cmd != nil {
		wantNoWish(t, "esc", cmd)
	}
	b.mustNotShow(t, "Command palette")
}

// A stored session that is opened while an agent starts takes its place: the session of the
// agent ends, and does not come into the tab when it is made.
func TestAStoredSessionInPlaceOfOneThatIsMade(t *testing.T) {
	b, made := pending(t)
	was := b.opening
	b.Open(app.Spec{Stored: "log"})
	b.Update(openedMsg{of: was, Opened: &app.Opened{Session: made}})
	if b.session() != nil || b.StoredID() != "log" {
		t.Error("the agent's session is in the tab")
	}
	b.Update(openedMsg{of: b.opening, err: errors.New("it is damaged")})
	b.mustShow(t, "Cannot open the stored session", "it is damaged")
	if b.StoredID() != "" || !b.chooses() {
		t.Error("the tab still waits for a session that cannot be read")
	}
}
