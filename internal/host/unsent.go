package host

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"parley/config"
	"parley/fs"
	"parley/internal/conversation"
	"parley/internal/session"
	"parley/internal/store"
)

// A prompt that the host has not confirmed outlives its viewer, in a file of the viewer's that
// its process locks. The first line identifies the viewer, each other line is an act. The next
// viewer of the session finds the unlocked files, asks the host which acts it has done for
// those viewers, and shows the rest. If the host has died, whoever resumes the stored session
// gets them in the queue.

// unsentNames is the pattern of the file names.
const unsentNames = "unsent-*"

// mostUnsent limits what is read of a file, in bytes; unsentAge is how long one is kept.
const (
	mostUnsent = 64 << 20
	unsentAge  = 30 * 24 * time.Hour
)

// unsentHead is the first line of a file.
type unsentHead struct {
	Running string   `json:"running"` // in the form for [AttachTo]
	Viewer  string   `json:"viewer"`
	Stored  store.ID `json:"stored,omitempty"` // "" for a session on another machine
}

type unsentFile struct {
	saving sync.Mutex // held while it is written
	file   *os.File   // nil if there is none; [Client.mu] guards it
}

// save stores the prompts that the host has not confirmed, or removes the file if there are
// none. Best effort: the prompt history has them, too.
func (c *Client) save() {
	if c.opt.Dir == "" || c.opt.ReadOnly || c.opt.Passing {
		return
	}
	c.unsent.saving.Lock()
	defer c.unsent.saving.Unlock()
	c.mu.Lock()
	var acts []act
	left := c.kept
	if !c.ending {
		left = slices.Concat(c.kept, c.refused)
	}
	for _, u := range left {
		if _, sends := session.PromptOf(u.Act); !sends {
			continue
		}
		if raw, err := session.Encode(u.Act); err == nil {
			acts = append(acts, act{Name: session.KindOf(u.Act).Name, Act: raw})
		}
	}
	for _, a := range c.pending {
		if _, sends := session.PromptOf(a.made); sends && !c.ending {
			acts = append(acts, a.act)
		}
	}
	f, head := c.unsent.file, unsentHead{Running: c.opt.Running, Viewer: c.id}
	if !c.opt.Far {
		head.Stored = c.state.Stored
	}
	c.mu.Unlock()
	switch {
	case f == nil && len(acts) == 0:
		return
	case len(acts) == 0:
		_ = os.Remove(f.Name())
		c.unsent.set(c, nil)
		_ = f.Close()
		return
	case f == nil:
		var err error
		if f, err = os.CreateTemp(c.opt.Dir, unsentNames); err != nil {
			return
		}
		if locked, err := config.TryLock(f); !locked || err != nil {
			_ = errors.Join(f.Close(), os.Remove(f.Name()))
			return
		}
		c.unsent.set(c, f)
	}
	data, err := json.Marshal(head)
	for _, a := range acts {
		line, wrong := json.Marshal(a)
		err = errors.Join(err, wrong)
		data = append(append(data, '\n'), line...)
	}
	if err == nil && f.Truncate(0) == nil {
		_, _ = f.WriteAt(append(data, '\n'), 0)
	}
}

func (u *unsentFile) set(c *Client, f *os.File) {
	c.mu.Lock()
	defer c.mu.Unlock()
	u.file = f
}

// close releases the file to the next viewer.
func (u *unsentFile) close() {
	u.saving.Lock()
	defer u.saving.Unlock()
	if u.file != nil {
		config.Unlock(u.file)
		_ = u.file.Close()
	}
}

// forgettable reports whether the host may forget this viewer's acts, because none is pending.
func (c *Client) forgettable() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return !slices.ContainsFunc(c.pending, func(a *pendingAct) bool { _, sends := session.PromptOf(a.made); return sends })
}

// leftFile is the locked file of a viewer that has left.
type leftFile struct {
	*os.File
	unsentHead
	acts []act
	at   time.Time // of its last change
}

// findLeft returns the files of viewers that have left this session.
func (c *Client) findLeft() []*leftFile {
	if c.opt.Dir == "" || c.opt.ReadOnly || c.opt.Passing {
		return nil
	}
	return leftIn(c.opt.Dir, func(h unsentHead) bool { return h.Running == c.opt.Running })
}

