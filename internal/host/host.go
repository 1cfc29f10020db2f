// Package host keeps a session running in a process of its own, which goes on when its
// terminal is gone, and shows it to viewers.
//
// A [Host] owns one session. It writes every event as a line, as package conversation does,
// into its history. A viewer connects over a Unix socket, gets the history from
// where it stands, and then what is added to it: each viewer reads the history at its own
// pace, so that one that does not read holds up nobody. What a viewer does goes the other
// way, as a call with a number: an act happens once, even if the viewer has lost the
// connection and repeats it.
//
// The wire is JSON-RPC, by the connection of package acpclient.
package host

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"slices"
	"sync"
	"time"

	"parley/acpclient"
	"parley/config"
	"parley/internal/app"
	"parley/internal/conversation"
	"parley/internal/store"
)

// Options say which session to keep.
type Options struct {
	// ID names the session among those that run: see [NewID].
	ID string
	// Session is not started yet. Agent is the one that it is with, and Before what had
	// happened in the stored session that it continues.
	Session app.Session
	Agent   config.Agent
	Before  []conversation.Event
	// Earlier goes with the first prompt of a viewer, see [app.Branched]; "" is nothing.
	Earlier string
	// Dir is where the history is kept while the host runs.
	Dir string
	// Idle is how long the host goes on when nobody looks on and nothing happens; 0 is
	// forever.
	Idle time.Duration
	// Notify is a command that is run when something happens that the user would want to
	// know, and nobody looks on; nil is none.
	Notify []string
	// Log gets what is not for the user; nil discards it.
	Log *slog.Logger
}

// Host owns a session and shows it to viewers.
type Host struct {
	opt     Options
	session app.Session
	history *history
	ctx     context.Context // ends when the host does
	end     context.CancelCauseFunc
	work    sync.WaitGroup

	mu      sync.Mutex
	state   *conversation.State // the fold of the history
	title   string              // of the first prompt, until the session has one
	stored  store.ID
	viewers map[*viewer]struct{}
	acted   map[string]*acts // by the id of the viewer, which outlives its connections
	quiet   time.Time        // since when nobody looks on and nothing happens
	looked  bool             // somebody has looked on
}

// errEnded is why a host ends that a user has ended.
var errEnded = errors.New("the session was ended")

// New returns a host for a session.
func New(opt Options) (*Host, error) {
	if opt.Log == nil {
		opt.Log = slog.New(slog.DiscardHandler)
	}
	hist, err := newHistory(opt.Dir)
	if err != nil {
		return nil, fmt.Errorf("keep the history of the session: %w", err)
	}
	h := &Host{
		opt: opt, session: opt.Session, history: hist, state: conversation.NewState(), stored: opt.Session.StoredID(),
		viewers: map[*viewer]struct{}{}, acted: map[string]*acts{}, quiet: time.Now(),
	}
	h.ctx, h.end = context.WithCancelCause(context.Background())
	h.add(opt.Before)
	return h, nil
}

// pace is the least time between two batches of streamed events.
const pace = 20 * time.Millisecond

// endTime is how long the agent has to end by itself.
const endTime = app.StopTime

// Run serves viewers until the session ends: a user ends it, ctx ends, or nobody looks on
// and there is nothing left to do. It closes the listener and ends the session.
func (h *Host) Run(ctx context.Context, l net.Listener) error {
	stop := context.AfterFunc(ctx, func() { h.end(context.Cause(ctx)) })
	defer stop()
	h.work.Go(func() { h.accept(l) })
	h.work.Go(h.watchJournal)
	h.session.Stream().Pace(pace)
	idle := time.NewTicker(idleCheck)
	defer idle.Stop()
	for h.ctx.Err() == nil {
		select {
		case <-h.session.Stream().Ready():
			h.take()
		case <-idle.C:
			h.endIfIdle()
		case <-h.ctx.Done():
		}
	}
	_ = l.Close() // before the session ends: nobody new may come to it
	closing, cancel := context.WithTimeout(context.Background(), endTime)
	defer cancel()
	h.session.Close(closing)
	h.take()
	h.history.close()
	h.mu.Lock()
	viewers := h.viewers
	h.viewers = nil
	h.mu.Unlock()
	for v := range viewers {
		v.leave(closing, context.Cause(h.ctx))
	}
	h.work.Wait()
	return nil
}

