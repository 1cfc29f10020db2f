package fs

import (
	iofs "io/fs"
	"syscall"
	"time"
)

// ChangedAt returns when the content or the attributes of a file have last changed, which no program
// can set; the zero time where the system does not say.
func ChangedAt(info iofs.FileInfo) (t time.Time) {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		t = time.Unix(s.Ctim.Unix())
	}
	return t
}
