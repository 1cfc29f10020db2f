package tab

import (
	"cmp"
	"context"
	"errors"
	"sync"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/config"
	"parley/internal/app"
	"parley/internal/conversation"
	"parley/internal/session"
	"parley/internal/store"
	"parley/tui/dialog"
	"parley/tui/toolview"
	"parley/tui/transcript"
)

// Open is the wish to open stored sessions, each in a tab of its own or where it is open
// already. The last one is shown.
type Open []app.Open

func (Open) request() {}

// storedSession is what a tab knows of the stored session that it went on with.
type storedSession struct {
	from     app.Open
	title    string // as the person calls it
	readOnly string // why nothing can be sent; "" if it can
	// untrusted is the agent that the person has not agreed to, nil if there is none.
	untrusted *app.UntrustedError
	// options are as they were, until the session is open again.
	options app.OptionValues
	// earlier is what was said before, which goes along with the next prompt.
	earlier  string
	replaced bool // a new session was opened in place of one that could not be
}

// reopenedMsg is a stored session that was read, or why it could not be.
type reopenedMsg struct {
	from app.Open
	*app.Reopened
	wanted []toolview.Fragment // the changes in it
	err    error
}

// OpenStored shows a stored session and goes on with it.
func (t *Tab) OpenStored(o app.Open) tea.Cmd { return t.address(t.starter.openStored(o)) }

func (st *starter) openStored(o app.Open) tea.Cmd {
	t := st.tab
	t.stored.from = o // it is this tab's from now on: nobody opens it in another
	reopen, ctx := t.program.Reopen, t.program.Context
	t.reopening = sync.OnceValue(func() reopenedMsg {
		msg := reopenedMsg{from: o}
		if msg.Reopened, msg.err = reopen(ctx, o); msg.err == nil {
			msg.wanted = diffFragments(msg.Transcript.Conversation)
		}
		return msg
	})
	reopening := t.reopening
	return func() tea.Msg { return reopening() }
}

// reopened shows the stored session, and has its agent go on with it.
func (st *starter) reopened(msg reopenedMsg) tea.Cmd {
	t := st.tab
	t.reopening = nil
	if msg.err != nil {
		t.stored.from = app.Open{}
		t.queue.ReturnToDraft()
		t.ask(dialog.Confirmation{Title: "The stored session cannot be opened", Text: msg.err.Error(), Choices: []dialog.Choice{
			{Name: "List the stored sessions", Do: dialog.Do(func() tea.Cmd { return openSessionList(t) })},
			{Name: "Leave parley", Do: dialog.Do(func() tea.Cmd { return t.lifecycle.quit(quitDespite) })},
		}})
		return nil
	}
	if old := t.session; old != nil { // it only showed the transcript
		go old.Close(context.Background())
	}
	st.adopt(msg.Agent, msg.Session)
	cmds := []tea.Cmd{st.remember(msg), t.pump.next, st.readBranch(), t.diffPositions.Locate(msg.wanted)}
	if msg.ReadOnly != nil {
		t.queue.ReturnToDraft() // what was sent meanwhile goes nowhere
		st.readOnly(msg.ReadOnly)
		return tea.Batch(cmds...)
	}
	t.session.Start()
	t.rules().AskToTrust()
	if msg.from.Last && t.composer.Empty() {
		cmds = append(cmds, t.drafts.Load())
	}
	return tea.Batch(append(cmds, t.queue.Read())...)
}

// remember takes over how the stored session was left. A draft in whose place another was
// begun meanwhile goes into the history.
func (st *starter) remember(msg reopenedMsg) (keep tea.Cmd) {
	t := st.tab
	c := msg.Transcript.Conversation
	t.stored = storedSession{from: msg.from, title: msg.Transcript.Title, options: app.OptionValuesOf(c)}
	t.conv = c
	t.conv.Cwd = t.cwd
	t.info.Remember(c)
	t.list = transcript.New(t.program.Theme, c)
	t.list.SetSites(t.diffPositions.Known())
	t.reader = newTranscriptReader(t)
	t.composer.SetCommands(c.Commands)
	if top := msg.View.Top; top != nil {
		t.list.StartAt(*top)
	}
	switch draft := msg.View.Draft; {
	case t.composer.Empty():
		t.composer.SetText(draft)
	case t.composer.Text() != draft:
		keep = t.composer.Keep(draft)
	}
	t.drafts.SetSaved(msg.View)
	return keep
}

