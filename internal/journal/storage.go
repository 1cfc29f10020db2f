package journal

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	iofs "io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"parley/config"
	"parley/fs"
)

type kind string

// The kinds of records. A change is written before its file changes, and done or failed
// afterwards.
const (
	kindOpen    kind = "open"    // a journal begins: Dir, At
	kindSession kind = "session" // the agent's session: Session
	kindTurn    kind = "turn"    // a turn begins: Turn, At, Prompt
	kindChange  kind = "change"  // a file is about to change, or has changed
	kindDone    kind = "done"    // the change ID has happened
	kindFailed  kind = "failed"  // the change ID has not happened
	kindKept    kind = "kept"    // the user accepts a change of Path and Seen from Before to After
	kindOpened  kind = "opened"  // the user withdraws the acceptance of changes of Path and Seen
	kindBegun   kind = "begun"   // Act, which changes several files, begins
	kindMoved   kind = "moved"   // the file at Path and Seen was at From when Turn began
	kindEnded   kind = "ended"   // Act has happened, or was taken back
)

// record is a line of the log.
type record struct {
	Kind kind `json:"kind"`
	ID   int  `json:"id,omitzero"`

	Dir     string    `json:"dir,omitzero"`
	Session string    `json:"session,omitzero"`
	At      time.Time `json:"at,omitzero"`
	Prompt  string    `json:"prompt,omitzero"`

	Turn   int    `json:"turn,omitzero"`
	Path   string `json:"path,omitzero"`
	Before *Image `json:"before,omitzero"`
	After  *Image `json:"after,omitzero"`
	From   string `json:"from,omitzero"`
	Source Source `json:"source,omitzero"`
	// Provenance says how Before is known.
	Provenance Provenance `json:"provenance,omitzero"`
	// Happened marks a change that was recorded after it happened, Earlier one that came
	// before others of the turn that were recorded already.
	Happened bool `json:"happened,omitzero"`
	Earlier  bool `json:"earlier,omitzero"`
	// Seen means the seen part of the file, of agreements and of undone hunks.
	Seen bool `json:"seen,omitzero"`
	// Act is the number of the user's action, Reverts the changes that it undid.
	Act     int   `json:"act,omitzero"`
	Reverts []int `json:"reverts,omitzero"`
	// Rewind is the turn that the act rewinds, 0 if it is another act.
	Rewind int `json:"rewind,omitzero"`
	// Whole means that the user accepts everything so far.
	Whole bool `json:"whole,omitzero"`
}

// log is an append-only file of records. It is safe for concurrent use.
type log struct {
	mu   sync.Mutex
	file *os.File // nil until it is opened
	torn bool     // the last line is incomplete because the disk was full
}

// maxRecord bounds a record, in bytes.
const maxRecord = 1 << 20

// openLog opens the log at path and passes each record to take. It skips damaged
// records, as the last one may be after a crash.
func openLog(path string, take func(record)) (*log, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	if err := lock(f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	l := &log{file: f}
	if err := l.replay(take); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return l, nil
}

// lock locks the log of a journal that no process has open.
func lock(f *os.File) error {
	ok, err := config.TryLock(f)
	if err == nil && !ok {
		return errInUse
	}
	return err
}

// replay reads the log, and ends its last line if that is incomplete.
func (l *log) replay(take func(record)) error {
	size := int64(maxRecord)
	if info, err := l.file.Stat(); err == nil {
		size = min(size, info.Size()+1) // most logs are new
	}
	r := bufio.NewReaderSize(l.file, int(size))
	for {
		line, err := r.ReadSlice('\n')
		if len(line) > 0 {
			var rec record
			if json.Unmarshal(line, &rec) == nil {
				take(rec)
			}
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF):
			if len(line) > 0 && !bytes.HasSuffix(line, []byte("\n")) {
				_, err := l.file.WriteString("\n")
				l.torn = err != nil
			}
			return nil
		case err != nil:
			return err
		}
	}
}

