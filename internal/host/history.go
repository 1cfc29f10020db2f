package host

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"parley/config"
	"parley/internal/conversation"
)

// history is every event of the session as a line, in a file that ends with the host. A position
// in it is a number of events. Beyond a bound it loses the large contents of the oldest events,
// and, if that is not enough, the oldest of what was streamed; whoever has not read that yet goes
// on with what is left of it. It is safe for concurrent use.
type history struct {
	most   int64                    // bound of the file, in bytes
	rest   int                      // bound of held, in bytes
	open   func() openKeys          // returns what open questions need
	seed   maphash.Seed             // of the hashes of keys, which nobody can choose
	create func() (*os.File, error) // makes another file

	mu     sync.RWMutex
	path   string
	file   file
	filed  int64  // bytes in the file, whole records
	held   []byte // the records after them, while the file cannot be written
	marks  []mark // where records begin, about one for each markEvery bytes
	end    int64  // how many events there are
	closed bool
	grown  chan struct{}
	// left and restLeft are the bytes that remained when the history, and held, were last thinned.
	left     int64
	restLeft int
}

// file is what a history needs of an [os.File].
type file interface {
	io.ReaderAt
	io.WriterAt
	io.Closer
}

// mark says where the record begins that comes after a number of events.
type mark struct{ after, at int64 }

// The bounds of a history.
const (
	// MostHistory bounds the file.
	MostHistory = 256 << 20
	mostHeld    = 16 << 20
	markEvery   = 16 << 10
	// writeAtOnce is about how many bytes are encoded before they are written.
	writeAtOnce = 1 << 20
)

// A record is its head and a line with its end. The head is, in big-endian order: how many events
// there are with it (8 bytes), the length of the line (4), what it is needed for (1, a
// [conversation.Need]), and a hash of the key of that (8).
const headSize = 21

type head struct {
	number int64
	size   int
	need   conversation.Need
	key    uint64
}

func (h head) append(b []byte) []byte {
	b = binary.BigEndian.AppendUint64(b, uint64(h.number))
	b = binary.BigEndian.AppendUint32(b, uint32(h.size))
	return binary.BigEndian.AppendUint64(append(b, byte(h.need)), h.key)
}

func headOf(b []byte) head {
	return head{int64(binary.BigEndian.Uint64(b)), int(binary.BigEndian.Uint32(b[8:])), conversation.Need(b[12]), binary.BigEndian.Uint64(b[13:])}
}

// openKeys are the keys of records that open questions need: of the questions, and of their calls.
type openKeys struct{ questions, calls []string }

// hashes are the hashes of keys.
func hashes(seed maphash.Seed, keys []string) map[uint64]bool {
	all := make(map[uint64]bool, len(keys))
	for _, key := range keys {
		all[maphash.String(seed, key)] = true
	}
	return all
}

// appendRecord appends the record of an event. It returns b unchanged if the event cannot be encoded.
func (h *history) appendRecord(b []byte, number int64, e conversation.Event) ([]byte, error) {
	need, key := conversation.NeedOf(e)
	r := head{number: number, need: need, key: maphash.String(h.seed, key)}
	start := len(b)
	b = append(b, make([]byte, headSize)...)
	b, err := conversation.AppendEncode(b, e)
	if err != nil {
		return b[:start], err
	}
	b = append(b, '\n')
	r.size = len(b) - start - headSize
	r.append(b[start:start])
	return b, nil
}

// historyEnd ends the names of the files of histories.
const historyEnd = ".history"

// newHistory makes the history of a host, in a file of its directory that has its id, and at most
// so many bytes; 0 is [MostHistory]. open returns what open questions need.
func newHistory(dir, id string, most int64, open func() openKeys) (*history, error) {
	h := &history{most: most, rest: mostHeld, open: open, seed: maphash.MakeSeed(), path: filepath.Join(dir, id+historyEnd), grown: make(chan struct{})}
	if most <= 0 || most > MostHistory {
		h.most = MostHistory
	}
	h.create = func() (*os.File, error) { return lockedFile(dir) }
	f, err := h.create()
	if err != nil {
		return nil, err
	}
	if err := os.Rename(f.Name(), h.path); err != nil {
		return nil, errors.Join(err, f.Close(), os.Remove(f.Name()))
	}
	h.file = f
	return h, nil
}

