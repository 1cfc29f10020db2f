package tui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"parley/acpclient"
	"parley/config"
	"parley/internal/app"
	"parley/internal/conversation"
	"parley/internal/record"
	"parley/internal/session"
	"parley/internal/store"
	"parley/internal/test"
	"parley/internal/test/peer"
	"parley/tui/tab"
)

// program runs a model as Bubble Tea would, without a terminal: it gives it the
// messages of its commands, one after the other. Its agents do what scripts say,
// in this process.
type program struct {
	*Model
	t     testing.TB
	ctx   context.Context
	clock time.Time
	msgs  chan tea.Msg
	last  tab.ID // whom the last message was for, 0 if for none of the tabs
	// commands are those that have not brought anything yet.
	commands sync.WaitGroup
	running  atomic.Int32 // agents
	closed   atomic.Int32 // machines of sessions that have ended
}

// newProgram makes a program with agents by name. Nothing has been started.
func newProgram(t testing.TB, scripts map[string]string, with ...func(*Options)) *program {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("HOME", dir)
	t.Setenv("XDG_STATE_HOME", dir)
	ctx, cancel := context.WithCancel(t.Context())
	p := &program{t: t, ctx: ctx, clock: time.Now(), msgs: make(chan tea.Msg)}
	start := func(_ context.Context, s app.Spec) (*app.Opened, error) {
		made, err := app.Here(session.Options{
			Cwd:     dir,
			Ring:    record.NewRing(record.Header{Cwd: dir}, record.NewRedactor(nil), time.Now),
			Spawn:   func(acpclient.Command) (*acpclient.Peer, error) { return p.spawn(s.Agent.ID, scripts[s.Agent.ID]) },
			Name:    s.Agent.ID,
			Machine: func(session.Observer, session.Asker) (session.Machine, error) { return machine{p: p}, nil },
		})
		return &app.Opened{Agent: *s.Agent, Session: made}, err
	}
	cfg := config.Default(nil)
	cfg.Keys = config.Default(tab.Actions()).Keys
	opt := Options{
		Backend: app.Backend{
			Available: func() ([]config.Agent, error) {
				var agents []config.Agent
				for _, name := range slices.Sorted(maps.Keys(scripts)) {
					agents = append(agents, config.Agent{ID: name, Name: name})
				}
				return agents, nil
			},
			Make: start,
		},
		Config: cfg, Cwd: dir, Version: "test",
		Now: func() time.Time { return p.clock },
	}
	for _, change := range with {
		change(&opt)
	}
	p.Model = newModel(ctx, opt)
	t.Cleanup(func() {
		cancel()
		p.shutdown()
		p.commands.Wait() // some write below the directory, which is about to be removed
		if n := p.running.Load(); n != 0 {
			t.Errorf("%d agents are left", n)
		}
	})
	return p
}

// machine serves nothing.
type machine struct {
	session.Machine
	p *program
}

func (m machine) Close() { m.p.closed.Add(1) }

func (machine) EndTerminals() {}

// spawn starts an agent that does what a script says.
func (p *program) spawn(name, src string) (*acpclient.Peer, error) {
	s, err := peer.Parse(name, src)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	hears, says := io.Pipe()
	in, out := io.Pipe()
	done := make(chan struct{})
	p.running.Add(1)
	go func() {
		defer close(done)
		defer p.running.Add(-1) // before anybody is told
		s.Run(ctx, hears, out, io.Discard)
		_ = out.Close()
		_ = hears.Close()
	}()
	return &acpclient.Peer{
		In: in, Out: says, Done: done,
		Err:    func() error { return errors.New("the script has ended") },
		Stderr: func() string { return "" },
		Stop: func(context.Context) {
			cancel()
			_ = says.Close()
			_ = in.Close()
			<-done
		},
	}, nil
}

// run runs a command, and hands on what it brings.
func (p *program) run(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	p.commands.Go(func() {
		select {
		case p.msgs <- cmd():
		case <-p.ctx.Done():
		}
	})
}

