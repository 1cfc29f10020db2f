package pages

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/config"
	"parley/internal/app"
	"parley/internal/command"
	"parley/internal/compare"
	"parley/internal/conversation"
	"parley/internal/journal"
	"parley/internal/termtext"
	"parley/tui/dialog"
	"parley/tui/list"
	"parley/tui/toolview"
)

// CompareHost does what the page cannot do itself. The sides are named by their index.
type CompareHost interface {
	Host
	// Seat is a side as the board lists it, nil if it neither has a tab nor runs in a host: Past is then what
	// is known of it. Open opens a tab, and goes there.
	Seat(side int) *command.Seat
	Past(side int) *app.Overview
	Open(side int)
	// SendAll has the user write a prompt, and sends it to all sides.
	SendAll()
	// Stop cancels the turn of a side. CommitAndMerge commits and merges a side as
	// [app.Launcher.CommitAndMerge] does, in the background.
	Stop(side int)
	CommitAndMerge(ctx context.Context, side int, message string, drop func()) (app.Outcome, error)
	// Merger merges parts of sides.
	Merger() compare.Merger
	// Drop returns what ends a side and drops its worktree, and what follows, whether it was dropped or not.
	Drop(side int) (drop func(context.Context) error, after func(dropped bool))
}

// Compare shows the agents of a comparison side by side while they work, then what they have
// changed, two at a time, to keep files and hunks of it.
type Compare struct {
	page
	host    CompareHost
	contest *compare.Contest
	window  list.Window // of the sides
	seats   []*command.Seat
	diffs   *compareDiffs // nil while the sides are shown
	// acting names the work in the background, "" if there is none.
	acting string
	// merged are the merges, the latest last.
	merged  []merge
	columns int // the width of a column of a side as drawn, 0 for rows
	height  int // the height of a side in rows
}

// merge is a merge from a side. A merge of commits has picks and into unset.
type merge struct {
	side  int
	picks compare.Picks
	into  compare.Merger
	done  journal.Done
}

// isMerged reports whether a hunk of a side was merged here.
func (v *Compare) isMerged(side int, file string, hunk int) bool {
	return slices.ContainsFunc(v.merged, func(m merge) bool { return m.side == side && m.picks.Has(file, hunk) })
}

var _ dialog.Dialog = (*Compare)(nil)

// NewCompare makes a page, for a contest without background. The host of env is the page's.
func NewCompare(env Env, host CompareHost, c *compare.Contest) *Compare {
	v := &Compare{host: host, contest: c, seats: make([]*command.Seat, len(c.Sides))}
	v.page = newPage(env, config.ContextCompare, v.table)
	v.Host = host
	c.Background = host.InBackground
	return v
}

// Open begins to show the page: it reads what the sides have changed so far.
func (v *Compare) Open() tea.Cmd {
	return v.Host.Do(func() {
		for i := range v.contest.Sides {
			v.read(i, func() {})
		}
	})
}

// Changes reads what a side has changed so far.
func (v *Compare) Changes(side int) tea.Cmd {
	return v.Host.Do(func() { v.read(side, func() {}) })
}

// Ended follows the end of a side's turn: what it has changed is read, and checked.
func (v *Compare) Ended(side int) tea.Cmd {
	return v.Host.Do(func() {
		v.read(side, func() { v.contest.RunCheck(side) })
	})
}

// read reads what a side has changed, then calls next.
func (v *Compare) read(side int, next func()) {
	s := &v.contest.States[side]
	was := s.Changed
	v.contest.Read(side, func() {
		if s.Changed != was && s.Changed != nil {
			if v.diffs != nil {
				v.diffs.picks[side].Outdate(was, s.Changed)
			}
			for _, m := range v.merged {
				if m.side == side {
					m.picks.Outdate(was, s.Changed)
				}
			}
		}
		if v.diffs != nil {
			v.diffs.refresh(v)
		}
		next()
	})
}

// Over reports whether all sides were dropped.
func (v *Compare) Over() bool { return v.contest.Over() }

