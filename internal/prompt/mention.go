package prompt

import (
	"bufio"
	"fmt"
	"io"
	"iter"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Mention is one @path in a line of text: the bytes from the @ to the end, and the path
// without quotes and escapes.
type Mention struct {
	From, To int
	Path     string
	Quoted   bool
}

// Mentions finds all @paths of one line. A path follows an @ at the beginning of a
// word, up to a space; it may be in double quotes, or have escaped spaces.
func Mentions(line string) []Mention {
	var list []Mention
	for at := 0; ; {
		i := strings.IndexByte(line[at:], '@')
		if i < 0 {
			return list
		}
		at += i
		if !OpensWord(line[:at]) {
			at++
			continue
		}
		m := readMention(line, at)
		at = m.To
		list = append(list, m)
	}
}

// MentionAt returns the mention at or right before the cursor, cut off at the cursor.
func MentionAt(line string, col int) (Mention, bool) {
	if !strings.Contains(line[:col], "@") {
		return Mention{}, false
	}
	for _, m := range Mentions(line[:col]) {
		if m.To == col && !(m.Quoted && strings.HasSuffix(line[m.From+2:col], `"`)) {
			return m, true
		}
	}
	return Mention{}, false
}

// OpensWord reports whether a word can begin after the text.
func OpensWord(before string) bool {
	r, n := utf8.DecodeLastRuneInString(before)
	return n == 0 || unicode.IsSpace(r) || strings.ContainsRune("([{<\"'`,;:=|", r) || IsChip(r)
}

func readMention(line string, at int) Mention {
	m := Mention{From: at}
	i := at + 1
	if m.Quoted = i < len(line) && line[i] == '"'; m.Quoted {
		i++
	}
	var path strings.Builder
	for i < len(line) {
		r, n := utf8.DecodeRuneInString(line[i:])
		switch {
		case r == '\\' && i+1 < len(line) && strings.IndexByte(` \"'`, line[i+1]) >= 0:
			path.WriteByte(line[i+1])
			i += 2
			continue
		case m.Quoted && r == '"':
			lines := linesBehind.FindString(line[i+n:])
			m.To, m.Path = i+n+len(lines), path.String()+lines
			return m
		case IsChip(r), !m.Quoted && unicode.IsSpace(r):
			m.To, m.Path = i, path.String()
			return m
		}
		path.WriteRune(r)
		i += n
	}
	m.To, m.Path = i, path.String()
	return m
}

// WriteMention formats a path so that Mentions parses it.
func WriteMention(path string) string {
	if !strings.ContainsFunc(path, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(`"\'`, r) }) {
		return "@" + path
	}
	return `@"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(path) + `"`
}

// LineRange is a range of lines of a file, counted from 1, both ends included. The zero
// LineRange is the whole file.
type LineRange struct{ From, To int }

// Some reports whether the range names lines.
func (s LineRange) Some() bool { return s.From > 0 }

// String returns the range in the form of a mention, after the path.
func (s LineRange) String() string { return s.as(":%d", "-%d") }

func (s LineRange) fragment() string { return s.as("#L%d", "-L%d") }

// as formats the first line, and the last one behind it if that is another one.
func (s LineRange) as(first, last string) string {
	switch {
	case !s.Some():
		return ""
	case s.From == s.To:
		return fmt.Sprintf(first, s.From)
	}
	return fmt.Sprintf(first+last, s.From, s.To)
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
			part, err := lines.ReadSlice('\n')
			if n >= s.From {
				b.Write(part)
			}
			if b.Len() > embeddedFile {
				return "", false
			}
			if err == nil {
				break
			}
			if err != bufio.ErrBufferFull {
				return b.String(), bounded.N > 0
			}
		}
	}
	return b.String(), true
}

// linesBehind are the lines of a file whose path is quoted.
var linesBehind = regexp.MustCompile(`^:[1-9][0-9]{0,6}(?:-[1-9][0-9]{0,6})?`)

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
