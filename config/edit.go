package config

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
)

var errMistakes = errors.New("it has errors: run 'parley config check'")

var errEdit = errors.New("parley cannot change this value: edit the file by hand")

// edit changes a configuration file, which need not exist. change gets the text without a
// byte order mark; holds checks the result. The write is atomic; if the file has errors or
// holds rejects the result, edit leaves the file unchanged.
func edit(file string, change func([]byte) []byte, holds func(*Config) bool) error {
	// A file that is a symbolic link stays one.
	target, err := filepath.EvalSymlinks(file)
	mode := FileMode
	switch {
	case errors.Is(err, fs.ErrNotExist):
		target = file
		err = MakeDir(filepath.Dir(file))
	case err == nil:
		var info fs.FileInfo
		if info, err = os.Stat(target); err == nil {
			mode = info.Mode().Perm()
		}
	}
	if err != nil {
		return err
	}
	data, err := readFile(target)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	added, err := AddedBeside(file).Agents()
	if err != nil {
		return err
	}
	if _, err := Parse(file, data, added...); err != nil {
		return errMistakes
	}
	text := bytes.TrimPrefix(data, []byte("\ufeff"))
	mark := data[:len(data)-len(text)]
	data = slices.Concat(mark, change(text))
	if c, err := Parse(file, data, added...); err != nil || !holds(c) {
		return errEdit
	}
	return ReplaceFile(target, data, mode)
}

// place is the position of a key in a file, or where it would go.
type place struct {
	// from and to enclose the key and its value; to is 0 if the file has no such key.
	from, to int
	// header is the end of the line of the table that the key belongs to, headerFrom its
	// beginning; header is 0 if there is none.
	headerFrom, header int
	// outer is the end of the line of the table around that one; 0 if there is none.
	outer int
	// inline encloses the inline table that the key belongs to; inlineTo is 0 if there is
	// none. pairs are the keys and values in it.
	inlineFrom, inlineTo int
	pairs                [][2]int
}

// find returns the position of a key, or where it would go.
func find(data []byte, at path) place {
	var found place
	var p unstable.Parser
	p.Reset(data)
	var section path
	for p.NextExpression() {
		node := p.Expression()
		key, first := keyOf(node)
		switch node.Kind {
		case unstable.Table, unstable.ArrayTable:
			section = key
			from, to := lineAround(data, first)
			switch {
			case section.id() == at[:len(at)-1].id():
				found.headerFrom, found.header = from, to
			case section.id() == at[:len(at)-2].id():
				found.outer = to
			}
		case unstable.KeyValue:
			full := append(slices.Clone(section), key...)
			end := int(node.Raw.Offset + node.Raw.Length)
			switch {
			case full.id() == at.id():
				found.from, found.to = int(node.Raw.Offset), end
			case full.id() == at[:len(at)-1].id() && node.Value().Kind == unstable.InlineTable:
				found.inlineFrom, found.inlineTo = int(node.Value().Raw.Offset), end
				for it := node.Value().Children(); it.Next(); {
					pair := it.Node()
					from, to := int(pair.Raw.Offset), int(pair.Raw.Offset+pair.Raw.Length)
					found.pairs = append(found.pairs, [2]int{from, to})
					if inner, _ := keyOf(pair); inner.id() == at[len(at)-1] {
						found.from, found.to = from, to
					}
				}
			}
		}
	}
	return found
}

// keyOf returns the key of an expression, and its first byte.
func keyOf(node *unstable.Node) (key path, first int) {
	for it := node.Key(); it.Next(); {
		part := it.Node()
		if key == nil {
			first = int(part.Raw.Offset)
		}
		key = append(key, string(part.Data))
	}
	return key, first
}

// lineAround returns the line at an offset, with its end.
func lineAround(data []byte, offset int) (from, to int) {
	from = bytes.LastIndexByte(data[:offset], '\n') + 1
	if n := bytes.IndexByte(data[offset:], '\n'); n >= 0 {
		return from, offset + n + 1
	}
	return from, len(data)
}

func lineEnd(data []byte) string {
	if bytes.Contains(data, []byte("\r\n")) {
		return "\r\n"
	}
	return "\n"
}

// withLine inserts a line at an offset where a line begins.
func withLine(data []byte, at int, line string) []byte {
	eol := lineEnd(data)
	if at > 0 && data[at-1] != '\n' { // the last line has no end
		line = eol + line
	}
	return slices.Concat(data[:at], []byte(line+eol), data[at:])
}

// withValue returns a file with a value, as TOML, at a path of at least three keys.
// Everything else stays as it is.
func withValue(data []byte, at path, value string) []byte {
	p := find(data, at)
	pair := quotedKey(at[len(at)-1:]) + " = " + value
	switch n := len(p.pairs); {
	case p.to > 0:
		old := data[p.from:p.to]
		head := old[:len(old)-len(bytes.TrimLeft(old[bytes.IndexByte(old, '=')+1:], " \t"))] // a key with "=" in it fails the check
		return slices.Concat(data[:p.from], head, []byte(value), data[p.to:])
	case p.inlineTo > 0 && n == 0:
		return slices.Concat(data[:p.inlineFrom], []byte("{ "+pair+" }"), data[p.inlineTo:])
	case p.inlineTo > 0:
		last := p.pairs[n-1][1]
		return slices.Concat(data[:last], []byte(", "+pair), data[last:])
	case p.header > 0:
		return withLine(data, p.header, pair)
	case p.outer > 0:
		return withLine(data, p.outer, quotedKey(at[len(at)-2:])+" = "+value)
	}
	section := at[:2] // agents.ID
	if len(bytes.TrimSpace(data)) > 0 {
		data = withLine(data, len(data), "")
	}
	return withLine(data, len(data), "["+quotedKey(section)+"]"+lineEnd(data)+quotedKey(at[len(section):])+" = "+value)
}

// withoutKey returns a file without a key, and without the table that is then empty.
func withoutKey(data []byte, at path) []byte {
	p := find(data, at)
	if p.to == 0 {
		return data
	}
	if i := slices.Index(p.pairs, [2]int{p.from, p.to}); i >= 0 {
		switch {
		case i+1 < len(p.pairs):
			return slices.Concat(data[:p.from], data[p.pairs[i+1][0]:])
		case i > 0:
			return slices.Concat(data[:p.pairs[i-1][1]], data[p.to:])
		}
		return slices.Concat(data[:p.from], data[p.to:])
	}
	from, _ := lineAround(data, p.from)
	_, to := lineAround(data, p.to-1)
	data = slices.Concat(data[:from], data[to:])
	return withoutEmptyTable(data, at[:2])
}

// withoutEmptyTable removes the table at a path if nothing is below its header, not even a
// comment.
func withoutEmptyTable(data []byte, at path) []byte {
	p := find(data, append(slices.Clone(at), ""))
	if p.header == 0 {
		return data
	}
	rest := bytes.TrimLeft(data[p.header:], " \t\r\n")
	if len(rest) > 0 && rest[0] != '[' {
		return data
	}
	head := data[:p.headerFrom]
	if len(rest) == 0 {
		head = bytes.TrimRight(head, "\r\n")
		if len(head) > 0 {
			head = slices.Concat(head, []byte(lineEnd(data)))
		}
		return head
	}
	return slices.Concat(head, rest)
}

var isBareKey = regexp.MustCompile(`^[A-Za-z0-9_-]+$`).MatchString

func quotedKey(parts path) string {
	quoted := slices.Clone(parts)
	for i, part := range quoted {
		if !isBareKey(part) {
			quoted[i] = written(part)
		}
	}
	return strings.Join(quoted, ".")
}
