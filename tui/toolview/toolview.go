// Package toolview says how a tool call is presented, once for all views: the
// transcript, the dialogs, the status line and the clipboard. It returns plain text
// that is safe to draw unless stated otherwise, and leaves colours and line breaks to
// its callers.
//
// [Visit] returns the content of tool calls: views implement [Visitor], which has a
// method for each kind of content, so that a new kind does not compile until every view
// shows it.
//
// The package keeps no state. Its functions are safe for concurrent use while the tool
// call does not change.
package toolview

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"charm.land/lipgloss/v2"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/termtext"
	"parley/tui/theme"
)

// Kind is how a kind of tool is presented.
type Kind struct {
	// Icon is one cell wide.
	Icon string
	// Verb describes the kind in a word or two.
	Verb string
}

// kinds are the kinds of the protocol. The icons are in common terminal fonts, are not
// emoji, and differ from status icons.
var kinds = map[acpclient.ToolKind]Kind{
	acpclient.ToolRead:       {"◇", "read"},
	acpclient.ToolEdit:       {"✎", "edit"},
	acpclient.ToolDelete:     {"×", "delete"},
	acpclient.ToolMove:       {"→", "move"},
	acpclient.ToolSearch:     {"◎", "search"},
	acpclient.ToolExecute:    {"$", "run"},
	acpclient.ToolThink:      {"✻", "think"},
	acpclient.ToolFetch:      {"↓", "fetch"},
	acpclient.ToolSwitchMode: {"↔", "switch mode"},
	acpclient.ToolOther:      {"•", "tool"},
	"":                       {"•", "tool"},
}

// verbWidth bounds the word for an unknown kind, in cells.
const verbWidth = 24

// KindOf returns the presentation of a kind of tool. For a kind that is not in the
// protocol it uses the agent's word.
func KindOf(k acpclient.ToolKind) Kind {
	if kind, ok := kinds[k]; ok {
		return kind
	}
	word := termtext.Line(strings.ReplaceAll(string(k), "_", " "))
	return Kind{kinds[acpclient.ToolOther].Icon, termtext.Truncate(word, verbWidth, "…")}
}

// Title returns the title of a tool call, or else the name of the tool, or else its kind. clean sanitises
// it: [termtext.Line] for mere display, [termtext.Visible] where the user decides on
// it.
func Title(t *conversation.ToolCall, clean func(string) string) string {
	for _, s := range []string{t.Title, t.Name} {
		if s = clean(strings.TrimSpace(s)); s != "" {
			return s
		}
	}
	return KindOf(t.Kind).Verb + " (no title)"
}

// Failure says that a call failed, and how its command ended if that is known; "" if it did
// not fail.
func Failure(t *conversation.ToolCall) string {
	if !t.Failed() {
		return ""
	}
	if exit := t.Exit(); tellsFailure(exit) {
		return "failed, " + termtext.Line(Ended(exit))
	}
	return "failed"
}

// tellsFailure reports whether the end of a command says more than that it failed.
func tellsFailure(exit *acpclient.TerminalExitStatus) bool {
	return exit != nil && (exit.Signal != "" || exit.ExitCode != nil && *exit.ExitCode != 0)
}

// FailureShows reports whether [Failure] says how a terminal of the call ended.
func FailureShows(t *conversation.ToolCall, term *conversation.Terminal) bool {
	exit := t.Exit()
	return t.Failed() && tellsFailure(exit) && term.Exit != nil && Ended(term.Exit) == Ended(exit)
}

// NoOutput stands where the output of a silent command would. Some agents write it, too.
const NoOutput = "(no output)"

// Silent reports whether a call has run a command that printed nothing, as far as the agent
// says.
func Silent(t *conversation.ToolCall) bool {
	if t.Kind != acpclient.ToolExecute || t.Status != acpclient.ToolCompleted || t.Failed() {
		return false
	}
	for i := range t.Content {
		switch c := &t.Content[i]; {
		case c.Type == acpclient.ToolContentTerminal:
		case c.Type == acpclient.ToolContentBlock && c.Content != nil && c.Content.Type == acpclient.ContentText && SaysNothing(t, c.Content.Text):
		default:
			return false
		}
	}
	for _, term := range t.Terminals {
		if term.Total() > 0 || term.Exit == nil && !term.Own {
			return false
		}
	}
	return len(t.Terminals)+len(t.Content) > 0 || emptyJSON(t.RawOutput)
}

