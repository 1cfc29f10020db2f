package screen

import "os"

// redirect redirects standard error to a file for Go code, but not for the runtime.
func redirect(to *os.File, _ bool) (undo func()) {
	before := os.Stderr
	os.Stderr = to
	return func() { os.Stderr = before }
}
