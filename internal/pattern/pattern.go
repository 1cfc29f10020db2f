// Package pattern makes regular expressions that are compiled when they are first used:
// a few dozen of them took a millisecond of every start.
package pattern

import (
	"regexp"
	"sync"
)

// New returns the expression of a pattern. The first call compiles it, and panics if it
// cannot be compiled, as regexp.MustCompile does.
func New(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}
