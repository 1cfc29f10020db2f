package store

import (
	"context"
	"sync"
)

// Library is a store with its index, which is opened when it is first needed. It may be
// used from any goroutine.
type Library struct {
	*Store

	mu    sync.Mutex
	index *Index
}

// NewLibrary is the library of a store. It does nothing yet.
func NewLibrary(s *Store) *Library { return &Library{Store: s} }

// Index is the index, brought up to date with the logs.
func (l *Library) Index(ctx context.Context) (*Index, error) {
	x, err := l.open(ctx)
	if err != nil {
		return nil, err
	}
	return x, x.Refresh(ctx)
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

// List is Index.List of an index that is up to date.
func (l *Library) List(ctx context.Context, q Query) ([]Summary, error) {
	x, err := l.Index(ctx)
	if err != nil {
		return nil, err
	}
	return x.List(ctx, q)
}

// Close closes the index, if it was opened.
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
