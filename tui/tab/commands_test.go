package tab

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"parley/acpclient"
	"parley/internal/app"
	"parley/internal/command"
	"parley/internal/conversation"
	"parley/internal/session"
	"parley/internal/test"
	"parley/tui/dialog"
	"parley/tui/toolview"
)

// notingMachine notes what it is asked for.
type notingMachine struct {
	noMachine
	fails error
	did   []string
}

func (m *notingMachine) note(format string, args ...any) {
	m.did = append(m.did, fmt.Sprintf(format, args...))
}

func (m *notingMachine) StartShell(_ context.Context, s session.ShellSpec) (acpclient.TerminalID, error) {
	m.note("run %q %dx%d", s.Line, s.Cols, s.Rows)
	return "own", m.fails
}

func (m *notingMachine) EndTerminal(id acpclient.TerminalID) error {
	m.note("end %s", id)
	return m.fails
}

func (m *notingMachine) TypeInto(_ acpclient.TerminalID, data []byte) error {
	m.note("type %q", data)
	return nil
}

func (m *notingMachine) ResizeTerminal(_ acpclient.TerminalID, cols, rows int) error {
	m.note("resize %dx%d", cols, rows)
	return nil
}

// take returns what was asked of the machine since the last time.
func (m *notingMachine) take() string {
	all := strings.Join(m.did, ", ")
	m.did = nil
	return all
}

// commandsBench are the commands of a tab in which the agent runs one.
func commandsBench(b *bench) (*commands, *notingMachine) {
	m := &notingMachine{}
	b.use(newSession(b.cwd, m))
	b.conv().Apply(conversation.TerminalCreated{ID: "term", Command: "deploy"})
	b.conv().Apply(conversation.TerminalOutput{ID: "term", Data: []byte("Go on? ")})
	b.width, b.height = 40, 10
	b.list().SetSize(40, 10)
	b.open().commands.Fit(40, 10)
	return &b.open().commands, m
}

func drawn(c *commands) string {
	return ansi.Strip(strings.Join(c.draw(40, 10).Lines, "\n"))
}

// While one is inside a command it has all keys, its terminal the size of the screen, and
// the screen shows what it prints, in a frame that says whose it is.
func TestInside(t *testing.T) {
	runBench(t, func(t *testing.T, b *bench) {
		c, p := commandsBench(b)
		b.Do(c.StepIntoRunning())
		if got := p.take(); !c.Attached() || got != "resize 38x6" {
			t.Fatalf("inside: %v, and the machine was asked to %s", c.Attached(), got)
		}
		for _, words := range []string{"AGENT'S COMMAND", "$ deploy", "Go on?", "keys go to this"} {
			if !strings.Contains(drawn(c), words) {
				t.Errorf("%q is not in\n%s", words, drawn(c))
			}
		}
		b.Do(taken(c.key(tea.KeyPressMsg{Code: 'y', Text: "y"}, "y")))
		b.Do(taken(c.paste("es")))
		b.conv().Apply(conversation.TerminalOutput{ID: "term", Data: []byte("yes\r\nGone.\x1b[6n")})
		b.Do(c.Follow())
		if got := p.take(); got != `type "y", type "es", type "\x1b[2;6R"` {
			t.Errorf("the machine was asked to %s", got)
		}
		if !strings.Contains(drawn(c), "Gone.") {
			t.Errorf("it shows\n%s", drawn(c))
		}
		c.Fit(60, 20)
		b.Do(taken(c.key(tea.KeyPressMsg{Code: ']', Mod: tea.ModCtrl}, "ctrl+]")))
		if got := p.take(); c.Attached() || got != "resize 58x16, resize 0x0" {
			t.Errorf("inside: %v, and the machine was asked to %s", c.Attached(), got)
		}
	})
}

// A command that has ended takes no key: enter leads back.
func TestACommandThatHasEnded(t *testing.T) {
	runBench(t, func(t *testing.T, b *bench) {
		c, p := commandsBench(b)
		b.Do(c.StepIntoRunning())
		b.conv().Apply(conversation.TerminalExited{ID: "term"})
		b.Do(c.Ended("term"))
		p.take()
		b.Do(taken(c.key(tea.KeyPressMsg{Code: 'x', Text: "x"}, "x")))
		b.Do(taken(c.paste("x")))
		if !c.Attached() || p.take() != "" || !strings.Contains(drawn(c), "ENDED") {
			t.Errorf("inside: %v\n%s", c.Attached(), drawn(c))
		}
		if b.Do(taken(c.key(tea.KeyPressMsg{Code: tea.KeyEnter}, "enter"))); c.Attached() {
			t.Error("enter does not lead back")
		}
		b.Do(c.StepIn(b.conv().Terminals["term"]))
		b.MustSay("the command has ended")
	})
}

