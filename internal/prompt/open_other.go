//go:build !unix

package prompt

// nonBlocking is 0: named pipes in the file system do not exist here.
const nonBlocking = 0
