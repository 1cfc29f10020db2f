package app

import (
	"context"
	"errors"
	"time"

	"parley/internal/conversation"
	"parley/internal/journal"
	"parley/internal/record"
	"parley/internal/rules"
	"parley/internal/session"
	"parley/internal/store"
)

// Session is a session as a front end holds it: its stream delivers events, and it takes acts.
// It runs in this process ([Here]) or in a host, and behaves the same. It is safe for
// concurrent use.
type Session interface {
	// Stream returns the events, for one consumer.
	Stream() *session.Stream
	// Doer does acts.
	session.Doer

	// Close leaves the session, which ends in this process and continues in a host. End ends
	// it, wherever it runs.
	Close(context.Context)
	End(context.Context) error
	Disconnected() bool

	// Unconfirmed returns the acts made here that the session has not confirmed, or that were
	// refused, in order. Withdraw forgets and returns those that will not happen by themselves
	// any more.
	Unconfirmed() []session.Unconfirmed
	Withdraw() []session.Unconfirmed
	// Unsent are the prompts among them, to be queued when the session is opened next; nil if there are none.
	Unsent() *store.Unsent
	// Link says whether the session can be reached. A change makes the stream ready.
	Link() Link

	// Past returns what had happened before the session was attached to; nil if it is new.
	// Later events come from the stream.
	Past() *conversation.Conversation
	// About returns what never changes during the session.
	About() About
	// StoredID returns the id under which the session is currently stored, or "".
	StoredID() store.ID
	// Journal returns the changes on the session's machine; nil if they are not recorded.
	Journal() *journal.Summary
	// Ring returns the latest messages between parley and the agent; nil if none are kept.
	Ring() *record.Ring
}

// Link is the state of a front end's connection to its session.
type Link int

const (
	// LinkUp means that the session answers.
	LinkUp Link = iota
	// LinkSilent means that the session does not answer, and LinkCut that there is no
	// connection.
	LinkSilent
	LinkCut
)

// Text says what is wrong and what happens next.
func (l Link) Text() string {
	switch l {
	case LinkSilent:
		return "the session does not answer: its process is stopped or busy, or the link is cut"
	case LinkCut:
		return "the link to the session is cut: parley attaches again, the agent works on"
	}
	return "the session answers again"
}

// ErrGone means that the session's host has exited.
var ErrGone = errors.New("the process that kept the session has ended")

// MovedError means that a session goes on in another process: it was rewound. To names it as
// 'parley attach' takes it.
type MovedError struct{ To string }

func (e *MovedError) Error() string { return "the session was rewound and goes on as " + e.To }

// Unwrap implements the interface of package errors.
func (e *MovedError) Unwrap() error { return ErrGone }

// followTime is how long [Follow] waits for the process in which a session goes on.
const followTime = 30 * time.Second

// Follow attaches to the session that another one has become, as soon as it is there. It takes its
// time.
func (b Backend) Follow(ctx context.Context, s Spec) (*Opened, error) {
	ctx, cancel := context.WithTimeout(ctx, followTime)
	defer cancel()
	for {
		o, err := b.Make(ctx, s)
		if !errors.Is(err, ErrGone) {
			return o, err
		}
		select {
		case <-time.After(followPause):
		case <-ctx.Done():
			return nil, err
		}
	}
}

// followPause is the pause between two tries of Follow.
const followPause = 200 * time.Millisecond

// About describes a session.
type About struct {
	// Cwd and Dirs are its directories, absolute.
	Cwd  string
	Dirs []string
	// Command starts the agent, for display, and Bounds names what confines it, or is "".
	// Connects means that the agent listens somewhere and is not started.
	Command  string
	Bounds   string
	Connects bool
	// Reopened means that the session began as a stored one, Forked that it began as a copy of
	// another.
	Reopened, Forked bool
	// Stored means that events are stored, and Ruled that rules decide questions.
	Stored, Ruled bool
	// Host names the process that keeps the session running, as 'parley attach' takes it; ""
	// if it is this one. Far means that it is on another machine, LookOn that this front end
	// is attached read-only.
	Host   string
	Far    bool
	LookOn bool
}

// Local is a session that runs in this process.
type Local interface {
	Session
	// Log has the session's events; it is nil if they are not kept.
	Log() *store.Recorder
	// Read calls f with the session's state, which f must not keep or change.
	Read(f func(*conversation.State))
}

// Here makes a session in this process, as [session.NewSession] does.
func Here(opt session.Options) (Session, error) {
	s, err := session.NewSession(opt)
	if err != nil {
		return nil, err
	}
	return here{s, func() {}}, nil
}

var _ Local = here{}

type here struct {
	*session.Session
	leave func() // leaves its workplace
}

// Close implements [Session].
func (h here) Close(ctx context.Context) {
	h.Session.Close(ctx)
	h.leave()
}

func (h here) About() About {
	o, log := h.Options(), storedBy(h.Options().Recorder)
	_, ruled := o.Judge.(*rules.Set)
	return About{
		Cwd: o.Cwd, Dirs: o.AdditionalDirectories, Command: o.Command.String(), Bounds: o.Bounds, Connects: o.Remote != nil && o.Remote.Listens,
		Reopened: o.HasTranscript, Forked: o.Fork != nil, Stored: log != nil && log.Stores(), Ruled: ruled,
	}
}

// Acts in this process are confirmed at once.
func (here) Unconfirmed() []session.Unconfirmed { return nil }
func (here) Withdraw() []session.Unconfirmed    { return nil }
func (here) Unsent() *store.Unsent              { return nil }
func (here) Link() Link                         { return LinkUp }
func (here) Past() *conversation.Conversation   { return nil }

// End implements [Session].
func (h here) End(ctx context.Context) error {
	h.Close(ctx)
	return nil
}

func (h here) StoredID() store.ID {
	if k := storedBy(h.Options().Recorder); k != nil {
		return k.ID()
	}
	return ""
}

func (h here) Log() *store.Recorder {
	log, _ := storedBy(h.Options().Recorder).(*store.Recorder)
	return log
}

func (h here) Journal() *journal.Summary {
	if j := h.Options().Journal; j != nil {
		return j.Summary()
	}
	return nil
}

func (h here) Ring() *record.Ring { return h.Options().Ring }
