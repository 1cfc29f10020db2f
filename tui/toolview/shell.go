package toolview

import (
	"bytes"
	"fmt"
	"net/url"
	"strings"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/terminal/screen"
)

// ShellExcerpt is what can be taken out of a command of the person's own: its line,
// and what it printed.
func ShellExcerpt(s *conversation.ShellCommand) Excerpt {
	return Excerpt{Text: strings.TrimRight("$ "+s.Terminal.Command+"\n"+printed(s.Terminal), "\n")}
}

// ShellCall is a tool call that has nothing but a command of the person's own: what
// can be taken out of the one can be taken out of the other.
func ShellCall(s *conversation.ShellCommand) *conversation.ToolCall {
	return &conversation.ToolCall{Terminals: []*conversation.Terminal{s.Terminal}}
}

// Printed is what a command has printed, as a person would have read it: text
// without control sequences, progress bars in their last state.
func Printed(t *conversation.Terminal) string { return printed(t) }

// mostNew is how many bytes of output are read at once: its end.
const mostNew = 64 << 10

// PrintedSince is what a command has printed since an offset, as a person would have read
// it, and the offset behind that. It ends with the last line that is whole; all says that
// the one behind it is wanted too.
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

// Ended says how a command has ended.
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

// outputScheme is the scheme of what a command of the person's has printed, where it
// goes to the agent with a prompt.
const outputScheme = "terminal"

// OutputURI names what a command has printed: by its id and its line.
func OutputURI(t *conversation.Terminal) string {
	const most = 200 // bytes of the line
	command := strings.ToValidUTF8(t.Command[:min(len(t.Command), most)], "")
	return (&url.URL{Scheme: outputScheme, Host: strings.ToLower(string(t.ID)), Path: "/" + command}).String()
}

// outputOf is the command whose output a URI names.
func outputOf(uri string) (command string, ok bool) {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != outputScheme {
		return "", false
	}
	return strings.TrimPrefix(u.Path, "/"), true
}

// IsOutput reports whether a URI names what a command of the person's has printed.
func IsOutput(uri string) bool {
	_, ok := outputOf(uri)
	return ok
}
