package conversation

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"parley/acpclient"
)

// Apply folds one event into the conversation. It never fails: an event that
// makes no sense where it stands changes what it can.
func (c *Conversation) Apply(e Event) {
	switch e := e.(type) {
	case Text:
		c.text(e)
	case Update:
		c.update(e)
	case AgentStarting:
		c.Phase = PhaseStarting
		c.Agent = AgentState{Command: e.Command, Since: e.At, Info: c.Agent.Info}
	case AgentReady:
		c.agentReady(e.Info)
	case AgentLost:
		c.agentLost(e)
	case SessionOpening:
		c.sessionOpening(e)
	case SessionOpened:
		c.ID, c.Cwd, c.Phase = e.ID, e.Cwd, PhaseReady
		c.openedWith(e.State)
	case SessionFailed:
		c.Phase = PhaseFailed
		c.note(acpclient.NoticeError, "The agent could not open the session", e.Err.Error())
	case PromptSent:
		c.promptSent(e)
	case CancelRequested:
		c.Turn.Cancelling = e.At
		c.endTools(true)
	case TurnEnded:
		c.turnEnded(e)
	case QueueChanged:
		c.Queue, c.QueuePaused = e.Queue, e.Paused
	case OptionChosen:
		c.optionChosen(e)
	case OptionSettled:
		c.optionSettled(e)
	case PermissionOpened:
		c.permissionOpened(e)
	case PermissionClosed:
		c.permissionClosed(e)
	case ElicitationOpened:
		c.Elicitations = append(c.Elicitations, &Elicitation{ID: e.ID, Request: e.Request})
	case ElicitationClosed:
		c.elicitationClosed(e)
	case ElicitationCompleted:
		c.elicitationCompleted(e.ElicitationID)
	case AuthRequired:
		c.AuthError = e.Err
	case AuthDone:
		c.AuthError = e.Err
	case FileWritten:
		c.fileWritten(e)
	case TerminalCreated:
		t := c.terminal(e.ID)
		t.Command, t.Cwd, t.Own = e.Command, e.Cwd, false
		t.changed()
	case TerminalOutput:
		c.terminal(e.ID).write(e.Data)
	case TerminalExited:
		t := c.terminal(e.ID)
		t.Exit = &e.Status
		t.changed()
	case Said:
		c.note(e.Severity, e.Title, e.Detail)
	}
}

// sessionOpening makes room for the session that is being opened.
func (c *Conversation) sessionOpening(e SessionOpening) {
	c.Phase = PhaseOpening
	c.AuthError = nil
	switch {
	case e.Clear:
		c.forget(e.ID != "" && e.ID == c.ID)
	case e.How == OpenNew:
		// What happened stays to be read. Nothing of it is known to the agent.
		before := *c
		c.forget(false)
		c.Items, c.Files, c.Terminals, c.turns = before.Items, before.Files, before.Terminals, before.turns
	}
}

// forget begins anew. What parley itself knows about the same session, when it
// comes again, is kept.
func (c *Conversation) forget(same bool) {
	c.closeMessages()
	fresh := New()
	fresh.Agent, fresh.Phase, fresh.Cwd = c.Agent, c.Phase, c.Cwd
	// These have ends of their own. A turn may wait for this very session, if
	// the person had to sign in on a terminal first.
	fresh.Turn, fresh.Queue, fresh.QueuePaused = c.Turn, c.Queue, c.QueuePaused
	fresh.Permissions, fresh.Elicitations, fresh.visits = c.Permissions, c.Elicitations, c.visits
	if same {
		fresh.ID, fresh.Title, fresh.UpdatedAt = c.ID, c.Title, c.UpdatedAt
		fresh.Files, fresh.Terminals = c.Files, c.Terminals
	}
	*c = *fresh
}

func (c *Conversation) add(i Item) { c.Items = append(c.Items, i) }

// note adds a line. It is not part of the conversation: a message that streams
// meanwhile goes on where it stands.
func (c *Conversation) note(s acpclient.NoticeSeverity, title, detail string) {
	c.add(&Note{Severity: s, Title: title, Detail: detail})
}

func (c *Conversation) agentReady(info *acpclient.InitializeResponse) {
	c.Agent.Capabilities = info.AgentCapabilities
	c.Agent.AuthMethods = info.AuthMethods
	if info.AgentInfo != nil {
		c.Agent.Info = *info.AgentInfo
	}
}

