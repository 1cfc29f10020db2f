package conversation

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"parley/acpclient"
	"parley/internal/termtext"
)

// State is what decides in a session: whether a prompt can be sent, whether a turn runs, which
// questions are open. It is a pure fold of the session's events. The session folds it to
// consult it, and every front end as part of its [Conversation]. It is not safe for concurrent
// use. Opening a session replaces the [opened] part; later events end the rest.
type State struct {
	Cwd   string
	Agent AgentState
	Phase Phase

	// Turn may wait for the very session that is being opened, while the user signs in on a
	// terminal.
	Turn        Turn
	Queue       []QueuedPrompt
	QueuePaused bool
	// LastNumber is the highest number of a switch, a question or a queued prompt so far: they share
	// one count.
	LastNumber int

	questions []Question // that are open or judged by the rules, oldest first
	// visits are the questions for which the user opened a URL and whose completion the agent
	// has not reported.
	visits []*Elicitation

	// AuthError is the agent's request to sign in, or why signing in has failed.
	AuthError error

	// Budget limits the session. BudgetRaised means that the user has changed it here.
	Budget       Budget
	BudgetRaised bool
	// Shared is what other sessions have spent of the budget.
	Shared Spent
	limiting
	standing

	// subjects are the subjects of all notices so far.
	subjects map[string]bool

	opened
	// before is what opening a session has replaced, kept until the session is open.
	before *opened

	// by is the call of the subagent that the current event is about, nil if it is about the
	// session itself.
	by *ToolCall
	// effect is what the last event has changed.
	effect effect
}

// opened is the part of the State that belongs to the open session.
type opened struct {
	transcribed
	ID        acpclient.SessionID
	Title     string
	UpdatedAt string
	// Said means that the session has a message, see [Says], or a command.
	Said bool

	// Options are everything that the user can set in the session, in the agent's order,
	// including the modes and models of an agent without config options.
	Options  []acpclient.SessionConfigOption
	Commands []acpclient.AvailableCommand
	Usage    *acpclient.UsageUpdate
	settings

	Work  Work
	Tasks []*AsyncTask // running ones; never changed in place

	tools      map[acpclient.ToolCallID]*ToolCall
	questioned map[acpclient.ToolCallID]*ToolCall // of the current turn; see announcedOf
	liveTools  []*ToolCall                        // announced in the running turn
	// speaking is the message that the last chunk belongs to.
	speaking messageKey
	// subagents are the calls that stand for sessions of subagents.
	subagents map[acpclient.SessionID]*ToolCall
	// delegated are those among them that run, oldest first.
	delegated []*ToolCall
	served    served
}

// transcribed is what stays with the transcript, also if a new session continues that.
type transcribed struct {
	counting
	progressing
	// Asked is the beginning of the first prompt, as one line, which names a session without a
	// title.
	Asked string
	// JournalOf is the last session that was open: its journal goes on while another one opens.
	JournalOf acpclient.SessionID
	turns     int32 // how many have begun
	heldCalls held
}

// NewState returns an empty state.
func NewState() *State { return &State{subjects: map[string]bool{}, opened: newOpened()} }

func newOpened() opened {
	return opened{
		settings: settings{
			pending: map[acpclient.ConfigID][]OptionChosen{}, settled: map[acpclient.ConfigID]int{}, stated: map[acpclient.ConfigID]bool{}, initial: map[acpclient.ConfigID]acpclient.ConfigValue{},
			names: map[acpclient.ConfigID]string{},
		},
		tools:      map[acpclient.ToolCallID]*ToolCall{},
		questioned: map[acpclient.ToolCallID]*ToolCall{},
		subagents:  map[acpclient.SessionID]*ToolCall{},
	}
}

// Noted reports whether there was a notice with this subject.
func (s *State) Noted(subject string) bool { return s.subjects[subject] }

// effect is what an event has changed in the State, for the transcript.
type effect struct {
	size int // of the event, in bytes
	// calls are the tool calls that were created or changed, in order; moved means that one
	// has a new parent.
	calls []*ToolCall
	moved bool
	// worked is how long the ended turn took.
	worked time.Duration
	// closed is the answered question.
	closed *Elicitation
	// options are what the agent has changed about the options unasked.
	options []optionChange
	// announced means that the message only announced a mode.
	announced bool
	// restored means that an opening has failed and the earlier state is back.
	restored bool
	task     taskEffect
	// served are the calls that parley has created for commands. taken means that the agent
	// has taken one over.
	served []servedCall
	taken  bool
}