// lockedFile makes a file in a directory that is locked as long as its process lives: see
// [HistoryBytes].
func lockedFile(dir string) (*os.File, error) {
	f, err := os.CreateTemp(dir, ".new-*"+historyEnd)
	if err != nil {
		return nil, err
	}
	if ok, err := config.TryLock(f); err != nil || !ok {
		return nil, errors.Join(err, errors.New("the new history cannot be locked"), f.Close(), os.Remove(f.Name()))
	}
	return f, nil
}

// lockTime is how old a history is at least that is removed because nobody has locked it.
const lockTime = time.Minute

// HistoryBytes returns how many bytes the histories of the hosts that run take on the disk. It
// removes those of hosts that were killed.
func HistoryBytes() (int64, error) {
	dir, err := HistoryDir()
	if err != nil {
		return 0, err
	}
	return historyBytes(dir)
}

func historyBytes(dir string) (total int64, err error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*"+historyEnd))
	for _, path := range paths {
		f, err := os.Open(path)
		if err != nil {
			continue // its host has just ended
		}
		if info, err := f.Stat(); err == nil {
			total += info.Size()
			if time.Since(info.ModTime()) > lockTime {
				if dead, err := config.TryLock(f); err == nil && dead && os.Remove(path) == nil {
					total -= info.Size()
				}
				config.Unlock(f)
			}
		}
		_ = f.Close()
	}
	return total, err
}

// add adds events. Those that cannot be encoded are left out. While the file cannot be written,
// they are kept in memory, within a bound. The error says both.
func (h *history) add(batch []conversation.Event) (problem error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	var full error
	for _, e := range batch {
		at := h.size()
		held, err := h.appendRecord(h.held, h.end+1, e)
		h.held = held
		if err != nil {
			problem = errors.Join(problem, fmt.Errorf("viewers do not see an event: %w", err))
			continue
		}
		h.marks = marked(h.marks, mark{h.end, at})
		h.end++
		if full == nil && len(h.held) >= writeAtOnce {
			full = h.write()
		}
	}
	if full == nil {
		full = h.write()
	}
	if full != nil {
		problem = errors.Join(problem, fmt.Errorf("the history is kept in memory: %w", full))
	}
	h.tell()
	return problem
}

// tell wakes those who wait for more. h.mu must be held.
func (h *history) tell() {
	close(h.grown)
	h.grown = make(chan struct{})
}

// marked adds a mark, unless it is close to the last one.
func marked(marks []mark, m mark) []mark {
	if len(marks) > 0 && m.at-marks[len(marks)-1].at < markEvery {
		return marks
	}
	return append(marks, m)
}

// size returns how many bytes there are. h.mu must be held.
func (h *history) size() int64 { return h.filed + int64(len(h.held)) }

// write writes what is held, and thins the history if it is too large then. h.mu must be held.
func (h *history) write() error {
	n, err := h.file.WriteAt(h.held, h.filed)
	if err != nil {
		n = wholeRecords(h.held[:n])
	}
	h.filed += int64(n)
	switch {
	case n == len(h.held) && cap(h.held) <= 2*writeAtOnce:
		h.held = h.held[:0]
	case n > 0:
		h.held = slices.Clone(h.held[n:])
	}
	h.restLeft = min(h.restLeft, len(h.held))
	if h.size() > max(h.most, h.left+h.most/4) {
		if err = h.thin(); err != nil {
			h.left = h.size() // it is tried again when it has grown
		}
	}
	if len(h.held) > max(h.rest, h.restLeft+h.rest/4) {
		err = errors.Join(err, h.thinHeld())
	}
	return err
}

// wholeRecords returns how many bytes of b are whole records.
func wholeRecords(b []byte) (n int) {
	for len(b)-n >= headSize {
		end := n + headSize + headOf(b[n:]).size
		if end > len(b) {
			break
		}
		n = end
	}
	return n
}

