package tab

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"parley/acpclient"
	"parley/config"
	"parley/internal/app"
	"parley/internal/conversation"
	"parley/internal/session"
	"parley/internal/test"
	"parley/tui/composer"
	"parley/tui/dialog"
	"parley/tui/theme"
	"parley/tui/transcript"
)

// bench is a tab on the screen, without a terminal, and a user before it. What an
// agent would do is told to it as events, unless a script plays an agent.
type bench struct {
	*Tab
	clock         time.Time // of the tab, outside of runBench
	columns, rows int

	// In runBench:
	t      *testing.T
	came   chan tea.Msg
	wishes []Request
	wire   *wire
}

// newBench is a tab whose agent is ready, on a clock that the test sets.
func newBench(t interface{ Setenv(string, string) }, dir string) *bench {
	t.Setenv("HOME", dir)
	t.Setenv("XDG_STATE_HOME", dir)
	b := &bench{clock: time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC), columns: 80, rows: 24}
	b.make(context.Background(), dir, func() time.Time { return b.clock })
	b.adopt((&app.Opened{Session: newSession(dir, noMachine{})}).Live())
	b.Show()
	b.opens()
	return b
}

// make makes the tab, which has no session yet.
func (b *bench) make(ctx context.Context, dir string, now func() time.Time) {
	history := composer.NewHistory(composer.HistoryFile(), dir)
	b.Tab = New(1, Program{
		Context: ctx, Theme: theme.New(true), Keys: config.Default(Actions()).Keys, Guard: dialog.NewGuard(now),
		History: history, Version: "test", Now: now, Tabs: singleTab{},
		Backend: app.Backend{Launcher: &app.Launcher{Config: config.Default(nil)}, Available: func() ([]config.Agent, error) { return nil, nil }},
	}, dir)
}

// singleTab is the row of a tab on its own.
type singleTab struct{}

func (singleTab) Step(int)                      {}
func (singleTab) Go(n int) bool                 { return n == 0 }
func (singleTab) Open(app.Spec) (*Tab, tea.Cmd) { return nil, nil }
func (singleTab) Alone() bool                   { return true }
func (singleTab) All() []*Tab                   { return nil }
func (singleTab) Show(*Tab)                     {}
func (singleTab) CloseTab(*Tab) tea.Cmd         { return nil }

// open is the tab's state, in which it has a session.
func (b *bench) open() *live { return b.state.(*live) }

// conv, list and reader are those of the transcript.
func (b *bench) list() *transcript.List { return b.reader.list }

// has gives the tab a session that is only there.
func (b *bench) has(s app.Session) {
	b.opening = nil
	newLive(b.Tab, (&app.Opened{Session: s}).Live())
}

// opens tells that the agent is ready and has opened the session.
func (b *bench) opens() {
	b.events(
		conversation.AgentReady{Info: &acpclient.InitializeResponse{AgentInfo: &acpclient.Implementation{Name: "agent", Version: "1"}}},
		conversation.SessionOpened{ID: "s", Cwd: b.cwd, State: acpclient.SessionState{Modes: &acpclient.SessionModeState{
			CurrentModeID: "ask", AvailableModes: []acpclient.SessionMode{{ID: "ask", Name: "Asking"}, {ID: "code", Name: "Coding"}},
		}}},
	)
}

// newSession makes a session whose agent cannot be started.
func newSession(dir string, m session.Machine, with ...func(*session.Options)) app.Session {
	opt := session.Options{
		Cwd:     dir,
		Spawn:   func(acpclient.Command) (*acpclient.Peer, error) { return nil, errors.New("no agent in this test") },
		Machine: func(session.Observer, session.Asker) (session.Machine, error) { return m, nil },
	}
	for _, w := range with {
		w(&opt)
	}
	s, err := app.Here(opt)
	if err != nil {
		panic(err)
	}
	return s
}

type noMachine struct{ session.Machine }

func (noMachine) Close()        {}
func (noMachine) EndTerminals() {}

// runBench runs a test with a tab without a session, in time that passes only when
// everything waits.
func runBench(t *testing.T, test func(t *testing.T, b *bench)) {
	dir := t.TempDir()
	t.Setenv("XDG_STATE_HOME", dir)
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		b := &bench{t: t, came: make(chan tea.Msg, 100), columns: 100, rows: 40, wire: &wire{}}
		b.make(ctx, dir, time.Now)
		b.Show()
		defer func() {
			b.Close()(ctx)
			cancel()
			time.Sleep(time.Minute) // what is said for a moment is over before the test is
		}()
		test(t, b)
	})
}

// use gives the tab a session.
func (b *bench) use(s app.Session) app.Session {
	b.adopt((&app.Opened{Session: s}).Live())
	b.Do(b.open().next)
	return s
}

// ready gives the tab a session that is open, without an agent.
func (b *bench) ready() app.Session {
	s := b.use(newSession(b.cwd, noMachine{}))
	b.opens()
	return s
}

// play gives the tab a session with an agent that does what a script says.
func (b *bench) play(script string, with ...func(*session.Options)) app.Session {
	s := b.use(newSession(b.cwd, noMachine{}, append(with, func(o *session.Options) {
		o.Spawn = func(acpclient.Command) (*acpclient.Peer, error) { return test.Play(script), nil }
		o.Taps = []session.Tap{b.wire}
	})...))
	session.Post(s, session.Start{})
	b.Do(nil)
	return s
}

// wire remembers which messages the agent got.
type wire struct {
	mu   sync.Mutex
	sent []string
}

func (*wire) Stderr([]byte)                   {}
func (*wire) Take([]conversation.Event) error { return nil }

