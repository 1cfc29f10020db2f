package toolview

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"

	"parley/acpclient"
	"parley/internal/app"
	"parley/internal/conversation"
	"parley/internal/policy"
	"parley/internal/prompt"
	"parley/internal/termtext"
	"parley/terminal/screen"
	"parley/tui/desktop"
)

// Command is the command of a tool call.
type Command struct {
	// Line is the whole command, with every character visible. It may contain newlines.
	// It is "" if the call names no command.
	Line string
	// Dir is its directory, in the form of [Paths.Path]; "" if that is the session's
	// working directory or unknown.
	Dir string
	// Env are the variables that are set for it, a line each.
	Env string
}

// String returns all of it, as text of several lines.
func (c Command) String() string {
	text := c.Line
	if c.Dir != "" {
		text += "\nin " + c.Dir
	}
	if c.Env != "" {
		text += "\nwith " + c.Env
	}
	return text
}

// Command finds the command in the raw input of a tool call. Agents send it as a
// string, or as a program and its arguments; there is no common schema.
func (p Paths) Command(rawInput json.RawMessage) Command {
	c, _ := p.command(rawInput)
	return c
}

// command is Command, and returns the keys that make it up.
func (p Paths) command(rawInput json.RawMessage) (c Command, keys []string) {
	in := app.Decoded[map[string]json.RawMessage](rawInput)
	line, keys := lineOf(in)
	if line == "" {
		return c, nil
	}
	c.Line = termtext.Exact(line)
	if again := app.Decoded[[]string](in["commands"]); len(again) == 1 && again[0] == line { // copilot
		keys = append(keys, "commands")
	}
	env, set := policy.Environment(rawInput)
	for i := range env {
		env[i] = termtext.ExactLine(env[i])
	}
	c.Env, keys = strings.Join(env, "\n"), append(keys, set...)
	for _, name := range dirKeys {
		if dir := app.Decoded[string](in[name]); dir != "" {
			if keys = append(keys, name); dir != p.Dir {
				c.Dir = p.Path(dir)
			}
			break
		}
	}
	return c, keys
}

// WithoutShell returns the script of a command that only starts a shell to run it, else the
// command itself. It is for what has been done: a question shows the whole command.
func WithoutShell(line string) string {
	shell, rest, _ := strings.Cut(line, " ")
	if flag, _, _ := strings.Cut(rest, " "); !strings.HasSuffix(shell, "sh") || flag != "-c" && flag != "-lc" {
		return line
	}
	parts, ok := desktop.ShellWords(line, nil)
	if !ok || len(parts) != 3 || parts[2] == "" {
		return line
	}
	return parts[2]
}

// commandLine returns the command in the raw input of a tool call, as it was sent.
func commandLine(rawInput json.RawMessage) string {
	line, _ := lineOf(app.Decoded[map[string]json.RawMessage](rawInput))
	return line
}

// lineOf returns the command in an input, and the keys that make it up.
func lineOf(in map[string]json.RawMessage) (line string, keys []string) {
	for _, name := range []string{"command", "cmd"} {
		if line = words(in[name]); line != "" {
			keys = []string{name}
			break
		}
	}
	if args := app.Decoded[[]string](in["args"]); line != "" && len(args) > 0 {
		return line + " " + termtext.ShellWords(args), append(keys, "args")
	}
	return line, keys
}

// words decodes a command line, or a list of words. A list with an item that is not a
// string gives "": a command with a missing part is worse than none.
func words(raw json.RawMessage) string {
	if s := app.Decoded[string](raw); s != "" {
		return s
	}
	return termtext.ShellWords(app.Decoded[[]string](raw))
}

// ShellExcerpt returns the excerpt of a user's command: its line and its output.
func ShellExcerpt(s *conversation.ShellCommand) Excerpt {
	return Excerpt{Text: strings.TrimRight("$ "+s.Terminal.Command+"\n"+printed(s.Terminal), "\n")}
}

// ShellCall returns a tool call that contains only a user's command, so that code for
// tool calls handles both.
func ShellCall(s *conversation.ShellCommand) *conversation.ToolCall {
	return &conversation.ToolCall{Terminals: []*conversation.Terminal{s.Terminal}}
}

// mostNew bounds the output that is read at once, in bytes, from its end.
const mostNew = 64 << 10

// PrintedSince returns the output of a command since an offset, as a user would have
// read it, and the next offset. It ends with the last complete line, or with all also
// includes an incomplete one.
func PrintedSince(t *conversation.Terminal, offset int64, all bool) (text string, behind int64) {
	data, whole := t.Since(offset)
	if !all {
		data = data[:bytes.LastIndexByte(data, '\n')+1]
	}
	if len(data) == 0 {
		return "", offset
	}
	behind = t.Total()
	if rest, _ := t.Since(offset); !all {
		behind -= int64(len(rest) - len(data))
	}
	if cut := len(data) - mostNew; cut > 0 {
		whole = false
		data = data[cut:]
		data = data[bytes.IndexByte(data, '\n')+1:]
	}
	text, _ = screen.PlainText(data, printedColumns, printedRows, mostNew)
	text = strings.TrimRight(text, "\n")
	if !whole {
		text = "[something is left out here]\n" + text
	}
	return text, behind
}

// Ended describes the end of a command.
func Ended(e *acpclient.TerminalExitStatus) string {
	switch {
	case e == nil:
		return "running"
	case e.Signal != "":
		return "ended by " + e.Signal
	case e.ExitCode != nil:
		return fmt.Sprintf("exit code %d", *e.ExitCode)
	}
	return "ended"
}

// outputScheme is the URI scheme for the output of a user's command in a prompt.
const outputScheme = "terminal"

// outputURI identifies the output of a command by its id and its line.
func outputURI(t *conversation.Terminal) string {
	const most = 200 // bytes of the line
	command := strings.ToValidUTF8(t.Command[:min(len(t.Command), most)], "")
	return (&url.URL{Scheme: outputScheme, Host: strings.ToLower(string(t.ID)), Path: "/" + command}).String()
}

// mostOutput bounds the output that goes with a prompt, in bytes. Its end is kept.
const mostOutput = 64 << 10

// ShortCommand is the beginning of a command's line.
func ShortCommand(term *conversation.Terminal) string {
	const most = 33 // cells
	return termtext.Truncate(termtext.VisibleLine(term.Command), most, "…")
}

// OutputAttachment is the output of a command that the user has run.
func OutputAttachment(term *conversation.Terminal) prompt.Attachment {
	text, state := printed(term), Ended(term.Exit)
	if cut := len(text) - mostOutput; cut > 0 {
		text = strings.ToValidUTF8(text[cut:], "")
		if _, rest, whole := strings.Cut(text, "\n"); whole {
			text = rest
		}
		text = "[the beginning is left out]\n" + text
	}
	lines := strings.Count(text, "\n")
	if text != "" {
		lines++
	}
	return prompt.Attachment{
		Label: fmt.Sprintf("output of $ %s: %s, %s", ShortCommand(term), termtext.Count(lines, "line"), termtext.Line(state)),
		URI:   outputURI(term),
		Text:  fmt.Sprintf("$ %s\n%s\n[%s]", term.Command, text, state),
	}
}
