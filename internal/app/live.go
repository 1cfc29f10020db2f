package app

import (
	"cmp"
	"errors"
	"strings"
	"time"

	"parley/acpclient"
	"parley/config"
	"parley/internal/conversation"
	"parley/internal/session"
	"parley/internal/store"
)

// LongQuiet is how long a working agent sends nothing before a front end says so.
const LongQuiet = 10 * time.Second

// SlowAnswer is how long the agent takes to answer a cancel or a switch before a front end
// says so, with what helps.
const SlowAnswer = 5 * time.Second

// Live is a session as a front end holds it: the agent, the session, and the conversation
// folded from its events. It is not safe for concurrent use.
type Live struct {
	Agent        config.Agent
	Session      Session
	Conversation *conversation.Conversation
	// Restart is the key or command that restarts the agent here.
	Restart string
	// Earlier is text of an earlier session, sent with the next prompt; "" for none.
	Earlier string

	stored store.ID // the stored session that this one continues, or ""
	// lost means that the agent exited and no session has been opened since.
	lost bool
}

// Live returns the session with what was said in it before.
func (o *Opened) Live() *Live {
	l := &Live{Agent: o.Agent, Session: o.Session, Conversation: o.Session.Past(), Earlier: o.Earlier}
	if o.Transcript != nil {
		l.Conversation, l.stored = o.Transcript.Conversation, o.Transcript.Meta.ID
	} else if l.Conversation == nil {
		l.Conversation = conversation.New()
	}
	l.Conversation.Cwd = o.Session.About().Cwd
	return l
}

// Apply folds an event of the session.
func (l *Live) Apply(e conversation.Event) {
	if n, ok := e.(conversation.NoticeAdded); ok && n.Unanswered && l.Restart != "" {
		n.Detail = strings.TrimSuffix(n.Detail, ".") + " with " + l.Restart + "."
		e = n
	}
	l.Conversation.Apply(e)
	switch e := e.(type) {
	case conversation.AgentLost:
		l.lost = true
	case conversation.SessionOpening:
		if e.Clear { // it belongs to the other session
			l.Earlier = ""
		}
	}
}

// WithEarlier adds the text of an earlier session to a prompt, once.
func (l *Live) WithEarlier(q conversation.QueuedPrompt) conversation.QueuedPrompt {
	text := "This was said in an earlier session:\n\n" + l.Earlier
	switch caps := l.Conversation.Agent.Capabilities.PromptCapabilities; {
	case l.Earlier == "":
	case caps.EmbeddedContext:
		q.Prompt = append(q.Prompt, acpclient.TextResourceBlock("parley:earlier-session.md", "text/markdown", text))
	default:
		q.Prompt = append(q.Prompt, acpclient.TextBlock("\n\n"+text))
	}
	l.Earlier = ""
	return q
}

// Behind returns the position in the queue of a prompt that is written at a question: behind a paused
// queue, about which the question may be; 0 if it is sent or queued like any other.
func (l *Live) Behind() int {
	if !l.Conversation.QueuePaused {
		return 0
	}
	return len(l.Conversation.Queue) + 1
}

// SendQueueQuestion asks whether to send the prompts that were queued when the agent exited;
// nil if there are none. Call it after [conversation.SessionOpened]: it asks once.
func (l *Live) SendQueueQuestion() *Question {
	lost := l.lost
	l.lost = false
	if !lost || len(l.Conversation.Queue) == 0 || !l.Conversation.QueuePaused {
		return nil
	}
	var lines []string
	for _, q := range l.Conversation.Queue {
		lines = append(lines, questionLine(q))
	}
	return &Question{ // they were written before the user knew of that
		Title: "Send the queued prompts?",
		Text:  "Queued when the agent exited:\n" + strings.Join(atMost(lines, 3), "\n"),
		Choices: []Choice{
			{Name: "Send", Key: "y", Here: func() { session.Post(l.Session, session.ResumeQueue{}) }},
			{Name: "Keep it queued", Key: "n"},
		},
	}
}

// Roots returns the directories of the session.
func (l *Live) Roots() []string {
	about := l.Session.About()
	return append([]string{about.Cwd}, about.Dirs...)
}

// SignIn begins signing in to the agent, at its request.
func (l *Live) SignIn(e conversation.AuthRequired) *SignIn {
	return &SignIn{Message: e.Message, Methods: l.Conversation.Agent.AuthMethods, agent: l.Conversation.Agent.Name(), session: l.Session}
}

// GoneText says what has happened to the lost agent.
func (l *Live) GoneText() string {
	if l.HostGone() {
		return "This session does not run any more"
	}
	switch failed, connects := l.Conversation.Phase == conversation.PhaseFailed, l.Session.About().Connects; {
	case failed && l.Conversation.Agent.Err == nil:
		return "There is no session"
	case failed && connects:
		return "Not connected to the agent"
	case failed:
		return "The agent could not be started"
	case connects:
		return "Lost the connection to the agent"
	}
	return "The agent exited"
}

// GoneReason says why the agent is gone, "" if unknown.
func (l *Live) GoneReason() string {
	if l.Conversation.Agent.Err == nil {
		return ""
	}
	return StartErrorText(l.Agent, l.Conversation.Agent.Err)
}

// Installable reports whether the agent is not on this machine, and parley can install it.
func (l *Live) Installable() bool {
	return l.Agent.Installable() && errors.As(l.Conversation.Agent.Err, new(*acpclient.StartError))
}

// HostGone reports whether the session's host has exited. The session can then only be opened
// from its log.
func (l *Live) HostGone() bool { return l.Session.About().Host != "" && l.Session.Disconnected() }

// OverForGood reports whether the session's host has exited and nothing of it was stored.
func (l *Live) OverForGood() bool { return l.HostGone() && l.StoredID() == "" }

// RestartText says what the key, or the command, that restarts the agent does.
func (l *Live) RestartText(key string) string {
	switch {
	case l.OverForGood():
		return "nothing of it was stored"
	case l.HostGone():
		return key + " opens it again"
	case l.Session.About().Connects:
		return key + " reconnects"
	}
	return key + " restarts it"
}

// StoredID returns the id under which the session is stored, or "".
func (l *Live) StoredID() store.ID { return cmp.Or(l.Session.StoredID(), l.stored) }

// Left describes the session as the user leaves it. title is what it was called.
func (l *Live) Left(title string) Left {
	c, running := l.Conversation, l.Running()
	if !c.Said && len(c.Queue) == 0 && len(Unsent(l.Session)) == 0 {
		running = "" // it ends with its last viewer
	}
	return Left{Title: title, Agent: l.Agent, Session: ResumableID(c), Stored: l.StoredID(), Cwd: c.Cwd, Running: running}
}

// Running returns the id under which the session keeps running when the front end leaves it,
// "" if it ends.
func (l *Live) Running() string {
	if l.HostGone() {
		return ""
	}
	return l.Session.About().Host
}
