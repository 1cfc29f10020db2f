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
		asked, c := s.stream.judgeView.look(q.id)
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
	if s.permissions[q.id] != q {
		return true
	}
	if now, _ := s.stream.judgeView.look(q.id); now == nil || now.Asked != call {
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
		if now, _ := s.stream.judgeView.look(id); now == nil || now.Asked != q.referred.call {
			r.Proposals = nil // they are about the earlier call
		}
		q.judged = false
		s.stream.post(conversation.PermissionReferred{ID: id, Why: r.Why, Proposals: r.Proposals, At: s.opt.Now()})
	}
}

// judgeView folds the events about tool calls and questions exactly as the consumers of
// the stream do, so that rules judge what would be shown. The stream's lock guards it.
type judgeView struct {
	stream *Stream
	conv   *conversation.Conversation
}

// look returns an open question that is being judged and its case, nil if there is no
// such question.
func (d *judgeView) look(id int) (*conversation.Permission, Case) {
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

// options returns the options with their values, as they would be shown.
func (d *judgeView) options() []acpclient.SessionConfigOption {
	d.stream.mu.Lock()
	defer d.stream.mu.Unlock()
	out := slices.Clone(d.conv.Options)
	for i := range out {
		out[i].CurrentValue, _ = d.conv.OptionValue(&d.conv.Options[i])
	}
	return out
}

// apply folds an event. The stream's lock must be held. It skips events unrelated to
// questions and modes, and the output of tools, to save memory.
func (d *judgeView) apply(e conversation.Event) {
	if d == nil {
		return
	}
	switch e := e.(type) {
	case conversation.AgentReady, conversation.AgentLost, conversation.SessionOpening,
		conversation.SessionOpened, conversation.OptionChosen, conversation.OptionSettled,
		conversation.CancelRequested, conversation.TurnEnded, conversation.PermissionOpened,
		conversation.PermissionReferred, conversation.PermissionClosed:
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

// relevant returns the part of an update about calls and modes, or nil.
func (d *judgeView) relevant(u acpclient.SessionUpdate) acpclient.SessionUpdate {
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
	case *acpclient.CurrentModeUpdate, *acpclient.ConfigOptionUpdate:
		return u
	}
	return nil
}
