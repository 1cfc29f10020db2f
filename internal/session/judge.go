package session

import (
	"context"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"time"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/policy"
)

const (
	// judgeTime bounds how long a question waits for the rules, because a file system
	// may not answer. After that the user is asked.
	judgeTime = 3 * time.Second
	// judgeRounds bounds how often a question is judged again because the agent has
	// changed its tool call meanwhile.
	judgeRounds = 3
)

// Judge answers the agent's permission requests by rules, before the user is asked.
type Judge interface {
	// Judge may block. It runs on a goroutine of the question, several at once. ctx
	// ends when the answer is no longer wanted.
	Judge(ctx context.Context, c Case) Ruling
}

// Case is what a Judge decides about.
type Case struct {
	// Call is the tool call as the user would see it. It must not be changed.
	Call *conversation.ToolCall
	// Mode is the id of the agent's mode, "" if it has none. Switching means that the
	// user has chosen it, and the agent has not confirmed yet.
	Mode      string
	Switching bool
	// Unasked means that only rules that deny or ask count: the agent asks for no permission,
	// or for another session.
	Unasked bool
	// Done means that it has been done: what a rule may be about does not matter.
	Done bool
}

// Ruling is the decision of a Judge.
type Ruling struct {
	// Verdict is Allow or Deny; anything else leaves the question to the user.
	Verdict policy.Verdict
	// Subject is what was judged, in a form that can be compared.
	Subject string
	// Command is the command that was judged, "" if there is none: the title may be of another time.
	Command string
	// Rule is the rule that decided, and Source where it is written.
	Rule, Source string
	// Why, Proposals and Ordinary are those of conversation.PermissionReferred.
	Why       string
	Proposals [][]string
	Ordinary  bool
}

// onceOption returns the option with which a rule answers, or nil. A rule allows with
// the only option that allows once: several are a choice for the user.
func onceOption(options []acpclient.PermissionOption, v policy.Verdict) *acpclient.PermissionOption {
	kind := acpclient.RejectOnce
	if v == policy.Allow {
		kind = acpclient.AllowOnce
	}
	var found *acpclient.PermissionOption
	for i := range options {
		if options[i].Kind != kind {
			continue
		}
		if found != nil {
			if v == policy.Allow {
				return nil
			}
			break
		}
		found = &options[i]
	}
	return found
}

// judge has the rules answer a question, or else the user, in the order of the agent: a question that
// is left to the user waits for earlier ones that are still being judged.
func (s *Session) judge(ctx context.Context, q *question) {
	defer close(q.judged)
	for range judgeRounds {
		s.mu.Lock()
		call := s.underJudgement(q.id)
		if call == nil {
			s.mu.Unlock()
			return // the question is closed
		}
		c := caseOf(s.state, call)
		s.mu.Unlock()
		c.Unasked = q.foreign != ""
		ruling := Ruling{Why: "parts of the call were left out"}
		if !call.Incomplete {
			ruling = s.rule(ctx, c)
		}
		if q.foreign != "" && ruling.Verdict == policy.Allow {
			ruling = Ruling{}
		}
		var files []conversation.FileSeen
		if q.answerOf(ruling) == nil {
			files = s.see(call.Unseen(), judgeTime)
			q.await(ctx)
		}
		if s.settle(q, call, ruling, files) {
			return
		}
	}
	q.await(ctx)
	s.mu.Lock()
	defer s.unlock()
	if s.questions[q.id] == q {
		s.refer(q, Ruling{Why: "the agent keeps changing its request"})
	}
}

// await waits until the question before has been judged.
func (q *question) await(ctx context.Context) {
	select {
	case <-q.before:
	case <-ctx.Done():
	}
}

// answerOf returns the option by which a ruling answers a question, nil if the user does.
func (q *question) answerOf(r Ruling) *acpclient.PermissionOption {
	if r.Verdict != policy.Allow && r.Verdict != policy.Deny {
		return nil
	}
	return onceOption(q.offered, r.Verdict)
}

