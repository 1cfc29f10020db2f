package session

import (
	"context"
	"maps"
	"slices"
	"time"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/policy"
)

const (
	// judgeTime bounds how long a question waits for the rules: looking at files can
	// take any time on a file system that does not answer. The person is asked then.
	judgeTime = 3 * time.Second
	// judgeRounds is how often a question is judged anew because the agent has
	// changed what it is about meanwhile.
	judgeRounds = 3
)

// Judge decides by rules about what an agent asks, before the person is asked.
type Judge interface {
	// Judge may take its time. It is called on a goroutine of the question, for
	// several questions at once. ctx ends when the answer is not wanted any more.
	Judge(ctx context.Context, c Case) Ruling
}

// Case is what a Judge decides about.
type Case struct {
	// Call is the tool call as the person would see it. It is not to be changed.
	Call *conversation.ToolCall
	// Mode is the id of the mode that the agent is in, "" if it has none. Switching
	// says that the person has chosen it, and the agent has yet to agree.
	Mode      string
	Switching bool
}

// Ruling is what a Judge has decided.
type Ruling struct {
	// Verdict is Allow or Deny; anything else leaves it to the person.
	Verdict policy.Verdict
	// Rule is the rule that decided, and Source where it lives.
	Rule, Source string
	// Why and Proposals are those of conversation.PermissionReferred.
	Why       string
	Proposals [][]string
}

// judged reports whether the rules are to be looked at for a question; s.mu is held.
// They are not for a session that is not open here, as one of a subagent: nobody
// knows its mode and its directory. Nor are they where the agent offers no answer
// that a rule may give.
func (s *Session) judged(r *acpclient.RequestPermissionRequest) bool {
	return s.opt.Judge != nil && (r.SessionID == s.id || r.SessionID == "") && !s.cancelling &&
		(onceOption(r.Options, policy.Allow) != nil || onceOption(r.Options, policy.Deny) != nil)
}

// onceOption is the option with which a rule answers, nil if there is none. A rule
// allows with the only option that allows once: where there are several they are a
// choice, which is the person's.
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

// judge has the rules answer a question, or else the person.
func (s *Session) judge(ctx context.Context, q *question[acpclient.RequestPermissionOutcome]) {
	for range judgeRounds {
		asked, c := s.stream.docket.look(q.id)
		if asked == nil {
			return // it is closed
		}
		if s.settle(q, asked.Asked, s.rule(ctx, c)) {
			return
		}
	}
	s.refer(q, Ruling{Why: "the agent keeps changing what it asks about"})
}

// rule asks the Judge, for as long as there is time.
func (s *Session) rule(ctx context.Context, c Case) Ruling {
	ctx, cancel := context.WithTimeout(ctx, judgeTime)
	defer cancel()
	done := make(chan Ruling, 1)
	go func() { done <- s.opt.Judge.Judge(ctx, c) }()
	select {
	case r := <-done:
		return r
	case <-ctx.Done():
		return Ruling{Why: "looking at the files took too long"}
	}
}

// settle carries out what was decided about a call. It reports false if the agent
// has changed the call since: then it is to be judged again.
func (s *Session) settle(q *question[acpclient.RequestPermissionOutcome], call *conversation.ToolCall, r Ruling) bool {
	s.mu.Lock()
	defer s.unlock()
	if s.permissions[q.id] != q {
		return true
	}
	if now, _ := s.stream.docket.look(q.id); now == nil || now.Asked != call {
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
		r.Why = "the agent offers no answer that holds just once, for the rule " + r.Rule
	}
	s.referLocked(q, call, r)
	return true
}

func (s *Session) refer(q *question[acpclient.RequestPermissionOutcome], r Ruling) {
	s.mu.Lock()
	defer s.unlock()
	if s.permissions[q.id] == q {
		s.referLocked(q, nil, r)
	}
}

// referral is what was decided about a question that is left to the person, and the
// call that it was decided about.
type referral struct {
	ruling Ruling
	call   *conversation.ToolCall
}