// add appends a record. With sync it survives a crash of the machine.
func (l *log) add(r record, sync bool) error {
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	line = append(line, '\n')
	atPoint()
	defer atPoint()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		return errors.New("the journal is not open")
	}
	if l.torn {
		line = slices.Insert(line, 0, '\n')
	}
	n, err := l.file.Write(line)
	l.torn = err != nil && (n > 0 || l.torn)
	if err != nil {
		return err
	}
	if sync {
		return l.file.Sync()
	}
	return nil
}

// opened reports whether there is a file, open or closed again.
func (l *log) opened() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.file != nil
}

// take takes over the file of another log.
func (l *log) take(o *log) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.file, l.torn = o.file, o.torn
}

func (l *log) close() error {
	config.Unlock(l.file)
	return l.file.Close()
}

// Image is what a file contained at one moment. The store holds the content by its
// hash.
type Image struct {
	// Absent means that there was no file; then nothing else is set.
	Absent bool `json:"absent,omitzero"`
	// Hash is the SHA-256 of the content in hexadecimal, "" if unknown.
	Hash string `json:"hash,omitzero"`
	// Size is the size of the content in bytes.
	Size int64 `json:"size,omitzero"`
	// Mode holds the permission bits, 0 if unknown, and the type of a symbolic link, whose
	// content is its target.
	Mode iofs.FileMode `json:"mode,omitzero"`
	// Lost means that the content is not stored: it was unknown, too large, or the
	// store was full.
	Lost bool `json:"lost,omitzero"`
	// ModTime is the time of the last change, in nanoseconds since 1970, if Hash may be
	// unknown because the file was too large to be read, else 0.
	ModTime int64 `json:"modTime,omitzero"`
}

// unknown reports whether nothing is known of the content.
func (i Image) unknown() bool { return i.Lost && i.Hash == "" && i.ModTime == 0 }

// empty reports whether there was a file with nothing in it.
func (i Image) empty() bool { return i.Hash != "" && i.Size == 0 }

// same reports whether two images are known to have the same content and mode. An
// unknown mode equals any other.
func (i Image) same(o Image) bool {
	if i.Absent || o.Absent {
		return i.Absent == o.Absent
	}
	modes := sameMode(i.Mode, o.Mode)
	if i.Hash == "" || o.Hash == "" {
		return i.ModTime != 0 && i.ModTime == o.ModTime && i.Size == o.Size && modes
	}
	return i.Hash == o.Hash && modes
}

// sameMode reports whether two modes may be the same; 0 is any of a file's.
func sameMode(a, b iofs.FileMode) bool {
	return a == b || a.Type() == b.Type() && (a == 0 || b == 0)
}

// fileMode is the mode of a file that has that of what is in its place; 0 of a link.
func fileMode(mode iofs.FileMode) iofs.FileMode {
	if mode.IsRegular() {
		return mode
	}
	return 0
}

// hashOf returns the name of a content in the store.
func hashOf(content string) string {
	h := sha256.New()
	_, _ = io.Copy(h, struct{ io.Reader }{strings.NewReader(content)}) // in pieces, without a copy of the whole
	return hex.EncodeToString(h.Sum(nil))
}

// imageOf describes the contents of a file, nil for no file. It stores nothing.
func imageOf(h *fs.Snapshot) Image {
	if h == nil {
		return Image{Absent: true}
	}
	return Image{Hash: hashOf(h.Content), Size: int64(len(h.Content)), Mode: h.Mode}
}

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

// newStore returns the store of the journal in a directory, bounded to most bytes.
func newStore(dir string, most int64) *store {
	s := &store{dir: filepath.Join(dir, "images")}
	s.room.Store(most - diskUse(s.dir))
	return s
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
	atPoint()
	defer atPoint()
	if err := config.MakeDir(filepath.Dir(path)); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".new-*") // 0600
	if err != nil {
		return err
	}
	z := compressors.Get().(*gzip.Writer)
	defer compressors.Put(z)
	z.Reset(f)
	_, err = io.Copy(z, struct{ io.Reader }{strings.NewReader(content)})
	err = errors.Join(err, z.Close())
	if err == nil && sync {
		err = f.Sync()
	}
	size, seekErr := f.Seek(0, io.SeekCurrent)
	err = errors.Join(err, seekErr, f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	s.room.Add(-size)
	return nil
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
