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
	file *os.File
}

// OpenLog opens the log in the directory of histories.
func OpenLog(dir string) (*Log, error) {
	l := &Log{path: filepath.Join(dir, "log"), most: mostLog}
	return l, l.open()
}

func (l *Log) open() (err error) {
	l.file, err = os.OpenFile(l.path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, config.FileMode)
	return err
}

// Write writes a line. A very long one is cut.
func (l *Log) Write(line []byte) (int, error) {
	whole := len(line)
	if whole > mostLine {
		line = append(line[:mostLine:mostLine], "…\n"...)
	}
	if err := l.turn(int64(len(line))); err != nil {
		return 0, err
	}
	if _, err := l.file.Write(line); err != nil {
		return 0, err
	}
	return whole, nil
}

// turn makes room for some bytes. Another host may have done so.
func (l *Log) turn(bytes int64) error {
	now, err := os.Stat(l.path)
	mine, mineErr := l.file.Stat()
	moved := err != nil || mineErr != nil || !os.SameFile(now, mine)
	if !moved && mine.Size()+bytes <= l.most {
		return nil
	}
	if !moved {
		if err := os.Rename(l.path, l.path+".old"); err != nil {
			return err
		}
	}
	return errors.Join(l.file.Close(), l.open())
}

// Close closes the log.
func (l *Log) Close() error { return l.file.Close() }