func (c *Conversation) agentLost(e AgentLost) {
	c.Agent.Err, c.Agent.Stderr = e.Err, e.Stderr
	failed := c.Phase == PhaseStarting || c.Phase == PhaseOpening
	c.Phase = PhaseLost
	if failed {
		c.Phase = PhaseFailed
	}
	c.Turn = Turn{}
	c.AuthError = nil
	c.endTools(true)
	c.closeMessages()
	c.Permissions, c.Elicitations = nil, nil
	c.nothingPending()
}

func (c *Conversation) promptSent(e PromptSent) {
	c.newTurn()
	c.Turn = Turn{Running: true, Started: e.At}
	m := &Message{Chunk: acpclient.UserMessageChunk, Done: true}
	for _, b := range e.Prompt {
		m.Parts.add(b)
	}
	c.add(m)
	c.echo = newEcho(e.Prompt)
}

// newTurn forgets what belongs to one turn only.
func (c *Conversation) newTurn() {
	c.closeMessages()
	c.turns++
	c.turnPlan = nil
	c.echo = echo{}
}

func (c *Conversation) turnEnded(e TurnEnded) {
	c.endTools(e.Reason == acpclient.StopCancelled)
	c.closeMessages()
	c.Turn = Turn{}
	c.echo = echo{}
	if e.Err != nil {
		title := "The turn failed"
		var answer *acpclient.Error
		if errors.As(e.Err, &answer) {
			title = "The agent answered with an error"
		}
		c.note(acpclient.NoticeError, title, e.Err.Error())
		return
	}
	if title, severity := stopWords(e.Reason); title != "" {
		c.note(severity, title, "")
	}
}

// stopWords says a stop reason in words; a normal end needs none.
func stopWords(r acpclient.StopReason) (string, acpclient.NoticeSeverity) {
	switch r {
	case acpclient.StopEndTurn, "":
		return "", ""
	case acpclient.StopCancelled:
		return "Cancelled", acpclient.NoticeInfo
	case acpclient.StopMaxTokens:
		return "Stopped: the answer reached the model's token limit", acpclient.NoticeWarning
	case acpclient.StopMaxTurnRequests:
		return "Stopped: the turn reached the agent's limit of model requests", acpclient.NoticeWarning
	case acpclient.StopRefusal:
		return "The agent refused to go on. It will not remember this prompt and what followed it", acpclient.NoticeWarning
	}
	return fmt.Sprintf("Stopped: %s", strings.ReplaceAll(string(r), "_", " ")), acpclient.NoticeWarning
}

// endTools ends what is live in the turn; cancelled marks what was not done.
func (c *Conversation) endTools(cancelled bool) {
	for _, t := range c.live {
		if cancelled && t.Running() {
			t.Cancelled = true
		}
		t.Live = false
		t.changed()
	}
	c.live = nil
}

func (c *Conversation) elicitationClosed(e ElicitationClosed) {
	for i, q := range c.Elicitations {
		if q.ID == e.ID {
			c.Elicitations = append(c.Elicitations[:i:i], c.Elicitations[i+1:]...)
			if q.Request.Mode == acpclient.ElicitURL && e.Action == acpclient.ElicitAccept {
				c.visits = append(c.visits, q)
			}
			return
		}
	}
}

func (c *Conversation) elicitationCompleted(id acpclient.ElicitationID) {
	for _, q := range slices.Concat(c.Elicitations, c.visits) {
		if q.Request.ElicitationID == id {
			q.Completed = true
		}
	}
	c.visits = slices.DeleteFunc(c.visits, func(q *Elicitation) bool { return q.Completed })
}

func (c *Conversation) fileWritten(e FileWritten) {
	for _, f := range c.Files {
		if f.Path == e.Path {
			f.After = e.After
			f.Writes++
			return
		}
	}
	c.Files = append(c.Files, &FileChange{Path: e.Path, Before: e.Before, After: e.After, Writes: 1})
}

func (c *Conversation) terminal(id acpclient.TerminalID) *Terminal {
	t := c.Terminals[id]
	if t == nil {
		t = &Terminal{ID: id}
		c.Terminals[id] = t
	}
	return t
}
