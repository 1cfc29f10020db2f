package host

import (
	"context"
	"slices"
	"time"

	"parley/acpclient"
	"parley/internal/session"
)

// readTime is how long an agent waits for the answer of an editor. One that takes slowTime is asked again
// after restTime, so that the agent does not wait for it at each file.
const (
	readTime = 3 * time.Second
	slowTime = time.Second / 2
	restTime = time.Minute
)

// Editor returns a function that asks an editor for the text that it has of a file, nil if no viewer has
// one. Of several, it asks the one that attached last, and no other. It is a [machine.Editor].
func (h *Host) Editor() func(ctx context.Context, path string) (text string, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.editors) == 0 {
		return nil
	}
	last := h.editors[len(h.editors)-1]
	if time.Since(last.slow) < restTime {
		return nil
	}
	return last.readFile
}

// readFile asks the viewer, within readTime.
func (v *viewer) readFile(ctx context.Context, path string) (string, error) {
	brief, cancel := context.WithTimeout(ctx, readTime)
	defer cancel()
	began := time.Now()
	var r readText
	err := call(brief, v.conn, requestRead, reading{path}, &r)
	if time.Since(began) < slowTime || ctx.Err() != nil {
		return r.Text, err
	}
	v.host.mu.Lock()
	first := v.slow.IsZero()
	v.slow = time.Now()
	v.host.mu.Unlock()
	if first {
		session.Post(v.host.session, session.AddNotice{
			Severity: acpclient.NoticeWarning, Title: "The editor answers slowly",
			Detail: "For a minute at a time, the agent reads files from disk, without unsaved changes.",
		})
	}
	return r.Text, err
}

// forgetEditor has a viewer asked for no more files. h.mu must be held.
func (h *Host) forgetEditor(v *viewer) {
	h.editors = slices.DeleteFunc(h.editors, func(o *viewer) bool { return o == v })
}
