package conversation

import (
	"bytes"
	"container/list"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"unicode/utf8"

	"parley/acpclient"
)

// Lines that repeat
//
// Some agents send all output of a call so far with each update. In a log, such an update leaves out
// the beginnings of its long strings that the update before it, of the same call or kind, has too:
//
//	{"v":2,"event":"update","kept":[[140,132,5000]],"of":1234,"at":…,"data":{…}}
//
// "kept" says what is missing: before the byte 140 of the data, the 5000 bytes from 132 on of the
// data of the update before, whose whole data have the CRC-32 "of".

// ErrRepeats reports a line that repeats one that is not known.
var ErrRepeats = errors.New("the line repeats one that is missing")

// Repeats are the earlier updates of a log that later ones may repeat. Each writer and each reader of
// a log has its own. With a nil one, Decode returns of an event that repeats only what is new.
type Repeats struct {
	by     map[any]*list.Element
	recent list.List // of *sent, the latest first
	size   int
	queue  map[int]*QueuedPrompt // of the last line with a queue
}

const (
	repeatHead   = `{"v":2,"event":"update","kept":`
	leastRepeat  = 1 << 10  // bytes of a string that are worth leaving out
	mostRepeated = 16 << 20 // bytes of updates that are remembered
	mostLong     = 32       // strings of an update that are looked at
)

// sent are the data of an update.
type sent struct {
	key   any
	data  []byte
	long  [][2]int // where long strings are in the data
	since int      // bytes written since the last update like this was written whole
}

// kept are bytes of an update that begin a string at the offset from of the one before it. At
// is where they belong in the data that lack them.
type kept [3]int

func (k kept) at() int   { return k[0] }
func (k kept) from() int { return k[1] }
func (k kept) end() int  { return k[1] + k[2] }

// repeatable is which earlier update one may repeat, and whether it is the last, since its call is over.
func repeatable(u Update) (k any, last bool) {
	type key struct {
		session acpclient.SessionID
		kind    string
		call    acpclient.ToolCallID
	}
	switch t := u.Update.(type) {
	case *acpclient.ToolCall:
		return key{u.Session, "", t.ToolCallID}, ended(t.Status)
	case *acpclient.ToolCallUpdate:
		return key{u.Session, "", t.ToolCallID}, t.Status != nil && ended(*t.Status)
	}
	return key{u.Session, u.Update.UpdateKind(), ""}, false
}

// remember has later updates repeat this one, unless it is the last.
func (r *Repeats) remember(s *sent, last bool) {
	if len(s.data) < leastRepeat {
		return
	}
	if known := r.by[s.key]; known != nil {
		r.forget(known)
	}
	if last || len(s.long) == 0 {
		return
	}
	if r.by == nil {
		r.by = map[any]*list.Element{}
	}
	r.by[s.key] = r.recent.PushFront(s)
	for r.size += len(s.data); r.size > mostRepeated; {
		r.forget(r.recent.Back())
	}
}

func (r *Repeats) forget(e *list.Element) {
	s := r.recent.Remove(e).(*sent)
	r.size -= len(s.data)
	delete(r.by, s.key)
}

// last returns what an update may repeat, or nil.
func (r *Repeats) last(key any) *sent {
	if e := r.by[key]; e != nil {
		return e.Value.(*sent)
	}
	return nil
}

// AppendEncode is [AppendEncode] for the next event of a log.
func (r *Repeats) AppendEncode(dst []byte, e Event) ([]byte, error) {
	if q, is := e.(QueueChanged); is {
		return r.appendQueue(dst, q)
	}
	line, err := AppendEncode(dst, e)
	u, is := e.(Update)
	if err != nil || !is || len(line)-len(dst) < leastRepeat {
		return line, err
	}
	key, over := repeatable(u)
	last := r.last(key)
	if last == nil && over {
		return line, nil
	}
	_, at, data := plainLine(bytes.Clone(line[len(dst):]))
	next := &sent{key: key, data: data, long: longStrings(data)}
	if last != nil {
		// Now and then one is whole, so that damage does not cost all that follow.
		if all, short := last.keptIn(next); len(all) > 0 && last.since+len(short) < len(data) {
			// A reader only has what is left: that must be enough to find the update that it repeats.
			if left, err := decodeUpdate(nil, short); err == nil {
				if likes, _ := repeatable(left); likes == key {
					next.since = last.since + len(short)
					line = appendRepeat(line[:len(dst)], all, crc32.ChecksumIEEE(last.data), at, short)
				}
			}
		}
	}
	r.remember(next, over)
	return line, nil
}

