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
	"parley/tui/theme"
	"parley/tui/toolview"
)

// ChangesOptions configure a Review.
type ChangesOptions struct {
	// Context ends with the program.
	Context context.Context
	Session Recorded
	Host    Host
	Theme   *theme.Theme
	Keys    config.Keys
	// Diffs is the user's preference for diffs.
	Diffs *diffview.Preference
}

// Recorded is a session with a journal.
type Recorded interface {
	session.Doer
	Journal() *journal.Summary
}

// Review shows what the agent has changed: the list of files, and the diff of one of them,
// to keep, revert or comment on. The changes come from package journal.
//
// It never waits: commands read and write files, and Update takes their results. Not safe
// for concurrent use.
type Review struct {
	opt     ChangesOptions
	page    list.Page
	session Recorded
	at      toolview.Paths

	scope scope
	list  changesList
	pane  *pane // of one file; nil while the list is shown
	// glimpse is the diff of the marked file, below the list; glimpsing means that it is
	// being compared.
	glimpse   glimpse
	glimpsing bool
	// opening is the file that is being compared to be shown.
	opening journal.Part
	// asked counts the comparisons, and answered is the number of the newest result.
	asked, answered int

	comments   []comment
	commenting line // the line of the comment that the user writes

	version int  // of the journal, when the list was made
	waiting bool // a command waits for the journal to change
	acting  bool // files are being written
	hunk    int  // the change that this is about, -1 for none
}

var _ dialog.Dialog = (*Review)(nil)

// NewReview makes a review; Open begins to show it.
func NewReview(opt ChangesOptions) *Review {
	return &Review{
		opt: opt, page: list.Page{Theme: opt.Theme}, session: opt.Session, hunk: -1, at: toolview.PathsIn(opt.Session.Journal().Dir),
	}
}

// Covers marks a view that takes the whole screen.
func (v *Review) Covers() {}

// SetTheme implements dialog.Dialog.
func (v *Review) SetTheme(th *theme.Theme) { v.opt.Theme, v.page.Theme = th, th }

// ChangesMsg is the result of a command of a Review.
type ChangesMsg interface{ changes() }

type (
	// journalMsg: the journal has changed.
	journalMsg struct{}
	// filesMsg is the list of files.
	filesMsg struct {
		files []journal.File
		err   error
	}
	// actedMsg: files were written, or could not be.
	actedMsg struct {
		words string
		err   error
	}
)

func (journalMsg) changes()  {}
func (filesMsg) changes()    {}
func (actedMsg) changes()    {}
func (countedMsg) changes()  {}
func (comparedMsg) changes() {}
func (glimpsedMsg) changes() {}

// Open begins to show the view.
func (v *Review) Open() tea.Cmd {
	v.page.Hush()
	return tea.Batch(v.refresh(), v.wait())
}

// Update handles the result of a command. open says whether the view is open.
func (v *Review) Update(msg ChangesMsg, open bool) tea.Cmd {
	switch msg := msg.(type) {
	case journalMsg:
		v.waiting = false
		if open {
			return tea.Batch(v.refresh(), v.wait())
		}
	case filesMsg:
		return v.listed(msg)
	case countedMsg:
		return v.counted(msg)
	case comparedMsg:
		v.compared(msg)
	case glimpsedMsg:
		v.glimpse, v.glimpsing = glimpse(msg), false
		return v.look() // the mark may have moved on
	case actedMsg:
		v.acting = false
		if v.pane != nil {
			v.pane.next = v.hunk
		}
		v.hunk = -1
		v.say(msg.words, msg.err)
		return v.refresh()
	}
	return nil
}

// wait waits for the journal to change, in one command at a time.
func (v *Review) wait() tea.Cmd {
	if v.waiting {
		return nil
	}
	v.waiting = true
	j, ctx := v.session.Journal(), v.opt.Context
	if j.Version != v.version {
		return func() tea.Msg { return journalMsg{} }
	}
	return func() tea.Msg {
		select {
		case <-j.Changed:
		case <-ctx.Done():
		}
		return journalMsg{}
	}
}

// refresh updates the list of files, and compares those in sight.
func (v *Review) refresh() tea.Cmd {
	v.version = v.session.Journal().Version
	files, done := session.Begin(v.session, session.ChangedFiles{Since: v.since()})
	ctx := v.opt.Context
	if !done { // another process has them
		return func() tea.Msg {
			all, err := files(ctx)
			return filesMsg{all, err}
		}
	}
	all, err := files(ctx)
	return v.listed(filesMsg{all, err})
}

