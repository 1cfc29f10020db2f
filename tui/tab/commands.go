package tab

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"parley/acpclient"
	"parley/config"
	"parley/internal/app"
	"parley/internal/command"
	"parley/internal/conversation"
	"parley/internal/session"
	"parley/internal/termtext"
	emulator "parley/terminal/screen"
	"parley/tui/composer"
	"parley/tui/dialog"
	"parley/tui/screen"
	"parley/tui/toolview"
	"parley/tui/transcript"
)

// commands runs, ends and attaches to commands of the session, the user's and the
// agent's, and adds their output to the prompt.
type commands struct {
	*ui
	*app.Live
	reader      *reader
	composer    *composer.Composer
	typeLetters func() tea.Cmd
	status      func(width int) string // draws the status line

	attached      *attachedCommand     // the command with the keys, or nil
	pendingShell  acpclient.TerminalID // the shell to step into once its terminal exists, or ""
	hiding        acpclient.TerminalID // the command to step into because it reads a password, or ""
	width, height int                  // of the screen
}

// Run runs a line typed after "!". An empty line steps into the persistent shell.
func (c *commands) Run(line string) tea.Cmd {
	ctx, machine := c.program.Context, c.Session
	c.reader.list.Bottom()
	if line == "" {
		if shell := c.Conversation.Shell(); shell != nil {
			return c.StepIn(shell)
		}
	}
	spec := session.ShellSpec{Line: line, Cols: c.reader.list.TerminalWidth(), Rows: transcript.TerminalRows}
	if line == "" {
		spec.Cols, spec.Rows = attachedSize(c.width, c.height)
	}
	return inBackground(func() then {
		id, err := session.Do(ctx, machine, session.StartShell{Spec: spec})
		return func() tea.Cmd {
			if err != nil {
				return c.notRun(line, err)
			}
			if line == "" {
				c.pendingShell = id
			}
			return c.enter()
		}
	})
}

// notRun says which command did not run, and why. One whose session has ended is the draft again,
// if there is no other.
func (c *commands) notRun(line string, err error) tea.Cmd {
	if line == "" {
		return c.say(err.Error())
	}
	said := c.say("not run: " + termtext.Line(line) + ": " + err.Error())
	if c.HostGone() && c.composer.Empty() {
		return tea.Batch(said, c.composer.Load("!"+line))
	}
	return said
}

// enter steps into the pending shell once its terminal exists.
func (c *commands) enter() tea.Cmd {
	conv := c.Conversation
	if c.pendingShell == "" || conv.Terminals[c.pendingShell] == nil {
		return nil
	}
	term := conv.Terminals[c.pendingShell]
	c.pendingShell = ""
	if c.attached != nil || !c.dialogs.Empty() && !c.dialogs.Asks() {
		return nil // the user has opened something else
	}
	return c.StepIn(term)
}

// Hidden steps into a command of the user's own that begins to read a line unseen: what
// the user types next is a password, and not for the agent.
func (c *commands) Hidden(id acpclient.TerminalID, hidden bool) tea.Cmd {
	if c.hiding = ""; hidden {
		c.hiding = id
	}
	return c.enterHidden()
}

// enterHidden steps into the command that reads a password. In the middle of a prompt or a
// list it waits for a pause, in another command until the user leaves that.
func (c *commands) enterHidden() tea.Cmd {
	term := c.Conversation.Terminals[c.hiding]
	switch {
	case term == nil || term.Exit != nil || !term.Personal || c.attached != nil && c.attached.term == term:
		c.hiding = ""
		return nil
	case c.attached != nil:
		return nil
	case (!c.composer.Empty() || !c.dialogs.Empty()) && c.program.Guard.Typing():
		return tea.Tick(dialog.QuietTime, func(time.Time) tea.Msg { return then(c.enterHidden) })
	}
	c.hiding = ""
	return tea.Batch(c.StepIn(term), c.say(toolview.ShortCommand(term)+" reads what you type without showing it"))
}

// Ended reports how the user's command has ended, and steps out of the persistent shell.
func (c *commands) Ended(id acpclient.TerminalID) tea.Cmd {
	term := c.Conversation.Terminals[id]
	in := c.attached != nil && c.attached.term == term
	switch {
	case term == nil || !term.Personal:
		return nil
	case in && term.Lasts:
		c.stepOut("")
		return c.say("your shell has ended")
	case in:
		return nil // the frame says it
	}
	words := toolview.ShortCommand(term) + ": " + toolview.Ended(term.Exit)
	if c.Conversation.LastCommand() == term {
		words += "  " + c.keyOf(command.AddOutput) + " adds its output to the prompt"
	}
	return c.say(words)
}