// table has the commands of a comparison.
func (v *Compare) table() rows {
	inDiffs := func() bool { return v.diffs != nil }
	inSides := func() bool { return v.diffs == nil }
	// onSide is for the marked side, which has not been dropped.
	onSide := func(do func(side int)) func() {
		return func() {
			switch i := v.at(); {
			case v.acting != "":
				v.say("wait: " + v.acting)
			case v.contest.States[i].Dropped:
				v.say(v.name(i) + " was dropped")
			default:
				do(i)
			}
		}
	}
	diffs := func(do func(*compareDiffs), hint string) does {
		return when(inDiffs, func() {
			if v.diffs == nil {
				v.say("first show the differences: " + v.keyOf("compare_diffs"))
				return
			}
			do(v.diffs)
		}, hint)
	}
	file := func(by int) does {
		return diffs(func(d *compareDiffs) { d.stepFile(v, by) }, "file")
	}
	hunk := func(by int) does {
		return diffs(func(d *compareDiffs) {
			if !d.pane().step(by) {
				v.say("there are no more changes in this file")
			}
		}, "change")
	}
	side := func(by int) does { return when(inDiffs, func() { v.stepSide(by) }, "agent") }
	return append(rows{
		{ID: "compare_answer", Keys: "a", Help: "Answer the agent's question here", Do: when(func() bool {
			return v.diffs == nil && v.overview(v.at()).Standing == conversation.StandingAsks
		}, onSide(v.answer), "answer")},
		{ID: command.Expand, Do: when(inSides, onSide(v.goTo), "go there")},
		{ID: "compare_send", Keys: "alt+s", Help: "Send a prompt to all agents", Words: "all steer follow up", Do: when(func() bool {
			return inSides() && slices.ContainsFunc(v.seats, func(s *command.Seat) bool { return s != nil })
		}, func() { v.host.SendAll() }, "prompt all")},
		{ID: "compare_diffs", Keys: "d", Help: "Differences of two agents; back", Do: when(inSides, v.toggleDiffs, "differences")},
		{ID: "compare_change_prev", Keys: "[", Help: "Previous change", Do: hunk(-1)},
		{ID: "compare_change_next", Keys: "]", Help: "Next change of the file", Do: hunk(1)},
		{ID: "compare_mark", Keys: "space", Help: "Mark the change, to merge it", Do: diffs(func(d *compareDiffs) { d.mark(v, d.pane().hunk()) }, "mark")},
		{ID: "compare_mark_file", Keys: "f", Help: "Mark the whole file", Do: diffs(func(d *compareDiffs) { d.mark(v, compare.Whole) }, "mark file")},
		{ID: "compare_keep", Keys: "m", Help: "Merge the marked changes, or everything", Words: "keep take merge", Do: always(onSide(v.keep), "merge")},
		{ID: command.CompareUndo, Keys: "u", Help: "Undo the last merge", Words: "take back revert", Do: when(func() bool { return len(v.merged) > 0 }, v.undo, "undo merge")},
		{ID: command.CompareStop, Keys: "s", Help: "Cancel the agent's turn, or its check", Do: does{onSide(v.stop), func() string {
			switch i := v.at(); {
			case v.diffs != nil:
			case v.overview(i).Working:
				return "cancel turn"
			case v.contest.Checking(i):
				return "stop check"
			}
			return ""
		}}},
		{ID: "compare_check", Keys: "c", Help: "Run the check again", Do: when(func() bool {
			i := v.at()
			return v.diffs == nil && v.contest.Check != "" && !v.overview(i).Working && !v.contest.Checking(i)
		}, onSide(v.checkAgain), "check")},
		{ID: "compare_drop", Keys: "x", Help: "Drop the agent's worktree, or all others", Do: when(inSides, onSide(v.drop), "drop")},
		{ID: "compare_file_prev", Keys: "p", Help: "Previous changed file", Do: file(-1)},
		{ID: "compare_file_next", Keys: "n", Help: "Next changed file", Do: file(1)},
		{ID: "compare_agent_prev", Keys: "left h", Help: "Previous agent", Do: side(-1)},
		{ID: "compare_agent_next", Keys: "right l", Help: "Next agent", Do: side(1)},
		{ID: "compare_pane", Keys: "tab", Help: "Other side of the differences", Do: diffs(func(d *compareDiffs) { d.active = 1 - d.active }, "other side")},
		{ID: "compare_close", Keys: "q esc", Help: "Back to the agents, close", Do: either(inDiffs, v.back, "back", "close")},
		{ID: command.DiffContext, Do: quiet(diffs(func(d *compareDiffs) { d.pane().widen() }, "").do)},
		{ID: command.Open, Do: quiet(func() {
			if v.diffs != nil {
				v.diffs.edit(v)
			}
		})},
	}, moving(func(by int) { v.moves().Move(by) }, func() int { return v.moves().Height })...)
}