// listed takes the list of files.
func (v *Review) listed(msg filesMsg) tea.Cmd {
	if msg.err != nil {
		v.say("", msg.err)
		return nil
	}
	v.list.set(msg.files)
	cmds := []tea.Cmd{v.count(), v.look()}
	if v.pane != nil {
		cmds = append(cmds, v.compare(v.pane.part))
	}
	return tea.Batch(cmds...)
}

// say shows a message, or the error, until the next key.
func (v *Review) say(words string, err error) {
	var about *journal.FileError
	switch {
	case errors.As(err, &about):
		words = v.at.Path(about.Path) + ": " + about.Err.Error()
	case err != nil:
		words = err.Error()
	}
	v.page.Say(words, err != nil)
}

// Key implements dialog.Dialog.
func (v *Review) Key(k tea.KeyPressMsg) dialog.Action { return v.moved(v.key(k)) }

// moved follows what was done by a look at the file that is marked now.
func (v *Review) moved(a dialog.Action) dialog.Action {
	if a == nil {
		return stay(v.look())
	}
	return a
}

func (v *Review) key(k tea.KeyPressMsg) dialog.Action {
	if v.page.Writes() {
		v.writingKey(k)
		return nil
	}
	v.page.Hush()
	name := k.String()
	if row := reviewRows().Pressed(v.opt.Keys, name, config.ContextChanges, config.ContextTranscript, config.ContextPrompt); row != nil {
		return row.Do(v)
	}
	return nil
}

// reviewRows are the commands of the review.
func reviewRows() command.Rows[pageFunc[*Review]] {
	const farthest = 1 << 30
	move := func(n int) pageFunc[*Review] { return just(func(v *Review) { v.move(n) }) }
	page := func(by int) pageFunc[*Review] {
		return just(func(v *Review) { v.move(by * max(1, v.window().Height-1)) })
	}
	half := func(by int) pageFunc[*Review] {
		return just(func(v *Review) { v.move(by * max(1, v.window().Height/2)) })
	}
	hunk := func(by int) pageFunc[*Review] { return just(func(v *Review) { v.stepHunk(by) }) }
	acts := func(do func(*Review) tea.Cmd) pageFunc[*Review] {
		return runs(func(v *Review) tea.Cmd {
			if v.acting {
				v.say("wait: files are being written", nil)
				return nil
			}
			return do(v)
		})
	}
	onPart := func(do func(v *Review, part journal.Part, hunk bool) tea.Cmd) pageFunc[*Review] {
		return acts(func(v *Review) tea.Cmd {
			part, hunk := v.part(), v.pane != nil && len(v.pane.cmp.Hunks) > 0
			switch {
			case part.Path == "":
				v.say("no file here", nil)
				return nil
			case hunk && v.pane.hunk() < 0: // they are not drawn yet
				return nil
			}
			return do(v, part, hunk)
		})
	}
	return command.Rows[pageFunc[*Review]]{
		{ID: command.ChangesClose, Keys: "q esc", Help: "Back to the list, close", Do: (*Review).back},
		{ID: command.HunkNext, Keys: "]", Help: "Next change of the file", Do: hunk(1)},
		{ID: command.HunkPrev, Keys: "[", Help: "Previous change", Do: hunk(-1)},
		{ID: command.ChangesScope, Keys: "tab", Help: "Changes of the session, of the last turn", Do: runs(func(v *Review) tea.Cmd {
			return v.setScope(scope{last: !v.scope.last && v.scope.from == 0})
		})},
		{ID: command.ChangesSince, Keys: "t", Help: "Changes since a prompt", Do: just((*Review).chooseScope)},
		{ID: command.ChangesKeep, Keys: "a", Help: "Keep the change; in the list: the file", Words: "accept approve", Do: onPart((*Review).keep)},
		{ID: command.ChangesRevert, Keys: "x", Help: "Undo the change; in the list: the file", Words: "reject discard", Do: onPart((*Review).revert)},
		{ID: command.ChangesKeepAll, Keys: "A", Help: "Keep the whole file", Do: onPart(func(v *Review, part journal.Part, _ bool) tea.Cmd { return v.keep(part, false) })},
		{ID: command.ChangesBackAll, Keys: "X", Help: "Undo the whole file", Do: onPart(func(v *Review, part journal.Part, _ bool) tea.Cmd { return v.revert(part, false) })},
		{ID: command.ChangesUndo, Keys: "u", Help: "Undo the last turn", Words: "rewind revert", Do: acts(func(v *Review) tea.Cmd { return v.write(v.undoTurn) })},
		{ID: command.ChangesRedo, Keys: "r", Help: "Redo the last undo", Do: acts(func(v *Review) tea.Cmd { return v.write(v.redo) })},
		{ID: command.ChangesComment, Keys: "c", Help: "Comment on the line", Do: just((*Review).startWriting)},
		{ID: command.ChangesComments, Keys: "S", Help: "Put the comments into the prompt", Do: runs((*Review).sendComments)},

		{ID: command.Expand, Do: runs((*Review).show)},
		{ID: command.Next, Do: move(1)},
		{ID: command.Previous, Do: move(-1)},
		{ID: "first", Do: move(-farthest)},
		{ID: "last", Do: move(farthest)},
		{ID: "half_page_up", Do: half(-1)},
		{ID: "half_page_down", Do: half(1)},
		{ID: command.DiffContext, Do: just((*Review).widen)},
		{ID: command.DiffSplit, Do: just((*Review).toggleDiffs)},
		{ID: command.Open, Do: runs((*Review).edit)},
		{ID: command.CopyPatch, Do: runs((*Review).copyPatch)},
		{ID: command.Changes, Do: func(*Review) dialog.Action { return dialog.Close{} }},
		{ID: "page_up", Do: page(-1)},
		{ID: "page_down", Do: page(1)},
		{ID: command.LineUp, Do: move(-1)},
		{ID: command.LineDown, Do: move(1)},
	}
}

