package prompt

import (
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
			m.To, m.Path = i+n, path.String()
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
