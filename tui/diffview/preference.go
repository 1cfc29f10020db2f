package diffview

// Preference is how the user wants to see diffs in a session. The zero value means side
// by side wherever there is room. All views of the session share one; it is not safe
// for concurrent use.
type Preference struct {
	// Mode is the mode for diffs that are shown whole.
	Mode Mode
}

// Toggle switches between side by side and unified. It returns false if width is too
// small for the two to differ.
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

// SideBySide reports whether a diff is drawn side by side in a width. A nil preference
// is the zero one.
func (p *Preference) SideBySide(d *Diff, width int) bool {
	return width >= SplitWidth && (p == nil || p.Mode != Unified) && d.Change() == Changed
}

// Layout lays a diff out as the user wants to see it.
func (p *Preference) Layout(d *Diff, width int) *Layout {
	if p.SideBySide(d, width) {
		return d.Layout(width, Split)
	}
	return d.Layout(width, Unified)
}

// MoreContext returns the next step of context: more lines, then the whole file, then
// the default again.
func MoreContext(lines int) int {
	switch {
	case lines <= DefaultContext:
		return moreLines
	case lines < Whole:
		return Whole
	}
	return DefaultContext
}

// moreLines is the first step of more context.
const moreLines = 12
