// Package host keeps a session running in a process of its own, which survives its terminal,
// and shows it to viewers.
//
// A [Host] owns one session. A viewer connects over a Unix socket and reads the session's log,
// from its own position and at its own pace, so that a slow viewer does not hold up others. In the other
// direction, a viewer's acts are numbered calls: each happens once, even if the viewer repeats it
// after a lost connection.
//
// The wire is JSON-RPC, over the connection of package acpclient.
package host

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"parley/config"
	"parley/internal/app"
	"parley/internal/compare"
	"parley/internal/conversation"
	"parley/internal/git"
	"parley/internal/record"
	"parley/internal/store"
)

// Options describe the session to keep.
type Options struct {
	// ID identifies the session among the running ones: see [NewID].
	ID string
	// Session is not started yet. Agent is its agent.
	Session app.Local
	Agent   config.Agent
	// Earlier is sent with the first prompt, see [app.Branched]; it may be "".
	Earlier string
	// Dir is the directory of the hosts' records.
	Dir string
	// Idle is how long the host keeps running without viewers and activity; 0 means forever.
	Idle time.Duration
	// Version is the version of this parley.
	Version string
	// Notify is a command to run when something happens that the user would want to know and
	// no viewer is attached; nil for none.
	Notify []string
	// Secrets removes secrets from what that command is told; it may be nil.
	Secrets *record.Redactor
	// Log gets technical messages; nil discards them.
	Log *slog.Logger
}

// Host owns a session and shows it to viewers.
type Host struct {
	opt      Options
	session  app.Local
	log      *store.Recorder
	ctx      context.Context // ends when the host must end
	end      context.CancelCauseFunc
	over     chan struct{} // closed when the session has ended
	work     sync.WaitGroup
	alerts   chan struct{} // has an element for each running command of notify
	mute     atomic.Bool   // the last one failed, and the user was told
	own      sync.Map      // their process ids: they are the user's, and may be viewers
	refusals refusals      // counts the refused connections
	stored   store.ID      // the session's id when events were last taken

	mu       sync.Mutex
	viewers  map[*viewer]struct{}
	editors  []*viewer        // those that can be asked for files, in the order in which they attached
	acted    map[string]*acts // by the id of the viewer, which survives lost connections
	quiet    time.Time        // since when there have been no viewers and no activity
	left     bool             // the last viewer has detached, not just lost its connection
	seen     int64            // the end of the log when the last user detached
	revision int64            // of the status, from 1; revised is closed when it changes, nil while no one waits
	revised  chan struct{}
}

// errEnded is the reason when a user has ended the session.
var errEnded = errors.New("the session was ended")

// New returns a host for a session that has a log.
func New(opt Options) *Host {
	if opt.Log == nil {
		opt.Log = slog.New(slog.DiscardHandler)
	}
	if opt.Secrets == nil {
		opt.Secrets = record.NewRedactor(nil)
	}
	h := &Host{
		opt: opt, session: opt.Session, log: opt.Session.Log(), stored: opt.Session.StoredID(),
		viewers: map[*viewer]struct{}{}, acted: map[string]*acts{}, quiet: time.Now(), revision: 1,
		over: make(chan struct{}), alerts: make(chan struct{}, mostAlerts),
	}
	h.ctx, h.end = context.WithCancelCause(context.Background())
	return h
}

// pace is the minimum time between two batches of streamed events.
const pace = 20 * time.Millisecond

// endTime is how long the agent may take to exit by itself.
const endTime = app.StopTime

// Run serves the viewers that a listener admits, see [Host.Listen], until a user ends the
// session, ctx ends, or an idle session without viewers has nothing left to do. It closes the
// listener and ends the session.
func (h *Host) Run(ctx context.Context, l net.Listener) {
	stop := context.AfterFunc(ctx, func() { h.end(context.Cause(ctx)) })
	defer stop()
	defer h.log.Follow()()
	pruneRecords(h.opt.Dir)
	h.record(Record{Status: h.status()})
	h.work.Go(func() { h.accept(l) })
	h.work.Go(h.watchJournal)
	h.session.Stream().Pace(pace)
	idle := time.NewTicker(idleCheck)
	defer idle.Stop()
	for h.ctx.Err() == nil {
		select {
		case <-h.session.Stream().Ready():
			h.take()
			h.endIfIdle()
		case <-idle.C:
			h.endIfIdle()
		case <-h.ctx.Done():
		}
	}
	_ = l.Close() // before the session ends, to admit no new viewers
	unfinished := h.unfinished()
	if unfinished {
		h.log.Leave()
	}
	closing, cancel := context.WithTimeout(context.Background(), endTime)
	defer cancel()
	h.session.Close(closing)
	h.take()
	h.log.Close() // a session that has not ended in time has left it open
	h.record(Record{Status: h.status(), Ended: time.Now(), Why: context.Cause(h.ctx).Error(), Unfinished: unfinished})
	close(h.over) // let the viewers read the rest
	h.work.Wait()
}

