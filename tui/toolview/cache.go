package toolview

import "maps"

// lookups holds results of look-ups in the background, for drawing. The zero value is
// empty.
type lookups[K comparable, V any] struct {
	known   map[K]V
	version uint64
}

// Add adds results.
func (l *lookups[K, V]) Add(found map[K]V) {
	if len(found) == 0 {
		return
	}
	if l.known == nil {
		l.known = map[K]V{}
	}
	maps.Copy(l.known, found)
	l.version++
}
