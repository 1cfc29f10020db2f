//go:build !unix

package terminal

import (
	"io/fs"
	"time"
)

// process is never made here: start refuses.
type process struct{}

func start(command, bool, int, int) (*process, error) { return nil, ErrUnsupported }

func (*process) read([]byte) (int, error)    { return 0, ErrUnsupported }
func (*process) write([]byte) error          { return ErrUnsupported }
func (*process) resize(int, int) error       { return ErrUnsupported }
func (*process) stopReadingIn(time.Duration) {}
func (*process) hangUp()                     {}
func (*process) wait() ExitStatus            { return ExitStatus{} }
func (*process) terminate()                  {}
func (*process) kill()                       {}
func (*process) running() bool               { return false }

func executable(string, fs.FileInfo) bool { return true }
