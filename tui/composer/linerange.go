package composer

import (
	"bufio"
	"fmt"
	"io"
	"iter"
	"regexp"
	"strconv"
	"strings"
)

// span is a range of lines of a file, counted from 1, both ends included. The zero span
// is the whole file.
type span struct{ from, to int }

func (s span) some() bool { return s.from > 0 }

// String returns the span in the form of a mention, after the path.
func (s span) String() string {
	switch {
	case !s.some():
		return ""
	case s.from == s.to:
		return fmt.Sprintf(":%d", s.from)
	}
	return fmt.Sprintf(":%d-%d", s.from, s.to)
}

// fragment returns the span in the form of a URI fragment.
func (s span) fragment() string {
	switch {
	case !s.some():
		return ""
	case s.from == s.to:
		return fmt.Sprintf("#L%d", s.from)
	}
	return fmt.Sprintf("#L%d-L%d", s.from, s.to)
}

// spanRead bounds how much of a file is read to find lines, in bytes.
const spanRead = 16 << 20

// read returns the lines; whole is false if they are too long, or too far down.
func (s span) read(r io.Reader) (text string, whole bool) {
	bounded := &io.LimitedReader{R: r, N: spanRead}
	lines := bufio.NewReader(bounded)
	var b strings.Builder
	for n := 1; n <= s.to; n++ {
		for {
			part, more, err := readPart(lines)
			if n >= s.from {
				b.Write(part)
			}
			if b.Len() > embeddedFile {
				return "", false
			}
			if err != nil {
				return b.String(), bounded.N > 0
			}
			if !more {
				break
			}
		}
	}
	return b.String(), true
}

// readPart reads the rest of a line including its end, or as much as fits the buffer.
func readPart(r *bufio.Reader) (part []byte, more bool, err error) {
	part, err = r.ReadSlice('\n')
	if err == bufio.ErrBufferFull {
		return part, true, nil
	}
	return part, false, err
}

var spanEnd = regexp.MustCompile(`^(.+?):([1-9][0-9]{0,6})(?:-([1-9][0-9]{0,6}))?$`)

// splitSpan separates a path from the lines named after it.
func splitSpan(name string) (path string, s span, ok bool) {
	m := spanEnd.FindStringSubmatch(name)
	if m == nil {
		return "", span{}, false
	}
	s.from, _ = strconv.Atoi(m[2]) // the expression matches only numbers
	s.to = s.from
	if m[3] != "" {
		s.to, _ = strconv.Atoi(m[3])
	}
	return m[1], s, s.to >= s.from
}

// names returns what a mention may refer to, the likeliest first: the path as written,
// lines of a file, and the same without final punctuation.
func (m mention) names() iter.Seq2[string, span] {
	return func(yield func(string, span) bool) {
		for name := m.path; ; {
			if !yield(name, span{}) {
				return
			}
			if path, s, ok := splitSpan(name); ok && !yield(path, s) {
				return
			}
			cut := strings.TrimRight(name, ".,;:!?)]}>'\"`|")
			if m.quoted || cut == name || cut == "" {
				return
			}
			name = cut
		}
	}
}
