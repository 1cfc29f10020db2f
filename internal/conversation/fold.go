package conversation

import (
	"encoding/json"
	"fmt"
	"slices"

	"parley/acpclient"
)

// Apply folds one event into the conversation: first into its State, then into the transcript.
// It never fails: an event that makes no sense at this point has whatever effect it can.
func (c *Conversation) Apply(e Event) {
	c.State.Apply(e)
	if c.effect.restored && c.before != nil {
		c.Transcript = *c.before
	}
	c.showServed()
	switch e := e.(type) {
	case Text:
		c.applyText(e)
	case Update:
		c.applyUpdate(e)
	case AgentLost:
		c.before = nil
		c.settleCalls()
		c.closeMessages()
	case SessionOpening:
		c.applySessionOpening(e)
	case SessionOpened:
		c.before = nil
		// pi-acp sends its banner right after this answer, or with the first prompt: its
		// position does not identify it.
		c.banner, _ = acpclient.MetaValue[string](e.State.Meta, "piAcp", "startupInfo")
	case SessionFailed:
		c.before = nil
		c.addFailure("The agent could not open the session", e.Err)
	case PromptSent:
		c.beginTurn()
		c.prompt = c.addPrompt(e.Prompt)
		c.prompt.Sent, c.prompt.At = e.Prompt, e.At
		c.echo = NewEcho(e.Prompt)
	case PromptSteered:
		c.closeMessages()
		c.addPrompt(e.Prompt).Steered = true // agents do not echo it
	case CancelRequested:
		c.settleCalls()
	case TurnEnded:
		c.applyTurnEnded(e)
	case OptionSettled:
		if e.Err != nil {
			c.addFailure(c.optionName(e.Option)+" was not changed", e.Err)
		}
		c.showOptionChanges()
	case PermissionOpened:
		u := &e.Request.ToolCall
		if e.File != nil {
			c.addItem(c.effect.calls[0]) // a call does not interrupt a message of the agent
		} else {
			c.showCall(u.Content, u.RawInput, u.Meta)
		}
	case QuestionClosed:
		c.settleCalls()
		if q := c.effect.closed; q != nil && !e.Cancelled() {
			c.closeMessage()
			c.addItem(q)
		}
	case NoticeAdded:
		c.addNote(e.Severity, e.Title, e.Detail)
	case FileWritten:
		if !slices.Contains(c.Files, e.Path) {
			c.Files = append(c.Files, e.Path)
		}
	case TerminalCreated:
		c.terminalCreated(e)
	case ShellStarted:
		t := c.terminalByID(e.ID)
		t.Personal, t.Lasts = true, e.Lasts
		s := &ShellCommand{Terminal: t}
		t.users = append(t.users, s)
		c.terminalCreated(TerminalCreated{ID: e.ID, Command: e.Command, Cwd: e.Cwd})
		c.addItem(s)
	case TerminalOutput:
		c.printed(c.terminalByID(e.ID), e.Data)
	case TerminalHidden:
		c.terminalByID(e.ID).Hidden = e.Hidden
	case TerminalExited:
		t := c.terminalByID(e.ID)
		t.exited(e.Status)
		c.settleCalls()
		c.running = slices.DeleteFunc(c.running, func(r *Terminal) bool { return r == t })
	}
	c.heldItems.arrives(c.effect.size)
	c.heldOutput.arrives(c.effect.size)
}

// applySessionOpening prepares the transcript for the session that is being opened.
func (c *Conversation) applySessionOpening(e SessionOpening) {
	if !e.Clear && e.How != OpenNew {
		return
	}
	c.closeMessages()
	was := c.Transcript
	c.Transcript = newTranscript()
	switch {
	case !e.Clear:
		// The user can go on reading what happened, though the agent has forgotten it.
		c.Items, c.Files, c.Terminals = was.Items, was.Files, was.Terminals
		c.outline, c.heldItems = was.outline, was.heldItems
		clear(c.orphans) // their parents would be calls of the previous session
	case e.ID != "" && e.ID == c.ID: // the same session is replayed
		c.Files, c.Terminals = was.Files, was.Terminals
	}
	c.keepPersonal(&was)
	switch {
	case !e.Clear:
		c.before = nil
	case c.before == nil: // otherwise this is the second opening in a row
		c.before = &was
	}
}

// Restored reports whether the last event has replaced the items with earlier ones: an opening
// that had cleared them has failed.
func (c *Conversation) Restored() bool { return c.effect.restored }

