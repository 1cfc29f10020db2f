package session

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/policy"
)

var (
	// ErrAnswered means that a question was already answered or withdrawn.
	ErrAnswered = errors.New("the question is closed")
	// ErrUnseen means that whoever allows a call has missed a part of it.
	ErrUnseen = errors.New("this screen does not show all of the call, so it cannot be allowed here: reject it, or cancel the turn")
	// ErrIncomplete means that parts of a call were left out, so that nobody may allow it.
	ErrIncomplete = errors.New("parts of this call were left out, so it cannot be allowed: reject it, or cancel the turn")
	// ErrChanged means that what is asked has changed since the user saw it.
	ErrChanged = errors.New("the question has changed: look at it again")
)

// question is a question of the agent. Whoever removes it from the session's map
// answers it, so that it is answered exactly once.
type question[A any] struct {
	id    int
	reply chan A // buffered
	// offered are the options of a permission.
	offered []acpclient.PermissionOption
	// judged means that rules are applied before the user is asked; referred is not nil
	// once they leave the question to the user.
	judged   bool
	referred *referral
	// foreign is the session that it is for, if that is not open here.
	foreign acpclient.SessionID
	// form is the request of an elicitation. forPermission says that it stands for a
	// permission request: the user cannot leave it unanswered but by cancelling the turn.
	form          *acpclient.CreateElicitationRequest
	forPermission bool
}

// newQuestion returns a question with the next number. s.mu must be held.
func newQuestion[A any](s *Session) *question[A] {
	s.lastNumber++
	return &question[A]{id: s.lastNumber, reply: make(chan A, 1)}
}

// wait returns the answer. If ctx ends first, giveUp withdraws the question and reports
// whether it was still open. If it was answered at the same moment, that answer counts.
func (q *question[A]) wait(ctx context.Context, giveUp func() bool) (A, error) {
	select {
	case a := <-q.reply:
		return a, nil
	case <-ctx.Done():
		if giveUp() {
			var none A
			return none, ctx.Err()
		}
		return <-q.reply, nil
	}
}

// openPermission asks the user. The answer is "cancelled" at once if the turn was
// cancelled, the agent was replaced, or the session was left.
func (s *Session) openPermission(a *agent, r *acpclient.RequestPermissionRequest) *question[acpclient.RequestPermissionOutcome] {
	s.mu.Lock()
	defer s.unlock()
	q := newQuestion[acpclient.RequestPermissionOutcome](s)
	if s.closed || s.agent != a || a.hasLeft(r.SessionID) {
		q.reply <- acpclient.PermissionCancelled
		return q
	}
	q.offered = r.Options
	s.permissions[q.id] = q
	if r.SessionID != s.stream.id() && !s.stream.isSubagent(r.SessionID) {
		q.foreign = r.SessionID
	}
	// No rule allows anything in a session that is not open here, whose mode and directory are
	// unknown. A subagent that the agent has announced works in the mode and directory of its
	// parent.
	q.judged = s.rules.judge != nil && (onceOption(r.Options, policy.Allow) != nil || onceOption(r.Options, policy.Deny) != nil)
	if !q.judged {
		s.tellForeign(q)
	}
	s.stream.post(conversation.PermissionOpened{ID: q.id, Request: r, Judging: q.judged, At: s.opt.Now()})
	if s.stream.cancelling() {
		s.closePermission(q.id, acpclient.PermissionCancelled)
	}
	return q
}

// tellForeign adds a notice that the user is about to be asked for another session. s.mu must
// be held.
func (s *Session) tellForeign(q *question[acpclient.RequestPermissionOutcome]) {
	if q.foreign != "" && s.stream.id() != "" {
		s.stream.notice(acpclient.NoticeWarning, "The next question is for another session",
			fmt.Sprintf("It is for the session %q, which is not open here; perhaps a subagent.", q.foreign))
	}
}

