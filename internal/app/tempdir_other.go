//go:build !unix

package app

import "os"

// lockDirectory locks nothing: directories have no locks here.
func lockDirectory(string) (lock *os.File, ok bool) { return nil, false }

// removeAbandoned leaves what is there: nobody can tell whether it is in use.
func removeAbandoned(_, _ string) {}