// send gives the model a message.
func (p *program) send(msg tea.Msg) {
	p.last = 0 // a batch, which the model does not see, has not changed what it shows either
	if batch, ok := msg.(tea.BatchMsg); ok {
		for _, cmd := range batch {
			p.run(cmd)
		}
		return
	}
	if to, ok := msg.(tab.Msg); ok {
		p.last = to.To
	}
	cmd := p.Update(msg)
	p.run(cmd)
	if opening, unseen := p.program.Guard.Unseen(); unseen { // the screen takes each frame at once
		p.run(p.Update(seenMsg{opening}))
	}
}

// until lets the program run until something is so.
func (p *program) until(what string, so func() bool) {
	p.t.Helper()
	limit := time.After(time.Minute)
	for !so() {
		select {
		case msg := <-p.msgs:
			p.send(msg)
		case <-limit:
			p.t.Fatalf("still not so: %s; the screen is\n%s", what, p.screen())
		}
	}
}

// open adds a tab with an agent, shows it, and waits until it is ready.
func (p *program) open(agent string) *tab.Tab {
	p.t.Helper()
	t := p.add(p.cwd)
	p.start(t, agent)
	return t
}

// start starts an agent in a tab, shows it, and waits until it is ready.
func (p *program) start(t *tab.Tab, agent string) {
	p.t.Helper()
	p.show(t)
	p.run(t.Start(&config.Agent{ID: agent}))
	p.until(agent+" is ready", func() bool { return strings.Contains(p.screen(), "Type a prompt, /") })
}

// press presses keys: names, or text of one character.
func (p *program) press(keys ...string) {
	special := map[string]tea.Key{"enter": {Code: tea.KeyEnter}, "down": {Code: tea.KeyDown}, "up": {Code: tea.KeyUp}, "esc": {Code: tea.KeyEscape}, "pgdown": {Code: tea.KeyPgDown}, "pgup": {Code: tea.KeyPgUp}}
	for _, k := range keys {
		name, mod := k, tea.KeyMod(0)
		for prefix, m := range map[string]tea.KeyMod{"alt+": tea.ModAlt, "ctrl+": tea.ModCtrl} {
			if rest, ok := strings.CutPrefix(k, prefix); ok {
				name, mod = rest, m
			}
		}
		key, ok := special[name]
		switch {
		case !ok && mod != 0:
			key = tea.Key{Code: []rune(name)[0]}
		case !ok:
			key = tea.Key{Code: []rune(k)[0], Text: k}
		}
		key.Mod = mod
		p.send(tea.KeyPressMsg(key))
	}
}

// screen is what is on the screen.
func (p *program) screen() string { return text(p.draw()) }

// text is what a tab draws.
func text(s tab.Screen) string { return ansi.Strip(strings.Join(s.Lines, "\n")) }

// shows reports whether a tab would draw something, on the screen or not.
func shows(t *tab.Tab, what string) bool { return strings.Contains(text(t.Draw(80, 24)), what) }

func (p *program) mustShow(texts ...string) {
	p.t.Helper()
	for _, text := range texts {
		if s := p.screen(); !strings.Contains(s, text) {
			p.t.Errorf("the screen lacks %q:\n%s", text, s)
		}
	}
}

func (p *program) mustNotShow(text string) {
	p.t.Helper()
	if s := p.screen(); strings.Contains(s, text) {
		p.t.Errorf("the screen has %q:\n%s", text, s)
	}
}

