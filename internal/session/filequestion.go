package session

import (
	"context"
	"errors"

	"parley/acpclient"
	"parley/internal/conversation"
)

// Asker asks the user on behalf of a Machine. It is safe for concurrent use.
type Asker interface {
	// AskFile asks whether a file may be read or written, and waits for the answer.
	// before is the current content, nil if there is no file, and after the new one;
	// both are unused if the question is about reading, or is Hidden. The question is
	// withdrawn when ctx ends. The error is ErrCancelled if the turn was cancelled or
	// the agent exited.
	AskFile(ctx context.Context, q *conversation.FileQuestion, before *string, after string) (FileAnswer, error)
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
	open := s.openFileQuestion(ctx, q, conversation.FileRequest(q, before, after))
	outcome, err := open.wait(ctx, func() bool { return s.closePermission(open.id, acpclient.PermissionCancelled) })
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

// openFileQuestion asks the user a question of parley's own. It is answered as
// cancelled at once if the agent is gone, the turn was cancelled, or the session named
// in ctx was left.
func (s *Session) openFileQuestion(ctx context.Context, file *conversation.FileQuestion, r *acpclient.RequestPermissionRequest) *question[acpclient.RequestPermissionOutcome] {
	s.mu.Lock()
	defer s.unlock()
	s.lastNumber++
	q := newQuestion[acpclient.RequestPermissionOutcome](s.lastNumber)
	from, known := ctx.Value(originKey{}).(origin)
	left := known && (s.agent != from.agent || from.agent.hasLeft(from.session))
	if s.closed || s.agent == nil || s.cancelling || left {
		q.reply <- acpclient.PermissionCancelled
		return q
	}
	q.offered = r.Options
	s.permissions[q.id] = q
	s.stream.post(conversation.PermissionOpened{ID: q.id, Request: r, File: file, At: s.opt.Now()})
	return q
}
