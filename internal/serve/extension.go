package serve

import (
	"context"

	"parley/acpclient"
	"parley/internal/app"
	"parley/internal/journal"
	"parley/internal/session"
)

// The extension methods, described in docs/serve.md. Each takes a sessionId.
const (
	// MethodStatus asks for a [Status]. As a notification it tells a client of a new one whose
	// capabilities have _meta.parley.status.
	MethodStatus = "_parley/status"
	// MethodChanges asks for the files that the session has changed.
	MethodChanges = "_parley/changes"
	// MethodUnqueue takes a prompt out of the queue, by its id, and MethodResumeQueue sends those of a
	// paused one.
	MethodUnqueue     = "_parley/queue/remove"
	MethodResumeQueue = "_parley/queue/resume"
)

// Status is what parley knows of a session beside the conversation.
type Status struct {
	SessionID acpclient.SessionID `json:"sessionId"`
	// State is where the session stands, in words.
	State    string       `json:"state"`
	Overview app.Overview `json:"overview"`
	Queue    []Queued     `json:"queue"`
	// Viewers names who looks at the session, this client among them; only in the answer to a request.
	Viewers []string `json:"viewers,omitempty"`
}

// Queued is a prompt that waits. Own means that this client has sent it.
type Queued struct {
	ID   int    `json:"id"`
	Text string `json:"text"`
	Own  bool   `json:"own,omitempty"`
}

// Changed is a file that the session has changed.
type Changed struct {
	Path string `json:"path"`
	// Sources say how parley knows, each once.
	Sources []journal.Source `json:"sources"`
	// Seen means that the user may have made the changes, and Accepted that they have accepted them all.
	Seen     bool `json:"seen,omitempty"`
	Accepted bool `json:"accepted,omitempty"`
}

// params are those of the extension methods.
type params struct {
	SessionID acpclient.SessionID `json:"sessionId" acp:"required"`
	ID        int                 `json:"id"`
}

// now returns the status. s.mu must be held.
func (s *served) now() Status {
	c := s.live.Conversation
	st := Status{SessionID: s.id, Overview: app.OverviewOf(&c.State, s.live.Session.Journal()), Queue: []Queued{}}
	st.State, st.Overview.Last = st.Overview.State(), nil
	if s.live.HostGone() {
		st.State = s.live.GoneText()
	}
	for _, q := range c.Queue {
		st.Queue = append(st.Queue, Queued{ID: q.ID, Text: q.Text(), Own: s.sentBy(q.Ref)})
	}
	return st
}

func (s *served) status(ctx context.Context, _ *params) (any, error) {
	acpclient.Async(ctx)
	listed := s.listed(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	st := s.now()
	if listed != nil {
		st.Viewers = listed.Viewers
	}
	return st, nil
}

// knowsStatus reports whether the client wants to be told of the status.
func (s *served) knowsStatus() bool {
	wants, _ := acpclient.MetaValue[bool](s.client.ClientCapabilities.Meta, "parley", "status")
	return wants
}

// tellStatus tells a client that wants to know it of another status. s.mu must be held.
func (s *served) tellStatus() {
	if !s.knowsStatus() || !s.view.open || !s.view.stands {
		return
	}
	s.view.stands = false
	st := s.now()
	if now := encode(st); now != s.told {
		s.told = now
		_ = s.conn.Notify(MethodStatus, st)
	}
}

func (s *served) changes(ctx context.Context, _ *params) (any, error) {
	acpclient.Async(ctx)
	files, err := session.Do(ctx, s.live.Session, session.ChangedFiles{})
	changed := []Changed{}
	for _, f := range files {
		changed = append(changed, Changed{f.Path, f.Sources, f.Seen, f.Kept})
	}
	return map[string]any{"files": changed}, err
}

func (s *served) unqueue(ctx context.Context, p *params) (any, error) {
	if s.opt.ReadOnly {
		return nil, errReadOnly
	}
	acpclient.Async(ctx)
	_, err := session.Do(ctx, s.live.Session, session.Unqueue{ID: p.ID})
	return nil, err
}

func (s *served) resumeQueue(context.Context, *params) (any, error) {
	if s.opt.ReadOnly {
		return nil, errReadOnly
	}
	session.Post(s.live.Session, session.ResumeQueue{})
	return nil, nil
}
