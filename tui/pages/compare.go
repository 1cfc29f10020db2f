package pages

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/config"
	"parley/internal/app"
	"parley/internal/command"
	"parley/internal/compare"
	"parley/internal/conversation"
	"parley/internal/git"
	"parley/internal/termtext"
	"parley/tui/dialog"
	"parley/tui/diffview"
	"parley/tui/list"
	"parley/tui/theme"
)

// CompareOptions configure a Compare.
type CompareOptions struct {
	Comparison *compare.Comparison
	Host       CompareHost
	Theme      *theme.Theme
	Keys       config.Keys
	// Diffs is the user's preference for diffs.
	Diffs *diffview.Preference
	Now   func() time.Time
}

// CompareHost does what the page cannot do itself. The sides are named by their index.
type CompareHost struct {
	Host
	// Background does work in the background, then its continuation.
	Background func(do func(context.Context) func() tea.Cmd) tea.Cmd
	// Overview sums up a side. tab is the number of its tab from 1, 0 if it has none.
	Overview func(side int) (o app.Overview, tab int)
	// Go goes to a side's tab, which it opens if there is none. Answer shows its oldest
	// question, Stop cancels its turn.
	Go, Answer, Stop func(side int) tea.Cmd
	// Merge merges a side as worktrees are merged. Drop returns what ends a side and drops its
	// worktree.
	Merge func(side int) tea.Cmd
	Drop  func(side int) func(context.Context) error
	// Dropped follows the drop of a side.
	Dropped func(side int) tea.Cmd
	// Check runs the comparison's check where a side has worked.
	Check func(ctx context.Context, side int) (compare.Checked, error)
}

// Compare shows the agents of a comparison side by side while they work, then what they have
// changed, two at a time, to keep files and hunks of it. It never waits. Not safe for
// concurrent use.
type Compare struct {
	opt    CompareOptions
	page   list.Page
	window list.Window // of the sides
	sides  []compareSide
	diffs  *compareDiffs // nil while the sides are shown
	// acting names the work in the background, "" if there is none.
	acting string
	// mayCheck means that the user has seen the check, which anybody may have noted with a worktree
	// that was found.
	mayCheck bool
	// taken are the merges, the latest last.
	taken   []keptOf
	columns []int // the first cell of each side as drawn, nil for rows
	rows    int   // the height of a side in rows
}

// compareSide is what the page knows of a side.
type compareSide struct {
	*compare.Side
	// overview and tab are those of [CompareHost], as drawn last.
	overview app.Overview
	tab      int
	dropped  bool
	// changed is what it has changed, nil until it is read. reading means that it is being
	// read, again that it is to be read once more.
	changed        *compare.Changed
	reading, again bool
	next           []func() tea.Cmd // is called once it is read
	// checked is the outcome of the check, nil before it; checking is the one that runs.
	checked  *compare.Checked
	checking *runningCheck
	err      error
}

// runningCheck is a check that runs.
type runningCheck struct {
	stop  context.CancelCauseFunc
	ended chan struct{} // closed once it runs no more
	again bool          // the side has worked since it began
}

// errCheckStopped ends a check.
var errCheckStopped = errors.New("stopped")

// keptOf is a merge from a side.
type keptOf struct {
	side  int
	picks *picks
	taken *git.Taken
}

// kept reports whether a hunk of a side was merged here.
func (v *Compare) kept(side int, path string, hunk int) bool {
	return slices.ContainsFunc(v.taken, func(k keptOf) bool { return k.side == side && k.picks.has(path, hunk) })
}

var _ dialog.Dialog = (*Compare)(nil)

// NewCompare makes a page.
func NewCompare(opt CompareOptions) *Compare {
	v := &Compare{opt: opt, page: list.Page{Theme: opt.Theme}, mayCheck: !opt.Comparison.Found}
	for _, s := range opt.Comparison.Sides {
		v.sides = append(v.sides, compareSide{Side: s})
	}
	return v
}

// Covers marks a view that takes the whole screen.
func (v *Compare) Covers() {}

// SetTheme implements dialog.Dialog.
func (v *Compare) SetTheme(th *theme.Theme) { v.opt.Theme, v.page.Theme = th, th }

