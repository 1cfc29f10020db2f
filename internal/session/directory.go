package session

import (
	"errors"
	"io/fs"
	"os"

	"parley/acpclient"
)

// directory watches whether the session's directory is still there. Session.mu guards it.
type directory struct {
	known    bool // it was there when the session was made
	checking bool
	gone     bool
}

// suspectDirectory looks whether the session's directory is gone, since something has
// failed that may fail for this reason, and says so once. It does not wait. s.mu must be held.
func (s *Session) suspectDirectory() {
	if s.closed || !s.directory.known || s.directory.checking {
		return
	}
	s.directory.checking = true
	s.work.Go(func() {
		_, err := os.Stat(s.opt.Cwd)
		s.mu.Lock()
		defer s.unlock()
		before := s.directory.gone
		s.directory.checking, s.directory.gone = false, errors.Is(err, fs.ErrNotExist)
		if s.directory.gone && !before && !s.closed {
			s.notice(acpclient.NoticeError, "The session's directory is gone",
				s.opt.Cwd+" was deleted: the agent's commands and edits fail until it is back.")
		}
	})
}

// failedCall reports whether an update says that a tool call has failed.
func failedCall(u acpclient.SessionUpdate) bool {
	switch u := u.(type) {
	case *acpclient.ToolCall:
		return u.Status == acpclient.ToolFailed
	case *acpclient.ToolCallUpdate:
		return u.Status != nil && *u.Status == acpclient.ToolFailed
	}
	return false
}
