package pages

import (
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"slices"

	tea "charm.land/bubbletea/v2"

	"parley/internal/compare"
	"parley/internal/termtext"
	"parley/tui/diffview"
	"parley/tui/list"
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
	panes  [2]*diffPane
	// picks are what is marked, of each side.
	picks map[int]*picks
	split int // the width of the left pane as drawn, 0 if there is one
}

// picks is what is marked of a side, by path. A file that is marked whole has no hunks.
type picks struct {
	files map[string]bool
	hunks map[compare.Hunk]bool
}

// has reports whether a hunk of a file is marked.
func (p *picks) has(path string, hunk int) bool {
	return p != nil && (p.files[path] || p.hunks[compare.Hunk{Path: path, Index: hunk}])
}

// toggleDiffs shows the differences of the marked side and the next one, or the sides again.
func (v *Compare) toggleDiffs() tea.Cmd {
	if v.diffs != nil {
		v.back()
		return nil
	}
	at := v.at()
	if v.sides[at].dropped {
		v.page.Say(v.sides[at].Name+" was dropped", false)
		return nil
	}
	var cmds []tea.Cmd
	waiting := 0
	show := func() tea.Cmd {
		if waiting--; waiting == 0 && v.diffs == nil {
			v.showDiffs(at)
		}
		return nil
	}
	for i := range v.sides {
		if !v.sides[i].dropped {
			waiting++
			cmds = append(cmds, v.read(i, show))
		}
	}
	return tea.Batch(cmds...)
}

// showDiffs shows the differences, once they are read.
func (v *Compare) showDiffs(at int) {
	d := &compareDiffs{picks: map[int]*picks{}}
	other := at
	for _, least := range []int{1, 0} { // rather one that has changed something
		for i := 1; i < len(v.sides) && other == at; i++ {
			if next := (at + i) % len(v.sides); v.sides[next].changed != nil && len(v.sides[next].changed.Files) >= least {
				other = next
			}
		}
	}
	d.sides = [2]int{at, other}
	d.refresh(v)
	if len(d.files) == 0 {
		v.page.Say("none of them has changed anything", false)
		return
	}
	if c := v.sides[at].changed; c != nil && len(c.Files) > 0 {
		d.file = max(0, slices.Index(d.files, c.Files[0].Path))
	}
	v.diffs = d
	d.show(v)
}

// unmark removes the marks in files that differ between was, which may be nil, and now.
func (p *picks) unmark(was, now *compare.Changed) {
	if p == nil || was == nil {
		return
	}
	differs := func(path string) bool {
		old, f := was.Named(path), now.Named(path)
		return old == nil || f == nil || !reflect.DeepEqual(old.New, f.New)
	}
	maps.DeleteFunc(p.files, func(path string, _ bool) bool { return differs(path) })
	maps.DeleteFunc(p.hunks, func(h compare.Hunk, _ bool) bool { return differs(h.Path) })
}

// refresh shows what the sides have changed by now.
func (d *compareDiffs) refresh(v *Compare) {
	was := ""
	if d.file < len(d.files) {
		was = d.files[d.file]
	}
	all := map[string]bool{}
	for i := range v.sides {
		c := v.sides[i].changed
		if c == nil {
			delete(d.picks, i)
			continue
		}
		for _, f := range c.Files {
			all[f.Path] = true
		}
	}
	d.files = slices.Sorted(maps.Keys(all))
	d.file = max(0, slices.Index(d.files, was))
	if v.diffs == d {
		d.show(v)
	}
}

// show makes the panes of the file.
func (d *compareDiffs) show(v *Compare) {
	for i, side := range d.sides {
		p := &diffPane{context: diffview.DefaultContext, target: 0}
		if old := d.panes[i]; old != nil {
			p.Height = old.Height
		}
		if f := d.of(v, side); f != nil && !f.Opaque {
			now := ""
			if f.New != nil {
				now = *f.New
			}
			p.diff, p.hunks = diffview.New(f.Path, f.Old, now), f.Hunks
		}
		d.panes[i] = p
	}
}

// of returns the change of the shown file by a side, nil for none.
func (d *compareDiffs) of(v *Compare, side int) *compare.File {
	if c := v.sides[side].changed; c != nil && d.file < len(d.files) {
		return c.Named(d.files[d.file])
	}
	return nil
}

func (d *compareDiffs) pane() *diffPane { return d.panes[d.active] }

// swap goes to the other pane.
func (d *compareDiffs) swap() { d.active = 1 - d.active }

// step shows another side in the active pane, one that is not in the other.
func (d *compareDiffs) step(v *Compare, by int) {
	n := len(v.sides)
	for i := 1; i <= n; i++ {
		next := ((d.sides[d.active]+by*i)%n + n) % n
		if next != d.sides[1-d.active] && v.sides[next].changed != nil {
			d.sides[d.active] = next
			d.show(v)
			return
		}
	}
}

func (v *Compare) stepFile(by int) {
	d := v.diffs
	next := d.file + by
	if next < 0 || next >= len(d.files) {
		v.page.Say("there are no more changed files", false)
		return
	}
	d.file = next
	d.show(v)
}

func (v *Compare) stepHunk(by int) {
	if !v.diffs.pane().step(by) {
		v.page.Say("there are no more changes in this file", false)
	}
}

// picksOf returns the marks of a side.
func (d *compareDiffs) picksOf(side int) *picks {
	p := d.picks[side]
	if p == nil {
		p = &picks{map[string]bool{}, map[compare.Hunk]bool{}}
		d.picks[side] = p
	}
	return p
}