// Open begins to show the page: it reads what the sides have changed so far.
func (v *Compare) Open() tea.Cmd {
	v.page.Hush()
	var cmds []tea.Cmd
	for i := range v.sides {
		cmds = append(cmds, v.read(i, nil))
	}
	return tea.Batch(cmds...)
}

// Ended follows the end of a side's turn: what it has changed is read, and checked.
func (v *Compare) Ended(side int) tea.Cmd {
	return tea.Batch(v.read(side, nil), v.check(side))
}

// read reads what a side has changed, then calls next, which may be nil. While it is being read
// it is read once more afterwards: it may have changed since.
func (v *Compare) read(side int, next func() tea.Cmd) tea.Cmd {
	s := &v.sides[side]
	if s.dropped {
		return nil
	}
	if next != nil {
		s.next = append(s.next, next)
	}
	if s.reading {
		s.again = true
		return nil
	}
	s.reading = true
	tree := s.Side
	return v.opt.Host.Background(func(ctx context.Context) func() tea.Cmd {
		changed, err := tree.Changed(ctx)
		return func() tea.Cmd { return v.changed(side, changed, err) }
	})
}

// changed takes what a side has changed.
func (v *Compare) changed(side int, changed *compare.Changed, err error) tea.Cmd {
	s := &v.sides[side]
	s.reading = false
	if s.again && !s.dropped {
		s.again = false
		return v.read(side, nil)
	}
	if s.err = err; err == nil && !s.dropped {
		v.unmark(side, s.changed, changed)
		s.changed = changed
	}
	if v.diffs != nil {
		v.diffs.refresh(v)
	}
	var cmds []tea.Cmd
	for _, next := range s.next {
		cmds = append(cmds, next())
	}
	s.next = nil
	return tea.Batch(cmds...)
}

// unmark removes the marks in files that a side has changed once more: the hunk with the same
// index may be another one.
func (v *Compare) unmark(side int, was, now *compare.Changed) {
	if v.diffs != nil {
		v.diffs.picks[side].unmark(was, now)
	}
	for _, k := range v.taken {
		if k.side == side {
			k.picks.unmark(was, now)
		}
	}
}

// check runs the check of a side, once more if it runs already.
func (v *Compare) check(side int) tea.Cmd {
	s := &v.sides[side]
	switch {
	case s.dropped, v.opt.Comparison.Check == "", !v.mayCheck:
		return nil
	case s.checking != nil:
		s.checking.again = true
		s.checking.stop(errCheckStopped)
		return nil
	}
	stopped, stop := context.WithCancelCause(context.Background())
	running := &runningCheck{stop: stop, ended: make(chan struct{})}
	s.checking = running
	return v.opt.Host.Background(func(ctx context.Context) func() tea.Cmd {
		unbind := context.AfterFunc(ctx, func() { stop(context.Cause(ctx)) })
		checked, err := v.opt.Host.Check(stopped, side)
		unbind()
		stop(nil)
		close(running.ended)
		return func() tea.Cmd {
			s.checking = nil
			if running.again {
				return v.check(side)
			}
			if err != nil {
				checked = compare.Checked{Why: err.Error()}
			}
			s.checked = &checked
			return nil
		}
	})
}

// stop cancels the turn of a side, or its check.
func (v *Compare) stop(side int) tea.Cmd {
	o, _ := v.opt.Host.Overview(side)
	switch s := &v.sides[side]; {
	case o.Working:
		return v.opt.Host.Stop(side)
	case s.checking != nil:
		s.checking.again = false
		s.checking.stop(errCheckStopped)
	default:
		v.page.Say(s.Name+" is not working", false)
	}
	return nil
}

// Over reports whether all sides were dropped.
func (v *Compare) Over() bool {
	return !slices.ContainsFunc(v.sides, func(s compareSide) bool { return !s.dropped })
}

// Key implements dialog.Dialog.
func (v *Compare) Key(k tea.KeyPressMsg) dialog.Action {
	v.page.Hush()
	if row := compareRows().Pressed(v.opt.Keys, k.String(), config.ContextCompare, config.ContextTranscript, config.ContextPrompt); row != nil {
		return row.Do(v)
	}
	return nil
}