// StepIntoRunning steps into the running command, or lists several to choose from.
func (c *commands) StepIntoRunning() tea.Cmd {
	conv := c.Conversation
	running := conv.Running()
	switch len(running) {
	case 0:
		words := "no command is running: type ! and a command, or ! alone for your shell"
		return c.sayWhile(words, func() bool { return len(conv.Running()) == 0 })
	case 1:
		return c.StepIn(running[0])
	}
	var items []command.Item
	for _, term := range slices.Backward(running) {
		whose := "run by the agent"
		if term.Personal {
			whose = "yours"
		}
		items = append(items, command.Item{
			ID: string(term.ID), Title: term.Command, Detail: whose,
			Do: func() { c.acting.add(c.StepIn(term)) },
		})
	}
	c.choose(command.Choice{Title: "Step into a command", Items: items})
	return nil
}

// AddOutput adds the output of a personal command to the prompt, or removes it.
func (c *commands) AddOutput(term *conversation.Terminal) tea.Cmd {
	if term == nil || !term.Personal {
		return c.say("no output to add: type ! and a command first")
	}
	added := c.composer.Attach(toolview.OutputAttachment(term))
	c.reader.Blur()
	if !added {
		return c.say("the output is no longer in the prompt")
	}
	return nil
}

const (
	// attachedScrollback is how many lines one can scroll back.
	attachedScrollback = 2000
	// maxReplay bounds the output fed at once, in bytes; earlier output is skipped.
	maxReplay = 512 << 10
	// altScroll is how many arrow keys a wheel step sends on the alternate screen.
	altScroll = 3
)

// attachedCommand is the command that the user has stepped into. It has the whole screen
// and all keys except those that step out or scroll. No dialog is visible or takes keys.
type attachedCommand struct {
	term *conversation.Terminal
	emu  *emulator.Screen
	fed  int64 // output bytes fed to the emulator
	// cols and rows are the emulator's size, sentSize the last size sent to the terminal.
	cols, rows int
	sentSize   [2]int
	back       int // lines scrolled back
}

// StepIn gives the keys to a running command.
func (c *commands) StepIn(term *conversation.Terminal) tea.Cmd {
	switch {
	case term == nil:
		return c.say("this item has no command")
	case term.Own:
		return c.say("the agent runs this command itself: you cannot type into it")
	case term.Exit != nil:
		return c.say("the command has ended")
	}
	c.attached = &attachedCommand{term: term}
	c.Fit(c.width, c.height)
	c.dialogs.Release()
	return c.typeLetters()
}

// stepOut returns the keys to the layer that had them. A key meant for the command must
// not affect a question that has appeared since.
func (c *commands) stepOut(name string) {
	if in := c.attached; in.term.Exit == nil {
		cols, rows := 0, 0 // the initial size of the agent's commands
		if in.term.Personal {
			cols, rows = c.reader.list.TerminalWidth(), transcript.TerminalRows
		}
		session.Post(c.Session, session.ResizeTerminal{ID: in.term.ID, Cols: cols, Rows: rows})
	}
	c.attached = nil
	c.program.Guard.Typed()
	c.program.Guard.Ended(name)
	c.dialogs.Regain()
}

// attachedSize returns the size of a command's terminal on a screen: the room inside the
// frame, above status and hints.
func attachedSize(width, height int) (cols, rows int) {
	return max(1, width-2), max(1, height-4)
}

// Attached reports whether the user has stepped into a command, which then gets all
// keys.
func (c *commands) Attached() bool { return c.attached != nil }

func (c *commands) covers() bool { return c.attached != nil && c.attached.emu != nil }

// Fit resizes the command's terminal to the screen.
func (c *commands) Fit(width, height int) {
	c.width, c.height = width, height
	in := c.attached
	if in == nil || width == 0 {
		return
	}
	if cols, rows := attachedSize(width, height); in.emu == nil || cols != in.cols || rows != in.rows {
		in.cols, in.rows = cols, rows
		in.replay()
	}
	if size := [2]int{in.cols, in.rows}; size != in.sentSize && in.term.Exit == nil {
		in.sentSize = size
		session.Post(c.Session, session.ResizeTerminal{ID: in.term.ID, Cols: in.cols, Rows: in.rows})
	}
}

