//go:build unix

package prompt

import "syscall"

// nonBlocking keeps the opening of a pipe from blocking.
const nonBlocking = syscall.O_NONBLOCK
