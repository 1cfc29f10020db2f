// Package startup spares the start of the program the collection of garbage.
//
// The tables that libraries make of themselves before main begins pass the 4 MB of heap
// at which Go collects first, and nearly all of them stay in use: looking through them
// again and again took a quarter of the processor time of a start. Go collects when the
// heap has doubled. So a block that is never touched, and thus takes no memory, counts
// for the heap from the beginning: what is collected first is 12 MB of others.
//
// This package imports only what is initialised before all others, so it is initialised
// before those libraries are. runtime/debug, which could say the same in a word, is
// initialised after them.
package startup

import "runtime"

var ballast = make([]byte, 12<<20)

// Over says that main has begun. From the next collection on, the heap is collected as
// ever.
func Over() {
	runtime.KeepAlive(ballast) // until now
	ballast = nil
}