// CompareGroup adds the commands of a comparison to a group.
func CompareGroup(g config.Group) config.Group { return new(Compare).table().Group(g) }

// at returns the side that a command is about: the marked one, or that of the pane.
func (v *Compare) at() int {
	if v.diffs != nil {
		return v.diffs.sides[v.diffs.active]
	}
	return max(0, min(v.window.Mark, len(v.contest.Sides)-1))
}

// name returns the name of a side, fit to be drawn.
func (v *Compare) name(side int) string { return v.contest.Title(side) }

// overview returns what the board says of a side, as of the last frame.
func (v *Compare) overview(side int) *app.Overview {
	if s := v.seats[side]; s != nil {
		return &s.Overview
	}
	return v.host.Past(side)
}

// look brings what the board says of the sides up to date.
func (v *Compare) look() {
	for i := range v.seats {
		v.seats[i] = v.host.Seat(i)
	}
}

func (v *Compare) back() {
	if v.diffs == nil {
		v.close()
		return
	}
	v.window.Put(v.at())
	v.diffs = nil
}

// moves returns the window that keys move in: that of the sides, or of the diff.
func (v *Compare) moves() *list.Window {
	if v.diffs != nil {
		return &v.diffs.pane().Window
	}
	return &v.window
}

// stepSide marks another side, or shows it in the pane.
func (v *Compare) stepSide(by int) {
	if v.diffs != nil {
		v.diffs.step(v, by)
		return
	}
	v.window.Move(by)
}

// goTo goes to the tab of a side.
func (v *Compare) goTo(side int) {
	if s := v.host.Seat(side); s != nil {
		s.Go()
	} else {
		v.host.Open(side)
	}
}

// answer shows the oldest question of a side that can be answered here, or goes to what waits.
func (v *Compare) answer(side int) {
	v.look()
	o := v.overview(side)
	if o.Waiting == 0 && o.Standing != conversation.StandingAsks {
		v.say(v.name(side) + " asks nothing")
		return
	}
	if s := v.seats[side]; s != nil && s.Answer != nil {
		s.Answer()
		return
	}
	v.goTo(side)
}

// stop cancels the turn of a side, or its check.
func (v *Compare) stop(side int) {
	v.look()
	switch {
	case v.overview(side).Working:
		v.host.Stop(side)
	case v.contest.Checking(side):
		v.contest.StopCheck(side)
	default:
		v.say(v.name(side) + " is not working")
	}
}

// checkAgain runs the check of a side again.
func (v *Compare) checkAgain(side int) {
	v.look()
	switch {
	case v.contest.Check == "":
		v.say("this comparison has no check")
	case v.contest.Checking(side):
		v.say("the check is running; " + v.keyOf(command.CompareStop) + " stops it")
	case v.overview(side).Working:
		v.say(v.name(side) + " is still working")
	case !v.contest.Trusted:
		v.Host.Ask(app.Question{
			Title: "Run this check?", Text: "It is noted with the worktrees, and runs in the sandbox of " + termtext.Line(v.contest.Sides[side].Agent.Name) + " if that has one:\n" + termtext.VisibleLine(v.contest.Check),
			Choices: []app.Choice{{Name: "Do nothing", Key: "n"}, {Name: "Run it", Key: "r", Risky: true, Here: func() {
				v.contest.Trusted = true
				v.contest.RunCheck(side)
			}}},
		})
	default:
		v.contest.RunCheck(side)
	}
}