// close ends a question with an event, if the question is as the user has seen it: what is
// asked cannot change between the two. allows says that the event allows what is asked.
func (s *Stream) close(q conversation.Seen, e conversation.Event, allows bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := current(s.state, q, allows); err != nil {
		return err
	}
	s.add(e)
	return nil
}

// current fails if a question is closed, or is not as the user has seen it: no answer counts
// then. Nobody may allow what is not known, or was not shown, as a whole.
func current(st *conversation.State, q conversation.Seen, allows bool) error {
	switch now, incomplete, open := st.Question(q.ID); {
	case !open:
		return ErrAnswered
	case now.Revision != q.Revision:
		return ErrChanged
	case allows && incomplete:
		return ErrIncomplete
	case allows && now.Shown != q.Shown:
		return ErrUnseen
	}
	return nil
}

// Answer answers a permission with one of the offered options. It fails if the question
// is no longer open or has changed, or the option was not offered.
type Answer struct {
	Question conversation.Seen
	Option   acpclient.PermissionOptionID
}

var answerKind = KindOf[Answer]("Answer", Answers).Telling("Answered on")

func (Answer) Kind() *Kind { return answerKind }

func (a Answer) Do(_ context.Context, s *Session) (None, error) {
	s.mu.Lock()
	defer s.unlock()
	return None{}, s.answer(a.Question, a.Option)
}

// AnswerWith is [Answer], and sends a prompt right after the turn, before the queue: what to
// do instead. Without an option it cancels the turn. On error it sends nothing.
type AnswerWith struct {
	Question conversation.Seen
	Option   acpclient.PermissionOptionID
	Prompt   conversation.QueuedPrompt
}

var answerWithKind = KindOf[AnswerWith]("AnswerWith", Answers).Telling("Answered on")

func (AnswerWith) Kind() *Kind { return answerWithKind }

func (a AnswerWith) Do(_ context.Context, s *Session) (None, error) {
	s.mu.Lock()
	defer s.unlock()
	var err error
	if s.stream.read(func(st *conversation.State) { err = current(st, a.Question, false) }); err != nil {
		return None{}, err
	}
	switch {
	case a.Option != "":
		if err := s.answer(a.Question, a.Option); err != nil {
			return None{}, err
		}
	case !s.cancelTurn():
		return None{}, errors.New("no turn is running: choose one of the options")
	}
	s.promptNext(a.Prompt)
	return None{}, nil
}

// answer is the act Answer. s.mu must be held.
func (s *Session) answer(seen conversation.Seen, option acpclient.PermissionOptionID) error {
	q := s.permissions[seen.ID]
	if q == nil {
		return ErrAnswered
	}
	i := slices.IndexFunc(q.offered, func(o acpclient.PermissionOption) bool { return o.OptionID == option })
	if i < 0 {
		return fmt.Errorf("the agent did not offer %q", option)
	}
	outcome := acpclient.PermissionSelected(option)
	closed := conversation.PermissionClosed{ID: seen.ID, Outcome: outcome, At: s.opt.Now()}
	if err := s.stream.close(seen, closed, !q.offered[i].Kind.Rejects()); err != nil {
		return err
	}
	delete(s.permissions, seen.ID)
	q.reply <- outcome
	s.askReferred()
	return nil
}

// closePermission answers a question and reports whether it was open. s.mu must be held.
func (s *Session) closePermission(id int, outcome acpclient.RequestPermissionOutcome) bool {
	q := s.permissions[id]
	if q == nil {
		return false
	}
	delete(s.permissions, id)
	q.reply <- outcome
	s.stream.post(conversation.PermissionClosed{ID: id, Outcome: outcome, At: s.opt.Now()})
	s.askReferred()
	return true
}

// elicitCancelled is the answer to a question that the user has not answered.
var elicitCancelled = acpclient.CreateElicitationResponse{Action: acpclient.ElicitCancel}

