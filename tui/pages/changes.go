// This file shows on the whole screen what the agent has changed: the list of
// files, and what became of each, so that the person can keep it, take it back, and
// comment on it. What is known of it is in package journal.
//
// A [View] is a dialog. It never waits: whatever reads or writes files is a command,
// and what comes of it goes to Update. Nothing here is safe for concurrent use.

package pages

import (
	"context"
	"errors"

	tea "charm.land/bubbletea/v2"

	"parley/config"
	"parley/internal/journal"
	"parley/internal/termtext"
	"parley/tui/dialog"
	"parley/tui/diffview"
	"parley/tui/theme"
	"parley/tui/toolview"
)

// Host does what a view cannot do itself.
type ChangesHost interface {
	// Edit opens a file in the person's editor, at a line from 1.
	Edit(path string, line int) tea.Cmd
	// Copy puts text on the clipboard. what names it, as in "the change".
	Copy(what, text string) tea.Cmd
	// Compose adds text to the prompt and closes the view.
	Compose(text string) tea.Cmd
	// Choose opens a list above the view.
	Choose(list dialog.List)
	// Flash is what is said at this moment of what was done elsewhere, such as a copy.
	Flash() string
}

// Options say what a view is made of.
type ChangesOptions struct {
	// Context ends with the program.
	Context context.Context
	Journal *journal.Journal
	Host    ChangesHost
	Theme   *theme.Theme
	Keys    config.Keys
	// Diffs is how the person wants to see changes.
	Diffs *diffview.Preference
}

// View is the list of changed files, and the changes of one of them.
type Review struct {
	opt     ChangesOptions
	journal *journal.Journal
	at      toolview.Places

	scope scope
	list  changesList
	pane  *pane // of one file; nil while the list is shown
	// opening is the file whose changes are being compared, to be shown.
	opening string
	// asked counts the comparisons of files to be shown, and answered is the newest of
	// them that was.
	asked, answered int

	comments []comment
	writing  *changesWriting // a comment, nil if none is being written

	version int    // of the journal, when the list was made
	waiting bool   // a command waits for the journal to change
	acting  bool   // files are being written
	hunk    int    // the change that this is about, -1 for none
	note    string // said until the next key
	failed  bool   // it is about something that went wrong
}

var _ dialog.Dialog = (*Review)(nil)

// New makes a view; Open begins to show it.
func NewReview(opt ChangesOptions) *Review {
	return &Review{opt: opt, journal: opt.Journal, hunk: -1, at: toolview.In(opt.Journal.Dir())}
}

// Covers says that the view takes the whole screen.
func (v *Review) Covers() {}

// SetTheme implements dialog.Dialog.
func (v *Review) SetTheme(th *theme.Theme) { v.opt.Theme = th }

// Msg is what a command of a view brings.
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
	v.note = ""
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
	v.note, v.failed = termtext.Line(words), err != nil
	if err != nil {
		v.note = termtext.Line(v.words(err))
	}
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
	if v.writing != nil {
		v.writingKey(k)
		return nil
	}
	v.note = ""
	name := k.String()
	if a, ok := v.opt.Keys.Action(config.ContextChanges, name); ok {
		return v.do(a)
	}
	switch a, _ := v.opt.Keys.Action(config.ContextTranscript, name); a {
	case config.ActionDiffSplit, config.ActionDiffContext, config.ActionHalfUp, config.ActionHalfDown:
		v.draw(a)
		return nil
	}
	switch a, _ := v.opt.Keys.Action(config.ContextPrompt, name); a {
	case config.ActionChanges:
		return dialog.Close{}
	case config.ActionPageUp, config.ActionPageDown:
		v.move(changesDirection(a == config.ActionPageDown) * max(1, v.rows()-1))
	case config.ActionLineUp, config.ActionLineDown:
		v.move(changesDirection(a == config.ActionLineDown))
	}
	return nil
}

// draw changes how the changes of a file are drawn, or scrolls.
func (v *Review) draw(a config.Action) {
	switch {
	case a == config.ActionHalfUp, a == config.ActionHalfDown:
		v.move(changesDirection(a == config.ActionHalfDown) * max(1, v.rows()/2))
	case v.pane == nil:
	case a == config.ActionDiffContext:
		v.pane.widen()
	case !v.opt.Diffs.Toggle(v.pane.width):
		v.say("the window is too narrow to show changes side by side", nil)
	}
}

func changesDirection(forward bool) int {
	if forward {
		return 1
	}
	return -1
}

// do does what an action of the configuration says.
func (v *Review) do(a config.Action) dialog.Action {
	switch a {
	case config.ActionChangesClose:
		if v.pane == nil {
			return dialog.Close{}
		}
		v.pane, v.opening = nil, ""
	case config.ActionChangesShow:
		return changesStay(v.show())
	case config.ActionChangesNext:
		v.move(1)
	case config.ActionChangesPrev:
		v.move(-1)
	case config.ActionChangesFirst:
		v.move(-1 << 30)
	case config.ActionChangesLast:
		v.move(1 << 30)
	case config.ActionHunkNext, config.ActionHunkPrev:
		if v.pane != nil && !v.pane.step(changesDirection(a == config.ActionHunkNext)) {
			v.say("there are no more changes in this file", nil)
		}
	case config.ActionChangesScope:
		return changesStay(v.nextScope())
	case config.ActionChangesSince:
		v.chooseScope()
	case config.ActionChangesComment:
		v.startWriting()
	case config.ActionChangesComments:
		return changesStay(v.sendComments())
	case config.ActionChangesOpen:
		return changesStay(v.edit())
	case config.ActionChangesPatch:
		return changesStay(v.copyPatch())
	default:
		return changesStay(v.act(a))
	}
	return nil
}

// stay is what carries a command out, which may be nil; the view stays.
func changesStay(cmd tea.Cmd) dialog.Action {
	if cmd == nil {
		return nil
	}
	return dialog.Stay(func() tea.Cmd { return cmd })
}

// move moves the mark in the list, or the cursor among the changes of a file.
func (v *Review) move(by int) {
	if v.pane != nil {
		v.pane.move(by)
		return
	}
	v.list.move(by)
}

// rows is how many rows are in sight.
func (v *Review) rows() int {
	if v.pane != nil {
		return v.pane.height
	}
	return v.list.height
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
	if v.writing != nil {
		v.writing.line.Paste(text)
	}
	return nil
}

// wheelLines is how far one step of the mouse wheel moves.
const changesWheelLines = 3

// Mouse implements dialog.Dialog: the wheel scrolls, a click marks, and one on what
// is marked opens it.
func (v *Review) Mouse(msg tea.MouseMsg, _, y int) dialog.Action {
	at := msg.Mouse()
	if _, ok := msg.(tea.MouseWheelMsg); ok {
		by := changesWheelLines * changesDirection(at.Button != tea.MouseWheelUp)
		if v.pane != nil {
			v.pane.scroll(by)
		} else {
			v.list.scroll(by)
		}
		return nil
	}
	if _, ok := msg.(tea.MouseClickMsg); !ok || at.Button != tea.MouseLeft || y < changesHeadLines {
		return nil
	}
	if v.pane != nil {
		v.pane.put(v.pane.top + y - changesHeadLines)
		return nil
	}
	if row := v.list.top + y - changesHeadLines; row < len(v.list.files) {
		if row == v.list.mark {
			return changesStay(v.show())
		}
		v.list.mark = row
	}
	return nil
}
