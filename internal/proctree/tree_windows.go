package proctree

import (
	"errors"
	"os"
	"os/exec"
	"strconv"
	"sync/atomic"
	"syscall"
)

// Lead makes a command that was not started yet the leader of a new process
// group: the signals of our console do not reach it.
func Lead(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.CreationFlags |= syscall.CREATE_NEW_PROCESS_GROUP
}

// Tree is a process and everything that it has started. Its methods may be
// called from any goroutine. Here it is known as long as its leader runs.
type Tree struct {
	leader int
	reaped atomic.Bool
}

// New returns the tree of the process with this id, which was not waited for yet.
func New(leader int) *Tree { return &Tree{leader: leader} }

// Reaped says that the leader has ended and was waited for: its id may be
// another process's from now on, and nothing is done to it any more.
func (t *Tree) Reaped() { t.reaped.Store(true) }

// Note does nothing: Windows finds descendants by their parents only.
func (t *Tree) Note() {}

// Alive reports whether the leader was not waited for yet.
func (t *Tree) Alive() bool { return !t.reaped.Load() }

// Terminate asks the processes of the tree to end, as closing their windows does.
// It reports whether there was any.
func (t *Tree) Terminate() bool {
	_ = t.taskkill() // it fails where a program has no window to close
	return t.Alive()
}

// Kill ends the processes of the tree. It returns ErrAlive if the leader could
// not be ended.
func (t *Tree) Kill() error {
	if !t.Alive() || t.taskkill("/F") == nil {
		return nil
	}
	p, err := os.FindProcess(t.leader)
	if err != nil {
		return nil // it has ended meanwhile
	}
	defer p.Release()
	if err := p.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return ErrAlive
	}
	return nil
}

// taskkill runs the system's program for ending a tree of processes.
func (t *Tree) taskkill(flags ...string) error {
	if !t.Alive() {
		return nil
	}
	return exec.Command("taskkill", append(flags, "/T", "/PID", strconv.Itoa(t.leader))...).Run()
}
