package session

import (
	"time"

	"parley/acpclient"
)

// Event is one thing that happened in a session. Everything that a person can
// see comes of these, in one order: see Stream.
type Event interface {
	// size is about how many bytes the event holds on to.
	size() int
}

// The agent's process and connection.
type (
	// AgentStarting: a process is being started, or started again.
	AgentStarting struct {
		Command string
		At      time.Time
	}
	// AgentReady: the agent has answered initialize.
	AgentReady struct{ Info *acpclient.InitializeResponse }
	// AgentLost: the agent could not be started, or has gone. Stderr is the
	// tail of what it wrote there, raw.
	AgentLost struct {
		Err    error
		Stderr string
	}
)

// Opening a session.
type (
	// SessionOpening: a session is being opened; what was on screen stays.
	SessionOpening struct{ How Opening }
	// SessionOpened: the agent has answered session/new, load or resume.
	SessionOpened struct {
		ID    acpclient.SessionID
		Cwd   string
		State acpclient.SessionState
	}
	// SessionFailed: the agent refused to open it.
	SessionFailed struct{ Err error }
)

// A turn.
type (
	// PromptSent: a prompt went out and its turn has begun.
	PromptSent struct {
		Prompt []acpclient.ContentBlock
		At     time.Time
	}
	// CancelRequested: the person cancelled the turn; the agent has yet to end it.
	CancelRequested struct{ At time.Time }
	// TurnEnded: the agent answered the prompt, with a reason or an error.
	TurnEnded struct {
		Reason acpclient.StopReason
		Err    error
		At     time.Time
	}
	// QueueChanged: the prompts that wait for the turn's end are others now.
	QueueChanged struct {
		Queue  []QueuedPrompt
		Paused bool
	}
)

// What the agent streams.
type (
	// Text is text of a message. Text that follows on text of the same message
	// is merged into one event while it waits.
	Text struct {
		Chunk     acpclient.ChunkKind
		MessageID acpclient.MessageID
		Text      string
	}
	// Update is any other session update.
	Update struct {
		Update acpclient.SessionUpdate
		Meta   acpclient.Meta
	}
)

// Modes and config options that the person sets.
type (
	// ModeChosen: a switch of mode was sent.
	ModeChosen struct {
		Seq  int
		Mode acpclient.SessionModeID
	}
	// ModeSettled: the agent has answered it.
	ModeSettled struct {
		Seq  int
		Mode acpclient.SessionModeID
		Err  error
	}
	// OptionChosen: a value for an option was sent.
	OptionChosen struct {
		Seq    int
		Option acpclient.ConfigID
		Value  acpclient.ConfigValue
	}
	// OptionSettled: the agent has answered it with the state of all options.
	OptionSettled struct {
		Seq     int
		Option  acpclient.ConfigID
		Options []acpclient.SessionConfigOption
		Err     error
	}
	// ModelSettled: the agent has answered a switch by the older
	// session/set_model.
	ModelSettled struct {
		Seq   int
		Model string
		Err   error
	}
)

// What the agent asks.
type (
	// PermissionOpened: the agent waits for an answer.
	PermissionOpened struct {
		ID      int
		Request *acpclient.RequestPermissionRequest
	}
	// PermissionClosed: it was answered, or needs no answer any more.
	PermissionClosed struct {
		ID      int
		Outcome acpclient.RequestPermissionOutcome
	}
	// ElicitationOpened: the agent waits for input.
	ElicitationOpened struct {
		ID      int
		Request *acpclient.CreateElicitationRequest
	}
	// ElicitationClosed: it was answered, or needs no answer any more.
	ElicitationClosed struct {
		ID     int
		Action acpclient.ElicitationAction
	}
	// ElicitationCompleted: what was asked by URL is done.
	ElicitationCompleted struct{ ElicitationID acpclient.ElicitationID }
	// AuthRequired: the agent wants the person to sign in first. Its message
	// is in Err.
	AuthRequired struct{ Err error }
	// AuthDone: signing in, or out, has ended.
	AuthDone struct {
		Method acpclient.AuthMethodID
		Err    error
	}
)

