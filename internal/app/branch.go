package app

import (
	"context"
	"errors"
	"fmt"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/git"
	"parley/internal/journal"
	"parley/internal/session"
	"parley/internal/store"
)

// Way is how the agent of a branch learns the conversation before a prompt.
type Way int

// The ways of a branch. None changes the original session.
const (
	WayForkAtMessage Way = iota // the agent copies its session up to a message
	WayFork                     // the agent copies its whole session, all of which is kept
	WayRetell                   // a new session gets the conversation as text, with its first prompt
	WayNew                      // a new session: nothing was said before the prompt
)

// Text tells the user what the way does.
func (w Way) Text() string {
	switch w {
	case WayForkAtMessage:
		return "The agent forks the session at this message"
	case WayFork:
		return "The agent forks the session"
	case WayRetell:
		return "Opens a new session; your next prompt sends the conversation along as text"
	}
	return "Opens a new session"
}

// WayTo returns how the agent learns the conversation before a prompt, numbered as by
// [conversation.Conversation.Prompts]; one past the last means all of it.
func WayTo(c *conversation.Conversation, prompt int) Way {
	prompts := c.Prompts()
	switch {
	case prompt <= 1:
		return WayNew
	case prompt > len(prompts) && c.ID != "" && c.Agent.Capabilities.SessionCapabilities.Fork != nil:
		return WayFork
	case prompt <= len(prompts) && c.ID != "" && prompts[prompt-1].After != "" && c.Agent.ForksAtMessage():
		return WayForkAtMessage
	}
	return WayRetell
}

// TurnOf returns the turn of the journal that a prompt began, 0 if the journal does not have
// it: then only the conversation can go back.
func TurnOf(j *journal.Summary, p conversation.Prompt) int {
	if j == nil || p.At.IsZero() {
		return 0
	}
	for _, t := range j.Turns {
		if t.At.Equal(p.At) {
			return t.Number
		}
	}
	return 0
}

// Branched is what a session that continues another one from before a prompt has of it.
type Branched struct {
	// Prompt is the prompt before which the session branched, for the composer; nil if it
	// continues after the last one.
	Prompt []acpclient.ContentBlock
	// Earlier is sent with the first prompt, by [WithEarlier]; "" if the agent knows it.
	Earlier string
	// Queue are the prompts that still waited in a session that was handed over, for the composer. The
	// stored view has them until the front end saves it.
	Queue []conversation.QueuedPrompt

	way   Way
	noted bool // the log of the other session says where it continued
}

// BranchOf returns what a branch has of a conversation, without Earlier and the queue.
func BranchOf(c *conversation.Conversation, s Spec) Branched {
	b := Branched{way: WayTo(c, s.Branch)}
	if s.HandOver {
		b.way = max(b.way, WayRetell) // its own agent alone could fork it
	}
	if prompts := c.Prompts(); s.Branch >= 1 && s.Branch <= len(prompts) {
		b.Prompt = prompts[s.Branch-1].Blocks
	}
	return b
}

