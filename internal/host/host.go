// Package host keeps a session running in a process of its own, which survives its terminal,
// and shows it to viewers.
//
// A [Host] owns one session. It adds every event to its history as a line, encoded by package
// conversation. A viewer connects over a Unix socket and reads the history, from its own
// position and at its own pace, so that a slow viewer holds up nobody. In the other direction,
// a viewer's acts are numbered calls: each happens once, even if the viewer repeats it after a
// lost connection.
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
	"parley/internal/conversation"
	"parley/internal/git"
	"parley/internal/record"
	"parley/internal/store"
)

// Options describe the session to keep.
type Options struct {
	// ID identifies the session among the running ones: see [NewID].
	ID string
	// Session is not started yet. Agent is its agent, and Before are the past events of the
	// stored session that it continues.
	Session app.Session
	Agent   config.Agent
	Before  []conversation.Event
	// Earlier is sent with the first prompt, see [app.Branched]; it may be "".
	Earlier string
	// Dir has the history while the host runs. MostHistory limits its size in bytes; 0 means
	// the constant of that name.
	Dir         string
	MostHistory int64
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
	unreadable atomic.Pointer[error] // why the history cannot be read, nil if it can
	opt        Options
	session    app.Session
	history    *history
	ctx        context.Context // ends when the host must end
	end        context.CancelCauseFunc
	over       chan struct{} // closed when the session has ended
	work       sync.WaitGroup
	alerts     chan struct{} // has an element for each running command of notify
	mute       atomic.Bool   // the last one failed, and the user was told
	own        sync.Map      // their process ids: they are the user's, and may be viewers

	mu    sync.Mutex
	state *conversation.State // the fold of the history
	// carried is how many bytes open questions bring along, see recorded, and carrying their sum.
	carried  map[int]int64
	carrying int64
	title    string // from the first prompt, until the session has a title
	stored   store.ID
	viewers  map[*viewer]struct{}
	acted    map[string]*acts // by the id of the viewer, which survives lost connections
	quiet    time.Time        // since when there have been no viewers and no activity
	left     bool             // the last viewer has detached, not just lost its connection
	revision int64            // of the status, from 1; revised is closed when it changes, nil while nobody waits
	revised  chan struct{}
}

// errEnded is the reason when a user has ended the session.
var errEnded = errors.New("the session was ended")

// New returns a host for a session.
func New(opt Options) (*Host, error) {
	if opt.Log == nil {
		opt.Log = slog.New(slog.DiscardHandler)
	}
	if opt.Secrets == nil {
		opt.Secrets = record.NewRedactor(nil)
	}
	h := &Host{
		opt: opt, session: opt.Session, state: conversation.NewState(), carried: map[int]int64{}, stored: opt.Session.StoredID(),
		viewers: map[*viewer]struct{}{}, acted: map[string]*acts{}, quiet: time.Now(), revision: 1,
		over: make(chan struct{}), alerts: make(chan struct{}, mostAlerts),
	}
	var err error
	if h.history, err = newHistory(opt.Dir, opt.ID, opt.MostHistory, h.open); err != nil {
		return nil, fmt.Errorf("keep the history of the session: %w", err)
	}
	h.ctx, h.end = context.WithCancelCause(context.Background())
	h.add(opt.Before)
	return h, nil
}

// pace is the minimum time between two batches of streamed events.
const pace = 20 * time.Millisecond

// endTime is how long the agent may take to exit by itself.
const endTime = app.StopTime

// Run serves the viewers that a listener admits, see [Host.Listen], until a user ends the
// session, ctx ends, or an idle session without viewers has nothing left to do. It closes the
// listener and ends the session.
func (h *Host) Run(ctx context.Context, l net.Listener) error {
	stop := context.AfterFunc(ctx, func() { h.end(context.Cause(ctx)) })
	defer stop()
	pruneRecords(h.opt.Dir)
	_, _ = historyBytes(h.opt.Dir) // removes those of hosts that were killed
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
	closing, cancel := context.WithTimeout(context.Background(), endTime)
	defer cancel()
	h.session.Close(closing)
	h.take()
	h.history.close()
	h.record(Record{Status: h.status(), Ended: time.Now(), Why: context.Cause(h.ctx).Error()})
	close(h.over) // let the viewers read the rest
	h.work.Wait()
	return h.history.discard()
}