// take adds what has happened to the history.
func (h *Host) take() {
	batch := h.session.Stream().Take()
	if len(batch) == 0 {
		return
	}
	h.add(batch)
	h.attention(batch)
	if id := h.session.StoredID(); id != h.stored {
		h.mu.Lock()
		h.stored = id
		h.mu.Unlock()
		h.announce()
	}
	h.mu.Lock()
	h.quiet = time.Now()
	h.mu.Unlock()
}

// add adds events to the history, each as a line.
func (h *Host) add(batch []conversation.Event) {
	if len(batch) == 0 {
		return
	}
	var lines []byte
	from := -1
	h.mu.Lock()
	for _, e := range batch {
		if o, ok := e.(conversation.SessionOpening); ok && o.Clear {
			from = len(lines)
		}
		if p, ok := e.(conversation.PromptSent); ok && h.title == "" {
			h.title = app.PromptLine(conversation.QueuedPrompt{Prompt: p.Prompt})
		}
		h.state.Apply(e)
		line, err := conversation.AppendEncode(lines, e)
		if err != nil {
			h.opt.Log.Warn("an event is not shown to viewers", "error", err)
			continue
		}
		lines = append(line, '\n')
	}
	h.mu.Unlock()
	if err := h.history.add(lines, from); err != nil {
		h.opt.Log.Warn("the history is kept in memory", "error", err)
	}
}

// Idle ends.
const (
	idleCheck = 10 * time.Second
	// unwatched is how long a host waits for its first viewer.
	unwatched = time.Minute
)

// endIfIdle ends the host when nobody looks on and there is nothing to do any more.
func (h *Host) endIfIdle() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.viewers) > 0 {
		return
	}
	alone := time.Since(h.quiet)
	s := h.state
	gone := s.Phase == conversation.PhaseLost || s.Phase == conversation.PhaseFailed || s.Agent.Since.IsZero()
	busy := s.Turn.Running || len(s.Queue) > 0 && !s.QueuePaused || len(s.Permissions)+len(s.Elicitations) > 0
	switch {
	case gone && (h.looked || alone > unwatched):
		h.end(errors.New("the agent has ended"))
	case h.opt.Idle > 0 && !busy && alone > h.opt.Idle:
		h.end(fmt.Errorf("nothing has happened for %v", h.opt.Idle))
	}
}

// Status describes a session that runs in a host, for lists.
type Status struct {
	ID      string              `json:"id"`
	PID     int                 `json:"pid"`
	Stored  store.ID            `json:"stored,omitempty"`
	Session acpclient.SessionID `json:"session,omitempty"`
	Title   string              `json:"title,omitempty"`
	Agent   string              `json:"agent"`
	Cwd     string              `json:"cwd"`
	// Working means that a turn runs, Waiting counts the questions that are open, Queued
	// the prompts that wait. Gone means that the agent has ended.
	Working bool `json:"working,omitempty"`
	Waiting int  `json:"waiting,omitempty"`
	Queued  int  `json:"queued,omitempty"`
	Gone    bool `json:"gone,omitempty"`
	// Viewers name those who look on.
	Viewers []string `json:"viewers,omitempty"`
	// Since is when something last happened.
	Since time.Time `json:"since"`
}

// Name is what to call the session.
func (s Status) Name() string { return cmp.Or(s.Title, s.ID) }

func (h *Host) status() Status {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := h.state
	st := Status{
		ID: h.opt.ID, PID: os.Getpid(), Stored: h.stored, Session: s.ID, Title: cmp.Or(s.Title, h.title),
		Agent: h.opt.Agent.Name, Cwd: h.session.About().Cwd,
		Working: s.Turn.Running, Waiting: len(s.Permissions) + len(s.Elicitations), Queued: len(s.Queue),
		Gone: s.Phase == conversation.PhaseLost || s.Phase == conversation.PhaseFailed, Since: h.quiet,
	}
	for v := range h.viewers {
		st.Viewers = append(st.Viewers, v.name)
	}
	slices.Sort(st.Viewers)
	return st
}

