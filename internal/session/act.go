package session

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"parley/acpclient"
	"parley/internal/conversation"
)

// Acts
//
// An act is what a front end does to a session: a value of a type of its own, as an event
// is. The type has what the act needs, in its fields; Do does it; and its row among the kinds
// below says how. [Do] takes any act, for a session in this process and for one in a host. A
// new act is one type and its row:
//
//	// Wink has the agent wink so many times, and reports whether it did.
//	type Wink struct{ Times int }
//
//	func (a Wink) Do(_ context.Context, s *Session) (bool, error) { … }
//
//	NewKind[Wink](Answers),
//
// The fields are encoded by package json, and so is the result.

// Act is something that a front end does to a session. R is its result.
type Act[R any] interface {
	// Do does it to a session in this process.
	Do(ctx context.Context, s *Session) (R, error)
}

// AnyAct is an act with any result, for a type switch.
type AnyAct any

// None is the result of an act that has none.
type None struct{}

// Manner says how acts of a kind are done. All but those that ask happen in the order in
// which they are made, and once.
type Manner int

const (
	// Posts are done at once. No caller waits for them.
	Posts Manner = iota + 1
	// Answers are done at once. The front end stands still until it has the result, so it
	// does not wait long.
	Answers
	// Lasts take their time. A caller that wants the result waits until the end of a context.
	Lasts
	// Asks change nothing and take their time. Only these are for viewers that look on.
	Asks
	// AsksNow is Asks while the front end stands still, so it does not wait long.
	AsksNow
)

// Asks reports whether an act changes nothing.
func (m Manner) Asks() bool { return m == Asks || m == AsksNow }

// InOrder reports whether the next act waits until this one is done.
func (m Manner) InOrder() bool { return m == Posts || m == Answers }

// Brief reports whether the front end stands still until it has the result.
func (m Manner) Brief() bool { return m == Answers || m == AsksNow }

// Kind is what all acts of a type have in common.
type Kind struct {
	// Name is that of the type, and names it between processes.
	Name string
	Manner
	// Told is what other viewers of the session are told when one has done it, with its name
	// behind; "" is nothing.
	Told   string
	decode func(json.RawMessage) (Call, error)
	// lock has Do called with Session.mu held, and journal only with a journal.
	lock, journal bool
}

// Telling has other viewers told by these words, with the name of the viewer behind.
func (k *Kind) Telling(words string) *Kind {
	k.Told = words
	return k
}

func (k *Kind) locked() *Kind {
	k.lock = true
	return k
}

func (k *Kind) journalled() *Kind {
	k.journal = true
	return k
}

var kinds = map[reflect.Type]*Kind{}

// NewKind makes the kind of a type of acts, named after the type.
func NewKind[A Act[R], R any](m Manner) *Kind {
	of := reflect.TypeFor[A]()
	k := &Kind{Name: of.Name(), Manner: m, decode: func(raw json.RawMessage) (Call, error) {
		d := json.NewDecoder(bytes.NewReader(raw))
		d.DisallowUnknownFields()
		var act A
		err := d.Decode(&act)
		return &doing[R]{act: act, awaited: true}, err
	}}
	if kinds[of] != nil || KindNamed(k.Name) != nil {
		panic("there are two acts " + k.Name)
	}
	kinds[of] = k
	return k
}