// markHunk toggles the mark of the change at the cursor.
func (v *Compare) markHunk() {
	d := v.diffs
	side := v.at()
	f := d.of(v, side)
	if f == nil {
		v.page.Say(v.sides[side].Name+" has not changed this file", false)
		return
	}
	hunk := d.pane().hunk()
	if hunk < 0 || len(f.Hunks) < 2 {
		v.markFile()
		return
	}
	p, h := d.picksOf(side), compare.Hunk{Path: f.Path, Index: hunk}
	if p.files[f.Path] { // all but this one
		delete(p.files, f.Path)
		for i := range f.Hunks {
			p.hunks[compare.Hunk{Path: f.Path, Index: i}] = true
		}
	}
	if p.hunks[h] {
		delete(p.hunks, h)
	} else {
		p.hunks[h] = true
		d.pane().step(1)
	}
}

// markFile toggles the mark of the whole file.
func (v *Compare) markFile() {
	d := v.diffs
	side := v.at()
	f := d.of(v, side)
	if f == nil {
		v.page.Say(v.sides[side].Name+" has not changed this file", false)
		return
	}
	p := d.picksOf(side)
	maps.DeleteFunc(p.hunks, func(h compare.Hunk, _ bool) bool { return h.Path == f.Path })
	if p.files[f.Path] {
		delete(p.files, f.Path)
	} else {
		p.files[f.Path] = true
	}
}

// marked counts what is marked of a side.
func (d *compareDiffs) marked(side int) int {
	if p := d.picks[side]; p != nil {
		return len(p.files) + len(p.hunks)
	}
	return 0
}

// list returns what is marked.
func (p *picks) list() (files []string, hunks []compare.Hunk) {
	return slices.Sorted(maps.Keys(p.files)), slices.Collect(maps.Keys(p.hunks))
}

// lay puts both diffs into lines.
func (d *compareDiffs) lay(v *Compare, width, rows int) {
	d.split = 0
	if width >= 2*leastPane+1 && d.sides[0] != d.sides[1] {
		d.split = width / 2
	}
	for i, p := range d.panes {
		w := width
		if d.split > 0 {
			if w = d.split - 1; i == 1 {
				w = width - d.split
			}
		}
		pref := &diffview.Preference{Mode: diffview.Unified}
		if d.split == 0 {
			pref = v.opt.Diffs
		}
		p.lay(pref, max(1, w-margin), rows-1)
	}
}

// head names the file, and how much of it there is.
func (d *compareDiffs) head(v *Compare, width int) string {
	th := v.opt.Theme
	right := th.Muted.Render(fmt.Sprintf("file %d of %d", d.file+1, len(d.files)))
	n := 0
	for side := range d.picks {
		n += d.marked(side)
	}
	if n > 0 {
		right = th.Warning.Render(fmt.Sprintf("%d marked", n)) + "  " + right
	}
	return v.page.Head(termtext.VisibleLine(d.files[d.file]), "", right, width)
}

// draw draws the panes.
func (d *compareDiffs) draw(v *Compare, width, rows int) []string {
	if d.split == 0 {
		return d.drawPane(v, d.active, width, rows)
	}
	return list.Beside(d.drawPane(v, 0, d.split-1, rows), d.drawPane(v, 1, width-d.split, rows), d.split-1, v.opt.Theme.Faint.Render("│"))
}

// drawPane draws one pane: whose it is, and the changes.
func (d *compareDiffs) drawPane(v *Compare, pane, width, rows int) []string {
	th, side, p := v.opt.Theme, d.sides[pane], d.panes[pane]
	f := d.of(v, side)
	name, right, mark := th.Muted, "", "  "
	if pane == d.active {
		name, mark = th.Strong, th.Accent.Render("❯")+" "
	}
	if f != nil {
		right = toolview.Counts{Added: f.Added, Removed: f.Removed}.Styled(th)
		if picks := d.picks[side]; picks != nil && picks.files[f.Path] && len(f.Hunks) != 1 {
			right = th.Warning.Render("■ whole file") + "  " + right
		}
	}
	lines := []string{termtext.JoinSides(mark+name.Render(termtext.Line(v.sides[side].Name)), right+" ", width)}
	if p.layout == nil {
		return append(lines, "  "+th.Muted.Render(termtext.Truncate(nothingIn(f), max(1, width-margin), "…")))
	}
	drawn := p.lines(th, pane == d.active, func(_, hunk int) string {
		switch {
		case f == nil || hunk < 0:
		case d.picks[side].has(f.Path, hunk):
			return th.Warning.Render("■")
		case v.kept(side, f.Path, hunk):
			return th.Success.Render("✓")
		}
		return ""
	})
	return append(lines, drawn[:min(len(drawn), rows-1)]...)
}

// nothingIn says why there are no lines of a file to show.
func nothingIn(f *compare.File) string {
	switch {
	case f == nil:
		return "not changed"
	case f.Opaque:
		return "changed: binary, or too large to show"
	}
	return ""
}

// about says what the cursor is on.
func (d *compareDiffs) about(v *Compare) string {
	side := d.sides[d.active]
	switch f := d.of(v, side); {
	case f == nil:
		return v.sides[side].Name + " has not changed this file"
	case f.Old == nil && !f.Opaque:
		return "new file"
	case f.New == nil && !f.Opaque:
		return "deleted"
	case len(f.Hunks) > 0 && len(d.pane().spans) > 0:
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
func (d *compareDiffs) edit(v *Compare) tea.Cmd {
	side := d.sides[d.active]
	f := d.of(v, side)
	if f == nil || f.New == nil && !f.Opaque {
		v.page.Say("there is no such file in this worktree", false)
		return nil
	}
	return v.opt.Host.Edit(filepath.Join(v.sides[side].Tree.Path, filepath.FromSlash(f.Path)), d.pane().newLine())
}
