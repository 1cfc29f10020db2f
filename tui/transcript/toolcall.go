package transcript

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/termtext"
	"parley/tui/toolview"
)

// chunk is how many lines of an expanded body are one section.
const chunk = 60

// toolCall draws a tool call: a line that says what it does and how far it is,
// and what it produced.
type toolCall struct {
	item     *conversation.ToolCall
	env      *environment
	expanded bool
	asked    bool          // the person is being asked about it, and sees the bodies there
	headed   bool          // its command stands above it
	took     time.Duration // as it is shown
	brief    bool          // what it brought is not shown unless it is expanded
	sign     string        // whether the calls that were made for it are shown below
	last     uint64
	drawn    bool

	made    madeOf // what the bodies were made of
	bodies  []body
	sites   uint64   // the version of the places that the diffs have
	input   *rawBody // nil if the call has no raw input
	output  *rawBody // nil if the call has no raw output
	screens map[*conversation.Terminal]*terminalView

	peek     cached // header and collapsed bodies
	pictures uint64 // those that were ready when peek was drawn
}

// ToolCall implements conversation.Visitor.
func (m *maker) ToolCall(i *conversation.ToolCall) { m.made = &toolCall{item: i} }

func (t *toolCall) update(env *environment, expanded bool) {
	asked := env.asked(t.item)
	if pictures := env.pictures.at(); t.expanded != expanded || t.asked != asked || t.env != env || t.pictures != pictures {
		t.peek.drop()
		t.pictures = pictures
	}
	t.env, t.expanded, t.asked = env, expanded, asked
	if !t.drawn || t.last != t.item.Version() {
		t.last, t.drawn = t.item.Version(), true
		now := madeOf{t.item.Title, t.item.Kind, t.item.Content, t.item.RawInput, len(t.item.Asked)}
		if added := t.watchTerminals(); added || !t.made.same(&now) {
			if !added && t.made.goesOn(&now) && len(t.item.Terminals) == 0 {
				maker := t.bodyMaker()
				for i := len(t.made.content); i < len(now.content); i++ {
					if b := maker.make(&now.content[i]); b != nil {
						t.bodies = append(t.bodies, b)
					}
				}
			} else {
				t.bodies = t.makeBodies()
			}
			t.made = now
			several := len(t.changedFiles()) > 1
			for d := range t.diffs() {
				d.headed = several
			}
		}
		t.input = t.input.of(toolview.RawInput, t.item.RawInput)
		t.output = t.output.of(toolview.RawOutput, t.item.RawOutput)
	}
	if took := shownTime(t.item, env.now); t.took != took {
		t.took = took
		t.peek.drop()
	}
	if v := env.sites.Version(); t.sites != v {
		t.sites = v
		for d := range t.diffs() {
			if d.asOf != v {
				d.locate(env)
			}
		}
		t.peek.drop()
	}
}

// setNesting tells how the call stands among others.
func (t *toolCall) setNesting(brief bool, sign string) {
	if t.brief != brief || t.sign != sign {
		t.brief, t.sign = brief, sign
		t.peek.drop()
	}
}

// madeOf is what the bodies of a call are made of.
type madeOf struct {
	title   string
	kind    acpclient.ToolKind
	content []acpclient.ToolCallContent
	input   []byte
	asked   int // how many questions about it are closed
}

// same reports that the bodies need not be made anew.
func (m *madeOf) same(other *madeOf) bool {
	return m.title == other.title && m.kind == other.kind && m.asked == other.asked &&
		sameArray(m.content, other.content) && sameArray(m.input, other.input)
}

// goesOn reports that there is only more behind the content that there was, so that the
// bodies which were made of that can stay: a call may be sent in very many pieces.
func (m *madeOf) goesOn(now *madeOf) bool {
	was := *m
	was.content = now.content
	n := len(m.content)
	return was.same(now) && now.asked == 0 && 0 < n && n < len(now.content) && sameArray(m.content, now.content[:n])
}

// sameArray reports that two slices are the very same memory. What an agent sent
// is replaced whole and never changed in place, so it is the same then.
func sameArray[T any](a, b []T) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

