package store

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"

	"parley/config"
	"parley/fs"
	"parley/internal/conversation"
)

// maxRecord is the longest line that is read, in bytes.
const maxRecord = 256 << 20

// Log is a stored session that is being written. It is safe for concurrent use.
type Log struct {
	id     ID
	path   string
	marked string // the marker file for a log being written, or ""

	mu   sync.Mutex
	file *os.File
	out  io.Writer // file, but in tests of full disks
	buf  []byte
	// repeats are what the next events may repeat.
	repeats conversation.Repeats
	end     int64 // the offset after the last record that was written here, or was there before
	torn    bool  // the last line is incomplete: its writer was killed, or the disk was full
}

func openLogFile(path string, flags int) (*Log, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND|flags, fileMode)
	if err != nil {
		return nil, err
	}
	l := &Log{path: path, file: f, out: f}
	if info, err := f.Stat(); err == nil && info.Size() > 0 {
		last := make([]byte, 1)
		_, err = f.ReadAt(last, info.Size()-1)
		l.end, l.torn = info.Size(), err != nil || last[0] != '\n'
	}
	return l, nil
}

// unnamedLog makes a log in a directory that is gone with the process.
func unnamedLog(dir string) (*Log, error) {
	f, err := os.CreateTemp(dir, ".log-*")
	if err != nil {
		return nil, fmt.Errorf("store the session: %w", err)
	}
	return &Log{file: f, out: f}, os.Remove(f.Name())
}

// ID returns the session's id in the store.
func (l *Log) ID() ID { return l.id }

// Append writes events with a single write. It leaves out events that cannot be
// encoded, such as an update that no agent can have sent. After an error the events are
// not in the log, and the log is still usable.
func (l *Log) Append(events []conversation.Event) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.buf = l.buf[:0]
	for _, e := range events {
		if with, err := appendLine(l.buf, e, l.repeats.AppendEncode); err == nil {
			l.buf = with
		}
	}
	err := l.write()
	if err != nil {
		l.repeats = conversation.Repeats{} // nothing repeats what is not there
	}
	return err
}

// appendLines is Append for the lines of events.
func (l *Log) appendLines(lines []byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.buf = append(l.buf[:0], lines...)
	l.repeats = conversation.Repeats{}
	return l.write()
}

// appendLine appends the line of an event, encoded by a function.
func appendLine(b []byte, e conversation.Event, encode func([]byte, conversation.Event) ([]byte, error)) ([]byte, error) {
	start := len(b)
	line, err := encode(append(b, noSum...), e)
	if err != nil {
		return nil, err
	}
	return seal(line, start), nil
}

// own writes one of the store's own records.
func (l *Log) own(kind string, data any) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	body, err := json.Marshal(own[any]{version, kind, data})
	if err != nil {
		return fmt.Errorf("store the %s: %w", kind, err)
	}
	l.buf = seal(append(append(l.buf[:0], noSum...), body...), 0)
	return l.write()
}

// keepBuffer limits the buffer, in bytes, that is kept when little is written again after
// a burst, and mostBuffer one that is kept at all.
const (
	keepBuffer = 64 << 10
	mostBuffer = 4 << 20
)

// write writes the buffer. l.mu must be held.
func (l *Log) write() error {
	if len(l.buf) == 0 {
		return nil
	}
	if l.torn {
		l.buf = slices.Insert(l.buf, 0, '\n')
	}
	n, err := l.out.Write(l.buf)
	l.torn = err != nil && (l.torn || n > 0 && !l.takeBack(l.buf[:n]))
	if err == nil { // another process may have renamed the session, and so have written, too
		l.end, err = l.file.Seek(0, io.SeekCurrent)
	}
	if cap(l.buf) > min(mostBuffer, max(keepBuffer, 8*len(l.buf))) {
		l.buf = nil
	}
	if err != nil {
		return fmt.Errorf("store the session: %w", err)
	}
	return nil
}

// takeBack removes what a failed write has left at the end of the log, so that writing it
// again repeats nothing. It reports whether it could. l.mu must be held.
func (l *Log) takeBack(written []byte) bool {
	info, err := l.file.Stat()
	if err != nil {
		return false
	}
	at := info.Size() - int64(len(written))
	end := make([]byte, len(written))
	if _, err := l.file.ReadAt(end, at); err != nil || !bytes.Equal(end, written) {
		return false // another process has renamed the session meanwhile
	}
	return l.file.Truncate(at) == nil
}

// Close closes the log and releases its lock.
func (l *Log) Close() error {
	l.release()
	return l.file.Close()
}

// release releases the lock. The log stays open for reading.
func (l *Log) release() {
	if l.marked != "" {
		_ = os.Remove(l.marked) // at worst, parley offers to recover a session that was closed
	}
	config.Unlock(l.file)
}

// Records reads a stored session. It skips unknown kinds. A log can be read while it is
// written. An error comes last, without a record.
func (s *Store) Records(id ID) iter.Seq2[Record, error] {
	return s.records(id, 0, new(conversation.Repeats))
}

