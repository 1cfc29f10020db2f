package transcript

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"parley/acpclient"
	"parley/internal/cells"
	"parley/internal/conversation"
	"parley/internal/safetext"
	"parley/tui/diffview"
	"parley/tui/markdown"
	"parley/tui/toolface"
)

// chunk is how many lines of an expanded body are one section.
const chunk = 60

// toolCall draws a tool call: a line that says what it does and how far it is,
// and what it produced.
type toolCall struct {
	item     *conversation.ToolCall
	env      *environment
	expanded bool
	asked    bool // the person is being asked about it, and sees the bodies there
	last     uint64
	drawn    bool

	content []acpclient.ToolCallContent // what the bodies were made of
	bodies  []body
	input   *rawBody // nil if the call has no raw input
	output  *rawBody // nil if the call has no raw output
	screens map[*conversation.Terminal]*terminalView

	peek     cached // header and collapsed bodies
	pictures uint64 // those that were ready when peek was drawn
}

func (t *toolCall) update(env *environment, expanded bool) {
	asked := env.asked(t.item)
	if pictures := env.pictures.at(); t.expanded != expanded || t.asked != asked || t.env != env || t.pictures != pictures {
		t.peek.drop()
		t.pictures = pictures
	}
	t.env, t.expanded, t.asked = env, expanded, asked
	if t.drawn && t.last == t.item.Version() {
		return
	}
	changed := !t.drawn || !sameArray(t.content, t.item.Content)
	t.last, t.drawn, t.content = t.item.Version(), true, t.item.Content
	if t.watchTerminals() || changed {
		t.bodies = t.makeBodies()
	}
	t.input = t.input.of(toolface.RawInput, t.item.RawInput)
	t.output = t.output.of(toolface.RawOutput, t.item.RawOutput)
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

// makeBodies makes a body of each content, and of each terminal whose output
// came without being embedded in the content.
func (t *toolCall) makeBodies() []body {
	maker := &bodyMaker{call: t}
	var bodies []body
	add := func(b body) {
		if b != nil {
			bodies = append(bodies, b)
		}
	}
	for i := range t.content {
		add(toolface.Visit(&t.content[i], maker))
	}
	for _, term := range t.item.Terminals {
		add(maker.Terminal(term.ID))
	}
	return bodies
}

// bodyMaker makes the body of a content; it is nil if there is nothing to see.
type bodyMaker struct {
	call     *toolCall
	embedded []acpclient.TerminalID // the terminals that have a body already
}

var _ toolface.Visitor[body] = (*bodyMaker)(nil)

func (m *bodyMaker) Block(b *acpclient.ContentBlock) body {
	switch {
	case b.Type != acpclient.ContentText:
		return &blockBody{toolface.BlockOf(b), b}
	case !b.Annotations.ForUser() || strings.TrimSpace(b.Text) == "":
		return nil
	}
	doc := markdown.New(m.call.env.dimmed)
	doc.Append(b.Text)
	doc.Finish()
	return &textBody{doc: doc}
}

func (m *bodyMaker) Diff(path string, before *string, after string) body {
	return &diffBody{diffview.New(path, before, after)}
}

func (m *bodyMaker) Terminal(id acpclient.TerminalID) body {
	if slices.Contains(m.embedded, id) {
		return nil
	}
	for term, view := range m.call.screens {
		if term.ID == id {
			m.embedded = append(m.embedded, id)
			return view
		}
	}
	return nil
}

func (m *bodyMaker) Unknown(label string, raw json.RawMessage) body {
	return &rawBody{label: label, data: raw}
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

func (t *toolCall) bodyWidth(width int) int { return width - 2 - t.indent() }

// indent sets the calls of a subagent off from those of the agent.
func (t *toolCall) indent() int {
	if t.item.Parent != "" {
		return 2
	}
	return 0
}

// inset draws a rule left of a body.
func (t *toolCall) inset(lines []string, width int) []string {
	bar := strings.Repeat(" ", t.indent()) + t.env.theme.CodeBar.Render("│ ")
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = cells.Truncate(bar+line, width, "")
	}
	return out
}

// peekLines are the header and, while the call is collapsed, the beginning of
// each body.
func (t *toolCall) peekLines(width int) []string {
	out := t.header(width)
	if t.expanded || t.asked {
		return out
	}
	for _, b := range t.bodies {
		lines, more := b.peek(t.bodyWidth(width), t.env)
		if more > 0 {
			lines = append(slices.Clip(lines), t.env.theme.Faint.Render(fmt.Sprintf("… %d more %s", more, plural(more, "line"))))
		}
		out = append(out, t.inset(lines, width)...)
	}
	return out
}

func plural(n int, word string) string {
	if n == 1 {
		return word
	}
	return word + "s"
}

// header is what stands for the call: kind, title, where, how much changed, what
// the person answered, how it ended.
func (t *toolCall) header(width int) []string {
	th := t.env.theme
	title := toolface.Title(t.item, safetext.Line)
	line := strings.Repeat(" ", t.indent()) + th.ToolMark.Render(toolface.KindOf(t.item.Kind).Icon) + " " + th.Title.Render(title)
	if at := t.location(title); at != "" {
		line += " " + th.Muted.Render(at)
	}
	if counts, any := t.changes(); any {
		line += " " + counts.Styled(th)
	}
	if a := t.item.Answer; a != nil && !a.Cancelled {
		line += th.Faint.Render("  you: " + safetext.Line(a.Option.Name))
	}
	switch {
	case t.item.Cancelled:
		line += th.Warning.Render("  cancelled")
	case t.item.Status == acpclient.ToolFailed:
		line += th.Error.Render("  failed")
	}
	if t.expanded {
		if name := safetext.Line(t.item.Name); name != "" && name != title {
			line += th.Faint.Render("  " + name)
		}
		return cells.Wrap(line, width)
	}
	return []string{fit(line, width)}
}

// location is the first place that the call works on, unless the title names it.
func (t *toolCall) location(title string) string {
	if len(t.item.Locations) == 0 {
		return ""
	}
	first := t.item.Locations[0]
	if strings.Contains(title, t.env.places.Path(first.Path)) || strings.Contains(title, safetext.Line(first.Path)) {
		return ""
	}
	at := t.env.places.Location(first)
	if n := len(t.item.Locations); n > 1 {
		at += fmt.Sprintf(" and %d more", n-1)
	}
	return at
}

// changes counts the changed lines of all diffs, and reports whether there are
// diffs.
func (t *toolCall) changes() (counts toolface.Counts, any bool) {
	for _, b := range t.bodies {
		if d, ok := b.(*diffBody); ok {
			added, removed := d.Stats()
			counts.Added, counts.Removed, any = counts.Added+added, counts.Removed+removed, true
		}
	}
	return counts, any
}

// mark is how far the call is.
func (t *toolCall) mark() string {
	th := t.env.theme
	switch {
	case t.item.Cancelled:
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

func (t *toolCall) compact() bool { return !t.expanded && (t.asked || len(t.bodies) == 0) }

func (t *toolCall) excerpt() toolface.Excerpt { return toolface.ExcerptOf(t.item) }
