package pages

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/config"
	"parley/internal/app"
	"parley/internal/command"
	"parley/internal/journal"
	"parley/internal/session"
	"parley/internal/termtext"
	"parley/tui/dialog"
	"parley/tui/diffview"
	"parley/tui/list"
	"parley/tui/toolview"
)

// Review shows what the agent has changed: the list of files, and the diff of one of them,
// to keep, revert or comment on. The changes come from package journal.
type Review struct {
	page
	session app.Recorded
	at      toolview.Paths

	scope scope
	list  changesList
	// compared is the marked file as it was compared last: below the list, or in the pane.
	compared  comparison
	comparing latest
	counting  latest
	pane      *diffPane // nil while the list is shown
	part      journal.Part
	acting    context.Context // the opening in which files are being written

	comments []comment
}

// comparison is a file as it was compared in a round of the list; diff is nil if it has no lines.
type comparison struct {
	part  journal.Part
	round int
	diff  *diffview.Diff
	cmp   *journal.Comparison
	err   error
}

var _ dialog.Dialog = (*Review)(nil)

// NewReview makes a review; Open begins to show it.
func NewReview(env Env, s app.Recorded) *Review {
	v := &Review{session: s, at: toolview.PathsIn(s.Journal().Dir)}
	v.page = newPage(env, config.ContextChanges, v.table)
	v.after = v.look
	return v
}

// Open begins to show the view, or shows what is there by now.
func (v *Review) Open() tea.Cmd { return v.Host.Do(v.follow) }

// Gone implements dialog.Dialog.
func (v *Review) Gone() {
	v.page.Gone()
	v.pane = nil
}

// follow lists the files now, and again whenever the journal changes.
func (v *Review) follow() {
	j, open := v.session.Journal(), v.open
	v.refresh()
	v.later(func(context.Context) func() {
		select {
		case <-j.Changed:
		case <-open.Done():
		}
		return v.follow
	})
}

// refresh updates the list of files, and compares those in sight.
func (v *Review) refresh() {
	files, done := session.Begin(v.session, session.ChangedFiles{Since: v.since()})
	if done { // they are here, not in a host
		v.listed(files(context.Background()))
		return
	}
	v.later(func(ctx context.Context) func() {
		all, err := files(ctx)
		return func() { v.listed(all, err) }
	})
}

// listed takes the list of files.
func (v *Review) listed(files []journal.File, err error) {
	if err != nil {
		v.failed(err)
		return
	}
	v.list.set(files)
	v.count()
	v.look()
}

// failed shows an error.
func (v *Review) failed(err error) {
	var about *journal.FileError
	if errors.As(err, &about) {
		v.fail(v.at.Path(about.Path) + ": " + about.Err.Error())
		return
	}
	v.fail(err.Error())
}

// look compares the file that is marked or shown, unless that is done.
func (v *Review) look() {
	v.latest(&v.comparing, func() func(context.Context) func() {
		next := comparison{part: v.selected(), round: v.list.round}
		if next.part.Path == "" || v.compared.part == next.part && v.compared.round == next.round {
			return nil
		}
		since, name := v.since(), v.at.Path(next.part.Path)
		return func(ctx context.Context) func() {
			if next.cmp, next.err = session.Do(ctx, v.session, session.CompareFile{Part: next.part, Since: since}); next.err == nil {
				next.diff = diffOf(name, next.cmp)
			}
			return func() {
				v.compared = next
				v.showCompared()
				v.look() // the mark may have moved on
			}
		}
	})
}

// diffOf returns the diff of a comparison, nil if it has no lines.
func diffOf(name string, c *journal.Comparison) *diffview.Diff {
	if c.Binary || c.Before.Lost || c.Before.Absent && c.Now.Absent {
		return nil
	}
	before := &c.Before.Content
	if c.Before.Absent {
		before = nil
	}
	d := diffview.New(name, before, c.Now.Content)
	d.Stats() // compares
	return d
}

// showCompared shows in the pane what was compared, if it is that file.
func (v *Review) showCompared() {
	switch c := v.compared; {
	case v.pane == nil || c.part != v.part:
	case c.err != nil:
		v.failed(c.err)
		if v.pane.path == "" {
			v.pane = nil
		}
	default:
		v.pane.show(c.part.Path, c.diff, c.cmp.Hunks)
	}
}

// shown returns the comparison in the pane, nil without one.
func (v *Review) shown() *journal.Comparison {
	if v.pane == nil || v.pane.path == "" || v.compared.part != v.part {
		return nil
	}
	return v.compared.cmp
}