// The acts on the journal are named after the methods of [journal.Journal] that do them.
var _ = []*Kind{
	NewKind[Authenticate](Posts).locked(),
	NewKind[DismissAuth](Posts).locked(),
	NewKind[TerminalAuth](Answers).locked(),
	NewKind[Logout](Lasts),
	NewKind[SetBudget](Posts).locked(),
	NewKind[ShareBudget](Posts).locked(),
	NewKind[ExceedBudget](Posts).locked(),
	NewKind[CancelOperation](Lasts),
	NewKind[StopTask](Lasts),
	NewKind[AwaitChanges](Asks).journalled(),
	NewKind[ChangedFiles](AsksNow).journalled(),
	NewKind[CompareFile](Asks).journalled(),
	NewKind[CountChanges](Asks).journalled(),
	NewKind[PlanRewind](Asks).journalled(),
	NewKind[RevertFile](Lasts).journalled(),
	NewKind[RevertHunk](Lasts).journalled(),
	NewKind[UndoTurn](Lasts).journalled(),
	NewKind[Redo](Lasts).journalled(),
	NewKind[Rewind](Lasts).journalled(),
	NewKind[Merge](Lasts).journalled(),
	NewKind[Unmerge](Lasts).journalled(),
	NewKind[KeepHunk](Posts).journalled(),
	NewKind[KeepFile](Posts).journalled(),
	NewKind[OpenFile](Posts).journalled(),
	NewKind[ReadRing](Asks),
	NewKind[Start](Posts).locked(),
	NewKind[Reconnect](Posts).locked(),
	NewKind[Kill](Posts).locked(),
	NewKind[WaitForLimit](Posts).locked(),
	NewKind[StopWaiting](Posts).locked(),
	NewKind[StartShell](Answers),
	NewKind[TypeInto](Posts),
	NewKind[ResizeTerminal](Posts),
	NewKind[EndTerminal](Lasts),
	NewKind[OpenSession](Answers).locked(),
	NewKind[OpenAnew](Answers).locked(),
	NewKind[Fork](Answers).locked(),
	NewKind[Answer](Answers).locked().Telling("Answered on"),
	NewKind[Prompt](Posts).locked(),
	NewKind[SendNow](Answers).locked(),
	NewKind[MoveQueued](Posts).locked(),
	NewKind[Unqueue](Answers).locked(),
	NewKind[EmptyQueue](Answers).locked(),
	NewKind[ResumeQueue](Posts).locked(),
	NewKind[Stderr](AsksNow).locked(),
	NewKind[AddNotice](Posts).locked(),
	NewKind[ListSessions](Asks),
	NewKind[DeleteSession](Lasts),
	NewKind[SetOption](Posts).locked(),
	NewKind[Steer](Lasts),
	NewKind[Cancel](Answers).locked(),
	NewKind[SkipAhead](Posts).locked(),
}

// KindOf returns the kind of an act.
func KindOf(act AnyAct) *Kind { return kinds[reflect.TypeOf(act)] }

// Kinds returns the kinds of all acts, by name.
func Kinds() []*Kind {
	return slices.SortedFunc(maps.Values(kinds), func(a, b *Kind) int { return cmp.Compare(a.Name, b.Name) })
}

// KindNamed returns the kind of a name, nil if there is none.
func KindNamed(name string) *Kind {
	for _, k := range kinds {
		if k.Name == name {
			return k
		}
	}
	return nil
}

// Call is an act that is being done, with room for its result. One goroutine uses it at a
// time.
type Call interface {
	Kind() *Kind
	Act() AnyAct
	// Awaited reports whether somebody waits for the result.
	Awaited() bool
	// Do does the act to a session in this process, and keeps the result.
	Do(ctx context.Context, s *Session) error
	// Result is the result so far, and SetResult takes one that was encoded.
	Result() any
	SetResult(json.RawMessage) error
}

// Doer is what acts are done to: a [Session], or one in a host.
type Doer interface {
	// Perform does an act. On success the call has its result.
	Perform(context.Context, Call) error
	// Begin is Perform for who must not stand still. If wait is nil, the act is done. Otherwise
	// it is made, after those before it, and wait waits for its result.
	Begin(Call) (wait func(context.Context) error, err error)
}

// Do does an act and returns its result. ctx bounds only the waiting: what was begun
// happens.
func Do[R any](ctx context.Context, on Doer, a Act[R]) (R, error) {
	c := &doing[R]{act: a, awaited: KindOf(a).Manner != Posts}
	err := on.Perform(ctx, c)
	return c.result, err
}