// replay feeds the output to a new emulator. Queries in the output are not answered again.
func (in *attachedCommand) replay() {
	in.emu, in.back = emulator.New(in.cols, in.rows, attachedScrollback), 0
	data, _ := in.term.Since(max(0, in.term.Total()-maxReplay))
	if in.term.Total() > maxReplay {
		_, data, _ = bytes.Cut(data, []byte("\n"))
	}
	_, _ = in.emu.Write(data)
	in.fed = in.term.Total()
}

// Follow updates after events: it steps into a requested shell and feeds new output.
func (c *commands) Follow() tea.Cmd {
	c.feed()
	return c.enter()
}

// feed feeds new output to the emulator and sends its replies to the command.
func (c *commands) feed() {
	in := c.attached
	switch {
	case in == nil:
		return
	case c.Conversation.Terminals[in.term.ID] != in.term: // another session was opened
		c.stepOut("")
		return
	case in.emu == nil || in.fed == in.term.Total():
		return
	}
	if in.term.Total()-in.fed > maxReplay {
		in.replay()
		return
	}
	var replies []byte
	in.emu.SetReply(func(p []byte) {
		if len(replies) < maxReplay { // bounds a flood of queries
			replies = append(replies, p...)
		}
	})
	above := in.emu.Above()
	data, _ := in.term.Since(in.fed)
	_, _ = in.emu.Write(data)
	in.emu.SetReply(nil)
	in.fed = in.term.Total()
	if in.back > 0 { // keep the lines being read in place
		in.back = min(in.back+in.emu.Above()-above, in.emu.Above())
	}
	if len(replies) > 0 && in.term.Exit == nil {
		session.Post(c.Session, session.TypeInto{ID: in.term.ID, Data: replies})
	}
}

// terminalRows are the commands while the user is inside a command. Their functions get the
// key.
func terminalRows() command.Rows[func(*commands, string) tea.Cmd] {
	half := func(back int) func(*commands, string) tea.Cmd {
		return func(c *commands, _ string) tea.Cmd { c.attached.scroll(back * c.attached.rows / 2); return nil }
	}
	return command.Rows[func(*commands, string) tea.Cmd]{
		{ID: command.StepOut, Keys: "ctrl+]", Help: "Step out of the command", Do: (*commands).leave},
		{ID: command.TerminalUp, Keys: "shift+pgup", Help: "Scroll back", Do: half(1)},
		{ID: command.TerminalDown, Keys: "shift+pgdown", Help: "Scroll forward", Do: half(-1)},
	}
}

// leave steps out, and into a command that waits for a password.
func (c *commands) leave(name string) tea.Cmd {
	c.stepOut(name)
	return c.enterHidden()
}

// key handles a key while the user is inside a command.
func (c *commands) key(k tea.KeyPressMsg, name string) (tea.Cmd, bool) {
	in := c.attached
	if row := terminalRows().Pressed(c.program.Keys, name, config.ContextTerminal); row != nil {
		return row.Do(c, name), true
	}
	if in.term.Exit != nil {
		if name == "enter" || name == "esc" || name == "q" {
			return c.leave(name), true
		}
		return nil, true
	}
	return c.typeInto(screen.KeyBytes(k, in.emu.Modes())), true
}

// typeInto types into the command. It does not block, so keys stay in order.
func (c *commands) typeInto(data string) tea.Cmd {
	c.attached.back = 0
	c.program.Guard.Typed()
	if data == "" {
		return nil
	}
	if err := session.Try(c.program.Context, c.Session, session.TypeInto{ID: c.attached.term.ID, Data: []byte(data)}); err != nil {
		return c.say(err.Error())
	}
	return nil
}

func (c *commands) paste(text string) (tea.Cmd, bool) {
	if c.attached.term.Exit != nil {
		return nil, true
	}
	return c.typeInto(screen.PasteBytes(text, c.attached.emu.Modes())), true
}

