package desktop

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// errNoEditor means that there is no editor to start.
var errNoEditor = errors.New("no editor was found, set $EDITOR to the name of one")

// EditorFinder finds the user's editor.
type EditorFinder struct {
	// Getenv reads the environment.
	Getenv func(string) string
	// LookPath finds a program, as exec.LookPath does.
	LookPath func(string) (string, error)
}

// SystemEditor returns an EditorFinder for this process.
func SystemEditor() EditorFinder { return EditorFinder{os.Getenv, exec.LookPath} }

// Words returns the program and the first arguments of the user's editor: from $VISUAL,
// else $EDITOR, else the first of nano, vim and vi that is installed.
//
// It splits the variable into words as a shell does, with quotes and plain variables.
// Anything that needs more of a shell is an error.
func (f EditorFinder) Words() ([]string, error) {
	for _, name := range []string{"VISUAL", "EDITOR"} {
		value := strings.TrimSpace(f.Getenv(name))
		if value == "" {
			continue
		}
		words, ok := ShellWords(value, f.Getenv)
		if !ok || len(words) == 0 || words[0] == "" {
			return nil, fmt.Errorf("read $%s: %q is not a command, set it to the name of an editor", name, value)
		}
		return words, nil
	}
	usual := []string{"nano", "vim", "vi"}
	if runtime.GOOS == "windows" {
		usual = []string{"notepad"}
	}
	for _, name := range usual {
		if path, err := f.LookPath(name); err == nil {
			return []string{path}, nil
		}
	}
	return nil, errNoEditor
}

// Open returns the command that opens a file in the user's editor, at a line if that is
// not 0 and the editor is known to accept one.
func (f EditorFinder) Open(path string, line int) (*exec.Cmd, error) {
	words, err := f.Words()
	if err != nil {
		return nil, err
	}
	args := words[1:]
	if line > 0 && takesLine(words[0]) {
		args = append(args, fmt.Sprintf("+%d", line))
	}
	return exec.Command(words[0], append(args, path)...), nil
}

// takesLine reports whether an editor understands +LINE.
func takesLine(editor string) bool {
	switch strings.TrimSuffix(filepath.Base(editor), ".exe") {
	case "vi", "vim", "nvim", "nano", "emacs", "emacsclient", "micro", "kak", "joe", "ne", "mg":
		return true
	}
	return false
}

// splitter splits a command into words.
type splitter struct{ getenv func(string) string }

// ShellWords splits a command into words as a shell does, with plain variables from getenv.
// It returns false for anything that needs more of a shell. The library's own function
// crashes on process substitutions, and loops forever on braces.
func ShellWords(command string, getenv func(string) string) (words []string, ok bool) {
	s := splitter{getenv}
	file, err := syntax.NewParser().Parse(strings.NewReader(command), "")
	if err != nil || len(file.Stmts) != 1 {
		return nil, false
	}
	stmt := file.Stmts[0]
	call, ok := stmt.Cmd.(*syntax.CallExpr)
	if !ok || stmt.Negated || stmt.Background || stmt.Coprocess || len(stmt.Redirs) > 0 || len(call.Assigns) > 0 {
		return nil, false
	}
	for _, arg := range call.Args {
		if p, one := arg.Parts[0].(*syntax.ParamExp); one && len(arg.Parts) == 1 {
			value, ok := s.variable(p)
			if !ok {
				return nil, false
			}
			words = append(words, strings.Fields(value)...)
			continue
		}
		word, ok := s.literal(arg.Parts, false)
		if !ok {
			return nil, false
		}
		words = append(words, word)
	}
	return words, true
}

// variable returns the value of a variable, false for an expansion that changes it.
func (s splitter) variable(p *syntax.ParamExp) (string, bool) {
	if p.Param == nil {
		return "", false
	}
	name := p.Param.Value
	switch p.End().Offset() - p.Pos().Offset() {
	case uint(len("$" + name)), uint(len("${" + name + "}")):
		return s.getenv(name), true
	}
	return "", false
}

// literal returns the text of a word, false if a shell would have to expand it.
func (s splitter) literal(parts []syntax.WordPart, quoted bool) (string, bool) {
	var b strings.Builder
	for i, part := range parts {
		text, ok := "", true
		switch p := part.(type) {
		case *syntax.Lit:
			text, ok = s.unescaped(p.Value, quoted, i == 0)
		case *syntax.SglQuoted:
			text, ok = p.Value, !p.Dollar
		case *syntax.DblQuoted:
			text, ok = s.literal(p.Parts, true)
			ok = ok && !p.Dollar
		case *syntax.ParamExp:
			text, ok = s.variable(p)
		default:
			ok = false
		}
		if !ok {
			return "", false
		}
		b.WriteString(text)
	}
	return b.String(), true
}

// unescaped removes backslashes that quote the next character. It returns false for
// text with expansions, such as file name patterns.
func (s splitter) unescaped(text string, quoted, first bool) (string, bool) {
	var b strings.Builder
	if !quoted && first && (text == "~" || strings.HasPrefix(text, "~/")) {
		b.WriteString(s.getenv("HOME"))
		text = text[1:]
	}
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && i+1 < len(text) && (!quoted || strings.IndexByte("$`\"\\\n", text[i+1]) >= 0):
			if i++; text[i] != '\n' {
				b.WriteByte(text[i])
			}
		case !quoted && strings.IndexByte("*?[{", c) >= 0:
			return "", false
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), true
}

// Open opens an address or a file with the program that the user has for it. It does not
// wait for the program to end.
func Open(url string) error {
	name, args := "xdg-open", []string{url}
	switch runtime.GOOS {
	case "darwin":
		name = "open"
	case "windows":
		name, args = "rundll32", []string{"url.dll,FileProtocolHandler", url}
	}
	cmd := exec.Command(name, args...)
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("there is no program to open it with: %w", err)
	}
	go func() { _ = cmd.Wait() }()
	return nil
}

// Pager returns the program and the first arguments of the user's pager: from $PAGER,
// else less, which shows colours with -R. It returns nil without a pager, or if $PAGER is
// "cat" or not a command.
func Pager(getenv func(string) string, lookPath func(string) (string, error)) []string {
	value := getenv("PAGER")
	if value == "" {
		value = "less -R"
	}
	words, ok := ShellWords(value, getenv)
	if !ok || len(words) == 0 || words[0] == "cat" {
		return nil
	}
	if _, err := lookPath(words[0]); err != nil {
		return nil
	}
	return words
}