// leftIn returns the files of a directory that nobody locks and that are wanted by their heads,
// the oldest first.
func leftIn(dir string, wanted func(unsentHead) bool) (left []*leftFile) {
	paths, _ := filepath.Glob(filepath.Join(dir, unsentNames))
	for _, path := range paths {
		f, err := openUnsent(path)
		if err != nil {
			continue
		}
		l := &leftFile{File: f}
		locked, err := config.TryLock(f)
		mine := err == nil && locked && l.read() && wanted(l.unsentHead)
		if info, err := f.Stat(); err == nil {
			if l.at = info.ModTime(); locked && !mine && time.Since(l.at) > unsentAge {
				_ = os.Remove(path) // the session ended long ago
			}
		}
		if !mine {
			_ = f.Close()
			continue
		}
		left = append(left, l)
	}
	slices.SortStableFunc(left, func(a, b *leftFile) int { return a.at.Compare(b.at) })
	return left
}

// openUnsent opens a regular file for reading and writing, and never waits.
func openUnsent(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|fs.OpenNonblock, 0)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		_ = f.Close()
		return nil, errors.New("not a regular file")
	}
	return f, nil
}

// UnsentTo returns the prompts that a host did not confirm before it ended, by its ID.
func UnsentTo(id string) []conversation.QueuedPrompt {
	prompts, done := unsentOf(func(h unsentHead) bool { return h.Running == id })
	done(false)
	return prompts
}

// TakeUnsent returns the prompts that the hosts of a stored session did not confirm before they
// ended. Nobody else gets them until the caller calls done, and nobody any more after done(true):
// they are stored elsewhere then.
func TakeUnsent(stored store.ID) (prompts []conversation.QueuedPrompt, done func(taken bool)) {
	return unsentOf(func(h unsentHead) bool { return h.Stored == stored })
}

func unsentOf(wanted func(unsentHead) bool) (prompts []conversation.QueuedPrompt, done func(taken bool)) {
	dir, err := HistoryDir()
	if err != nil {
		return nil, func(bool) {}
	}
	left := leftIn(dir, wanted)
	for _, l := range left {
		for _, a := range l.acts {
			if k := session.KindNamed(a.Name); k != nil {
				if call, err := k.Decode(a.Act); err == nil { // else it is of a newer parley
					if p, sends := session.PromptOf(call.Act()); sends {
						prompts = append(prompts, p)
					}
				}
			}
		}
	}
	return prompts, func(taken bool) {
		for _, l := range left {
			if taken {
				_ = os.Remove(l.Name())
			}
		}
		closeAll(left)
	}
}

// read reads the file. It ignores a line cut short when the viewer was killed.
func (l *leftFile) read() bool {
	lines := bufio.NewReader(io.LimitReader(l.File, mostUnsent))
	head, err := lines.ReadBytes('\n')
	if err != nil || json.Unmarshal(head, &l.unsentHead) != nil {
		return false
	}
	for {
		line, err := lines.ReadBytes('\n')
		var a act
		if err != nil || json.Unmarshal(line, &a) != nil {
			return true
		}
		l.acts = append(l.acts, a)
	}
}

func viewersOf(left []*leftFile) (ids []string) {
	for _, l := range left {
		ids = append(ids, l.Viewer)
	}
	return ids
}

func closeAll(left []*leftFile) {
	for _, l := range left {
		config.Unlock(l.File)
		_ = l.Close()
	}
}

// errPerhapsDone means that the host may or may not have received an act of a viewer that has
// left.
var errPerhapsDone = errors.New("perhaps it was sent before")

// takeOver keeps the unconfirmed prompts of viewers that have left, until the user decides.
func (c *Client) takeOver(left []*leftFile) {
	c.mu.Lock()
	for _, l := range left {
		was, known := c.welcome.Left[l.Viewer]
		for _, a := range l.acts {
			k := session.KindNamed(a.Name)
			if k == nil || known && was.did(a.Number) {
				continue
			}
			call, err := k.Decode(a.Act)
			if err != nil {
				continue // from a newer parley
			}
			u := session.Unconfirmed{Act: call.Act(), Progress: session.Left}
			if !known && a.Number > 0 {
				u.Err = errPerhapsDone
			}
			c.kept = append(c.kept, u)
		}
	}
	c.mu.Unlock()
	c.save()
	for _, l := range left {
		_ = os.Remove(l.Name())
	}
	closeAll(left)
}

// leftActs are the acts that a host has done for a viewer: all up to Has, and those in More.
type leftActs struct {
	Has  int   `json:"has,omitempty"`
	More []int `json:"more,omitempty"`
}

// did reports whether an act was done. An act without a number was never sent.
func (l leftActs) did(number int) bool {
	return number > 0 && (number <= l.Has || slices.Contains(l.More, number))
}
