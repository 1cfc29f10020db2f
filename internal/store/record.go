package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"strconv"

	"parley/internal/conversation"
)

// A record is a line: the CRC-32C of its JSON in eight hexadecimal digits, a space, the
// JSON, a line feed. The JSON is an event as package conversation encodes it, or one of
// the store's own:
//
//	{"v":1,"store":"session","data":{"id":…,"cwd":…}}
//	{"v":1,"store":"title","data":{"title":"…"}}
//
// Reading skips a record whose checksum is wrong. If a line end was damaged, two
// records are on one line, and each is looked for.

// sumLen is the length of the checksum and the space after it.
const sumLen = 9

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// recordHead begins the JSON of every record.
const recordHead = ` {"v":`

// Kinds of the store's own records.
const (
	kindSession = "session"
	kindTitle   = "title"
)

// version is the version of the store's own records.
const version = 1

// titled is the data of a title.
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

// appendEvent appends the record of an event.
func appendEvent(dst []byte, e conversation.Event) ([]byte, error) {
	start := len(dst)
	line, err := conversation.AppendEncode(append(dst, "00000000 "...), e)
	if err != nil {
		return dst, err
	}
	return seal(line, start), nil
}

// own is one of the store's own records.
type own[T any] struct {
	Version int    `json:"v"`
	Kind    string `json:"store"`
	Data    T      `json:"data"`
}

// ownHead begins their JSON, after the version.
const ownHead = `,"store":`

// appendOwn appends one of the store's own records.
func appendOwn(dst []byte, kind string, data any) ([]byte, error) {
	body, err := json.Marshal(own[any]{version, kind, data})
	if err != nil {
		return dst, fmt.Errorf("store the %s: %w", kind, err)
	}
	return seal(append(append(dst, "00000000 "...), body...), len(dst)), nil
}

// seal puts the checksum before the JSON that begins at start, and ends the line.
func seal(line []byte, start int) []byte {
	const digits = "0123456789abcdef"
	sum := crc32.Checksum(line[start+sumLen:], castagnoli)
	for i := range 8 {
		line[start+i] = digits[sum>>(28-4*i)&15]
	}
	return append(line, '\n')
}

// errDamaged means that a line is not a valid record.
var errDamaged = errors.New("the record is damaged")

// parse decodes a line without its end.
func parse(line []byte) (Record, error) {
	if len(line) <= sumLen {
		return Record{}, errDamaged
	}
	sum, err := strconv.ParseUint(string(line[:sumLen-1]), 16, 32)
	body := line[sumLen:]
	if err != nil || line[sumLen-1] != ' ' || uint32(sum) != crc32.Checksum(body, castagnoli) {
		return Record{}, errDamaged
	}
	if head, _, _ := bytes.Cut(body, []byte(ownHead)); len(head) < len(`{"v":00000`) {
		return parseOwn(body)
	}
	e, err := conversation.Decode(body)
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
		return Record{Meta: m}, json.Unmarshal(r.Data, m)
	case kindTitle:
		var t titled
		err := json.Unmarshal(r.Data, &t)
		return Record{Title: &t.Title}, err
	}
	return Record{}, fmt.Errorf("a record of the kind %q is not known", r.Kind)
}

// maxSalvage bounds the records looked for in a damaged line.
const maxSalvage = 64

// salvage finds the intact records in a damaged line, with their offsets. lost means that
// there was more.
func salvage(line []byte) (found []Record, lost bool) {
	var starts []int
	for at := 0; len(starts) < maxSalvage; {
		next := bytes.Index(line[at:], []byte(recordHead))
		if next < 0 {
			break
		}
		if start := at + next - (sumLen - 1); start >= 0 {
			starts = append(starts, start)
		}
		at += next + 1
	}
	covered := 0
	for i, start := range starts {
		// A record ends before the damaged line end, of which the line may contain one
		// byte or none. What looks like the beginning of the next may be part of this
		// one.
		for _, end := range append(starts[i+1:len(starts):len(starts)], len(line), len(line)+1) {
			if r, err := parse(line[start : end-1]); err == nil {
				r.Offset = int64(start)
				found = append(found, r)
				covered += end - start
				break
			}
		}
	}
	return found, covered < len(line)
}
