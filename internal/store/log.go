package store

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"
	"sync"

	"parley/internal/conversation"
)

// maxRecord is the longest line that is read, in bytes.
const maxRecord = 256 << 20

// Log is a stored session that is being written. It may be used from any goroutine.
type Log struct {
	id     ID
	path   string
	marked string // the file that says that the log is being written, "" if there is none

	mu   sync.Mutex
	file *os.File
	buf  []byte
	torn bool // the last line has no end: its writer was killed, or the disk was full
}

// openLogFile opens a log for appending.
func openLogFile(path string, flags int) (*Log, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND|flags, fileMode)
	if err != nil {
		return nil, err
	}
	l := &Log{path: path, file: f}
	if info, err := f.Stat(); err == nil && info.Size() > 0 {
		last := make([]byte, 1)
		_, err = f.ReadAt(last, info.Size()-1)
		l.torn = err != nil || last[0] != '\n'
	}
	return l, nil
}

// ID is the session's id in the store.
func (l *Log) ID() ID { return l.id }

// Append writes events, all of them by one write. An event that has no form as a line,
// such as an update that no agent can have sent, is left out. After an error the events
// are not in the log, and the log is as good as before.
func (l *Log) Append(events []conversation.Event) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.buf = l.buf[:0]
	for _, e := range events {
		if buf, err := appendEvent(l.buf, e); err == nil {
			l.buf = buf
		}
	}
	return l.write()
}

// own writes a record of the store's own.
func (l *Log) own(kind string, data any) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	var err error
	if l.buf, err = appendOwn(l.buf[:0], kind, data); err != nil {
		return err
	}
	return l.write()
}

// keepBuffer is how large a buffer is kept from one write to the next, in bytes.
const keepBuffer = 1 << 20

// write writes what is in the buffer; l.mu is held.
func (l *Log) write() error {
	if len(l.buf) == 0 {
		return nil
	}
	if l.torn {
		l.buf = slices.Insert(l.buf, 0, '\n')
	}
	n, err := l.file.Write(l.buf)
	l.torn = err != nil && (n > 0 || l.torn)
	if cap(l.buf) > keepBuffer {
		l.buf = nil
	}
	if err != nil {
		return fmt.Errorf("store the session: %w", err)
	}
	return nil
}

// Sync waits until what was written is on the disk, where a failure of the machine
// does not take it away.
func (l *Log) Sync() error { return l.file.Sync() }

// Close ends writing and frees the log for others.
func (l *Log) Close() error {
	if l.marked != "" {
		_ = os.Remove(l.marked) // at worst it is offered to go on with a session that was ended
	}
	unlock(l.file)
	return l.file.Close()
}

// Records reads a stored session from an offset on, which is 0 or that of a record.
// What is damaged, or of a kind that this version does not know, is left out. A log
// can be read while it is written. The error, if there is one, comes last, without a
// record.
func (s *Store) Records(id ID, from int64) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		path, err := s.path(id)
		if err != nil {
			yield(Record{}, err)
			return
		}
		f, err := os.Open(path)
		if err != nil {
			yield(Record{}, named(id, err))
			return
		}
		defer f.Close()
		if _, err := f.Seek(from, io.SeekStart); err != nil {
			yield(Record{}, named(id, err))
			return
		}
		if err := eachRecord(f, from, func(r Record) bool { return yield(r, nil) }); err != nil {
			yield(Record{}, named(id, err))
		}
	}
}

// Events are the events of a stored session, in order.
func (s *Store) Events(id ID) iter.Seq2[conversation.Event, error] {
	return func(yield func(conversation.Event, error) bool) {
		for r, err := range s.Records(id, 0) {
			if (err != nil || r.Event != nil) && !yield(r.Event, err) {
				return
			}
		}
	}
}

// eachRecord gives the records of a log until take returns false.
func eachRecord(from io.Reader, offset int64, take func(Record) bool) error {
	b := bufio.NewReaderSize(from, 256<<10)
	for {
		line, err := readLine(b)
		more := true
		if err == nil || errors.Is(err, io.EOF) {
			more = recordsOf(line, offset, take)
		}
		offset += int64(len(line))
		switch {
		case errors.Is(err, io.EOF) || !more:
			return nil
		case err != nil:
			return err
		}
	}
}

// recordsOf gives the record of a line, or those that can be had of a damaged one.
func recordsOf(line []byte, offset int64, take func(Record) bool) (more bool) {
	end := int64(0)
	if n := len(line); n > 0 && line[n-1] == '\n' {
		line, end = line[:n-1], offset+int64(n)
	}
	r, err := parse(line)
	if err == nil {
		r.Offset, r.End = offset, end
		return take(r)
	}
	more = true
	if errors.Is(err, errDamaged) {
		salvage(line, func(at int, r Record) {
			r.Offset, r.End = offset+int64(at), end
			more = more && take(r)
		})
	}
	return more
}

// readLine reads a line with its end, which the last one may lack. It belongs to the
// reader until the next call if it is short.
func readLine(b *bufio.Reader) ([]byte, error) {
	line, err := b.ReadSlice('\n')
	if !errors.Is(err, bufio.ErrBufferFull) {
		return line, err
	}
	whole := slices.Clone(line)
	for errors.Is(err, bufio.ErrBufferFull) {
		if line, err = b.ReadSlice('\n'); len(whole)+len(line) > maxRecord {
			return whole, fmt.Errorf("a record is longer than %d MB", maxRecord>>20)
		}
		whole = append(whole, line...)
	}
	return whole, err
}
