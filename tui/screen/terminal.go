package screen

import (
	"bytes"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"parley/internal/cells"
)

// terminal is all that a terminal is told, asked and given back, as bytes: it
// writes nothing itself. It is not safe for concurrent use.
type terminal struct {
	env     []string
	profile colorprofile.Profile
	method  cells.Method // it measures text by
	canvas  *canvas
	out     bytes.Buffer

	title    title
	mouse    mouse
	focus    focus
	progress progress
	cursor   cursor

	asked        bool // what it can do
	synchronized bool // it knows synchronized output
	unicodeCore  bool // it measures by graphemes because it was told to
}

func newTerminal(env []string, profile colorprofile.Profile) *terminal {
	return &terminal{env: env, profile: profile, canvas: newCanvas(env, profile, cells.Safe)}
}

// enter takes the terminal: the alternate screen, keys that tell more, and, the
// first time, questions about what it can do. What it shows is drawn by the next
// frame.
func (t *terminal) enter() []byte {
	t.out.Reset()
	t.out.WriteString(saveTitle + ansi.SetModeAltScreenSaveCursor + ansi.ResetModeTextCursorEnable)
	// Keys are told apart by either of two protocols. Terminals ignore the one
	// that they do not know. Each of the two screens has flags of its own.
	t.out.WriteString(ansi.SetModifyOtherKeys2 + ansi.PushKittyKeyboard(ansi.KittyDisambiguateEscapeCodes) + ansi.RequestKittyKeyboard)
	t.out.WriteString(ansi.SetModeBracketedPaste)
	if t.unicodeCore {
		t.out.WriteString(ansi.SetModeUnicodeCore)
	}
	if !t.asked {
		t.out.WriteString(asking(t.env))
		t.asked = true
	}
	t.cursor.visible = false
	t.canvas = newCanvas(t.env, t.profile, t.method)
	return t.out.Bytes()
}

// leave gives the terminal back as it was.
func (t *terminal) leave() []byte {
	t.out.Reset()
	t.mouse.set(&t.out, tea.MouseModeNone)
	t.focus.set(&t.out, false)
	t.progress.set(&t.out, nil)
	t.out.WriteString(ansi.ResetModeBracketedPaste)
	t.out.WriteString(ansi.ResetModifyOtherKeys + ansi.PopKittyKeyboard(1))
	if t.unicodeCore {
		t.out.WriteString(ansi.ResetModeUnicodeCore)
	}
	// Where there is no alternate screen, what comes next stands below.
	t.out.WriteString(ansi.CursorPosition(1, t.canvas.cells.Height()))
	t.out.WriteString(ansi.ResetModeAltScreenSaveCursor)
	t.cursor.reset(&t.out)
	t.title.reset(&t.out)
	return t.out.Bytes()
}

// undo is what [terminal.leave] does, whatever has been done before: for a
// program that has died, perhaps in the middle of a sequence.
const undo = "\x18" + // the middle of a sequence
	mouseOff + ansi.ResetModeFocusEvent + ansi.ResetProgressBar + ansi.ResetModeBracketedPaste +
	ansi.ResetModifyOtherKeys + "\x1b[<1u" + ansi.ResetModeUnicodeCore +
	"\x1b[r" + ansi.SetModeAutoWrap + ansi.ResetStyle + "\x1b]8;;\x07" + // of a frame
	ansi.ResetModeAltScreenSaveCursor +
	ansi.ResetModeSynchronizedOutput + "\x1b[0 q" + ansi.ResetCursorColor + ansi.SetModeTextCursorEnable +
	restoreTitle

// frame is what brings the terminal from the last frame to this one. The result
// is valid until the next call of a method.
func (t *terminal) frame(f Frame, width, height int) []byte {
	if !t.canvas.fits(width, height) {
		t.canvas.resize(width, height)
	}
	t.out.Reset()
	t.title.set(&t.out, f.Title)
	t.mouse.set(&t.out, f.Mouse)
	t.focus.set(&t.out, f.Focus)
	t.progress.set(&t.out, f.Progress)
	t.cursor.dress(&t.out, f.Cursor)

	var at *tea.Position
	if c := f.Cursor; c != nil && c.X >= 0 && c.Y >= 0 && c.X < width && c.Y < height {
		at = &c.Position
	}
	t.update(t.canvas.draw(f.Lines, at), at != nil)
	return t.out.Bytes()
}

// atOnce is how many bytes arrive together, so that nobody sees a half of them
// drawn.
const atOnce = 64

// update appends what changes the cells, so that it is seen as one change and
// the cursor is not seen flying around.
func (t *terminal) update(cells []byte, visible bool) {
	whole := t.synchronized && len(cells) > atOnce
	hide := t.cursor.visible && (!visible || !whole && len(cells) > atOnce)
	if whole {
		t.out.WriteString(ansi.SetModeSynchronizedOutput)
	}
	if hide {
		t.out.WriteString(ansi.ResetModeTextCursorEnable)
	}
	t.out.Write(cells)
	if visible && (hide || !t.cursor.visible) {
		t.out.WriteString(ansi.SetModeTextCursorEnable)
	}
	if whole {
		t.out.WriteString(ansi.ResetModeSynchronizedOutput)
	}
	t.cursor.visible = visible
}
