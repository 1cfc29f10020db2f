//go:build !unix && !windows

package terminal

import (
	"io/fs"
	"time"

	"parley/internal/process"
)

// child is never created on this system: start always fails.
type child struct{ tree *process.Tree }

func start(command, int, int, bool) (*child, error) { return nil, ErrUnsupported }

func (*child) read([]byte) (int, error)    { return 0, ErrUnsupported }
func (*child) write([]byte) error          { return ErrUnsupported }
func (*child) resize(int, int) error       { return ErrUnsupported }
func (*child) stopReadingIn(time.Duration) {}
func (*child) hangUp()                     {}
func (*child) wait() ExitStatus            { return ExitStatus{} }

func executable(string, fs.FileInfo) bool { return true }

func spellings(file string) []string { return []string{file} }

func shell(line string) []string { return []string{"sh", "-c", line} }