// watchTerminals makes the views of terminals that are new, and reports whether
// there were any.
func (t *toolCall) watchTerminals() (added bool) {
	for _, term := range t.item.Terminals {
		if t.screens[term] != nil {
			continue
		}
		if t.screens == nil {
			t.screens = map[*conversation.Terminal]*terminalView{}
		}
		t.screens[term] = &terminalView{term: term}
		added = true
	}
	return added
}

// wholeBodies are the bodies that an expanded call has: the raw input too, and
// the raw output if nothing else was given.
func (t *toolCall) wholeBodies() []body {
	all := slices.Clip(t.bodies)
	if t.input != nil {
		all = append(all, t.input)
	}
	if t.output != nil && len(t.bodies) == 0 {
		all = append(all, t.output)
	}
	return all
}

func (t *toolCall) sections() int {
	if !t.expanded {
		return 1
	}
	n := 1
	for _, b := range t.wholeBodies() {
		n += (b.len(t.widthOf(b, t.env.width), t.env) + chunk - 1) / chunk
	}
	return n
}

func (t *toolCall) lines(section, width int) []string {
	if section == 0 {
		return t.peek.get(t.last, width, t.peekLines)
	}
	section--
	for _, b := range t.wholeBodies() {
		room := t.widthOf(b, width)
		length := b.len(room, t.env)
		n := (length + chunk - 1) / chunk
		if section < n {
			return t.inset(b.slice(section*chunk, min(length, (section+1)*chunk), room, t.env), room+width-t.bodyWidth(width))
		}
		section -= n
	}
	return nil
}

func (t *toolCall) bodyWidth(width int) int { return width - barWidth }

// inset draws a rule left of a body.
func (t *toolCall) inset(lines []string, width int) []string {
	bar := t.env.theme.CodeBar.Render("│ ")
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = termtext.Truncate(bar+line, width, "")
	}
	return out
}

// peekLines are the header and, while the call is collapsed, the beginning of
// each body.
func (t *toolCall) peekLines(width int) []string {
	out := t.header(width)
	if t.expanded || t.asked || t.brief {
		return out
	}
	var below []string
	for _, b := range t.bodies {
		lines, more := b.peek(t.bodyWidth(width), t.env)
		below = append(below, lines...)
		if more > 0 {
			below = append(below, t.env.theme.Faint.Render(fmt.Sprintf("… %d more %s", more, plural(more, "line"))))
		}
	}
	return append(out, t.inset(below, width)...)
}

func plural(n int, word string) string {
	if n == 1 {
		return word
	}
	return word + "s"
}

// mark is how far the call is.
func (t *toolCall) mark() string {
	th := t.env.theme
	switch {
	case t.item.Cancelled, t.item.Rejected:
		return th.Warning.Render("⊘")
	case t.item.Status == acpclient.ToolCompleted:
		return th.Success.Render("✓")
	case t.item.Status == acpclient.ToolFailed:
		return th.Error.Render("✗")
	case t.item.Running() && t.item.Status == acpclient.ToolInProgress:
		return th.Accent.Render("◐")
	}
	return th.Muted.Render("○")
}

func (t *toolCall) compact() bool { return !t.expanded && (t.asked || t.brief || len(t.bodies) == 0) }

func (t *toolCall) excerpt() toolview.Excerpt { return toolview.ExcerptOf(t.item) }

func (t *toolCall) title() string {
	return toolview.KindOf(t.item.Kind).Icon + " " + toolview.Title(t.item, termtext.VisibleLine)
}

// ToolCall passes on what the call says and gave.
func (t itemTexts) ToolCall(c *conversation.ToolCall) {
	t.give(c.Title)
	replaced := toolview.Replaced(c)
	for k := range replaced {
		toolview.Visit(&replaced[k], contentTexts(t))
	}
	for k := range c.Content {
		toolview.Visit(&c.Content[k], contentTexts(t))
	}
	if command := (toolview.Paths{}).Command(c.RawInput).Line; c.Kind == acpclient.ToolExecute && !strings.Contains(c.Title, command) {
		t.give(command)
	}
	for _, term := range c.Terminals {
		t.terminal(term)
	}
}
