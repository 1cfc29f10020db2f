//go:build unix && !linux

package process

import "os/exec"

// readTable returns nil: here a tree is its leader's process group.
func readTable() *table { return nil }

// LimitMemory does nothing: only Linux limits another process.
func LimitMemory(int, uint64) {}

// setDeathSignal does nothing: only Linux has such a signal.
func setDeathSignal(*exec.Cmd) {}
