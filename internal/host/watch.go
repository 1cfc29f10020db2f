package host

import (
	"context"
	"maps"
	"os"
	"slices"
	"sync"
	"time"

	"parley/acpclient"
)

// watching asks for the status as soon as its revision is another one than After. Revisions begin
// with 1: after 0, it is answered at once.
type watching struct {
	After int64 `json:"after"`
}

// watched is a status and its revision.
type watched struct {
	Status
	Revision int64 `json:"revision"`
}

// revise notes that the status has changed. h.mu must be held.
func (h *Host) revise() {
	h.revision++
	if h.revised != nil {
		close(h.revised)
		h.revised = nil
	}
}

// watch returns the status when it differs from a revision. It fails when ctx or the session ends.
func (h *Host) watch(ctx context.Context, after int64) (*watched, error) {
	for {
		h.mu.Lock()
		if h.revised == nil {
			h.revised = make(chan struct{})
		}
		now, revised := h.revision, h.revised
		h.mu.Unlock()
		if now != after {
			return &watched{h.status(), now}, nil
		}
		select {
		case <-revised:
		case <-h.over:
			return nil, errEnded
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

const (
	// watchPause is the least time between two looks at a session, lookPause between two looks for
	// new ones, and oldPause between two at one whose host cannot be watched.
	watchPause = time.Second
	lookPause  = 2 * time.Second
	oldPause   = 10 * time.Second
)

// dirs are directories that are looked at for changes.
type dirs struct {
	paths []string
	times []time.Time // as they were seen, those too young to tell a later change zero
}

// changed reports whether entries were made or removed since the last call. A change within the resolution
// of the file system's clock may be reported again.
func (d *dirs) changed() bool {
	now := make([]time.Time, len(d.paths))
	for i, path := range d.paths {
		if info, err := os.Stat(path); err == nil {
			now[i] = info.ModTime()
		}
	}
	same := slices.EqualFunc(now, d.times, time.Time.Equal)
	for i := range now {
		if time.Since(now[i]) < lookPause {
			now[i] = time.Time{}
		}
	}
	d.times = now
	return !same
}

// statusWatcher watches the hosts of this machine. Where nothing happens, it looks at the times of
// directories, and nothing else.
type statusWatcher struct {
	ctx  context.Context
	news chan struct{} // receives when known has changed
	runs dirs

	mu       sync.Mutex
	followed map[string]bool // ids
	known    map[string]Status
}

// Watch returns a function that waits until the list of [List] or the entries of beside change, and returns
// the list; the first time it does not wait. It fails when ctx ends. It is for one caller at a time.
func Watch(ctx context.Context, beside ...string) func() ([]Status, error) {
	w := &statusWatcher{ctx: ctx, news: make(chan struct{}, 1), followed: map[string]bool{}, known: map[string]Status{}}
	others := dirs{paths: beside}
	first := true
	return func() ([]Status, error) {
		if first {
			first = false
			others.changed()
			w.look()
			all, err := List(ctx)
			w.mu.Lock()
			defer w.mu.Unlock()
			for _, s := range all {
				if _, is := w.known[s.ID]; w.followed[s.ID] && !is {
					w.known[s.ID] = s
				}
			}
			return all, err
		}
		again := time.NewTicker(lookPause)
		defer again.Stop()
		for {
			select {
			case <-w.news:
				return w.list(), ctx.Err()
			case <-again.C:
				if w.look(); others.changed() {
					return w.list(), nil
				}
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
	}
}

// list returns what is known, the most recently active first.
func (w *statusWatcher) list() []Status {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.SortedFunc(maps.Values(w.known), latestFirst)
}

// change changes what is known.
func (w *statusWatcher) change(do func(known map[string]Status)) {
	w.mu.Lock()
	do(w.known)
	w.mu.Unlock()
	select {
	case w.news <- struct{}{}:
	default:
	}
}

// look follows the hosts that are new.
func (w *statusWatcher) look() {
	dir, err := Dir()
	if w.runs.paths = []string{dir}; err != nil || !w.runs.changed() {
		return
	}
	ids, _ := hostsIn(dir)
	for _, id := range ids {
		w.mu.Lock()
		fresh := !w.followed[id]
		w.followed[id] = true
		w.mu.Unlock()
		if fresh {
			go w.follow(id)
		}
	}
}

// follow keeps the status of a host up to date until the host ends. One that refuses this parley, or
// does not answer, is asked again from time to time.
func (w *statusWatcher) follow(id string) {
	defer w.change(func(known map[string]Status) {
		delete(known, id)
		delete(w.followed, id)
	})
	for {
		w.watch(id)
		s, there := statusOrSilent(w.ctx, id)
		if !there {
			if r, err := Last(id); err == nil && r.Ended.IsZero() {
				w.pause(watchPause) // a killed process may hold its log for a moment
			}
			return
		}
		w.change(func(known map[string]Status) { known[id] = s })
		if !w.pause(oldPause) {
			return
		}
	}
}

// watch keeps the status of a host up to date until that fails.
func (w *statusWatcher) watch(id string) {
	c, err := connect(w.ctx, id, nil)
	if err != nil {
		return
	}
	conn := acpclient.NewConn(over(c, mostToViewer), noReceiver{}, acpclient.ConnOptions{})
	defer conn.Close()
	for revision := int64(0); ; {
		ctx, cancel := w.ctx, context.CancelFunc(func() {})
		if revision == 0 { // which is answered at once
			ctx, cancel = context.WithTimeout(w.ctx, askTime)
		}
		var now watched
		err := call(ctx, conn, requestStatus, watching{revision}, &now)
		cancel()
		if err != nil {
			return
		}
		w.change(func(known map[string]Status) { known[id] = now.Status })
		if revision = now.Revision; !w.pause(watchPause) {
			return
		}
	}
}

// pause waits, and reports whether watching goes on.
func (w *statusWatcher) pause(d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-w.ctx.Done():
		return false
	}
}
