//go:build unix

package fs

import "syscall"

// withoutWaiting keeps the opening of a pipe from waiting for its other end, and
// a terminal from becoming the one that sends this program signals.
const withoutWaiting = syscall.O_NONBLOCK | syscall.O_NOCTTY
