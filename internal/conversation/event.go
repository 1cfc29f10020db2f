package conversation

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"time"

	"parley/acpclient"
)

// Event is something that happened in a session. All that a user sees comes from the ordered
// stream of events. codec.go says how each is stored.
type Event interface {
	// Size returns roughly how many bytes the event keeps alive.
	Size() int
}

// The agent's process and connection.
type (
	// AgentStarting: a process is being started, or started again.
	AgentStarting struct {
		Command string
		At      time.Time
	}
	// AgentReady: the agent has answered initialize. The values of environment
	// variables are left out.
	AgentReady struct {
		Info *acpclient.InitializeResponse
	}
	// AgentLost: the agent could not be started, or has exited. Stderr is the raw tail of its
	// stderr.
	AgentLost struct {
		Err    error
		Stderr string
		At     time.Time
	}
)

// Opening a session.
type (
	// SessionOpening: a session is being opened. ID is empty for a new one. Clear means that
	// the transcript so far belongs to another session, or will be replayed: it is cleared.
	SessionOpening struct {
		How   Opening
		ID    acpclient.SessionID
		Clear bool
	}
	// SessionOpened: the agent has answered session/new, load, resume or fork.
	SessionOpened struct {
		ID    acpclient.SessionID
		Cwd   string
		State acpclient.SessionState
	}
	// SessionFailed: the agent refused to open it.
	SessionFailed struct {
		Err error
	}
)

// A turn.
type (
	// PromptSent: a prompt was sent and its turn has begun.
	PromptSent struct {
		Prompt []acpclient.ContentBlock
		At     time.Time
	}
	// PromptSteered: the agent has taken a prompt into the running turn.
	PromptSteered struct {
		Prompt []acpclient.ContentBlock
		At     time.Time
	}
	// CancelRequested: the user cancelled the turn; the agent has yet to end it.
	CancelRequested struct {
		At time.Time
	}
	// TurnEnded: the agent answered the prompt, with a reason or an error.
	TurnEnded struct {
		Reason acpclient.StopReason
		Err    error
		At     time.Time
		// Usage counts tokens; nil if the agent reports none.
		Usage *acpclient.Usage
	}
	// BudgetSet: the budget has changed, by the configuration or, if Raised, by the user, who
	// may let one turn exceed it.
	BudgetSet struct {
		Budget    Budget
		Raised    bool
		Unbounded bool
		// Spent is what the session from which this one continues had used up; nil for no
		// change.
		Spent *Spent
	}
	// BudgetReached: the budget is used up. The session sends no prompt until the next
	// BudgetSet, and repeats this event for each prompt that is held back.
	BudgetReached struct{}
	// BudgetShared: other sessions have spent of the same budget. Spent is the sum of theirs that
	// counts here.
	BudgetShared struct {
		Spent Spent
	}
	// LimitReached: a turn has ended at a limit of the user's plan. Its prompt, or one that goes on
	// with it, is the first of the paused queue. Kind is the agent's name for the limit, Resets is
	// zero if the agent does not say. Waits means that the session waits unasked.
	LimitReached struct {
		Kind   string
		Resets time.Time
		Waits  bool
	}
	// LimitWait: the queue goes on by itself at a time, or not any more if that is zero.
	LimitWait struct {
		Until time.Time
	}
	// QueueChanged: the queue has changed.
	QueueChanged struct {
		Queue  []QueuedPrompt
		Paused bool
	}
)

// What the agent streams.
type (
	// Text is text of a message. Adjacent text of one message is merged while it waits in the
	// stream.
	Text struct {
		Chunk     acpclient.ChunkKind
		MessageID acpclient.MessageID
		Text      string
	}
	// Update is any other session update. Raw is the notification as the agent sent it, which
	// may hold more than Update does; nil if no agent sent it. At is when it arrived, zero if
	// unknown. Session is the session that it is about: the open one, or a subagent's.
	Update struct {
		Session acpclient.SessionID
		Update  acpclient.SessionUpdate
		Raw     json.RawMessage
		At      time.Time
	}
)

// UsageCounted is a usage report as the session counts it, in place of the agent's in a record
// that may lack the reports before: see [State.Recorded].
type UsageCounted struct {
	// Usage has the cost of the whole session.
	Usage acpclient.UsageUpdate
	// Before, Past and Foreign are those of the State's costs.
	Before        *acpclient.Cost
	Past, Foreign float64
}

