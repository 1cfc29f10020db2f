//go:build !unix

package composer

// nonBlocking is 0: named pipes in the file system do not exist here.
const nonBlocking = 0
