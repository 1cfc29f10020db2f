package screen

import (
	"bytes"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"parley/internal/termtext"
)

// terminal is all that a terminal is told, asked and given back, as bytes: it
// writes nothing itself. It is not safe for concurrent use.
type terminal struct {
	env     []string
	profile colorprofile.Profile
	glyphs  SymbolSet
	method  termtext.Method // it measures text by
	canvas  *canvas
	inline  *inline // nil if the whole screen is drawn on always
	alt     bool    // the alternate screen is taken
	width   int     // of the last frame
	out     bytes.Buffer

	title    title
	mouse    mouse
	focus    focus
	scheme   scheme
	progress progress
	cursor   cursor

	asked        bool // what it can do
	synchronized bool // it knows synchronized output
	unicodeCore  bool // it measures by graphemes because it was told to
}

func newTerminal(env []string, profile colorprofile.Profile, glyphs SymbolSet) *terminal {
	return &terminal{env: env, profile: profile, glyphs: glyphs, mouse: mouse{never: losesEscape(env)}, canvas: newCanvas(env, profile, glyphs, termtext.Safe)}
}

// enter takes the terminal: the alternate screen, keys that tell more, and, the
// first time, questions about what it can do. What it shows is drawn by the next
// frame.
func (t *terminal) enter() []byte {
	t.out.Reset()
	t.out.WriteString(saveTitle)
	if t.inline == nil {
		t.enterAlt()
	} else {
		t.out.WriteString(ansi.ResetModeTextCursorEnable + ansi.PushKittyKeyboard(ansi.KittyDisambiguateEscapeCodes))
		t.inline = &inline{profile: t.profile, glyphs: t.glyphs, method: t.method}
	}
	// Keys are told apart by either of two protocols. Terminals ignore the one
	// that they do not know.
	t.out.WriteString(ansi.SetModifyOtherKeys2 + ansi.RequestKittyKeyboard)
	t.out.WriteString(ansi.SetModeBracketedPaste)
	if t.unicodeCore {
		t.out.WriteString(ansi.SetModeUnicodeCore)
	}
	if !t.asked {
		t.out.WriteString(asking(t.env))
		t.asked = true
	}
	t.cursor.visible = false
	t.canvas = newCanvas(t.env, t.profile, t.glyphs, t.method)
	return t.out.Bytes()
}

// enterAlt takes the alternate screen. Each of the two screens has flags of its own for
// keys.
func (t *terminal) enterAlt() {
	t.out.WriteString(ansi.SetModeAltScreenSaveCursor + ansi.ResetModeTextCursorEnable + ansi.PushKittyKeyboard(ansi.KittyDisambiguateEscapeCodes))
	t.alt, t.cursor.visible = true, false
}

// leaveAlt gives the alternate screen back, and the cursor is where it was before.
func (t *terminal) leaveAlt() {
	t.out.WriteString(ansi.PopKittyKeyboard(1))
	// Where there is no alternate screen, what comes next stands below, in the place of
	// the last line.
	t.out.WriteString(ansi.CursorPosition(1, t.canvas.cells.Height()) + ansi.EraseLineRight)
	t.out.WriteString(ansi.ResetModeAltScreenSaveCursor)
	t.alt = false
}

// leave gives the terminal back as it was. Lines stay, if not the whole screen is drawn
// on always.
func (t *terminal) leave(lines []string) []byte {
	t.out.Reset()
	t.mouse.set(&t.out, tea.MouseModeNone)
	t.focus.set(&t.out, false)
	t.scheme.set(&t.out, false)
	t.progress.set(&t.out, nil)
	t.out.WriteString(ansi.ResetModeBracketedPaste)
	t.out.WriteString(ansi.ResetModifyOtherKeys)
	if t.unicodeCore {
		t.out.WriteString(ansi.ResetModeUnicodeCore)
	}
	if t.alt {
		t.leaveAlt()
	}
	if t.inline != nil {
		t.inline.leave(&t.out, lines, max(1, t.width))
		t.out.WriteString(ansi.PopKittyKeyboard(1))
	}
	t.cursor.reset(&t.out)
	t.title.reset(&t.out)
	return t.out.Bytes()
}

// undo is what [terminal.leave] does, whatever has been done before: for a
// program that has died, perhaps in the middle of a sequence.
const undo = "\x18" + // the middle of a sequence
	mouseOff + ansi.ResetModeFocusEvent + ansi.ResetModeLightDark + ansi.ResetProgressBar + ansi.ResetModeBracketedPaste +
	ansi.ResetModifyOtherKeys + "\x1b[<1u" + ansi.ResetModeUnicodeCore +
	"\x1b[r" + ansi.SetModeAutoWrap + ansi.ResetStyle + "\x1b]8;;\x07" + // of a frame
	ansi.ResetModeAltScreenSaveCursor +
	ansi.ResetModeSynchronizedOutput + "\x1b[0 q" + ansi.ResetCursorColor + ansi.SetModeTextCursorEnable +
	restoreTitle

// undoInline is undo for a terminal of which not the whole screen was taken: the cursor
// stays where it is.
var undoInline = strings.Replace(undo, ansi.ResetModeAltScreenSaveCursor, ansi.ResetModeAltScreen+"\r\n", 1)

// frame is what brings the terminal from the last frame to this one. The result
// is valid until the next call of a method.
func (t *terminal) frame(f Frame, width, height int) []byte {
	t.out.Reset()
	switch whole := t.inline == nil || f.Whole; {
	case whole && !t.alt:
		t.enterAlt()
		t.canvas = newCanvas(t.env, t.profile, t.glyphs, t.method)
	case !whole && t.alt:
		t.leaveAlt()
	}
	if t.alt && !t.canvas.fits(width, height) {
		t.canvas.resize(width, height)
	}
	t.width = width
	t.title.set(&t.out, t.glyphs.Text(f.Title))
	t.mouse.set(&t.out, f.Mouse)
	t.focus.set(&t.out, f.Focus)
	t.scheme.set(&t.out, f.Background)
	t.progress.set(&t.out, f.Progress)
	t.cursor.dress(&t.out, f.Cursor)

	var at *tea.Position
	if c := f.Cursor; c != nil && c.X >= 0 && c.Y >= 0 && c.X < width && c.Y < height {
		at = &c.Position
	}
	if t.alt {
		t.update(t.canvas.draw(f.Lines, at), at != nil)
		return t.out.Bytes()
	}
	var lines bytes.Buffer
	t.inline.draw(&lines, f.Above, f.Lines, at, width, height)
	t.update(lines.Bytes(), at != nil)
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