// keep merges what is marked of a side, or asks how to merge all of it.
func (v *Compare) keep(side int) {
	if v.diffs != nil && len(v.diffs.picks[side]) > 0 {
		v.take(side, v.contest.States[side].Changed, v.diffs.picks[side])
		return
	}
	v.look()
	changed, tree := v.contest.States[side].Changed, v.contest.Sides[side].Tree
	switch {
	case v.overview(side).Working:
		v.say(v.name(side) + " is still working: wait, or cancel its turn with " + v.keyOf(command.CompareStop))
		return
	case changed == nil:
		v.say("what " + v.name(side) + " has changed is not known yet")
		v.read(side, func() {})
		return
	case len(changed.Files) == 0:
		v.say(v.name(side) + " has changed nothing")
		return
	}
	q := app.Question{
		Title: "Merge what " + v.name(side) + " has changed?",
		Text:  termtext.Count(len(changed.Files)+changed.More, "file") + " of its worktree " + tree.Name + ". To merge parts of it, mark them in the differences.",
	}
	if changed.More > 0 {
		q.Text += "\n" + compare.TooMany(tree)
	} else {
		q.Choices = append(q.Choices, app.Choice{Name: "Merge into the working tree, not committed", Key: "w", Here: func() { v.take(side, changed, changed.All()) }})
	}
	if tree.Into != "" {
		message := termtext.Truncate(termtext.Line(strings.SplitN(strings.TrimSpace(v.contest.Prompt), "\n", 2)[0]), 72, "…")
		more := "as \"" + message + "\""
		if wrote := v.contest.Wrote(side); len(wrote) > 0 {
			more += ", with what the check wrote in " + termtext.VisibleLine(strings.Join(wrote, ", "))
		}
		q.Choices = append(q.Choices, app.Choice{Name: "Commit, and merge into " + termtext.Line(tree.Into), More: more, Key: "b", Here: func() { v.commit(side, message) }})
	}
	q.Choices = append(q.Choices, app.Choice{Name: "Do nothing", Key: "n"})
	v.Host.Ask(q)
}

// commit commits what a side has changed and merges its branch.
func (v *Compare) commit(side int, message string) {
	v.background("committing and merging", func(ctx context.Context) func() {
		out, err := v.host.CommitAndMerge(ctx, side, message, func() { v.askToDrop("Drop the worktree of "+v.name(side)+"?", []int{side}) })
		return func() {
			switch {
			case err != nil:
				v.failed("not merged", err)
				return
			case out.Ask != nil:
				v.Host.Ask(*out.Ask)
			default:
				v.say(out.Say)
			}
			v.merged = append(v.merged, merge{side: side})
		}
	})
}

// background does work that has a name, and then what it returns.
func (v *Compare) background(name string, work func(context.Context) func()) {
	v.acting = name
	v.Host.InBackground(func(ctx context.Context) func() {
		then := work(ctx)
		return func() {
			v.acting = ""
			then()
		}
	})
}

// take merges picks of a side into the working tree, after asking about files that a write would
// ask about, unless who merges them asks.
func (v *Compare) take(side int, changed *compare.Changed, picks compare.Picks) {
	into := v.host.Merger()
	picks = maps.Clone(picks)
	v.background("judging files", func(ctx context.Context) func() {
		writes, err := into.Writes(v.contest.Sides[side].Agent)
		judged := compare.Judged{Free: picks}
		if err == nil && writes != nil {
			judged, err = v.contest.Judge(ctx, writes, changed, picks)
		}
		return func() {
			if err != nil {
				v.failed(journal.Outcome("merged", err), err)
				return
			}
			v.merge(side, changed, into, judged)
		}
	})
}

// merge merges what is free, after asking about the rest.
func (v *Compare) merge(side int, changed *compare.Changed, into compare.Merger, judged compare.Judged) {
	if len(judged.Why)+len(judged.Denied) == 0 {
		v.put(side, changed, into, judged.Free)
		return
	}
	q := app.Question{Title: "Merge files that need a question?"}
	var text []string
	if len(judged.Why) > 0 {
		text = append(text, "A write to these would be asked about:\n• "+strings.Join(judged.Why, "\n• "))
		all := maps.Clone(judged.Free)
		maps.Copy(all, judged.Asked)
		q.Choices = append(q.Choices, app.Choice{Name: "Merge them too", Key: "t", Risky: true, Here: func() { v.put(side, changed, into, all) }})
	}
	if len(judged.Denied) > 0 {
		text = append(text, "Not merged, because a rule denies it:\n• "+strings.Join(judged.Denied, "\n• "))
	}
	if len(judged.Free) > 0 {
		q.Choices = append(q.Choices, app.Choice{Name: "Merge the others", Key: "o", Here: func() { v.put(side, changed, into, judged.Free) }})
	}
	q.Text, q.Choices = strings.Join(text, "\n\n"), append(q.Choices, app.Choice{Name: "Do nothing", Key: "n"})
	v.Host.Ask(q)
}

