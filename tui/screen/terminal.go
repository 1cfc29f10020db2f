package screen

import (
	"bytes"
	"image/color"
	"slices"
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
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
	status   status
	cursor   cursor

	asked        bool // what it supports
	synchronized bool // it supports synchronized output
	unicodeCore  bool // it measures by graphemes because it was told to
}

func newTerminal(env []string, profile colorprofile.Profile, glyphs SymbolSet) *terminal {
	t := &terminal{env: env, profile: profile, glyphs: glyphs, canvas: newCanvas(env, profile, glyphs, termtext.Safe)}
	// GNU screen holds back the escape key while it reports the mouse, until another key
	// comes, to tell the two apart. With tmux inside or outside of it, the terminal's name
	// says which is nearer.
	environ := uv.Environ(env)
	t.mouse.never = environ.Getenv("STY") != "" && !strings.HasPrefix(environ.Getenv("TERM"), "tmux")
	return t
}

func (t *terminal) useProfile(p colorprofile.Profile) {
	if p == t.profile {
		return
	}
	t.profile = p
	t.canvas.renderer.SetColorProfile(p)
	t.canvas.forget()
	if t.inline != nil {
		t.inline.profile = p
	}
}

// keyFlags are what kitty's protocol is asked for: no key looks like another, and keys
// come with the one at their place on a Latin keyboard.
const keyFlags = ansi.KittyDisambiguateEscapeCodes | ansi.KittyReportAlternateKeys

// enter takes the terminal: the alternate screen, extended keys and, the first time,
// queries about its features. The next frame draws its contents.
func (t *terminal) enter() []byte {
	t.out.Reset()
	t.out.WriteString(saveTitle)
	if t.inline == nil {
		t.enterAlt()
	} else {
		t.out.WriteString(ansi.ResetModeTextCursorEnable + ansi.PushKittyKeyboard(keyFlags))
		t.inline = &inline{profile: t.profile, glyphs: t.glyphs, method: t.method}
	}
	// Two protocols extend the keys. Terminals ignore the one that they do not support.
	t.out.WriteString(ansi.SetModifyOtherKeys2 + ansi.RequestKittyKeyboard)
	t.out.WriteString(ansi.SetModeBracketedPaste)
	if t.unicodeCore {
		t.out.WriteString(ansi.SetModeUnicodeCore)
	}
	if !t.asked && understandsQuestions(t.env) {
		t.out.WriteString(ansi.RequestModeSynchronizedOutput + ansi.RequestModeUnicodeCore + ansi.RequestModeBracketedPaste)
	}
	t.asked = true
	t.out.WriteString(ansi.RequestPrimaryDeviceAttributes) // the answer ends those to all questions
	t.cursor.visible = false
	t.canvas = newCanvas(t.env, t.profile, t.glyphs, t.method)
	return t.out.Bytes()
}

// enterAlt switches to the alternate screen. Each of the two screens has its own key
// flags.
func (t *terminal) enterAlt() {
	t.out.WriteString(ansi.SetModeAltScreenSaveCursor + ansi.ResetModeTextCursorEnable + ansi.PushKittyKeyboard(keyFlags))
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
	t.status.set(&t.out, nil)
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
	t.title.set(&t.out, "")
	t.out.WriteString(restoreTitle) // terminals that cannot save a title show none
	return t.out.Bytes()
}

// undo is what [terminal.leave] does, in any state: for a program that has died,
// perhaps in the middle of a sequence.
const undo = "\x18" + // ends an incomplete sequence
	mouseOff + ansi.ResetModeFocusEvent + ansi.ResetModeLightDark + ansi.ResetProgressBar + ansi.ClearProgramStatus + ansi.ResetModeBracketedPaste +
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
	t.title.set(&t.out, t.glyphs.Text(f.WindowTitle))
	t.mouse.set(&t.out, f.MouseMode)
	t.focus.set(&t.out, ansi.ModeFocusEvent, f.ReportFocus)
	t.scheme.set(&t.out, ansi.ModeLightDark, f.Background)
	t.progress.set(&t.out, f.ProgressBar)
	t.status.set(&t.out, f.Status)
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

// atOnce is how many bytes arrive together, so that they are drawn together.
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

// Frame is what the terminal shows. The zero Frame is an empty screen without a cursor.
type Frame struct {
	// View has the cursor, the title of the window, the mode of the mouse, the progress, and
	// whether to report the focus. Without a mode, the terminal selects text as usual.
	// Control characters of the title are removed, and a long one is cut. Nothing else of it
	// counts.
	tea.View
	// Lines are the screen's rows from the top, as text with SGR sequences and OSC 8
	// links. What exceeds the width or the height is not drawn. Do not change them
	// afterwards.
	Lines []string
	// Above are lines to add above Lines permanently, and Whole uses the whole screen
	// while it is set. Both are for inline mode: see [Options]. There Lines are as many
	// as are drawn.
	Above []string
	Whole bool
	// More asks for another frame at once.
	More bool
	// Shown is sent to the model once the frame is on the terminal; it may be nil.
	Shown tea.Msg
	// Background asks for [BackgroundMsg].
	Background bool
	// Status is what the program does, for terminals that show that (OSC 7501), a record
	// for each ID.
	Status []tea.ProgramStatus
}