// A command of the user's runs beside the prompt; their shell is stepped into as soon as
// it is known.
func TestRun(t *testing.T) {
	runBench(t, func(t *testing.T, b *bench) {
		c, p := commandsBench(b)
		b.Do(c.Run("make"))
		if got := p.take(); c.Attached() || !strings.HasPrefix(got, fmt.Sprintf(`run "make" %dx`, b.list().TerminalWidth())) {
			t.Errorf("inside: %v, and the machine was asked to %s", c.Attached(), got)
		}
		b.Do(c.Run(""))
		if c.Attached() {
			t.Error("it steps into a shell that nobody knows yet")
		}
		b.conv().Apply(conversation.ShellStarted{ID: "own", Command: "sh", Lasts: true})
		if b.Do(c.Follow()); !c.Attached() || !strings.Contains(drawn(c), "YOUR SHELL") {
			t.Errorf("inside: %v", c.Attached())
		}
		b.conv().Apply(conversation.TerminalExited{ID: "own"})
		b.Do(c.Ended("own"))
		if b.MustSay("your shell has ended"); c.Attached() {
			t.Error("the shell has ended, and has the keys")
		}
		p.fails = errors.New("there is no shell")
		b.Do(c.Run("make"))
		b.MustSay("there is no shell")
	})
	b, _ := pending(t)
	b.press("!", "m", "enter")
	b.mustShow(t, "start an agent first")
}

// The agent's command is ended only if the user is sure, their own at once. What their
// own has printed can go with the prompt.
func TestEndAndAdd(t *testing.T) {
	runBench(t, func(t *testing.T, b *bench) {
		c, p := commandsBench(b)
		term := b.conv().Terminals["term"]
		b.Do(b.front(func(f command.Front) { command.StopCommand(f, term) }))
		b.Choose("Keep it running")
		if got := p.take(); got != "" {
			t.Errorf("the machine was asked to %s", got)
		}
		b.Do(b.front(func(f command.Front) { command.StopCommand(f, term) }))
		b.Choose("Stop it")
		if got := p.take(); got != "end term" {
			t.Errorf("the machine was asked to %s", got)
		}
		b.Do(c.AddOutput(term))
		b.MustSay("no output to add")

		b.conv().Apply(conversation.ShellStarted{ID: "own", Command: "ls"})
		b.conv().Apply(conversation.TerminalOutput{ID: "own", Data: []byte("a\r\nb\r\n")})
		own := b.conv().Terminals["own"]
		b.Do(b.front(func(f command.Front) { command.StopCommand(f, own) }))
		if got := p.take(); got != "end own" {
			t.Errorf("the machine was asked to %s", got)
		}
		b.Do(c.AddOutput(own))
		if a := toolview.OutputAttachment(own); b.composer.Empty() || !strings.Contains(a.Label, "output of $ ls: 2 lines") || !strings.Contains(a.Text, "a\nb") {
			t.Errorf("attached is %+v, and the prompt has %q", a, b.composer.Text())
		}
	})
}

// taken is the command of input that was taken.
func taken(cmd tea.Cmd, _ bool) tea.Cmd { return cmd }

// typist is a machine that writes down what is typed into its terminals.
type typist struct {
	noMachine
	typed strings.Builder
	size  string
}

func (m *typist) TypeInto(_ acpclient.TerminalID, data []byte) error {
	m.typed.Write(data)
	return nil
}

func (m *typist) ResizeTerminal(_ acpclient.TerminalID, cols, rows int) error {
	m.size = fmt.Sprintf("%dx%d", cols, rows)
	return nil
}

