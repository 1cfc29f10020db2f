// Package screen owns the terminal for a Bubble Tea program. Bubble Tea provides the
// event loop, commands and messages; its renderer, which draws on a clock, is off.
//
// screen draws a frame when there is something to draw: at once after input, otherwise
// when something may have changed and the last frame is old enough, and never before
// the terminal has taken the last one. Nothing runs while nothing happens. Drawing
// passes through:
//
//	program   asks the model for a frame, on the event loop
//	output    writes, on a goroutine of its own
//	terminal  turns a frame into bytes: title, mouse, cursor and so on, and
//	canvas    the cells, of which Ultraviolet's renderer finds those that differ
//
// Input goes the other way: input decodes keys, the mouse and the terminal's answers
// with Ultraviolet's reader, and mailbox passes them to the event loop as messages.
//
// However the program ends, the terminal is restored: see watch. Another program may
// borrow it (see [Exec]), and so may the shell while it has stopped the process. Output
// on standard error is held meanwhile, and shown once it cannot damage the screen.
//
// The package also knows every symbol that parley draws (see [SymbolSet]), and turns
// keys and pastes into the bytes that a program expects (see [KeyBytes]).
package screen
