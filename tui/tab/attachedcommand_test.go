package tab

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/config"
	"parley/internal/conversation"
	"parley/internal/session"
	"parley/internal/test"
	"parley/tui/dialog"
)

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

// insideBench is a tab in which the agent runs a command, into which the person has
// stepped.
func insideBench(t *testing.T) (*bench, *typist) {
	t.Helper()
	b, m := newBench(t, t.TempDir()), &typist{}
	s, err := session.NewSession(session.Options{
		Cwd:     b.cwd,
		Spawn:   func(acpclient.Command) (*session.Peer, error) { return nil, errors.New("no agent in this test") },
		Machine: func(session.Observer, session.Asker) (session.Machine, error) { return m, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	b.starter.adopt(config.Agent{}, s)
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
	if len(b.conv.Permissions) != 1 || b.commands.Attached() {
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
	if b.commands.Attached() {
		t.Error("the person is inside a command that nobody can type into")
	}
	b.mustShow(t, "this item has no command")
}
