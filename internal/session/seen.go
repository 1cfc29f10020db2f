package session

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"time"
	"unicode/utf8"

	files "parley/fs"
	"parley/internal/conversation"
)

// mostSeen limits the files that become part of a question, in bytes.
const mostSeen = 4 << 20

// seeTime bounds the look at the files of a question before its answer: the front end stands still.
const seeTime = 100 * time.Millisecond

// see looks at the files that an agent wants to write, within a time. s.mu must not be held.
func (s *Session) see(paths []string, most time.Duration) []conversation.FileSeen {
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
	timer := time.NewTimer(most)
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

// seeAgain looks at the files of a permission before it is allowed: with other files it is another
// question. It releases s.mu meanwhile.
func (s *Session) seeAgain(q *question, p *conversation.Permission) {
	var paths []string
	for _, f := range p.Asked.Files {
		paths = append(paths, f.Path)
	}
	if len(paths) == 0 || p.File != nil {
		return
	}
	s.unlock()
	now := s.see(paths, seeTime)
	s.mu.Lock()
	if s.questions[q.id] == q && !slices.Equal(now, p.Asked.Files) {
		s.post(conversation.FilesSeen{ID: q.id, Files: now})
	}
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
			seen := s.see(unseen, judgeTime)
			s.mu.Lock()
			defer s.unlock()
			q.looking = false
			if s.questions[q.id] == q {
				s.post(conversation.FilesSeen{ID: q.id, Files: seen})
			}
		})
	}
}