// branch makes a session that continues a stored one from before a prompt, in the way returned
// by [WayTo], and in another directory if s names one. The stored session stays,
// with a note saying where it continued. With HandOver, another agent goes on with
// the conversation, and its queue and draft come along. The error is an *UntrustedError if the user has to
// agree to the agent first.
func (l *Launcher) branch(ctx context.Context, s Spec) (*Opened, error) {
	old, err := l.read(ctx, s)
	if err == nil {
		err = old.ReadOnly
	}
	if err != nil {
		return nil, err
	}
	c := old.Transcript.Conversation
	b := &Opened{Agent: old.Agent, Branched: BranchOf(c, s)}
	log, err := l.Store.Branch(ctx, s.Stored, s.Branch, func(m *store.Meta) {
		m.ID, m.Retells = s.As, b.way == WayRetell
		if s.HandOver {
			m.Agent, m.Command = old.Agent.ID, givenCommand(old.Agent)
		}
		if s.Cwd == "" {
			return
		}
		m.Cwd, m.Worktree, m.From = s.Cwd, "", ""
		if t := git.WorktreeOf(s.Cwd); t != nil {
			m.Worktree, m.From = t.Branch, git.Original(s.Cwd)
		}
	})
	if err != nil {
		return nil, err
	}
	// All branches of a session share its budget.
	spent := c.Spent()
	err = log.Append([]conversation.Event{conversation.BudgetSet{Budget: c.Budget, Raised: c.BudgetRaised, Spent: &spent}})
	if err == nil && s.HandOver {
		from := old.Transcript.Meta.Agent
		if a, err := AgentNamed(l.Config, from); err == nil {
			from = a.Name
		}
		// Until the next agent says who it is, it has its configured name, and the cost stays in sight.
		next := conversation.AgentReady{Info: &acpclient.InitializeResponse{AgentInfo: &acpclient.Implementation{}}, Name: old.Agent.Name}
		err = log.Append([]conversation.Event{
			next, conversation.SessionOpening{How: conversation.OpenNew}, handOverNote(from, old.Agent.Name, c),
		})
	}
	if err == nil {
		b.Transcript, err = l.Store.Read(ctx, log.ID())
	}
	if err != nil {
		return nil, errors.Join(err, log.Close())
	}
	m := b.Transcript.Meta
	opt := session.Options{
		Recorder: l.record(m, log), Cwd: m.Cwd, AdditionalDirectories: m.Dirs,
		Past: b.past(c, s), JournalOf: c.JournalOf, MCPServers: s.MCP,
	}
	switch b.way {
	case WayForkAtMessage:
		opt.Fork = &session.ForkPoint{ID: c.ID, At: c.Prompts()[s.Branch-1].After}
	case WayFork:
		opt.Fork = &session.ForkPoint{ID: c.ID}
	case WayRetell:
		b.Earlier = EarlierText(b.Transcript.Conversation)
	}
	if b.Session, err = l.session(b.Agent, opt, nil); err != nil {
		opt.Recorder.Close()
		return nil, err
	}
	moved := false
	if s.HandOver {
		b.View.Draft = old.View.Draft
		waits := store.Unsent{}
		if u := old.View.Unsent; u != nil && u.Moved() {
			waits = *u
		}
		for _, q := range conversation.Unclaimed(c.Queue) {
			waits.Prompts = append(waits.Prompts, store.UnsentPrompt{Prompt: q})
		}
		if len(waits.Prompts) > 0 {
			b.View.Unsent = &waits
		}
		moved = l.Store.SaveView(m.ID, b.View) == nil
		b.TakeMoved()
	}
	if log, err := l.Store.Continue(s.Stored); err == nil {
		note := b.note()
		end := []conversation.Event{note}
		if moved && len(c.Queue) > 0 {
			note.Detail += ". The queue went along."
			end = []conversation.Event{note, conversation.QueueChanged{}}
		}
		b.noted = log.Append(end) == nil
		_ = log.Close()
		if moved && b.noted {
			old.View.Draft, old.View.Unsent = "", nil
			_ = l.Store.SaveView(s.Stored, old.View) // at worst it is in both
		}
	}
	opt.Recorder.Record(b.Transcript.Ending) // after the note: the last session is the one that was written last
	b.TellOld(s.Beside)
	return b, nil
}

// Tells reports whether the next prompt has to send the conversation along: nothing was sent since the
// branch, and the agent does not know what was said before it.
func (b *Opened) Tells() bool {
	m, c, u := b.Transcript.Meta, b.Transcript.Conversation, b.View.Unsent
	return m.OriginPrompt > 1 && m.OriginPrompt == len(c.Prompts())+1 && len(c.Queue) == 0 && (u == nil || u.Moved()) &&
		(m.Retells || c.ID == "")
}

// TakeMoved takes the prompts that were handed over and are still in the view, for the composer.
func (b *Opened) TakeMoved() {
	if u := b.View.Unsent; u != nil && u.Moved() {
		for _, p := range u.Prompts {
			b.Queue = append(b.Queue, p.Prompt)
		}
	}
}

// past returns the state from which the branch of a conversation goes on: it sets the options that were
// set there, unless they are another agent's.
func (b *Opened) past(c *conversation.Conversation, s Spec) *conversation.State {
	past := b.Transcript.Conversation.State
	if !s.HandOver {
		past.Options = c.Options
	}
	return &past
}

// note returns the notice for the old session about where it continued.
func (b *Opened) note() conversation.NoticeAdded {
	m := b.Transcript.Meta
	return conversation.NoticeAdded{
		Severity: acpclient.NoticeInfo, Title: fmt.Sprintf("Continued from before prompt %d in another session", m.OriginPrompt),
		Detail: "Session " + string(m.ID),
	}
}

// TellOld adds the notice to the open session that this one branches, unless its log has it.
func (b *Opened) TellOld(old Session) {
	if n := b.note(); old != nil && !b.noted {
		b.noted = true
		session.Post(old, session.AddNotice{Severity: n.Severity, Title: n.Title, Detail: n.Detail})
	}
}

// warnOfRecovered tells the user that an interrupted undo or rewind was reverted.
func warnOfRecovered(s Session, r journal.Recovered) {
	what := "An undo"
	if r.Rewound != 0 {
		what = "A rewind of files"
	}
	if r.Other {
		what += " of another session here"
	}
	if r.Err != nil {
		session.Post(s, session.AddNotice{Severity: acpclient.NoticeError, Title: what + " was interrupted and could not be reverted completely", Detail: r.Err.Error()})
		return
	}
	session.Post(s, session.AddNotice{Severity: acpclient.NoticeWarning, Title: what + " was interrupted and reverted", Detail: "The files are as they were before it."})
}