// take takes new events, which have gone to the log, and notifies the user if no viewer is
// attached.
func (h *Host) take() {
	batch := h.session.Stream().Take()
	if len(batch) == 0 {
		return
	}
	h.mu.Lock()
	h.quiet = time.Now()
	h.revise()
	h.mu.Unlock()
	h.attention(batch)
	if id := h.session.StoredID(); id != h.stored {
		h.stored = id
		h.record(Record{Status: h.status()})
		h.announce()
	}
}

const (
	idleCheck = time.Minute
	// unwatched is how long a host without an agent, or in which nothing was said, waits for
	// its first viewer, or for one that has lost its connection.
	unwatched = time.Minute
)

// endIfIdle ends the host if it has no viewers and nothing left to do.
func (h *Host) endIfIdle() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.viewers) > 0 {
		return
	}
	alone := time.Since(h.quiet)
	var gone, busy, said bool
	h.session.Read(func(s *conversation.State) {
		gone = s.Phase == conversation.PhaseLost || s.Phase == conversation.PhaseFailed || s.Agent.Since.IsZero()
		busy = s.Turn.Running || len(s.Queue) > 0 || s.Waiting() > 0
		said = s.Said
	})
	switch {
	case gone && (h.left || alone > unwatched):
		h.end(errors.New("the agent has ended"))
	case !said && !busy && (h.left || alone > unwatched):
		h.end(errors.New("nothing was said in it"))
	case h.opt.Idle > 0 && !busy && alone > h.opt.Idle:
		h.end(fmt.Errorf("nothing has happened for %v", h.opt.Idle))
	}
}

// unfinished reports whether the session ends with something left to do that its user has not seen, or with
// prompts in its queue. One that a user ends, or that goes on in another host, is finished.
func (h *Host) unfinished() (left bool) {
	if why := context.Cause(h.ctx); errors.Is(why, errEnded) || errors.As(why, new(*app.MovedError)) {
		return false
	}
	h.mu.Lock()
	seen := h.watched() || h.seen == h.log.End()
	h.mu.Unlock()
	h.session.Read(func(s *conversation.State) {
		stands, _ := s.Standing()
		left = len(s.Queue) > 0 || s.Turn.Running || !seen && (stands == conversation.StandingAsks || s.Ending.How == conversation.EndedBadly)
	})
	return left
}

// watched reports whether a user looks on. Passing viewers do not count. h.mu must be held.
func (h *Host) watched() bool {
	for v := range h.viewers {
		if !v.passing {
			return true
		}
	}
	return false
}

// Status describes a running session, for lists.
type Status = app.Running

func (h *Host) status() Status {
	cwd := h.session.About().Cwd
	branch, tree := git.Branch(cwd), git.WorktreeOf(cwd)
	st := Status{ID: h.opt.ID, PID: os.Getpid(), Stored: h.session.StoredID(), Cwd: cwd, Branch: branch, Worktree: tree != nil}
	if tree != nil {
		note, _ := compare.NoteOf(tree)
		st.Comparison, st.Prompt = note.Comparison, note.Prompt
	}
	journal := h.session.Journal()
	h.session.Read(func(s *conversation.State) { st.Overview, st.Session = app.OverviewOf(s, journal), s.ID })
	h.mu.Lock()
	defer h.mu.Unlock()
	st.Active, st.Agent = h.quiet, cmp.Or(st.Agent, h.opt.Agent.Name)
	for v := range h.viewers {
		st.Viewers = append(st.Viewers, v.name)
	}
	slices.Sort(st.Viewers)
	return st
}

func (h *Host) accept(l net.Listener) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		h.work.Go(func() { h.serve(c) })
	}
}

// watchJournal tells the viewers when the journal changes.
func (h *Host) watchJournal() {
	for j := h.session.Journal(); j != nil && h.ctx.Err() == nil; j = h.session.Journal() {
		select {
		case <-j.Changed:
			h.announce()
		case <-h.ctx.Done():
		}
	}
}

// announce tells all viewers what has changed besides the events.
func (h *Host) announce() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for v := range h.viewers {
		v.wake()
	}
	h.revise()
}

// changed returns what viewers know of a session besides its events.
func (h *Host) changed() *changed {
	return &changed{Stored: h.session.StoredID(), Journal: h.session.Journal()}
}
