package pages

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"parley/internal/compare"
	"parley/internal/termtext"
	"parley/tui/diffview"
	"parley/tui/toolview"
)

// leastPane is the least width of a diff beside another: below it only one is drawn.
const leastPane = 40

// compareDiffs shows one file as two sides have changed it.
type compareDiffs struct {
	files  []string // changed by any side, sorted
	file   int
	sides  [2]int
	active int // the pane that keys are for
	panes  [2]diffPane
	shown  [2]*compare.File      // in the panes
	picks  map[int]compare.Picks // what is marked of each side
	split  int                   // the width of the left pane as drawn, 0 if there is one
}

// toggleDiffs shows the differences of the marked side and the next one, or the sides again.
func (v *Compare) toggleDiffs() {
	at := v.at()
	switch {
	case v.diffs != nil:
		v.back()
		return
	case v.contest.States[at].Dropped:
		v.say(v.name(at) + " was dropped")
		return
	}
	waiting := 0
	for i := range v.contest.States {
		if !v.contest.States[i].Dropped {
			waiting++
		}
	}
	for i := range v.contest.States {
		v.read(i, func() {
			if waiting--; waiting == 0 && v.diffs == nil {
				v.showDiffs(at)
			}
		})
	}
}

// changedBy returns what a side has changed, nil if that is not known.
func (v *Compare) changedBy(side int) *compare.Changed { return v.contest.States[side].Changed }

// showDiffs shows the differences, once they are read.
func (v *Compare) showDiffs(at int) {
	d := &compareDiffs{picks: map[int]compare.Picks{}}
	n, other := len(v.contest.Sides), at
	for _, least := range []int{1, 0} { // rather one that has changed something
		for i := 1; i < n && other == at; i++ {
			if next := (at + i) % n; v.changedBy(next) != nil && len(v.changedBy(next).Files) >= least {
				other = next
			}
		}
	}
	d.sides = [2]int{at, other}
	d.refresh(v)
	if len(d.files) == 0 {
		v.say("none of them has changed anything")
		return
	}
	if c := v.changedBy(at); c != nil && len(c.Files) > 0 {
		d.file = slices.Index(d.files, c.Files[0].Name)
	}
	v.diffs = d
	d.show(v)
}

// refresh shows what the sides have changed by now.
func (d *compareDiffs) refresh(v *Compare) {
	was := ""
	if d.file < len(d.files) {
		was = d.files[d.file]
	}
	all := map[string]bool{}
	for i := range v.contest.States {
		if v.changedBy(i) == nil {
			delete(d.picks, i)
			continue
		}
		for _, f := range v.changedBy(i).Files {
			all[f.Name] = true
		}
	}
	d.files = slices.Sorted(maps.Keys(all))
	d.file = max(0, slices.Index(d.files, was))
	d.show(v)
}

// show shows the file in the panes. A pane that shows the same change stays as it is.
func (d *compareDiffs) show(v *Compare) {
	for i, side := range d.sides {
		f := d.of(v, side)
		d.shown[i] = f
		if f == nil || f.Opaque {
			d.panes[i].show(fmt.Sprint(side), nil, nil)
			continue
		}
		now := ""
		if f.New != nil {
			now = *f.New
		}
		d.panes[i].show(fmt.Sprint(side, f.Name), diffview.New(f.Name, f.Old, now), f.Hunks)
	}
}

// of returns the change of the shown file by a side, nil for none.
func (d *compareDiffs) of(v *Compare, side int) *compare.File {
	if d.file >= len(d.files) {
		return nil
	}
	return v.changedBy(side).Named(d.files[d.file])
}

// all counts the changed files, also those that are not shown.
func (d *compareDiffs) all(v *Compare) int {
	n := len(d.files)
	for i := range v.contest.States {
		if c := v.changedBy(i); c != nil {
			n = max(n, len(c.Files)+c.More)
		}
	}
	return n
}

func (d *compareDiffs) pane() *diffPane { return &d.panes[d.active] }

// step shows another side in the active pane, one that is not in the other.
func (d *compareDiffs) step(v *Compare, by int) {
	n := len(v.contest.Sides)
	for i := 1; i <= n; i++ {
		next := ((d.sides[d.active]+by*i)%n + n) % n
		if next != d.sides[1-d.active] && v.changedBy(next) != nil {
			d.sides[d.active] = next
			d.show(v)
			return
		}
	}
}

func (d *compareDiffs) stepFile(v *Compare, by int) {
	next := d.file + by
	if n := d.all(v); next >= len(d.files) && n > len(d.files) {
		v.say(fmt.Sprintf("parley shows %d of %d changed files; parley worktree diff shows all", len(d.files), n))
		return
	}
	if next < 0 || next >= len(d.files) {
		v.say("there are no more changed files")
		return
	}
	d.file = next
	d.show(v)
}

