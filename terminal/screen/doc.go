// Package screen turns what programs write to a terminal into lines that are safe to
// draw.
//
// A Screen follows the output as a terminal would and returns lines of text and
// colours. The same emulation produces the plain text that terminal/output answers: see
// PlainText. Retained keeps the end of an output that is too long to keep whole.
//
// # Why our own emulator
//
// A transcript contains many terminals, and each may write megabytes. Measured for 80
// by 24 with 5,000 lines of scrollback, on two shared cores (go test -bench Screen for
// ours):
//
//	                       x/vt        Screen
//	plain text             1.8 MB/s    48 MB/s
//	coloured text          3.4 MB/s    38 MB/s
//	progress bars          8.0 MB/s    71 MB/s
//	memory, plain          37 MB       0.5 MB
//	memory, coloured       24 MB       0.6 MB
//
// The emulator of github.com/charmbracelet/x/vt (2026-04-27) keeps every cell of its
// scrollback, allocates for each character, and needs a goroutine that reads its
// replies. Screen keeps cells only for the visible grid: a line that leaves it becomes
// a string once, runs of ASCII take a fast path, and nothing replies. x/ansi's parser
// still parses the escape sequences. Widths are those of package termtext, the most
// that any terminal takes, so that no line is wider when drawn than it is here.
package screen