// SaysNothing reports whether a text of a call gives nothing but the command, or the word
// that there is nothing.
func SaysNothing(t *conversation.ToolCall, text string) bool {
	text = Unfenced(text)
	return text == "" || text == NoOutput || text == strings.TrimSpace(commandLine(t.RawInput))
}

// Counts are the numbers of added and removed lines.
type Counts struct{ Added, Removed int }

// String returns the counts as "+3 −2".
func (c Counts) String() string { return c.added() + " " + c.removed() }

// Styled is String in the colours of a diff.
func (c Counts) Styled(th *theme.Theme) string {
	return th.DiffAddedCounter.Render(c.added()) + " " + th.DiffRemovedCounter.Render(c.removed())
}

func (c Counts) added() string { return fmt.Sprintf("+%d", c.Added) }

// removed uses a minus sign, which is as wide as the plus sign, unlike a hyphen.
func (c Counts) removed() string { return fmt.Sprintf("−%d", c.Removed) }

// Task draws one entry of a plan or task list, in lines of at most width cells.
func Task(e acpclient.PlanEntry, th *theme.Theme, width int) []string {
	mark, style, tail := taskLooks(e, th)
	lines := termtext.Wrap(termtext.Line(e.Content), max(1, width-2-termtext.Width(tail)))
	for i, line := range lines {
		lead := "  "
		if i == 0 {
			lead = mark + " "
		}
		lines[i] = lead + style.Render(line)
		if i == len(lines)-1 {
			lines[i] += tail
		}
	}
	return lines
}

// taskLooks returns the mark of an entry for its status, the style of its text, and what
// stands behind it for its priority; medium is the one that most entries have.
func taskLooks(e acpclient.PlanEntry, th *theme.Theme) (mark string, style lipgloss.Style, tail string) {
	mark, style = th.Faint.Render("○"), th.Text
	switch e.Status {
	case acpclient.PlanCompleted:
		return th.Success.Render("✓"), th.Muted, ""
	case planCancelled:
		return th.Faint.Render("⊘"), th.Faint, ""
	case acpclient.PlanInProgress:
		mark, style = th.Accent.Render("◐"), th.Strong
	}
	switch e.Priority {
	case acpclient.PlanHigh:
		tail = th.Warning.Render(" !")
	case acpclient.PlanLow:
		tail = th.Faint.Render(" (low)")
	}
	return mark, style, tail
}

// planCancelled is a status of task lists that the protocol's plans do not have.
const planCancelled acpclient.PlanEntryStatus = "cancelled"

// Change describes in Markdown an operation on a whole file: which file, from where,
// and its type if it is not text.
func Change(c *acpclient.ToolCallContent) string {
	what := c.Change
	words := map[acpclient.FileOperation]string{
		acpclient.FileAdd: "Adds", acpclient.FileDelete: "Deletes", acpclient.FileModify: "Changes",
		acpclient.FileMove: "Moves", acpclient.FileCopy: "Copies",
	}[what.Operation]
	if words == "" {
		words = "Does " + code(string(what.Operation)) + " with"
	}
	if what.FileType != "" && what.FileType != "text" {
		words += " the " + termtext.Line(what.FileType)
	}
	if what.OldPath != "" {
		words += " " + code(what.OldPath) + " to"
	}
	if words += " " + code(c.Path); what.MimeType != "" {
		words += " (" + code(what.MimeType) + ")"
	}
	return words
}

// code returns a text as Markdown code, whatever it contains.
func code(text string) string {
	text = termtext.Line(text)
	longest := 0
	for run := range strings.FieldsFuncSeq(text, func(r rune) bool { return r != '`' }) {
		longest = max(longest, len(run))
	}
	fence := strings.Repeat("`", longest+1)
	if strings.HasPrefix(text, "`") || strings.HasSuffix(text, "`") {
		text = " " + text + " "
	}
	return fence + text + fence
}

