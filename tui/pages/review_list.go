package pages

import (
	"errors"
	"maps"

	tea "charm.land/bubbletea/v2"

	"parley/internal/journal"
	"parley/tui/list"
)

// changesList is the files that have changed.
type changesList struct {
	list.Window
	files []journal.File
	// counts has the counts by path. Those of an earlier list are shown until they are
	// counted again.
	counts map[string]count
	// round counts the lists, so that each count is of the newest one.
	round    int
	counting bool
}

// count is how much of a file has changed.
type count struct {
	round          int
	state          state
	added, removed int
	err            error
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
	at := ""
	if f := l.selected(); f != nil {
		at = f.Path
	}
	l.files = files
	for i, f := range files {
		if f.Path == at {
			l.Mark = i
		}
	}
	l.round++
	l.Fit(len(files), l.Height)
}

// selected is the file that is marked, nil if there is none.
func (l *changesList) selected() *journal.File {
	if l.Mark < 0 || l.Mark >= len(l.files) {
		return nil
	}
	return &l.files[l.Mark]
}

// atOnce is how many files are compared in one command.
const atOnce = 32

// countedMsg: files were compared.
type countedMsg map[string]count

// count compares files, those in sight first, in one command at a time. It returns nil if
// all are compared.
func (v *Review) count() tea.Cmd {
	l := &v.list
	if l.counting {
		return nil
	}
	var paths []string
	for i := range l.files {
		f := l.files[(i+l.Top)%len(l.files)]
		if c, ok := l.counts[f.Path]; !f.Kept && (!ok || c.round != l.round) {
			if paths = append(paths, f.Path); len(paths) == atOnce {
				break
			}
		}
	}
	if len(paths) == 0 {
		return nil
	}
	l.counting = true
	j, ctx, since, round := v.journal, v.opt.Context, v.since(), l.round
	return func() tea.Msg {
		found := countedMsg{}
		for _, path := range paths {
			cmp, err := j.Compare(ctx, path, since)
			switch {
			case errors.Is(err, journal.ErrNothing):
				found[path] = count{round: round, state: same}
			case err != nil:
				found[path] = count{round: round, err: err}
			default:
				found[path] = count{round: round, state: stateOf(cmp), added: cmp.Added, removed: cmp.Removed}
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
		l.counts = map[string]count{}
	}
	maps.Copy(l.counts, found)
	return v.count()
}
