//go:build !unix

package fs

// withoutWaiting is 0: named pipes in the file system do not exist here.
const withoutWaiting = 0