// table has the commands of the review.
func (v *Review) table() rows {
	inPane := func() bool { return v.pane != nil }
	hasFiles := func() bool { return v.pane != nil || len(v.list.files) > 0 }
	hunk := func(by int) does { return when(inPane, func() { v.stepHunk(by) }, "hunk") }
	acts := func(do func()) func() {
		return func() {
			if v.acting == v.open {
				v.say("wait: files are being written")
				return
			}
			do()
		}
	}
	onPart := func(do func(part journal.Part, hunk int)) func() {
		return acts(func() {
			part, hunk, c := v.selected(), -1, v.shown()
			whole := c != nil && c.From != ""
			if c != nil && len(c.Hunks) > 0 && !whole {
				hunk = v.pane.hunk()
			}
			switch {
			case part.Path == "":
				v.say("no file here")
			case v.pane != nil && hunk < 0 && len(v.pane.hunks) > 0 && !whole: // they are not drawn yet
			default:
				do(part, hunk)
			}
		})
	}
	whole := func(do func(part journal.Part, hunk int)) func() {
		return onPart(func(part journal.Part, _ int) { do(part, -1) })
	}
	inList := func(is func() bool) func() bool {
		return func() bool { return v.pane == nil && is() }
	}
	any := func() bool { return true }
	return append(rows{
		{ID: command.Expand, Do: when(inList(hasFiles), v.showPane, "show")},
		{ID: "hunk_prev", Keys: "[", Help: "Previous change", Do: hunk(-1)},
		{ID: "hunk_next", Keys: "]", Help: "Next change of the file", Do: hunk(1)},
		{ID: "changes_keep", Keys: "a", Help: "Keep the change; in the list: the file", Words: "accept approve", Do: when(hasFiles, onPart(v.keep), "keep")},
		{ID: "changes_revert", Keys: "x", Help: "Undo the change; in the list: the file", Words: "reject discard", Do: when(hasFiles, onPart(v.revert), "undo")},
		{ID: "changes_keep_file", Keys: "A", Help: "Keep the whole file", Do: when(inPane, whole(v.keep), "the file")},
		{ID: "changes_revert_file", Keys: "X", Help: "Undo the whole file", Do: when(inPane, whole(v.revert), "the file")},
		{ID: "changes_comment", Keys: "c", Help: "Comment on the line", Do: when(inPane, v.startWriting, "comment")},
		{ID: "changes_undo_turn", Keys: "u", Help: "Undo the last turn", Words: "rewind revert", Do: when(
			inList(func() bool { return v.session.Journal().Undoable > 0 }), acts(func() { v.write(v.undo().Turn) }), "undo turn")},
		{ID: command.ChangesRedo, Keys: "r", Help: "Redo the last undo", Do: when(
			inList(func() bool { return v.session.Journal().Redoable }), acts(func() { v.write(v.undo().Redo) }), "redo")},
		{ID: "changes_scope", Keys: "tab", Help: "Changes of the session, of the last turn", Do: when(inList(any), func() {
			v.setScope(scope{last: !v.scope.last && v.scope.from == 0})
		}, "turn")},
		{ID: "changes_since", Keys: "t", Help: "Changes since a prompt", Do: when(inList(any), v.chooseScope, "since")},
		{ID: "changes_close", Keys: "q esc", Help: "Back to the list, close", Do: either(inPane, v.back, "back", "close")},
		{ID: command.Open, Do: when(inPane, v.edit, "edit")},
		{ID: command.CopyPatch, Do: when(inPane, v.copyPatch, "patch")},
		{ID: command.DiffSplit, Do: when(inPane, v.toggleDiffs, "side by side")},
		{ID: command.DiffContext, Do: when(inPane, func() {
			if v.pane != nil {
				v.pane.widen()
			}
		}, "context")},
		{ID: command.ChangesComments, Keys: "S", Help: "Put the comments into the prompt", Do: quiet(v.sendComments)},
		{ID: command.Changes, Do: quiet(v.close)},
	}, moving(v.move, func() int { return v.window().Height })...)
}

// ReviewGroup adds the commands of the review to a group.
func ReviewGroup(g config.Group) config.Group { return new(Review).table().Group(g) }

// showPane shows the changes of the file that is marked.
func (v *Review) showPane() {
	if f := v.list.selected(); v.pane == nil && f != nil {
		v.pane, v.part = &diffPane{}, f.Part
		v.pane.Height = v.list.Height
		if v.compared.part == v.part && v.compared.round == v.list.round {
			v.showCompared()
		}
	}
}

// back returns to the list, or closes it.
func (v *Review) back() {
	if v.pane == nil {
		v.close()
	}
	v.pane = nil
}