// compareRows are the commands of a comparison.
func compareRows() command.Rows[pageFunc[*Compare]] {
	const farthest = 1 << 30
	move := func(n int) pageFunc[*Compare] { return just(func(v *Compare) { v.move(n) }) }
	page := func(by int) pageFunc[*Compare] {
		return just(func(v *Compare) { v.move(by * max(1, v.height()-1)) })
	}
	side := func(by int) pageFunc[*Compare] { return just(func(v *Compare) { v.stepSide(by) }) }
	// onSide is for the marked side, which has not been dropped.
	onSide := func(do func(v *Compare, side int) tea.Cmd) pageFunc[*Compare] {
		return runs(func(v *Compare) tea.Cmd {
			switch i := v.at(); {
			case v.acting != "":
				v.page.Say("wait: "+v.acting, false)
			case v.sides[i].dropped:
				v.page.Say(v.sides[i].Name+" was dropped", false)
			default:
				return do(v, i)
			}
			return nil
		})
	}
	diffs := func(do func(*Compare)) pageFunc[*Compare] {
		return just(func(v *Compare) {
			if v.diffs == nil {
				v.page.Say("first show the differences: "+v.keyOf(command.CompareDiffs), false)
				return
			}
			do(v)
		})
	}
	return command.Rows[pageFunc[*Compare]]{
		{ID: command.CompareClose, Keys: "q esc", Help: "Back to the agents, close", Do: (*Compare).back},
		{ID: command.CompareSideNext, Keys: "right l", Help: "Next agent", Do: side(1)},
		{ID: command.CompareSidePrev, Keys: "left h", Help: "Previous agent", Do: side(-1)},
		{ID: command.CompareAnswer, Keys: "a", Help: "Answer the agent's question here", Do: onSide(func(v *Compare, i int) tea.Cmd {
			if o, _ := v.opt.Host.Overview(i); o.Waiting == 0 && o.Standing != conversation.StandingAsks {
				v.page.Say(v.sides[i].Name+" asks nothing", false)
				return nil
			}
			return v.opt.Host.Answer(i)
		})},
		{ID: command.CompareDiffs, Keys: "d", Help: "Differences of two agents; back", Do: runs((*Compare).toggleDiffs)},
		{ID: command.CompareCheck, Keys: "c", Help: "Run the check again", Do: onSide((*Compare).checkAgain)},
		{ID: command.CompareKeep, Keys: "m", Help: "Merge the marked changes, or everything", Words: "keep take merge", Do: onSide((*Compare).keep)},
		{ID: command.CompareUndo, Keys: "u", Help: "Undo the last merge", Words: "take back revert", Do: runs((*Compare).undo)},
		{ID: command.CompareDrop, Keys: "x", Help: "Drop the agent's worktree, or all others", Do: onSide((*Compare).drop)},
		{ID: command.CompareStop, Keys: "s", Help: "Cancel the agent's turn, or its check", Do: onSide((*Compare).stop)},
		{ID: command.ComparePane, Keys: "tab", Help: "Other side of the differences", Do: diffs(func(v *Compare) { v.diffs.swap() })},
		{ID: command.CompareFileNext, Keys: "n", Help: "Next changed file", Do: diffs(func(v *Compare) { v.stepFile(1) })},
		{ID: command.CompareFilePrev, Keys: "p", Help: "Previous changed file", Do: diffs(func(v *Compare) { v.stepFile(-1) })},
		{ID: command.CompareHunkNext, Keys: "]", Help: "Next change of the file", Do: diffs(func(v *Compare) { v.stepHunk(1) })},
		{ID: command.CompareHunkPrev, Keys: "[", Help: "Previous change", Do: diffs(func(v *Compare) { v.stepHunk(-1) })},
		{ID: command.CompareMark, Keys: "space", Help: "Mark the change, to merge it", Do: diffs((*Compare).markHunk)},
		{ID: command.CompareMarkFile, Keys: "f", Help: "Mark the whole file", Do: diffs((*Compare).markFile)},

		{ID: command.Expand, Do: onSide(func(v *Compare, i int) tea.Cmd { return v.opt.Host.Go(i) })},
		{ID: command.Next, Do: move(1)},
		{ID: command.Previous, Do: move(-1)},
		{ID: "first", Do: move(-farthest)},
		{ID: "last", Do: move(farthest)},
		{ID: "half_page_up", Do: page(-1)},
		{ID: "half_page_down", Do: page(1)},
		{ID: "page_up", Do: page(-1)},
		{ID: "page_down", Do: page(1)},
		{ID: command.LineUp, Do: move(-1)},
		{ID: command.LineDown, Do: move(1)},
		{ID: command.DiffContext, Do: diffs(func(v *Compare) { v.diffs.pane().widen() })},
		{ID: command.Open, Do: runs((*Compare).edit)},
	}
}