func appendRepeat(dst []byte, all []kept, of uint32, at, short []byte) []byte {
	where, _ := json.Marshal(all) // numbers always encode
	dst = fmt.Appendf(dst, `%s%s,"of":%d`, repeatHead, where, of)
	if len(at) > 0 {
		dst = append(append(dst, timeKey...), at...)
	}
	return append(append(append(dst, dataKey...), short...), '}')
}

// Decode is [Decode] for the next line of a log.
func (r *Repeats) Decode(line []byte) (Event, error) {
	switch {
	case bytes.HasPrefix(line, []byte(queueHead)):
		line = append([]byte(`{"v":1`), line[len(`{"v":2`):]...)
		fallthrough
	case !bytes.HasPrefix(line, []byte(repeatHead)):
		e, err := Decode(line)
		if u, is := e.(Update); is && r != nil {
			key, over := repeatable(u)
			r.remember(&sent{key: key, data: u.Raw, long: longStrings(u.Raw)}, over)
		} else if q, is := e.(QueueChanged); is && r != nil {
			e = r.whole(q)
		}
		return e, err
	}
	var l struct {
		Kept     []kept
		Of       uint32
		At, Data json.RawMessage
	}
	if err := json.Unmarshal(line, &l); err != nil {
		return nil, fmt.Errorf("decode an update: %w", err)
	}
	u, err := decodeUpdate(l.At, l.Data)
	if err != nil || r == nil {
		return u, err
	}
	key, _ := repeatable(u)
	last := r.last(key)
	if last == nil || crc32.ChecksumIEEE(last.data) != l.Of {
		return nil, ErrRepeats
	}
	data, err := last.whole(l.Kept, l.Data)
	if err == nil {
		u, err = decodeUpdate(l.At, data)
	}
	if err != nil {
		return nil, err
	}
	_, over := repeatable(u)
	r.remember(&sent{key: key, data: data, long: longStrings(data)}, over)
	return u, nil
}

// keptIn returns what the next update has of s, and its data without that.
func (s *sent) keptIn(next *sent) (all []kept, short []byte) {
	data, done := next.data, 0
	for _, own := range next.long {
		best := kept{}
		for _, old := range s.long {
			if n := common(s.data[old[0]:old[1]], data[own[0]:own[1]]); n > best[2] {
				best = kept{0, old[0], n}
			}
		}
		if best[2] < leastRepeat {
			continue
		}
		short = append(short, data[done:own[0]]...)
		best[0], done = len(short), own[0]+best[2]
		all = append(all, best)
	}
	return all, append(short, data[done:]...)
}

// longStrings returns where the strings are in JSON that are worth leaving out.
func longStrings(data []byte) (all [][2]int) {
	for at := 0; ; {
		i := bytes.IndexByte(data[at:], '"')
		if i < 0 {
			return all
		}
		from := at + i + 1
		if at = from + stringLen(data[from:]); at-from >= leastRepeat {
			if all = append(all, [2]int{from, at}); len(all) == mostLong {
				return all
			}
		}
		at++
	}
}

// stringLen returns the length of the string that JSON begins in.
func stringLen(b []byte) int {
	for at := 0; ; at++ {
		i := bytes.IndexByte(b[at:], '"')
		if i < 0 {
			return len(b)
		}
		at += i
		if slashes := at - len(bytes.TrimRight(b[:at], `\`)); slashes%2 == 0 {
			return at
		}
	}
}

// common returns how many bytes two strings begin with in common, as they are in JSON: up to the end
// of a word if possible.
func common(a, b []byte) int {
	n, step := 0, 1<<10
	for ; step > 0; step /= 2 {
		for n+step <= min(len(a), len(b)) && bytes.Equal(a[n:n+step], b[n:n+step]) {
			n += step
		}
	}
	if n == len(b) {
		return n
	}
	const near = 100
	start := max(0, n-near)
	switch i := bytes.LastIndexAny(b[start:n], ` \`) + start; {
	case i < start:
		for n > 0 && !utf8.RuneStart(b[n]) {
			n--
		}
		return n
	case b[i] == ' ':
		return i + 1
	default: // the backslash, or the first of several
		return len(bytes.TrimRight(b[:i], `\`))
	}
}

// whole returns the data of an update that are short and what is kept of s.
func (s *sent) whole(all []kept, short []byte) (data []byte, err error) {
	size := len(short)
	for _, k := range all {
		size += max(0, k[2])
	}
	data = make([]byte, 0, min(size, len(short)+len(all)*len(s.data)))
	done := 0
	for _, k := range all {
		if k.at() < done || k.at() > len(short) || k.from() < 1 || k[2] < 0 || k.end() > len(s.data) {
			return nil, ErrRepeats
		}
		data = append(append(data, short[done:k.at()]...), s.data[k.from():k.end()]...)
		done = k.at()
	}
	return append(data, short[done:]...), nil
}