// Apply folds an event. It never fails: an event that makes no sense at this point has
// whatever effect it can.
func (s *State) Apply(e Event) {
	s.effect = effect{calls: s.effect.calls[:0], size: SizeOf(e)}
	if u, is := e.(Update); is {
		s.effect.size -= len(u.Raw) // of which nothing is kept
	}
	s.by = nil
	s.Said = s.Said || Says(e)
	e.fold(s)
	s.revise()
	s.stands(e)
	s.heldCalls.arrives(s.effect.size)
}

func (e Text) fold(s *State) {
	if e.Text == "" {
		return
	}
	key := messageKey{chunk: e.Chunk, id: e.MessageID}
	s.speaks(key)
	if e.Chunk == acpclient.AgentMessageChunk {
		s.last.write(key, e.Text, false)
	}
}

func (e AgentStarting) fold(s *State) {
	s.Phase = PhaseStarting
	if s.Usage != nil && s.Usage.Cost != nil { // the costs of another agent are counted from now on
		s.costs.before, s.costs.past, s.costs.apart = s.Usage.Cost, 0, false
	}
	s.tokens.again()
	if e.Command != s.Agent.Command {
		s.Limits = nil // they are another agent's
	}
	s.Agent = AgentState{Command: e.Command, Since: e.At, Info: s.Agent.Info, Called: s.Agent.Called}
}

func (e AgentReady) fold(s *State) {
	s.Agent.Capabilities = e.Info.AgentCapabilities
	s.Agent.AuthMethods = e.Info.AuthMethods
	s.Agent.Steering, _ = acpclient.MetaValue[bool](e.Info.Meta, "steering", "supported")
	s.Agent.Protocol = e.Info.ProtocolVersion
	s.Agent.Called = e.Name
	if e.Info.AgentInfo != nil {
		s.Agent.Info = *e.Info.AgentInfo
	}
}

func (e PromptSent) fold(s *State) {
	s.last.end()
	s.Limit, s.LimitWait, s.refuses = nil, time.Time{}, false
	s.newTurn()
	s.Ending = Ending{}
	s.Turn = Turn{Running: true, Clock: Clock{Started: e.At}}
	s.Turn.follow(s.Waiting() > 0, e.At)
	for _, b := range e.Prompt {
		s.Asked = cmp.Or(s.Asked, termtext.Line(termtext.Head(strings.TrimSpace(b.Text), mostAsked, "")))
	}
}

// mostAsked bounds [State.Asked], in bytes.
const mostAsked = 2 << 10

// Continue has the state of a new session go on from that in which another process has left the
// session. What that had of an agent is not known to this one.
func (s *State) Continue(past *State) {
	s.Title, s.UpdatedAt, s.Said, s.Asked, s.progressing = past.Title, past.UpdatedAt, past.Said, past.Asked, past.progressing
	s.last.text = slices.Clone(s.last.text)
	s.Queue = Unclaimed(past.Queue)
	s.QueuePaused, s.LastNumber = len(s.Queue) > 0, past.LastNumber
	s.asides = past.asides
	s.Restore(past.Spent())
}

func (PromptSteered) fold(*State) {}

func (e CancelRequested) fold(s *State) {
	s.Turn.Cancelling = e.At
	s.endTools(true, e.At)
}

func (e TurnEnded) fold(s *State) {
	s.serveWaiting()
	s.endTools(e.Reason == acpclient.StopCancelled, e.At)
	s.Turn.stop(e.At)
	s.effect.worked = s.Turn.Took()
	s.Ending = s.ending(e)
	s.Turn, s.Unbounded = Turn{}, false
	if e.Usage != nil {
		s.tokens.add(e.Usage.TotalTokens)
	}
}

func (e QueueChanged) fold(s *State) {
	s.Queue, s.QueuePaused = e.Queue, e.Paused
	for _, q := range e.Queue {
		s.LastNumber = max(s.LastNumber, q.ID)
	}
}

func (e NoticeAdded) fold(s *State) {
	if e.Subject != "" {
		s.subjects[e.Subject] = true
	}
}

func (e AuthRequired) fold(s *State) { s.AuthError = e.Err }
func (e AuthDone) fold(s *State)     { s.AuthError = e.Err }

