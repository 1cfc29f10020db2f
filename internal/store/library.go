package store

import (
	"context"
	"sync"
)

// Library is a store with its index, which it opens on first use. It is safe for
// concurrent use.
type Library struct {
	*Store

	mu    sync.Mutex
	index *Index
}

// NewLibrary returns the library of a store. It does not access the disk.
func NewLibrary(s *Store) *Library { return &Library{Store: s} }

// ask runs a query on an up-to-date index. If the index turns out to be damaged, ask
// rebuilds it and tries again.
func (l *Library) ask(ctx context.Context, about func(*Index) error) error {
	x, err := l.current(ctx, about)
	if x == nil || !spoiled(err) {
		return err
	}
	l.discard(x)
	_, err = l.current(ctx, about)
	return err
}

func (l *Library) current(ctx context.Context, about func(*Index) error) (*Index, error) {
	x, err := l.open(ctx)
	if err != nil {
		return nil, err
	}
	if err := x.Refresh(ctx); err != nil {
		return x, err
	}
	return x, about(x)
}

// discard closes an index so that the next one is rebuilt.
func (l *Library) discard(x *Index) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.index == x {
		l.index = nil
		// Whoever opens the file next rebuilds it. An index that cannot be written will
		// not open again either.
		_, _ = x.db.Exec("PRAGMA user_version = -1")
		_ = x.Close()
	}
}

func (l *Library) open(ctx context.Context) (*Index, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.index == nil {
		x, err := l.OpenIndex(ctx)
		if err != nil {
			return nil, err
		}
		l.index = x
	}
	return l.index, nil
}

// List is Index.List on an up-to-date index.
func (l *Library) List(ctx context.Context, q Query) (list []Summary, err error) {
	err = l.ask(ctx, func(x *Index) error {
		list, err = x.List(ctx, q)
		return err
	})
	return list, err
}

// Search is Index.Search on an up-to-date index.
func (l *Library) Search(ctx context.Context, words string, q Query) (hits []Hit, err error) {
	err = l.ask(ctx, func(x *Index) error {
		hits, err = x.Search(ctx, words, q)
		return err
	})
	return hits, err
}

// Close closes the index, if it is open.
func (l *Library) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.index == nil {
		return nil
	}
	x := l.index
	l.index = nil
	return x.Close()
}
