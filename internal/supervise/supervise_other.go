//go:build !linux

package supervise

// Main calls run and returns what it returns.
func Main(run func() int) int { return run() }

// Run reports that there is no supervisor on this system: the program runs alone.
func Run() (code int, ran bool, err error) { return 0, false, nil }