func (e Update) fold(s *State) {
	s.by = s.subagents[e.Session]
	switch u := e.Update.(type) {
	case *acpclient.ContentChunk:
		if s.effect.announced = s.by == nil && s.applyAnnouncedMode(u); !s.effect.announced {
			id, _ := marksOf(u)
			key := messageKey{u.Chunk, id, s.parentOf(u.Meta)}
			s.speaks(key)
			if u.Chunk == acpclient.AgentMessageChunk && key.parent == "" && u.Content.Type == acpclient.ContentText {
				s.last.write(key, u.Content.Text, false)
			}
		}
	case *acpclient.ToolCall:
		s.applyToolCall(u, e.At)
	case *acpclient.ToolCallUpdate:
		update := *u
		s.updateTool(s.toolOf(&update, updates, e.At), e.At, &update)
	case *acpclient.ToolCallContentChunk:
		s.applyToolCallContentChunk(u, e.At)
	case *acpclient.SubagentUpdate:
		s.applySubagentUpdate(u, e.At)
	}
	if s.by != nil {
		s.applyOfSubagent(e.Update)
		return
	}
	switch u := e.Update.(type) {
	case *acpclient.AvailableCommandsUpdate:
		s.Commands = first(u.AvailableCommands, mostCommands)
	case *acpclient.CurrentModeUpdate:
		s.applyMode(u.CurrentModeID)
	case *acpclient.ConfigOptionUpdate:
		if u.ConfigOptions != nil {
			s.updateOptions(u.ConfigOptions, nil)
		}
	case *acpclient.SessionInfoUpdate:
		field(&s.Title, u.Title)
		field(&s.UpdatedAt, u.UpdatedAt)
	case *acpclient.UsageUpdate:
		usage := *u
		if usage.Size > 0 && usage.Used/10 > usage.Size {
			usage.Used, usage.Size = 0, 0 // ten times a full context can only be a mistake
		}
		s.applyUsage(usage)
		s.applyLimit(u.Meta, e.At)
	case *acpclient.MessageUpdate:
		if u.Chunk == acpclient.AgentMessageChunk && u.Content.Value != nil && s.parentOf(u.Meta) == "" {
			s.last.write(messageKey{chunk: u.Chunk, id: u.MessageID}, partsOf(*u.Content.Value).Plain(), true)
		}
	case *acpclient.Plan:
		s.plans = true
		s.applyProgress("", u.Entries)
	case *acpclient.PlanUpdate:
		if len(u.Plan.Raw) == 0 {
			s.plans = true
			s.applyProgress(u.Plan.PlanID, u.Plan.Entries)
		}
	case *acpclient.PlanRemoved:
		if u.PlanID == s.plan {
			s.progress = Progress{}
		}
	case *acpclient.StateUpdate:
		s.applyWork(u, e.At)
	case *acpclient.UnknownUpdate:
		s.applyTask(u)
	}
}

// costs is the cost of the session with earlier agents.
type costs struct {
	// before is the cost when the agent was restarted; nil once it is known whether the agent
	// counts from zero.
	before *acpclient.Cost
	// apart means that it does: its session is a new one.
	apart bool
	// past is earlier cost that the running agent does not include.
	past float64
	// foreign is the sum of amounts in earlier currencies.
	foreign float64
}

// applyUsage applies a usage report. Some agents report the cost of the session, others that
// of their own process: one that reports less than the session has cost counts from zero. The
// cost of a session never falls.
func (s *State) applyUsage(u acpclient.UsageUpdate) {
	if !counts(u.Cost) {
		u.Cost = nil
	}
	if so := s.ownCost(); so != nil && u.Cost != nil {
		b, cost := s.costs.before, *u.Cost
		u.Cost = &cost
		switch counted := so.Amount - s.costs.past; {
		case cost.Currency != so.Currency:
			s.costs = costs{foreign: s.costs.foreign + so.Amount}
		case b != nil:
			s.costs.past = 0
			if cost.Amount < b.Amount || s.costs.apart {
				s.costs.past = b.Amount
			}
			if cost.Amount > 0 || s.costs.apart {
				s.costs.before = nil
			}
		case cost.Amount < counted/2:
			s.costs.past = so.Amount
		case cost.Amount < counted: // a correction
			u.Cost.Amount = counted
		}
	}
	switch {
	case u.Cost != nil && s.costs.past > 0:
		cost := *u.Cost
		cost.Amount += s.costs.past
		u.Cost = &cost
	case u.Cost == nil && s.Usage != nil:
		u.Cost = s.Usage.Cost
	}
	s.Usage = &u
}