// Visitor produces a T for each kind of content of a tool call. A new kind in the
// protocol becomes a new method.
type Visitor[T any] interface {
	// Block takes text, pictures and the like; see [Paths.Block].
	Block(b *acpclient.ContentBlock) T
	// Diff takes a change of one file; before is nil if the file is new. Sanitise the
	// path and the texts before drawing.
	Diff(path string, before *string, after string) T
	// Terminal takes the terminal embedded in the call.
	Terminal(id acpclient.TerminalID) T
	// Unknown takes content of an unknown kind: a label that says so, and its JSON.
	Unknown(label string, raw json.RawMessage) T
}

// Visit calls the method of v for the kind of a content.
func Visit[T any](c *acpclient.ToolCallContent, v Visitor[T]) T {
	switch c.Type {
	case acpclient.ToolContentBlock:
		if c.Content != nil {
			return v.Block(c.Content)
		}
	case acpclient.ToolContentDiff:
		if c.Change != nil {
			b := acpclient.TextBlock(Change(c))
			return v.Block(&b)
		}
		return v.Diff(c.Path, c.OldText, c.NewText)
	case acpclient.ToolContentTerminal:
		return v.Terminal(c.TerminalID)
	}
	return v.Unknown("content "+unknownKind+": "+termtext.Line(string(c.Type)), c.Raw)
}

// unknownKind describes a kind that is not in the protocol.
const unknownKind = "of a kind that parley does not know"

// Labels for the raw input and output of a tool call.
const (
	RawInput  = "raw input"
	RawOutput = "raw output"
)

// JSON indents JSON for reading, with every character visible. Invalid or too deeply
// nested JSON stays as it is. If it is longer than most bytes, JSON returns the
// beginning and a line that says so; with most 0, everything.
func JSON(raw []byte, most int) string {
	text, more := raw, ""
	if set, ok := termtext.Indented(raw); ok {
		text = set
	}
	if most > 0 && len(text) > most {
		for most > 0 && !utf8.RuneStart(text[most]) {
			most--
		}
		text, more = text[:most], "\n…"
	}
	return termtext.Visible(string(text)) + more
}

// Verbatim reports whether text from a call of a kind should be shown line by line
// without formatting: program output, or the text of a file. Other text is Markdown, as
// the protocol says, and so is text that is a single fence.
func Verbatim(kind acpclient.ToolKind, text string) bool {
	switch kind {
	case acpclient.ToolExecute, acpclient.ToolRead, acpclient.ToolSearch:
		_, fenced := Fenced(text)
		return !fenced
	}
	return false
}

// VerbatimWhenAsked is Verbatim for a question: the text of a change to a file is shown
// character by character, because it may be what would be written.
func VerbatimWhenAsked(kind acpclient.ToolKind, text string) bool {
	switch kind {
	case acpclient.ToolEdit, acpclient.ToolDelete, acpclient.ToolMove:
		kind = acpclient.ToolRead
	}
	return Verbatim(kind, text)
}

// Fenced returns the code of a text that is a single fenced code block.
func Fenced(text string) (code string, ok bool) {
	text = strings.TrimSpace(text)
	fence := text[:len(text)-len(strings.TrimLeft(text, "`"))]
	if len(fence) < 3 {
		return "", false
	}
	first, inside, _ := strings.Cut(text, "\n")
	if strings.Contains(first[len(fence):], "`") {
		return "", false // inline code, not a fence
	}
	for rest := inside; rest != ""; {
		var line string
		line, rest, _ = strings.Cut(rest, "\n")
		if trimmed := strings.TrimSpace(line); strings.HasPrefix(trimmed, fence) && strings.Trim(trimmed, "`") == "" {
			return strings.TrimSuffix(inside, line), rest == ""
		}
	}
	return "", false
}

// Unfenced returns a text without the code fence or backticks around it, and without the
// sign of a prompt.
func Unfenced(text string) string {
	text = strings.TrimSpace(text)
	if code, ok := Fenced(text); ok {
		text = strings.TrimSpace(code)
	} else if inner, ok := strings.CutPrefix(text, "`"); ok && strings.IndexByte(inner, '`') == len(inner)-1 {
		text = strings.TrimSuffix(inner, "`")
	}
	return strings.TrimPrefix(text, "$ ")
}