// ReviewGroup adds the commands of the review to a group.
func ReviewGroup(g config.Group) config.Group { return reviewRows().Group(g) }

// back returns to the list, or closes it.
func (v *Review) back() dialog.Action {
	if v.pane == nil {
		return dialog.Close{}
	}
	v.pane, v.opening = nil, journal.Part{}
	return nil
}

// stepHunk goes to another change of the file.
func (v *Review) stepHunk(by int) {
	if v.pane != nil && !v.pane.step(by) {
		v.say("there are no more changes in this file", nil)
	}
}

// widen shows more lines around the changes.
func (v *Review) widen() {
	if v.pane != nil {
		v.pane.widen()
	}
}

// toggleDiffs shows changes side by side, or no longer.
func (v *Review) toggleDiffs() {
	if v.pane != nil && !v.opt.Diffs.Toggle(v.pane.width) {
		v.say("the window is too narrow to show changes side by side", nil)
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

// part returns the marked or open part of a file; its path is "" if there is none.
func (v *Review) part() journal.Part {
	if v.pane != nil {
		return v.pane.part
	}
	if f := v.list.selected(); f != nil {
		return f.Part
	}
	return journal.Part{}
}

// Paste implements dialog.Dialog: it writes into a comment.
func (v *Review) Paste(text string) dialog.Action {
	if v.page.Writes() {
		v.page.Line.Paste(text)
	}
	return nil
}

// Mouse implements dialog.Dialog: the wheel scrolls, a click marks, and one on what
// is marked opens it.
func (v *Review) Mouse(msg tea.MouseMsg, _, y int) dialog.Action { return v.moved(v.mouse(msg, y)) }

func (v *Review) mouse(msg tea.MouseMsg, y int) dialog.Action {
	switch m := msg.(type) {
	case tea.MouseWheelMsg:
		v.window().By(list.Notch(m))
		v.list.skip(list.Notch(m))
	case tea.MouseClickMsg:
		if m.Button == tea.MouseLeft && v.window().Click(list.BodyLine(y)) {
			return stay(v.show())
		}
		v.list.skip(1)
	}
	return nil
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

// scopeWords describes the scope.
func (v *Review) scopeWords() string {
	switch {
	case v.scope.last:
		return "in the last turn"
	case v.scope.from > 0:
		return "since " + v.turnWords(v.scope.from)
	}
	return "in the session"
}

// title says whose changes are shown.
func (v *Review) title() string {
	switch {
	case v.scope.last:
		return "Changes of the last turn"
	case v.scope.from > 0:
		return "Changes since " + v.turnWords(v.scope.from)
	}
	return "Session changes"
}

// turnWords names a turn by its prompt.
func (v *Review) turnWords(number int) string {
	for _, t := range v.session.Journal().Turns {
		if t.Number == number && t.Prompt != "" {
			return "“" + termtext.Line(t.Prompt) + "”"
		}
	}
	return fmt.Sprintf("turn %d", number)
}

func (v *Review) setScope(s scope) tea.Cmd {
	v.scope = s
	v.list.counts = nil
	return v.refresh()
}

// chooseScope lists the scopes to choose from.
func (v *Review) chooseScope() {
	set := func(s scope) func() { return v.opt.Host.Here(func() tea.Cmd { return v.setScope(s) }) }
	items := []command.Item{
		{ID: "session", Title: "in the whole session", Current: v.scope == scope{}, Do: set(scope{})},
		{ID: "last", Title: "in the last turn", Current: v.scope.last, Do: set(scope{last: true})},
	}
	for _, t := range slices.Backward(v.session.Journal().Turns) {
		items = append(items, command.Item{
			ID: strconv.Itoa(t.Number), Title: "since: " + cmp.Or(t.Prompt, "(no text)"), Detail: t.At.Format("15:04"),
			Current: t.Number == v.scope.from, Do: set(scope{from: t.Number}),
		})
	}
	v.opt.Host.Choose(command.Choice{Title: "Changes", Items: items})
}

// keep keeps a file, or the change at the cursor.
func (v *Review) keep(part journal.Part, hunk bool) tea.Cmd {
	if hunk {
		return v.keepHunk()
	}
	return v.keepFile(part)
}

// revert undoes the changes of a file, or the one at the cursor. A revert can be redone at once;
// the message says how.
func (v *Review) revert(part journal.Part, hunk bool) tea.Cmd {
	revert := func() tea.Cmd { return v.revertFile(part) }
	if hunk {
		cmp, hunk := v.pane.cmp, v.pane.hunk()
		revert = func() tea.Cmd { return v.revertHunk(cmp, hunk) }
	}
	if part.Seen {
		v.askToRevert(part, revert)
		return nil
	}
	return revert()
}

// askToRevert asks before it undoes what may be the user's own work.
func (v *Review) askToRevert(part journal.Part, revert func() tea.Cmd) {
	q := app.UndoSeenQuestion(v.at.Path(part.Path), nil)
	q.Choices[1].Here = v.opt.Host.Here(revert)
	v.opt.Host.Ask(q)
}

// write runs do, which writes files, in a command. do returns what to say.
func (v *Review) write(do func(context.Context) (string, error)) tea.Cmd {
	v.acting = true
	ctx := v.opt.Context
	return func() tea.Msg {
		words, err := do(ctx)
		return actedMsg{words, err}
	}
}

// again says how to redo a revert.
func (v *Review) again() string {
	if keys := v.opt.Keys.For(command.ChangesRedo); len(keys) > 0 {
		return " · " + keys[0] + " redoes it"
	}
	return ""
}

func (v *Review) undoTurn(ctx context.Context) (string, error) {
	done, err := session.Do(ctx, v.session, session.UndoTurn{})
	switch {
	case errors.Is(err, journal.ErrNothing):
		return "no changes of the agent to undo", nil
	case err != nil:
		return "", err
	}
	words := fmt.Sprintf("undid %s: %s%s", v.turnWords(done.Turn), termtext.Count(len(done.Files), "file"), v.again())
	if left := app.LeftAlone(done, v.at.Path); left != "" {
		words += " · " + left
	}
	return words, nil
}

func (v *Review) redo(ctx context.Context) (string, error) {
	done, err := session.Do(ctx, v.session, session.Redo{})
	switch {
	case errors.Is(err, journal.ErrNothing):
		return "nothing to redo", nil
	case err != nil:
		return "", err
	}
	return "redid " + termtext.Count(len(done.Files), "file"), nil
}

func (v *Review) revertFile(part journal.Part) tea.Cmd {
	since := v.since()
	name := v.at.Path(part.Path)
	return v.write(func(ctx context.Context) (string, error) {
		_, err := session.Do(ctx, v.session, session.RevertFile{Part: part, Since: since})
		if errors.Is(err, journal.ErrNothing) {
			return "nothing to undo in " + name, nil
		}
		return "undid the changes in " + name + v.again(), err
	})
}

func (v *Review) revertHunk(cmp *journal.Comparison, hunk int) tea.Cmd {
	v.hunk = hunk
	return v.write(func(ctx context.Context) (string, error) {
		_, err := session.Do(ctx, v.session, session.RevertHunk{Comparison: cmp, Hunk: hunk})
		return "undid one change in " + v.at.Path(cmp.Path) + v.again(), err
	})
}

// keepFile marks a file as kept, or as open again.
func (v *Review) keepFile(part journal.Part) tea.Cmd {
	kept := slices.ContainsFunc(v.list.files, func(f journal.File) bool { return f.Part == part && f.Kept })
	name := v.at.Path(part.Path)
	return v.write(func(context.Context) (string, error) {
		if kept {
			session.Post(v.session, session.OpenFile{Part: part})
			return name + " is no longer kept", nil
		}
		session.Post(v.session, session.KeepFile{Part: part})
		return "kept " + name + ": undoing the turn leaves it", nil
	})
}

func (v *Review) keepHunk() tea.Cmd {
	cmp, hunk := v.pane.cmp, v.pane.hunk()
	v.hunk = hunk
	return v.write(func(context.Context) (string, error) {
		session.Post(v.session, session.KeepHunk{Comparison: cmp, Hunk: hunk})
		return "kept one change in " + v.at.Path(cmp.Path), nil
	})
}

// edit opens the file in the editor, at the line of the cursor.
func (v *Review) edit() tea.Cmd {
	path, line := v.part().Path, 0
	if path == "" {
		return nil
	}
	if v.pane != nil {
		line = v.pane.newLine()
	}
	return v.opt.Host.Edit(path, line)
}

// copyPatch copies the changes of the file that is shown.
func (v *Review) copyPatch() tea.Cmd {
	if v.pane == nil || v.pane.diff == nil {
		v.say("open a file's changes first", nil)
		return nil
	}
	patch, err := v.pane.diff.Patch()
	if err != nil {
		v.say("", err)
		return nil
	}
	return v.opt.Host.Copy("the changes as a patch", patch)
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

// lineHere returns the line at the cursor; ok is false without one.
func (v *Review) lineHere() (l line, ok bool) {
	p := v.pane
	if p == nil || p.layout == nil {
		return l, false
	}
	old, now := p.layout.LinesAt(p.Mark)
	number, text := now, p.cmp.Now.Content
	if now < 0 {
		number, text = old, p.cmp.Before.Content
	}
	if number < 0 {
		return l, false
	}
	return line{p.part.Path, number + 1, now < 0, lineOf(text, number)}, true
}

// lineOf returns a line of a text, from 0, without its end.
func lineOf(text string, number int) string {
	for range number {
		at := strings.IndexByte(text, '\n')
		if at < 0 {
			return ""
		}
		text = text[at+1:]
	}
	text, _, _ = strings.Cut(text, "\n")
	return strings.TrimSuffix(text, "\r")
}

// commentOn returns the index of the comment on a line, or -1.
func (v *Review) commentOn(l line) int {
	return slices.IndexFunc(v.comments, func(c comment) bool {
		return c.path == l.path && c.number == l.number && c.old == l.old
	})
}

// startWriting begins or continues the comment on the line at the cursor.
func (v *Review) startWriting() {
	l, ok := v.lineHere()
	if !ok {
		v.say("move the cursor to a line to comment on it", nil)
		return
	}
	text := ""
	if i := v.commentOn(l); i >= 0 {
		text = v.comments[i].text
	}
	v.commenting = l
	v.page.Write(v.lineLabel(l), "your comment", text)
}

// writingKey takes a key while the user writes a comment. An empty comment is dropped.
func (v *Review) writingKey(k tea.KeyPressMsg) {
	switch k.String() {
	case "esc":
		v.page.Written()
	case "enter":
		if i := v.commentOn(v.commenting); i >= 0 {
			v.comments = slices.Delete(v.comments, i, i+1)
		}
		if text := strings.TrimSpace(v.page.Written()); text != "" {
			v.comments = append(v.comments, comment{v.commenting, text})
		}
	default:
		v.page.Line.Key(k)
	}
}

// sendComments puts the comments into the prompt.
func (v *Review) sendComments() tea.Cmd {
	if len(v.comments) == 0 {
		v.say("no comments yet", nil)
		return nil
	}
	var b strings.Builder
	for i, c := range v.comments {
		if i > 0 {
			b.WriteString("\n\n")
		}
		fmt.Fprintf(&b, "%s\n> %s\n%s", v.lineLabel(c.line), termtext.Line(c.quote), c.text)
	}
	v.comments = nil
	return v.opt.Host.Compose(b.String())
}

// lineLabel names a line by path and number.
func (v *Review) lineLabel(l line) string {
	place := fmt.Sprintf("%s:%d", termtext.Line(v.at.Path(l.path)), l.number)
	if l.old {
		place += " (before the change)"
	}
	return place
}