// referLocked leaves a question to the person; s.mu is held. Rules are proposed only
// where one could give the answer.
func (s *Session) referLocked(q *question[acpclient.RequestPermissionOutcome], call *conversation.ToolCall, r Ruling) {
	if onceOption(q.offered, policy.Allow) == nil {
		r.Proposals = nil
	}
	q.referred = &referral{r, call}
	s.askReferred()
}

// askReferred has the person asked what is left to them, in the order in which the agent
// has asked: a question waits for those before it that are being judged. s.mu is held.
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
		if now, _ := s.stream.docket.look(id); now == nil || now.Asked != q.referred.call {
			r.Proposals = nil // they are about what it was before
		}
		q.judged = false
		s.stream.post(conversation.PermissionReferred{ID: id, Why: r.Why, Proposals: r.Proposals, At: s.opt.Now()})
	}
}

// docket follows what is asked about: it folds the events that have to do with it as
// everybody does who takes them from the stream, so that what is judged is what would
// be shown. It belongs to its stream, and is guarded by its lock.
type docket struct {
	stream *Stream
	conv   *conversation.Conversation
}

// follow has the stream keep a docket.
func (s *Stream) follow() { s.docket = &docket{stream: s, conv: conversation.New()} }

// look is an open question that is being judged, and the case it makes; nil if there
// is no such question.
func (d *docket) look(id int) (*conversation.Permission, Case) {
	d.stream.mu.Lock()
	defer d.stream.mu.Unlock()
	i := slices.IndexFunc(d.conv.Judging, func(p *conversation.Permission) bool { return p.ID == id })
	if i < 0 {
		return nil, Case{}
	}
	shown := *d.conv.Judging[i]
	c := Case{Call: shown.Asked}
	if o := d.conv.OptionByCategory(acpclient.CategoryMode); o != nil {
		var v acpclient.ConfigValue
		v, c.Switching = d.conv.OptionValue(o)
		c.Mode = string(v.ID)
	}
	return &shown, c
}

// apply takes an event; the stream's lock is held. What has nothing to do with
// questions and modes is left out, and so is what tools have given: it would be kept
// twice.
func (d *docket) apply(e conversation.Event) {
	if d == nil {
		return
	}
	switch e := e.(type) {
	case conversation.AgentReady, conversation.AgentLost, conversation.SessionOpening,
		conversation.CancelRequested, conversation.TurnEnded, conversation.OptionChosen,
		conversation.PermissionOpened, conversation.PermissionReferred, conversation.PermissionClosed:
		d.conv.Apply(e)
	case conversation.SessionOpened:
		e.State.ConfigOptions = slices.Clone(e.State.ConfigOptions) // a conversation changes its options in place
		d.conv.Apply(e)
	case conversation.OptionSettled:
		e.Options = slices.Clone(e.Options)
		d.conv.Apply(e)
	case conversation.PromptSent:
		d.conv.Apply(conversation.PromptSent{At: e.At})
	case conversation.Update:
		if e.Update = d.relevant(e.Update); e.Update != nil {
			e.Raw = nil
			d.conv.Apply(e)
		}
	}
}

// relevant is what an update says about calls and modes, nil if that is nothing.
func (d *docket) relevant(u acpclient.SessionUpdate) acpclient.SessionUpdate {
	switch u := u.(type) {
	case *acpclient.ToolCall:
		told := *u
		told.RawOutput, told.Meta = nil, nil
		return &told
	case *acpclient.ToolCallUpdate:
		told := *u
		told.RawOutput, told.Meta = nil, nil
		return &told
	case *acpclient.ToolCallContentChunk:
		return u
	case *acpclient.ContentChunk:
		if _, mode := conversation.QuirksOf(d.conv.Agent.Info.Name).Announced(u.Content.Text); mode {
			return u
		}
	case *acpclient.CurrentModeUpdate:
		return u
	case *acpclient.ConfigOptionUpdate:
		told := *u
		told.ConfigOptions = slices.Clone(u.ConfigOptions)
		return &told
	}
	return nil
}
