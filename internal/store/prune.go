package store

import (
	"context"
	"errors"
	"slices"
	"time"
)

// Bounds say how much is kept. What is zero has no bound.
type Bounds struct {
	// Age is how long a session is kept after it was written last.
	Age time.Duration
	// Bytes is how long all logs together may be: the ones written last stay.
	Bytes int64
}

// Prune deletes the sessions that are beyond the bounds, but for those that are open
// anywhere, and says which it has deleted.
func (s *Store) Prune(ctx context.Context, b Bounds, now time.Time) ([]ID, error) {
	files, err := s.logs()
	if err != nil {
		return nil, err
	}
	slices.SortFunc(files, func(a, b logFile) int { return b.changed.Compare(a.changed) })
	var gone []ID
	var errs error
	total := int64(0)
	for _, f := range files {
		total += f.size
		if !(b.Age > 0 && now.Sub(f.changed) > b.Age || b.Bytes > 0 && total > b.Bytes) {
			continue
		}
		if err := ctx.Err(); err != nil {
			return gone, errors.Join(errs, err)
		}
		switch err := s.Delete(f.id); {
		case err == nil:
			gone = append(gone, f.id)
		case !errors.Is(err, ErrInUse) && !errors.Is(err, ErrNotStored):
			errs = errors.Join(errs, err)
		}
	}
	return gone, errs
}