// speaks records which message a chunk belongs to. In replayed history, a user message begins
// a turn.
func (s *State) speaks(m messageKey) {
	goesOn := m.chunk == s.speaking.chunk && m.parent == s.speaking.parent && (m.id == "" || m.id == s.speaking.id)
	if m.chunk == acpclient.UserMessageChunk && m.parent == "" && !s.Turn.Running && !goesOn {
		s.newTurn()
	}
	s.speaking = m
}

// newTurn resets what belongs to the previous turn.
func (s *State) newTurn() {
	s.turns++
	s.speaking = messageKey{}
	clear(s.questioned)
}

// fold prepares the state for the session that is being opened. If the same session is
// replayed, what parley itself knows about it stays.
func (e SessionOpening) fold(s *State) {
	s.Phase = PhaseOpening
	s.AuthError = nil
	s.Work, s.Tasks = Work{}, nil
	if !e.Clear && e.How != OpenNew {
		return
	}
	was := s.opened
	s.opened = newOpened()
	switch {
	case !e.Clear: // the agent does not know the transcript, which stays
		s.transcribed, s.before = was.transcribed, nil
		if spent := was.ownCost(); spent != nil {
			s.costs = costs{before: spent, apart: true, foreign: was.costs.foreign}
			s.Usage = &acpclient.UsageUpdate{Cost: spent} // it stays in sight
		}
		s.tokens.again()
		return
	case e.ID != "" && e.ID == was.ID:
		s.ID, s.JournalOf, s.Title, s.UpdatedAt, s.Asked = was.ID, was.JournalOf, was.Title, was.UpdatedAt, was.Asked
		s.asides = was.asides
	}
	if s.before == nil { // else these are two openings in a row
		s.before = &was
	}
}

// restore restores what a failed opening has replaced, unless questions have come since.
func (s *State) restore() {
	b := s.before
	s.before = nil
	if b != nil && len(s.questions)+len(s.visits) == 0 {
		s.opened, s.effect.restored = *b, true
	}
}

func (e SessionFailed) fold(s *State) {
	s.restore()
	s.Phase, s.Ending = PhaseFailed, failed(e.Err)
}

func (e SessionOpened) fold(s *State) {
	s.ID, s.JournalOf, s.Cwd, s.Phase, s.before = e.ID, e.ID, e.Cwd, PhaseReady, nil
	clear(s.pending)
	clear(s.stated)
	switch {
	// An empty list along with modes means that the agent only has modes.
	case len(e.State.ConfigOptions) > 0 || e.State.ConfigOptions != nil && s.optionsGiven:
		s.replaceOptions(e.State.ConfigOptions)
	case !s.optionsGiven:
		s.takeLegacy(e.State)
	}
}

func (e AgentLost) fold(s *State) {
	s.restore()
	s.Agent.Err, s.Agent.Stderr = e.Err, e.Stderr
	starts := s.Phase == PhaseStarting || s.Phase == PhaseOpening
	if s.Phase = PhaseLost; s.Turn.Running || starts || s.Ending.How == "" {
		s.Ending = failed(e.Err)
	}
	if starts {
		s.Phase = PhaseFailed
	}
	s.Turn, s.Work, s.Tasks = Turn{}, Work{}, nil
	s.Queue = Unclaimed(s.Queue)
	s.LimitWait = time.Time{} // nothing is sent to another agent unasked
	clear(s.subagents)
	s.delegated = nil
	s.AuthError = nil
	s.endTools(true, e.At)
	s.loseServed()
	s.questions = nil
	clear(s.pending)
}

// Phase is where the session is in its life.
type Phase int

// The phases of a session.
const (
	PhaseStarting Phase = iota // the agent's program is starting
	PhaseOpening               // the agent is opening the session
	PhaseReady                 // prompts can be sent
	PhaseFailed                // the agent could not be started, or refused the session
	PhaseLost                  // the agent exited
)

// AgentState is the state of the agent.
type AgentState struct {
	Command      string
	Since        time.Time // when it was started
	Info         acpclient.Implementation
	Called       string // what parley calls it, or ""
	Capabilities acpclient.AgentCapabilities
	AuthMethods  []acpclient.AuthMethod
	// Steering means that the agent accepts prompts in a running turn.
	Steering bool
	// Protocol is the protocol version of the connection, 0 while unknown.
	Protocol uint16
	// Err and Stderr say why it could not be started, or how it ended.
	Err    error
	Stderr string
}

