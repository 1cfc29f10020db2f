package pages

import (
	"context"
	"errors"

	tea "charm.land/bubbletea/v2"

	"parley/config"
	"parley/internal/journal"
	"parley/tui/dialog"
	"parley/tui/diffview"
	"parley/tui/list"
	"parley/tui/theme"
	"parley/tui/toolview"
)

// ChangesOptions say what a review is made of.
type ChangesOptions struct {
	// Context ends with the program.
	Context context.Context
	Journal *journal.Journal
	Host    Host
	Theme   *theme.Theme
	Keys    config.Keys
	// Diffs is how the person wants to see changes.
	Diffs *diffview.Preference
}

// Review shows what the agent has changed: the list of files, and the diff of one of them,
// to keep, take back or comment on. Package journal knows the changes.
//
// It never waits: commands read and write files, and Update takes their results. Not safe
// for concurrent use.
type Review struct {
	opt     ChangesOptions
	page    list.Page
	journal *journal.Journal
	at      toolview.Paths

	scope scope
	list  changesList
	pane  *pane // of one file; nil while the list is shown
	// opening is the file that is being compared to be shown.
	opening string
	// asked counts the comparisons, and answered is the number of the newest result.
	asked, answered int

	comments   []comment
	commenting line // the line of the comment that the person writes

	version int  // of the journal, when the list was made
	waiting bool // a command waits for the journal to change
	acting  bool // files are being written
	hunk    int  // the change that this is about, -1 for none
}

var _ dialog.Dialog = (*Review)(nil)

// NewReview makes a review; Open begins to show it.
func NewReview(opt ChangesOptions) *Review {
	return &Review{
		opt: opt, page: list.Page{Theme: opt.Theme}, journal: opt.Journal, hunk: -1, at: toolview.PathsIn(opt.Journal.Dir()),
	}
}

// Covers says that the view takes the whole screen.
func (v *Review) Covers() {}

// SetTheme implements dialog.Dialog.
func (v *Review) SetTheme(th *theme.Theme) { v.opt.Theme, v.page.Theme = th, th }

// ChangesMsg is what a command of a review brings.
type ChangesMsg interface{ changes() }

type (
	// journalMsg: the journal has more to tell.
	journalMsg struct{}
	// actedMsg: files were written, or could not be.
	actedMsg struct {
		words string
		err   error
	}
)

func (journalMsg) changes()  {}
func (actedMsg) changes()    {}
func (countedMsg) changes()  {}
func (comparedMsg) changes() {}

// Open begins to show the view.
func (v *Review) Open() tea.Cmd {
	v.page.Hush()
	return tea.Batch(v.refresh(), v.wait())
}

