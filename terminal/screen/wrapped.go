package screen

// Wrapped reports whether line i was wrapped: its text continues in the next line.
func (s *Screen) Wrapped(i int) bool {
	if i < 0 {
		return false
	}
	if i < s.history.len() {
		return s.history.at(i).wrapped
	}
	i -= s.history.len()
	for _, grid := range [...][]row{s.under, s.grid} {
		n := inkRows(grid)
		if i < n {
			return grid[i].wrapped
		}
		i -= n
	}
	return false
}
