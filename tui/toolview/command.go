package toolview

import (
	"encoding/json"

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
		line += " " + termtext.ShellWords(args)
	}
	return line
}

// words decodes a command line, or a list of words. A list with an item that is not a
// string gives "": a command with a missing part is worse than none.
func words(raw json.RawMessage) string {
	if s := decoded[string](raw); s != "" {
		return s
	}
	return termtext.ShellWords(decoded[[]string](raw))
}

// decoded decodes JSON; it returns the zero value for another type.
func decoded[T any](raw json.RawMessage) T {
	var v, none T
	if json.Unmarshal(raw, &v) != nil {
		return none
	}
	return v
}
