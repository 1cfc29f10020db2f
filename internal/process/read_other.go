//go:build unix && !linux && !darwin

package process

// readProcess returns false: processes cannot be read here.
func readProcess(int) (process, bool) { return process{}, false }
