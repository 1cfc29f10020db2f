package dialog

import (
	"encoding/json"
	"regexp"
	"strings"
)

// call is what a tool is asked to run, as far as its raw input says so.
type call struct {
	command string
	dir     string
}

// callOf finds the command in the raw input of a tool call. Agents send it as a
// string, or as a program and its arguments; there is no common schema.
func callOf(rawInput []byte) call {
	var in map[string]json.RawMessage
	if len(rawInput) == 0 || json.Unmarshal(rawInput, &in) != nil {
		return call{}
	}
	var c call
	for _, name := range []string{"command", "cmd"} {
		if c.command = words(in[name]); c.command != "" {
			break
		}
	}
	if c.command == "" {
		return call{}
	}
	if args := list(in["args"]); len(args) > 0 {
		c.command += " " + join(args)
	}
	for _, name := range []string{"cwd", "workdir", "workingDirectory", "directory"} {
		if c.dir = text(in[name]); c.dir != "" {
			break
		}
	}
	return c
}

func words(raw json.RawMessage) string {
	if s := text(raw); s != "" {
		return s
	}
	return join(list(raw))
}

func text(raw json.RawMessage) string {
	var s string
	if len(raw) == 0 || json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

// list decodes an array of which every item is a string: a command of which a
// part is missing is worse than none.
func list(raw json.RawMessage) []string {
	var l []string
	if len(raw) == 0 || json.Unmarshal(raw, &l) != nil {
		return nil
	}
	return l
}

var bare = regexp.MustCompile(`^[A-Za-z0-9_@%+=:,./-]+$`)

// join writes words in the manner of a shell, so that their bounds are seen.
func join(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		if !bare.MatchString(w) {
			w = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
		quoted[i] = w
	}
	return strings.Join(quoted, " ")
}