// thin rewrites the history into another file, at half of its bound. h.mu must be held.
func (h *history) thin() error {
	f, err := h.create()
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(io.NewOffsetWriter(f, 0), writeAtOnce)
	all := func() io.Reader {
		return io.MultiReader(io.NewSectionReader(h.file, 0, h.filed), bytes.NewReader(h.held))
	}
	marks, size, err := h.thinned(all, h.size(), h.most/2, h.left > h.most*5/8, out)
	if err == nil {
		err = out.Flush()
	}
	if err == nil {
		err = os.Rename(f.Name(), h.path)
	}
	if err != nil {
		return errors.Join(err, f.Close(), os.Remove(f.Name()))
	}
	old := h.file
	h.file, h.filed, h.held, h.marks, h.left, h.restLeft = f, size, nil, marks, size, 0
	return old.Close()
}

// thinHeld thins what is in memory alone. h.mu must be held.
func (h *history) thinHeld() error {
	var out bytes.Buffer
	all := func() io.Reader { return bytes.NewReader(h.held) }
	marks, size, err := h.thinned(all, int64(len(h.held)), int64(h.rest/2), h.restLeft > h.rest*5/8, &out)
	if err != nil {
		return err
	}
	kept, _ := slices.BinarySearchFunc(h.marks, h.filed, func(m mark, at int64) int { return int(m.at - at) })
	h.marks = h.marks[:kept]
	for _, m := range marks {
		h.marks = append(h.marks, mark{m.after, h.filed + m.at})
	}
	h.held, h.restLeft = out.Bytes(), int(size)
	return nil
}

// lightSize is about how many bytes a record has that has lost its contents; those that have no
// more stay as they are.
const lightSize = 1 << 10

// thinned writes the records of a history of a size to out so that about most bytes are left, if it
// can. The oldest lose first: large ones their contents, and if that is not enough, or hard, what
// was streamed is left out. It returns where records are then, and how many bytes.
func (h *history) thinned(all func() io.Reader, size, most int64, hard bool, out io.Writer) (marks []mark, written int64, err error) {
	open := h.open()
	questions, calls := hashes(h.seed, open.questions), hashes(h.seed, open.calls)
	type superseded struct {
		opening int // of which session
		key     uint64
	}
	last := map[superseded]int64{} // the number of the last one with a key
	light, openings := size, 0     // about how many bytes without contents
	err = eachRecord(all(), func(h head, skip func() error, _ func() ([]byte, error)) error {
		switch {
		case h.need == conversation.Superseded:
			last[superseded{openings, h.key}] = h.number
		case h.need == conversation.Opens:
			openings++
		case h.size > lightSize:
			light -= int64(h.size - lightSize)
		}
		return skip()
	})
	if err != nil {
		return nil, 0, err
	}
	hard = hard || light > most+most/2
	openings = 0
	var before, gap int64 // the number of the record before, and of the last one in a gap
	put := func(record []byte) error {
		marks = marked(marks, mark{before, written})
		before = headOf(record).number
		written += int64(len(record))
		_, err := out.Write(record)
		return err
	}
	remaining := size    // bytes of those that are not read yet
	forCalls := most / 4 // bytes that calls of open questions may keep
	err = eachRecord(all(), func(r head, skip func() error, read func() ([]byte, error)) error {
		fits := written+remaining <= most
		length := int64(headSize + r.size)
		whole := r.need == conversation.Asked && questions[r.key]
		if r.need == conversation.Called && calls[r.key] && length <= forCalls {
			whole = true
			forCalls -= length
		}
		remaining -= length
		switch {
		case r.need == conversation.Opens:
			openings++
		case fits || whole || r.need == conversation.Needed || remaining == 0: // the last one stays, so that the history ends there
		case r.need == conversation.Superseded:
			if last[superseded{openings, r.key}] != r.number {
				return skip()
			}
		case hard:
			gap = r.number
			return skip()
		}
		if gap > 0 {
			record, err := h.appendRecord(nil, gap, conversation.LeftOutHere())
			if err = errors.Join(err, put(record)); err != nil {
				return err
			}
			gap = 0
		}
		record, err := read()
		if err != nil {
			return err
		}
		if !fits && !whole && r.size > lightSize && r.need != conversation.Superseded {
			record = h.lightened(r.number, record, hard)
		}
		return put(record)
	})
	return marks, written, err
}

