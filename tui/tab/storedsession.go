package tab

import (
	"cmp"
	"context"
	"errors"
	"sync"

	tea "charm.land/bubbletea/v2"

	"parley/config"
	"parley/internal/app"
	"parley/internal/conversation"
	"parley/internal/session"
	"parley/internal/store"
	"parley/tui/dialog"
	"parley/tui/toolview"
	"parley/tui/transcript"
)

// Open asks the program to open stored sessions: each in the tab that already shows it, or
// in a new one. The last one comes to the front.
type Open []app.Open

func (Open) request() {}

// storedSession is the stored session that a tab continues.
type storedSession struct {
	from     app.Open
	title    string // the person's name for it
	readOnly string // why nothing can be sent, or ""
	// untrusted is the agent that awaits the person's consent, or nil.
	untrusted *app.UntrustedError
	// earlier is what was said before, which goes along with the next prompt.
	earlier  string
	replaced bool // a new session replaced one that could not be reopened
}

// reopenedMsg is a stored session that was read, or the error.
type reopenedMsg struct {
	from app.Open
	*app.Reopened
	wanted []toolview.Fragment // the changes in it
	err    error
}

// OpenStored shows a stored session and continues it.
func (t *Tab) OpenStored(o app.Open) tea.Cmd { return t.address(t.starter.openStored(o)) }

func (st *starter) openStored(o app.Open) tea.Cmd {
	t := st.tab
	t.stored.from = o // from now on no other tab opens it
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

// reopened shows the stored session and has its agent continue it.
func (st *starter) reopened(msg reopenedMsg) tea.Cmd {
	t := st.tab
	t.reopening = nil
	if msg.err != nil {
		t.stored.from = app.Open{}
		looked := t.queue.ReturnToDraft()
		t.ask(dialog.Confirmation{Title: "Cannot open the stored session", Text: msg.err.Error(), Choices: []dialog.Choice{
			{Name: "List the sessions", Do: dialog.Do(func() tea.Cmd { return openSessionList(t) })},
			{Name: "Quit parley", Do: dialog.Do(func() tea.Cmd { return t.lifecycle.quit(quitDespite) })},
		}})
		return looked
	}
	if old := t.session; old != nil { // it only showed the transcript
		go old.Close(context.Background())
	}
	st.adopt(msg.Agent, msg.Session)
	cmds := []tea.Cmd{st.remember(msg), t.pump.next, st.readBranch(), t.diffPositions.Locate(msg.wanted)}
	if msg.ReadOnly != nil {
		cmds = append(cmds, t.queue.ReturnToDraft()) // prompts sent in the meantime have no recipient
		st.readOnly(msg.ReadOnly)
		return tea.Batch(cmds...)
	}
	t.session.Start()
	t.rules().AskToTrust()
	if msg.from.Last && t.composer.Empty() {
		cmds = append(cmds, t.drafts.Load())
	}
	t.queue.held.Send(t.session)
	return tea.Batch(cmds...)
}

// remember restores the stored view. If the person has started another draft, the stored
// one goes into the history.
func (st *starter) remember(msg reopenedMsg) (keep tea.Cmd) {
	t := st.tab
	c := msg.Transcript.Conversation
	t.stored = storedSession{from: msg.from, title: msg.Transcript.Title}
	t.conv = c
	t.conv.Cwd = t.cwd
	t.info.Remember(c)
	t.list = transcript.New(t.program.Theme, c)
	t.list.SetDiffPositions(t.diffPositions.Known())
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

// readOnly reports why the session is read-only, and asks where consent would help.
func (st *starter) readOnly(why error) {
	t := st.tab
	var untrusted *app.UntrustedError
	t.stored.readOnly = "read-only here: " + why.Error()
	if errors.As(why, &untrusted) {
		t.stored.untrusted = untrusted
		st.askToTrust()
		return
	}
	t.ask(dialog.Confirmation{
		Title: "This session is read-only", Text: why.Error(),
		Choices: []dialog.Choice{{Name: "Read it", Do: dialog.Close{}}},
	})
}

// askToTrust asks whether to start, or connect to, the session's agent.
func (st *starter) askToTrust() {
	t := st.tab
	again, why := t.stored.from, t.stored.untrusted
	again.Trusted = true
	done := "started"
	if why.Listens != "" {
		done = "connected to"
	}
	t.stored.readOnly = "its agent was not " + done + ": " + keyOrPalette(t.program.Keys, config.ActionStartAgain) + " asks about it again"
	q := t.actions.confirmation(why.Question(app.Choice{Risky: true}, app.Choice{Name: "Only read"}))
	q.Choices[0].Do = dialog.Do(func() tea.Cmd { return st.openStored(again) })
	t.ask(q)
}

// cannotGoOn reports whether the session that failed to open is a stored one, which can be
// replaced by a new session.
func (st *starter) cannotGoOn() bool {
	return st.tab.session.Options().HasTranscript && !st.tab.stored.replaced
}

// askForNewSession offers a new session when the agent cannot reopen a stored one.
func (st *starter) askForNewSession(err error) {
	t := st.tab
	anew := func(about string) dialog.Do {
		return func() tea.Cmd {
			t.stored.replaced, t.stored.earlier = true, about
			return t.sayIf(t.session.OpenAnew())
		}
	}
	text := err.Error() + "\nYou can still read it here. A new session knows it only if it is sent with your next prompt."
	if errors.Is(err, session.ErrCannotReopen) {
		text = "The agent does not keep sessions." + text[len(err.Error()):]
	}
	t.ask(dialog.Confirmation{Title: "The agent cannot resume this session", Text: text, Choices: []dialog.Choice{
		{Name: "New session with this conversation", Do: anew(app.EarlierText(t.conv))},
		{Name: "New session", Do: anew("")},
		{Name: "Stay and read", Do: dialog.Close{}},
	}})
}

// withEarlier adds the earlier conversation to a prompt, once.
func (b *storedSession) withEarlier(c *conversation.Conversation, p conversation.QueuedPrompt) conversation.QueuedPrompt {
	if b.earlier != "" {
		p.Prompt = app.WithEarlier(p.Prompt, b.earlier, c.Agent.Capabilities.PromptCapabilities)
		b.earlier = ""
	}
	return p
}

// StoredID returns the id of the stored session, or "" if it is not stored yet.
func (t *Tab) StoredID() store.ID {
	return cmp.Or(app.StoredID(t.session), t.stored.from.ID)
}

// Cwd returns the session's directory.
func (t *Tab) Cwd() string { return t.cwd }

// Blank reports whether closing the tab would lose nothing.
func (t *Tab) Blank() bool {
	c := t.conv
	return t.reopening == nil && t.composer.Empty() && len(t.queue.held) == 0 && (c == nil || len(c.Items)+len(c.Queue) == 0 && !c.Turn.Running)
}

// LoadDraft restores the directory's draft.
func (t *Tab) LoadDraft() tea.Cmd { return t.address(t.drafts.Load()) }

// OfferUnended offers to continue sessions of the tab's directory that parley did not end.
func (t *Tab) OfferUnended() tea.Cmd {
	lib, cwd := t.program.Stored, t.cwd
	if lib == nil {
		return nil
	}
	return t.address(inBackground(func() then {
		q, err := app.FindUnended(lib, cwd)
		if err != nil || q == nil {
			return nil // best effort
		}
		return func() tea.Cmd { t.ask(t.actions.confirmation(*q)); return nil }
	}))
}
