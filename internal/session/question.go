package session

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/policy"
)

var (
	// ErrAnswered means that a question was already answered or withdrawn.
	ErrAnswered = errors.New("the question is closed")
	// ErrIncomplete means that parts of a call were left out, here or on the screen of whoever
	// allows it.
	ErrIncomplete = errors.New("parts of this call were left out, so it cannot be allowed: reject it, or cancel the turn")
	// ErrChanged means that what is asked has changed since the user saw it.
	ErrChanged = errors.New("the question has changed: look at it again")
)

// question is a question that waits for an answer. Whoever removes it from Session.questions
// answers it, so that it is answered exactly once.
type question struct {
	id    int
	reply chan answer // buffered
	// offered are the options of a permission.
	offered []acpclient.PermissionOption
	// judged, if not nil, is closed when the rules have judged the question, and before is that of
	// the question before it.
	judged, before chan struct{}
	// foreign is the session that it is for, if that is not open here.
	foreign acpclient.SessionID
	// form is the request of an elicitation, nil for a permission. forPermission says that it
	// stands for a permission request: the user cannot leave it unanswered but by cancelling
	// the turn.
	form          *acpclient.CreateElicitationRequest
	forPermission bool
}

// answer is the answer to a question: the outcome of a permission, or what was filled in.
type answer struct {
	outcome acpclient.RequestPermissionOutcome
	form    acpclient.CreateElicitationResponse
}

// cancelled is the answer to a question that the user has not answered.
var cancelled = answer{acpclient.PermissionCancelled, acpclient.CreateElicitationResponse{Action: acpclient.ElicitCancel}}

// newQuestion returns a question with the next number. s.mu must be held.
func (s *Session) newQuestion() *question {
	s.lastNumber++
	return &question{id: s.lastNumber, reply: make(chan answer, 1)}
}

// wait returns the answer. If ctx ends first, it withdraws the question. If that was answered at
// the same moment, the answer counts.
func (s *Session) wait(ctx context.Context, q *question) (answer, error) {
	select {
	case a := <-q.reply:
		return a, nil
	case <-ctx.Done():
	}
	s.mu.Lock()
	open := s.questions[q.id] == q
	if open {
		s.withdraw(q)
	}
	s.unlock()
	a := <-q.reply
	if open {
		return a, ctx.Err()
	}
	return a, nil
}

// close answers a question, with the event that says so. s.mu must be held.
func (s *Session) close(q *question, a answer, e conversation.Event) {
	delete(s.questions, q.id)
	q.reply <- a
	s.post(e)
}

// withdraw answers a question as cancelled. s.mu must be held.
func (s *Session) withdraw(q *question) {
	var e conversation.Event = conversation.PermissionClosed{ID: q.id, Outcome: acpclient.PermissionCancelled, At: s.opt.Now()}
	if q.form != nil {
		e = conversation.ElicitationClosed{ID: q.id, Action: acpclient.ElicitCancel, At: s.opt.Now()}
	}
	s.close(q, cancelled, e)
}

// closeQuestions answers every open question as cancelled. s.mu must be held.
func (s *Session) closeQuestions() {
	for _, id := range slices.Sorted(maps.Keys(s.questions)) {
		if q := s.questions[id]; q != nil {
			s.withdraw(q)
		}
	}
}

// openQuestion opens a question of the agent. It is answered as cancelled at once if the agent was
// replaced, or the session was left.
func (s *Session) openQuestion(a *agent, of acpclient.SessionID, open func(*question)) *question {
	s.mu.Lock()
	defer s.unlock()
	q := s.newQuestion()
	if s.closed || s.agent != a || a.left[of] {
		q.reply <- cancelled
		return q
	}
	s.questions[q.id] = q
	open(q)
	return q
}