// What the user sets about the session.
type (
	// OptionChosen: a value for an option was sent. Seq numbers such switches, to match each
	// with its answer.
	OptionChosen struct {
		Seq    int
		Option acpclient.ConfigID
		Value  acpclient.ConfigValue
		At     time.Time
	}
	// OptionSettled: the agent has answered switch Seq: with the state of all options, with an
	// error, or with nothing. In the last case the option has the value that was sent, unless
	// the agent has reported another one since.
	OptionSettled struct {
		Seq     int
		Option  acpclient.ConfigID
		Value   acpclient.ConfigValue
		Options []acpclient.SessionConfigOption
		Err     error
	}
)

// What the agent asks.
type (
	// PermissionOpened: the agent waits for an answer. With File, parley itself asks before it
	// touches a file for the agent: the request is parley's own and names no tool call.
	// Judging means that the rules decide first: the user is asked from PermissionReferred on,
	// if at all.
	PermissionOpened struct {
		ID      int
		Request *acpclient.RequestPermissionRequest
		At      time.Time
		File    *FileQuestion
		Judging bool
		// Calls are the calls that the question needs, as the agent has announced them, in a
		// record that may lack the events before: see [State.Recorded]. Incomplete says that the
		// call of the question is so.
		Calls      []acpclient.ToolCallUpdate
		Incomplete bool
	}
	// PermissionReferred: the rules leave the question to the user. Why says what kept a rule
	// from answering; each of Proposals is a list of rules that would have allowed the call,
	// narrow ones first.
	PermissionReferred struct {
		ID        int
		Why       string
		Proposals [][]string
		At        time.Time
	}
	// PermissionClosed: the question was answered, or needs no answer any more. Rule is the
	// rule that answered, and Source where it is defined; both are empty if no rule did.
	PermissionClosed struct {
		ID      int
		Outcome acpclient.RequestPermissionOutcome
		At      time.Time
		Rule    string
		Source  string
	}
	// ElicitationOpened: the agent waits for input.
	ElicitationOpened struct {
		ID      int
		Request *acpclient.CreateElicitationRequest
		At      time.Time
	}
	// ElicitationClosed: the question was answered, or needs no answer any more. Answers is
	// what the user filled in, without secrets: see AnswersTo.
	ElicitationClosed struct {
		ID      int
		Action  acpclient.ElicitationAction
		Answers []FieldAnswer
		At      time.Time
	}
	// ElicitationCompleted: the user has done what was asked at a URL.
	ElicitationCompleted struct {
		ElicitationID acpclient.ElicitationID
	}
	// AuthRequired: the agent wants the user to sign in first, by one of the methods in
	// Conversation.Agent.AuthMethods. Message is the agent's text, Err its whole answer.
	AuthRequired struct {
		Message string
		Err     error
	}
	// AuthDone: signing in, or out, has ended.
	AuthDone struct {
		Method acpclient.AuthMethodID
		Err    error
	}
)

// What the agent, or the user, does on this machine.
type (
	// FileWritten: the agent wrote a file through the client. Before is nil for a new file.
	// Dropped means that the contents are left out.
	FileWritten struct {
		Path    string
		Before  *string
		After   string
		Dropped bool
	}
	// TerminalCreated: the agent started a command through the client.
	TerminalCreated struct {
		ID      acpclient.TerminalID
		Command string
		Cwd     string
	}
	// ShellStarted: the user started a command or a lasting shell.
	ShellStarted struct {
		ID      acpclient.TerminalID
		Command string
		Cwd     string
		Lasts   bool
		At      time.Time
	}
	// TerminalOutput: the command printed raw output.
	TerminalOutput struct {
		ID   acpclient.TerminalID
		Data []byte
	}
	// TerminalHidden: a command of the user's starts or stops reading without echo, as for a
	// password.
	TerminalHidden struct {
		ID     acpclient.TerminalID
		Hidden bool
	}
	// TerminalExited: the command has ended. No event holds its input.
	TerminalExited struct {
		ID     acpclient.TerminalID
		Status acpclient.TerminalExitStatus
	}
)

// NoticeAdded: parley adds a notice to the transcript. It is stored as "said".
type NoticeAdded struct {
	Severity acpclient.NoticeSeverity
	Title    string
	Detail   string
	// Subject, if not empty, identifies what the notice is about. A session adds only one
	// notice per subject: see State.Noted.
	Subject string
	// Unanswered means that it is about a request that the agent has not answered, for which
	// restarting the agent is the way on.
	Unanswered bool
}

// Opening is how a session is opened.
type Opening int

// The ways to open a session.
const (
	OpenNew    Opening = iota // session/new
	OpenLoad                  // session/load: the agent replays the history
	OpenResume                // session/resume: no replay
	OpenFork                  // session/fork: a copy of the open session
)

