//go:build !linux

package acpclient

// processRef names a process; only Linux is searched for them.
type processRef struct{}

// descendants finds none: here the process group is all there is.
func descendants(int) []processRef { return nil }

func killRefs([]processRef) {}