// openPermission asks the user. The answer is "cancelled" at once if the turn was cancelled.
func (s *Session) openPermission(a *agent, r *acpclient.RequestPermissionRequest) *question {
	return s.openQuestion(a, r.SessionID, func(q *question) {
		q.offered = r.Options
		// No rule allows anything in a session that is not open here, whose mode and directory are
		// unknown. A subagent that the agent has announced works in the mode and directory of its
		// parent.
		sub := s.state.Subagent(r.SessionID)
		if r.SessionID != s.state.ID && (sub == nil || sub.Subagent.Cwd != "" && sub.Subagent.Cwd != s.state.Cwd) {
			q.foreign = r.SessionID
		}
		judging := s.opt.Judge != nil && (onceOption(r.Options, policy.Allow) != nil || onceOption(r.Options, policy.Deny) != nil)
		if judging {
			q.judged, q.before = make(chan struct{}), s.lastJudged
			s.lastJudged = q.judged
		} else {
			s.noticeForeign(q)
		}
		s.post(conversation.PermissionOpened{ID: q.id, Request: r, Judging: judging, At: s.opt.Now()})
		if s.cancelling() {
			s.withdraw(q)
		}
	})
}

// noticeForeign adds a notice that the user is about to be asked for another session. s.mu must
// be held.
func (s *Session) noticeForeign(q *question) {
	if q.foreign != "" && s.state.ID != "" {
		s.notice(acpclient.NoticeWarning, "The next question is for another session",
			fmt.Sprintf("It is for the session %q, which is not open here; perhaps a subagent.", q.foreign))
	}
}

// answerable returns an open question, or why no answer counts: it is closed, or is not as the
// user has seen it. Nobody may allow what is not known, or was not shown, as a whole. s.mu must
// be held.
func (s *Session) answerable(seen conversation.Seen, allows func(*question) bool) (*question, error) {
	q := s.questions[seen.ID]
	switch now, incomplete, open := s.state.Question(seen.ID); {
	case q == nil || !open:
		return nil, ErrAnswered
	case now.Revision != seen.Revision:
		return nil, ErrChanged
	case allows == nil || !allows(q):
	case incomplete, now.Shown != seen.Shown:
		return nil, ErrIncomplete
	}
	return q, nil
}

// Answer answers a permission with one of the offered options. It fails if the question
// is no longer open or has changed, or the option was not offered.
type Answer struct {
	Question conversation.Seen
	Option   acpclient.PermissionOptionID
}

func (a Answer) Do(_ context.Context, s *Session) (None, error) {
	return None{}, s.answer(a.Question, a.Option)
}

// AnswerWith is [Answer], and sends a prompt right after the turn, before the queue: what to
// do instead. Without an option it cancels the turn. On error it sends nothing.
type AnswerWith struct {
	Question conversation.Seen
	Option   acpclient.PermissionOptionID
	Prompt   conversation.QueuedPrompt
}

func (a AnswerWith) Do(_ context.Context, s *Session) (None, error) {
	if a.Option != "" {
		if err := s.answer(a.Question, a.Option); err != nil {
			return None{}, err
		}
	} else if _, err := s.answerable(a.Question, nil); err != nil {
		return None{}, err
	} else if !s.cancelTurn() {
		return None{}, errors.New("no turn is running: choose one of the options")
	}
	s.promptNext(a.Prompt)
	return None{}, nil
}

// answer is the act Answer. s.mu must be held.
func (s *Session) answer(seen conversation.Seen, option acpclient.PermissionOptionID) error {
	is := func(o acpclient.PermissionOption) bool { return o.OptionID == option }
	q, err := s.answerable(seen, func(q *question) bool {
		i := slices.IndexFunc(q.offered, is)
		return i >= 0 && !q.offered[i].Kind.Rejects()
	})
	switch {
	case err != nil:
		return err
	case !slices.ContainsFunc(q.offered, is):
		return fmt.Errorf("the agent did not offer %q", option)
	}
	outcome := acpclient.PermissionSelected(option)
	s.close(q, answer{outcome: outcome}, conversation.PermissionClosed{ID: q.id, Outcome: outcome, At: s.opt.Now()})
	return nil
}

