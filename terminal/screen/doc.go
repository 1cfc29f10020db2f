// Package screen turns what programs write to a terminal into lines that are fit
// to be drawn.
//
// A Screen follows the output as a terminal would and gives out lines of text
// and colours. The same emulation makes the plain text that terminal/output
// answers: see PlainText. Retained keeps the end of an output that is too long
// to be kept whole.
//
// # Why an emulation of our own
//
// A transcript holds many terminals, and each may bring megabytes. Measured for
// 80 by 24 with 5,000 lines of scrollback, on two cores shared with others
// (go test -bench Screen for ours):
//
//	                       x/vt        Screen
//	plain text             1.8 MB/s    48 MB/s
//	coloured text          3.4 MB/s    38 MB/s
//	progress bars          8.0 MB/s    71 MB/s
//	memory, plain          37 MB       0.5 MB
//	memory, coloured       24 MB       0.6 MB
//
// The emulator of github.com/charmbracelet/x/vt (2026-04-27) keeps every cell
// of its scrollback, allocates for each character, and wants a goroutine that
// reads its replies. Screen keeps cells for the visible grid only: what leaves
// it becomes a string once and is never touched again, runs of ASCII take a
// short way, and nothing replies. The grammar of escape sequences is still
// x/ansi's parser. Widths are those of package cells, as much as any terminal
// takes, so that no line is wider for whoever draws it than it is here.
package screen
