package journal

import (
	"slices"
	"strings"

	"parley/fs"
	"parley/internal/termtext"
)

// own returns what a file would contain without what a call that reports diffs has changed in
// it since base. It is not ok if the file does not confirm the diffs: then what has changed may
// be the user's. Text that only the agent knows does not count. watched is as of base.
func (t *turnWatch) own(base Image, now *fs.Snapshot, diffs []diff, watched bool) (own Image, ok bool) {
	was, err := t.j.content(base)
	switch {
	case err != nil:
		return base, watched // it never goes back
	case now == nil:
		return base, diffs[len(diffs)-1].new == ""
	}
	without, exact := unapplied(now, diffs)
	before, content := &fs.Snapshot{}, now.Content
	if was != nil {
		before = was
	}
	switch {
	case exact && without == nil: // the whole file
		return base, watched || was == nil
	case !isText(before.Content) || !isText(now.Content):
		return Image{}, false
	case exact && within(before.Content, without.Content, now.Content):
		content = without.Content
	case watched:
		content = unsaid(before.Content, now.Content, diffs)
	}
	if content == before.Content {
		return base, true
	}
	return t.j.keep(&fs.Snapshot{Content: content, Mode: before.Mode}, false), content != now.Content
}

// within reports whether each change from a text without the diffs to now is in a change from
// what parley saw, was, to now: it takes away nothing that was not there.
func within(was, without, now string) bool {
	seen, before, old := Hunks(was, now), termtext.SplitLines(was), termtext.SplitLines(without)
	for _, h := range Hunks(without, now) {
		if !slices.ContainsFunc(seen, func(s Hunk) bool {
			return s.NewStart <= h.NewStart && h.NewEnd <= s.NewEnd && containsRun(before[s.OldStart:s.OldEnd], old[h.OldStart:h.OldEnd])
		}) {
			return false
		}
	}
	return true
}

// containsRun reports whether lines contains others, one after the other.
func containsRun(lines, others []string) bool {
	for i := 0; i+len(others) <= len(lines); i++ {
		if slices.Equal(lines[i:i+len(others)], others) {
			return true
		}
	}
	return false
}

// unsaid returns now without the changes from was that consist of what the diffs say: a program
// may have formatted the lines since, and a diff may stand for several places.
func unsaid(was, now string, diffs []diff) string {
	added, removed := map[string]bool{}, map[string]bool{}
	for _, d := range diffs {
		old := was // of the whole file
		if d.old != nil && *d.old != "" {
			old = *d.old
		}
		before, after := termtext.SplitLines(old), termtext.SplitLines(d.new)
		for _, h := range Hunks(old, d.new) {
			for _, line := range before[h.OldStart:h.OldEnd] {
				removed[strings.TrimSpace(line)] = true
			}
			for _, line := range after[h.NewStart:h.NewEnd] {
				added[strings.TrimSpace(line)] = true
			}
		}
	}
	// said reports whether lines are among those of the diffs, blank ones aside.
	said := func(lines []string, of map[string]bool) bool {
		lines = slices.DeleteFunc(slices.Clone(lines), func(line string) bool { return strings.TrimSpace(line) == "" })
		return len(lines) > 0 && !slices.ContainsFunc(lines, func(line string) bool { return !of[strings.TrimSpace(line)] })
	}
	before, lines := termtext.SplitLines(was), termtext.SplitLines(now)
	for _, h := range slices.Backward(Hunks(was, now)) {
		old, is := before[h.OldStart:h.OldEnd], lines[h.NewStart:h.NewEnd]
		everywhere := strings.Join(old, "")
		for _, d := range diffs {
			if d.old != nil && *d.old != "" {
				everywhere = strings.ReplaceAll(everywhere, *d.old, d.new)
			}
		}
		if said(is, added) || len(is) == 0 && said(old, removed) || everywhere == strings.Join(is, "") {
			lines = slices.Concat(lines[:h.NewStart], old, lines[h.NewEnd:])
		}
	}
	return strings.Join(lines, "")
}