// openElicitation asks the user for input. The answer is "cancelled" at once if the
// agent was replaced, the session was left, or the turn was cancelled and the question
// belongs to the session (signing in, for instance, does not).
func (s *Session) openElicitation(a *agent, r *acpclient.CreateElicitationRequest, forPermission bool) *question[acpclient.CreateElicitationResponse] {
	s.mu.Lock()
	defer s.unlock()
	q := newQuestion[acpclient.CreateElicitationResponse](s)
	if s.closed || s.agent != a || a.hasLeft(r.SessionID) {
		q.reply <- elicitCancelled
		return q
	}
	q.form, q.forPermission = r, forPermission
	s.elicitations[q.id] = q
	s.stream.post(conversation.ElicitationOpened{ID: q.id, Request: r, At: s.opt.Now()})
	if s.stream.cancelling() && r.SessionID != "" {
		s.closeElicitation(q.id, elicitCancelled)
	}
	return q
}

// AnswerElicitation answers a question for input. It fails if the question is no longer open
// or has changed.
type AnswerElicitation struct {
	Question conversation.Seen
	Response acpclient.CreateElicitationResponse
}

var answerElicitationKind = KindOf[AnswerElicitation]("AnswerElicitation", Answers).Telling("Answered on")

func (AnswerElicitation) Kind() *Kind { return answerElicitationKind }

func (a AnswerElicitation) Do(_ context.Context, s *Session) (None, error) {
	s.mu.Lock()
	defer s.unlock()
	q := s.elicitations[a.Question.ID]
	if q == nil {
		return None{}, ErrAnswered
	}
	answer := a.Response
	if q.forPermission && answer.Action == acpclient.ElicitCancel {
		answer.Action = acpclient.ElicitDecline
	}
	if err := s.stream.close(a.Question, q.closed(a.Question.ID, answer, s.opt.Now()), false); err != nil {
		return None{}, err
	}
	delete(s.elicitations, a.Question.ID)
	q.reply <- answer
	return None{}, nil
}

// UnmarshalJSON makes the values of the types that package acpclient says: JSON does not tell
// what its numbers and lists are.
func (a *AnswerElicitation) UnmarshalJSON(data []byte) error {
	type plain AnswerElicitation
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	d.DisallowUnknownFields()
	if err := d.Decode((*plain)(a)); err != nil {
		return err
	}
	for name, value := range a.Response.Content {
		switch value := value.(type) {
		case json.Number:
			if n, err := value.Int64(); err == nil {
				a.Response.Content[name] = n
			} else if a.Response.Content[name], err = value.Float64(); err != nil {
				return err
			}
		case []any:
			words := make([]string, len(value))
			for i := range value {
				words[i], _ = value[i].(string)
			}
			a.Response.Content[name] = words
		}
	}
	return nil
}

// closed returns the event that an elicitation has an answer.
func (q *question[A]) closed(id int, answer acpclient.CreateElicitationResponse, at time.Time) conversation.ElicitationClosed {
	return conversation.ElicitationClosed{ID: id, Action: answer.Action, Answers: conversation.AnswersTo(q.form, answer.Content), At: at}
}

// closeElicitation answers a question and reports whether it was open. s.mu must be held.
func (s *Session) closeElicitation(id int, answer acpclient.CreateElicitationResponse) bool {
	q := s.elicitations[id]
	if q == nil {
		return false
	}
	delete(s.elicitations, id)
	q.reply <- answer
	s.stream.post(q.closed(id, answer, s.opt.Now()))
	return true
}

// withdraw answers a question as cancelled and reports whether it was open.
func (s *Session) withdraw(id int) bool {
	s.mu.Lock()
	defer s.unlock()
	return s.closePermission(id, acpclient.PermissionCancelled) || s.closeElicitation(id, elicitCancelled)
}

// closeQuestions answers every open question as cancelled. s.mu must be held.
func (s *Session) closeQuestions() {
	for _, id := range slices.Sorted(maps.Keys(s.permissions)) {
		s.closePermission(id, acpclient.PermissionCancelled)
	}
	for _, id := range slices.Sorted(maps.Keys(s.elicitations)) {
		s.closeElicitation(id, elicitCancelled)
	}
}

