package conversation

import (
	"encoding/json"
	"reflect"
	"time"

	"parley/acpclient"
)

// Event is something that happened in a session. All that a user sees comes from the ordered
// stream of events. Each is a type with the names of its stored fields (see codec.go), a row of
// kinds, and its effect on the State.
type Event interface {
	fold(s *State)
}

// The agent's process and connection.
type (
	// AgentStarting: a process is being started, or started again.
	AgentStarting struct {
		Command string    `json:"command"`
		At      time.Time `json:"at,omitzero"`
	}
	// AgentReady: the agent has answered initialize. The values of environment
	// variables are left out. Name is what parley calls the agent, "" to call it what it calls itself.
	AgentReady struct {
		Info *acpclient.InitializeResponse `json:"info"`
		Name string                        `json:"name,omitzero"`
	}
	// AgentLost: the agent could not be started, or has exited. Stderr is the raw tail of its
	// stderr.
	AgentLost struct {
		Err    error     `json:"error,omitzero"`
		Stderr string    `json:"stderr,omitzero"`
		At     time.Time `json:"at,omitzero"`
	}
)

// Opening a session.
type (
	// SessionOpening: a session is being opened. ID is empty for a new one. Clear means that
	// the transcript so far belongs to another session, or will be replayed: it is cleared.
	SessionOpening struct {
		How   Opening             `json:"how"`
		ID    acpclient.SessionID `json:"id,omitzero"`
		Clear bool                `json:"clear,omitzero"`
	}
	// SessionOpened: the agent has answered session/new, load, resume or fork.
	SessionOpened struct {
		ID    acpclient.SessionID    `json:"id"`
		Cwd   string                 `json:"cwd"`
		State acpclient.SessionState `json:"state,omitzero"`
	}
	// SessionFailed: the agent refused to open it.
	SessionFailed struct {
		Err error `json:"error"`
	}
)

// A turn.
type (
	// PromptSent: a prompt was sent and its turn has begun. Ref is that of [QueuedPrompt].
	PromptSent struct {
		Prompt []acpclient.ContentBlock `json:"prompt,omitzero"`
		Ref    string                   `json:"ref,omitzero"`
		At     time.Time                `json:"at,omitzero"`
	}
	// PromptSteered: the agent has taken a prompt into the running turn.
	PromptSteered struct {
		Prompt []acpclient.ContentBlock `json:"prompt,omitzero"`
		Ref    string                   `json:"ref,omitzero"`
		At     time.Time                `json:"at,omitzero"`
	}
	// CancelRequested: the user cancelled the turn; the agent has yet to end it.
	CancelRequested struct {
		At time.Time `json:"at,omitzero"`
	}
	// TurnEnded: the agent answered the prompt, with a reason or an error.
	TurnEnded struct {
		Reason acpclient.StopReason `json:"reason,omitzero"`
		Err    error                `json:"error,omitzero"`
		At     time.Time            `json:"at,omitzero"`
		// Usage counts tokens; nil if the agent reports none.
		Usage *acpclient.Usage `json:"usage,omitzero"`
		// Again means that the turn has ended at a limit of the user's plan, and that its prompt is sent
		// again when that resets.
		Again bool `json:"again,omitzero"`
	}
	// BudgetSet: the budget has changed, by the configuration or, if Raised, by the user, who
	// may let one turn exceed it.
	BudgetSet struct {
		Budget    Budget `json:"budget"`
		Raised    bool   `json:"raised,omitzero"`
		Unbounded bool   `json:"unbounded,omitzero"`
		// Spent is what the session from which this one continues had used up; nil for no
		// change.
		Spent *Spent `json:"spent,omitzero"`
	}
	// BudgetReached: the budget is used up. The session sends no prompt until the next
	// BudgetSet, and repeats this event for each prompt that is held back. Stopped means that the
	// user has decided to stop there.
	BudgetReached struct {
		Stopped bool `json:"stopped,omitzero"`
	}
	// BudgetShared: other sessions have spent of the same budget. Spent is the sum of theirs that
	// counts here. With Aside it is what a question that was asked aside has spent since the last
	// event: it counts as spent by this session.
	BudgetShared struct {
		Spent Spent `json:"spent"`
		Aside bool  `json:"aside,omitzero"`
	}
	// LimitReached: a turn has ended at a limit of the user's plan. Its prompt, or one that goes on
	// with it, is the first of the paused queue. Kind is the agent's name for the limit, Resets is
	// zero if the agent does not say. Waits means that the session waits unasked, Stopped that the user has
	// decided to stop there.
	LimitReached struct {
		Kind    string    `json:"kind,omitzero"`
		Resets  time.Time `json:"resets,omitzero"`
		Waits   bool      `json:"waits,omitzero"`
		Stopped bool      `json:"stopped,omitzero"`
	}
	// LimitWait: the queue goes on by itself at a time, or not any more if that is zero.
	LimitWait struct {
		Until time.Time `json:"until,omitzero"`
	}
	// QueueChanged: the queue has changed.
	QueueChanged struct {
		Queue  []QueuedPrompt `json:"queue,omitzero"`
		Paused bool           `json:"paused,omitzero"`
		// Order has the IDs of all prompts, each run from its first to its last, where Queue lacks some: see [Repeats].
		Order [][2]int `json:"order,omitzero"`
	}
)

