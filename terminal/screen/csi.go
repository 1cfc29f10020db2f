package screen

import "github.com/charmbracelet/x/ansi"

// execute handles a control character. It ignores those that are not listed.
func (s *Screen) execute(b byte) {
	switch b {
	case ansi.BS:
		s.moveTo(s.x-1, s.y)
	case ansi.HT:
		s.tab()
	case ansi.LF, ansi.VT, ansi.FF:
		if s.impliedCR {
			s.x = 0
		}
		s.lineFeed()
	case ansi.CR:
		s.moveTo(0, s.y)
	case ansi.SO:
		s.shifted = true
	case ansi.SI:
		s.shifted = false
	}
}

// esc handles an escape sequence without parameters.
func (s *Screen) esc(cmd ansi.Cmd) {
	final := cmd.Final()
	switch cmd.Intermediate() {
	case '(':
		s.lineDrawing[0] = final == '0'
		return
	case ')':
		s.lineDrawing[1] = final == '0'
		return
	case 0:
	default:
		return
	}
	switch final {
	case '7': // DECSC
		s.saved = s.cursor()
	case '8': // DECRC
		s.restore(s.saved)
	case 'D': // IND
		s.lineFeed()
	case 'E': // NEL
		s.lineFeed()
		s.x = 0
	case 'M': // RI
		if s.y == s.top {
			s.scrollDown(s.top, 1)
		} else {
			s.moveTo(s.x, s.y-1)
		}
	case 'c': // RIS
		s.leaveAlt()
		s.keepGrid()
		s.clearState()
	}
}

// csi handles a control sequence (ECMA-48 8.3, xterm's ctlseqs). It ignores reports,
// window operations and unknown sequences.
func (s *Screen) csi(cmd ansi.Cmd, params ansi.Params) {
	switch {
	case cmd.Intermediate() == '!' && cmd.Final() == 'p': // DECSTR
		s.pen, s.noWrap, s.lineDrawing, s.shifted = style{}, false, [2]bool{}, false
		s.top, s.bottom = 0, s.rows-1
		s.modes.CursorKeys, s.modes.CursorHidden = false, false
		return
	case cmd.Intermediate() != 0:
		return
	case cmd.Prefix() == '?':
		if final := cmd.Final(); final == 'h' || final == 'l' {
			for _, p := range params {
				s.setMode(p.Param(0), final == 'h')
			}
		}
		return
	case cmd.Prefix() != 0:
		return
	}
	n := count(params, 0)
	switch cmd.Final() {
	case 'A': // CUU
		s.moveUp(n)
	case 'B', 'e': // CUD, VPR
		s.moveDown(n)
	case 'C', 'a': // CUF, HPR
		s.moveTo(s.x+n, s.y)
	case 'D': // CUB
		s.moveTo(s.x-n, s.y)
	case 'E': // CNL
		s.moveDown(n)
		s.x = 0
	case 'F': // CPL
		s.moveUp(n)
		s.x = 0
	case 'G', '`': // CHA, HPA
		s.moveTo(n-1, s.y)
	case 'H', 'f': // CUP, HVP
		s.moveTo(count(params, 1)-1, n-1)
	case 'd': // VPA
		s.moveTo(s.x, n-1)
	case 'I': // CHT
		s.moveTo((s.x/8+n)*8, s.y)
	case 'Z': // CBT
		s.moveTo(((s.x+7)/8-n)*8, s.y)
	case 'm': // SGR
		applySGR(&s.pen, params)
	case 'r': // DECSTBM
		if bottom := min(countOr(params, 1, s.rows), s.rows) - 1; n-1 < bottom {
			s.top, s.bottom = n-1, bottom
			s.moveTo(0, 0)
		}
	case 's': // SCOSC
		s.saved = s.cursor()
	case 'u': // SCORC
		s.restore(s.saved)
	case 'c', 'n': // DA, DSR
		s.query(byte(cmd.Final()), which(params))
	default:
		s.edit(cmd.Final(), n, params)
	}
}

// edit handles the control sequences that change text.
func (s *Screen) edit(final byte, n int, params ansi.Params) {
	r := &s.grid[s.y]
	inRegion := s.y >= s.top && s.y <= s.bottom
	switch final {
	case '@': // ICH
		r.insert(s.x, n, s.cols, s.pen)
	case 'P': // DCH
		r.remove(s.x, n)
	case 'X': // ECH
		r.erase(s.x, min(s.x+n, s.cols), s.cols, s.pen)
	case 'K': // EL
		s.eraseInLine(which(params))
	case 'J': // ED
		s.eraseInScreen(which(params))
	case 'L': // IL
		if inRegion {
			s.scrollDown(s.y, n)
			s.x = 0
		}
	case 'M': // DL
		if inRegion {
			s.dropRows(s.y, n)
			s.x = 0
		}
	case 'S': // SU
		s.scrollUp(n)
	case 'T': // SD
		s.scrollDown(s.top, n)
	case 'b': // REP
		if c := s.before(); s.joinable && c != nil && c.char != '\t' {
			char, width := c.char, int(c.width)
			for range min(n, s.cols) {
				s.put(char, width)
			}
		}
		return
	default:
		return
	}
	s.pendingWrap, s.joinable = false, false
}

// setMode handles DECSET and DECRST.
func (s *Screen) setMode(mode int, on bool) {
	switch mode {
	case 1: // DECCKM
		s.modes.CursorKeys = on
	case 25: // DECTCEM
		s.modes.CursorHidden = !on
	case 2004:
		s.modes.BracketedPaste = on
	case 7: // DECAWM
		s.noWrap = !on
	case 47, 1047, 1049: // the alternate screen
		if on {
			s.enterAlt()
		} else {
			s.leaveAlt()
		}
	case 1048:
		if on {
			s.saved = s.cursor()
		} else {
			s.restore(s.saved)
		}
	}
}

// count returns a repeat parameter: at least 1, bounded by what makes sense on any
// screen.
func count(params ansi.Params, i int) int { return countOr(params, i, 1) }

func countOr(params ansi.Params, i, missing int) int {
	n, _, _ := params.Param(i, missing)
	if n == 0 {
		n = missing
	}
	return min(max(n, 1), maxCols+maxRows)
}

// which returns the parameter of an erasure: 0 after the cursor, 1 before it, 2 all.
func which(params ansi.Params) int {
	n, _, _ := params.Param(0, 0)
	return n
}
