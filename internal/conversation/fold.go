package conversation

import (
	"fmt"
	"slices"

	"parley/acpclient"
)

// Apply folds one event into the conversation. It never fails: an event that
// makes no sense where it stands changes what it can.
func (c *Conversation) Apply(e Event) {
	c.restored, c.changed = false, c.changed[:0]
	switch e := e.(type) {
	case Text:
		c.applyText(e)
	case Update:
		c.applyUpdate(e)
	case AgentStarting:
		c.Phase = PhaseStarting
		c.Agent = AgentState{Command: e.Command, Since: e.At, Info: c.Agent.Info}
	case AgentReady:
		c.Agent.Capabilities = e.Info.AgentCapabilities
		c.Agent.AuthMethods = e.Info.AuthMethods
		c.Agent.Protocol = e.Info.ProtocolVersion
		if e.Info.AgentInfo != nil {
			c.Agent.Info = *e.Info.AgentInfo
		}
	case AgentLost:
		c.applyAgentLost(e)
	case SessionOpening:
		c.applySessionOpening(e)
	case SessionOpened:
		c.ID, c.Cwd, c.Phase, c.before = e.ID, e.Cwd, PhaseReady, nil
		clear(c.pending)
		clear(c.stated)
		switch {
		// An empty list beside modes means that there are only modes.
		case len(e.State.ConfigOptions) > 0 || e.State.ConfigOptions != nil && c.optionsGiven:
			c.replaceOptions(e.State.ConfigOptions)
		case !c.optionsGiven:
			c.takeLegacy(e.State)
		}
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
		c.pending[e.Option] = append(c.pending[e.Option], e)
		delete(c.stated, e.Option)
	case OptionSettled:
		c.applyOptionSettled(e)
	case PermissionOpened:
		c.applyPermissionOpened(e)
	case PermissionReferred:
		c.applyPermissionReferred(e)
	case PermissionClosed:
		c.applyPermissionClosed(e)
	case ElicitationOpened:
		q := &Elicitation{ID: e.ID, Request: e.Request}
		c.Elicitations = append(c.Elicitations, q)
		q.holds = c.hold(c.tools[e.Request.ToolCallID], e.At)
	case ElicitationClosed:
		c.applyElicitationClosed(e)
	case ElicitationCompleted:
		// The question may still be open.
		for _, q := range slices.Concat(c.Elicitations, c.visits) {
			if q.Request.ElicitationID == e.ElicitationID {
				q.Completed = true
				q.changed()
			}
		}
		c.visits = slices.DeleteFunc(c.visits, func(q *Elicitation) bool { return q.Completed })
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
		t := c.terminalByID(e.ID)
		t.Personal, t.Lasts = true, e.Lasts
		s := &ShellCommand{Terminal: t, Started: e.At}
		t.users = append(t.users, s)
		c.terminalCreated(TerminalCreated{ID: e.ID, Command: e.Command, Cwd: e.Cwd})
		c.addItem(s)
	case TerminalOutput:
		c.printed(c.terminalByID(e.ID), e.Data)
	case TerminalExited:
		t := c.terminalByID(e.ID)
		t.exited(e.Status)
		c.running = slices.DeleteFunc(c.running, func(r *Terminal) bool { return r == t })
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

// addNote adds a line of parley's own. It does not end a message that is still
// streaming.
func (c *Conversation) addNote(s acpclient.NoticeSeverity, title, detail string) {
	c.addItem(&Note{Severity: s, Title: title, Detail: detail})
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

// applyUpdate folds any session update but the plain text of a message.
func (c *Conversation) applyUpdate(e Update) {
	switch u := e.Update.(type) {
	case *acpclient.ContentChunk:
		c.applyChunk(u)
	case *acpclient.ToolCall:
		c.applyToolCall(u, e.At)
	case *acpclient.ToolCallUpdate:
		said := *u
		said.Content = c.shown(u.Content)
		c.tellTool(c.toolByID(u.ToolCallID, u.Meta, e.At), e.At, &said)
	case *acpclient.Plan:
		c.applyPlan(u)
	case *acpclient.PlanUpdate:
		c.applyPlanUpdate(&u.Plan)
	case *acpclient.PlanRemoved:
		c.applyPlanRemoved(u.PlanID)
	case *acpclient.AvailableCommandsUpdate:
		c.Commands = u.AvailableCommands
	case *acpclient.CurrentModeUpdate:
		c.applyMode(u.CurrentModeID)
	case *acpclient.ConfigOptionUpdate:
		if u.ConfigOptions != nil {
			c.updateOptions(u.ConfigOptions, nil)
		}
	case *acpclient.SessionInfoUpdate:
		field(&c.Title, u.Title)
		field(&c.UpdatedAt, u.UpdatedAt)
		c.applyRetry(u.Meta)
	case *acpclient.UsageUpdate:
		usage := *u
		if usage.Cost == nil && c.Usage != nil {
			usage.Cost = c.Usage.Cost
		}
		c.Usage = &usage
	case *acpclient.Notice:
		c.addNote(u.Severity, u.Title, u.Description)
	case *acpclient.CompactionUpdate:
		c.applyCompaction(u)
	case *acpclient.CompactionSummaryChunk:
		p := c.compactionByID(u.CompactionID)
		p.Summary.add(u.Content)
		p.changed()
	case *acpclient.SubagentUpdate:
		// One line for each session that the agent has begun for itself (unstable).
		n := c.subagents[u.SessionID]
		if n == nil {
			n = &Note{Severity: acpclient.NoticeInfo, Title: "Subagent"}
			c.subagents[u.SessionID] = n
			c.addItem(n)
		}
		if u.Title.Set {
			n.Title = "Subagent"
			if u.Title.Value != nil && *u.Title.Value != "" {
				n.Title += ": " + *u.Title.Value
			}
		}
		field(&n.Detail, u.Description)
		n.changed()
	case *acpclient.MessageUpdate:
		c.applyMessage(u)
	case *acpclient.PromptAccepted:
		if c.whole[messageKey{acpclient.UserMessageChunk, u.MessageID, ""}] == nil {
			c.adopted(u.MessageID)
		}
	case *acpclient.StateUpdate:
		c.applyState(u, e.At)
	case *acpclient.ToolCallContentChunk:
		c.applyToolCallContentChunk(u, e.At)
	case *acpclient.TerminalUpdate:
		c.applyTerminalUpdate(u)
	case *acpclient.TerminalOutputChunk:
		c.printed(c.shownTerminal(u.TerminalID), u.Data)
	case *acpclient.UnknownUpdate:
		c.addItem(&Unknown{Kind: u.Name, Raw: u.Raw})
	}
}

// applyRetry tells that the agent calls its model again, which opencode says in _meta.
// Attempts that follow each other are one line.
func (c *Conversation) applyRetry(m acpclient.Meta) {
	type retry struct {
		Attempt int `json:"attempt"`
		Error   struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	r, ok := acpclient.MetaValue[retry](m, "opencode/retry")
	if !ok {
		return
	}
	title := fmt.Sprintf("Retrying, attempt %d", r.Attempt)
	if n := c.retry; n != nil && len(c.Items) > 0 && c.Items[len(c.Items)-1] == Item(n) {
		n.Title, n.Detail = title, r.Error.Message
		n.changed()
		return
	}
	c.closeMessage()
	c.retry = &Note{Severity: acpclient.NoticeWarning, Title: title, Detail: r.Error.Message}
	c.addItem(c.retry)
}

// field takes an optional field: null clears it, and an absent one changes
// nothing.
func field(s *string, f acpclient.Field[string]) {
	if !f.Set {
		return
	}
	*s = ""
	if f.Value != nil {
		*s = *f.Value
	}
}

// applyCompaction creates or changes a compaction. What the update does not
// mention stays as it is.
func (c *Conversation) applyCompaction(u *acpclient.CompactionUpdate) {
	p := c.compactionByID(u.CompactionID)
	if u.Status != "" {
		p.Status = u.Status
	}
	if u.Summary != nil {
		p.Summary = nil
		for _, b := range u.Summary {
			p.Summary.add(b)
		}
	}
	if u.Error != "" {
		p.Error = u.Error
	}
	p.changed()
}

// compactionByID returns the compaction with this id, a new one if there was none.
func (c *Conversation) compactionByID(id acpclient.CompactionID) *Compaction {
	p := c.compactions[id]
	if p == nil {
		c.closeMessage()
		p = &Compaction{ID: id, Status: acpclient.CompactionInProgress}
		c.compactions[id] = p
		c.addItem(p)
	}
	return p
}
