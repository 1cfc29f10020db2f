package acpclient

import "fmt"

// Refusal is the error for a message that is too long: a Transport writes the message to it, and returns it.
// It keeps the message's members without what is in them, so that Conn can answer.
type Refusal struct {
	// Limit is the maximum size of a message in bytes.
	Limit int

	size            int
	outline         []byte
	depth           int
	quoted, escaped bool
	from            int // where the string that was read last begins in outline
}

// mostString and mostOutline limit what a Refusal keeps of a string and of all, in bytes.
const mostString, mostOutline = 1 << 10, 16 << 10

// Write implements io.Writer. It never fails.
func (r *Refusal) Write(b []byte) (int, error) {
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
		}
		switch long := quoted && len(r.outline)-r.from > mostString; {
		case min(depth, r.depth) > 1 || long && r.quoted: // inside a member
		case long:
			r.outline = append(r.outline[:r.from], "null"...)
		case len(r.outline) < mostOutline:
			r.outline = append(r.outline, c)
		}
	}
	return len(b), nil
}

// Error implements error.
func (r *Refusal) Error() string {
	return fmt.Sprintf("%v: it has %d bytes, the limit is %d", ErrMessageRefused, r.size, r.Limit)
}

// Unwrap returns ErrMessageRefused.
func (r *Refusal) Unwrap() error { return ErrMessageRefused }