// CompareGroup adds the commands of a comparison to a group.
func CompareGroup(g config.Group) config.Group { return compareRows().Group(g) }

// keyOf returns the first key of a command.
func (v *Compare) keyOf(a config.Action) string {
	if keys := v.opt.Keys.For(a); len(keys) > 0 {
		return keys[0]
	}
	return string(a)
}

// at returns the side that a command is about: the marked one, or that of the pane.
func (v *Compare) at() int {
	if v.diffs != nil {
		return v.diffs.sides[v.diffs.active]
	}
	return max(0, min(v.window.Mark, len(v.sides)-1))
}

func (v *Compare) back() dialog.Action {
	if v.diffs == nil {
		return dialog.Close{}
	}
	v.window.Put(v.at())
	v.diffs = nil
	return nil
}

// move moves the mark among the sides, or the cursor in the diff.
func (v *Compare) move(n int) {
	if v.diffs != nil {
		v.diffs.pane().Move(n)
		return
	}
	v.window.Move(n)
}

func (v *Compare) height() int {
	if v.diffs != nil {
		return v.diffs.pane().Height
	}
	return v.window.Height
}

// stepSide marks another side, or shows it in the pane.
func (v *Compare) stepSide(by int) {
	if v.diffs != nil {
		v.diffs.step(v, by)
		return
	}
	v.window.Move(by)
}

// checkAgain runs the check of a side again.
func (v *Compare) checkAgain(side int) tea.Cmd {
	o, _ := v.opt.Host.Overview(side)
	switch {
	case v.opt.Comparison.Check == "":
		v.page.Say("this comparison has no check", false)
	case v.sides[side].checking != nil:
		v.page.Say("the check is running; "+v.keyOf(command.CompareStop)+" stops it", false)
	case o.Working:
		v.page.Say(v.sides[side].Name+" is still working", false)
	case !v.mayCheck:
		v.opt.Host.Ask(app.Question{
			Title: "Run this check?", Text: "It is noted with the worktrees, and runs in the sandbox of " + termtext.Line(v.sides[side].Agent.Name) + " if that has one:\n" + termtext.VisibleLine(v.opt.Comparison.Check),
			Choices: []app.Choice{{Name: "Do nothing", Key: "n"}, {Name: "Run it", Key: "r", Risky: true, Here: v.opt.Host.Here(func() tea.Cmd {
				v.mayCheck = true
				return v.check(side)
			})}},
		})
	default:
		return v.check(side)
	}
	return nil
}

// keep merges what is marked of a side, or asks how to merge all of it.
func (v *Compare) keep(side int) tea.Cmd {
	if v.diffs != nil && v.diffs.marked(side) > 0 {
		return v.take(side, false)
	}
	o, _ := v.opt.Host.Overview(side)
	s := &v.sides[side]
	switch {
	case o.Working:
		v.page.Say(s.Name+" is still working: wait, or cancel its turn with "+v.keyOf(command.CompareStop), false)
		return nil
	case s.changed == nil:
		v.page.Say("what "+s.Name+" has changed is not known yet", s.err != nil)
		return v.read(side, nil)
	case len(s.changed.Files) == 0:
		v.page.Say(s.Name+" has changed nothing", false)
		return nil
	}
	q := app.Question{
		Title: "Merge what " + termtext.Line(s.Name) + " has changed?",
		Text:  termtext.Count(len(s.changed.Files)+s.changed.More, "file") + " of its worktree " + s.Tree.Name + ". To merge parts of it, mark them in the differences.",
	}
	if s.changed.More == 0 {
		q.Choices = append(q.Choices, app.Choice{Name: "Merge into the working tree, not committed", Key: "w", Here: v.opt.Host.Here(func() tea.Cmd { return v.take(side, true) })})
	}
	if s.Tree.Into != "" {
		q.Choices = append(q.Choices, app.Choice{Name: "Commit, and merge into " + termtext.Line(s.Tree.Into), Key: "b", Here: v.opt.Host.Here(func() tea.Cmd { return v.opt.Host.Merge(side) })})
	}
	q.Choices = append(q.Choices, app.Choice{Name: "Do nothing", Key: "n"})
	v.opt.Host.Ask(q)
	return nil
}

