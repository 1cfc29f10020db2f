//go:build unix

package composer

import "syscall"

// nonBlocking keeps the opening of a pipe from blocking.
const nonBlocking = syscall.O_NONBLOCK
