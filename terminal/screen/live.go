package screen

import "fmt"

// This file is for whoever types into the program that a Screen follows.

// Modes are what a program has asked its terminal for, as far as it matters to who
// types into it. The zero value is what programs find at first.
type Modes struct {
	// CursorKeys says that arrows, home and end are sent as applications want them
	// (DECCKM).
	CursorKeys bool
	// BracketedPaste says that pastes are to be marked as such.
	BracketedPaste bool
	// CursorHidden says that no cursor is to be shown.
	CursorHidden bool
	// Alternate says that the program draws on the alternate screen: it has no
	// scrollback.
	Alternate bool
}

// Modes are those that are set now.
func (s *Screen) Modes() Modes {
	m := s.modes
	m.Alternate = s.under != nil
	return m
}

// Cursor is the column and the row of the cursor on the grid, from 0.
func (s *Screen) Cursor() (x, y int) { return s.x, s.y }

// Above is how many lines of scrollback stand above the grid; none if the program
// draws on the alternate screen.
func (s *Screen) Above() int {
	if s.under != nil {
		return 0
	}
	return s.history.len()
}

// View returns row y of the grid as a terminal shows it that is scrolled back by
// that many lines, no more than Above. It is drawn as Line says.
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

// SetReply has queries of the program answered from now on, by what it finds in
// its input: which terminal this is, that all is well, and where the cursor stands.
// None of the answers holds anything that the program has sent. Nil answers none,
// as at first. reply is called from within Write.
func (s *Screen) SetReply(reply func([]byte)) { s.reply = reply }

// query answers a query, if somebody wants it answered.
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
