package serve

import (
	"context"
	"errors"
	"slices"
	"strings"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/session"
)

// asking is a question that the client has been asked, in one revision.
type asking struct {
	seen     conversation.Seen
	withdraw context.CancelFunc
}

// ask asks the client what the session asks its viewers, and withdraws what is answered, or has become
// another question. An answer counts only for the revision that was asked. s.mu must be held.
func (s *served) ask(c *conversation.Conversation) {
	if s.opt.ReadOnly || !s.view.open || s.view.opening {
		return
	}
	open := conversation.Questions[conversation.Question](&c.State)
	for id, a := range s.asks {
		if !slices.ContainsFunc(open, func(q conversation.Question) bool { return q.Now() == a.seen }) {
			a.withdraw()
			delete(s.asks, id)
		}
	}
	for _, q := range open {
		seen := q.Now()
		if s.asks[seen.ID] != nil {
			continue
		}
		ctx, withdraw := context.WithCancel(s.ctx)
		s.asks[seen.ID] = &asking{seen, withdraw}
		conversation.Match(q,
			func(p *conversation.Permission) any { s.askPermission(ctx, p); return nil },
			func(e *conversation.Elicitation) any { s.elicit(ctx, e); return nil })
	}
}

// askPermission asks whether a call may go on.
func (s *served) askPermission(ctx context.Context, p *conversation.Permission) {
	r := &acpclient.RequestPermissionRequest{SessionID: s.id, Options: p.Options, Title: p.Title, Description: p.Description, ToolCall: s.view.askedOf(p)}
	seen := p.Seen
	go func() {
		for range mostAsked {
			var res acpclient.RequestPermissionResponse
			if err := s.conn.Call(ctx, acpclient.SessionRequestPermission.Name, r, &res); err != nil {
				s.unanswered(ctx, err)
				return
			}
			if res.Outcome.Cancelled() { // with the turn, or by a client that decides nothing
				return
			}
			if s.decide(ctx, session.Answer{Question: seen, Option: res.Outcome.OptionID}) {
				return
			}
		}
	}()
}

// askedOf describes the call of a question, all of which the client has to see.
func (v *view) askedOf(p *conversation.Permission) acpclient.ToolCallUpdate {
	asked := *p.Asked
	asked.Terminals = nil
	call := v.callOf(&asked, v.callID(p.ToolCall))
	status := statusOf(p.ToolCall)
	u := acpclient.ToolCallUpdate{
		ToolCallID: call.ToolCallID, Title: &call.Title, Kind: &call.Kind, Status: &status, Content: slices.Clone(call.Content),
		Locations: call.Locations, RawInput: call.RawInput, Meta: call.Meta,
	}
	for i := range u.Content { // what the file has now, which the agent may leave out
		d := &u.Content[i]
		if seen := p.Asked.FileSeen(d.Path); d.Type == acpclient.ToolContentDiff && d.OldText == nil && seen != nil && seen.Exists {
			d.OldText = &seen.Text
		}
	}
	if p.File != nil {
		u.Content = append(u.Content, acpclient.TextContent(strings.Join(p.File.Reasons(false), "\n")))
	}
	return u
}

// elicit asks for input, if the client can ask for it.
func (s *served) elicit(ctx context.Context, e *conversation.Elicitation) {
	can := s.client.ClientCapabilities.Elicitation
	if can == nil || e.Request.Mode == acpclient.ElicitURL && can.URL == nil || e.Request.Mode != acpclient.ElicitURL && can.Form == nil {
		s.view.say("the agent asks for input: " + e.Request.Message + "\nTo answer it: parley attach " + s.live.Session.About().Host)
		return
	}
	r := *e.Request
	r.SessionID, r.RequestID, r.Raw = s.id, nil, nil
	if r.ToolCallID != "" {
		r.ToolCallID = s.view.parentID(r.ToolCallID)
	}
	seen := e.Seen
	go func() {
		var res acpclient.CreateElicitationResponse
		if err := s.conn.Call(ctx, acpclient.ElicitationCreate.Name, &r, &res); err != nil {
			s.unanswered(ctx, err)
			return
		}
		s.decide(ctx, session.Answer{Question: seen, Form: &res})
	}()
}

// mostAsked is how often a client is asked that gives answers which are none, such as an option that was not
// offered.
const mostAsked = 3

// decide gives the client's answer, and reports whether that is all: the question is answered, is another by
// now, which ask asks, or cannot be answered any more. Otherwise the client is told why not.
func (s *served) decide(ctx context.Context, a session.Answer) bool {
	err := session.Try(ctx, s.live.Session, a)
	if err == nil || errors.Is(err, session.ErrAnswered) || errors.Is(err, session.ErrChanged) || ctx.Err() != nil {
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.view.say("not answered: " + err.Error() + "\nTo answer it: parley attach " + s.live.Session.About().Host)
	return s.live.HostGone()
}

// unanswered tells of a question that the client cannot show. It stays open for the others.
func (s *served) unanswered(ctx context.Context, err error) {
	if ctx.Err() != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.view.say("a question waits that this client did not answer: " + err.Error() + "\nTo answer it: parley attach " + s.live.Session.About().Host)
}
