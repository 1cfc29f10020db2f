package journal

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// reopen continues the newest journal of the reopened session, if no other process has
// it open.
func (j *Journal) reopen() bool {
	all, _ := os.ReadDir(j.opt.Dir) // sorted by name, and so by time
	for _, d := range slices.Backward(all) {
		if !d.IsDir() || !strings.HasPrefix(d.Name(), prefix(j.cwd)) {
			continue
		}
		err := j.openDir(filepath.Join(j.opt.Dir, d.Name()))
		if err != nil {
			continue
		}
		if j.history.session == j.opt.Session {
			// The contents of the files tell which of the writes that a kill interrupted
			// have happened.
			for _, c := range slices.Clone(j.history.changes) {
				if !c.open {
					continue
				}
				end := record{Kind: kindDone, ID: c.id}
				if now, err := lookAt(c.path); err == nil && now.same(c.before) && !c.before.same(c.after) {
					end.Kind = kindFailed
				}
				_ = j.log.add(end, false)
				j.history.apply(end)
			}
			return true
		}
		_ = j.log.close()
	}
	return false
}

// inUse is how long after its last record a journal counts as open, on systems without
// locks.
const inUse = 48 * time.Hour

// old is a journal that no process has open.
type old struct {
	dir  string
	used time.Time
	size int64
}

// prune removes journals that are too old, and then the oldest ones while all together
// are too large. It spares open ones.
func (j *Journal) prune() {
	all, err := os.ReadDir(j.opt.Dir)
	if err != nil {
		return // nothing to remove
	}
	var kept []old
	var sum int64
	for _, d := range all {
		o := old{dir: filepath.Join(j.opt.Dir, d.Name())}
		info, err := os.Stat(filepath.Join(o.dir, logName))
		if err != nil || o.dir == j.dir {
			continue
		}
		o.used, o.size = info.ModTime(), diskUse(o.dir)
		age := j.opt.Now().Sub(o.used)
		if !locks && age < inUse {
			continue
		}
		if age > j.opt.MaxAge {
			_ = remove(o.dir)
			continue
		}
		kept, sum = append(kept, o), sum+o.size
	}
	slices.SortFunc(kept, func(a, b old) int { return a.used.Compare(b.used) })
	for _, o := range kept {
		if sum <= j.opt.MaxBytes/2 {
			return
		}
		if remove(o.dir) == nil {
			sum -= o.size
		}
	}
}

// remove removes a journal, unless another process has it open.
func remove(dir string) error {
	f, err := os.OpenFile(filepath.Join(dir, logName), os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	if !lock(f) {
		return errInUse
	}
	return os.RemoveAll(dir)
}
