package journal

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"

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
	actMerge  = "merge"
)

// carryOut executes plans, after checking that all of them can be, and that the user
// agrees to files that the agent could not write without asking. Several plans, and a
// rewind to before a turn, which is 0 for anything else, happen whole or not at all, even
// if the process is killed.
func (j *Journal) carryOut(ctx context.Context, plans []plan, what string, rewind int) (Done, error) {
	files := make([]record, len(plans))
	for i := range plans {
		r, err := j.try(ctx, &plans[i])
		if err == nil && rewind != 0 && r.Before.Lost {
			err = errFull // it could not be undone
		}
		if err != nil {
			return Done{}, &FileError{plans[i].path, err}
		}
		files[i] = r
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
	if together {
		if err := j.begin(number, rewind, files); err != nil {
			return Done{}, err
		}
		ctx = context.WithoutCancel(ctx)
	}
	done := Done{Rewound: rewind, Act: number}
	for i := range plans {
		p := &plans[i]
		if err := j.write(ctx, p, number); err != nil {
			err = &FileError{p.path, err}
			if together {
				err = errors.Join(err, j.abort(ctx, number))
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

// errNotAsked means that nobody can be asked about a file.
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

// try checks whether a plan can be executed, makes it exact, and returns what it does.
func (j *Journal) try(ctx context.Context, p *plan) (r record, err error) {
	err = j.withFiles(p.path, func(f *fs.FS) error {
		return f.Look(ctx, p.path, func(now *fs.Snapshot) error {
			next, err := p.next(now)
			if err != nil {
				return err
			}
			was, is := j.keep(now, true), j.keep(next, true)
			r = p.record(kindPlanned, 0)
			r.Before, r.After = &was, &is
			p.steps, p.force = []step{{now, next}}, false
			return nil
		})
	})
	return r, err
}

// begin logs what an act does to all its files. If that fails, nothing happens.
func (j *Journal) begin(number, rewind int, files []record) error {
	acting := filepath.Join(j.dir, actingName)
	err := os.WriteFile(acting, nil, config.FileMode)
	for i := range files {
		files[i].Act = number
		if err == nil {
			err = j.logAct(files[i], false)
		}
	}
	if err == nil {
		err = j.logAct(record{Kind: kindBegun, Act: number, Rewind: rewind}, true)
	}
	if err != nil {
		j.end(number)
	}
	return err
}

// abort takes back what an act has changed so far.
func (j *Journal) abort(ctx context.Context, number int) error {
	j.note(j.logAct(record{Kind: kindAborted, Act: number}, true))
	err := j.takeBack(ctx, number)
	j.end(number)
	return err
}

func (j *Journal) end(number int) {
	j.note(j.logAct(record{Kind: kindEnded, Act: number}, true))
	_ = os.Remove(filepath.Join(j.dir, actingName)) // if it stays, the journal is opened once more
}

func (j *Journal) logAct(r record, sync bool) error {
	if err := j.log.add(r, sync); err != nil {
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
	r := p.record(kindChange, number)
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
	return j.withFiles(p.path, func(f *fs.FS) error { return f.Exchange(ctx, p.path, change) })
}

// Recovered is an undo or a rewind that was interrupted, and that opening the journal
// finished or took back.
type Recovered struct {
	// Rewound is the turn of the rewind, 0 if it was another act.
	Rewound int
	// TakenBack means that it could not be finished, and that its files were restored,
	// except those that Err names.
	TakenBack bool
	Files     []string
	Err       error
}

// Recovered returns the interrupted act that Open found, nil if there was none.
func (j *Journal) Recovered() *Recovered { return j.recovered }

// finish finishes or takes back the act that a kill has interrupted.
func (j *Journal) finish() (out *Recovered) {
	ctx := context.Background()
	for _, a := range j.history.acts {
		if a.begun && !a.ended { // at most one: acts follow each other
			out = j.finishAct(ctx, a)
		}
	}
	_ = os.Remove(filepath.Join(j.dir, actingName))
	return out
}

func (j *Journal) finishAct(ctx context.Context, a *files) *Recovered {
	r := &Recovered{Rewound: a.rewind, TakenBack: a.aborted}
	var rest []plan
	for _, p := range a.planned {
		r.Files = append(r.Files, p.Path)
		if slices.ContainsFunc(j.history.byPath[p.Path], func(c *change) bool { return c.act == a.number }) {
			continue
		}
		s, err := j.step(*p.Before, *p.After)
		next := plan{path: p.Path, steps: []step{s}, turn: p.Turn, seen: p.Seen, reverts: p.Reverts, merged: p.Source == SourceMerge}
		if err == nil {
			_, err = j.try(ctx, &next)
		}
		r.TakenBack = r.TakenBack || err != nil
		rest = append(rest, next)
	}
	for i := range rest {
		if r.TakenBack {
			break
		}
		r.TakenBack = j.write(ctx, &rest[i], a.number) != nil
	}
	if !r.TakenBack {
		j.end(a.number)
		return r
	}
	r.Err = j.abort(ctx, a.number)
	return r
}

// finishOthers finishes or takes back interrupted acts of other sessions in the directory:
// the files should not stay half-changed until somebody reopens those sessions.
func (j *Journal) finishOthers() {
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
		other.finish()
		_ = other.log.close()
	}
}