// put merges picks of a side. They stay marked if that fails.
func (v *Compare) put(side int, changed *compare.Changed, into compare.Merger, picks compare.Picks) {
	v.background("merging files", func(ctx context.Context) func() {
		done, err := v.contest.Keep(ctx, into, v.contest.Sides[side], changed, picks)
		return func() {
			switch {
			case errors.Is(err, journal.ErrNothing):
				v.say("the working tree already has these changes")
			case err != nil:
				v.failed(journal.Outcome("merged", err), err)
				return
			default:
				v.merged = append(v.merged, merge{side, picks, into, done})
				v.say("merged " + v.files(done) + " of " + v.name(side) + ", not committed; " + v.keyOf(command.CompareUndo) + " undoes it")
			}
			if v.diffs != nil {
				delete(v.diffs.picks, side)
			}
		}
	})
}

// files names files.
func (v *Compare) files(done journal.Done) string {
	if len(done.Files) == 1 {
		return termtext.VisibleLine(toolview.PathsIn(v.contest.Dir).Path(done.Files[0]))
	}
	return termtext.Count(len(done.Files), "file")
}

// failed says what was not done, and why: in a dialog if it may be long.
func (v *Compare) failed(what string, err error) {
	if errors.Is(err, journal.ErrConflict) {
		v.fail(what + ": " + err.Error())
		return
	}
	v.Host.Tell(termtext.Capital(what), err.Error())
}

// undo undoes the last merge.
func (v *Compare) undo() {
	switch {
	case v.acting != "":
		v.say("wait: " + v.acting)
		return
	case len(v.merged) == 0:
		v.say("nothing was merged since parley began: git undoes what was before")
		return
	}
	last := v.merged[len(v.merged)-1]
	v.background("undoing a merge", func(ctx context.Context) func() {
		if last.into == nil {
			work, err := v.contest.Sides[last.side].Tree.Work(ctx)
			return func() { v.passCommits(last.side, err == nil && work.Commits > 0) }
		}
		_, err := last.into.Unmerge(ctx, last.done.Act)
		return func() {
			if err != nil && !errors.Is(err, journal.ErrNothing) { // undone in the review
				v.failed(journal.Outcome("undone", err), err)
				return
			}
			v.merged = v.merged[:len(v.merged)-1]
			v.say("undid the merge of " + v.files(last.done) + " of " + v.name(last.side))
		}
	})
}

// passCommits goes on to the merge before one of commits, which only git undoes, if it was made at all.
func (v *Compare) passCommits(side int, refused bool) {
	v.merged = v.merged[:len(v.merged)-1]
	if refused {
		v.undo()
		return
	}
	words := "the merge of " + v.name(side) + " is committed in " + termtext.Line(v.contest.Sides[side].Tree.Into) + ": undo it with git, such as git revert"
	if len(v.merged) > 0 {
		words += "; " + v.keyOf(command.CompareUndo) + " undoes the one before"
	}
	v.say(words)
}

// drop asks whether to drop the marked side or all others.
func (v *Compare) drop(side int) {
	var others []int
	for i := range v.contest.Sides {
		if i != side && !v.contest.States[i].Dropped {
			others = append(others, i)
		}
	}
	name := v.name(side)
	choice := func(choice, key, title string, sides ...int) app.Choice {
		return app.Choice{Name: choice, Key: key, Here: func() { v.askToDrop(title, sides) }}
	}
	q := app.Question{Title: "Drop which worktree?", Choices: []app.Choice{{Name: "None", Key: "n"}, choice("That of "+name, "o", "Drop the worktree of "+name+"?", side)}}
	if len(others) > 0 {
		q.Choices = append(q.Choices,
			choice("All but that of "+name, "b", "Drop all worktrees but that of "+name+"?", others...),
			choice("All", "a", "Drop all worktrees?", append(slices.Clone(others), side)...))
	}
	v.Host.Ask(q)
}

