package acpclient

import (
	"bytes"
	"fmt"
	"slices"
)

// Joined is a message that a Transport reads in parts. Of one that is longer than Limit it keeps only what
// Refusal says.
type Joined struct {
	// Limit is the maximum size of a message in bytes.
	Limit int

	message []byte
	refused *Refusal
}

// Write implements io.Writer. It never fails.
func (j *Joined) Write(part []byte) (int, error) {
	size := len(j.message) + len(part)
	if j.refused == nil && size > j.Limit {
		j.refused = &Refusal{limit: j.Limit}
		j.refused.write(j.message)
	}
	if j.refused != nil {
		j.refused.write(part)
		return len(part), nil
	}
	if size > cap(j.message) {
		j.message = slices.Grow(j.message, size) // double it: append adds only a quarter
	}
	j.message = append(j.message, part...)
	return len(part), nil
}

// Take returns the message until the next Write, or a Refusal, and begins the next one.
func (j *Joined) Take() ([]byte, error) {
	message, refused := j.message, j.refused
	if j.refused, j.message = nil, message[:0]; cap(message) > keepBuffer {
		j.message = nil
	}
	if refused != nil {
		return nil, refused
	}
	return message, nil
}

// Refusal is the error for a message that is too long. It keeps the members by which Conn answers it, without
// what is in them.
type Refusal struct {
	limit           int
	size            int
	outline         []byte
	depth           int
	quoted, escaped bool
	member, from    int // where in outline the last member begins, with its comma, and the last string
}

// mostString and mostOutline limit what a Refusal keeps of a string and of all, in bytes.
const mostString, mostOutline = 1 << 10, 16 << 10

// Outline returns the members that the refusal has kept: JSON if the message was.
func (r *Refusal) Outline() []byte { return r.outline }

func (r *Refusal) write(b []byte) {
	r.size += len(b)
	for _, c := range b {
		depth, quoted := r.depth, r.quoted
		switch {
		case r.escaped:
			r.escaped = false
		case quoted:
			r.escaped, r.quoted = c == '\\', c != '"'
		case c == '"':
			r.quoted, r.from = true, len(r.outline)
		case c == '{', c == '[':
			r.depth++
		case c == '}', c == ']':
			r.depth--
		case c == ' ', c == '\t', c == '\r', c == '\n':
			continue
		}
		if !quoted && depth == 1 && (c == ',' || r.depth == 0) {
			r.endMember()
		}
		switch long := quoted && len(r.outline)-r.from > mostString; {
		case min(depth, r.depth) > 1 || long && r.quoted: // inside a member
		case long:
			r.outline = append(r.outline[:r.from], "null"...)
		case c == ',' && !quoted && len(r.outline) == 1: // what was before it is left out
		case len(r.outline) < mostOutline:
			r.outline = append(r.outline, c)
		}
	}
}

// endMember leaves out the last member, unless Conn needs it.
func (r *Refusal) endMember() {
	at := max(r.member, len("{"))
	key, _, _ := bytes.Cut(bytes.TrimPrefix(r.outline[at:], []byte(",")), []byte(":"))
	switch string(key) {
	case `"id"`, `"method"`, `"result"`, `"error"`:
	default:
		r.outline = r.outline[:at]
	}
	r.member = len(r.outline)
}

// Error implements error.
func (r *Refusal) Error() string {
	return fmt.Sprintf("%v: it has %d bytes, the limit is %d", ErrMessageRefused, r.size, r.limit)
}

// Unwrap returns ErrMessageRefused.
func (r *Refusal) Unwrap() error { return ErrMessageRefused }