// Try is [Do] for an act without a result.
func Try(ctx context.Context, on Doer, a Act[None]) error {
	_, err := Do(ctx, on, a)
	return err
}

// Begin begins an act and does not wait for a host. result returns the result; it waits unless
// done is true.
func Begin[R any](on Doer, a Act[R]) (result func(context.Context) (R, error), done bool) {
	c := &doing[R]{act: a, awaited: true}
	wait, err := on.Begin(c)
	return func(ctx context.Context) (R, error) {
		if wait != nil {
			err = wait(ctx)
		}
		return c.result, err
	}, wait == nil
}

// PromptOf returns the prompt that an act sends, if it sends one that is not queued.
func PromptOf(act AnyAct) (p conversation.QueuedPrompt, sends bool) {
	switch a := act.(type) {
	case Prompt:
		return a.Prompt, true
	case SendNow:
		return a.Prompt, a.Prompt.ID == 0
	case Steer:
		return a.Prompt, a.Prompt.ID == 0
	case Answer:
		if a.Instead != nil {
			return *a.Instead, true
		}
	}
	return p, false
}

// Post does an act whose result is of no use, and does not wait for it. A host that refuses
// it has the user told.
func Post[R any](on Doer, a Act[R]) { _ = on.Perform(context.Background(), &doing[R]{act: a}) }

// Unconfirmed is an act of which its session has not said that it is done.
type Unconfirmed struct {
	Act AnyAct
	Progress
	// Err is why the act was refused.
	Err error
}

// Progress says how far an unconfirmed act has come.
type Progress int

const (
	// Made means that there is no connection to the session: the act is sent, or sent again,
	// once there is one.
	Made Progress = iota + 1
	// Sent means that the session has not answered yet.
	Sent
	// Refused means that the act does not happen, and no caller waits for its result.
	Refused
	// Left means that somebody made the act who has left since. It happens no more unless it is
	// made again. Err is not nil if it may have happened before.
	Left
)

// Perform implements [Doer].
func (s *Session) Perform(ctx context.Context, c Call) error { return c.Do(ctx, s) }

// Begin implements [Doer].
func (s *Session) Begin(c Call) (wait func(context.Context) error, err error) {
	if k := c.Kind(); !k.InOrder() && !k.Brief() {
		return func(ctx context.Context) error { return c.Do(ctx, s) }, nil
	}
	return nil, c.Do(context.Background(), s)
}

type doing[R any] struct {
	act     Act[R]
	awaited bool
	result  R
}

func (c *doing[R]) Kind() *Kind   { return KindOf(c.act) }
func (c *doing[R]) Act() AnyAct   { return c.act }
func (c *doing[R]) Awaited() bool { return c.awaited }
func (c *doing[R]) Result() any   { return c.result }

func (c *doing[R]) Do(ctx context.Context, s *Session) (err error) {
	switch k := c.Kind(); {
	case k.journal && s.opt.Journal == nil:
		return errUnrecorded
	case k.lock:
		s.mu.Lock()
		defer s.unlock()
	}
	c.result, err = c.act.Do(ctx, s)
	return err
}

func (c *doing[R]) SetResult(raw json.RawMessage) error {
	if err := json.Unmarshal(raw, &c.result); err != nil {
		return fmt.Errorf("the result of %s: %w", c.Kind().Name, err)
	}
	return nil
}

// Encode encodes an act, or the result of one. JSON in it stays as it is.
func Encode(v any) (json.RawMessage, error) { return acpclient.Marshal(v) }

// Decode makes the call of an act of this kind that was encoded. It fails if the act has
// more than this parley knows of.
func (k *Kind) Decode(raw json.RawMessage) (Call, error) {
	c, err := k.decode(raw)
	if err != nil {
		return nil, fmt.Errorf("the act %s: %w", k.Name, err)
	}
	return c, nil
}