// What the agent does on this machine.
type (
	// FileRead: the agent read a file through the client.
	FileRead struct{ Path string }
	// FileWritten: the agent wrote a file through the client. A nil Before is
	// a new file.
	FileWritten struct {
		Path   string
		Before *string
		After  string
	}
	// TerminalCreated: the agent started a command through the client, or says
	// that it runs one itself.
	TerminalCreated struct {
		ID      acpclient.TerminalID
		Command string
		Cwd     string
		Own     bool // run by the agent itself
	}
	// TerminalOutput: the command printed something, raw.
	TerminalOutput struct {
		ID   acpclient.TerminalID
		Data []byte
	}
	// TerminalExited: the command has ended.
	TerminalExited struct {
		ID     acpclient.TerminalID
		Status acpclient.TerminalExitStatus
	}
)

// Said is something that parley itself has to say in the transcript.
type Said struct {
	Severity acpclient.NoticeSeverity
	Title    string
	Detail   string
}

const eventOverhead = 64

func (AgentStarting) size() int        { return eventOverhead }
func (AgentReady) size() int           { return eventOverhead }
func (e AgentLost) size() int          { return eventOverhead + len(e.Stderr) }
func (SessionOpening) size() int       { return eventOverhead }
func (SessionOpened) size() int        { return eventOverhead }
func (SessionFailed) size() int        { return eventOverhead }
func (PromptSent) size() int           { return eventOverhead }
func (CancelRequested) size() int      { return eventOverhead }
func (TurnEnded) size() int            { return eventOverhead }
func (QueueChanged) size() int         { return eventOverhead }
func (e Text) size() int               { return eventOverhead + len(e.Text) }
func (ModeChosen) size() int           { return eventOverhead }
func (ModeSettled) size() int          { return eventOverhead }
func (OptionChosen) size() int         { return eventOverhead }
func (OptionSettled) size() int        { return eventOverhead }
func (ModelSettled) size() int         { return eventOverhead }
func (PermissionOpened) size() int     { return eventOverhead }
func (PermissionClosed) size() int     { return eventOverhead }
func (ElicitationOpened) size() int    { return eventOverhead }
func (ElicitationClosed) size() int    { return eventOverhead }
func (ElicitationCompleted) size() int { return eventOverhead }
func (AuthRequired) size() int         { return eventOverhead }
func (AuthDone) size() int             { return eventOverhead }
func (FileRead) size() int             { return eventOverhead }
func (e FileWritten) size() int        { return eventOverhead + len(e.After) }
func (TerminalCreated) size() int      { return eventOverhead }
func (e TerminalOutput) size() int     { return eventOverhead + len(e.Data) }
func (TerminalExited) size() int       { return eventOverhead }
func (Said) size() int                 { return eventOverhead }

func (e Update) size() int {
	n := eventOverhead
	add := func(b *acpclient.ContentBlock) {
		if b != nil {
			n += len(b.Text) + len(b.Data) + len(b.Raw)
			if r := b.Resource; r != nil && r.Text != nil {
				n += len(*r.Text)
			}
		}
	}
	tool := func(cs []acpclient.ToolCallContent, in, out []byte) {
		n += len(in) + len(out)
		for i := range cs {
			n += len(cs[i].NewText) + len(cs[i].Raw)
			if cs[i].OldText != nil {
				n += len(*cs[i].OldText)
			}
			add(cs[i].Content)
		}
	}
	switch u := e.Update.(type) {
	case *acpclient.ContentChunk:
		add(&u.Content)
	case *acpclient.ToolCall:
		tool(u.Content, u.RawInput, u.RawOutput)
	case *acpclient.ToolCallUpdate:
		tool(u.Content, u.RawInput, u.RawOutput)
	case *acpclient.AvailableCommandsUpdate:
		n += 100 * len(u.AvailableCommands)
	case *acpclient.UnknownUpdate:
		n += len(u.Raw)
	}
	return n
}
