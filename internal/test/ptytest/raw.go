package ptytest

import (
	"strconv"
	"strings"
	"time"
)

// record is the output of a program, byte by byte, as a screen reader or a terminal that
// cannot move its cursor gets it.
type record struct {
	all  strings.Builder
	read int // up to where a test has read
}

func (r *record) add(b []byte) {
	if r != nil {
		r.all.Write(b)
	}
}

// Raw is all that the program has written so far, with every control sequence. The
// options must have said that it is kept.
func (term *Terminal) Raw() string {
	term.mu.Lock()
	defer term.mu.Unlock()
	return term.kept.all.String()
}

// Reads reads on, from where the last Reads has ended, to the end of each of the texts,
// one after the other, and waits for them. It does not look at the screen: it reads what
// the program writes, in the order in which it does. The options must have said that it
// is kept.
func (term *Terminal) Reads(texts ...string) *Terminal {
	term.t.Helper()
	bound := patience(waitBound)
	timeout := time.NewTimer(bound)
	defer timeout.Stop()
	for _, text := range texts {
		for ended := false; ; {
			term.mu.Lock()
			rest, frame := term.kept.all.String()[term.kept.read:], term.frame
			at := strings.Index(rest, text)
			if at >= 0 {
				term.kept.read += at + len(text)
			}
			term.mu.Unlock()
			if at >= 0 {
				break
			}
			if ended {
				term.failf("expected to read %q, but the program has ended%s, after %s", text, term.exitNote(), strconv.Quote(rest))
			}
			select {
			case <-frame:
			case <-term.eof:
				ended = true
			case <-timeout.C:
				term.failf("expected within %v to read %q in %s", bound, text, strconv.Quote(rest))
			}
		}
	}
	return term
}
