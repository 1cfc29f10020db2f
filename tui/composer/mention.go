package composer

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// mention is one @path in a line of text: the bytes from the @ to the end, and the path
// without quotes and escapes.
type mention struct {
	from, to int
	path     string
	quoted   bool
}

// mentions finds all @paths of one line. A path follows an @ at the beginning of a
// word, up to a space; it may be in double quotes, or have escaped spaces.
func mentions(line string) []mention {
	var list []mention
	for at := 0; ; {
		i := strings.IndexByte(line[at:], '@')
		if i < 0 {
			return list
		}
		at += i
		if !opensWord(line[:at]) {
			at++
			continue
		}
		m := readMention(line, at)
		at = m.to
		list = append(list, m)
	}
}

// mentionAt returns the mention at or right before the cursor, cut off at the cursor.
func mentionAt(line string, col int) (mention, bool) {
	if !strings.Contains(line[:col], "@") {
		return mention{}, false
	}
	for _, m := range mentions(line[:col]) {
		if m.to == col && !(m.quoted && strings.HasSuffix(line[m.from+2:col], `"`)) {
			return m, true
		}
	}
	return mention{}, false
}

// opensWord reports whether a word can begin after the text.
func opensWord(before string) bool {
	r, n := utf8.DecodeLastRuneInString(before)
	return n == 0 || unicode.IsSpace(r) || strings.ContainsRune("([{<\"'`,;:=|", r) || isChip(r)
}

func readMention(line string, at int) mention {
	m := mention{from: at}
	i := at + 1
	if m.quoted = i < len(line) && line[i] == '"'; m.quoted {
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
		case m.quoted && r == '"':
			m.to, m.path = i+n, path.String()
			return m
		case isChip(r), !m.quoted && unicode.IsSpace(r):
			m.to, m.path = i, path.String()
			return m
		}
		path.WriteRune(r)
		i += n
	}
	m.to, m.path = i, path.String()
	return m
}

// writeMention formats a path so that mentions parses it.
func writeMention(path string) string {
	if !strings.ContainsFunc(path, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(`"\'`, r) }) {
		return "@" + path
	}
	return `@"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(path) + `"`
}
