package transcript

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/termtext"
	"parley/tui/theme"
	"parley/tui/toolview"
)

// chunk is the number of lines of an expanded body per section.
const chunk = 60

// toolCall draws a tool call: a header, and below it the bodies.
type toolCall struct {
	item     *conversation.ToolCall
	env      *environment
	expanded bool
	asked    bool // an open permission request shows the bodies
	// head draws the header instead, and shows the command; it may be nil.
	head    func(width int, th *theme.Theme) []string
	written bool          // expanded because nothing may be left out, not to see what was sent
	took    time.Duration // as shown
	brief   bool          // collapsed, it is the header alone
	sign    string        // whether its nested calls are shown
	last    uint64
	drawn   bool

	made      madeOf // what the bodies were made of
	bodies    []body
	diffs     []*diffBody // those among the bodies
	positions uint64      // the version of the diffs' positions
	input     *rawBody    // nil without a raw input
	output    *rawBody    // nil without a raw output
	screens   map[*conversation.Terminal]*terminalView

	diffWidth int    // the width of the diffs drawn
	pictures  uint64 // the version of the pictures drawn
}

// ToolCall implements conversation.Visitor.
func (m *maker) ToolCall(i *conversation.ToolCall) { m.made = &toolCall{item: i} }

func (t *toolCall) update(env *environment, expanded bool) (changed bool) {
	asked := slices.ContainsFunc(env.open, func(p *conversation.Permission) bool { return p.ToolCall == t.item })
	changed = t.asked != asked || t.diffWidth != env.diffWidth || t.pictures != env.pictures.version
	t.diffWidth, t.pictures = env.diffWidth, env.pictures.version
	t.env, t.expanded, t.asked = env, expanded, asked
	if !t.drawn || t.last != t.item.Version() {
		t.last, t.drawn = t.item.Version(), true
		now := madeOf{t.item.Title, t.item.Kind, t.item.Content, t.item.RawInput, len(t.item.Asked), len(t.item.Files), t.item.Failed(), toolview.Silent(t.item)}
		added := false
		for _, term := range t.item.Terminals {
			if t.screens[term] == nil {
				if t.screens == nil {
					t.screens = map[*conversation.Terminal]*terminalView{}
				}
				t.screens[term], added = &terminalView{term: term}, true
			}
		}
		if len(t.screens) > 0 {
			heading, whole := t.env.places.Heading(t.item)
			if !whole {
				heading = ""
			}
			line := strings.TrimSpace(t.command().Line)
			for _, v := range t.screens {
				v.setCall(line, heading, toolview.FailureShows(t.item, v.term))
			}
		}
		if added || !t.made.same(&now) {
			if !added && t.made.extendedBy(&now) && len(t.item.Terminals) == 0 {
				maker := t.bodyMaker()
				for i := len(t.made.content); i < len(now.content); i++ {
					if b := maker.make(&now.content[i]); b != nil {
						t.bodies = append(t.bodies, b)
					}
				}
			} else {
				t.bodies = t.makeBodies()
			}
			t.made, t.diffs = now, nil
			for _, b := range t.bodies {
				if d, ok := b.(*diffBody); ok {
					t.diffs = append(t.diffs, d)
				}
			}
			several := len(t.changedFiles()) > 1
			for _, d := range t.diffs {
				d.headed = several
			}
		}
		t.input = t.input.of(toolview.RawInput, t.item.RawInput)
		t.output = t.output.of(toolview.RawOutput, t.item.RawOutput)
	}
	took := t.item.Took()
	if t.item.Running() {
		// A clock begins when one begins to wait for it, and changes once a second.
		if took = 0; !t.item.Waits() {
			if d := t.item.Worked(env.now); d >= leastRunning {
				took = d.Truncate(time.Second)
			}
		}
	}
	if t.took != took {
		t.took, changed = took, true
	}
	if v := env.facts.Version(); t.positions != v {
		t.positions = v
		for _, d := range t.diffs {
			if d.asOf != v {
				d.locate(env)
			}
		}
		changed = true
	}
	return changed
}

// Shorter times are not shown: those of calls that have ended, and those of calls that
// work.
const (
	leastTime    = time.Second
	leastRunning = 3 * time.Second
)

// worked says how long something took, "" if that is short.
func worked(d time.Duration) string {
	if d < leastTime {
		return ""
	}
	return termtext.Took(d)
}

