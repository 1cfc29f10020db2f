//go:build unix && !linux

package process

import "os/exec"

// setDeathSignal does nothing: only Linux has such a signal.
func setDeathSignal(*exec.Cmd) {}