// openElicitation asks the user for input. A question that belongs to the session is answered as
// cancelled at once if the turn was cancelled; signing in, for instance, does not.
func (s *Session) openElicitation(a *agent, r *acpclient.CreateElicitationRequest, forPermission bool) *question {
	return s.openQuestion(a, r.SessionID, func(q *question) {
		q.form, q.forPermission = r, forPermission
		s.post(conversation.ElicitationOpened{ID: q.id, Request: r, At: s.opt.Now()})
		if s.cancelling() && r.SessionID != "" {
			s.withdraw(q)
		}
	})
}

// AnswerElicitation answers a question for input. It fails if the question is no longer open
// or has changed.
type AnswerElicitation struct {
	Question conversation.Seen
	Response acpclient.CreateElicitationResponse
}

func (a AnswerElicitation) Do(_ context.Context, s *Session) (None, error) {
	q, err := s.answerable(a.Question, nil)
	if err == nil && q.form == nil {
		err = ErrAnswered
	}
	if err != nil {
		return None{}, err
	}
	form := a.Response
	if q.forPermission && form.Action == acpclient.ElicitCancel {
		form.Action = acpclient.ElicitDecline
	}
	s.close(q, answer{form: form}, conversation.ElicitationClosed{
		ID: q.id, Action: form.Action, Answers: conversation.AnswersTo(q.form, form.Content), At: s.opt.Now(),
	})
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

// Asker asks the user on behalf of a Machine. It is safe for concurrent use.
type Asker interface {
	// Ask asks whether a file may be used, or a command may run, and waits for the answer: one
	// of the options. why is what rules say of it. The question is withdrawn when ctx ends. The
	// error is ErrCancelled if the turn was cancelled or the agent exited.
	Ask(ctx context.Context, e conversation.PermissionOpened, why string) (acpclient.PermissionOptionID, error)
	// Judge has the rules that deny or ask judge what the agent asks the Machine for, as a
	// tool call with a title. Ruling.Why, if not empty, is why the user is to be asked.
	Judge(ctx context.Context, call *acpclient.ToolCallUpdate) Ruling
	// Deny adds to the transcript that a rule denied a call, and returns the error for the
	// agent.
	Deny(ctx context.Context, call *acpclient.ToolCallUpdate, r Ruling) error
}

// ErrCancelled means that a question was withdrawn before it was answered.
var ErrCancelled = errors.New("the turn was cancelled before the user answered")

// asker is the Asker of a session.
type asker struct{ s *Session }

// origin is the agent and session that a request for the Machine comes from, stored in
// its context.
type origin struct {
	agent   *agent
	session acpclient.SessionID
}

type originKey struct{}

// Ask implements Asker.
func (a asker) Ask(ctx context.Context, e conversation.PermissionOpened, why string) (acpclient.PermissionOptionID, error) {
	a.s.stream.room(ctx)
	answer, err := a.s.wait(ctx, a.s.openOwn(ctx, e, why))
	if err == nil && answer.outcome.Cancelled() {
		err = ErrCancelled
	}
	return answer.outcome.OptionID, err
}

// openOwn opens a question of parley's own. Unless it is about an act of the user, it is answered as cancelled
// at once if the agent is gone, the turn was cancelled, or the session named in ctx was left.
func (s *Session) openOwn(ctx context.Context, e conversation.PermissionOpened, why string) *question {
	s.mu.Lock()
	defer s.unlock()
	q := s.newQuestion()
	from, known := ctx.Value(originKey{}).(origin)
	left := known && (s.agent != from.agent || from.agent.left[from.session])
	act := e.File != nil && e.File.Act != ""
	if s.closed || !act && (s.agent == nil || s.cancelling() || left) {
		q.reply <- cancelled
		return q
	}
	q.offered = e.Request.Options
	s.questions[q.id] = q
	if e.ID, e.At = q.id, s.opt.Now(); e.File == nil {
		e.Request.SessionID = from.session
	}
	s.post(e)
	if e.Judging {
		s.post(conversation.PermissionReferred{ID: q.id, Why: why, At: e.At})
	}
	return q
}