// readOnly says why the session can only be read, and asks where a yes would help.
func (st *starter) readOnly(why error) {
	t := st.tab
	var untrusted *app.UntrustedError
	t.stored.readOnly = "here it can only be read: " + why.Error()
	if errors.As(why, &untrusted) {
		t.stored.untrusted = untrusted
		st.askToTrust()
		return
	}
	t.ask(dialog.Confirmation{
		Title: "This session can only be read", Text: why.Error(),
		Choices: []dialog.Choice{{Name: "Read it", Do: dialog.Close{}}},
	})
}

// askToTrust asks whether the agent of the session may be started, or connected to.
func (st *starter) askToTrust() {
	t := st.tab
	again, why := t.stored.from, t.stored.untrusted
	again.Trusted = true
	done := "started"
	if why.Listens != "" {
		done = "connected to"
	}
	t.stored.readOnly = "its agent was not " + done + ": " + keyOrPalette(t.program.Keys, config.ActionStartAgain) + " asks about it again"
	q := t.confirmation(why.Question(app.Choice{Risky: true}, app.Choice{Name: "Only read"}))
	q.Choices[0].Do = dialog.Do(func() tea.Cmd { return st.openStored(again) })
	t.ask(q)
}

// cannotGoOn reports whether a failure to open the session is that of a stored one, for
// which there is something else to offer.
func (st *starter) cannotGoOn() bool {
	return st.tab.session.Options().HasTranscript && !st.tab.stored.replaced
}

// askForNewSession offers a new session after a stored one that the agent cannot open again.
func (st *starter) askForNewSession(err error) {
	t := st.tab
	anew := func(about string) dialog.Do {
		return func() tea.Cmd {
			t.stored.replaced, t.stored.earlier = true, about
			return t.sayIf(t.session.OpenAnew())
		}
	}
	text := err.Error() + "\nWhat was said stays here to read. A new session knows nothing of it, unless it goes along with your next prompt."
	if errors.Is(err, session.ErrCannotReopen) {
		text = "The agent remembers no earlier sessions." + text[len(err.Error()):]
	}
	t.ask(dialog.Confirmation{Title: "The agent cannot go on with this session", Text: text, Choices: []dialog.Choice{
		{Name: "New session that is told what was said", Do: anew(app.EarlierText(t.conv))},
		{Name: "New session", Do: anew("")},
		{Name: "Stay here and read", Do: dialog.Close{}},
	}})
}

// withEarlier adds what was said before to a prompt, once.
func (b *storedSession) withEarlier(c *conversation.Conversation, blocks []acpclient.ContentBlock) []acpclient.ContentBlock {
	about := b.earlier
	if b.earlier = ""; about == "" {
		return blocks
	}
	return app.WithEarlier(blocks, about, c.Agent.Capabilities.PromptCapabilities)
}

// StoredID is the id under which the session is stored, "" if it is not, or not yet.
func (t *Tab) StoredID() store.ID {
	return cmp.Or(app.StoredID(t.session), t.stored.from.ID)
}

// Cwd is the directory of the session.
func (t *Tab) Cwd() string { return t.cwd }

// Blank reports that nothing would be lost with the tab.
func (t *Tab) Blank() bool {
	c := t.conv
	return t.reopening == nil && t.composer.Empty() && t.queue.Len() == 0 && (c == nil || len(c.Items)+len(c.Queue) == 0 && !c.Turn.Running)
}

// LoadDraft brings the draft that was kept for the directory back.
func (t *Tab) LoadDraft() tea.Cmd { return t.address(t.drafts.Load()) }

// OfferUnended offers to continue sessions of the tab's directory that were never ended.
func (t *Tab) OfferUnended() tea.Cmd {
	lib, cwd := t.program.Stored, t.cwd
	if lib == nil {
		return nil
	}
	return t.address(inBackground(func() then {
		q, err := app.FindUnended(lib, cwd)
		if err != nil || q == nil {
			return nil // nobody has asked for it
		}
		return func() tea.Cmd { t.ask(t.confirmation(*q)); return nil }
	}))
}
