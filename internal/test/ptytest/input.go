package ptytest

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"fmt"
	"strings"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"golang.org/x/sys/unix"
)

// Type types text key by key. A newline is the enter key.
func (term *Terminal) Type(text string) *Terminal {
	term.t.Helper()
	for _, r := range text {
		if r == '\n' {
			term.Press("enter")
		} else {
			term.Press(string(r))
		}
	}
	return term
}

// Press presses keys in order, encoded as the program has asked
// for: legacy or kitty. A key is a character or a name (enter, tab, esc, space,
// backspace, delete, insert, up, down, left, right, home, end, pgup, pgdown,
// f1 … f12), with ctrl+, alt+ and shift+ before it: "shift+tab", "ctrl+alt+x".
//
// On a legacy terminal esc and the key after it are alt and that key: wait for
// what esc does before pressing on.
func (term *Terminal) Press(keys ...string) *Terminal {
	term.t.Helper()
	for _, key := range keys {
		term.push(term.encode(key))
	}
	return term
}

// PressAtOnce presses keys that the program reads together: no time passes between them.
func (term *Terminal) PressAtOnce(keys ...string) *Terminal {
	term.t.Helper()
	var all []byte
	for _, key := range keys {
		all = append(all, term.encode(key)...)
	}
	term.push(all)
	return term
}

// encode returns the bytes that the terminal sends for a key in its current modes.
func (term *Terminal) encode(key string) []byte {
	term.t.Helper()
	term.mu.Lock()
	kb := term.screen.keyboard()
	term.mu.Unlock()
	b, err := kb.encode(key)
	if err != nil {
		term.failf("press %q: %v", key, err)
	}
	return b
}

// Paste pastes text, as a bracketed paste when the program has asked for that.
// As in real terminals, newlines arrive as carriage returns.
func (term *Terminal) Paste(text string) *Terminal {
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\r"), "\n", "\r")
	if term.mode(ansi.ModeBracketedPaste) {
		text = ansi.BracketedPasteStart + text + ansi.BracketedPasteEnd
	}
	term.push([]byte(text))
	return term
}

// Send writes bytes to the program's terminal as they are.
func (term *Terminal) Send(raw string) *Terminal {
	term.push([]byte(raw))
	return term
}

// Click presses and releases the left mouse button at column x, row y, from 0.
func (term *Terminal) Click(x, y int) *Terminal {
	term.t.Helper()
	return term.mouse(uv.MouseLeft, x, y, true)
}

// ClickOn clicks on the first place where text is on the screen.
func (term *Terminal) ClickOn(text string) *Terminal {
	term.t.Helper()
	x, y, ok := term.Screen().Find(text)
	if !ok {
		term.failf("click on %q: it is not on the screen", text)
	}
	return term.Click(x, y)
}

// Wheel turns the mouse wheel at column x, row y: up by -lines, down by lines.
func (term *Terminal) Wheel(x, y, lines int) *Terminal {
	term.t.Helper()
	button := uv.MouseWheelDown
	if lines < 0 {
		button, lines = uv.MouseWheelUp, -lines
	}
	for range lines {
		term.mouse(button, x, y, false)
	}
	return term
}

func (term *Terminal) mouse(button uv.MouseButton, x, y int, release bool) *Terminal {
	term.t.Helper()
	if !term.mode(ansi.ModeMouseNormal) && !term.mode(ansi.ModeMouseButtonEvent) && !term.mode(ansi.ModeMouseAnyEvent) {
		term.failf("mouse at %d,%d: the program has not asked for the mouse", x, y)
	}
	b := ansi.EncodeMouseButton(button, false, false, false, false)
	press, up := ansi.MouseSgr(b, x, y, false), ansi.MouseSgr(b, x, y, true)
	if !term.mode(ansi.ModeMouseExtSgr) {
		none := ansi.EncodeMouseButton(uv.MouseNone, false, false, false, false)
		press, up = ansi.MouseX10(b, x, y), ansi.MouseX10(none, x, y)
	}
	term.push([]byte(press))
	if release {
		term.push([]byte(up))
	}
	return term
}

