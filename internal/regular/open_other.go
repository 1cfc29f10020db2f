//go:build !unix

package regular

// withoutWaiting is nothing where files are never pipes.
const withoutWaiting = 0