// madeOf holds the inputs of a call's bodies.
type madeOf struct {
	title   string
	kind    acpclient.ToolKind
	content []acpclient.ToolCallContent
	input   []byte
	asked   int // the number of closed permission requests
	seen    int // the number of files that they replace
	failed  bool
	silent  bool // see [toolview.Silent]
}

func (m *madeOf) same(other *madeOf) bool {
	return m.title == other.title && m.kind == other.kind && m.asked == other.asked && m.seen == other.seen && m.failed == other.failed && m.silent == other.silent &&
		sameArray(m.content, other.content) && sameArray(m.input, other.input)
}

// extendedBy reports whether now only has more content at its end, so that the bodies
// can stay: an agent may send a call in very many pieces.
func (m *madeOf) extendedBy(now *madeOf) bool {
	was := *m
	was.content = now.content
	n := len(m.content)
	return was.same(now) && now.asked == 0 && 0 < n && n < len(now.content) && sameArray(m.content, now.content[:n])
}

// sameArray reports whether two slices are the same memory. What an agent sent is
// replaced and never changed in place, so it is equal then.
func sameArray[T any](a, b []T) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

// wholeBodies returns the bodies of an expanded call: with the raw input, and with the
// raw output if there is no other, unless it is only written out.
func (t *toolCall) wholeBodies() []body {
	if t.written {
		return t.bodies
	}
	all := slices.Clip(t.bodies)
	if t.input != nil {
		all = append(all, t.input)
	}
	if t.output != nil && len(t.bodies) == 0 {
		all = append(all, t.output)
	}
	return all
}

// chunks returns how many sections so many lines have.
func chunks(lines int) int { return (lines + chunk - 1) / chunk }

func (t *toolCall) sections() int {
	n := 1
	if t.expanded {
		for _, b := range t.wholeBodies() {
			n += chunks(b.len(t.widthOf(b, t.env.width), t.env))
		}
	}
	return n
}

// bodyAt returns the body that a section of an expanded call shows, the first section
// of the body and its number of lines. The body is nil for the header.
func (t *toolCall) bodyAt(section, width int) (b body, first, length int) {
	if section == 0 || !t.expanded {
		return nil, 0, 0
	}
	first = 1
	for _, b := range t.wholeBodies() {
		length := b.len(t.widthOf(b, width), t.env)
		if section < first+chunks(length) {
			return b, first, length
		}
		first += chunks(length)
	}
	return nil, 0, 0
}

// draw adds a part of a body, or the header and, while the call is collapsed, the beginning
// of each body.
func (t *toolCall) draw(s *sheet, section, width int) {
	if b, first, length := t.bodyAt(section, width); b != nil {
		room, from := t.widthOf(b, width), (section-first)*chunk
		b.draw(s, from, min(length, from+chunk), room, t.env)
		s.inset(0, room+barWidth, t.env.bar)
	}
	if section > 0 {
		return
	}
	t.header(s, width)
	if t.expanded || t.asked || t.brief {
		return
	}
	for _, b := range t.bodies {
		top, room := len(s.lines), t.widthOf(b, width)
		if more := b.peek(s, room, t.env); more > 0 {
			s.add(t.env.theme.Faint.Render(moreLines(more)))
		}
		s.inset(top, room+barWidth, t.env.bar)
	}
}

// moreLines says how many lines are hidden.
func moreLines(n int) string { return "… " + termtext.Count(n, "more line") }

