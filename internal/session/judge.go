package session

import (
	"bytes"
	"context"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"sync"
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
	// before means that the call was said to do it, and then something else.
	before bool
}

// Ruling is the decision of a Judge.
type Ruling struct {
	// Verdict is Allow or Deny; anything else leaves the question to the user.
	Verdict policy.Verdict
	// Subject is what was judged, in a form that can be compared.
	Subject string
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
		c.Unasked = q.foreign != ""
		ruling := Ruling{Why: "parts of the call were left out"}
		if !asked.Asked.Incomplete {
			ruling = s.rules.rule(ctx, c)
		}
		if q.foreign != "" && ruling.Verdict == policy.Allow {
			ruling = Ruling{}
		}
		if s.settle(q, asked.Asked, ruling) {
			return
		}
	}
	s.mu.Lock()
	defer s.unlock()
	if s.permissions[q.id] == q {
		s.referLocked(q, nil, Ruling{Why: "the agent keeps changing its request"})
	}
}

// rules are what a Judge says of a session. They are safe for concurrent use.
type rules struct {
	judge   Judge // nil if there are none
	denials denials
	shown   shown // what calls were said to do
	stream  *Stream
	bounds  string          // see Options
	ctx     context.Context // of the session
}

// rule asks the Judge, within judgeTime.
func (r *rules) rule(ctx context.Context, c Case) Ruling {
	ctx, cancel := context.WithTimeout(ctx, judgeTime)
	defer cancel()
	done := make(chan Ruling, 1)
	go func() { done <- r.judge.Judge(ctx, c) }()
	select {
	case ruling := <-done:
		return ruling
	case <-ctx.Done():
		return Ruling{Why: "checking the files took too long"}
	}
}

