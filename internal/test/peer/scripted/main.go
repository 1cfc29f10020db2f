//go:build unix

// Command scripted is an agent that follows a script, for tests: see package peer.
//
//	scripted SCRIPT [LOG]
//	scripted tap AGENT [ARG...]
//
// It appends all that it reads to the file LOG, before that takes effect.
//
// As a tap, it stands between parley and another agent, which it runs. It copies every line both
// ways, and appends it to the file that PARLEY_TEST_TAP names, after who has sent it and the
// tap's own process ID: the agents of several tabs share a file. Into that file's name with ".pid"
// it writes the agent's process ID.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"parley/internal/test/peer"
)

func main() {
	if len(os.Args) > 2 && os.Args[1] == "tap" {
		os.Exit(tap(os.Args[2:]))
	}
	if len(os.Args) < 2 || len(os.Args) > 3 {
		check(errors.New("usage: scripted SCRIPT [LOG]"))
	}
	src, err := os.ReadFile(os.Args[1])
	check(err)
	s, err := peer.Parse(filepath.Base(os.Args[1]), string(src))
	check(err)
	in := io.Reader(os.Stdin)
	if len(os.Args) == 3 {
		log, err := os.OpenFile(os.Args[2], os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		check(err)
		in = io.TeeReader(in, log)
	}
	ctx, _ := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	os.Exit(s.Run(ctx, in, os.Stdout, os.Stderr))
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
}
