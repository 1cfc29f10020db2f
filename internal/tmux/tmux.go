// Package tmux hides tmux from the packages that are initialised after it, until main
// calls [Show]. Lip Gloss asks tmux about its colours while it is initialised, and waits
// for the answer.
//
// Of the packages whose imports are initialised, Go initialises the one with the first
// import path. This package imports only os, so its turn comes before strings has its
// turn, and thus before any package that imports strings.
package tmux

import "os"

const variable = "TMUX"

var socket, inside = os.LookupEnv(variable)

func init() { _ = os.Unsetenv(variable) }

// Show undoes the hiding. Call it once, before anything else.
func Show() {
	if inside {
		_ = os.Setenv(variable, socket)
	}
}
