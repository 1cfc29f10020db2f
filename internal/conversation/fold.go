package conversation

import "parley/acpclient"

// Apply folds one event into the conversation. It never fails: an event that
// makes no sense where it stands changes what it can.
func (c *Conversation) Apply(e Event) {
	c.restored = false
	switch e := e.(type) {
	case Text:
		c.applyText(e)
	case Update:
		c.applyUpdate(e)
	case AgentStarting:
		c.Phase = PhaseStarting
		c.Agent = AgentState{Command: e.Command, Since: e.At, Info: c.Agent.Info}
	case AgentReady:
		c.applyAgentReady(e.Info)
	case AgentLost:
		c.applyAgentLost(e)
	case SessionOpening:
		c.applySessionOpening(e)
	case SessionOpened:
		c.ID, c.Cwd, c.Phase, c.before = e.ID, e.Cwd, PhaseReady, nil
		c.applySessionState(e.State)
	case SessionFailed:
		c.restore()
		c.Phase = PhaseFailed
		c.addFailure("The agent could not open the session", e.Err)
	case PromptSent:
		c.applyPromptSent(e)
	case CancelRequested:
		c.Turn.Cancelling = e.At
		c.endTools(true, e.At)
	case TurnEnded:
		c.applyTurnEnded(e)
	case QueueChanged:
		c.Queue, c.QueuePaused = e.Queue, e.Paused
	case OptionChosen:
		c.pending[e.Option] = e
	case OptionSettled:
		c.applyOptionSettled(e)
	case PermissionOpened:
		c.applyPermissionOpened(e)
	case PermissionReferred:
		c.applyPermissionReferred(e)
	case PermissionClosed:
		c.applyPermissionClosed(e)
	case ElicitationOpened:
		c.applyElicitationOpened(e)
	case ElicitationClosed:
		c.applyElicitationClosed(e)
	case ElicitationCompleted:
		c.applyElicitationCompleted(e.ElicitationID)
	case AuthRequired:
		c.AuthError = e.Err
	case AuthDone:
		c.AuthError = e.Err
	case Said:
		c.addNote(e.Severity, e.Title, e.Detail)
	case FileWritten:
		c.applyFileWritten(e)
	case TerminalCreated:
		c.terminalCreated(e)
	case ShellStarted:
		c.applyShellStarted(e)
	case TerminalOutput:
		c.printed(c.terminalByID(e.ID), e.Data)
	case TerminalExited:
		c.terminalExited(e)
	}
}

// applySessionOpening makes room for the session that is being opened.
func (c *Conversation) applySessionOpening(e SessionOpening) {
	c.Phase = PhaseOpening
	c.AuthError = nil
	c.Work = Work{}
	switch {
	case e.Clear:
		before := *c
		c.forget(e.ID != "" && e.ID == c.ID)
		if c.before = &before; before.before != nil { // two openings in a row
			c.before = before.before
		}
		before.before = nil
	case e.How == OpenNew:
		// The person can go on reading what happened, though the agent knows
		// nothing of it any more.
		before := *c
		c.forget(false)
		c.Items, c.Files, c.filesKept, c.Terminals, c.turns = before.Items, before.Files, before.filesKept, before.Terminals, before.turns
		c.outline = before.outline
		clear(c.orphans) // their parents would be calls of the session before
		c.keepPersonal(&before)
	}
}

// restore brings back what an opening has cleared that has failed: it is there to be
// read. If a question is open it is about what has come since, which then stays.
func (c *Conversation) restore() {
	b := c.before
	c.before = nil
	if b == nil || len(c.Permissions)+len(c.Judging)+len(c.Elicitations)+len(c.visits) > 0 {
		return
	}
	b.Agent, b.Phase, b.Turn, b.AuthError = c.Agent, c.Phase, c.Turn, c.AuthError
	b.Queue, b.QueuePaused = c.Queue, c.QueuePaused
	b.Permissions, b.Judging, b.Elicitations, b.visits = nil, nil, nil, nil
	*c = *b
	c.restored = true
}

// Restored reports whether the last event has put other items into the place of
// those that there were: an opening has failed that had cleared them.
func (c *Conversation) Restored() bool { return c.restored }

// forget empties the conversation. If the same session comes again, what parley
// itself knows about it is kept.
func (c *Conversation) forget(same bool) {
	c.closeMessages()
	fresh := New()
	fresh.Agent, fresh.Phase, fresh.Cwd = c.Agent, c.Phase, c.Cwd
	// Turns, prompts and questions are ended by events of their own. A turn may
	// be waiting for this very session, if the person had to sign in on a terminal
	// first.
	fresh.Turn, fresh.Queue, fresh.QueuePaused = c.Turn, c.Queue, c.QueuePaused
	fresh.Permissions, fresh.Judging, fresh.Elicitations, fresh.visits = c.Permissions, c.Judging, c.Elicitations, c.visits
	if same {
		fresh.ID, fresh.Title, fresh.UpdatedAt = c.ID, c.Title, c.UpdatedAt
		fresh.Files, fresh.filesKept, fresh.Terminals = c.Files, c.filesKept, c.Terminals
	}
	fresh.keepPersonal(c)
	*c = *fresh
}

// addNote adds a line that is no part of what person and agent say to each other:
// it does not end a message that is being streamed.
func (c *Conversation) addNote(s acpclient.NoticeSeverity, title, detail string) {
	c.addItem(&Note{Severity: s, Title: title, Detail: detail})
}

func (c *Conversation) applyAgentReady(info *acpclient.InitializeResponse) {
	c.Agent.Capabilities = info.AgentCapabilities
	c.Agent.AuthMethods = info.AuthMethods
	c.Agent.Protocol = info.ProtocolVersion
	if info.AgentInfo != nil {
		c.Agent.Info = *info.AgentInfo
	}
}

func (c *Conversation) applyAgentLost(e AgentLost) {
	c.restore()
	c.Agent.Err, c.Agent.Stderr = e.Err, e.Stderr
	failed := c.Phase == PhaseStarting || c.Phase == PhaseOpening
	c.Phase = PhaseLost
	if failed {
		c.Phase = PhaseFailed
	}
	c.Turn, c.Work = Turn{}, Work{}
	c.AuthError = nil
	c.endTools(true, e.At)
	c.closeMessages()
	c.Permissions, c.Judging, c.Elicitations = nil, nil, nil
	clear(c.pending)
}