// accept takes viewers. A connection of another user is closed: the socket's mode keeps
// them out on most systems, but not on all.
func (h *Host) accept(l net.Listener) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		if err := ownPeer(c); err != nil {
			h.opt.Log.Warn("a viewer was refused", "error", err)
			_ = c.Close()
			continue
		}
		h.work.Go(func() { h.serve(c) })
	}
}

// watchJournal tells the viewers what the journal says of itself.
func (h *Host) watchJournal() {
	j := h.session.Journal()
	if j == nil {
		return
	}
	for version := j.Version(); h.ctx.Err() == nil; {
		version = j.Changed(h.ctx, version)
		h.announce()
	}
}

// announce tells all viewers what has changed beside the events.
func (h *Host) announce() {
	h.mu.Lock()
	viewers := make([]*viewer, 0, len(h.viewers))
	for v := range h.viewers {
		viewers = append(viewers, v)
	}
	h.mu.Unlock()
	for _, v := range viewers {
		_ = v.conn.Notify(notifyChanged, h.changed()) // otherwise it is about to leave
	}
}

// changed is what viewers know of a session beside its events.
func (h *Host) changed() *changed {
	c := &changed{Stored: h.session.StoredID()}
	if j := h.session.Journal(); j != nil {
		c.Journal = &journalState{Dir: j.Dir(), Len: j.Len(), Version: j.Version(), Turns: j.Turns(), LastRewind: j.LastRewind()}
		c.Journal.Turn, c.Journal.Redo = j.Undoable()
		limits, failed := j.Trouble()
		if c.Journal.Limits = limits; failed != nil {
			c.Journal.Failed = failed.Error()
		}
	}
	return c
}

// history is every event of the session as a line, in a file that is removed already, so
// that it ends with the host. It is safe for concurrent use.
type history struct {
	mu     sync.Mutex
	file   *os.File
	filed  int64  // bytes in the file
	rest   []byte // what comes after them, if the file could not be written
	from   int64  // where the session begins that is open
	closed bool
	grown  chan struct{}
}

func newHistory(dir string) (*history, error) {
	f, err := os.CreateTemp(dir, "history-")
	if err != nil {
		return nil, err
	}
	if err := os.Remove(f.Name()); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &history{file: f, grown: make(chan struct{})}, nil
}

// add adds lines. from, if not -1, is the line with which another session begins. On an
// error the lines are kept in memory.
func (h *history) add(lines []byte, from int) (err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if from >= 0 {
		h.from = h.size() + int64(from)
	}
	if h.rest == nil {
		var n int
		n, err = h.file.WriteAt(lines, h.filed)
		h.filed += int64(n)
		lines = lines[n:]
	}
	h.rest = append(h.rest, lines...)
	close(h.grown)
	h.grown = make(chan struct{})
	return err
}

func (h *history) size() int64 { return h.filed + int64(len(h.rest)) }

// span returns where the history of the session begins and ends.
func (h *history) span() (from, to int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.from, h.size()
}

// close says that nothing more comes.
func (h *history) close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	close(h.grown)
	h.grown = make(chan struct{})
}

// errOver means that the history is read to its end, and that nothing more comes.
var errOver = errors.New("the history is complete")

// read waits until the history goes on after a position, and returns whole lines from
// there, about as many bytes as most.
func (h *history) read(ctx context.Context, at int64, most int) ([]byte, error) {
	for {
		h.mu.Lock()
		size, closed, grown := h.size(), h.closed, h.grown
		h.mu.Unlock()
		if at < size {
			break
		}
		if closed {
			return nil, errOver
		}
		select {
		case <-grown:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	for ; ; most *= 2 {
		lines, err := h.some(at, most)
		if err != nil {
			return nil, err
		}
		if end := bytes.LastIndexByte(lines, '\n'); end >= 0 {
			return lines[:end+1], nil
		}
	}
}

// some returns up to most bytes from a position.
func (h *history) some(at int64, most int) ([]byte, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	b := make([]byte, min(int64(most), h.size()-at))
	n := 0
	if at < h.filed {
		var err error
		if n, err = h.file.ReadAt(b[:min(int64(len(b)), h.filed-at)], at); err != nil {
			return nil, err
		}
	}
	if n < len(b) {
		copy(b[n:], h.rest[at+int64(n)-h.filed:])
	}
	return b, nil
}