// askToDrop asks whether to drop sides, and lists what they have that is not merged.
func (v *Compare) askToDrop(title string, sides []int) {
	slices.Sort(sides)
	v.background("reading worktrees", func(ctx context.Context) func() {
		lost, err := v.contest.Lost(ctx, sides)
		return func() {
			if err != nil {
				v.failed("no worktree was dropped", err)
				return
			}
			v.Host.Ask(app.Question{Title: title, Text: lost, Choices: []app.Choice{
				{Name: "Keep them", Key: "k"}, {Name: "Drop", Key: "d", Risky: true, Here: func() { v.dropAll(sides) }},
			}})
		}
	})
}

// dropAll drops sides, one after the other, until one cannot be. Their checks end before.
func (v *Compare) dropAll(sides []int) {
	jobs, after := make([]func(context.Context) error, len(sides)), make([]func(bool), len(sides))
	for i, side := range sides {
		drop, over := v.host.Drop(side)
		wait := v.contest.StopCheck(side)
		after[i] = over
		jobs[i] = func(ctx context.Context) error {
			wait()
			return drop(ctx)
		}
	}
	v.background("dropping worktrees", func(ctx context.Context) func() {
		n := 0
		var failed error
		for n < len(jobs) && failed == nil {
			if failed = jobs[n](ctx); failed == nil {
				n++
			}
		}
		return func() {
			v.diffs = nil
			for i, side := range sides {
				if s := &v.contest.States[side]; i < n {
					s.Dropped, s.Changed = true, nil
				}
				after[i](i < n)
			}
			if n > 0 {
				v.say("dropped " + termtext.Count(n, "worktree") + "; unmerged work stays under refs/parley/dropped")
			}
			if failed != nil {
				v.failed("not all worktrees were dropped", failed)
			}
		}
	})
}

// Mouse implements dialog.Dialog: the wheel scrolls, a click marks, and one on what is marked
// goes there.
func (v *Compare) Mouse(msg tea.MouseMsg, x, y int) dialog.Action {
	line := bodyLine(y)
	return v.act(func() {
		switch m := msg.(type) {
		case tea.MouseWheelMsg:
			v.moves().By(list.Notch(m))
		case tea.MouseClickMsg:
			switch {
			case m.Button != tea.MouseLeft || line < 0:
			case v.diffs != nil:
				v.diffs.click(x, line)
			default:
				v.click(x, line)
			}
		}
	})
}

// click marks the side at a place, or goes there.
func (v *Compare) click(x, line int) {
	side := v.window.Top + line/max(1, v.height)
	if v.columns > 0 {
		side = v.window.Top + x/v.columns
	}
	switch {
	case side >= len(v.contest.Sides):
	case side == v.window.Mark:
		v.goTo(side)
	default:
		v.window.Put(side)
	}
}

// View implements dialog.Dialog.
func (v *Compare) View(width, height int) dialog.View {
	rows := bodyHeight(height)
	if d := v.diffs; d != nil {
		d.lay(v, width, rows)
		return v.draw(d.head(v, width), "", d.draw(v, width, rows), v.about(), v.Theme.Faint, width, height)
	}
	v.look()
	return v.draw(v.sidesHead(width), "", v.sideLines(width, rows), v.about(), v.Theme.Faint, width, height)
}

// about says what there is to say about the marked side.
func (v *Compare) about() string {
	i := v.at()
	s, tree := &v.contest.States[i], v.contest.Sides[i].Tree
	switch {
	case v.acting != "":
		return v.acting
	case v.diffs != nil:
		return v.diffs.about(v)
	case s.Dropped:
		return "its unmerged work stays in the repository under refs/parley/dropped"
	case s.Checked != nil && !s.Checked.Passed && s.Checked.Output != "":
		return "check: " + termtext.Line(s.Checked.Output[strings.LastIndexByte(s.Checked.Output, '\n')+1:])
	}
	return fmt.Sprintf("worktree %s in %s", tree.Name, termtext.VisibleLine(toolview.PathsIn(v.contest.Dir).Path(tree.Path)))
}
