//go:build unix && !linux

package process

import "os/exec"

// readTable returns nil: here a tree is its leader's process group.
func readTable() *table { return nil }

// readProcess returns false: processes cannot be read here.
func readProcess(int) (process, bool) { return process{}, false }

// setDeathSignal does nothing: only Linux has such a signal.
func setDeathSignal(*exec.Cmd) {}