// settle carries out the decision about a call. It returns false if the agent has
// changed the call since and it must be judged again.
func (s *Session) settle(q *question[acpclient.RequestPermissionOutcome], call *conversation.ToolCall, r Ruling) bool {
	s.mu.Lock()
	defer s.unlock()
	if now, _ := s.stream.judging(q.id); now == nil || !now.Asked.SameSubject(call) || now.Asked.Incomplete != call.Incomplete {
		return false
	}
	if o := onceOption(q.offered, r.Verdict); o != nil && (r.Verdict == policy.Allow || r.Verdict == policy.Deny) {
		if r.Verdict == policy.Deny {
			s.rules.denials.put(r.Subject)
		}
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
		if now, _ := s.stream.judging(id); now == nil || q.referred.call == nil || !now.Asked.SameSubject(q.referred.call) {
			r.Proposals = nil // they are about the earlier call
		}
		q.judged = false
		s.tellForeign(q)
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

// denials holds the subjects that rules have denied last. It is safe for concurrent use.
type denials struct {
	mu   sync.Mutex
	last map[string]bool
}

// mostDenials bounds the subjects of denials.
const mostDenials = 1000

func (r *denials) put(subject string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.last == nil || len(r.last) >= mostDenials {
		r.last = map[string]bool{}
	}
	r.last[subject] = true
}

func (r *denials) has(subject string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.last[subject]
}

// Judge implements Asker.
func (a asker) Judge(ctx context.Context, call *acpclient.ToolCallUpdate) Ruling {
	if a.s.rules.judge == nil {
		return Ruling{}
	}
	var c Case
	a.s.stream.read(func(st *conversation.State) { c = caseOf(st, conversation.CallOf(call)) })
	c.Unasked = true
	return a.s.rules.rule(ctx, c)
}

// Deny implements Asker. A denial is in the transcript as that of a permission is.
func (a asker) Deny(ctx context.Context, call *acpclient.ToolCallUpdate, r Ruling) error {
	s := a.s
	s.stream.room(ctx)
	s.mu.Lock()
	defer s.unlock()
	s.rules.denials.put(r.Subject)
	q := newQuestion[acpclient.RequestPermissionOutcome](s)
	s.stream.post(conversation.PermissionOpened{ID: q.id, Request: servedRequest(ctx, call), Judging: true, At: s.opt.Now()})
	s.stream.post(conversation.PermissionClosed{
		ID: q.id, Outcome: acpclient.PermissionSelected(conversation.FileNo), Rule: r.Rule, Source: r.Source, At: s.opt.Now(),
	})
	return &acpclient.Error{Code: acpclient.CodeInvalidParams, Message: fmt.Sprintf("%s: denied by the rule %q (%s)", *call.Title, r.Rule, r.Source)}
}

// AskCommand implements Asker.
func (a asker) AskCommand(ctx context.Context, call *acpclient.ToolCallUpdate, why string) (allowed bool, err error) {
	s := a.s
	s.stream.room(ctx)
	open := s.openOwn(ctx, conversation.PermissionOpened{Request: servedRequest(ctx, call), Judging: true}, why)
	outcome, err := open.wait(ctx, func() bool { return s.withdraw(open.id) })
	if err == nil && outcome.Cancelled() {
		err = ErrCancelled
	}
	return err == nil && outcome.OptionID == conversation.FileOnce, err
}

// servedRequest is a request to the Machine as a permission request.
func servedRequest(ctx context.Context, call *acpclient.ToolCallUpdate) *acpclient.RequestPermissionRequest {
	from, _ := ctx.Value(originKey{}).(origin)
	return &acpclient.RequestPermissionRequest{SessionID: from.session, ToolCall: *call, Options: []acpclient.PermissionOption{
		{OptionID: conversation.FileOnce, Name: "Allow once", Kind: acpclient.AllowOnce},
		{OptionID: conversation.FileNo, Name: "No", Kind: acpclient.RejectOnce},
	}}
}

// DeniedDone is the title of the notice about a call that a rule denies, and that the agent
// carried out.
const DeniedDone = "The agent did what a rule denies"

// checkDone adds a notice if a rule denies a call that has ended, and the agent did not ask
// about what it did, or did it though it was denied. parley cannot hold such an agent; it
// can only say so. It runs on the reader, so that the notice comes before the end of the
// turn.
func (a *agent) checkDone(u acpclient.SessionUpdate) {
	var id acpclient.ToolCallID
	switch u := u.(type) {
	case *acpclient.ToolCall:
		id = u.ToolCallID
	case *acpclient.ToolCallUpdate:
		id = u.ToolCallID
	case *acpclient.ToolCallContentChunk:
		id = u.ToolCallID
	}
	s := a.owner
	if s.rules.judge == nil || id == "" {
		return
	}
	var done []Case
	s.stream.read(func(st *conversation.State) { done = s.rules.doneBy(st, id, a.works.Load()) })
	s.rules.tellDenied(done)
}

// checkStray does the same for an update of a session that is not open, which the transcript
// does not show.
func (a *agent) checkStray(n *acpclient.SessionNotification) {
	r := &a.owner.rules
	var id acpclient.ToolCallID
	switch u := n.Update.(type) {
	case *acpclient.ToolCall:
		id = u.ToolCallID
	case *acpclient.ToolCallUpdate:
		id = u.ToolCallID
	}
	if r.judge == nil || id == "" || !a.works.Load() {
		return
	}
	e := a.event(n, n.SessionID)
	if a.strays == nil || a.stray != n.SessionID || a.strayBytes > earlyBound {
		a.strays, a.stray, a.strayBytes = conversation.NewState(), n.SessionID, 0
	}
	a.strayBytes += conversation.SizeOf(e)
	a.strays.Apply(e)
	r.tellDenied(r.doneBy(a.strays, id, true))
}

// doneBy returns what a call has done, if it has ended, and what it was said to do before.
func (r *rules) doneBy(st *conversation.State, id acpclient.ToolCallID, works bool) (done []Case) {
	t := st.Tool(id)
	if t == nil || t.Started.IsZero() && !works {
		return nil
	}
	r.shown.add(t)
	if t.Status == acpclient.ToolCompleted || t.Status == acpclient.ToolFailed {
		done = r.allOf(st, t)
	}
	return done
}

// allOf returns the cases of all that a call was said to do.
func (r *rules) allOf(st *conversation.State, t *conversation.ToolCall) []Case {
	done := []Case{doneCase(st, t)}
	for _, before := range r.shown.before(t) {
		c := doneCase(st, before)
		c.Call.Status, c.Call.Asked, c.before = t.Status, t.Asked, true
		done = append(done, c)
	}
	return done
}

// checkUnfinished does the same at the end of a turn, or of the agent, for the calls that it
// began and never ended. s.mu must be held.
func (r *rules) checkUnfinished() {
	if r.judge == nil {
		return
	}
	var done []Case
	r.stream.read(func(st *conversation.State) {
		for t := range st.InProgress() {
			done = append(done, r.allOf(st, t)...)
		}
		r.shown.reset()
	})
	r.tellDenied(done)
}

func doneCase(st *conversation.State, t *conversation.ToolCall) Case {
	call := *t
	c := caseOf(st, &call)
	c.Unasked, c.Done = true, true
	return c
}

// tellDenied adds a notice for each of some calls that a rule denies.
func (r *rules) tellDenied(done []Case) {
	for _, c := range done {
		ruling := r.rule(r.ctx, c)
		if ruling.Verdict != policy.Deny || r.held(c, ruling.Subject) {
			continue
		}
		others := "--sandbox bounds the others"
		if r.bounds != "" {
			others = "this one is bounded by the sandbox alone"
		}
		hash := fnv.New64a()
		_, _ = hash.Write([]byte(ruling.Subject)) // cannot fail
		r.stream.warnOnce(fmt.Sprintf("call %s %d %x", c.Call.ID, c.Call.Started.UnixNano(), hash.Sum64()), DeniedDone,
			fmt.Sprintf("%s: %s; the rule is %s (%s). Rules only hold agents that ask; %s.", c.Call.Kind, c.Call.Title, ruling.Rule, ruling.Source, others))
	}
}

// held reports whether the agent kept to the answer about what a call did: it asked about
// this very subject, and has not completed what was denied. A failed call may be one that
// asked by another name, or that parley refused to carry out.
func (r *rules) held(c Case, subject string) bool {
	t := c.Call
	done := t.Status == acpclient.ToolCompleted || t.Status != acpclient.ToolFailed && len(t.RawOutput) > 0
	if (!done || c.before) && r.denials.has(subject) {
		return true
	}
	for _, asked := range t.Asked {
		c.Call = asked
		if r.rule(r.ctx, c).Subject == subject {
			return !done || c.before || !t.Answer.Rejects()
		}
	}
	return false
}

// shown holds what calls were said to do before the agent said that they do something else.
// It is safe for concurrent use.
type shown struct {
	mu    sync.Mutex
	calls map[acpclient.ToolCallID][]*conversation.ToolCall // the last one is the call as it is
}

// mostShown bounds the calls of shown, and mostBefore what it holds of one.
const (
	mostShown  = 1000
	mostBefore = 20
)

// add takes a call as the agent has just shown it. An input that only grew is still coming
// in, and nobody has done the beginning of it.
func (s *shown) add(t *conversation.ToolCall) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.calls == nil || len(s.calls) >= mostShown {
		s.calls = map[acpclient.ToolCallID][]*conversation.ToolCall{}
	}
	now := &conversation.ToolCall{Clock: t.Clock, ID: t.ID, Title: t.Title, Name: t.Name, Kind: t.Kind, Locations: t.Locations, RawInput: t.RawInput}
	all := s.calls[t.ID]
	last := len(all) - 1
	switch {
	case last < 0 || all[0].Started != t.Started:
		s.calls[t.ID] = []*conversation.ToolCall{now}
	case len(all) > mostBefore || bytes.HasPrefix(t.RawInput, bytes.TrimRight(all[last].RawInput, "\"]} \n")):
		all[last] = now
	default:
		s.calls[t.ID] = append(all, now)
	}
}

// before returns the call as it was shown before, each time that it was something else.
func (s *shown) before(t *conversation.ToolCall) []*conversation.ToolCall {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := s.calls[t.ID]
	if len(all) < 2 || all[0].Started != t.Started {
		return nil
	}
	return slices.Clone(all[:len(all)-1])
}

func (s *shown) reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.calls)
}
