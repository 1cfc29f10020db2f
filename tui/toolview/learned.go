package toolview

import "maps"

// learned is what was looked up beside the drawing, and is read by it. The zero value
// knows nothing.
type learned[K comparable, V any] struct {
	known   map[K]V
	version uint64
}

// Add makes known what was found.
func (l *learned[K, V]) Add(found map[K]V) {
	if len(found) == 0 {
		return
	}
	if l.known == nil {
		l.known = map[K]V{}
	}
	maps.Copy(l.known, found)
	l.version++
}