// What the agent streams.
type (
	// Text is text of a message. Adjacent text of one message is merged while it waits in the
	// stream.
	Text struct {
		Chunk     acpclient.ChunkKind `json:"chunk"`
		MessageID acpclient.MessageID `json:"messageId,omitzero"`
		Text      string              `json:"text"`
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

// What the user sets about the session.
type (
	// OptionChosen: a value for an option was sent. Seq numbers such switches, to match each
	// with its answer.
	OptionChosen struct {
		Seq    int                   `json:"seq"`
		Option acpclient.ConfigID    `json:"option"`
		Value  acpclient.ConfigValue `json:"value"`
		At     time.Time             `json:"at,omitzero"`
	}
	// OptionSettled: the agent has answered switch Seq: with the state of all options, with an
	// error, or with nothing. In the last case the option has the value that was sent, unless
	// the agent has reported another one since.
	OptionSettled struct {
		Seq     int                             `json:"seq"`
		Option  acpclient.ConfigID              `json:"option"`
		Value   acpclient.ConfigValue           `json:"value"`
		Options []acpclient.SessionConfigOption `json:"options,omitzero"`
		Err     error                           `json:"error,omitzero"`
	}
)

// What the agent asks.
type (
	// PermissionOpened: the agent waits for an answer. With File, parley itself asks before it
	// touches a file for the agent: the request is parley's own and names no tool call.
	// Judging means that the rules decide first: the user is asked from PermissionReferred on,
	// if at all.
	PermissionOpened struct {
		ID      int                                 `json:"id"`
		Request *acpclient.RequestPermissionRequest `json:"request"`
		At      time.Time                           `json:"at,omitzero"`
		File    *FileQuestion                       `json:"file,omitzero"`
		Judging bool                                `json:"judging,omitzero"`
	}
	// PermissionReferred: the rules leave the question to the user. Why says what kept a rule
	// from answering; each of Proposals is a list of rules that would have allowed the call,
	// narrow ones first. Ordinary means that it names, for certain, no file outside the session's
	// directories and none that parley asks about.
	PermissionReferred struct {
		ID        int        `json:"id"`
		Why       string     `json:"why,omitzero"`
		Proposals [][]string `json:"proposals,omitzero"`
		Ordinary  bool       `json:"ordinary,omitzero"`
		At        time.Time  `json:"at,omitzero"`
	}
	// FilesSeen: what was in the files that a question would replace without saying so. It comes
	// before the user is asked, or makes the question another.
	FilesSeen struct {
		ID    int        `json:"id"`
		Files []FileSeen `json:"files,omitzero"`
	}
	// ElicitationOpened: the agent waits for input.
	ElicitationOpened struct {
		ID      int                                 `json:"id"`
		Request *acpclient.CreateElicitationRequest `json:"request"`
		At      time.Time                           `json:"at,omitzero"`
	}
	// QuestionClosed: a question was answered, or needs no answer any more. A permission has an
	// Outcome; Rule is the rule that answered, and Source where it is defined, if one did. An
	// elicitation has an Action, and Answers is what the user filled in, without secrets: see
	// AnswersTo.
	QuestionClosed struct {
		ID      int                                `json:"id"`
		Outcome acpclient.RequestPermissionOutcome `json:"outcome,omitzero"`
		Rule    string                             `json:"rule,omitzero"`
		Source  string                             `json:"source,omitzero"`
		Action  acpclient.ElicitationAction        `json:"action,omitzero"`
		Answers []FieldAnswer                      `json:"answers,omitzero"`
		At      time.Time                          `json:"at,omitzero"`
	}
	// ElicitationCompleted: the user has done what was asked at a URL.
	ElicitationCompleted struct {
		ElicitationID acpclient.ElicitationID `json:"elicitationId"`
	}
	// AuthRequired: the agent wants the user to sign in first, by one of the methods in
	// Conversation.Agent.AuthMethods. Message is the agent's text, Err its whole answer.
	AuthRequired struct {
		Message string `json:"message,omitzero"`
		Err     error  `json:"error,omitzero"`
	}
	// AuthDone: signing in, or out, has ended.
	AuthDone struct {
		Method acpclient.AuthMethodID `json:"method,omitzero"`
		Err    error                  `json:"error,omitzero"`
	}
)

// What the agent, or the user, does on this machine.
type (
	// FileWritten: the agent wrote a file through the client.
	FileWritten struct {
		Path string `json:"path"`
	}
	// TerminalCreated: the agent started a command through the client.
	TerminalCreated struct {
		ID      acpclient.TerminalID `json:"id"`
		Command string               `json:"command"`
		Cwd     string               `json:"cwd"`
	}
	// ShellStarted: the user started a command or a lasting shell.
	ShellStarted struct {
		ID      acpclient.TerminalID `json:"id"`
		Command string               `json:"command"`
		Cwd     string               `json:"cwd"`
		Lasts   bool                 `json:"lasts,omitzero"`
		At      time.Time            `json:"at,omitzero"`
	}
	// TerminalOutput: the command printed raw output.
	TerminalOutput struct {
		ID   acpclient.TerminalID `json:"id"`
		Data []byte               `json:"data"`
	}
	// TerminalHidden: a command of the user's starts or stops reading without echo, as for a
	// password.
	TerminalHidden struct {
		ID     acpclient.TerminalID `json:"id"`
		Hidden bool                 `json:"hidden,omitzero"`
	}
	// TerminalExited: the command has ended. No event holds its input.
	TerminalExited struct {
		ID     acpclient.TerminalID         `json:"id"`
		Status acpclient.TerminalExitStatus `json:"status"`
	}
)

// NoticeAdded: parley adds a notice to the transcript. It is stored as "said".
type NoticeAdded struct {
	Severity acpclient.NoticeSeverity `json:"severity,omitzero"`
	Title    string                   `json:"title"`
	Detail   string                   `json:"detail,omitzero"`
	// Subject, if not empty, identifies what the notice is about. A session adds only one
	// notice per subject: see State.Noted.
	Subject string `json:"subject,omitzero"`
	// Unanswered means that it is about a request that the agent has not answered, for which
	// restarting the agent is the way on.
	Unanswered bool `json:"unanswered,omitzero"`
}

// Opening is how a session is opened.
type Opening string

// The ways to open a session.
const (
	OpenNew    Opening = "new"    // session/new
	OpenLoad   Opening = "load"   // session/load: the agent replays the history
	OpenResume Opening = "resume" // session/resume: no replay
	OpenFork   Opening = "fork"   // session/fork: a copy of the open session
)

// FromNotification returns the event of a session update: a Text for plain text of a message,
// else an Update.
func FromNotification(n *acpclient.SessionNotification) Event {
	if c, ok := n.Update.(*acpclient.ContentChunk); ok &&
		c.Content.Type == acpclient.ContentText && c.Content.Annotations == nil && len(c.Meta) == 0 && len(c.Content.Meta) == 0 && len(n.Meta) == 0 {
		return Text{Chunk: c.Chunk, MessageID: c.MessageID, Text: c.Content.Text}
	}
	return UpdateOf(n)
}

// UpdateOf returns the event of an update. It has a description in place of a picture, recording or file that is
// too large to be held.
func UpdateOf(n *acpclient.SessionNotification) Update {
	u := Update{Session: n.SessionID, Update: n.Update, Raw: n.Raw}
	if letGo(n.Update) {
		u.Raw, _ = appendJSON(nil, n) // decoded values always encode
	}
	return u
}

// EventOverhead is roughly the size in bytes of an event without what it refers to.
const EventOverhead = 64

// SizeOf returns roughly how many bytes an event keeps alive, not counting the causes of an
// error.
func SizeOf(e Event) int {
	switch e := e.(type) {
	case Text:
		return EventOverhead + len(e.Text)
	case TerminalOutput:
		return EventOverhead + len(e.Data)
	}
	return EventOverhead + sizeIn(reflect.ValueOf(e))
}

func sizeIn(v reflect.Value) (n int) {
	switch v.Kind() {
	case reflect.String:
		return v.Len()
	case reflect.Pointer:
		if !v.IsNil() {
			return int(v.Type().Elem().Size()) + sizeIn(v.Elem())
		}
	case reflect.Interface:
		if !v.IsNil() && v.Type() == reflect.TypeFor[acpclient.SessionUpdate]() {
			return sizeIn(v.Elem())
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return v.Len()
		}
		n = v.Len() * int(v.Type().Elem().Size())
		for i := range v.Len() {
			n += sizeIn(v.Index(i))
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