func (w *wire) Line(sent bool, line []byte) {
	var m struct{ Method string }
	if !sent || json.Unmarshal(line, &m) != nil || m.Method == "" {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sent = append(w.sent, m.Method)
}

// got are the methods that the agent was called with, since the last time.
func (w *wire) got() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := strings.Join(w.sent, ", ")
	w.sent = nil
	return all
}

// queued are the prompts that wait in the session.
func (b *bench) queued() string {
	var all []string
	for _, q := range b.conv().Queue {
		all = append(all, q.Prompt[0].Text)
	}
	return strings.Join(all, ", ")
}

// batch folds events as those of the session.
func (b *bench) batch(events ...conversation.Event) tea.Cmd {
	return b.Update(then(func() tea.Cmd { return b.open().fold(events) }))
}

func (b *bench) events(events ...conversation.Event) {
	cmd := b.batch(events...)
	if b.came != nil {
		b.Do(cmd)
	}
}

func (b *bench) press(keys ...string) {
	for _, k := range keys {
		b.Update(keyPress(k))
	}
}

// keyPress makes the message of a key.
func keyPress(name string) tea.KeyPressMsg {
	special := map[string]tea.Key{
		"enter": {Code: tea.KeyEnter}, "esc": {Code: tea.KeyEscape}, "tab": {Code: tea.KeyTab}, "space": {Code: ' ', Text: " "},
		"up": {Code: tea.KeyUp}, "down": {Code: tea.KeyDown}, "pgup": {Code: tea.KeyPgUp}, "home": {Code: tea.KeyHome}, "end": {Code: tea.KeyEnd},
		"shift+tab": {Code: tea.KeyTab, Mod: tea.ModShift}, "f1": {Code: tea.KeyF1}, "f2": {Code: tea.KeyF2}, "f9": {Code: tea.KeyF9},
		"backspace": {Code: tea.KeyBackspace},
	}
	if k, ok := special[name]; ok {
		return tea.KeyPressMsg(k)
	}
	if c, ok := strings.CutPrefix(name, "ctrl+"); ok {
		return tea.KeyPressMsg{Code: rune(c[0]), Mod: tea.ModCtrl}
	}
	if c, ok := strings.CutPrefix(name, "alt+"); ok {
		return tea.KeyPressMsg{Code: rune(c[0]), Mod: tea.ModAlt}
	}
	return tea.KeyPressMsg{Code: []rune(name)[0], Text: name}
}

func (b *bench) draw() Screen { return b.Draw(b.columns, b.rows) }

func (b *bench) screen() string {
	lines := b.draw().Lines
	for i := range lines {
		lines[i] = strings.TrimRight(ansi.Strip(lines[i]), " ")
	}
	return strings.Join(lines, "\n")
}

func (b *bench) mustShow(t *testing.T, texts ...string) {
	t.Helper()
	s := b.screen()
	for _, text := range texts {
		if !strings.Contains(s, text) {
			t.Errorf("the screen lacks %q:\n%s", text, s)
		}
	}
}

func (b *bench) mustNotShow(t *testing.T, text string) {
	t.Helper()
	if s := b.screen(); strings.Contains(s, text) {
		t.Errorf("the screen has %q:\n%s", text, s)
	}
}

// Do carries out a command and all that follows from it at once. What only time brings,
// such as the end of what is said for a moment, does not come.
func (b *bench) Do(cmd tea.Cmd) {
	b.t.Helper()
	b.start(cmd)
	for {
		synctest.Wait()
		select {
		case msg := <-b.came:
			b.take(msg)
		default:
			return
		}
	}
}

func (b *bench) start(cmd tea.Cmd) {
	if cmd != nil {
		go func() { b.came <- cmd() }()
	}
}

func (b *bench) take(msg tea.Msg) {
	if m, ok := msg.(Msg); ok {
		msg = m.Msg
	}
	switch msg := msg.(type) {
	case nil:
	case tea.BatchMsg:
		for _, cmd := range msg {
			b.start(cmd)
		}
	case Request:
		b.wishes = append(b.wishes, msg)
	default:
		b.start(b.Update(msg))
	}
}

// Choose chooses what begins with these words in the dialog on top.
func (b *bench) Choose(words string) {
	b.t.Helper()
	for range 50 {
		at := slices.IndexFunc(b.lines(), func(l string) bool {
			return strings.Contains(l, "❯ ") && strings.Contains(l, words)
		})
		if at >= 0 {
			b.Press("enter")
			return
		}
		b.Press("down")
	}
	b.t.Fatalf("%q cannot be chosen in\n%s", words, b.Screen())
}

// Press presses keys in the dialog on top.
func (b *bench) Press(keys ...string) {
	b.t.Helper()
	for _, name := range keys {
		if b.dialogs.Empty() {
			b.t.Fatalf("there is no dialog for %s", name)
		}
		time.Sleep(time.Second) // a user looks first; a question that has just come up takes no key
		b.Do(b.Update(keyPress(name)))
	}
}

// lines are those of the dialog on top.
func (b *bench) lines() []string {
	if b.dialogs.Empty() {
		return nil
	}
	return strings.Split(ansi.Strip(strings.Join(b.dialogs.Top().View(100, 40).Lines, "\n")), "\n")
}

// Screen is the dialog on top, as it is read.
func (b *bench) Screen() string { return strings.Join(b.lines(), "\n") }

// MustSay wants these words to be said, or to stand in the dialog on top.
func (b *bench) MustSay(words string) {
	b.t.Helper()
	if !strings.Contains(b.toast.text, words) && !strings.Contains(b.Screen(), words) {
		b.t.Errorf("it does not say %q but %q, and\n%s", words, b.toast.text, b.Screen())
	}
}
