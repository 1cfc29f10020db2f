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

// lineRange is a range of lines of a file, counted from 1, both ends included. The zero
// lineRange is the whole file.
type lineRange struct{ from, to int }

func (s lineRange) some() bool { return s.from > 0 }

// String returns the range in the form of a mention, after the path.
func (s lineRange) String() string {
	switch {
	case !s.some():
		return ""
	case s.from == s.to:
		return fmt.Sprintf(":%d", s.from)
	}
	return fmt.Sprintf(":%d-%d", s.from, s.to)
}

// fragment returns the range in the form of a URI fragment.
func (s lineRange) fragment() string {
	switch {
	case !s.some():
		return ""
	case s.from == s.to:
		return fmt.Sprintf("#L%d", s.from)
	}
	return fmt.Sprintf("#L%d-L%d", s.from, s.to)
}

// rangeRead bounds how much of a file is read to find lines, in bytes.
const rangeRead = 16 << 20

// read returns the lines; whole is false if they are too long, or too far down.
func (s lineRange) read(r io.Reader) (text string, whole bool) {
	bounded := &io.LimitedReader{R: r, N: rangeRead}
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

// splitRange separates a path from the lines named after it.
func splitRange(name string) (path string, s lineRange, ok bool) {
	m := spanEnd.FindStringSubmatch(name)
	if m == nil {
		return "", lineRange{}, false
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
func (m mention) names() iter.Seq2[string, lineRange] {
	return func(yield func(string, lineRange) bool) {
		for name := m.path; ; {
			if !yield(name, lineRange{}) {
				return
			}
			if path, s, ok := splitRange(name); ok && !yield(path, s) {
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
