package screen

// moveTo moves the cursor to a column and row, clamped to the grid.
func (s *Screen) moveTo(x, y int) {
	s.x = min(max(x, 0), s.cols-1)
	s.y = min(max(y, 0), s.rows-1)
	s.pendingWrap, s.joinable = false, false
}

// moveUp and moveDown stop at the edge of the scroll region that they start in.
func (s *Screen) moveUp(n int) {
	limit := 0
	if s.y >= s.top {
		limit = s.top
	}
	s.moveTo(s.x, max(s.y-n, limit))
}

func (s *Screen) moveDown(n int) {
	limit := s.rows - 1
	if s.y <= s.bottom {
		limit = s.bottom
	}
	s.moveTo(s.x, min(s.y+n, limit))
}

func (s *Screen) lineFeed() {
	s.pendingWrap, s.joinable = false, false
	switch {
	case s.y == s.bottom:
		s.scrollUp(1)
	case s.y < s.rows-1:
		s.y++
	}
}

// scrollUp moves the rows of the region up; rows that leave the top of the main grid
// become scrollback.
func (s *Screen) scrollUp(n int) {
	n = min(n, s.bottom-s.top+1)
	if s.top == 0 && s.under == nil {
		for i := range n {
			s.keep(&s.grid[i])
		}
	}
	s.dropRows(s.top, n)
}

// dropRows removes n rows at row from; the rows below move up, and blank ones appear at
// the bottom of the region.
func (s *Screen) dropRows(from, n int) {
	for range min(n, s.bottom-from+1) {
		r := s.grid[from]
		copy(s.grid[from:s.bottom], s.grid[from+1:s.bottom+1])
		r.reset()
		s.grid[s.bottom] = r
	}
}

// scrollDown inserts n blank rows at row from; the rows below move down and out at the
// bottom of the region.
func (s *Screen) scrollDown(from, n int) {
	for range min(n, s.bottom-from+1) {
		r := s.grid[s.bottom]
		copy(s.grid[from+1:s.bottom+1], s.grid[from:s.bottom])
		r.reset()
		s.grid[from] = r
	}
}

func (s *Screen) eraseInLine(what int) {
	r := &s.grid[s.y]
	switch what {
	case 0:
		r.erase(s.x, s.cols, s.cols, s.pen)
	case 1:
		r.erase(0, s.x+1, s.cols, s.pen)
	case 2:
		r.erase(0, s.cols, s.cols, s.pen)
	}
}

func (s *Screen) eraseInScreen(what int) {
	from, to := 0, s.rows // the rows to blank completely
	switch what {
	case 0:
		s.eraseInLine(0)
		from = s.y + 1
	case 1:
		s.eraseInLine(1)
		to = s.y
	case 2:
		s.keepGrid()
	default:
		return // 3 would clear scrollback, which a program cannot take back
	}
	for i := from; i < to; i++ {
		s.grid[i].erase(0, s.cols, s.cols, s.pen)
	}
}

// keepGrid copies the main grid into scrollback.
func (s *Screen) keepGrid() {
	if s.under != nil {
		return
	}
	for i := range inkRows(s.grid) {
		s.keep(&s.grid[i])
	}
}

func (s *Screen) cursor() cursor { return cursor{x: s.x, y: s.y, pen: s.pen} }

func (s *Screen) restore(c cursor) {
	s.moveTo(c.x, c.y)
	s.pen = c.pen
}

func (s *Screen) enterAlt() {
	if s.under != nil {
		return
	}
	s.beforeAlt = s.cursor()
	s.under, s.grid = s.grid, make([]row, s.rows)
	s.top, s.bottom = 0, s.rows-1
}

func (s *Screen) leaveAlt() {
	if s.under == nil {
		return
	}
	s.grid, s.under = s.under, nil
	s.top, s.bottom = 0, s.rows-1
	s.restore(s.beforeAlt)
}
