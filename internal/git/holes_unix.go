//go:build linux || darwin

package git

import (
	"errors"
	"io"
	"math"
	"os"

	"golang.org/x/sys/unix"
)

// nextData returns where the first data of a file at or after an offset begins and ends, or io.EOF if
// only a hole follows. A file system without holes has data everywhere.
func nextData(f *os.File, at int64) (begin, end int64, err error) {
	begin, err = f.Seek(at, unix.SEEK_DATA)
	if errors.Is(err, unix.ENXIO) {
		return 0, 0, io.EOF
	}
	if err == nil {
		end, err = f.Seek(begin, unix.SEEK_HOLE)
	}
	if err != nil {
		return at, math.MaxInt64, nil
	}
	return begin, end, nil
}