// stepHunk goes to another change of the file.
func (v *Review) stepHunk(by int) {
	if v.pane != nil && !v.pane.step(by) {
		v.say("there are no more changes in this file")
	}
}

// toggleDiffs shows changes side by side, or no longer.
func (v *Review) toggleDiffs() {
	if v.pane != nil && !v.Diffs.Toggle(v.pane.width) {
		v.say("the window is too narrow to show changes side by side")
	}
}

// window returns the window that keys move in: the list's, or the diff's.
func (v *Review) window() *list.Window {
	if v.pane != nil {
		return &v.pane.Window
	}
	return &v.list.Window
}

// move moves the mark, or the cursor, by n rows.
func (v *Review) move(n int) {
	v.window().Move(n)
	v.list.skip(n)
}

// selected returns the marked or open part of a file; its path is "" if there is none.
func (v *Review) selected() journal.Part {
	if v.pane != nil {
		return v.part
	}
	if f := v.list.selected(); f != nil {
		return f.Part
	}
	return journal.Part{}
}

// Mouse implements dialog.Dialog: the wheel scrolls, a click marks, and one on what
// is marked opens it.
func (v *Review) Mouse(msg tea.MouseMsg, _, y int) dialog.Action {
	return v.act(func() {
		switch m := msg.(type) {
		case tea.MouseWheelMsg:
			v.window().By(list.Notch(m))
			v.list.skip(list.Notch(m))
		case tea.MouseClickMsg:
			if m.Button == tea.MouseLeft && v.window().Click(bodyLine(y)) {
				v.showPane()
			}
			v.list.skip(1)
		}
	})
}

// scope says of which turns changes are shown: all of the session, the last one, or those
// from a turn on.
type scope struct {
	last bool
	from int // 0 is the whole session
}

// since returns the first turn in scope, 0 for all of the session.
func (v *Review) since() int {
	if v.scope.last {
		if turns := v.session.Journal().Turns; len(turns) > 0 {
			return turns[len(turns)-1].Number
		}
	}
	return v.scope.from
}

// scopeWords describes the scope, and title says whose changes are shown.
func (v *Review) scopeWords() (words, title string) {
	switch {
	case v.scope.last:
		return "in the last turn", "Changes of the last turn"
	case v.scope.from > 0:
		words = "since " + app.TurnText(v.session.Journal(), v.scope.from)
		return words, "Changes " + words
	}
	return "in the session", "Session changes, committed or not"
}

func (v *Review) setScope(s scope) {
	v.scope, v.list.counts = s, nil
	v.refresh()
}

// chooseScope lists the scopes to choose from.
func (v *Review) chooseScope() {
	item := func(id, title, detail string, s scope) command.Item {
		return command.Item{ID: id, Title: title, Detail: detail, Current: v.scope == s, Do: func() { v.setScope(s) }}
	}
	items := []command.Item{item("session", "in the whole session", "", scope{}), item("last", "in the last turn", "", scope{last: true})}
	for _, t := range slices.Backward(v.session.Journal().Turns) {
		items = append(items, item(strconv.Itoa(t.Number), "since: "+cmp.Or(t.Prompt, "(no text)"), t.At.Format("15:04"), scope{from: t.Number}))
	}
	v.Host.Choose(command.Choice{Title: "Changes", Items: items})
}

// write does what writes files in the background, and says what it returns.
func (v *Review) write(do func(context.Context) (string, error)) {
	v.acting = v.open
	v.later(func(ctx context.Context) func() {
		words, err := do(ctx)
		return func() {
			v.acting = nil
			if v.say(words); err != nil {
				v.failed(err)
			}
			v.refresh()
		}
	})
}

// undo undoes and redoes changes.
func (v *Review) undo() app.Undo {
	return app.Undo{Session: v.session, Again: v.Keys.First(command.ChangesRedo), Name: v.at.Path}
}

// revert undoes the changes of a file, or one of them. It asks before it undoes what may be the
// user's own work. A revert can be redone at once; the message says how.
func (v *Review) revert(part journal.Part, hunk int) {
	name := v.at.Path(part.Path)
	since, c, undo := v.since(), v.shown(), v.undo()
	if v.list.counts[part].state == lost {
		v.say("the previous content of " + name + " is unknown: parley cannot undo that")
		return
	}
	revert := func() {
		if hunk >= 0 {
			v.pane.next = hunk
		}
		v.write(func(ctx context.Context) (string, error) {
			if hunk >= 0 {
				return undo.Hunk(ctx, session.RevertHunk{Comparison: c, Hunk: hunk})
			}
			return undo.File(ctx, session.RevertFile{Part: part, Since: since})
		})
	}
	if f := v.list.of(part); part.Seen && (f == nil || slices.Contains(f.Sources, journal.SourceSeen)) {
		q := app.UndoSeenQuestion(name, nil)
		q.Choices[1].Here = revert
		v.Host.Ask(q)
		return
	}
	revert()
}