// take merges all of a side, or what is marked, into the working tree.
func (v *Compare) take(side int, all bool) tea.Cmd {
	s := v.sides[side]
	wanted := &picks{files: map[string]bool{}}
	if all {
		for _, f := range s.changed.Files {
			wanted.files[f.Path] = true
		}
	} else {
		wanted = v.diffs.picks[side]
		delete(v.diffs.picks, side)
	}
	files, hunks := wanted.list()
	v.acting = "merging files"
	return v.opt.Host.Background(func(ctx context.Context) func() tea.Cmd {
		taken, err := v.opt.Comparison.Keep(ctx, s.Side, s.changed, files, hunks)
		return func() tea.Cmd {
			v.acting = ""
			if err != nil && v.diffs != nil && !all && v.sides[side].changed == s.changed { // they stay marked
				v.diffs.picks[side] = wanted
			}
			switch {
			case errors.Is(err, git.ErrNothing):
				v.page.Say("the working tree already has these changes", false)
			case err != nil:
				v.fail("nothing was merged", err)
			default:
				v.taken = append(v.taken, keptOf{side, wanted, taken})
				v.page.Say("merged "+names(taken.Files)+" of "+s.Name+", not committed; "+v.keyOf(command.CompareUndo)+" undoes it", false)
			}
			return nil
		}
	})
}

// names names files.
func names(files []string) string {
	if len(files) == 1 {
		return termtext.VisibleLine(files[0])
	}
	return termtext.Count(len(files), "file")
}

// fail says what was not done, and why.
func (v *Compare) fail(what string, err error) {
	if errors.As(err, new(*git.UnfitError)) {
		v.page.Say(what+": "+err.Error(), true)
		return
	}
	v.failed(strings.ToUpper(what[:1])+what[1:], err)
}

// failed says what failed in a dialog, since it may be long.
func (v *Compare) failed(title string, err error) {
	v.opt.Host.Ask(app.Question{Title: title, Text: termtext.Block(err.Error()), Choices: []app.Choice{{Name: "Close"}}})
}

// undo undoes the last merge.
func (v *Compare) undo() tea.Cmd {
	switch {
	case v.acting != "":
		v.page.Say("wait: "+v.acting, false)
		return nil
	case len(v.taken) == 0:
		v.page.Say("nothing was merged here", false)
		return nil
	}
	last := v.taken[len(v.taken)-1]
	v.acting = "undoing a merge"
	return v.opt.Host.Background(func(ctx context.Context) func() tea.Cmd {
		err := last.taken.Back(ctx)
		return func() tea.Cmd {
			v.acting = ""
			if err != nil {
				v.fail("nothing was undone", err)
				return nil
			}
			v.taken = v.taken[:len(v.taken)-1]
			v.page.Say("undid the merge of "+names(last.taken.Files)+" of "+v.sides[last.side].Name, false)
			return nil
		}
	})
}

// drop asks whether to drop the marked side or all others, and says what would be lost.
func (v *Compare) drop(side int) tea.Cmd {
	var others []int
	for i := range v.sides {
		if i != side && !v.sides[i].dropped {
			others = append(others, i)
		}
	}
	lost := func(title string, sides []int) func() {
		return v.opt.Host.Here(func() tea.Cmd { return v.askToDrop(title, sides) })
	}
	name := termtext.Line(v.sides[side].Name)
	q := app.Question{Title: "Drop which worktree?", Choices: []app.Choice{{Name: "None", Key: "n"}, {Name: "That of " + name, Key: "o", Here: lost("Drop the worktree of "+name+"?", []int{side})}}}
	if len(others) > 0 {
		q.Choices = append(q.Choices,
			app.Choice{Name: "All but that of " + name, Key: "b", Here: lost("Drop all worktrees but that of "+name+"?", others)},
			app.Choice{Name: "All", Key: "a", Here: lost("Drop all worktrees?", append(slices.Clone(others), side))})
	}
	v.opt.Host.Ask(q)
	return nil
}