func (t *toolCall) mark() string {
	th := t.env.theme
	switch {
	case t.item.Cancelled, t.item.Rejected:
		return th.Warning.Render("⊘")
	case t.item.Failed():
		return th.Error.Render("✗")
	case t.item.Status == acpclient.ToolCompleted:
		return th.Success.Render("✓")
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

// header adds what the call does (kind, title, location), its changed lines and its outcome.
// Without room for all, the former and the answer to its question are cut, never how it ended.
func (t *toolCall) header(s *sheet, width int) {
	th := t.env.theme
	if t.head != nil {
		s.add(t.head(width, th)...)
		return
	}
	title, _ := t.env.places.Heading(t.item)
	icon, top := toolview.KindOf(t.item.Kind).Icon, len(s.lines)
	if s.copies {
		defer func() { s.rows[top].Lead = termtext.Width(icon + " ") }()
	}
	line := th.ToolMark.Render(icon) + " " + th.Title.Render(title)
	if at := t.location(title); at != "" {
		line += " " + th.Muted.Render(at)
	}
	work, answer, end := t.outcome()
	if len(t.diffs) > 0 {
		var counts toolview.Counts
		fate := t.diffs[0].fate() // "" if they differ
		for _, d := range t.diffs {
			added, removed := d.Stats()
			counts.Added, counts.Removed = counts.Added+added, counts.Removed+removed
			if d.fate() != fate {
				fate = ""
			}
		}
		words := " " + counts.Styled(th)
		if fate != "" {
			words += " " + th.Muted.Render(fate)
		}
		work = words + work
	}
	if !t.expanded {
		width = max(width, t.env.diffWidth) // of one line no more than the screen is cut
		room := width - termtext.Width(work+end)
		if room < width/2 { // only how it ended is worth more than what it does
			line, work, room = line+work, "", max(0, width-termtext.Width(end))
		}
		answer = fit(answer, max(room/2, room-termtext.Width(line)))
		s.add(fit(fit(line, room-termtext.Width(answer))+work+answer+end, width))
		return
	}
	line += work + answer + end
	if name := termtext.Line(t.item.Name); name != "" && name != title {
		line += th.Faint.Render("  " + name)
	}
	s.add(termtext.Wrap(line, width)...)
	if _, rest, more := strings.Cut(strings.TrimSpace(toolview.Title(t.item, termtext.Block)), "\n"); more {
		top := len(s.lines)
		s.wrap(rest, width-2, th.Title)
		for i := top; i < len(s.lines); i++ {
			s.lines[i] = "  " + s.lines[i]
		}
	}
}

// longestAsked bounds how a call was called when it was asked about, in bytes.
const longestAsked = 60

// outcome says how many nested calls there are and how long the call took, who answered
// the permission request, and how the call ended.
func (t *toolCall) outcome() (work, answer, end string) {
	th := t.env.theme
	if n := t.item.Nested; n.Calls > 0 {
		work = "  " + th.Muted.Render(t.sign+termtext.Count(int(n.Calls), "call"))
		if n.Running > 0 {
			work += th.Muted.Render(fmt.Sprintf(", %d running", n.Running))
		}
		if n.Failed > 0 {
			work += th.Muted.Render(", ") + th.Error.Render(fmt.Sprintf("%d failed", n.Failed))
		}
	}
	words := worked(t.took)
	if t.item.Running() && t.took > 0 {
		words = termtext.Elapsed(t.took)
	}
	if words != "" {
		work += th.Faint.Render("  " + words)
	}
	if a := t.item.Answer; a != nil && !a.Cancelled {
		words := "you: " + conversation.OptionLine(a.Option)
		if asked := t.item.AskedAs(); asked != nil {
			then, _ := t.env.places.Heading(asked)
			if now, _ := t.env.places.Heading(t.item); then != now {
				words += " (asked as: " + termtext.Head(then, longestAsked, "…") + ")"
			}
		}
		if a.Rule != "" {
			words = fmt.Sprintf("rule: %s (%s)", termtext.VisibleLine(a.Rule), termtext.VisibleLine(a.Source))
		}
		answer = th.Faint.Render("  " + words)
	}
	switch {
	case t.item.Cancelled:
		end = th.Warning.Render("  cancelled")
	case t.item.Rejected && t.item.Answer != nil && t.item.Answer.Rule == "" && t.item.Answer.Option.Kind.Rejects() && strings.Contains(strings.ToLower(conversation.OptionLine(t.item.Answer.Option)), "reject"):
		// the answer says it
	case t.item.Rejected:
		end = th.Warning.Render("  rejected")
	case t.item.Failed():
		end = th.Error.Render("  " + toolview.Failure(t.item))
	case t.made.silent:
		end = th.Faint.Render("  " + toolview.NoOutput)
	}
	return work, answer, end
}

// location returns the first location of the call, or the first file that it changes,
// unless the title names it.
func (t *toolCall) location(title string) string {
	at := t.env.places
	locations := at.ShownLocations(t.item.Locations)
	if len(locations) == 0 {
		for _, path := range t.changedFiles() {
			locations = append(locations, acpclient.ToolCallLocation{Path: path})
		}
	}
	if len(locations) == 0 {
		return ""
	}
	first := locations[0]
	if strings.Contains(title, at.Path(first.Path)) || strings.Contains(title, termtext.Line(first.Path)) {
		return ""
	}
	words := at.Location(first)
	if n := len(locations); n > 1 {
		words += fmt.Sprintf(" and %d more", n-1)
	}
	return words
}
