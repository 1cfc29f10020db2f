//go:build !linux

package process

import "context"

// Supervise calls run and returns its result.
func Supervise(run func() int) int { return run() }

// Supervision does nothing on this system.
type Supervision struct{}

// BeginSupervision does nothing on this system.
func BeginSupervision(context.Context) *Supervision { return &Supervision{} }

// Watch does nothing on this system.
func (*Supervision) Watch() {}

// End does nothing on this system.
func (*Supervision) End() {}