// FromNotification returns the event of a session update: a Text for plain text of a message,
// else an Update.
func FromNotification(n *acpclient.SessionNotification) Event {
	if c, ok := n.Update.(*acpclient.ContentChunk); ok &&
		c.Content.Type == acpclient.ContentText && c.Content.Annotations == nil && len(c.Meta) == 0 && len(c.Content.Meta) == 0 && len(n.Meta) == 0 {
		return Text{Chunk: c.Chunk, MessageID: c.MessageID, Text: c.Content.Text}
	}
	return Update{Session: n.SessionID, Update: n.Update, Raw: n.Raw}
}

// openingNames are the stored names of the ways to open a session.
var openingNames = [...]string{OpenNew: "new", OpenLoad: "load", OpenResume: "resume", OpenFork: "fork"}

// MarshalText returns the stored name. It fails for an unknown Opening.
func (o Opening) MarshalText() ([]byte, error) {
	if o < 0 || int(o) >= len(openingNames) {
		return nil, fmt.Errorf("there is no way %d to open a session", int(o))
	}
	return []byte(openingNames[o]), nil
}

// UnmarshalText reads a stored name.
func (o *Opening) UnmarshalText(name []byte) error {
	i := slices.Index(openingNames[:], string(name))
	if i < 0 {
		return fmt.Errorf("there is no way %q to open a session", name)
	}
	*o = Opening(i)
	return nil
}

// EventOverhead is roughly the size in bytes of an event without its texts, and of a list
// element in it.
const EventOverhead = 64

// Size implements Event, like the methods below.
func (e AgentStarting) Size() int        { return sizeOf(e) }
func (e AgentReady) Size() int           { return sizeOf(e) }
func (e AgentLost) Size() int            { return sizeOf(e) }
func (e SessionOpening) Size() int       { return sizeOf(e) }
func (e SessionOpened) Size() int        { return sizeOf(e) }
func (e SessionFailed) Size() int        { return sizeOf(e) }
func (e PromptSent) Size() int           { return sizeOf(e) }
func (e PromptSteered) Size() int        { return sizeOf(e) }
func (e BudgetSet) Size() int            { return sizeOf(e) }
func (e BudgetReached) Size() int        { return sizeOf(e) }
func (e BudgetShared) Size() int         { return sizeOf(e) }
func (e LimitReached) Size() int         { return sizeOf(e) }
func (e LimitWait) Size() int            { return sizeOf(e) }
func (e CancelRequested) Size() int      { return sizeOf(e) }
func (e TurnEnded) Size() int            { return sizeOf(e) }
func (e QueueChanged) Size() int         { return sizeOf(e) }
func (e UsageCounted) Size() int         { return sizeOf(e) }
func (e Text) Size() int                 { return EventOverhead + len(e.Text) }
func (e OptionChosen) Size() int         { return sizeOf(e) }
func (e OptionSettled) Size() int        { return sizeOf(e) }
func (e PermissionClosed) Size() int     { return sizeOf(e) }
func (e ElicitationOpened) Size() int    { return sizeOf(e) }
func (e ElicitationClosed) Size() int    { return sizeOf(e) }
func (e ElicitationCompleted) Size() int { return sizeOf(e) }
func (e AuthRequired) Size() int         { return sizeOf(e) }
func (e AuthDone) Size() int             { return sizeOf(e) }
func (e TerminalCreated) Size() int      { return sizeOf(e) }
func (e ShellStarted) Size() int         { return sizeOf(e) }
func (e TerminalOutput) Size() int       { return EventOverhead + len(e.Data) }
func (e TerminalHidden) Size() int       { return sizeOf(e) }
func (e TerminalExited) Size() int       { return sizeOf(e) }
func (e NoticeAdded) Size() int          { return sizeOf(e) }
func (e PermissionOpened) Size() int     { return sizeOf(e) }
func (e PermissionReferred) Size() int   { return sizeOf(e) }
func (e FileWritten) Size() int          { return sizeOf(e) }
func (e Update) Size() int               { return sizeOf(e) }

// sizeOf returns roughly how many bytes an event keeps alive, not counting the causes of an
// error.
func sizeOf(e Event) int { return EventOverhead + sizeIn(reflect.ValueOf(e)) }

func sizeIn(v reflect.Value) (n int) {
	switch v.Kind() {
	case reflect.String:
		return v.Len()
	case reflect.Pointer:
		if !v.IsNil() {
			return sizeIn(v.Elem())
		}
	case reflect.Interface:
		if !v.IsNil() && v.Type() == reflect.TypeFor[acpclient.SessionUpdate]() {
			return sizeIn(v.Elem())
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return v.Len()
		}
		for i := range v.Len() {
			n += EventOverhead + sizeIn(v.Index(i))
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			return 0
		}
		for i := range v.NumField() {
			n += sizeIn(v.Field(i))
		}
	}
	return n
}
