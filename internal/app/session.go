package app

import (
	"context"
	"errors"
	"time"

	"parley/internal/conversation"
	"parley/internal/journal"
	"parley/internal/record"
	"parley/internal/session"
	"parley/internal/store"
)

// Session is a session as a front end holds it: events come out of its stream, and acts go
// in. It runs in this process ([Here]) or in a host, and does the same in both. It is safe for concurrent use.
type Session interface {
	// Stream has the events, for one consumer.
	Stream() *session.Stream
	// Doer takes acts.
	session.Doer

	// Close leaves the session: in this process it ends, in a host it goes on. End ends it,
	// wherever it runs.
	Close(context.Context)
	End(context.Context) error
	Disconnected() bool

	// Unconfirmed returns the acts that were made here, or refused, and of which the session
	// has not said that they are done, in their order. Withdraw forgets those that do not
	// happen by themselves any more, and returns them.
	Unconfirmed() []session.Unconfirmed
	Withdraw() []session.Unconfirmed
	// Link says whether the session can be reached. The stream is ready when that changes.
	Link() Link

	// Past is what had happened when the session was attached to; nil if it is new. What
	// happens since comes out of the stream.
	Past() *conversation.Conversation
	// About returns what stays the same as long as the session lives.
	About() About
	// StoredID is the id under which the session is stored now, "" if it is not.
	StoredID() store.ID
	// Journal tells what was changed on the machine of the session; nil if nothing is
	// recorded.
	Journal() *journal.Summary
	// Ring has the latest messages between parley and the agent; nil if none are kept.
	Ring() *record.Ring
}

// Link says how a front end reaches its session.
type Link int

const (
	// LinkUp means that the session answers.
	LinkUp Link = iota
	// LinkSilent means that it does not, and LinkCut that there is no connection.
	LinkSilent
	LinkCut
)

// Text says what is wrong and what goes on.
func (l Link) Text() string {
	switch l {
	case LinkSilent:
		return "the session does not answer: its process is stopped or busy, or the link is cut"
	case LinkCut:
		return "the link to the session is cut: parley attaches again, the agent works on"
	}
	return "the session answers again"
}

// ErrGone means that the process has ended in which the session ran.
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
func (b Backend) Follow(ctx context.Context, o Open) (*Reopened, error) {
	ctx, cancel := context.WithTimeout(ctx, followTime)
	defer cancel()
	for {
		r, err := b.Reopen(ctx, o)
		if !errors.Is(err, ErrGone) {
			return r, err
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
	// Command starts the agent, for display, and Bounds names what confines it, "" if
	// nothing does. Connects means that the agent listens somewhere and is not started.
	Command  string
	Bounds   string
	Connects bool
	// Reopened means that the session began as a stored one, Forked that it began as a
	// copy of another one.
	Reopened, Forked bool
	// Stored means that what happens is stored, and Ruled that rules decide questions.
	Stored, Ruled bool
	// Host names the process that keeps the session running, as 'parley attach' takes it; ""
	// if it runs in this one. Far means that it is on another machine, LookOn that this
	// front end takes no part in it.
	Host   string
	Far    bool
	LookOn bool
}

// Here makes a session in this process, as [session.NewSession] does.
func Here(opt session.Options) (Session, error) {
	s, err := session.NewSession(opt)
	if err != nil {
		return nil, err
	}
	return here{s, func() {}}, nil
}

type here struct {
	*session.Session
	leave func() // its workplace
}

// Close implements [Session].
func (h here) Close(ctx context.Context) {
	h.Session.Close(ctx)
	h.leave()
}

func (h here) About() About {
	o := h.Options()
	_, ruled := o.Judge.(*Rules)
	return About{
		Cwd: o.Cwd, Dirs: o.AdditionalDirectories, Command: o.Command.String(), Bounds: o.Bounds, Connects: h.Connects(),
		Reopened: o.HasTranscript, Forked: o.Fork != nil, Stored: o.Recorder != nil, Ruled: ruled,
	}
}

// Unconfirmed implements [Session]. An act in this process is done at once.
func (here) Unconfirmed() []session.Unconfirmed { return nil }

// Withdraw implements [Session].
func (here) Withdraw() []session.Unconfirmed { return nil }

// Link implements [Session].
func (here) Link() Link { return LinkUp }

// Past implements [Session].
func (here) Past() *conversation.Conversation { return nil }

// End implements [Session].
func (h here) End(ctx context.Context) error {
	h.Close(ctx)
	return nil
}

func (h here) StoredID() store.ID { return storedAs(h.Options().Recorder) }

func (h here) Journal() *journal.Summary {
	if j := h.Options().Journal; j != nil {
		return j.Summary()
	}
	return nil
}

func (h here) Ring() *record.Ring { return h.Options().Ring }
