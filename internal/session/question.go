package session

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/policy"
)

var (
	// ErrAnswered means that a question was already answered or withdrawn.
	ErrAnswered = errors.New("the question is closed")
	// ErrIncomplete means that parts of a call were left out, here or on the screen of the one who
	// allows it.
	ErrIncomplete = errors.New("parts of this call were left out, so it cannot be allowed: reject it, or cancel the turn")
	// ErrChanged means that what is asked has changed since the user saw it.
	ErrChanged = errors.New("the question has changed: look at it again")
)

// question is a question that waits for an answer. The one who removes it from Session.questions
// answers it, so that it is answered exactly once.
type question struct {
	id    int
	reply chan answer // buffered
	// offered are the options of a permission of the agent.
	offered []acpclient.PermissionOption
	// judged, if not nil, is closed when the rules have judged the question, and before is that of
	// the question before it.
	judged, before chan struct{}
	// foreign is the session that it is for, if that is not open here.
	foreign acpclient.SessionID
	// forPermission says that it is an elicitation that stands for a permission request: the user
	// cannot leave it unanswered but by cancelling the turn.
	forPermission bool
	// looking means that parley looks at the files that it is about.
	looking bool
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
func (s *Session) close(q *question, a answer, e conversation.QuestionClosed) {
	delete(s.questions, q.id)
	e.ID, e.At = q.id, s.opt.Now()
	s.post(e)
	q.reply <- a
}

// withdraw answers a question as cancelled. s.mu must be held.
func (s *Session) withdraw(q *question) { s.close(q, cancelled, conversation.QuestionClosed{}) }

// closeQuestions answers every open question as cancelled. s.mu must be held.
func (s *Session) closeQuestions() {
	for _, id := range slices.Sorted(maps.Keys(s.questions)) {
		if q := s.questions[id]; q != nil {
			s.withdraw(q)
		}
	}
}

// openQuestion opens a question. It is answered as cancelled at once if it is over: its agent was
// replaced, or its session was left.
func (s *Session) openQuestion(over func() bool, open func(*question)) *question {
	s.mu.Lock()
	defer s.unlock()
	q := s.newQuestion()
	if s.closed || over() {
		q.reply <- cancelled
		return q
	}
	s.questions[q.id] = q
	open(q)
	return q
}

// openPermission asks the user. The answer is "cancelled" at once if the turn was cancelled.
func (s *Session) openPermission(a *agent, r *acpclient.RequestPermissionRequest) *question {
	return s.openQuestion(func() bool { return s.agent != a || a.left[r.SessionID] }, func(q *question) {
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

// Answer answers a question. It fails if that is no longer open, or is not as the user has seen it.
type Answer struct {
	Question conversation.Seen
	// Option is one of those that a permission offers, Form the answer to an elicitation.
	Option acpclient.PermissionOptionID         `json:",omitempty"`
	Form   *acpclient.CreateElicitationResponse `json:",omitempty"`
	// Rule is the proposal that the user has just saved as a rule, which allows it, its lines joined by
	// "; "; Source is where.
	Rule   string `json:",omitempty"`
	Source string `json:",omitempty"`
	// Instead is sent right after the turn, before the queue: what to do instead. Without an
	// option the turn is cancelled. On error nothing is sent.
	Instead *conversation.QueuedPrompt `json:",omitempty"`
}

func (a Answer) Do(_ context.Context, s *Session) (None, error) {
	q, open := s.questions[a.Question.ID], s.state.Question(a.Question.ID)
	if p, is := open.(*conversation.Permission); q != nil && is && p.Revision == a.Question.Revision && p.Allows(a.Option) {
		s.seeAgain(q, p)
	}
	if q == nil || s.questions[q.id] != q || open == nil || !s.state.Asks(open) {
		return None{}, ErrAnswered
	}
	err := conversation.Match(open,
		func(p *conversation.Permission) error { return s.decide(q, p, a) },
		func(e *conversation.Elicitation) error { return s.fillIn(q, e, a) })
	if err == nil && a.Instead != nil {
		s.promptNext(*a.Instead)
	}
	return None{}, err
}

// decide answers a permission. What is not known, or was not shown, as a whole cannot be allowed. s.mu
// must be held.
func (s *Session) decide(q *question, p *conversation.Permission, a Answer) error {
	i := slices.IndexFunc(p.Options, func(o acpclient.PermissionOption) bool { return o.OptionID == a.Option })
	switch {
	case a.Form != nil:
		return ErrAnswered
	case p.Revision != a.Question.Revision:
		return ErrChanged
	case a.Option == "" && a.Instead != nil:
		if !s.cancelTurn() {
			return errors.New("no turn is running: choose one of the options")
		}
		return nil
	case i < 0:
		return fmt.Errorf("the agent did not offer %q", a.Option)
	case p.Allows(a.Option) && (p.Asked.Incomplete || p.Shown != a.Question.Shown):
		return ErrIncomplete
	case a.Rule != "" && !slices.ContainsFunc(p.Proposals, func(lines []string) bool { return strings.Join(lines, "; ") == a.Rule }):
		return ErrChanged
	}
	outcome := acpclient.PermissionSelected(a.Option)
	s.close(q, answer{outcome: outcome}, conversation.QuestionClosed{Outcome: outcome, Rule: a.Rule, Source: a.Source})
	return nil
}

// fillIn answers an elicitation. s.mu must be held.
func (s *Session) fillIn(q *question, e *conversation.Elicitation, a Answer) error {
	switch {
	case a.Form == nil:
		return ErrAnswered
	case e.Revision != a.Question.Revision:
		return ErrChanged
	}
	form := *a.Form
	if q.forPermission && form.Action == acpclient.ElicitCancel {
		form.Action = acpclient.ElicitDecline
	}
	s.close(q, answer{form: form}, conversation.QuestionClosed{Action: form.Action, Answers: conversation.AnswersTo(e.Request, form.Content)})
	return nil
}

// openElicitation asks the user for input. A question that belongs to the session is answered as
// cancelled at once if the turn was cancelled; signing in, for instance, does not.
func (s *Session) openElicitation(a *agent, r *acpclient.CreateElicitationRequest, forPermission bool) *question {
	return s.openQuestion(func() bool { return s.agent != a || a.left[r.SessionID] }, func(q *question) {
		q.forPermission = forPermission
		s.post(conversation.ElicitationOpened{ID: q.id, Request: r, At: s.opt.Now()})
		if s.cancelling() && r.SessionID != "" {
			s.withdraw(q)
		}
	})
}

// UnmarshalJSON makes the values of the types that package acpclient says: JSON does not tell
// what its numbers and lists are.
func (a *Answer) UnmarshalJSON(data []byte) error {
	type plain Answer
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	d.DisallowUnknownFields()
	if err := d.Decode((*plain)(a)); err != nil {
		return err
	}
	if a.Form == nil {
		return nil
	}
	for name, value := range a.Form.Content {
		switch value := value.(type) {
		case json.Number:
			if n, err := value.Int64(); err == nil {
				a.Form.Content[name] = n
			} else if a.Form.Content[name], err = value.Float64(); err != nil {
				return err
			}
		case []any:
			words := make([]string, len(value))
			for i := range value {
				words[i], _ = value[i].(string)
			}
			a.Form.Content[name] = words
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
	from, known := ctx.Value(originKey{}).(origin)
	act := e.File != nil && e.File.Act != ""
	return s.openQuestion(func() bool {
		left := known && (s.agent != from.agent || from.agent.left[from.session])
		return !act && (s.agent == nil || s.cancelling() || left)
	}, func(q *question) {
		if e.ID, e.At = q.id, s.opt.Now(); e.File == nil {
			e.Request.SessionID = from.session
		}
		s.post(e)
		if e.Judging {
			s.post(conversation.PermissionReferred{ID: q.id, Why: why, At: e.At})
		}
	})
}
