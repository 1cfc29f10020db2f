//go:build !unix

package fs

// withoutWaiting is nothing where files are never pipes.
const withoutWaiting = 0