// Update takes what a command has brought. open says whether the view is open.
func (v *Review) Update(msg ChangesMsg, open bool) tea.Cmd {
	switch msg := msg.(type) {
	case journalMsg:
		v.waiting = false
		if open {
			return tea.Batch(v.refresh(), v.wait())
		}
	case countedMsg:
		return v.counted(msg)
	case comparedMsg:
		v.compared(msg)
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

// wait waits for the journal to have more to tell, in one command at a time.
func (v *Review) wait() tea.Cmd {
	if v.waiting {
		return nil
	}
	v.waiting = true
	j, ctx, version := v.journal, v.opt.Context, v.version
	return func() tea.Msg {
		j.Changed(ctx, version)
		return journalMsg{}
	}
}

// refresh lists the files anew, and compares those that are in sight.
func (v *Review) refresh() tea.Cmd {
	v.version = v.journal.Version()
	v.list.set(v.journal.Files(v.since()))
	cmds := []tea.Cmd{v.count()}
	if v.pane != nil {
		cmds = append(cmds, v.compare(v.pane.path))
	}
	return tea.Batch(cmds...)
}

// say says something below the view until the next key.
func (v *Review) say(words string, err error) {
	if err != nil {
		words = v.words(err)
	}
	v.page.Say(words, err != nil)
}

// words says what went wrong, with the file as it is shown.
func (v *Review) words(err error) string {
	var about *journal.FileError
	if errors.As(err, &about) {
		return v.at.Path(about.Path) + ": " + about.Err.Error()
	}
	return err.Error()
}

// Key implements dialog.Dialog.
func (v *Review) Key(k tea.KeyPressMsg) dialog.Action {
	if v.page.Writes() {
		v.writingKey(k)
		return nil
	}
	v.page.Hush()
	name := k.String()
	if a, ok := v.opt.Keys.Action(config.ContextChanges, name); ok {
		return v.do(a)
	}
	if a, ok := v.opt.Keys.Action(config.ContextTranscript, name); ok {
		return v.do(a)
	}
	switch a, _ := v.opt.Keys.Action(config.ContextPrompt, name); a {
	case config.ActionChanges:
		return dialog.Close{}
	case config.ActionPageUp, config.ActionPageDown:
		v.window().Move(sign(a == config.ActionPageDown) * max(1, v.window().Height-1))
	case config.ActionLineUp, config.ActionLineDown:
		v.window().Move(sign(a == config.ActionLineDown))
	}
	return nil
}

// draw changes how a diff is drawn, or scrolls.
func (v *Review) draw(a config.Action) {
	switch {
	case a == config.ActionHalfUp, a == config.ActionHalfDown:
		v.window().Move(sign(a == config.ActionHalfDown) * max(1, v.window().Height/2))
	case v.pane == nil:
	case a == config.ActionDiffContext:
		v.pane.widen()
	case !v.opt.Diffs.Toggle(v.pane.width):
		v.say("the window is too narrow to show changes side by side", nil)
	}
}

// do does what an action of the configuration says.
func (v *Review) do(a config.Action) dialog.Action {
	switch a {
	case config.ActionChangesClose:
		if v.pane == nil {
			return dialog.Close{}
		}
		v.pane, v.opening = nil, ""
	case config.ActionExpand:
		return stay(v.show())
	case config.ActionNext:
		v.window().Move(1)
	case config.ActionPrevious:
		v.window().Move(-1)
	case config.ActionFirst:
		v.window().Put(0)
	case config.ActionLast:
		v.window().Put(v.window().Len)
	case config.ActionHunkNext, config.ActionHunkPrev:
		if v.pane != nil && !v.pane.step(sign(a == config.ActionHunkNext)) {
			v.say("there are no more changes in this file", nil)
		}
	case config.ActionDiffSplit, config.ActionDiffContext, config.ActionHalfUp, config.ActionHalfDown:
		v.draw(a)
	case config.ActionChangesScope:
		return stay(v.nextScope())
	case config.ActionChangesSince:
		v.chooseScope()
	case config.ActionChangesComment:
		v.startWriting()
	case config.ActionChangesComments:
		return stay(v.sendComments())
	case config.ActionOpen:
		return stay(v.edit())
	case config.ActionCopyPatch:
		return stay(v.copyPatch())
	default:
		return stay(v.act(a))
	}
	return nil
}

// window returns where the person moves: in the list, or in a diff.
func (v *Review) window() *list.Window {
	if v.pane != nil {
		return &v.pane.Window
	}
	return &v.list.Window
}

// path is the file that the person is at, "" if there is none.
func (v *Review) path() string {
	if v.pane != nil {
		return v.pane.path
	}
	if f := v.list.selected(); f != nil {
		return f.Path
	}
	return ""
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
func (v *Review) Mouse(msg tea.MouseMsg, _, y int) dialog.Action {
	switch m := msg.(type) {
	case tea.MouseWheelMsg:
		v.window().By(list.Notch(m))
	case tea.MouseClickMsg:
		if m.Button == tea.MouseLeft && v.window().Click(list.BodyLine(y)) {
			return stay(v.show())
		}
	}
	return nil
}