// Name returns the agent's display name, "" while unknown.
func (a AgentState) Name() string {
	return cmp.Or(a.Called, a.Info.Title, a.Info.Name)
}

// SkipAhead is a notification with a session's id that ends the pauses of the agent's turn.
// The built-in tour supports it.
const SkipAhead = "_parley/skip"

// SkipsAhead reports whether the agent supports SkipAhead.
func (a AgentState) SkipsAhead() bool {
	skips, _ := acpclient.MetaValue[bool](a.Capabilities.Meta, "parley", "skip")
	return skips
}

// Gone reports whether the agent or its session is missing and the agent must be restarted.
func (s *State) Gone() bool { return s.Phase == PhaseLost || s.Phase == PhaseFailed }

// Steerable reports whether the running turn accepts a prompt.
func (s *State) Steerable() bool {
	return s.Agent.Steering && s.Phase == PhaseReady && s.Turn.Running && s.Turn.Cancelling.IsZero()
}

// Opening reports whether the agent is starting or opening a session.
func (s *State) Opening() bool { return s.Phase == PhaseStarting || s.Phase == PhaseOpening }

// SendsNext reports whether the first queued prompt will be sent without user action.
func (s *State) SendsNext() bool {
	return len(s.Queue) > 0 && (!s.QueuePaused || s.Queue[0].Now || s.WaitsForLimit())
}

// Idle reports whether a prompt would be sent immediately.
func (s *State) Idle() bool { return s.Phase == PhaseReady && !s.Turn.Running && !s.SendsNext() }

// Turn is the current turn.
type Turn struct {
	Running bool
	// Clock is paused while a question is open.
	Clock
	// Cancelling is when the user cancelled the turn; zero if they have not.
	Cancelling time.Time
	// Rejected means that a request of the turn was denied; agents may then cancel it.
	Rejected bool
}

// QueuedPrompt is a prompt in the queue.
type QueuedPrompt struct {
	ID     int                      `json:"id"`
	Prompt []acpclient.ContentBlock `json:"prompt"`
	// Ref is a name by which the one who sent the prompt knows it again, "" for none.
	Ref string `json:"ref,omitempty"`
	// Files are the mentioned files, as written. They are read when the prompt is sent.
	Files []string `json:"files,omitempty"`
	// Folds are the parts of the text that the draft shows folded, in order.
	Folds []Fold `json:"folds,omitempty"`
	// Now means that the prompt is sent even if the queue is paused.
	Now bool `json:"now,omitempty"`
	// Steering means that the agent was asked to take the prompt into the running turn, and
	// has not answered.
	Steering bool `json:"steering,omitempty"`
	// Unsure means that the agent was asked so, but never answered: it may have taken the prompt.
	Unsure bool `json:"unsure,omitempty"`
	// Waits means that the session that gets the prompt pauses its queue: it was written in an earlier parley.
	Waits bool `json:"waits,omitempty"`
	// Reading means that the mentioned files are being read for sending.
	Reading bool `json:"reading,omitempty"`
}

// Fold is a folded part of a prompt's text: pasted text, or the label of a block.
type Fold struct {
	// From and To are byte offsets in the text.
	From int `json:"from"`
	To   int `json:"to"`
	// Block is the index of the block in the prompt, 0 for pasted text.
	Block int `json:"block,omitempty"`
}

// Unclaimed returns a queue in which no prompt waits for the agent's answer or for its files. One
// that did wait for the answer is marked as unsure.
func Unclaimed(queue []QueuedPrompt) []QueuedPrompt {
	queue = slices.Clone(queue)
	for i := range queue {
		queue[i].Unsure = queue[i].Unsure || queue[i].Steering
		queue[i].Steering, queue[i].Reading = false, false
	}
	return queue
}

// Text returns the text of the prompt.
func (q QueuedPrompt) Text() string {
	var text strings.Builder
	for _, b := range q.Prompt {
		text.WriteString(b.Text)
	}
	return text.String()
}

// Says reports whether an event makes a session worth keeping: a prompt, or a replayed user
// message.
func Says(e Event) bool {
	switch e := e.(type) {
	case PromptSent:
		return true
	case Text:
		return e.Chunk == acpclient.UserMessageChunk
	case Update:
		switch u := e.Update.(type) {
		case *acpclient.ContentChunk:
			return u.Chunk == acpclient.UserMessageChunk
		case *acpclient.MessageUpdate:
			return u.Chunk == acpclient.UserMessageChunk
		}
	}
	return false
}