// keep keeps one change of a file, or the file, or opens a kept file again.
func (v *Review) keep(part journal.Part, hunk int) {
	name, c := v.at.Path(part.Path), v.shown()
	f := v.list.of(part)
	if hunk >= 0 {
		v.pane.next = hunk
	}
	v.write(func(context.Context) (string, error) {
		switch {
		case hunk >= 0:
			session.Post(v.session, session.KeepHunk{Comparison: c, Hunk: hunk})
			return "kept one change in " + name, nil
		case f != nil && f.Kept:
			session.Post(v.session, session.OpenFile{Part: part})
			return name + " is no longer kept", nil
		}
		session.Post(v.session, session.KeepFile{Part: part})
		return "kept " + name + ": undoing the turn leaves it", nil
	})
}

// edit opens the file in the editor, at the line of the cursor.
func (v *Review) edit() {
	if path := v.selected().Path; v.pane != nil {
		v.Host.Edit(path, v.pane.newLine())
	} else if path != "" {
		v.Host.Edit(path, 0)
	}
}

// copyPatch copies the changes of the file that is shown.
func (v *Review) copyPatch() {
	if v.pane == nil || v.pane.diff == nil {
		v.say("open a file's changes first")
		return
	}
	patch, err := v.pane.diff.Patch()
	if err != nil {
		v.failed(err)
		return
	}
	v.Host.Copy("the changes as a patch", patch)
}

// comment is the user's comment on a line.
type comment struct {
	line
	text string
}

// line is a line of a file that can be commented on.
type line struct {
	path   string
	number int // from 1
	old    bool
	quote  string
}

// lineAt returns the line of the file at line n of the pane; ok is false if there is none.
func (v *Review) lineAt(n int) (l line, ok bool) {
	c := v.shown()
	if c == nil || v.pane.layout == nil {
		return l, false
	}
	old, now := v.pane.layout.LinesAt(n)
	number, text := now, c.Now.Content
	if now < 0 {
		number, text = old, c.Before.Content
	}
	if number < 0 {
		return l, false
	}
	return line{v.part.Path, number + 1, now < 0, text}, true
}

// quoted returns a line of which quote is the whole text.
func (l line) quoted() line {
	for range l.number - 1 {
		_, l.quote, _ = strings.Cut(l.quote, "\n")
	}
	l.quote, _, _ = strings.Cut(l.quote, "\n")
	l.quote = strings.TrimSuffix(l.quote, "\r")
	return l
}

// commentOn returns the index of the comment on a line of the pane, or -1.
func (v *Review) commentOn(n int) int {
	if len(v.comments) == 0 {
		return -1
	}
	l, ok := v.lineAt(n)
	return slices.IndexFunc(v.comments, func(c comment) bool {
		return ok && c.path == l.path && c.number == l.number && c.old == l.old
	})
}

// startWriting begins or continues the comment on the line at the cursor. An empty one is dropped.
func (v *Review) startWriting() {
	l, ok := line{}, false
	if v.pane != nil {
		l, ok = v.lineAt(v.pane.Mark)
	}
	if !ok {
		v.say("move the cursor to a line to comment on it")
		return
	}
	text, at := "", v.commentOn(v.pane.Mark)
	if at >= 0 {
		text = v.comments[at].text
	}
	v.writeLine(input{lead: v.lineLabel(l), enter: "save", esc: "discard", done: func(text string) {
		if at >= 0 {
			v.comments = slices.Delete(v.comments, at, at+1)
		}
		if text = strings.TrimSpace(text); text != "" {
			v.comments = append(v.comments, comment{l.quoted(), text})
		}
	}}, "your comment", text)
}

// sendComments puts the comments into the prompt.
func (v *Review) sendComments() {
	if len(v.comments) == 0 {
		v.say("no comments yet")
		return
	}
	var all []string
	for _, c := range v.comments {
		all = append(all, fmt.Sprintf("%s\n> %s\n%s", v.lineLabel(c.line), termtext.Line(c.quote), c.text))
	}
	v.comments = nil
	v.Host.Compose(strings.Join(all, "\n\n"))
}

// lineLabel names a line by path and number.
func (v *Review) lineLabel(l line) string {
	place := fmt.Sprintf("%s:%d", termtext.Line(v.at.Path(l.path)), l.number)
	if l.old {
		place += " (before the change)"
	}
	return place
}
