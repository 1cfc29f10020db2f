package session

import (
	"context"
	"errors"

	"parley/internal/journal"
	"parley/internal/record"
)

// The acts on the journal of a session are named after the methods of [journal.Journal] that
// do them.

// errUnrecorded means that a session has no journal.
var errUnrecorded = errors.New("this session does not record changes")

// onJournal does something with the journal of a session.
func onJournal[R any](s *Session, do func(*journal.Journal) (R, error)) (R, error) {
	if s.opt.Journal == nil {
		var none R
		return none, errUnrecorded
	}
	return do(s.opt.Journal)
}

// AwaitChanges waits until the journal has all that has happened.
type AwaitChanges struct{}

var awaitChangesKind = KindOf[AwaitChanges]("AwaitChanges", Asks)

func (AwaitChanges) Kind() *Kind { return awaitChangesKind }

func (AwaitChanges) Do(ctx context.Context, s *Session) (None, error) {
	return onJournal(s, func(j *journal.Journal) (None, error) {
		return None{}, j.Wait(ctx)
	})
}

// ChangedFiles asks for the files that have changed since a turn; 0 is all of them.
type ChangedFiles struct{ Since int }

var changedFilesKind = KindOf[ChangedFiles]("ChangedFiles", AsksNow)

func (ChangedFiles) Kind() *Kind { return changedFilesKind }

func (a ChangedFiles) Do(_ context.Context, s *Session) ([]journal.File, error) {
	return onJournal(s, func(j *journal.Journal) ([]journal.File, error) {
		return j.Files(a.Since), nil
	})
}

// CompareFile asks for what has changed in a part of a file since a turn.
type CompareFile struct {
	Part  journal.Part
	Since int
}

var compareFileKind = KindOf[CompareFile]("CompareFile", Asks)

func (CompareFile) Kind() *Kind { return compareFileKind }

func (a CompareFile) Do(ctx context.Context, s *Session) (*journal.Comparison, error) {
	return onJournal(s, func(j *journal.Journal) (*journal.Comparison, error) {
		return j.Compare(ctx, a.Part, a.Since)
	})
}

// CountChanges asks how much has changed since each turn, by its number.
type CountChanges struct{}

var countChangesKind = KindOf[CountChanges]("CountChanges", Asks)

func (CountChanges) Kind() *Kind { return countChangesKind }

func (CountChanges) Do(ctx context.Context, s *Session) (map[int]journal.Tally, error) {
	return onJournal(s, func(j *journal.Journal) (map[int]journal.Tally, error) {
		return j.Since(ctx)
	})
}

// PlanRewind asks what a rewind of the files to before a turn would do.
type PlanRewind struct{ Turn int }

var planRewindKind = KindOf[PlanRewind]("PlanRewind", Asks)

func (PlanRewind) Kind() *Kind { return planRewindKind }

func (a PlanRewind) Do(ctx context.Context, s *Session) (*journal.RewindPlan, error) {
	return onJournal(s, func(j *journal.Journal) (*journal.RewindPlan, error) {
		return j.PlanRewind(ctx, a.Turn)
	})
}

// RevertFile undoes the changes in a part of a file since a turn.
type RevertFile struct {
	Part  journal.Part
	Since int
}

var revertFileKind = KindOf[RevertFile]("RevertFile", Lasts)

func (RevertFile) Kind() *Kind { return revertFileKind }

func (a RevertFile) Do(ctx context.Context, s *Session) (journal.Done, error) {
	return onJournal(s, func(j *journal.Journal) (journal.Done, error) {
		return j.RevertFile(ctx, a.Part, a.Since)
	})
}

// RevertHunk undoes one change of a comparison.
type RevertHunk struct {
	Comparison *journal.Comparison
	Hunk       int
}

var revertHunkKind = KindOf[RevertHunk]("RevertHunk", Lasts)

func (RevertHunk) Kind() *Kind { return revertHunkKind }