// insideBench is a tab in which the agent runs a command, into which the user has
// stepped.
func insideBench(t *testing.T) (*bench, *typist) {
	t.Helper()
	b, m := newBench(t, t.TempDir()), &typist{}
	s, err := app.Here(session.Options{
		Cwd:     b.cwd,
		Spawn:   func(acpclient.Command) (*acpclient.Peer, error) { return nil, errors.New("no agent in this test") },
		Machine: func(session.Observer, session.Asker) (session.Machine, error) { return m, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	b.adopt((&app.Opened{Session: s}).Live())
	b.draw()
	b.events(
		conversation.SessionOpened{ID: "s"}, test.Sent("go"),
		conversation.TerminalCreated{ID: "term", Command: "deploy"},
		conversation.TerminalOutput{ID: "term", Data: []byte("Go on? \x1b[6n")},
	)
	b.Update(tea.KeyPressMsg{Code: tea.KeyF7})
	b.mustShow(t, "AGENT'S COMMAND")
	return b, m
}

// All keys are the command's, also while the agent asks, and those that come right
// after stepping out do not answer.
func TestKeysAreTheCommands(t *testing.T) {
	b, m := insideBench(t)
	b.events(test.Permission(1, `{"toolCallId":"t","title":"Remove all"}`))
	b.clock = b.clock.Add(time.Minute)
	b.mustShow(t, "a question waits for you: ctrl+] steps out to it")
	b.mustNotShow(t, "Remove all")
	b.press("y", "1", "enter", "esc", "tab", "?")
	b.Update(tea.KeyPressMsg{Code: 'c', Mod: tea.ModCtrl})
	b.Update(tea.PasteMsg{Content: "a\nb"})
	if want := "y1\r\x1b\t?\x03a\rb"; m.typed.String() != want {
		t.Errorf("the command got %q, want %q", m.typed.String(), want)
	}
	b.Update(tea.KeyPressMsg{Code: ']', Mod: tea.ModCtrl})
	b.mustShow(t, "Remove all")
	if _, asks := b.dialogs.Top().(dialog.Guarded); !asks || b.ArmsIn() < dialog.LookTime {
		t.Errorf("the question takes keys in %v", b.ArmsIn())
	}
	b.press("y")
	b.mustShow(t, "❯ y") // it is the prompt's
	if len(test.Permissions(b.conv())) != 1 || b.open().commands.Attached() {
		t.Error("the question was answered, or the command has the keys still")
	}
}

func TestTerminalHasTheSizeOfItsFrame(t *testing.T) {
	b, m := insideBench(t)
	if m.size != "78x20" {
		t.Errorf("on 80x24 the terminal has %s", m.size)
	}
	b.columns, b.rows = 100, 40
	b.Update(tea.WindowSizeMsg{Width: 100, Height: 40})
	if m.size != "98x36" {
		t.Errorf("on 100x40 the terminal has %s", m.size)
	}
	b.Update(tea.KeyPressMsg{Code: ']', Mod: tea.ModCtrl})
	if m.size != "0x0" { // its own size
		t.Errorf("after stepping out the terminal has %s", m.size)
	}
	for _, size := range [][2]int{{1, 1}, {5, 3}, {30, 4}} {
		b.Update(tea.KeyPressMsg{Code: tea.KeyF7})
		b.columns, b.rows = size[0], size[1]
		b.Update(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
		if s := b.draw(); len(s.Lines) != size[1] {
			t.Errorf("on %v there are %d lines", size, len(s.Lines))
		}
	}
}

// What a command asks of its terminal is answered while somebody is inside, and not
// for what was printed before.
func TestQueriesOfTheCommandAreAnswered(t *testing.T) {
	b, m := insideBench(t)
	if m.typed.Len() > 0 {
		t.Fatalf("an old query was answered: %q", m.typed.String())
	}
	b.events(conversation.TerminalOutput{ID: "term", Data: []byte("\r\nagain \x1b[6n")})
	if m.typed.String() != "\x1b[2;7R" {
		t.Errorf("the answer is %q", m.typed.String())
	}
	if c := b.draw().Cursor; c == nil || c.X != 7 || c.Y != 2 {
		t.Errorf("the cursor is at %+v", c)
	}
}

func TestCommandThatEndsKeepsItsScreen(t *testing.T) {
	b, m := insideBench(t)
	code := 3
	b.events(conversation.TerminalExited{ID: "term", Status: acpclient.TerminalExitStatus{ExitCode: &code}})
	b.mustShow(t, "ENDED", "Go on?", "exit code 3")
	b.press("x", "y")
	if m.typed.Len() > 0 {
		t.Errorf("%q was typed into what has ended", m.typed.String())
	}
	b.press("enter")
	b.mustNotShow(t, "ENDED")
	b.mustShow(t, "Type a prompt")
}

func TestScrollsBackWithinACommand(t *testing.T) {
	b, _ := insideBench(t)
	b.events(conversation.TerminalOutput{ID: "term", Data: []byte(strings.Repeat("\r\nfiller", 40) + "\r\nlast")})
	b.mustNotShow(t, "Go on?")
	for range 5 {
		b.Update(tea.KeyPressMsg{Code: tea.KeyPgUp, Mod: tea.ModShift})
	}
	b.mustShow(t, "Go on?", "lines back")
	b.events(conversation.TerminalOutput{ID: "term", Data: []byte("\r\nmore\r\nand more")})
	b.mustShow(t, "Go on?") // what is read stays
	b.press("y")
	b.mustShow(t, "and more")
}

func TestCommandsOfTheAgentsOwnCannotBeEntered(t *testing.T) {
	b := newBench(t, t.TempDir())
	b.events(test.Sent("go"), test.Up(t, `{"sessionUpdate":"tool_call","toolCallId":"t","title":"Build","kind":"execute","_meta":{"terminal_info":{"terminal_id":"x"},"terminal_output":{"terminal_id":"x","data":"out"}}}`))
	b.press("tab", "t")
	if b.open().commands.Attached() {
		t.Error("the person is inside a command that nobody can type into")
	}
	b.mustShow(t, "this item has no command")
}

// A command of the user's own that reads a password gets what is typed next, so that it does
// not go to the agent; the agent's commands do not take the keys by themselves.
func TestPasswordsGoToTheCommand(t *testing.T) {
	runBench(t, func(t *testing.T, b *bench) {
		c, m := commandsBench(b)
		b.events(conversation.TerminalHidden{ID: "term", Hidden: true})
		if c.Attached() {
			t.Fatal("a command of the agent's takes the keys")
		}
		b.events(conversation.ShellStarted{ID: "own", Command: "sudo make install"}, conversation.TerminalHidden{ID: "own", Hidden: true})
		b.mustShow(t, "YOUR COMMAND", "what you type is hidden", "step out")
		b.press("s") // after the first draw its size follows
		m.take()
		b.press("3", "enter")
		if got := m.take(); got != `type "3", type "\r"` || b.composer.Text() != "" {
			t.Errorf("%s; the prompt has %q", got, b.composer.Text())
		}
		b.events(conversation.TerminalHidden{ID: "own", Hidden: false})
		b.mustShow(t, "keys go to this command")
		b.events(conversation.TerminalHidden{ID: "own", Hidden: true})
		b.press("ctrl+]") // the user's word counts
		if c.Attached() {
			t.Error("the user has stepped out, and is inside")
		}
		b.events(conversation.TerminalOutput{ID: "own", Data: []byte("?")})
		b.mustNotShow(t, "YOUR COMMAND")
	})
}

// In the middle of a prompt, the keys go to the command after a pause only.
func TestPasswordWaitsForTheEndOfTyping(t *testing.T) {
	runBench(t, func(t *testing.T, b *bench) {
		c, m := commandsBench(b)
		b.press("f", "i")
		m.take()
		b.start(b.batch(
			conversation.ShellStarted{ID: "own", Command: "sudo true"}, conversation.TerminalHidden{ID: "own", Hidden: true},
		))
		if b.press("x"); c.Attached() || b.composer.Text() != "fix" {
			t.Errorf("inside %v, with %q in the prompt", c.Attached(), b.composer.Text())
		}
		time.Sleep(2 * dialog.QuietTime)
		b.Do(nil)
		if !c.Attached() || strings.Contains(m.take(), "type") {
			t.Error("after a pause it does not step in")
		}
	})
}

// A tab that closes leaves the command that the user has stepped into: what ends it touches nothing
// that other tabs have.
func TestATabClosesInsideACommand(t *testing.T) {
	runBench(t, func(t *testing.T, b *bench) {
		c, _ := commandsBench(b)
		b.Do(c.StepIntoRunning())
		end, ended := b.Close(), make(chan struct{})
		if c.Attached() {
			t.Error("it is still inside")
		}
		go func() {
			defer close(ended)
			end(t.Context())
		}()
		b.program.Guard.Typed()
		<-ended
	})
}
