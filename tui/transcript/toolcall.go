package transcript

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/safetext"
	"parley/tui/diffview"
	"parley/tui/markdown"
)

// How much of a tool call is shown while it is collapsed, in lines.
const (
	textPeek     = 6
	diffPeek     = 14
	terminalPeek = 10
	// chunk is how many lines of an expanded diff or terminal are one section.
	chunk = 60
	// rawMost is how much of a raw input or output is shown, in bytes.
	rawMost = 64 << 10
)

// toolCall draws a tool call: a line that says what it does and how far it is,
// and what it produced.
type toolCall struct {
	item     *conversation.ToolCall
	env      *environment
	expanded bool
	asked    bool // about in a question: the bodies are shown there
	last     uint64
	drawn    bool

	content []acpclient.ToolCallContent // that bodies were made of
	bodies  []body
	screens map[*conversation.Terminal]*terminalView

	peek cached // header and collapsed bodies
}

// body is one content of a tool call.
type body interface {
	// len is the number of lines at a width, slice draws some of them.
	len(width int, env *environment) int
	slice(from, to, width int, env *environment) []string
	// peek draws the body collapsed, and says how many lines it leaves out.
	peek(width int, env *environment) (lines []string, more int)
}

func (t *toolCall) update(env *environment, expanded bool) {
	asked := env.asked(t.item)
	if t.expanded != expanded || t.asked != asked || t.env != env {
		t.peek.drop()
	}
	t.env, t.expanded, t.asked = env, expanded, asked
	if t.drawn && t.last == t.item.Version() {
		return
	}
	t.last, t.drawn = t.item.Version(), true
	if !sameContent(t.content, t.item.Content) || t.bodies == nil {
		t.content = t.item.Content
		t.bodies = t.makeBodies()
	}
	for _, term := range t.item.Terminals {
		if t.screens[term] == nil {
			if t.screens == nil {
				t.screens = map[*conversation.Terminal]*terminalView{}
			}
			t.screens[term] = &terminalView{term: term}
			t.bodies = t.makeBodies()
		}
	}
}

// sameContent reports that two contents are the very same: content is replaced
// whole, and never changed.
func sameContent(a, b []acpclient.ToolCallContent) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

func (t *toolCall) makeBodies() []body {
	bodies := []body{}
	shown := map[acpclient.TerminalID]bool{}
	terminal := func(id acpclient.TerminalID) {
		for term, s := range t.screens {
			if term.ID == id && !shown[id] {
				shown[id] = true
				bodies = append(bodies, s)
			}
		}
	}
	for i := range t.content {
		c := &t.content[i]
		switch {
		case c.Type == acpclient.ToolContentDiff:
			bodies = append(bodies, &diff{diffview.New(c.Path, c.OldText, c.NewText)})
		case c.Type == acpclient.ToolContentTerminal:
			terminal(c.TerminalID)
		case c.Content != nil && c.Content.Type == acpclient.ContentText:
			if c.Content.Annotations.ForUser() && strings.TrimSpace(c.Content.Text) != "" {
				doc := markdown.New(t.env.dimmed)
				doc.Append(c.Content.Text)
				doc.Finish()
				bodies = append(bodies, &text{doc: doc})
			}
		case c.Content != nil:
			bodies = append(bodies, &block{c.Content})
		default:
			bodies = append(bodies, &raw{label: "content of a kind that parley does not know", data: c.Raw})
		}
	}
	for _, term := range t.item.Terminals {
		terminal(term.ID) // streamed without being embedded
	}
	return bodies
}

func (t *toolCall) sections() int {
	if !t.expanded {
		return 1
	}
	n := 1
	for _, b := range t.allBodies() {
		n += (b.len(t.bodyWidth(t.env.width), t.env) + chunk - 1) / chunk
	}
	return n
}

// allBodies are the bodies that an expanded call has: raw input and output too.
func (t *toolCall) allBodies() []body {
	all := slices.Clone(t.bodies)
	if len(t.item.RawInput) > 0 {
		all = append(all, &raw{label: "input", data: t.item.RawInput})
	}
	if len(t.item.RawOutput) > 0 && len(t.bodies) == 0 {
		all = append(all, &raw{label: "output", data: t.item.RawOutput})
	}
	return all
}

func (t *toolCall) lines(section, width int) []string {
	if section == 0 {
		return t.peek.get(t.last, width, t.peekLines)
	}
	section--
	for _, b := range t.allBodies() {
		length := b.len(t.bodyWidth(width), t.env)
		n := (length + chunk - 1) / chunk
		if section < n {
			return t.inset(b.slice(section*chunk, min(length, (section+1)*chunk), t.bodyWidth(width), t.env), width)
		}
		section -= n
	}
	return nil
}

func (t *toolCall) bodyWidth(width int) int { return width - 2 - t.indent() }

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
		out[i] = ansi.Truncate(bar+line, width, "")
	}
	return out
}

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