// lightened returns the record without large contents.
func (h *history) lightened(number int64, record []byte, hard bool) []byte {
	e, err := conversation.Decode(record[headSize : len(record)-1])
	if err != nil {
		return record
	}
	light, err := h.appendRecord(nil, number, conversation.Lighten(e, hard))
	if err != nil || len(light) >= len(record) {
		return record
	}
	return light
}

// eachRecord calls f with each record. It calls either skip, or read, which returns the record.
func eachRecord(from io.Reader, f func(h head, skip func() error, read func() ([]byte, error)) error) error {
	in := bufio.NewReaderSize(from, 256<<10)
	var record []byte
	for {
		start, err := in.Peek(headSize)
		if errors.Is(err, io.EOF) && len(start) == 0 {
			return nil
		} else if err != nil {
			return err
		}
		h := headOf(start)
		skip := func() error {
			_, err := in.Discard(headSize + h.size)
			return err
		}
		read := func() ([]byte, error) {
			record = slices.Grow(record[:0], headSize+h.size)[:headSize+h.size]
			_, err := io.ReadFull(in, record)
			return record, err
		}
		if err := f(h, skip, read); err != nil {
			return err
		}
	}
}

// events returns how many events there are now.
func (h *history) events() int64 {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return h.end
}

// close says that nothing more comes.
func (h *history) close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	h.tell()
}

// discard gives the space back. Nobody may read any more.
func (h *history) discard() error {
	err := os.Remove(h.path)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil // somebody has tidied up
	}
	return errors.Join(err, h.file.Close())
}

// errOver means that the history is read to its end, and that nothing more comes.
var errOver = errors.New("the history is complete")

// read waits until the history goes on after a position, and returns whole lines from there, about
// as many bytes as most, and the position after them. It has room for them in buf, or makes more.
func (h *history) read(ctx context.Context, at int64, most int, buf []byte) (lines []byte, next int64, err error) {
	for {
		h.mu.RLock()
		lines, next, err = h.lines(at, most, buf)
		closed, grown := h.closed, h.grown
		h.mu.RUnlock()
		if err != nil || len(lines) > 0 {
			return lines, next, err
		}
		if closed {
			return nil, at, errOver
		}
		select {
		case <-grown:
		case <-ctx.Done():
			return nil, at, ctx.Err()
		}
	}
}

// errAltered means that another program has written into the file of a history.
var errAltered = errors.New("its file has been altered")

// lines returns whole lines after a position, none if there are none. h.mu must be held.
func (h *history) lines(at int64, most int, buf []byte) ([]byte, int64, error) {
	i, exact := slices.BinarySearchFunc(h.marks, at, func(m mark, at int64) int { return int(m.after - at) })
	if !exact {
		i--
	}
	if i < 0 {
		i = 0
	}
	if len(h.marks) == 0 || at >= h.end {
		return nil, at, nil
	}
	from := h.marks[i].at
	for most += markEvery; ; most *= 2 {
		size := int(min(int64(most), h.size()-from))
		if cap(buf) < size {
			buf = make([]byte, size)
		}
		buf = buf[:size]
		if err := h.readAt(buf, from); err != nil {
			return nil, at, err
		}
		n, next := 0, at
		for rest := buf; len(rest) >= headSize; {
			r := headOf(rest)
			if r.size == 0 || r.number <= 0 || r.number > h.end || int64(r.size) > h.size() {
				return nil, at, errAltered
			}
			if len(rest) < headSize+r.size {
				break
			}
			if r.number > at {
				n, next = n+copy(buf[n:], rest[headSize:headSize+r.size]), r.number
			}
			rest = rest[headSize+r.size:]
		}
		if n > 0 || from+int64(size) == h.size() {
			return buf[:n], next, nil
		}
	}
}

// readAt reads from the file and from what comes after it. h.mu must be held.
func (h *history) readAt(b []byte, at int64) error {
	n := 0
	if at < h.filed {
		var err error
		if n, err = h.file.ReadAt(b[:min(int64(len(b)), h.filed-at)], at); n < len(b) && at+int64(n) < h.filed {
			return err
		}
	}
	copy(b[n:], h.held[min(int64(len(h.held)), max(0, at+int64(n)-h.filed)):])
	return nil
}
