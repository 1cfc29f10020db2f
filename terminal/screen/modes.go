package screen

import "fmt"

// Modes are the terminal modes that a program has set and that matter for its input.
// The zero value holds the defaults.
type Modes struct {
	// CursorKeys is DECCKM: send arrows, home and end in application mode.
	CursorKeys bool
	// BracketedPaste asks for pastes to be bracketed.
	BracketedPaste bool
	// CursorHidden hides the cursor.
	CursorHidden bool
	// Alternate reports whether the program draws on the alternate screen, which has no
	// scrollback.
	Alternate bool
}

// Modes returns the current modes.
func (s *Screen) Modes() Modes {
	m := s.modes
	m.Alternate = s.under != nil
	return m
}

// Cursor returns the column and row of the cursor on the grid, from 0.
func (s *Screen) Cursor() (x, y int) { return s.x, s.y }

// Above returns the number of scrollback lines above the grid; 0 on the alternate
// screen.
func (s *Screen) Above() int {
	if s.under != nil {
		return 0
	}
	return s.history.len()
}

// View returns row y of the grid, as a terminal shows it when scrolled back by back
// lines (at most Above), in the form of Line.
func (s *Screen) View(y, back int) string {
	y -= min(max(back, 0), s.Above())
	switch {
	case y < 0:
		return s.history.at(s.history.len() + y).text
	case y < len(s.grid):
		return s.styled(&s.grid[y])
	}
	return ""
}

// SetReply makes the Screen answer queries for the terminal type, the status and the
// cursor position. No answer contains anything that the program has sent. Nil, the
// default, answers nothing. Write calls reply.
func (s *Screen) SetReply(reply func([]byte)) { s.reply = reply }

// query answers a query if SetReply was called.
func (s *Screen) query(final byte, n int) {
	if s.reply == nil {
		return
	}
	switch {
	case final == 'c' && n == 0: // DA1: a VT220 with colours
		s.reply([]byte("\x1b[?62;22c"))
	case final == 'n' && n == 5: // DSR
		s.reply([]byte("\x1b[0n"))
	case final == 'n' && n == 6: // CPR
		s.reply(fmt.Appendf(nil, "\x1b[%d;%dR", s.y+1, s.x+1))
	}
}
