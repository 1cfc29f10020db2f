package config

import "time"

// Store says which sessions are kept on this machine.
type Store struct {
	// Off writes nothing.
	Off bool
	// Age is how long a session is kept after its last event, Bytes how much all of them
	// together may take; 0 is without end.
	Age   time.Duration
	Bytes int64
}

// DefaultStore is the Store of a person who has said nothing about it.
func DefaultStore() Store { return Store{Age: 365 * day, Bytes: 4000 << 20} }

const day = 24 * time.Hour

// store reads what is kept.
func (t *table) store() Store {
	s := DefaultStore()
	on := t.flag("store")
	s.Off = t.has("store") && !on
	if days, ok := t.count("store_days"); ok {
		s.Age = time.Duration(days) * day
	}
	if megabytes, ok := t.count("store_megabytes"); ok {
		s.Bytes = megabytes << 20
	}
	return s
}

// maxCount bounds the numbers of the file: it is more than anybody wants of anything.
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