// Asker asks the user on behalf of a Machine. It is safe for concurrent use.
type Asker interface {
	// AskFile asks whether a file may be read or written, and waits for the answer.
	// before is the current content, nil if there is no file, and after the new one;
	// both are unused if the question is about reading, or is Hidden. The question is
	// withdrawn when ctx ends. The error is ErrCancelled if the turn was cancelled or
	// the agent exited.
	AskFile(ctx context.Context, q *conversation.FileQuestion, before *string, after string) (FileAnswer, error)
	// Judge has the rules that deny or ask judge what the agent asks the Machine for, as a
	// tool call with a title. Ruling.Why, if not empty, is why the user is to be asked.
	Judge(ctx context.Context, call *acpclient.ToolCallUpdate) Ruling
	// Deny adds to the transcript that a rule denied a call, and returns the error for the
	// agent.
	Deny(ctx context.Context, call *acpclient.ToolCallUpdate, r Ruling) error
	// AskCommand asks whether a command may run, as AskFile asks about a file.
	AskCommand(ctx context.Context, call *acpclient.ToolCallUpdate, why string) (allowed bool, err error)
}

// FileAnswer is the user's answer to a question about a file.
type FileAnswer int

// The answers.
const (
	FileRefused FileAnswer = iota
	FileOnce
	FileForSession
)

// ErrCancelled means that a question was withdrawn before it was answered.
var ErrCancelled = errors.New("the turn was cancelled before the user answered")

// asker is the Asker of a session.
type asker struct{ s *Session }

func (a asker) AskFile(ctx context.Context, q *conversation.FileQuestion, before *string, after string) (FileAnswer, error) {
	s := a.s
	s.stream.room(ctx)
	open := s.openOwn(ctx, conversation.PermissionOpened{Request: conversation.FileRequest(q, before, after), File: q}, "")
	outcome, err := open.wait(ctx, func() bool { return s.withdraw(open.id) })
	switch {
	case err != nil:
		return FileRefused, err
	case outcome.Cancelled():
		return FileRefused, ErrCancelled
	case outcome.OptionID == conversation.FileOnce:
		return FileOnce, nil
	case outcome.OptionID == conversation.FileSession:
		return FileForSession, nil
	}
	return FileRefused, nil
}

// origin is the agent and session that a request for the Machine comes from, stored in
// its context.
type origin struct {
	agent   *agent
	session acpclient.SessionID
}

type originKey struct{}

// openOwn asks the user a question of parley's own; why is what rules say of it. Unless it is
// about an act of the user, it is answered as cancelled at once if the agent is gone, the turn
// was cancelled, or the session named in ctx was left.
func (s *Session) openOwn(ctx context.Context, e conversation.PermissionOpened, why string) *question[acpclient.RequestPermissionOutcome] {
	s.mu.Lock()
	defer s.unlock()
	q := newQuestion[acpclient.RequestPermissionOutcome](s)
	act := e.File != nil && e.File.Act != ""
	if s.closed || !act && s.unwanted(ctx) {
		q.reply <- acpclient.PermissionCancelled
		return q
	}
	q.offered = e.Request.Options
	s.permissions[q.id] = q
	e.ID, e.At = q.id, s.opt.Now()
	s.stream.post(e)
	if e.Judging {
		s.stream.post(conversation.PermissionReferred{ID: q.id, Why: why, At: e.At})
	}
	return q
}

// unwanted reports whether nobody waits for the answer to a question of parley's own any
// more. s.mu must be held.
func (s *Session) unwanted(ctx context.Context) bool {
	from, known := ctx.Value(originKey{}).(origin)
	left := known && (s.agent != from.agent || from.agent.hasLeft(from.session))
	return s.closed || s.agent == nil || s.stream.cancelling() || left
}
