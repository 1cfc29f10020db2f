package screen

import "os"

// redirect makes a file of what is standard error for Go code. The runtime writes
// elsewhere.
func redirect(to *os.File, _ bool) (undo func()) {
	before := os.Stderr
	os.Stderr = to
	return func() { os.Stderr = before }
}
