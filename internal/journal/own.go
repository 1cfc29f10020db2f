package journal

import (
	"slices"
	"strings"

	"parley/fs"
	"parley/internal/termtext"
)

// own returns what a file would contain without what a call that reports diffs has changed in
// it since base. It is not ok if the file does not confirm the diffs: then what has changed may
// be the user's. Text that only the agent knows does not count. of is what parley saw since base.
func (t *turnWatch) own(base Image, now *fs.Snapshot, diffs []diff, of sight) (own Image, ok bool) {
	was, err := t.j.content(base)
	switch {
	case err != nil:
		return base, of == sawChange // it never goes back
	case now == nil:
		return base, diffs[len(diffs)-1].new == ""
	}
	without, exact := unapplied(now, diffs)
	before, content := &fs.Snapshot{}, now.Content
	if was != nil {
		before = was
	}
	switch {
	case before.IsLink() || now.IsLink():
		return Image{}, false
	case exact && without == nil: // the whole file
		return base, of == sawChange || was == nil // it may have been written as the call began
	case !isText(before.Content) || !isText(now.Content):
		return Image{}, false
	case exact && within(before.Content, without.Content, now.Content):
		content = without.Content
	case of == sawChange:
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

// unsaid returns now without the changes from was that consist of what the diffs say, where they
// say it: a program may have formatted the lines since, and a diff may stand for several places.
func unsaid(was, now string, diffs []diff) string {
	before, lines := termtext.SplitLines(was), termtext.SplitLines(now)
	for _, h := range slices.Backward(Hunks(was, now)) {
		old, is := before[h.OldStart:h.OldEnd], lines[h.NewStart:h.NewEnd]
		if slices.ContainsFunc(diffs, func(d diff) bool { return d.says(before, h, is) }) {
			lines = slices.Concat(lines[:h.NewStart], old, lines[h.NewEnd:])
		}
	}
	return strings.Join(lines, "")
}

// says reports whether a hunk from the lines of before to is consists of what a diff says.
func (d diff) says(before []string, h Hunk, is []string) bool {
	old, from := before, before[h.OldStart:h.OldEnd] // of the whole file
	if d.old != nil && *d.old != "" {
		if strings.ReplaceAll(strings.Join(from, ""), *d.old, d.new) == strings.Join(is, "") {
			return true
		}
		old = termtext.SplitLines(*d.old)
		here := false // the hunk is in those lines
		for i := max(0, h.OldEnd-len(old)); i <= min(h.OldStart, len(before)-len(old)); i++ {
			here = here || alike(before[i:i+len(old)], old)
		}
		if !here {
			return false
		}
	}
	var added, removed []string
	after := termtext.SplitLines(d.new)
	for _, e := range Hunks(strings.Join(old, ""), d.new) {
		removed = append(removed, old[e.OldStart:e.OldEnd]...)
		added = append(added, after[e.NewStart:e.NewEnd]...)
	}
	return said(is, added) || len(is) == 0 && said(from, removed)
}

// alike reports whether lines are equal but for their indentation and ends.
func alike(lines, others []string) bool {
	return slices.EqualFunc(lines, others, func(a, b string) bool { return strings.TrimSpace(a) == strings.TrimSpace(b) })
}

// said reports whether lines are among those of a diff, in their order. Blank ones, indentation
// and ends do not count.
func said(lines, of []string) bool {
	some := false
	for _, line := range lines {
		if strings.TrimSpace(line) == "" {
			continue
		}
		at := slices.IndexFunc(of, func(o string) bool { return alike([]string{o}, []string{line}) })
		if at < 0 {
			return false
		}
		some, of = true, of[at+1:]
	}
	return some
}
