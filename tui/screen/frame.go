package screen

import tea "charm.land/bubbletea/v2"

// Frame is what the terminal shows. The zero Frame is an empty screen without a
// cursor.
type Frame struct {
	// Lines are the screen's rows from the top, as text with SGR sequences and
	// OSC 8 links. What is beyond the width or the height is not drawn. They must
	// not be changed afterwards.
	Lines []string
	// Above are lines that are put above Lines once and for all, and Whole asks for the
	// whole screen, for as long as it is set. They are for a terminal of which only a
	// part is drawn on: see [Options]. There Lines are as many as are drawn.
	Above []string
	Whole bool
	// More says that another frame is to be asked for at once.
	More bool
	// Cursor is the text cursor; nil hides it.
	Cursor *tea.Cursor
	// Title is the title of the terminal's window. Control characters are left
	// out, and so is what is longer than a title can be read.
	Title string
	// Mouse says which events of the mouse are wanted. With none, the terminal
	// selects text as it does elsewhere.
	Mouse tea.MouseMode
	// Focus asks for [tea.FocusMsg] and [tea.BlurMsg].
	Focus bool
	// Background asks for [BackgroundMsg].
	Background bool
	// Progress is shown by terminals that have a place for it (OSC 9;4), nil by
	// none.
	Progress *tea.ProgressBar
}
