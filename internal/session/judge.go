package session

import (
	"context"
	"fmt"
	"maps"
	"slices"
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
	// Unasked means that the agent carries out the call without asking: only rules that
	// deny it count.
	Unasked bool
}

// Ruling is the decision of a Judge.
type Ruling struct {
	// Verdict is Allow or Deny; anything else leaves the question to the user.
	Verdict policy.Verdict
	// Rule is the rule that decided, and Source where it is written.
	Rule, Source string
	// Why and Proposals are those of conversation.PermissionReferred.
	Why       string
	Proposals [][]string
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

// judge has the rules answer a question, or else the user.
func (s *Session) judge(ctx context.Context, q *question[acpclient.RequestPermissionOutcome]) {
	for range judgeRounds {
		asked, c := s.stream.judging(q.id)
		if asked == nil {
			return // the question is closed
		}
		if s.settle(q, asked.Asked, s.rule(ctx, c)) {
			return
		}
	}
	s.mu.Lock()
	defer s.unlock()
	if s.permissions[q.id] == q {
		s.referLocked(q, nil, Ruling{Why: "the agent keeps changing its request"})
	}
}

// rule asks the Judge, within judgeTime.
func (s *Session) rule(ctx context.Context, c Case) Ruling {
	ctx, cancel := context.WithTimeout(ctx, judgeTime)
	defer cancel()
	done := make(chan Ruling, 1)
	go func() { done <- s.opt.Judge.Judge(ctx, c) }()
	select {
	case r := <-done:
		return r
	case <-ctx.Done():
		return Ruling{Why: "checking the files took too long"}
	}
}

// settle carries out the decision about a call. It returns false if the agent has
// changed the call since and it must be judged again.
func (s *Session) settle(q *question[acpclient.RequestPermissionOutcome], call *conversation.ToolCall, r Ruling) bool {
	s.mu.Lock()
	defer s.unlock()
	if now, _ := s.stream.judging(q.id); now == nil || now.Asked != call {
		return false
	}
	if o := onceOption(q.offered, r.Verdict); o != nil && (r.Verdict == policy.Allow || r.Verdict == policy.Deny) {
		delete(s.permissions, q.id)
		outcome := acpclient.PermissionSelected(o.OptionID)
		q.reply <- outcome
		s.stream.post(conversation.PermissionClosed{ID: q.id, Outcome: outcome, Rule: r.Rule, Source: r.Source, At: s.opt.Now()})
		s.askReferred()
		return true
	}
	if r.Rule != "" && r.Why == "" {
		r.Why = "the agent offers no one-time answer for the rule " + r.Rule
	}
	s.referLocked(q, call, r)
	return true
}

// referral is a question left to the user: the decision, and the call that it was
// about.
type referral struct {
	ruling Ruling
	call   *conversation.ToolCall
}

// referLocked leaves a question to the user. s.mu must be held. It proposes rules only
// where one could answer.
func (s *Session) referLocked(q *question[acpclient.RequestPermissionOutcome], call *conversation.ToolCall, r Ruling) {
	if onceOption(q.offered, policy.Allow) == nil {
		r.Proposals = nil
	}
	q.referred = &referral{r, call}
	s.askReferred()
}

// askReferred asks the user the referred questions, in the order of the agent: a
// question waits for earlier ones that are still being judged. s.mu must be held.
func (s *Session) askReferred() {
	for _, id := range slices.Sorted(maps.Keys(s.permissions)) {
		q := s.permissions[id]
		if !q.judged {
			continue
		}
		if q.referred == nil {
			return
		}
		r := q.referred.ruling
		if now, _ := s.stream.judging(id); now == nil || now.Asked != q.referred.call {
			r.Proposals = nil // they are about the earlier call
		}
		q.judged = false
		s.stream.post(conversation.PermissionReferred{ID: id, Why: r.Why, Proposals: r.Proposals, At: s.opt.Now()})
	}
}

// judging returns an open question that is being judged and its case, nil if there is no
// such question.
func (s *Stream) judging(id int) (p *conversation.Permission, c Case) {
	s.read(func(st *conversation.State) {
		i := slices.IndexFunc(st.Judging, func(p *conversation.Permission) bool { return p.ID == id })
		if i < 0 {
			return
		}
		asked := *st.Judging[i]
		p, c = &asked, caseOf(st, asked.Asked)
	})
	return p, c
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

// DeniedUnasked is the title of the notice about a call that a rule denies, and that the
// agent carried out without asking.
const DeniedUnasked = "The agent did what a rule denies, without asking"

// checkUnasked adds a notice about a call that has ended if the agent did not ask and a
// rule denies it. parley cannot hold such an agent; it can only say so. It runs on the
// reader, so that the notice comes before the end of the turn.
func (s *Session) checkUnasked(u acpclient.SessionUpdate) {
	var id acpclient.ToolCallID
	var status acpclient.ToolCallStatus
	switch u := u.(type) {
	case *acpclient.ToolCall:
		id, status = u.ToolCallID, u.Status
	case *acpclient.ToolCallUpdate:
		id = u.ToolCallID
		if u.Status != nil {
			status = *u.Status
		}
	}
	if s.opt.Judge == nil || status != acpclient.ToolCompleted && status != acpclient.ToolFailed {
		return
	}
	var c Case
	s.stream.read(func(st *conversation.State) {
		if t := st.Tool(id); t != nil && t.Live && t.Answer == nil && len(t.Asked) == 0 {
			call := *t
			c = caseOf(st, &call)
			c.Unasked = true
		}
	})
	if c.Call == nil {
		return
	}
	r := s.rule(s.ctx, c)
	if r.Verdict != policy.Deny {
		return
	}
	others := "--sandbox bounds the others"
	if s.opt.Bounds != "" {
		others = "this one is bounded by the sandbox alone"
	}
	s.warnOnce("call "+string(id), DeniedUnasked,
		fmt.Sprintf("%s: %s; the rule is %s (%s). Rules only hold agents that ask; %s.", c.Call.Kind, c.Call.Title, r.Rule, r.Source, others))
}
