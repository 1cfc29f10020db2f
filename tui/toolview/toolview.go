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
	"fmt"
	"strings"
	"time"

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

// Title returns the title of a tool call, or else the name of the tool. clean sanitises
// it: [termtext.Line] for mere display, [termtext.Visible] where the user decides on
// it.
func Title(t *conversation.ToolCall, clean func(string) string) string {
	for _, s := range []string{t.Title, t.Name} {
		if s = clean(strings.TrimSpace(s)); s != "" {
			return s
		}
	}
	return "a tool without a name"
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

// Elapsed formats the time that something has been running, like a clock.
func Elapsed(d time.Duration) string {
	s := int(d.Seconds())
	switch {
	case s < 60:
		return fmt.Sprintf("%ds", s)
	case s < 3600:
		return fmt.Sprintf("%dm %02ds", s/60, s%60)
	}
	return fmt.Sprintf("%dh %02dm", s/3600, s/60%60)
}

// Took formats the time that something took, with tenths of a second where they matter.
func Took(d time.Duration) string {
	if tenths := int(d / (100 * time.Millisecond)); tenths < 100 {
		return fmt.Sprintf("%d.%ds", tenths/10, tenths%10)
	}
	return Elapsed(d)
}

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

// TaskLine is Task in one line.
func TaskLine(e acpclient.PlanEntry, th *theme.Theme, width int) string {
	mark, style, tail := taskLooks(e, th)
	text := style.Render(termtext.Truncate(termtext.Line(e.Content), max(1, width-2-termtext.Width(tail)), "…"))
	return termtext.Truncate(mark+" "+text+tail, width, "")
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
