package sandbox

import "path/filepath"

// devices are the harmless devices that programs expect.
var devices = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/ptmx"}

// computing returns the devices of this machine for graphics, machine learning and
// virtual machines.
func computing() []string {
	var found []string
	for _, pattern := range []string{"/dev/dri/*", "/dev/nvidia*", "/dev/kfd", "/dev/kvm"} {
		paths, _ := filepath.Glob(pattern) // the patterns are valid
		for _, p := range paths {
			if !isDir(p) {
				found = append(found, p)
			}
		}
	}
	return found
}
