// Package screen owns the terminal for a Bubble Tea program. Bubble Tea remains
// the event loop and the commands, and says what its messages are; its renderer,
// which draws on a clock, is switched off.
//
// A frame is drawn when there is something to draw: at once after input, else
// when something may have changed and the last frame is old enough, and never
// before the terminal has taken the last one. Nothing runs while nothing happens.
// Drawing goes through these hands:
//
//	program   asks the model for a frame, on the event loop
//	output    writes, on a goroutine of its own
//	terminal  makes bytes of a frame: title, mouse, cursor and the rest, and
//	canvas    the cells, of which Ultraviolet's renderer finds those that differ
//
// What is read goes the other way: input decodes keys, the mouse and the
// terminal's answers with Ultraviolet's reader, and mailbox hands them to the
// event loop, which makes its messages of them.
//
// The terminal is given back as it was, however the program ends: see watch. It
// is given away for a time to another program (see [Exec]), and while the shell
// has stopped the process. What is said on standard error meanwhile is kept, and
// shown when it cannot spoil the screen any more.
package screen
