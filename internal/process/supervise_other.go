//go:build !linux

package process

import "context"

// Main calls run and returns what it returns.
func Supervise(run func() int) int { return run() }

// Begin does nothing on this system.
func BeginSupervision(context.Context) (end func(), err error) { return func() {}, nil }
