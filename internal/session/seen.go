package session

import (
	"errors"
	"io/fs"
	"os"
	"time"
	"unicode/utf8"

	files "parley/fs"
	"parley/internal/conversation"
)

// mostSeen limits the files that become part of a question, in bytes.
const mostSeen = 4 << 20

// see looks at the files that an agent wants to write, within judgeTime. s.mu must not be held.
func (s *Session) see(paths []string) []conversation.FileSeen {
	if len(paths) == 0 {
		return nil
	}
	seen := make(chan []conversation.FileSeen, 1)
	go func() {
		var all []conversation.FileSeen
		for _, path := range paths {
			all = append(all, s.seeFile(path))
		}
		seen <- all
	}()
	timer := time.NewTimer(judgeTime)
	defer timer.Stop()
	select {
	case all := <-seen:
		return all
	case <-timer.C:
	}
	var unknown []conversation.FileSeen
	for _, path := range paths {
		unknown = append(unknown, conversation.FileSeen{Path: path, Unknown: true})
	}
	return unknown
}

// seeFile reads a file in the session's directories. Of any other it says whether it exists.
func (s *Session) seeFile(path string) conversation.FileSeen {
	f := conversation.FileSeen{Path: path}
	whole := files.Absolute(s.opt.Cwd, path)
	switch _, err := os.Lstat(whole); {
	case errors.Is(err, fs.ErrNotExist):
		return f
	case err != nil:
		f.Unknown = true
		return f
	}
	f.Exists = true
	for _, dir := range append([]string{s.opt.Cwd}, s.opt.AdditionalDirectories...) {
		if text, err := files.ReadIn(dir, whole, mostSeen); err == nil && utf8.Valid(text) {
			f.Text = string(text)
			break
		}
	}
	return f
}

// seeChanges looks at the files of open questions that no rule has judged, or that the agent has
// changed since. s.mu is held.
func (s *Session) seeChanges(e conversation.Event) {
	switch e.(type) {
	case conversation.Update, conversation.PermissionOpened, conversation.PermissionReferred, conversation.FilesSeen:
	default:
		return
	}
	for _, p := range conversation.Questions[*conversation.Permission](s.state) {
		q, unseen := s.questions[p.ID], p.Asked.Unseen()
		if q == nil || q.looking || p.File != nil || len(unseen) == 0 {
			continue
		}
		q.looking = true
		s.work.Go(func() {
			seen := s.see(unseen)
			s.mu.Lock()
			defer s.unlock()
			q.looking = false
			if s.questions[q.id] == q {
				s.post(conversation.FilesSeen{ID: q.id, Files: seen})
			}
		})
	}
}