// askToDrop asks whether to drop sides, and lists what they have that is not merged.
func (v *Compare) askToDrop(title string, sides []int) tea.Cmd {
	slices.Sort(sides)
	v.acting = "reading worktrees"
	all := make([]*compare.Side, len(sides))
	for i, side := range sides {
		all[i] = v.sides[side].Side
	}
	return v.opt.Host.Background(func(ctx context.Context) func() tea.Cmd {
		lost, err := compare.Lost(ctx, all)
		return func() tea.Cmd {
			v.acting = ""
			if err != nil {
				v.failed("No worktree was dropped", err)
				return nil
			}
			v.opt.Host.Ask(app.Question{
				Title: title, Text: lost,
				Choices: []app.Choice{{Name: "Keep them", Key: "k"}, {Name: "Drop", Key: "d", Risky: true, Here: v.opt.Host.Here(func() tea.Cmd { return v.dropAll(sides) })}},
			})
			return nil
		}
	})
}

// dropAll drops sides, one after the other, until one cannot be.
func (v *Compare) dropAll(sides []int) tea.Cmd {
	v.acting = "dropping worktrees"
	jobs := make([]func(context.Context) error, len(sides))
	for i, side := range sides {
		drop, running := v.opt.Host.Drop(side), v.sides[side].checking
		jobs[i] = drop
		if running != nil { // it may write there
			running.again = false
			running.stop(errCheckStopped)
			jobs[i] = func(ctx context.Context) error {
				<-running.ended
				return drop(ctx)
			}
		}
	}
	return v.opt.Host.Background(func(ctx context.Context) func() tea.Cmd {
		n := 0
		var failed error
		for n < len(jobs) && failed == nil {
			if failed = jobs[n](ctx); failed == nil {
				n++
			}
		}
		return func() tea.Cmd {
			v.acting, v.diffs = "", nil
			var cmds []tea.Cmd
			for _, side := range sides[:n] {
				v.sides[side].dropped, v.sides[side].changed = true, nil
				cmds = append(cmds, v.opt.Host.Dropped(side))
			}
			if v.page.Say("dropped "+termtext.Count(n, "worktree")+"; unmerged work stays under refs/parley/dropped", false); failed != nil {
				v.failed("Not all worktrees were dropped", failed)
			}
			return tea.Batch(cmds...)
		}
	})
}

// edit opens the file of the pane in the editor, in its worktree.
func (v *Compare) edit() tea.Cmd {
	if v.diffs == nil {
		return nil
	}
	return v.diffs.edit(v)
}

// Paste implements dialog.Dialog.
func (*Compare) Paste(string) dialog.Action { return nil }

// Mouse implements dialog.Dialog: the wheel scrolls, a click marks, and one on what is marked
// goes there.
func (v *Compare) Mouse(msg tea.MouseMsg, x, y int) dialog.Action {
	switch m := msg.(type) {
	case tea.MouseWheelMsg:
		if v.diffs != nil {
			v.diffs.pane().By(list.Notch(m))
		} else {
			v.move(list.Notch(m))
		}
	case tea.MouseClickMsg:
		if m.Button != tea.MouseLeft || list.BodyLine(y) < 0 {
			return nil
		}
		if v.diffs != nil {
			v.diffs.click(x, list.BodyLine(y))
			return nil
		}
		return v.clicked(x, list.BodyLine(y))
	}
	return nil
}

// clicked marks the side at a place, or goes there.
func (v *Compare) clicked(x, line int) dialog.Action {
	side := -1
	switch {
	case v.columns != nil:
		for i, from := range v.columns {
			if x >= from {
				side = v.window.Top + i
			}
		}
	case v.rows > 0:
		side = v.window.Top + line/v.rows
	}
	if side < 0 || side >= len(v.sides) {
		return nil
	}
	if side == v.window.Mark {
		return stay(v.opt.Host.Go(side))
	}
	v.window.Put(side)
	return nil
}
