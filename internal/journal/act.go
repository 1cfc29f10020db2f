package journal

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"parley/config"
	"parley/fs"
)

// atPoint is called around everything that the journal writes to its own files, for a test
// to kill the process there.
var atPoint = func() {}

// actingName is the name of an empty file that is in a journal's directory during an act.
// It marks the journals whose act a kill has interrupted.
const actingName = "acting"

// The acts of the user, as [Gate.Ask] names them.
const (
	actUndo   = "undo"
	actRedo   = "redo"
	actRewind = "rewind"
	ActMerge  = "merge"
)

// carryOut executes plans, after checking that all of them can be, and that the user
// agrees to files that the agent could not write without asking. Several plans, and a
// rewind to before a turn, which is 0 for anything else, happen whole or not at all, even
// if the process is killed or the disk is full.
func (j *Journal) carryOut(ctx context.Context, plans []plan, what string, rewind int) (_ Done, err error) {
	if what == actUndo || what == actRedo { // a merge and a rewind say so themselves
		defer func() { err = unwritten(err) }()
	}
	for i := range plans {
		lost, err := j.try(ctx, &plans[i])
		if err == nil && lost {
			switch {
			case rewind != 0:
				err = errFull // it could not be undone
			case what == ActMerge:
				err = ErrUnkept
			}
		}
		if err != nil {
			return Done{}, &FileError{plans[i].path, err}
		}
	}
	for i := range plans {
		if s := plans[i].steps[0]; !same(s.from, s.to) {
			if err := j.ask(ctx, what, plans[i].path, s); err != nil {
				return Done{}, &FileError{plans[i].path, err}
			}
		}
	}
	j.mu.Lock()
	j.history.lastAct++
	number := j.history.lastAct
	j.mu.Unlock()
	together := len(plans) > 1 || rewind != 0
	drop := func() {
		for i := range plans {
			plans[i].ready.Drop()
		}
	}
	if together {
		defer drop()
		for i := range plans {
			// Those that are not prepared come first: if one fails, dropping the others makes room.
			if err := j.prepare(ctx, what, &plans[i], i >= len(plans)-maxPrepared); err != nil {
				return Done{}, &FileError{plans[i].path, err}
			}
		}
		if err := j.begin(number, rewind); err != nil {
			return Done{}, err
		}
		ctx = context.WithoutCancel(ctx)
	}
	done := Done{Act: number}
	for i := range plans {
		p := &plans[i]
		if err := j.write(ctx, p, number); err != nil {
			err = &FileError{p.path, err}
			if together {
				drop() // what is put back needs the room
				if back := j.abort(ctx, number); back != nil {
					err = &TornError{err, back}
				}
			}
			return Done{}, err
		}
		done.Files = append(done.Files, p.path)
	}
	if together {
		j.end(number)
	}
	return done, nil
}

// TornError means that an act failed when it had changed files, and that some of them could not be
// put back.
type TornError struct{ Err, Back error }

func (e *TornError) Error() string {
	return e.Err.Error() + "; what was changed before that could not be undone in: " + e.Back.Error()
}

func (e *TornError) Unwrap() []error { return []error{e.Err, e.Back} }

// unwritten says of an act that failed that no file has changed, unless some have or it says so.
func unwritten(err error) error {
	const words = "; nothing was written"
	about, is := errors.AsType[*FileError](err)
	if _, torn := errors.AsType[*TornError](err); !is || torn || strings.HasSuffix(about.Err.Error(), words) {
		return err
	}
	return &FileError{about.Path, fmt.Errorf("%w"+words, about.Err)}
}

// Outcome says what has become of an act that failed: nothing was done, as what says, or not all of
// it could be taken back.
func Outcome(what string, err error) string {
	if _, torn := errors.AsType[*TornError](err); torn {
		return "files were " + what + " in part"
	}
	return "nothing was " + what
}

// errNotAsked means that no user is there to be asked about a file.
var errNotAsked = errors.New("it is outside the session's directories")

// ask asks the user about a write if one of the agent's would need a question.
func (j *Journal) ask(ctx context.Context, what, path string, s step) error {
	switch {
	case j.gate != nil:
		return j.gate.Ask(ctx, what, path, s.from, s.to)
	case j.inside(path):
		return nil
	}
	return errNotAsked
}

// try checks whether a plan can be executed, and makes it exact. lost means that what the file
// contains cannot be kept.
func (j *Journal) try(ctx context.Context, p *plan) (lost bool, err error) {
	err = j.withFiles(p.path, func(f *fs.FS) error {
		return f.Look(ctx, p.path, func(now *fs.Snapshot) error {
			next, err := p.next(now)
			if err != nil {
				return err
			}
			lost = j.keep(now, true).Lost
			p.steps, p.force = []step{{now, next}}, false
			return nil
		})
	})
	return lost, err
}

// maxPrepared is how many files are written before an act changes one. They stay open until then,
// and a process may often open only 1,024.
const maxPrepared = 500

