//go:build unix

package fs

import "syscall"

// withoutWaiting opens a pipe without waiting for its other end, and a terminal without
// making it the controlling terminal.
const withoutWaiting = syscall.O_NONBLOCK | syscall.O_NOCTTY