// header is what stands for the call: kind, title, where, how much changed.
func (t *toolCall) header(width int) []string {
	th := t.env.theme
	title := safetext.Line(t.item.Title)
	if title == "" {
		title = safetext.Line(t.item.Name)
	}
	if title == "" {
		title = "tool call"
	}
	line := strings.Repeat(" ", t.indent()) + th.ToolMark.Render(kindIcon(t.item.Kind)) + " " + th.Title.Render(title)
	if at := t.location(title); at != "" {
		line += " " + th.Muted.Render(at)
	}
	if added, removed, any := t.changes(); any {
		line += " " + th.DiffAddedCounter.Render(fmt.Sprintf("+%d", added)) + " " + th.DiffRemovedCounter.Render(fmt.Sprintf("−%d", removed))
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
		return strings.Split(ansi.Wrap(line, width, ""), "\n")
	}
	return []string{fit(line, width)}
}

// location is the first place that the call works on, unless the title says it.
func (t *toolCall) location(title string) string {
	if len(t.item.Locations) == 0 {
		return ""
	}
	l := t.item.Locations[0]
	at := t.env.display(l.Path)
	if strings.Contains(title, at) || strings.Contains(title, safetext.Line(l.Path)) {
		return ""
	}
	if l.Line != nil {
		at += fmt.Sprintf(":%d", *l.Line)
	}
	if n := len(t.item.Locations); n > 1 {
		at += fmt.Sprintf(" and %d more", n-1)
	}
	return at
}

func (t *toolCall) changes() (added, removed int, any bool) {
	for _, b := range t.bodies {
		if d, ok := b.(*diff); ok {
			a, r := d.Stats()
			added, removed, any = added+a, removed+r, true
		}
	}
	return added, removed, any
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

// kindIcon is one cell wide for every kind.
func kindIcon(k acpclient.ToolKind) string {
	switch k {
	case acpclient.ToolRead:
		return "◇"
	case acpclient.ToolEdit:
		return "✎"
	case acpclient.ToolDelete:
		return "⌫"
	case acpclient.ToolMove:
		return "⇄"
	case acpclient.ToolSearch:
		return "⌕"
	case acpclient.ToolExecute:
		return "$"
	case acpclient.ToolThink:
		return "✻"
	case acpclient.ToolFetch:
		return "⇣"
	case acpclient.ToolSwitchMode:
		return "⇆"
	}
	return "•"
}

// text is Markdown that a tool produced.
type text struct {
	doc   *markdown.Document
	all   []string
	width int
}

func (b *text) draw(width int) []string {
	if b.width != width {
		b.all, b.width = nil, width
		for i := range b.doc.Len() {
			b.all = append(b.all, b.doc.Lines(i, width)...)
		}
		b.doc.Release()
	}
	return b.all
}

func (b *text) len(width int, _ *environment) int { return len(b.draw(width)) }

func (b *text) slice(from, to, width int, _ *environment) []string {
	all := b.draw(width)
	return all[min(from, len(all)):min(to, len(all))]
}

// peek draws no more of a long text than is shown.
func (b *text) peek(width int, _ *environment) ([]string, int) {
	var lines []string
	for i := 0; i < b.doc.Len(); i++ {
		lines = append(lines, b.doc.Lines(i, width)...)
		if len(lines) > textPeek {
			// How many more there are is not worth drawing them all.
			rest := strings.Count(b.doc.Text(), "\n") + 1 - textPeek
			return lines[:textPeek], max(rest, len(lines)-textPeek)
		}
	}
	return head(lines, textPeek)
}

// diff is a change of a file.
type diff struct{ *diffview.Diff }

func (b *diff) len(width int, _ *environment) int {
	return b.Layout(width, diffview.Unified).Len()
}

func (b *diff) slice(from, to, width int, env *environment) []string {
	return b.Layout(width, diffview.Unified).Lines(from, to, env.theme)
}

func (b *diff) peek(width int, env *environment) ([]string, int) {
	return b.Layout(width, diffview.Unified).Head(diffPeek, env.theme)
}

// block is content that is not text.
type block struct{ content *acpclient.ContentBlock }

func (b *block) len(int, *environment) int { return 1 }

func (b *block) slice(_, _, width int, env *environment) []string {
	return []string{fit(blockLine(b.content, env.theme), width)}
}

func (b *block) peek(width int, env *environment) ([]string, int) {
	return b.slice(0, 1, width, env), 0
}

// raw is JSON, set out for reading.
type raw struct {
	label string
	data  []byte
	all   []string
	width int
}

func (b *raw) draw(width int, env *environment) []string {
	if b.width != width {
		b.width = width
		var out bytes.Buffer
		if json.Indent(&out, b.data, "", "  ") != nil {
			out.Reset()
			out.Write(b.data)
		}
		s := out.String()
		if len(s) > rawMost {
			s = strings.ToValidUTF8(s[:rawMost], "") + "\n…"
		}
		b.all = append([]string{env.theme.Faint.Render(b.label)}, wrap(s, width, env.theme.Muted)...)
	}
	return b.all
}

func (b *raw) len(width int, env *environment) int { return len(b.draw(width, env)) }

func (b *raw) slice(from, to, width int, env *environment) []string {
	all := b.draw(width, env)
	return all[min(from, len(all)):min(to, len(all))]
}

func (b *raw) peek(width int, env *environment) ([]string, int) {
	return head(b.draw(width, env), 1)
}