// records reads from an offset, which is 0 or that of a record. With nil repeats, updates that repeat
// earlier ones are only what is new in them.
func (s *Store) records(id ID, from int64, repeats *conversation.Repeats) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		path, err := s.path(id)
		if err != nil {
			yield(Record{}, err)
			return
		}
		f, err := fs.OpenRegular(path)
		if err != nil {
			yield(Record{}, named(id, err))
			return
		}
		defer f.Close()
		if _, err := f.Seek(from, io.SeekStart); err != nil {
			yield(Record{}, named(id, err))
			return
		}
		b := bufio.NewReaderSize(f, 256<<10)
		for ended := false; !ended; {
			line, err := readLine(b)
			if ended = errors.Is(err, io.EOF); err != nil && !ended {
				yield(Record{}, named(id, err))
				return
			}
			r, err := parse(bytes.TrimSuffix(line, []byte("\n")), repeats)
			r.Offset = from
			if from += int64(len(line)); !ended { // otherwise it is still being written
				r.End = from
				r.Damaged = errors.Is(err, errDamaged) && len(line) > 1
			}
			if (err == nil || r.Damaged) && !yield(r, nil) {
				return
			}
		}
	}
}

// Events returns the events of a stored session, in order.
func (s *Store) Events(id ID) iter.Seq2[conversation.Event, error] {
	return func(yield func(conversation.Event, error) bool) {
		for r, err := range s.Records(id) {
			if (err != nil || r.Event != nil) && !yield(r.Event, err) {
				return
			}
		}
	}
}

// wholeLines returns the JSON of the records in whole lines, and how many bytes these take. A
// notice is in the place of damaged ones.
func wholeLines(b []byte) (lines [][]byte, used int) {
	damaged := 0
	for {
		end := bytes.IndexByte(b[used:], '\n')
		line := b[used : used+max(0, end)]
		body, err := checked(line)
		if damaged > 0 && (end < 0 || err == nil) {
			if notice, err := conversation.Encode(damage(damaged, damagedHere)); err == nil {
				lines = append(lines, notice)
			}
			damaged = 0
		}
		switch {
		case end < 0:
			return lines, used
		case err == nil:
			lines = append(lines, body)
		case len(line) > 0:
			damaged++
		}
		used += end + 1
	}
}

// readLine reads a line including its end, which the last one may lack. A short line is
// valid only until the next call.
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

// A record is a line: the CRC-32C of its JSON in eight hexadecimal digits, a space, the
// JSON, a line feed. The JSON is an event as [conversation.Repeats] encodes it, or one of
// the store's own:
//
//	{"v":1,"store":"session","data":{"id":…,"cwd":…}}
//	{"v":1,"store":"title","data":{"title":"…"}}
//
// Reading skips a record whose checksum is wrong.

// sumLen is the length of the checksum and the space after it.
const sumLen = 9

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Kinds of the store's own records.
const (
	kindSession = "session"
	kindTitle   = "title"
)

// version is the version of the store's own records.
const version = 1

type titled struct {
	Title string `json:"title"`
}

// Record is one record of a log. One of its fields is set.
type Record struct {
	// Offset is the offset of the record in the log, End that of the end of its line,
	// in bytes; End is 0 if the line is incomplete.
	Offset, End int64
	Event       conversation.Event
	Meta        *Meta
	// Title is the user's title for the session.
	Title *string
	// Damaged means that something of a line is lost; the other fields are not set.
	Damaged bool
}

// own is one of the store's own records.
type own[T any] struct {
	Version int    `json:"v"`
	Kind    string `json:"store"`
	Data    T      `json:"data"`
}

// ownHead begins their JSON, after the version.
const ownHead = `,"store":`

// noSum has the place of the checksum until seal writes it.
const noSum = "00000000 "

// seal writes the checksum of a record that begins at start, and ends the line.
func seal(line []byte, start int) []byte {
	const digits = "0123456789abcdef"
	sum := crc32.Checksum(line[start+sumLen:], castagnoli)
	for i := range 8 {
		line[start+i] = digits[sum>>(28-4*i)&15]
	}
	return append(line, '\n')
}

var errDamaged = errors.New("the record is damaged")

// checked returns the JSON of a line without its end.
func checked(line []byte) ([]byte, error) {
	if len(line) <= sumLen {
		return nil, errDamaged
	}
	sum, err := strconv.ParseUint(string(line[:sumLen-1]), 16, 32)
	body := line[sumLen:]
	if err != nil || line[sumLen-1] != ' ' || uint32(sum) != crc32.Checksum(body, castagnoli) {
		return nil, errDamaged
	}
	return body, nil
}

// parse decodes a line without its end.
func parse(line []byte, repeats *conversation.Repeats) (Record, error) {
	body, err := checked(line)
	if err != nil {
		return Record{}, err
	}
	if head, _, _ := bytes.Cut(body, []byte(ownHead)); len(head) < len(`{"v":00000`) {
		return parseOwn(body)
	}
	e, err := repeats.Decode(body)
	if errors.Is(err, conversation.ErrRepeats) {
		err = errDamaged // as is what it repeats
	}
	return Record{Event: e}, err
}

func parseOwn(body []byte) (Record, error) {
	var r own[json.RawMessage]
	if err := json.Unmarshal(body, &r); err != nil {
		return Record{}, err
	}
	switch r.Kind {
	case kindSession:
		m := new(Meta)
		err := json.Unmarshal(r.Data, m)
		m.Stored = m.Cwd
		for _, dir := range []*string{&m.Cwd, &m.From} { // so that a project is found that was moved
			if real, err := fs.Resolve(*dir); err == nil && filepath.IsAbs(*dir) {
				*dir = real
			}
		}
		return Record{Meta: m}, err
	case kindTitle:
		var t titled
		err := json.Unmarshal(r.Data, &t)
		return Record{Title: &t.Title}, err
	}
	return Record{}, fmt.Errorf("a record of the kind %q is not known", r.Kind)
}
