package ptytest

import (
	"errors"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Signal sends a signal to the program itself, not to its children.
func (term *Terminal) Signal(sig syscall.Signal) *Terminal {
	term.t.Helper()
	if err := term.cmd.Process.Signal(sig); err != nil {
		term.failf("send %v: %v", sig, err)
	}
	return term
}

// WaitExit waits until the program has ended and its last output is on the
// screen. It returns the exit code; 128 plus the signal's number when one
// ended it.
func (term *Terminal) WaitExit() int {
	term.t.Helper()
	if bound := patience(waitBound); !within(bound, term.exited) {
		term.failf("expected within %v that the program ends", bound)
	}
	term.Resume()
	// A child that still holds the terminal delays its end: that child is
	// reported when the test ends.
	within(patience(waitBound), term.eof)
	state := term.cmd.ProcessState
	if ws, ok := state.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return 128 + int(ws.Signal())
	}
	return state.ExitCode()
}

// end is the cleanup of every terminal.
func (term *Terminal) end() {
	if term.t.Failed() && !term.shown {
		term.t.Log(term.picture())
	}
	term.Resume()
	term.endProgram()
	for _, p := range leftovers(term.Pid(), term.mark, patience(waitBound)) {
		term.t.Errorf("the program left a process behind: %s", p)
		p.kill()
	}
	if !within(patience(waitBound), term.eof) {
		term.t.Error("something still writes to the terminal")
	}
	_ = term.pty.Close()
	<-term.eof
	term.keys.close()
	term.screen.stopReplies()
	<-term.gone
	if term.raw != nil {
		_ = term.raw.Close()
	}
}

// endProgram asks the program to end, and then makes it.
func (term *Terminal) endProgram() {
	if within(0, term.exited) {
		return
	}
	_ = term.cmd.Process.Signal(syscall.SIGTERM)
	if within(patience(waitBound), term.exited) {
		return
	}
	term.t.Errorf("the program did not end when asked to\n%s", term.picture())
	if err := unix.Kill(-term.Pid(), unix.SIGKILL); err != nil && !errors.Is(err, unix.ESRCH) {
		term.t.Errorf("kill the program: %v", err)
	}
	<-term.exited
}

// within reports whether done was closed in time.
func within(bound time.Duration, done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	default:
	}
	timeout := time.NewTimer(bound)
	defer timeout.Stop()
	select {
	case <-done:
		return true
	case <-timeout.C:
		return false
	}
}
