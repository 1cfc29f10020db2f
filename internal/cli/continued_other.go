//go:build !unix

package cli

import "os"

// notifyContinued does nothing: processes are not stopped here.
func notifyContinued(chan<- os.Signal) {}