// prepare keeps what a plan that [Journal.try] has made exact puts into its file in the journal, and
// writes it beside the file if that is wanted, so that a disk that is full stops an act before it
// changes a file.
func (j *Journal) prepare(ctx context.Context, what string, p *plan, beside bool) error {
	s := p.steps[0]
	if i := j.keep(s.to, true); i.Lost && i.Size <= maxImage && what == ActMerge {
		return ErrUnkept
	}
	if !beside {
		return nil
	}
	return j.withFiles(p.path, func(f *fs.FS) (err error) {
		p.ready, err = f.Prepare(ctx, p.path, s.from, s.to)
		return err
	})
}

// begin logs that an act begins. If that fails, nothing happens.
func (j *Journal) begin(number, rewind int) error {
	err := os.WriteFile(filepath.Join(j.dir, actingName), nil, config.FileMode)
	if err == nil {
		err = j.logAct(record{Kind: kindBegun, Act: number, Rewind: rewind})
	}
	if err != nil {
		j.end(number)
	}
	return err
}

// abort takes back what an act has changed so far.
func (j *Journal) abort(ctx context.Context, number int) error {
	err := j.takeBack(ctx, number)
	j.end(number)
	return err
}

func (j *Journal) end(number int) {
	j.note(j.logAct(record{Kind: kindEnded, Act: number}))
	_ = os.Remove(filepath.Join(j.dir, actingName)) // if it stays, the journal is opened once more
}

func (j *Journal) logAct(r record) error {
	if err := j.log.add(r, true); err != nil {
		return err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.history.apply(r)
	j.bump()
	return nil
}

// takeBack undoes the changes of an act. The error names the files that it had to leave.
func (j *Journal) takeBack(ctx context.Context, number int) error {
	j.mu.Lock()
	var changes []*change
	for _, c := range slices.Backward(j.history.changes) {
		if c.act == number && j.history.live(c) {
			changes = append(changes, c)
		}
	}
	j.history.lastAct++
	back := j.history.lastAct
	j.mu.Unlock()
	var errs []error
	for _, c := range changes {
		s, err := j.step(c.after, c.before)
		if err == nil {
			err = j.write(ctx, &plan{path: c.path, steps: []step{s}, reverts: []int{c.id}}, back)
		}
		if err != nil {
			errs = append(errs, &FileError{c.path, err})
		}
	}
	return errors.Join(errs...)
}

// write executes a plan as part of an act. It records a file that already has the right
// contents without writing it.
func (j *Journal) write(ctx context.Context, p *plan, number int) error {
	r := p.record(number)
	change := func(now *fs.Snapshot) (*fs.Snapshot, error) {
		next, err := p.next(now)
		if err != nil {
			return nil, err
		}
		if same(next, now) {
			i := j.keep(now, true)
			r.Before, r.After, r.Happened = &i, &i, true
			j.add(r, true)
			return now, nil
		}
		j.mu.Lock()
		j.acting = &r
		j.mu.Unlock()
		return next, nil
	}
	return j.withFiles(p.path, func(f *fs.FS) error { return p.ready.Exchange(ctx, f, p.path, change) })
}

// Recovered is an undo or a rewind that a kill has interrupted, and that opening the journal
// took back.
type Recovered struct {
	// Other means that it was one of another session in the directory. Rewound is the turn of the
	// rewind, 0 if it was another act.
	Other   bool
	Rewound int
	// Err names the files that could not be restored, nil if all were.
	Err error
}

// Recovered returns the interrupted acts that Open found.
func (j *Journal) Recovered() []Recovered { return j.recovered }

// recover takes back the act that a kill has interrupted. Without the marker it was not
// interrupted, though its end may not be in the log of a full disk.
func (j *Journal) recover() {
	acting := filepath.Join(j.dir, actingName)
	if _, err := os.Lstat(acting); err == nil && j.history.begun != 0 {
		number := j.history.begun
		j.recovered = append(j.recovered, Recovered{Rewound: j.history.rewinds[number], Err: j.abort(context.Background(), number)})
	}
	_ = os.Remove(acting)
}

// recoverOthers takes back interrupted acts of other sessions in the directory: the files
// should not stay half-changed until somebody reopens those sessions.
func (j *Journal) recoverOthers() {
	all, _ := filepath.Glob(filepath.Join(j.opt.Dir, prefix(j.cwd)+"*", actingName))
	for _, acting := range all {
		if filepath.Dir(acting) == j.dir {
			continue
		}
		other := &Journal{opt: j.opt, cwd: j.cwd, roots: j.roots, changed: make(chan struct{})}
		if other.openDir(filepath.Dir(acting)) != nil {
			continue // another process has it open
		}
		other.settle()
		other.recover()
		for _, r := range other.recovered {
			r.Other = true
			j.recovered = append(j.recovered, r)
		}
		_ = other.log.close()
	}
}
