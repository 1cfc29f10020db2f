package config

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"

	"github.com/pelletier/go-toml/v2/unstable"
)

// SaveTheme writes the chosen theme into a configuration file, which need not exist.
// Everything else in the file stays, comments included. The write is atomic; if the
// file has errors, SaveTheme returns an error and leaves it unchanged.
func SaveTheme(file string, name Theme) error {
	if err := keepTheme(file, name); err != nil {
		return fmt.Errorf("write the theme into %s: %w", file, err)
	}
	return nil
}

// errMistakes is the error for a file that does not parse.
var errMistakes = errors.New("it has errors, which 'parley config check' lists")

func keepTheme(file string, name Theme) error {
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
	d, root := open(file, data)
	if root == nil {
		return errMistakes
	}
	data = withTheme(data[:len(data)-len(d.data)], d.data, name)
	if c, err := Parse(file, data); err != nil || c.Themes.Chosen != name {
		return errMistakes
	}
	return ReplaceFile(target, data, mode)
}

// themeComment is the line of the example that has the theme commented out.
var themeComment = regexp.MustCompile(`(?m)^#[ \t]*theme[ \t]*=.*(\n|\z)`)

// withTheme returns the file with another theme: in place of the current one, else
// below the comment with the theme, else at the beginning, after the byte order mark.
func withTheme(mark, data []byte, name Theme) []byte {
	eol := "\n"
	if bytes.Contains(data, []byte("\r\n")) {
		eol = "\r\n"
	}
	var p unstable.Parser
	p.Reset(data)
	from, to, text, top := 0, 0, "theme = "+written(string(name))+eol, len(data)
	for found := false; !found && p.NextExpression(); {
		node := p.Expression()
		key := node.Key()
		if !key.Next() {
			continue
		}
		part := key.Node()
		if node.Kind != unstable.KeyValue { // what follows is in a table
			top = int(part.Raw.Offset)
			break
		}
		if raw := node.Value().Raw; string(part.Data) == "theme" && raw.Length > 0 {
			from, to, text, found = int(raw.Offset), int(raw.Offset+raw.Length), written(string(name)), true
		}
	}
	if at := themeComment.FindIndex(data[:top]); from == 0 && to == 0 && at != nil {
		from, to = at[1], at[1]
		if at[1] == len(data) && !bytes.HasSuffix(data, []byte("\n")) {
			text = eol + text
		}
	}
	return bytes.Join([][]byte{mark, data[:from], []byte(text), data[to:]}, nil)
}
