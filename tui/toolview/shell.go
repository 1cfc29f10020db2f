package toolview

import (
	"bytes"
	"fmt"
	"net/url"
	"strings"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/prompt"
	"parley/internal/termtext"
	"parley/terminal/screen"
)

// ShellExcerpt returns the excerpt of a user's command: its line and its output.
func ShellExcerpt(s *conversation.ShellCommand) Excerpt {
	return Excerpt{Text: strings.TrimRight("$ "+s.Terminal.Command+"\n"+Printed(s.Terminal), "\n")}
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

// OutputURI identifies the output of a command by its id and its line.
func OutputURI(t *conversation.Terminal) string {
	const most = 200 // bytes of the line
	command := strings.ToValidUTF8(t.Command[:min(len(t.Command), most)], "")
	return (&url.URL{Scheme: outputScheme, Host: strings.ToLower(string(t.ID)), Path: "/" + command}).String()
}

// outputOf returns the command whose output a URI identifies.
func outputOf(uri string) (command string, ok bool) {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != outputScheme {
		return "", false
	}
	return strings.TrimPrefix(u.Path, "/"), true
}

// mostOutput bounds the output that goes with a prompt, in bytes. Its end is kept.
const mostOutput = 64 << 10

// ShortCommand is the beginning of a command's line.
func ShortCommand(term *conversation.Terminal) string {
	const most = 32
	line := []rune(termtext.VisibleLine(term.Command))
	if len(line) > most {
		return string(line[:most]) + "…"
	}
	return string(line)
}

// OutputAttachment is the output of a command that the person has run.
func OutputAttachment(term *conversation.Terminal) prompt.Attachment {
	text, state := Printed(term), Ended(term.Exit)
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
	words := "lines"
	if lines == 1 {
		words = "line"
	}
	return prompt.Attachment{
		Label: fmt.Sprintf("output of $ %s: %d %s, %s", ShortCommand(term), lines, words, termtext.Line(state)),
		URI:   OutputURI(term),
		Text:  fmt.Sprintf("$ %s\n%s\n[%s]", term.Command, text, state),
	}
}
