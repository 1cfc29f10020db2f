//go:build !unix

package composer

// nonBlocking is nothing where files are never pipes.
const nonBlocking = 0
