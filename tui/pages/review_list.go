package pages

import (
	"errors"
	"maps"
	"slices"

	tea "charm.land/bubbletea/v2"

	"parley/internal/journal"
	"parley/internal/session"
	"parley/tui/list"
)

// changesList is the files that have changed: those of the agent, and below a heading
// those that parley only saw.
type changesList struct {
	list.Window // of files, and the heading
	files       []journal.File
	// heading is the row of the heading, -1 if there is none.
	heading int
	// counts has the counts of parts. Those of an earlier list are shown until they are
	// counted again.
	counts map[journal.Part]count
	// round counts the lists, so that each count is of the newest one.
	round    int
	counting bool
}

// count holds how much of a file has changed.
type count struct {
	round          int
	state          state
	added, removed int
	// reported means that only the agent says what the file contained, noUndo that parley
	// does not restore that.
	reported, noUndo bool
	err              error
}

// state is how a file has changed.
type state uint8

const (
	changed state = iota
	created
	deleted
	same   // unchanged
	binary // it has no lines
	lost   // its content before is unknown
	modeChanged
)

// stateOf returns how a file has changed.
func stateOf(c *journal.Comparison) state {
	switch {
	case c.Before.Lost:
		return lost
	case c.Same():
		return same
	case c.Before.Absent:
		return created
	case c.Now.Absent:
		return deleted
	case c.Binary:
		return binary
	case c.Before.Content == c.Now.Content:
		return modeChanged
	}
	return changed
}

// set takes a new list; the mark stays on its file.
func (l *changesList) set(files []journal.File) {
	var at journal.Part
	if f := l.selected(); f != nil {
		at = f.Part
	}
	slices.SortStableFunc(files, func(a, b journal.File) int {
		switch {
		case a.Seen == b.Seen:
			return 0
		case b.Seen:
			return -1
		}
		return 1
	})
	l.files = files
	l.heading = slices.IndexFunc(files, func(f journal.File) bool { return f.Seen })
	for row := range l.rows() {
		if f := l.file(row); f != nil && f.Part == at {
			l.Mark = row
		}
	}
	l.round++
	l.fit(l.Height)
}

// rows is the number of files, and of the heading.
func (l *changesList) rows() int {
	if l.heading < 0 {
		return len(l.files)
	}
	return len(l.files) + 1
}

// file is the file in a row, nil for the heading and outside the list.
func (l *changesList) file(row int) *journal.File {
	if l.heading >= 0 && row >= l.heading {
		if row == l.heading {
			return nil
		}
		row--
	}
	if row < 0 || row >= len(l.files) {
		return nil
	}
	return &l.files[row]
}

// fit takes the room there is.
func (l *changesList) fit(height int) {
	l.Fit(l.rows(), height)
	l.skip(1)
}

// skip moves the mark off the heading, if possible in the direction of n.
func (l *changesList) skip(n int) {
	switch {
	case l.heading < 0 || l.Mark != l.heading:
	case n < 0 && l.Mark > 0:
		l.Move(-1)
	default:
		l.Move(1)
	}
}

// selected returns the marked file, or nil.
func (l *changesList) selected() *journal.File { return l.file(l.Mark) }

// atOnce is the number of files compared per command.
const atOnce = 32

// countedMsg: files were compared.
type countedMsg map[journal.Part]count

// count compares files, those in sight first, in one command at a time. It returns nil if
// all are compared.
func (v *Review) count() tea.Cmd {
	l := &v.list
	if l.counting {
		return nil
	}
	var parts []journal.Part
	for i := range l.files {
		f := l.files[(i+l.Top)%len(l.files)]
		if c, ok := l.counts[f.Part]; !f.Kept && (!ok || c.round != l.round) {
			if parts = append(parts, f.Part); len(parts) == atOnce {
				break
			}
		}
	}
	if len(parts) == 0 {
		return nil
	}
	l.counting = true
	on, ctx, since, round := v.session, v.opt.Context, v.since(), l.round
	return func() tea.Msg {
		found := countedMsg{}
		for _, part := range parts {
			cmp, err := session.Do(ctx, on, session.CompareFile{Part: part, Since: since})
			switch {
			case errors.Is(err, journal.ErrNothing):
				found[part] = count{round: round, state: same}
			case err != nil:
				found[part] = count{round: round, err: err}
			default:
				found[part] = count{round: round, state: stateOf(cmp), added: cmp.Added, removed: cmp.Removed, reported: cmp.Reported, noUndo: cmp.NoUndo}
			}
		}
		return found
	}
}

// counted takes the counts, and goes on with the other files.
func (v *Review) counted(found countedMsg) tea.Cmd {
	l := &v.list
	l.counting = false
	if l.counts == nil {
		l.counts = map[journal.Part]count{}
	}
	maps.Copy(l.counts, found)
	return v.count()
}
