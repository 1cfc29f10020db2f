package ptytest

import (
	"encoding/base64"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

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
		term.keys.push(term.encode(key))
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
	term.keys.push(all)
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
	term.keys.push([]byte(text))
	return term
}

// Send writes bytes to the program's terminal as they are.
func (term *Terminal) Send(raw string) *Terminal {
	term.keys.push([]byte(raw))
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
	if !term.mode(ansi.ModeMouseExtSgr) {
		term.keys.push([]byte(ansi.MouseX10(b, x, y)))
		if release {
			b = ansi.EncodeMouseButton(uv.MouseNone, false, false, false, false)
			term.keys.push([]byte(ansi.MouseX10(b, x, y)))
		}
		return term
	}
	term.keys.push([]byte(ansi.MouseSgr(b, x, y, false)))
	if release {
		term.keys.push([]byte(ansi.MouseSgr(b, x, y, true)))
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
	size := winsize(cols, rows)
	conn, err := term.pty.SyscallConn()
	if err == nil {
		var failed error
		err = conn.Control(func(fd uintptr) {
			failed = unix.IoctlSetWinsize(int(fd), unix.TIOCSWINSZ,
				&unix.Winsize{Row: size.Rows, Col: size.Cols, Xpixel: size.X, Ypixel: size.Y})
		})
		if err == nil {
			err = failed
		}
	}
	if err != nil {
		term.failf("resize to %dx%d: %v", cols, rows, err)
	}
	return term
}

func (term *Terminal) mode(m ansi.Mode) bool {
	term.mu.Lock()
	defer term.mu.Unlock()
	return term.screen.modes[m]
}

// inputQueue holds the program's input: keys and the terminal's answers. It is unbounded,
// so that neither the test nor the emulator waits for a program that does not read.
type inputQueue struct {
	mu      sync.Mutex
	ready   *sync.Cond
	pending [][]byte
	closed  bool
}

func newInputQueue() *inputQueue {
	q := &inputQueue{}
	q.ready = sync.NewCond(&q.mu)
	return q
}

func (q *inputQueue) push(b []byte) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.pending = append(q.pending, b)
	q.ready.Signal()
}

func (q *inputQueue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.ready.Signal()
}

// forward queues the emulator's answers until its pipe closes.
func (q *inputQueue) forward(answers io.Reader) {
	buf := make([]byte, 4096)
	for {
		n, err := answers.Read(buf)
		if n > 0 {
			q.push(append([]byte(nil), buf[:n]...))
		}
		if err != nil {
			return
		}
	}
}

// drain writes the queued input, one key at a time, until the queue closes. Writing to a
// closed terminal is not an error.
func (q *inputQueue) drain(to *os.File) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for {
		for len(q.pending) == 0 && !q.closed {
			q.ready.Wait()
		}
		if q.closed {
			return
		}
		next := q.pending[0]
		q.pending = q.pending[1:]
		q.mu.Unlock()
		_, _ = to.Write(next)
		q.mu.Lock()
	}
}

// Drag presses the left mouse button at column x0, row y0, moves the pointer to
// x1, y1, and releases it there. The program must have asked for the mouse in the
// SGR encoding.
func (term *Terminal) Drag(x0, y0, x1, y1 int) *Terminal {
	term.t.Helper()
	if !term.mode(ansi.ModeMouseExtSgr) {
		term.failf("drag from %d,%d: the program has not asked for the mouse", x0, y0)
	}
	press := ansi.EncodeMouseButton(uv.MouseLeft, false, false, false, false)
	move := ansi.EncodeMouseButton(uv.MouseLeft, true, false, false, false)
	term.keys.push([]byte(ansi.MouseSgr(press, x0, y0, false)))
	term.keys.push([]byte(ansi.MouseSgr(move, x1, y1, false)))
	term.keys.push([]byte(ansi.MouseSgr(press, x1, y1, true)))
	return term
}

// DragOver drags from the beginning of one text on the screen to the end of
// another, both within a row.
func (term *Terminal) DragOver(from, to string) *Terminal {
	term.t.Helper()
	screen := term.Screen()
	x0, y0, ok := screen.Find(from)
	x1, y1, also := screen.Find(to)
	if !ok || !also {
		term.failf("drag over %q to %q: they are not on the screen", from, to)
	}
	return term.Drag(x0, y0, x1+ansi.StringWidth(to)-1, y1)
}

// watchClipboard keeps what the program puts on the terminal's clipboard (OSC 52).
func (e *emulator) watchClipboard() {
	e.emu.RegisterOscHandler(52, func(data []byte) bool {
		parts := strings.SplitN(string(data), ";", 3)
		if len(parts) != 3 || parts[2] == "?" {
			return true // terminals do not report its contents
		}
		if text, err := base64.StdEncoding.DecodeString(parts[2]); err == nil {
			e.settings.clipboard = string(text)
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
		return term.screen.settings.clipboard == text
	})
}