// underJudgement returns the call of a question that is being judged, nil if there is no such question.
// s.mu must be held.
func (s *Session) underJudgement(id int) *conversation.ToolCall {
	if p, is := s.state.Question(id).(*conversation.Permission); is && p.Judging {
		return p.Asked
	}
	return nil
}

// rule asks the Judge, within judgeTime. s.mu must not be held.
func (s *Session) rule(ctx context.Context, c Case) Ruling {
	ctx, cancel := context.WithTimeout(ctx, judgeTime)
	defer cancel()
	done := make(chan Ruling, 1)
	go func() { done <- s.opt.Judge.Judge(ctx, c) }()
	select {
	case ruling := <-done:
		return ruling
	case <-ctx.Done():
		return Ruling{Why: "checking the files took too long"}
	}
}

// settle carries out the decision about a call. It returns false if the agent has
// changed the call since and it must be judged again.
func (s *Session) settle(q *question, call *conversation.ToolCall, r Ruling, files []conversation.FileSeen) bool {
	s.mu.Lock()
	defer s.unlock()
	if now := s.underJudgement(q.id); now == nil || !now.SameSubject(call) || now.Incomplete != call.Incomplete {
		return false
	}
	if o := q.answerOf(r); o != nil {
		if r.Verdict == policy.Deny {
			s.denied(r.Subject)
		}
		outcome := acpclient.PermissionSelected(o.OptionID)
		s.close(q, answer{outcome: outcome}, conversation.QuestionClosed{Outcome: outcome, Rule: r.Rule, Source: r.Source})
		return true
	}
	if r.Rule != "" && r.Why == "" {
		r.Why = "the agent offers no one-time answer for the rule " + r.Rule
	}
	if len(files) > 0 {
		s.post(conversation.FilesSeen{ID: q.id, Files: files})
	}
	s.refer(q, r)
	return true
}

// refer leaves a question to the user. s.mu must be held. It proposes rules only where one
// could answer.
func (s *Session) refer(q *question, r Ruling) {
	if onceOption(q.offered, policy.Allow) == nil {
		r.Proposals = nil
	}
	s.noticeForeign(q)
	s.post(conversation.PermissionReferred{ID: q.id, Why: r.Why, Proposals: r.Proposals, Ordinary: r.Ordinary, At: s.opt.Now()})
}

// caseOf returns the case of a call.
func caseOf(st *conversation.State, call *conversation.ToolCall) Case {
	c := Case{Call: call}
	if o := st.OptionByCategory(acpclient.CategoryMode); o != nil {
		var v acpclient.ConfigValue
		v, c.Switching = st.OptionValue(o)
		c.Mode = string(v.ID)
	}
	return c
}

// mostDenials bounds Session.denials.
const mostDenials = 1000

// denied remembers that a rule has denied a subject. s.mu must be held.
func (s *Session) denied(subject string) {
	if len(s.denials) >= mostDenials {
		clear(s.denials)
	}
	s.denials[subject] = true
}

// Judge implements Asker.
func (a asker) Judge(ctx context.Context, call *acpclient.ToolCallUpdate) Ruling {
	if a.s.opt.Judge == nil {
		return Ruling{}
	}
	a.s.mu.Lock()
	c := caseOf(a.s.state, conversation.CallOf(call))
	a.s.mu.Unlock()
	c.Unasked = true
	return a.s.rule(ctx, c)
}

// Deny implements Asker. A denial is in the transcript as that of a permission is.
func (a asker) Deny(ctx context.Context, call *acpclient.ToolCallUpdate, r Ruling) error {
	s := a.s
	s.stream.room(ctx)
	s.mu.Lock()
	defer s.unlock()
	s.denied(r.Subject)
	id := s.newQuestion().id
	from, _ := ctx.Value(originKey{}).(origin)
	request := conversation.CommandRequest(call)
	request.SessionID = from.session
	s.post(conversation.PermissionOpened{ID: id, Request: request, Judging: true, At: s.opt.Now()})
	s.post(conversation.QuestionClosed{
		ID: id, Outcome: acpclient.PermissionSelected(conversation.FileNo), Rule: r.Rule, Source: r.Source, At: s.opt.Now(),
	})
	return &acpclient.Error{Code: acpclient.CodeInvalidParams, Message: fmt.Sprintf("%s: denied by the rule %q (%s)", *call.Title, r.Rule, r.Source)}
}

