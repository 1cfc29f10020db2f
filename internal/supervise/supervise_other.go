//go:build !linux

package supervise

import "context"

// Main calls run and returns what it returns.
func Main(run func() int) int { return run() }

// Begin does nothing on this system.
func Begin(context.Context) (end func(), err error) { return func() {}, nil }
