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

// A record is a line: the CRC-32C of its JSON in eight hexadecimal digits, a blank,
// the JSON, a line feed. The JSON is an event as package conversation writes it, or
// one of the store's own:
//
//	{"v":1,"store":"session","data":{"id":…,"cwd":…}}
//	{"v":1,"store":"title","data":{"title":"…"}}
//
// A record whose sum is wrong is left out. If what ends a record was damaged, two of
// them stand on one line: each is looked for.

// sumLen is how long the sum and the blank behind it are.
const sumLen = 9

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// recordHead begins the JSON of every record.
const recordHead = ` {"v":`

// Kinds of the store's own records.
const (
	kindSession = "session"
	kindTitle   = "title"
)

// version is that of the store's own records.
const version = 1

// titled is the data of a title.
type titled struct {
	Title string `json:"title"`
}

// Record is one thing that a log says. One of its fields is set.
type Record struct {
	// Offset is where the record begins in the log, in bytes, and End where the line
	// ends that it stands on; End is 0 as long as that has no end.
	Offset, End int64
	Event       conversation.Event
	Meta        *Meta
	// Title is what the person has called the session.
	Title *string
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

// own is a record of the store's own.
type own[T any] struct {
	Version int    `json:"v"`
	Kind    string `json:"store"`
	Data    T      `json:"data"`
}

// ownHead begins their JSON, behind the version.
const ownHead = `,"store":`

// appendOwn appends a record of the store's own.
func appendOwn(dst []byte, kind string, data any) ([]byte, error) {
	body, err := json.Marshal(own[any]{version, kind, data})
	if err != nil {
		return dst, fmt.Errorf("store the %s: %w", kind, err)
	}
	return seal(append(append(dst, "00000000 "...), body...), len(dst)), nil
}

// seal puts the sum before the JSON of the record that begins at start, and ends it.
func seal(line []byte, start int) []byte {
	const digits = "0123456789abcdef"
	sum := crc32.Checksum(line[start+sumLen:], castagnoli)
	for i := range 8 {
		line[start+i] = digits[sum>>(28-4*i)&15]
	}
	return append(line, '\n')
}

// errDamaged says that a line is no record, or not as it was written.
var errDamaged = errors.New("the record is damaged")

// parse makes the record of a line without its end.
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

// maxSalvage is how many records are looked for in a damaged line.
const maxSalvage = 64

// salvage gives the records that stand whole in a damaged line, with where they begin
// in it.
func salvage(line []byte, found func(at int, r Record)) {
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
	for i, start := range starts {
		// A record ends before the damaged line end, of which the line may have kept one, or
		// none. What looks like the beginning of the next may be a part of this one.
		for _, end := range append(starts[i+1:len(starts):len(starts)], len(line), len(line)+1) {
			if r, err := parse(line[start : end-1]); err == nil {
				found(start, r)
				break
			}
		}
	}
}
