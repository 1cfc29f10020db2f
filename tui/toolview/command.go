package toolview

import (
	"encoding/json"
	"regexp"
	"strings"

	"parley/internal/termtext"
)

// Command is the command of a tool call.
type Command struct {
	// Line is the whole command, with every character visible. It may contain newlines.
	// It is "" if the call names no command.
	Line string
	// Dir is its directory, in the form of [Paths.Path]; "" if that is the session's
	// working directory or unknown.
	Dir string
}

// Command finds the command in the raw input of a tool call. Agents send it as a
// string, or as a program and its arguments; there is no common schema.
func (p Paths) Command(rawInput json.RawMessage) Command {
	line := commandLine(rawInput)
	if line == "" {
		return Command{}
	}
	in := decoded[map[string]json.RawMessage](rawInput)
	c := Command{Line: termtext.Visible(line)}
	for _, name := range []string{"cwd", "workdir", "workingDirectory", "directory"} {
		if dir := decoded[string](in[name]); dir != "" {
			if dir != p.Dir {
				c.Dir = p.Path(dir)
			}
			break
		}
	}
	return c
}

// commandLine returns the command in the raw input of a tool call, as it was sent.
func commandLine(rawInput json.RawMessage) string {
	in := decoded[map[string]json.RawMessage](rawInput)
	line := ""
	for _, name := range []string{"command", "cmd"} {
		if line = words(in[name]); line != "" {
			break
		}
	}
	if args := decoded[[]string](in["args"]); line != "" && len(args) > 0 {
		line += " " + ShellWords(args)
	}
	return line
}

// words decodes a command line, or a list of words. A list with an item that is not a
// string gives "": a command with a missing part is worse than none.
func words(raw json.RawMessage) string {
	if s := decoded[string](raw); s != "" {
		return s
	}
	return ShellWords(decoded[[]string](raw))
}

// decoded decodes JSON; it returns the zero value for another type.
func decoded[T any](raw json.RawMessage) T {
	var v, none T
	if json.Unmarshal(raw, &v) != nil {
		return none
	}
	return v
}

// plainWord matches a word that a shell takes literally.
var plainWord = regexp.MustCompile(`^[A-Za-z0-9_@%+=:,./-]+$`)

// ShellWords joins words with shell quoting, so that it is visible where each ends. It
// does not sanitise the words.
func ShellWords(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		if !plainWord.MatchString(w) {
			w = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
		quoted[i] = w
	}
	return strings.Join(quoted, " ")
}