// Focus tells the program that its window has gained or lost the focus, if it
// has asked to be told.
func (term *Terminal) Focus(in bool) *Terminal {
	if !term.mode(ansi.ModeFocusEvent) {
		return term
	}
	if in {
		return term.Send(ansi.Focus)
	}
	return term.Send(ansi.Blur)
}

// Resize resizes the window, in cells.
func (term *Terminal) Resize(cols, rows int) *Terminal {
	term.t.Helper()
	term.mu.Lock()
	term.screen.emu.Resize(cols, rows)
	term.mu.Unlock()
	// pty.Setsize would leave the master in blocking mode.
	size := winsize(cols, rows)
	err := term.control(func(fd int) error {
		return unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: size.Rows, Col: size.Cols, Xpixel: size.X, Ypixel: size.Y})
	})
	if err != nil {
		term.failf("resize to %dx%d: %v", cols, rows, err)
	}
	return term
}

// control calls do with the terminal's file descriptor.
func (term *Terminal) control(do func(fd int) error) error {
	conn, err := term.pty.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	err = conn.Control(func(fd uintptr) { failed = do(int(fd)) })
	return cmp.Or(err, failed)
}

func (term *Terminal) mode(m ansi.Mode) bool {
	term.mu.Lock()
	defer term.mu.Unlock()
	return term.screen.modes[m]
}

// push queues input: a key, or the terminal's answer.
func (term *Terminal) push(b []byte) {
	select {
	case term.input <- b:
	case <-term.closed:
	}
}

// pushAnswers queues the emulator's answers until its pipe closes.
func (term *Terminal) pushAnswers() {
	buf := make([]byte, 4096)
	for {
		n, err := term.screen.emu.Read(buf)
		if n > 0 {
			term.push(bytes.Clone(buf[:n]))
		}
		if err != nil {
			return
		}
	}
}

// writeInput writes the queued input, one key at a time. Writing to a closed terminal is
// not an error.
func (term *Terminal) writeInput() {
	for {
		select {
		case b := <-term.input:
			_, _ = term.pty.Write(b)
		case <-term.closed:
			return
		}
	}
}

// DragOver drags the mouse with the left button from the beginning of one text on the
// screen to the end of another, both within a row. The program must have asked for the
// mouse in the SGR encoding.
func (term *Terminal) DragOver(from, to string) *Terminal {
	term.t.Helper()
	screen := term.Screen()
	x0, y0, ok := screen.Find(from)
	x1, y1, also := screen.Find(to)
	switch {
	case !ok || !also:
		term.failf("drag over %q to %q: they are not on the screen", from, to)
	case !term.mode(ansi.ModeMouseExtSgr):
		term.failf("drag over %q: the program has not asked for the mouse", from)
	}
	x1 += ansi.StringWidth(to) - 1
	press := ansi.EncodeMouseButton(uv.MouseLeft, false, false, false, false)
	move := ansi.EncodeMouseButton(uv.MouseLeft, true, false, false, false)
	term.push([]byte(ansi.MouseSgr(press, x0, y0, false)))
	term.push([]byte(ansi.MouseSgr(move, x1, y1, false)))
	term.push([]byte(ansi.MouseSgr(press, x1, y1, true)))
	return term
}

// watchClipboard keeps what the program puts on the terminal's clipboard (OSC 52).
func (e *Emulator) watchClipboard() {
	e.emu.RegisterOscHandler(52, func(data []byte) bool {
		parts := strings.SplitN(string(data), ";", 3)
		if len(parts) != 3 || parts[2] == "?" {
			return true // terminals do not report its contents
		}
		if text, err := base64.StdEncoding.DecodeString(parts[2]); err == nil {
			e.clipboard = string(text)
		}
		return true
	})
}

// WaitClipboard waits until a text is on the terminal's clipboard.
func (term *Terminal) WaitClipboard(text string) *Terminal {
	term.t.Helper()
	return term.WaitState(fmt.Sprintf("%q is on the clipboard", text), func(State) bool {
		term.mu.Lock()
		defer term.mu.Unlock()
		return term.screen.clipboard == text
	})
}
