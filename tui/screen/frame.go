package screen

import tea "charm.land/bubbletea/v2"

// Frame is what the terminal shows. The zero Frame is an empty screen without a cursor.
type Frame struct {
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
	// Cursor is the text cursor; nil hides it.
	Cursor *tea.Cursor
	// Title is the title of the terminal's window. Control characters are removed, and
	// a long title is cut.
	Title string
	// Mouse selects the mouse events to receive. With none, the terminal selects text
	// as usual.
	Mouse tea.MouseMode
	// Focus asks for [tea.FocusMsg] and [tea.BlurMsg].
	Focus bool
	// Background asks for [BackgroundMsg].
	Background bool
	// Progress is shown by terminals that support it (OSC 9;4); it may be nil.
	Progress *tea.ProgressBar
}
