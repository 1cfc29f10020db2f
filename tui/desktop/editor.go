package desktop

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/expand"
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

// TempFile writes text to a temporary file that only the owner can read.
func TempFile(pattern, text string) (name string, err error) {
	f, err := os.CreateTemp("", pattern)
	if err != nil {
		return "", err
	}
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Close()); err != nil {
		_ = os.Remove(f.Name())
		return "", err
	}
	return f.Name(), nil
}

// takesLine reports whether an editor understands +LINE.
func takesLine(editor string) bool {
	switch strings.TrimSuffix(filepath.Base(editor), ".exe") {
	case "vi", "vim", "nvim", "nano", "emacs", "emacsclient", "micro", "kak", "joe", "ne", "mg":
		return true
	}
	return false
}

// ShellWords splits a command into words as a shell does, with plain variables from getenv; none
// if that is nil. It returns false for anything that needs more of a shell, some of which crashes
// the library, or has it loop forever.
func ShellWords(command string, getenv func(string) string) (words []string, ok bool) {
	file, err := syntax.NewParser().Parse(strings.NewReader(command), "")
	if err != nil || len(file.Stmts) != 1 {
		return nil, false
	}
	stmt := file.Stmts[0]
	call, ok := stmt.Cmd.(*syntax.CallExpr)
	if !ok || stmt.Negated || stmt.Background || stmt.Coprocess || len(stmt.Redirs) > 0 || len(call.Assigns) > 0 {
		return nil, false
	}
	variables := getenv != nil
	if !variables {
		getenv = func(string) string { return "" }
	}
	if slices.ContainsFunc(call.Args, func(w *syntax.Word) bool { return !isPlain(w.Parts, variables, false) }) {
		return nil, false
	}
	words, err = expand.Fields(&expand.Config{Env: expand.FuncEnviron(getenv)}, call.Args...)
	return words, err == nil
}

// isPlain reports whether a word has only text and, if they may be there, variables.
func isPlain(parts []syntax.WordPart, variables, quoted bool) bool {
	return !slices.ContainsFunc(parts, func(part syntax.WordPart) bool {
		switch p := part.(type) {
		case *syntax.Lit:
			return !quoted && (strings.ContainsAny(escaped.ReplaceAllString(p.Value, ""), "*?[{") || !variables && strings.HasPrefix(p.Value, "~"))
		case *syntax.SglQuoted:
			return p.Dollar
		case *syntax.DblQuoted:
			return p.Dollar || !isPlain(p.Parts, variables, true)
		case *syntax.ParamExp:
			size := int(p.End().Offset() - p.Pos().Offset())
			return !variables || p.Param == nil || size != len("$"+p.Param.Value) && size != len("${"+p.Param.Value+"}")
		}
		return true
	})
}

// escaped matches a character behind a backslash.
var escaped = regexp.MustCompile(`\\.`)

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
