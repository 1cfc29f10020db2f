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
