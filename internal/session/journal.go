package session

import (
	"context"
	"errors"

	"parley/internal/journal"
	"parley/internal/record"
)

// errUnrecorded means that a session has no journal.
var errUnrecorded = errors.New("this session does not record changes")

// AwaitChanges waits until the journal has all that has happened.
type AwaitChanges struct{}

func (AwaitChanges) Do(ctx context.Context, s *Session) (None, error) {
	return None{}, s.opt.Journal.Wait(ctx)
}

// ChangedFiles asks for the files that have changed since a turn; 0 is all of them.
type ChangedFiles struct{ Since int }

func (a ChangedFiles) Do(_ context.Context, s *Session) ([]journal.File, error) {
	return s.opt.Journal.Files(a.Since), nil
}

// CompareFile asks for what has changed in a part of a file since a turn.
type CompareFile struct {
	Part  journal.Part
	Since int
}

func (a CompareFile) Do(ctx context.Context, s *Session) (*journal.Comparison, error) {
	return s.opt.Journal.Compare(ctx, a.Part, a.Since)
}

// CountChanges asks how much has changed since each turn, by its number.
type CountChanges struct{}

func (CountChanges) Do(ctx context.Context, s *Session) (map[int]journal.Tally, error) {
	return s.opt.Journal.Since(ctx)
}

// PlanRewind asks what a rewind of the files to before a turn would do.
type PlanRewind struct{ Turn int }

func (a PlanRewind) Do(ctx context.Context, s *Session) (*journal.RewindPlan, error) {
	return s.opt.Journal.PlanRewind(ctx, a.Turn)
}

// RevertFile undoes the changes in a part of a file since a turn.
type RevertFile struct {
	Part  journal.Part
	Since int
}

func (a RevertFile) Do(ctx context.Context, s *Session) (journal.Done, error) {
	return s.opt.Journal.RevertFile(ctx, a.Part, a.Since)
}

// RevertHunk undoes one change of a comparison.
type RevertHunk struct {
	Comparison *journal.Comparison
	Hunk       int
}

func (a RevertHunk) Do(ctx context.Context, s *Session) (journal.Done, error) {
	return s.opt.Journal.RevertHunk(ctx, a.Comparison, a.Hunk)
}

// UndoTurn undoes the changes of the last turn.
type UndoTurn struct{}

func (UndoTurn) Do(ctx context.Context, s *Session) (journal.Done, error) {
	return s.opt.Journal.UndoTurn(ctx)
}

// Redo redoes what was undone last.
type Redo struct{}

func (Redo) Do(ctx context.Context, s *Session) (journal.Done, error) {
	return s.opt.Journal.Redo(ctx)
}

// Merge merges changes that were made elsewhere.
type Merge struct{ Changes []journal.Change }

func (a Merge) Do(ctx context.Context, s *Session) (journal.Done, error) {
	return s.opt.Journal.Merge(ctx, a.Changes)
}

// Unmerge takes back a [Merge], by the number of its act.
type Unmerge struct{ Act int }

func (a Unmerge) Do(ctx context.Context, s *Session) (journal.Done, error) {
	return s.opt.Journal.Unmerge(ctx, a.Act)
}

// Rewind carries out a plan, with the files that it leaves alone and the user has chosen.
type Rewind struct {
	Plan   *journal.RewindPlan
	Chosen []journal.Part
}

func (a Rewind) Do(ctx context.Context, s *Session) (journal.Done, error) {
	return s.opt.Journal.Rewind(ctx, a.Plan, a.Chosen...)
}

// KeepHunk accepts one change of a comparison.
type KeepHunk struct {
	Comparison *journal.Comparison
	Hunk       int
}

func (a KeepHunk) Do(_ context.Context, s *Session) (None, error) {
	s.opt.Journal.KeepHunk(a.Comparison, a.Hunk)
	return None{}, nil
}

// KeepFile accepts the changes in a part of a file.
type KeepFile struct{ Part journal.Part }

func (a KeepFile) Do(_ context.Context, s *Session) (None, error) {
	s.opt.Journal.KeepFile(a.Part)
	return None{}, nil
}

// OpenFile takes back [KeepFile].
type OpenFile struct{ Part journal.Part }

func (a OpenFile) Do(_ context.Context, s *Session) (None, error) {
	s.opt.Journal.OpenFile(a.Part)
	return None{}, nil
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
