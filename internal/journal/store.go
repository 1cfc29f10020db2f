package journal

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	iofs "io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"

	"parley/config"
)

// errFull means that the store has reached its bound.
var errFull = errors.New("the journal is full")

// store keeps contents by their hash, compressed, one file each. It only ever adds
// contents. It is safe for concurrent use.
type store struct {
	dir  string
	room atomic.Int64 // bytes that may be added
}

// compressors are pooled, because each has about a megabyte of tables.
var compressors = sync.Pool{New: func() any {
	z, _ := gzip.NewWriterLevel(io.Discard, gzip.BestSpeed)
	return z
}}

// openStore returns the store in a directory, bounded to most bytes.
func openStore(dir string, most int64) (*store, error) {
	if err := config.MakeDir(dir); err != nil {
		return nil, err
	}
	s := &store{dir: dir}
	s.room.Store(most - diskUse(dir))
	return s, nil
}

// diskUse returns the size of the files below a directory in bytes.
func diskUse(dir string) int64 {
	var sum int64
	_ = filepath.WalkDir(dir, func(path string, d iofs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil // what cannot be read does not count
		}
		if info, err := d.Info(); err == nil {
			sum += info.Size()
		}
		return nil
	})
	return sum
}

func (s *store) path(hash string) string { return filepath.Join(s.dir, hash[:2], hash[2:]) }

// put stores a content so that it survives a crash of this process, and with sync one
// of the machine.
func (s *store) put(hash, content string, sync bool) error {
	path := s.path(hash)
	if _, err := os.Lstat(path); err == nil {
		return nil
	}
	if s.room.Load() <= 0 {
		return errFull
	}
	if err := config.MakeDir(filepath.Dir(path)); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".new-*") // 0600
	if err != nil {
		return err
	}
	n, err := fill(f, content, sync)
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	s.room.Add(-n)
	return nil
}

// fill writes a content to its file and closes it.
func fill(f *os.File, content string, sync bool) (size int64, err error) {
	z := compressors.Get().(*gzip.Writer)
	defer compressors.Put(z)
	z.Reset(f)
	_, err = io.Copy(z, struct{ io.Reader }{strings.NewReader(content)})
	err = errors.Join(err, z.Close())
	if err == nil && sync {
		err = f.Sync()
	}
	size, seekErr := f.Seek(0, io.SeekCurrent)
	return size, errors.Join(err, seekErr, f.Close())
}

// get returns a content, or an error if it is damaged.
func (s *store) get(i Image) (string, error) {
	if len(i.Hash) < 2 {
		return "", errors.New("it was not kept")
	}
	f, err := os.Open(s.path(i.Hash))
	if err != nil {
		return "", err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return "", fmt.Errorf("a damaged image: %w", err)
	}
	var b strings.Builder
	b.Grow(int(i.Size))
	if _, err := io.Copy(&b, io.LimitReader(z, i.Size+1)); err != nil {
		return "", fmt.Errorf("a damaged image: %w", err)
	}
	if hashOf(b.String()) != i.Hash {
		return "", errors.New("a damaged image")
	}
	return b.String(), nil
}