const (
	// longestTitle bounds a title, in characters.
	longestTitle = 120

	saveTitle    = "\x1b[22;2t" // on the terminal's own stack
	restoreTitle = "\x1b[23;2t"
)

// title is the title of the window.
type title struct{ text, shown string }

func (t *title) set(out *bytes.Buffer, text string) {
	if text == t.text {
		return
	}
	t.text = text
	n := 0
	text = strings.Map(func(r rune) rune {
		if n++; n > longestTitle || unicode.IsControl(r) || r == unicode.ReplacementChar {
			return -1 // it would end the escape sequence
		}
		return r
	}, text)
	if text != t.shown {
		out.WriteString(ansi.SetWindowTitle(text))
		t.shown = text
	}
}

// cursor is the text cursor: visibility and appearance. The canvas has its position.
type cursor struct {
	visible bool
	style   int // as in DECSCUSR; 0 is the user's own
	color   color.Color
}

// dress sets the cursor's appearance.
func (c *cursor) dress(out *bytes.Buffer, want *tea.Cursor) {
	if want == nil {
		return
	}
	style := 1 + 2*int(want.Shape) // shapes in pairs of blinking and steady
	if !want.Blink {
		style++
	}
	if style != c.style {
		out.WriteString(ansi.SetCursorStyle(style))
		c.style = style
	}
	if want.Color != c.color {
		_ = uv.EncodeCursorColor(out, want.Color)
		c.color = want.Color
	}
}

// reset restores the cursor's appearance and shows it.
func (c *cursor) reset(out *bytes.Buffer) {
	if c.style != 0 {
		out.WriteString(ansi.SetCursorStyle(0))
	}
	if c.color != nil {
		out.WriteString(ansi.ResetCursorColor)
	}
	out.WriteString(ansi.SetModeTextCursorEnable)
	*c = cursor{visible: true}
}

// progress is the progress that the terminal shows on the tab or in the task bar (OSC
// 9;4). Without progress nothing is sent, because other terminals may show the sequence
// as a notification.
type progress struct{ shown tea.ProgressBar }

func (p *progress) set(out *bytes.Buffer, bar *tea.ProgressBar) {
	var want tea.ProgressBar
	if bar != nil && bar.State != tea.ProgressBarNone {
		want = *bar
	}
	if want == p.shown {
		return
	}
	p.shown = want
	_ = uv.EncodeProgressBar(out, &uv.ProgressBar{State: uv.ProgressBarState(want.State), Value: want.Value}) // a buffer does not fail
}

// status is what the terminal was told of the program. Terminals that do not know the
// sequence ignore it.
type status struct{ shown []tea.ProgramStatus }

func (s *status) set(out *bytes.Buffer, want []tea.ProgramStatus) {
	if slices.Equal(want, s.shown) {
		return
	}
	for _, was := range s.shown {
		if !slices.ContainsFunc(want, func(w tea.ProgramStatus) bool { return w.ID == was.ID }) {
			out.WriteString(ansi.ClearProgramStatusID(was.ID))
		}
	}
	for _, w := range want {
		if !slices.Contains(s.shown, w) {
			out.WriteString(ansi.SetProgramStatus(w))
		}
	}
	s.shown = want
}

const mouseOff = ansi.ResetModeMouseButtonEvent + ansi.ResetModeMouseAnyEvent + ansi.ResetModeMouseExtSgr

// mouse selects the mouse events that the terminal reports. It selects none where that
// would cost a key.
type mouse struct {
	mode  tea.MouseMode
	never bool
}

// BackgroundMsg means that the terminal's background has become dark or light (mode
// 2031). [RequestBackgroundColor] asks for the exact colour.
type BackgroundMsg struct{ Dark bool }

// reporting reports whether the terminal reports events of a mode: the window's focus, or
// a dark or light background.
type reporting bool

func (r *reporting) set(out *bytes.Buffer, mode ansi.Mode, on bool) {
	switch {
	case on && !bool(*r):
		out.WriteString(ansi.SetMode(mode))
	case !on && bool(*r):
		out.WriteString(ansi.ResetMode(mode))
	}
	*r = reporting(on)
}

func (m *mouse) set(out *bytes.Buffer, mode tea.MouseMode) {
	if mode == m.mode || m.never {
		return
	}
	if m.mode != tea.MouseModeNone {
		out.WriteString(mouseOff)
	}
	switch mode {
	case tea.MouseModeCellMotion:
		out.WriteString(ansi.SetModeMouseButtonEvent + ansi.SetModeMouseExtSgr)
	case tea.MouseModeAllMotion:
		out.WriteString(ansi.SetModeMouseAnyEvent + ansi.SetModeMouseExtSgr)
	}
	m.mode = mode
}