// A stored session is opened in a tab of its own, once. A tab in which nothing would be
// lost makes room for it.
func TestAStoredSessionIsOpenedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProgram(t, map[string]string{"idle": idle, "works": works, "resumes": "handshake {\"sessionCapabilities\": {\"resume\": {}}}\n"})
		lib := store.NewLibrary(store.New(t.TempDir()))
		t.Cleanup(func() { _ = lib.Close() })
		l, err := lib.Create(store.Meta{Cwd: p.cwd})
		if err != nil {
			t.Fatal(err)
		}
		if err := l.Append([]conversation.Event{
			conversation.SessionOpened{ID: "old"},
			conversation.PromptSent{Prompt: []acpclient.ContentBlock{acpclient.TextBlock("what was asked")}},
		}); err != nil {
			t.Fatal(err)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		reopened := 0
		p.program.Stored = lib
		start := p.program.Make
		p.program.Make = func(ctx context.Context, o app.Spec) (*app.Opened, error) {
			if o.Stored == "" {
				return start(ctx, o)
			}
			reopened++
			kept, err := lib.Read(ctx, o.Stored)
			if err != nil {
				return nil, err
			}
			s, err := app.Here(session.Options{
				Cwd: p.cwd, ResumeID: "old", HasTranscript: true,
				Spawn: func(acpclient.Command) (*acpclient.Peer, error) {
					return p.spawn("resumes", "handshake {\"sessionCapabilities\": {\"resume\": {}}}\n")
				},
				Machine: func(session.Observer, session.Asker) (session.Machine, error) { return machine{p: p}, nil },
			})
			return &app.Opened{Transcript: kept, Agent: config.Agent{ID: "resumes"}, Session: s}, err
		}

		blank := p.front
		p.start(blank, "idle")
		p.send(tab.Open{{Stored: l.ID()}})
		opened := p.front
		if opened == blank || len(p.tabs) != 1 {
			t.Fatalf("there are %d tabs", len(p.tabs))
		}
		p.until("what was stored is shown", func() bool { return shows(opened, "❯ what was asked") })

		busy := p.open("works")
		p.press("g", "o", "enter")
		p.until("the other one works", func() bool { return shows(busy, "At it.") })
		p.send(tab.Open{{Stored: l.ID()}})
		if p.front != opened || len(p.tabs) != 2 || reopened != 1 {
			t.Errorf("%d tabs, read %d times", len(p.tabs), reopened)
		}
	})
}

// What the tabs behind have said, and the terminal does not have yet, stays on it when the
// program ends, with the name of its tab, and before that of the tab in front.
func TestWhatTabsBehindHaveSaidStays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProgram(t, map[string]string{"idle": idle, "works": works, "asks": asks})
		p.inline = true
		front := p.front
		p.start(front, "works")
		p.press("g", "o", "enter")
		p.until("it works", func() bool { return shows(front, "At it.") })
		p.open("idle")
		back := p.open("asks")
		p.press("g", "o", "enter")
		p.until("it asks", func() bool { return shows(back, "About to launch.") })
		p.show(front)
		p.Frame()

		stays := ansi.Strip(strings.Join(p.Stay(), "\n"))
		for from, words := 0, []string{"── tab 3: ", "About to launch.", "── tab 1: ", "At it."}; len(words) > 0; words = words[1:] {
			at := strings.Index(stays[from:], words[0])
			if at < 0 || strings.Count(stays, words[0]) != 1 {
				t.Fatalf("%q does not stay once, in its place:\n%s", words[0], stays)
			}
			from += at
		}
		if strings.Contains(stays, "tab 2") {
			t.Errorf("a tab is named that has said nothing:\n%s", stays)
		}
	})
}

// What is copied is as clean as what is drawn: pasted into a shell, it runs nothing.
func TestWhatIsCopiedIsClean(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProgram(t, map[string]string{"idle": idle})
		cmd := p.grant(tab.Copy{Text: "ls\x1b[201~\x03; rm\u202e -rf\r ~\u200b\x07"})
		if got, want := fmt.Sprint(cmd().(tea.RawMsg).Msg), ansi.SetSystemClipboard("ls; rm -rf\n ~"); got != want {
			t.Errorf("the clipboard gets %q, want %q", got, want)
		}
	})
}

func TestMain(m *testing.M) {
	test.HoldRegexpClock()
	m.Run()
}
