//go:build !unix && !windows

package terminal

import (
	"io/fs"
	"time"

	"parley/internal/proctree"
)

// process has no value on this system: start always fails.
type process struct{ tree *proctree.Tree }

func start(command, int, int, bool) (*process, error) { return nil, ErrUnsupported }

func (*process) read([]byte) (int, error)    { return 0, ErrUnsupported }
func (*process) write([]byte) error          { return ErrUnsupported }
func (*process) resize(int, int) error       { return ErrUnsupported }
func (*process) stopReadingIn(time.Duration) {}
func (*process) hangUp()                     {}
func (*process) wait() ExitStatus            { return ExitStatus{} }

func executable(string, fs.FileInfo) bool { return true }

func spellings(file string) []string { return []string{file} }

func shell(line string) []string { return []string{"sh", "-c", line} }
