package diffview

// Preference is how a person wants to see diffs for as long as a session is open.
// Its zero value is side by side wherever there is room. All views of the session
// share one; it is not safe for concurrent use.
type Preference struct {
	// Mode is the mode for diffs that are shown whole.
	Mode Mode
}

// Toggle changes between side by side and unified. It reports false if the diff is
// drawn in too few columns for the two to differ.
func (p *Preference) Toggle(width int) bool {
	if width < SplitWidth {
		return false
	}
	if p.Mode == Unified {
		p.Mode = Auto
	} else {
		p.Mode = Unified
	}
	return true
}

// SideBySide reports whether a diff is drawn side by side in so many columns. A nil
// preference is the zero one.
func (p *Preference) SideBySide(d *Diff, width int) bool {
	return width >= SplitWidth && (p == nil || p.Mode != Unified) && d.Change() == Changed
}

// Layout puts a diff into lines as the person wants to see it.
func (p *Preference) Layout(d *Diff, width int) *Layout {
	if p.SideBySide(d, width) {
		return d.Layout(width, Split)
	}
	return d.Layout(width, Unified)
}

// MoreContext is the next step of how many unchanged lines are shown around a
// change: more, then the whole file, then as few as at first.
func MoreContext(lines int) int {
	switch {
	case lines <= DefaultContext:
		return moreLines
	case lines < Whole:
		return Whole
	}
	return DefaultContext
}

// moreLines is what the context opens to first.
const moreLines = 12