// DeniedDone is the title of the notice about a call that a rule denies, and that the agent
// carried out.
const DeniedDone = "The agent did what a rule denies"

// doneCall is a call that has ended, or whose turn has: what it was said to do, the last word
// last.
type doneCall struct {
	call  *conversation.ToolCall
	cases []Case
}

// judgeDone has the rules judge a call that has ended, or whose turn has. s.mu must be held.
func (s *Session) judgeDone(st *conversation.State, t *conversation.ToolCall) {
	if s.opt.Judge == nil || s.closed {
		return
	}
	now := *t
	now.Asked = slices.Clone(t.Asked)
	d := doneCall{call: &now}
	for _, call := range append(slices.Clone(t.Earlier), &now) {
		c := caseOf(st, call)
		c.Unasked, c.Done = true, true
		d.cases = append(d.cases, c)
	}
	s.judging.Go(func() { s.noticeDenied(d) })
}

// judgeEnded judges the call that an event is about, if it has ended and is no history. s.mu must be
// held.
func (s *Session) judgeEnded(st *conversation.State, e conversation.Event) {
	u, _ := e.(conversation.Update)
	switch u.Update.(type) {
	case *acpclient.ToolCall, *acpclient.ToolCallUpdate, *acpclient.ToolCallContentChunk:
		t := st.Changed()
		if (!t.Started.IsZero() || s.agent != nil && s.agent.works) && (t.Status == acpclient.ToolCompleted || t.Status == acpclient.ToolFailed) {
			s.judgeDone(st, t)
		}
	}
}

// judgeUnfinished judges the calls that the agent began and never ended, at the end of a turn that
// the user has not cancelled. s.mu must be held.
func (s *Session) judgeUnfinished() {
	if s.state.Turn.Running && !s.cancelling() {
		for t := range s.state.InProgress() {
			s.judgeDone(s.state, t)
		}
	}
}

// noticeDenied adds a notice for each thing that a call did, that a rule denies, and that the
// agent did not ask about, or did though it was denied. parley cannot hold such an agent; it can
// only say so. s.mu must not be held.
func (s *Session) noticeDenied(d doneCall) {
	t := d.call
	for _, c := range d.cases {
		ruling := s.rule(s.ctx, c)
		if ruling.Verdict != policy.Deny || s.obeyed(t, c, ruling.Subject) {
			continue
		}
		others := "--sandbox bounds the others"
		if s.opt.Bounds != "" {
			others = "this one is bounded by the sandbox alone"
		}
		title := c.Call.Title
		if ruling.Command != "" && ruling.Command != title {
			title = strings.TrimSpace(fmt.Sprintf("%s (command: %s)", title, ruling.Command))
		}
		hash := fnv.New64a()
		_, _ = hash.Write([]byte(ruling.Subject)) // cannot fail
		s.mu.Lock()
		s.warnOnce(fmt.Sprintf("call %s %d %x", t.ID, t.Started.UnixNano(), hash.Sum64()), DeniedDone,
			fmt.Sprintf("%s: %s; the rule is %s (%s). Rules only hold agents that ask; %s.", c.Call.Kind, title, ruling.Rule, ruling.Source, others))
		s.mu.Unlock()
	}
}

// obeyed reports whether the agent kept to the answer about what a call was said to do: it asked
// about this very subject, and has not completed what was denied. A failed call may be one that
// asked by another name, or that parley refused to carry out; what the call was said to do before
// may not have been done.
func (s *Session) obeyed(t *conversation.ToolCall, c Case, subject string) bool {
	done := c.Call == t && (t.Status == acpclient.ToolCompleted || t.Status != acpclient.ToolFailed && len(t.RawOutput) > 0)
	s.mu.Lock()
	denied := s.denials[subject]
	s.mu.Unlock()
	if !done && denied {
		return true
	}
	for _, asked := range t.Asked {
		c.Call = asked
		if s.rule(s.ctx, c).Subject == subject {
			return !done || !t.Answer.Rejects()
		}
	}
	return false
}