// mark toggles the mark of a hunk of the active pane, or of the file.
func (d *compareDiffs) mark(v *Compare, hunk int) {
	side, f := d.sides[d.active], d.shown[d.active]
	if f == nil {
		v.say(v.name(side) + " has not changed this file")
		return
	}
	if hunk < 0 || len(f.Hunks) < 2 {
		hunk = compare.Whole
	}
	if d.picks[side] == nil {
		d.picks[side] = compare.Picks{}
	}
	if d.picks[side].Toggle(f, hunk) && hunk != compare.Whole {
		d.pane().step(1)
	}
}

// lay puts both diffs into lines.
func (d *compareDiffs) lay(v *Compare, width, rows int) {
	widths, pref := [2]int{width, width}, v.Diffs
	if d.split = 0; width >= 2*leastPane+1 && d.sides[0] != d.sides[1] {
		d.split = width / 2
		widths, pref = [2]int{d.split - 1, width - d.split}, &diffview.Preference{Unified: true}
	}
	for i := range d.panes {
		d.panes[i].lay(pref, max(1, widths[i]-margin), rows-1)
	}
}

// head names the file, and how much of it there is.
func (d *compareDiffs) head(v *Compare, width int) string {
	right := v.Theme.Muted.Render(fmt.Sprintf("file %d of %d", d.file+1, d.all(v)))
	n := 0
	for _, picks := range d.picks {
		n += len(picks)
	}
	if n > 0 {
		right = v.Theme.Warning.Render(fmt.Sprintf("%d marked", n)) + "  " + right
	}
	name := ""
	if d.file < len(d.files) {
		name = d.files[d.file]
	}
	return v.head(termtext.VisibleLine(name), "", right, width)
}

// draw draws the panes.
func (d *compareDiffs) draw(v *Compare, width, rows int) []string {
	if d.split == 0 {
		return d.drawPane(v, d.active, width, rows)
	}
	return beside(d.drawPane(v, 0, d.split-1, rows), d.drawPane(v, 1, width-d.split, rows), d.split-1, v.Theme.Faint.Render("│"))
}

// drawPane draws one pane: whose it is, and the changes.
func (d *compareDiffs) drawPane(v *Compare, pane, width, rows int) []string {
	th, side, p, f := v.Theme, d.sides[pane], &d.panes[pane], d.shown[pane]
	name, right, mark := th.Muted, "", "  "
	if pane == d.active {
		name, mark = th.Strong, th.Accent.Render("❯")+" "
	}
	if f != nil {
		right = toolview.Counts{Added: f.Added, Removed: f.Removed}.Styled(th)
		if d.picks[side].Has(f.Name, compare.Whole) && len(f.Hunks) != 1 {
			right = th.Warning.Render("■ whole file") + "  " + right
		}
	}
	lines := []string{termtext.JoinSides(mark+name.Render(v.name(side)), right+" ", width)}
	if mode := f != nil && f.ModeWords() != "" && len(f.Hunks) == 0; p.layout == nil || mode {
		words := "not changed"
		switch {
		case mode:
			words = f.ModeWords()
		case f != nil:
			words = "changed: binary, or too large to show"
		}
		return append(lines, "  "+th.Muted.Render(termtext.Truncate(words, max(1, width-margin), "…")))
	}
	drawn := p.lines(th, pane == d.active, func(_, hunk int) string {
		switch {
		case f == nil || hunk < 0:
		case d.picks[side].Has(f.Name, hunk):
			return th.Warning.Render("■")
		case v.isMerged(side, f.Name, hunk):
			return th.Success.Render("✓")
		}
		return ""
	})
	return append(lines, drawn[:min(len(drawn), rows-1)]...)
}

// about says what the cursor is on.
func (d *compareDiffs) about(v *Compare) string {
	switch f := d.shown[d.active]; {
	case f == nil:
		return v.name(d.sides[d.active]) + " has not changed this file"
	case f.Opaque:
		return ""
	case f.Old == nil:
		return "new file"
	case f.New == nil:
		return "deleted"
	case f.ModeWords() != "":
		return f.ModeWords()
	case len(d.pane().spans) > 0:
		return fmt.Sprintf("change %d of %d", d.pane().hunk()+1, len(f.Hunks))
	}
	return ""
}

// click goes to a line of a pane.
func (d *compareDiffs) click(x, line int) {
	if d.split > 0 {
		d.active = 0
		if x >= d.split {
			d.active = 1
		}
	}
	d.pane().Click(line - 1)
}

// edit opens the file in the editor, in the worktree.
func (d *compareDiffs) edit(v *Compare) {
	f := d.shown[d.active]
	if f == nil || f.New == nil && !f.Opaque {
		v.say("there is no such file in this worktree")
		return
	}
	v.Host.Edit(filepath.Join(v.contest.Sides[d.sides[d.active]].Tree.Path, filepath.FromSlash(f.Name)), d.pane().newLine())
}
