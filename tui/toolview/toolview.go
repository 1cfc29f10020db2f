// Package toolview says what a tool call looks like, once for all who show one:
// the transcript, the dialogs, the status line and the clipboard. It gives plain
// text that is fit to be drawn, and leaves colours and line breaks to its
// callers; where nothing else is said, all that it returns has passed termtext.
//
// Content is handed out by [Visit]: whoever shows the content of tool calls
// implements [Visitor], which has a method for each kind of content. A kind that
// is added there has to be shown by everyone before anything compiles.
//
// The package keeps no state. Its functions are safe for concurrent use as long
// as the tool call does not change meanwhile.
package toolview

import (
	"fmt"
	"strings"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/termtext"
	"parley/tui/theme"
)

// Kind is how a kind of tool is shown.
type Kind struct {
	// Icon is one cell wide.
	Icon string
	// Verb says what tools of the kind do, in a word or two.
	Verb string
}

// kinds are the kinds that the protocol defines. The icons are in the fonts that
// terminals commonly use, are no emoji, and differ from those of a status.
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

// verbWidth is the most cells that the word for an unknown kind takes.
const verbWidth = 24

// KindOf is how a kind of tool is shown. A kind that the protocol does not
// define has the agent's own word for it.
func KindOf(k acpclient.ToolKind) Kind {
	if kind, ok := kinds[k]; ok {
		return kind
	}
	word := termtext.Line(strings.ReplaceAll(string(k), "_", " "))
	return Kind{kinds[acpclient.ToolOther].Icon, termtext.Truncate(word, verbWidth, "…")}
}

// Title is what a tool call says that it does: its title, else the name of the
// tool. clean makes it fit to be drawn: it is [termtext.Line] where the title is
// merely shown, and [termtext.Visible] where a person decides on it.
func Title(t *conversation.ToolCall, clean func(string) string) string {
	for _, s := range []string{t.Title, t.Name} {
		if s = clean(strings.TrimSpace(s)); s != "" {
			return s
		}
	}
	return "a tool without a name"
}

// Counts are how many lines a change adds and removes.
type Counts struct{ Added, Removed int }

// String writes the counts as "+3 −2".
func (c Counts) String() string { return c.added() + " " + c.removed() }

// Styled is String in the colours of a diff.
func (c Counts) Styled(th *theme.Theme) string {
	return th.DiffAddedCounter.Render(c.added()) + " " + th.DiffRemovedCounter.Render(c.removed())
}

func (c Counts) added() string { return fmt.Sprintf("+%d", c.Added) }

// removed has a minus sign, which is as wide as the plus sign, not a hyphen.
func (c Counts) removed() string { return fmt.Sprintf("−%d", c.Removed) }