// take adds new events to the history, and notifies the user if no viewer is attached.
func (h *Host) take() {
	batch := h.session.Stream().Take()
	if len(batch) == 0 {
		return
	}
	id := h.session.StoredID()
	moved := id != h.stored
	h.mu.Lock()
	h.stored = id // before a viewer learns what was stored
	h.mu.Unlock()
	h.add(batch)
	h.attention(batch)
	if moved {
		h.record(Record{Status: h.status()})
		h.announce()
	}
	h.mu.Lock()
	h.quiet = time.Now()
	h.mu.Unlock()
}

// add appends events to the history.
func (h *Host) add(batch []conversation.Event) {
	if len(batch) == 0 {
		return
	}
	recorded := make([]conversation.Event, len(batch))
	h.mu.Lock()
	for i, e := range batch {
		if p, ok := e.(conversation.PromptSent); ok && h.title == "" {
			h.title = app.PromptLine(conversation.QueuedPrompt{Prompt: p.Prompt})
		}
		h.state.Apply(e)
		recorded[i] = h.recorded(e)
	}
	h.revise()
	h.mu.Unlock()
	if err := h.history.add(recorded); err != nil {
		h.opt.Log.Warn("the history is not whole, or not on the disk", "error", err)
	}
}

// recorded returns an event that was just applied as the history keeps it. The calls that open
// questions bring along take a part of it at most: many questions can be about one large call.
// Beyond that, a viewer that attaches late may see less of a call, and cannot allow it.
func (h *Host) recorded(e conversation.Event) conversation.Event {
	recorded := h.state.Recorded(e)
	switch e := e.(type) {
	case conversation.PermissionOpened:
		size := int64(conversation.SizeOf(recorded) - conversation.SizeOf(e))
		if h.carrying+size > h.history.most/8 {
			return e
		}
		h.carried[e.ID] = size
		h.carrying += size
	case conversation.PermissionClosed:
		h.carrying -= h.carried[e.ID]
		delete(h.carried, e.ID)
	}
	return recorded
}

// open returns the keys of what open questions need.
func (h *Host) open() (keys openKeys) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, p := range slices.Concat(h.state.Permissions, h.state.Judging) {
		keys.questions = append(keys.questions, conversation.QuestionKey(p.ID))
		keys.calls = append(keys.calls, string(p.ToolCall.ID), string(p.ToolCall.Parent))
	}
	for _, q := range h.state.Elicitations {
		keys.questions = append(keys.questions, conversation.QuestionKey(q.ID))
	}
	return keys
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
	s := h.state
	gone := s.Phase == conversation.PhaseLost || s.Phase == conversation.PhaseFailed || s.Agent.Since.IsZero()
	busy := s.Turn.Running || len(s.Queue) > 0 || len(s.Permissions)+len(s.Elicitations) > 0
	switch {
	case gone && (h.left || alone > unwatched):
		h.end(errors.New("the agent has ended"))
	case !s.Said && !busy && (h.left || alone > unwatched):
		h.end(errors.New("nothing was said in it"))
	case h.opt.Idle > 0 && !busy && alone > h.opt.Idle:
		h.end(fmt.Errorf("nothing has happened for %v", h.opt.Idle))
	}
}

// Status describes a running session, for lists.
type Status = app.Running

func (h *Host) status() Status {
	cwd := h.session.About().Cwd
	branch, tree := git.Branch(cwd), git.WorktreeAt(cwd)
	h.mu.Lock()
	defer h.mu.Unlock()
	st := Status{
		Overview: app.OverviewOf(h.state, h.session.Journal()), ID: h.opt.ID, PID: os.Getpid(), Stored: h.stored, Session: h.state.ID,
		Cwd: cwd, Branch: branch, Worktree: tree != nil, Active: h.quiet,
	}
	st.Title, st.Agent = cmp.Or(st.Title, h.title), h.opt.Agent.Name
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