func (a RevertHunk) Do(ctx context.Context, s *Session) (journal.Done, error) {
	return onJournal(s, func(j *journal.Journal) (journal.Done, error) {
		return j.RevertHunk(ctx, a.Comparison, a.Hunk)
	})
}

// UndoTurn undoes the changes of the last turn.
type UndoTurn struct{}

var undoTurnKind = KindOf[UndoTurn]("UndoTurn", Lasts)

func (UndoTurn) Kind() *Kind { return undoTurnKind }

func (UndoTurn) Do(ctx context.Context, s *Session) (journal.Done, error) {
	return onJournal(s, func(j *journal.Journal) (journal.Done, error) {
		return j.UndoTurn(ctx)
	})
}

// Redo redoes what was undone last.
type Redo struct{}

var redoKind = KindOf[Redo]("Redo", Lasts)

func (Redo) Kind() *Kind { return redoKind }

func (Redo) Do(ctx context.Context, s *Session) (journal.Done, error) {
	return onJournal(s, func(j *journal.Journal) (journal.Done, error) {
		return j.Redo(ctx)
	})
}

// Rewind carries out a plan, with the files that it leaves alone and the user has chosen.
type Rewind struct {
	Plan   *journal.RewindPlan
	Chosen []journal.Part
}

var rewindKind = KindOf[Rewind]("Rewind", Lasts)

func (Rewind) Kind() *Kind { return rewindKind }

func (a Rewind) Do(ctx context.Context, s *Session) (journal.Done, error) {
	return onJournal(s, func(j *journal.Journal) (journal.Done, error) {
		return j.Rewind(ctx, a.Plan, a.Chosen...)
	})
}

// KeepHunk accepts one change of a comparison.
type KeepHunk struct {
	Comparison *journal.Comparison
	Hunk       int
}

var keepHunkKind = KindOf[KeepHunk]("KeepHunk", Posts)

func (KeepHunk) Kind() *Kind { return keepHunkKind }

func (a KeepHunk) Do(_ context.Context, s *Session) (None, error) {
	return onJournal(s, func(j *journal.Journal) (None, error) {
		j.KeepHunk(a.Comparison, a.Hunk)
		return None{}, nil
	})
}

// KeepFile accepts the changes in a part of a file.
type KeepFile struct{ Part journal.Part }

var keepFileKind = KindOf[KeepFile]("KeepFile", Posts)

func (KeepFile) Kind() *Kind { return keepFileKind }

func (a KeepFile) Do(_ context.Context, s *Session) (None, error) {
	return onJournal(s, func(j *journal.Journal) (None, error) {
		j.KeepFile(a.Part)
		return None{}, nil
	})
}

// OpenFile takes back [KeepFile].
type OpenFile struct{ Part journal.Part }

var openFileKind = KindOf[OpenFile]("OpenFile", Posts)

func (OpenFile) Kind() *Kind { return openFileKind }

func (a OpenFile) Do(_ context.Context, s *Session) (None, error) {
	return onJournal(s, func(j *journal.Journal) (None, error) {
		j.OpenFile(a.Part)
		return None{}, nil
	})
}

// ReadRing waits for messages between parley and the agent from a number on, and asks for
// some of them.
type ReadRing struct{ From uint64 }

// RingPart is the result of [ReadRing]. It goes on with the number Next.
type RingPart struct {
	Entries []record.Numbered
	Next    uint64
}

// ringAtOnce is how many messages are read at once.
const ringAtOnce = 200

var readRingKind = KindOf[ReadRing]("ReadRing", Asks)

func (ReadRing) Kind() *Kind { return readRingKind }

func (a ReadRing) Do(ctx context.Context, s *Session) (p RingPart, err error) {
	r := s.opt.Ring
	if r == nil {
		return p, errors.New("this session keeps no messages")
	}
	r.KeepMore()
	r.Wait(ctx, a.From)
	p.Entries, p.Next = r.Read(a.From, ringAtOnce)
	return p, nil
}
