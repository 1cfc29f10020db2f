package screen

import (
	"bytes"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"parley/internal/termtext"
)

// terminal produces everything that a terminal is sent, as bytes: it writes nothing
// itself. It is not safe for concurrent use.
type terminal struct {
	env     []string
	profile colorprofile.Profile
	glyphs  SymbolSet
	method  termtext.Method // how it measures text
	canvas  *canvas
	inline  *inline // nil unless in inline mode
	alt     bool    // the alternate screen is taken
	width   int     // of the last frame
	out     bytes.Buffer

	title    title
	mouse    mouse
	focus    reporting
	scheme   reporting
	progress progress
	cursor   cursor

	asked        bool // what it supports
	synchronized bool // it supports synchronized output
	unicodeCore  bool // it measures by graphemes because it was told to
}

func newTerminal(env []string, profile colorprofile.Profile, glyphs SymbolSet) *terminal {
	return &terminal{env: env, profile: profile, glyphs: glyphs, mouse: mouse{never: losesEscape(env)}, canvas: newCanvas(env, profile, glyphs, termtext.Safe)}
}

// enter takes the terminal: the alternate screen, extended keys and, the first time,
// queries about its features. The next frame draws its contents.
func (t *terminal) enter() []byte {
	t.out.Reset()
	t.out.WriteString(saveTitle)
	if t.inline == nil {
		t.enterAlt()
	} else {
		t.out.WriteString(ansi.ResetModeTextCursorEnable + ansi.PushKittyKeyboard(ansi.KittyDisambiguateEscapeCodes))
		t.inline = &inline{profile: t.profile, glyphs: t.glyphs, method: t.method}
	}
	// Two protocols extend the keys. Terminals ignore the one that they do not support.
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

// enterAlt switches to the alternate screen. Each of the two screens has its own key
// flags.
func (t *terminal) enterAlt() {
	t.out.WriteString(ansi.SetModeAltScreenSaveCursor + ansi.ResetModeTextCursorEnable + ansi.PushKittyKeyboard(ansi.KittyDisambiguateEscapeCodes))
	t.alt, t.cursor.visible = true, false
}

// leaveAlt leaves the alternate screen and restores the cursor's position.
func (t *terminal) leaveAlt() {
	t.out.WriteString(ansi.PopKittyKeyboard(1))
	// Without an alternate screen, further output replaces the last line.
	t.out.WriteString(ansi.CursorPosition(1, t.canvas.cells.Height()) + ansi.EraseLineRight)
	t.out.WriteString(ansi.ResetModeAltScreenSaveCursor)
	t.alt = false
}

// leave restores the terminal. In inline mode, lines stay.
func (t *terminal) leave(lines []string) []byte {
	t.out.Reset()
	t.mouse.set(&t.out, tea.MouseModeNone)
	t.focus.set(&t.out, ansi.ModeFocusEvent, false)
	t.scheme.set(&t.out, ansi.ModeLightDark, false)
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

// undo is what [terminal.leave] does, in any state: for a program that has died,
// perhaps in the middle of a sequence.
const undo = "\x18" + // ends an incomplete sequence
	mouseOff + ansi.ResetModeFocusEvent + ansi.ResetModeLightDark + ansi.ResetProgressBar + ansi.ResetModeBracketedPaste +
	ansi.ResetModifyOtherKeys + "\x1b[<1u" + ansi.ResetModeUnicodeCore +
	"\x1b[r" + ansi.SetModeAutoWrap + ansi.ResetStyle + "\x1b]8;;\x07" + // of a frame
	ansi.ResetModeAltScreenSaveCursor +
	ansi.ResetModeSynchronizedOutput + "\x1b[0 q" + ansi.ResetCursorColor + ansi.SetModeTextCursorEnable +
	restoreTitle

// undoInline is undo for inline mode: the cursor stays where it is.
var undoInline = strings.Replace(undo, ansi.ResetModeAltScreenSaveCursor, ansi.ResetModeAltScreen+"\r\n", 1)

// frame returns the output that changes the terminal from the last frame to this one.
// The result is valid until the next call of a method.
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
	t.focus.set(&t.out, ansi.ModeFocusEvent, f.Focus)
	t.scheme.set(&t.out, ansi.ModeLightDark, f.Background)
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

// atOnce is how many bytes arrive together, so that nobody sees half of them drawn.
const atOnce = 64

// update appends the changes of the cells so that they show as one change, without a
// flying cursor.
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
