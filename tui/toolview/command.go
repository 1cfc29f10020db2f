package toolview

import (
	"encoding/json"
	"strings"

	"parley/internal/pattern"
	"parley/internal/termtext"
)

// Command is what a tool call is asked to run.
type Command struct {
	// Line is the whole command, every character of it visible. It may have
	// newlines. It is "" if the call names no command.
	Line string
	// Dir is where it runs, as [Places.Path] writes it; "" if that is the
	// working directory of the session or not known.
	Dir string
}

// Command finds the command in the raw input of a tool call. Agents send it as a
// string, or as a program and its arguments; there is no common schema.
func (p Places) Command(rawInput json.RawMessage) Command {
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

// commandLine is the command in the raw input of a tool call, as it was sent.
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

// words decodes a command line, or the words of one. An array of which one item
// is no string is none: a command of which a part is missing is worse than none.
func words(raw json.RawMessage) string {
	if s := decoded[string](raw); s != "" {
		return s
	}
	return ShellWords(decoded[[]string](raw))
}

// decoded is a JSON value of a type; the zero value if it is of another type.
func decoded[T any](raw json.RawMessage) T {
	var v, none T
	if json.Unmarshal(raw, &v) != nil {
		return none
	}
	return v
}

// plainWord is a word that a shell takes as it is.
var plainWord = pattern.New(`^[A-Za-z0-9_@%+=:,./-]+$`)

// ShellWords writes words as a shell takes them, quoted where that is needed, so
// that it can be seen where each ends. The words are not made fit to be drawn.
func ShellWords(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		if !plainWord().MatchString(w) {
			w = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
		quoted[i] = w
	}
	return strings.Join(quoted, " ")
}
