//go:build !linux

package process

import "context"

// Supervise calls run and returns its result.
func Supervise(run func() int) int { return run() }

// BeginSupervision does nothing on this system.
func BeginSupervision(context.Context) (end func(), err error) { return func() {}, nil }
