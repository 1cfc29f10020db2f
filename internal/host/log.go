package host

import (
	"errors"
	"os"
	"path/filepath"

	"parley/config"
)

// The bounds of the log of all hosts, in bytes: of its file, of which there is an older one
// beside it, and of a line.
const (
	mostLog  = 4 << 20
	mostLine = 16 << 10
)

// Log is the log of all hosts. An agent can cause lines, so the log is bounded: when it is full,
// it is moved aside, in place of the previous one. It is for one writer at a time.
type Log struct {
	path string
	most int64
}

// LogIn returns the log in the directory of histories.
func LogIn(dir string) *Log { return &Log{path: filepath.Join(dir, "log"), most: mostLog} }

// Write writes a line. A very long one is cut.
func (l *Log) Write(line []byte) (int, error) {
	whole := len(line)
	if whole > mostLine {
		line = append(line[:mostLine:mostLine], "…\n"...)
	}
	if now, err := os.Stat(l.path); err == nil && now.Size()+int64(len(line)) > l.most {
		if err := os.Rename(l.path, l.path+".old"); err != nil {
			return 0, err
		}
	}
	f, err := os.OpenFile(l.path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, config.FileMode)
	if err != nil {
		return 0, err
	}
	_, err = f.Write(line)
	return whole, errors.Join(err, f.Close())
}
