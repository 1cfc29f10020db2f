package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
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

// Excess are the sessions that are beyond the bounds, the one written last first. Some
// may be open.
func (s *Store) Excess(b Bounds, now time.Time) ([]ID, error) {
	files, err := s.logs()
	if err != nil {
		return nil, err
	}
	slices.SortFunc(files, func(a, b logFile) int { return b.changed.Compare(a.changed) })
	var beyond []ID
	total := int64(0)
	for _, f := range files {
		total += f.size
		if b.Age > 0 && now.Sub(f.changed) > b.Age || b.Bytes > 0 && total > b.Bytes {
			beyond = append(beyond, f.id)
		}
	}
	return beyond, nil
}

// Prune deletes the sessions that are beyond the bounds, but for those that are open
// anywhere, and says which it has deleted.
func (s *Store) Prune(ctx context.Context, b Bounds, now time.Time) ([]ID, error) {
	beyond, err := s.Excess(b, now)
	if err != nil {
		return nil, err
	}
	var gone []ID
	var errs error
	for _, id := range beyond {
		if err := ctx.Err(); err != nil {
			return gone, errors.Join(errs, err)
		}
		switch err := s.Delete(id); {
		case err == nil:
			gone = append(gone, id)
		case !errors.Is(err, ErrInUse) && !errors.Is(err, ErrNotStored):
			errs = errors.Join(errs, err)
		}
	}
	return gone, errs
}

// pruneEvery is how often PruneDaily does anything.
const pruneEvery = 24 * time.Hour

// PruneDaily is Prune, unless it was done in the last day by any process. When it was
// done is the time of a file.
func (s *Store) PruneDaily(ctx context.Context, b Bounds, now time.Time) error {
	stamp := filepath.Join(s.dir, "pruned")
	info, err := os.Stat(stamp)
	switch {
	case err == nil && now.Sub(info.ModTime()) < pruneEvery:
		return nil
	case err != nil && !errors.Is(err, os.ErrNotExist):
		return fmt.Errorf("bound the stored sessions: %w", err)
	}
	if _, err := os.Stat(s.dir); errors.Is(err, os.ErrNotExist) {
		return nil // nothing is stored
	}
	if err := os.WriteFile(stamp, nil, fileMode); err != nil {
		return fmt.Errorf("bound the stored sessions: %w", err)
	}
	if err := os.Chtimes(stamp, now, now); err != nil {
		return fmt.Errorf("bound the stored sessions: %w", err)
	}
	_, err = s.Prune(ctx, b, now)
	return err
}
