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

// Bounds limit what is kept. Zero means no limit.
type Bounds struct {
	// Age is how long a session is kept after its last write.
	Age time.Duration
	// Bytes bounds the size of all logs together: the last written ones stay.
	Bytes int64
}

// Excess returns the sessions that exceed the bounds, last written first. Some may be
// open.
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

// Prune deletes the sessions that exceed the bounds, except those that are open
// anywhere, and returns the deleted ones.
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

// pruneEvery is the minimum time between two runs of PruneDaily.
const pruneEvery = 24 * time.Hour

// PruneDaily is Prune, unless any process has run it within the last day. A file's
// modification time records the last run.
func (s *Store) PruneDaily(ctx context.Context, b Bounds, now time.Time) error {
	stamp := filepath.Join(s.dir, "pruned")
	info, err := os.Stat(stamp)
	switch {
	case err == nil && now.Sub(info.ModTime()) < pruneEvery:
		return nil
	case err != nil && !errors.Is(err, os.ErrNotExist):
		return fmt.Errorf("prune the stored sessions: %w", err)
	}
	if _, err := os.Stat(s.dir); errors.Is(err, os.ErrNotExist) {
		return nil // nothing is stored
	}
	if err := os.WriteFile(stamp, nil, fileMode); err != nil {
		return fmt.Errorf("prune the stored sessions: %w", err)
	}
	if err := os.Chtimes(stamp, now, now); err != nil {
		return fmt.Errorf("prune the stored sessions: %w", err)
	}
	_, err = s.Prune(ctx, b, now)
	return err
}
