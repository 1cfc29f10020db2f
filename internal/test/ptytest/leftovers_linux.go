package ptytest

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// leftover is a process that outlived the program that started it.
type leftover struct {
	pid  int
	fd   int // a pidfd: it names this process and no later one
	args string
}

func (p leftover) String() string { return fmt.Sprintf("%d %s", p.pid, p.args) }

func (p leftover) kill() {
	_ = unix.PidfdSendSignal(p.fd, unix.SIGKILL, nil, 0)
	_ = unix.Close(p.fd)
}

// leftovers returns the processes of the session, and those that carry the
// mark in their environment, that do not end within the bound.
func leftovers(session int, mark string, bound time.Duration) (left []leftover) {
	deadline := time.Now().Add(bound)
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range dirs {
		pid, _ := strconv.Atoi(filepath.Base(dir))
		fd, err := unix.PidfdOpen(pid, 0)
		if err != nil {
			continue // gone, or it was never a process
		}
		p := leftover{pid: pid, fd: fd, args: commandLine(dir)}
		if belongs(dir, session, mark) && !endsBefore(fd, deadline) {
			left = append(left, p)
			continue
		}
		_ = unix.Close(fd)
	}
	return left
}

// belongs looks at a process by its folder in /proc.
func belongs(dir string, session int, mark string) bool {
	stat, err := os.ReadFile(filepath.Join(dir, "stat"))
	if err != nil {
		return false
	}
	// The fields follow the name, which may hold spaces and parentheses.
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 4 || string(fields[0]) == "Z" {
		return false
	}
	if string(fields[3]) == strconv.Itoa(session) {
		return true
	}
	environ, err := os.ReadFile(filepath.Join(dir, "environ"))
	return err == nil && slices.Contains(strings.Split(string(environ), "\x00"), mark)
}

func commandLine(dir string) string {
	args, _ := os.ReadFile(filepath.Join(dir, "cmdline"))
	return strings.TrimSpace(strings.ReplaceAll(string(args), "\x00", " "))
}

// endsBefore waits for the end of a process: its pidfd becomes readable.
func endsBefore(fd int, deadline time.Time) bool {
	for {
		wait := max(0, time.Until(deadline).Milliseconds())
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, int(wait))
		if err != unix.EINTR {
			return err == nil && n > 0
		}
	}
}