// addNote adds a line from parley. It does not end a message that is still streaming.
func (c *Conversation) addNote(s acpclient.NoticeSeverity, title, detail string) {
	c.addItem(&Note{Severity: s, Title: title, Detail: detail})
}

// applyUpdate folds any session update except plain text of a message.
func (c *Conversation) applyUpdate(e Update) {
	switch u := e.Update.(type) {
	case *acpclient.ContentChunk:
		c.applyChunk(u)
	case *acpclient.ToolCall:
		c.showCall(u.Content, u.RawInput, u.Meta)
	case *acpclient.ToolCallUpdate:
		c.showCall(u.Content, u.RawInput, u.Meta)
	case *acpclient.Plan:
		if c.by != nil {
			c.settleCalls() // the call of the subagent shows it
			return
		}
		c.applyPlan(u)
	case *acpclient.PlanUpdate:
		c.applyPlanUpdate(&u.Plan)
	case *acpclient.PlanRemoved:
		c.applyPlanRemoved(u.PlanID)
	case *acpclient.CurrentModeUpdate, *acpclient.ConfigOptionUpdate:
		c.showOptionChanges()
	case *acpclient.SessionInfoUpdate:
		c.applyRetry(u.Meta)
	case *acpclient.Notice:
		c.addNote(u.Severity, u.Title, u.Description)
	case *acpclient.CompactionUpdate:
		c.applyCompaction(u)
	case *acpclient.CompactionSummaryChunk:
		p := c.compactionByID(u.CompactionID)
		p.Summary.add(&u.Content)
		p.changed()
	case *acpclient.SubagentUpdate:
		c.showCall(nil, nil, nil)
	case *acpclient.SessionMessage:
		c.applySessionMessage(u)
	case *acpclient.SessionMessageChunk:
		if m := c.between[u.MessageID]; m != nil {
			m.Parts.add(&u.Content)
			m.changed()
		}
	case *acpclient.MessageUpdate:
		c.applyMessage(u)
	case *acpclient.PromptAccepted:
		if c.whole[messageKey{acpclient.UserMessageChunk, u.MessageID, ""}] == nil {
			c.adopt(u.MessageID)
		}
	case *acpclient.StateUpdate:
		if !c.Turn.Running && u.State == acpclient.WorkIdle {
			c.closeMessages() // of work that no prompt began
		}
		c.settleCalls()
	case *acpclient.ToolCallContentChunk:
		c.showCall(u.Content, nil, u.Meta)
	case *acpclient.TerminalUpdate:
		c.applyTerminalUpdate(u)
	case *acpclient.TerminalOutputChunk:
		c.printed(c.shownTerminal(u.TerminalID), u.Data)
	case *acpclient.UnknownUpdate:
		c.showTask(u)
	case *acpclient.AvailableCommandsUpdate, *acpclient.UsageUpdate:
		// folded by the State
	default:
		c.addItem(&Unknown{Kind: u.UpdateKind(), Raw: receivedUpdate(e)})
	}
}

// receivedUpdate returns the JSON of an update, as the agent sent it if possible.
func receivedUpdate(e Update) []byte {
	var sent struct{ Update json.RawMessage }
	if json.Unmarshal(e.Raw, &sent) == nil && len(sent.Update) > 0 {
		return sent.Update
	}
	raw, _ := json.Marshal(e.Update) // decoded values always encode
	return raw
}

// applyRetry notes that the agent calls its model again, as opencode reports in _meta.
// Consecutive attempts share one line.
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

// field sets an optional field: null clears it, and an absent one changes nothing.
func field(s *string, f acpclient.Field[string]) {
	if !f.Set {
		return
	}
	*s = ""
	if f.Value != nil {
		*s = *f.Value
	}
}

// applyCompaction creates or changes a compaction. Fields that the update does not mention
// stay.
func (c *Conversation) applyCompaction(u *acpclient.CompactionUpdate) {
	p := c.compactionByID(u.CompactionID)
	if u.Status != "" {
		p.Status = u.Status
	}
	if u.Summary != nil {
		p.Summary = partsOf(u.Summary)
	}
	if u.Error != "" {
		p.Error = u.Error
	}
	p.changed()
}

// compactionByID returns the compaction with this id, creating it if needed.
func (c *Conversation) compactionByID(id acpclient.CompactionID) *Compaction {
	p := c.compactions[id]
	if p == nil {
		c.closeMessage()
		p = &Compaction{Status: acpclient.CompactionInProgress}
		c.compactions[id] = p
		c.addItem(p)
	}
	return p
}