// mouse scrolls the view, or the program if it uses the alternate screen.
func (c *commands) mouse(msg tea.MouseMsg) (tea.Cmd, bool) {
	wheel, ok := msg.(tea.MouseWheelMsg)
	if !ok || wheel.Button != tea.MouseWheelUp && wheel.Button != tea.MouseWheelDown {
		return nil, true
	}
	in, up := c.attached, wheel.Button == tea.MouseWheelUp
	if modes := in.emu.Modes(); modes.Alternate && in.term.Exit == nil {
		key := tea.KeyPressMsg{Code: tea.KeyDown}
		if up {
			key.Code = tea.KeyUp
		}
		return c.typeInto(strings.Repeat(screen.KeyBytes(key, modes), altScroll)), true
	}
	if !up {
		in.scroll(-wheelLines)
		return nil, true
	}
	in.scroll(wheelLines)
	return nil, true
}

// scroll moves the view by n lines, back if positive.
func (in *attachedCommand) scroll(n int) { in.back = min(max(in.back+n, 0), in.emu.Above()) }

// hints returns the keys that parley handles itself.
func (c *commands) hints() []dialog.Hint {
	h := dialog.HintList{Keys: c.program.Keys}
	if c.attached.term.Exit != nil {
		return []dialog.Hint{{Key: "enter", Text: "back"}}
	}
	if c.dialogs.Asks() {
		h.Add(command.StepOut, "step out to the question")
	} else {
		h.Add(command.StepOut, "step out")
	}
	h.List = append(h.List, dialog.Hint{Key: "ctrl+c", Text: "interrupt"})
	h.AddAll("scroll", command.TerminalUp, command.TerminalDown)
	return h.List
}

// words returns the text in the frame: where keys go.
func (c *commands) words() string {
	in := c.attached
	switch {
	case in.term.Exit != nil:
		return toolview.Ended(in.term.Exit) + ". Enter to return"
	case c.dialogs.Asks():
		return "a question waits for you: " + c.keyOf(command.StepOut) + " steps out to it"
	case in.back > 0:
		return fmt.Sprintf("%d lines back, any key returns", in.back)
	}
	if in.term.Hidden {
		return "what you type is hidden, and goes to this command only"
	}
	return "keys go to this command"
}

// draw draws the attached command on the whole screen, above status and hints. Only it has
// this frame: everything inside comes from the command.
func (c *commands) draw(width, height int) dialog.View {
	in, th := c.attached, c.program.Theme
	frame, badge := th.Warning, th.BadgeWarning
	if in.term.Exit != nil {
		frame, badge = th.Muted, th.Badge
	}
	what := "$ " + termtext.VisibleLine(in.term.Command)
	v := dialog.View{Lines: make([]string, 0, height)}
	v.Lines = append(v.Lines, framed(frame, "╭", badge.Render(ownerOf(in.term))+" "+th.Strong.Render(what), "╮", width))
	for y := range in.rows {
		v.Lines = append(v.Lines, frame.Render("│")+padded(in.emu.View(y, in.back), width-2)+frame.Render("│"))
	}
	v.Lines = append(v.Lines, framed(frame, "╰", frame.Render(c.words()), "╯", width))
	v.Lines = append(v.Lines, c.statusLine(width))
	if x, y := in.emu.Cursor(); in.term.Exit == nil && in.back == 0 && !in.emu.Modes().CursorHidden && y < in.rows {
		v.Cursor = tea.NewCursor(1+min(x, in.cols-1), 1+y)
	}
	v.Lines = v.Lines[:min(len(v.Lines), height)]
	return v
}

// statusLine draws the status line, or a toast in its place.
func (c *commands) statusLine(width int) string {
	if said := c.toast.current(); said != "" {
		return termtext.Truncate("  "+c.program.Theme.Warning.Render(said), width, "…")
	}
	return c.status(width)
}

// ownerOf returns the badge that says whose command it is.
func ownerOf(term *conversation.Terminal) string {
	switch {
	case term.Exit != nil:
		return " ENDED "
	case term.Lasts:
		return " YOUR SHELL "
	case term.Personal:
		return " YOUR COMMAND "
	}
	return " AGENT'S COMMAND "
}

// framed draws the top or bottom edge of a frame with text in it.
func framed(frame lipgloss.Style, left, words, right string, width int) string {
	room := max(0, width-6)
	words = termtext.Truncate(words, room, "…")
	return frame.Render(left+"─") + " " + words + " " + frame.Render(strings.Repeat("─", max(0, room-termtext.Width(words)+1))+right)
}

// padded returns a line of exactly width cells.
func padded(line string, width int) string {
	line = termtext.Truncate(line, max(0, width), "")
	return line + strings.Repeat(" ", max(0, width-termtext.Width(line)))
}
