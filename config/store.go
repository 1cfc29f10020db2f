package config

import "time"

// Store configures which sessions are kept on this machine.
type Store struct {
	// Off disables the store.
	Off bool
	// Age is how long a session is kept after its last event, Bytes bounds the size of
	// all of them together; 0 means no limit.
	Age   time.Duration
	Bytes int64
}

// DefaultStore returns the default.
func DefaultStore() Store { return Store{Age: 365 * day, Bytes: 4000 << 20} }

const day = 24 * time.Hour

// store reads [store].
func (t *table) store() Store {
	s := DefaultStore()
	s.Off = t.off("store")
	if days, ok := t.count("store_days"); ok {
		s.Age = time.Duration(days) * day
	}
	if megabytes, ok := t.count("store_megabytes"); ok {
		s.Bytes = megabytes << 20
	}
	return s
}

// maxCount bounds the numbers in the file.
const maxCount = 1_000_000

// count reads a number that is not negative.
func (t *table) count(key string) (n int64, ok bool) {
	n, ok = read[int64](t, key, "a number")
	if ok && (n < 0 || n > maxCount) {
		t.fail(key, "0 is without end", "must be from 0 to %d", maxCount)
		return 0, false
	}
	return n, ok
}
