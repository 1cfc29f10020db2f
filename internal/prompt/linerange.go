package prompt

import (
	"bufio"
	"fmt"
	"io"
	"iter"
	"regexp"
	"strconv"
	"strings"
)

// LineRange is a range of lines of a file, counted from 1, both ends included. The zero
// LineRange is the whole file.
type LineRange struct{ From, To int }

// Some reports whether the range names lines.
func (s LineRange) Some() bool { return s.From > 0 }

// String returns the range in the form of a mention, after the path.
func (s LineRange) String() string {
	switch {
	case !s.Some():
		return ""
	case s.From == s.To:
		return fmt.Sprintf(":%d", s.From)
	}
	return fmt.Sprintf(":%d-%d", s.From, s.To)
}

// fragment returns the range in the form of a URI fragment.
func (s LineRange) fragment() string {
	switch {
	case !s.Some():
		return ""
	case s.From == s.To:
		return fmt.Sprintf("#L%d", s.From)
	}
	return fmt.Sprintf("#L%d-L%d", s.From, s.To)
}

// rangeRead bounds how much of a file is read to find lines, in bytes.
const rangeRead = 16 << 20

// read returns the lines; whole is false if they are too long, or too far down.
func (s LineRange) read(r io.Reader) (text string, whole bool) {
	bounded := &io.LimitedReader{R: r, N: rangeRead}
	lines := bufio.NewReader(bounded)
	var b strings.Builder
	for n := 1; n <= s.To; n++ {
		for {
			part, more, err := readPart(lines)
			if n >= s.From {
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

// SplitRange separates a path from the lines named after it.
func SplitRange(name string) (path string, s LineRange, ok bool) {
	m := spanEnd.FindStringSubmatch(name)
	if m == nil {
		return "", LineRange{}, false
	}
	s.From, _ = strconv.Atoi(m[2]) // the expression matches only numbers
	s.To = s.From
	if m[3] != "" {
		s.To, _ = strconv.Atoi(m[3])
	}
	return m[1], s, s.To >= s.From
}

// Names returns what a mention may refer to, the likeliest first: the path as written,
// lines of a file, and the same without final punctuation.
func (m Mention) Names() iter.Seq2[string, LineRange] {
	return func(yield func(string, LineRange) bool) {
		for name := m.Path; ; {
			if !yield(name, LineRange{}) {
				return
			}
			if path, s, ok := SplitRange(name); ok && !yield(path, s) {
				return
			}
			cut := strings.TrimRight(name, ".,;:!?)]}>'\"`|")
			if m.Quoted || cut == name || cut == "" {
				return
			}
			name = cut
		}
	}
}
