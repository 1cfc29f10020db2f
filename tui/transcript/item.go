package transcript

import (
	"strings"
	"time"

	"charm.land/lipgloss/v2"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/termtext"
	"parley/tui/diffview"
	"parley/tui/theme"
	"parley/tui/toolview"
)

// drawing draws one item. It keeps lines until the item, the width or the theme changes.
type drawing interface {
	// update brings the drawing up to date with its item.
	update(env *environment, expanded bool)
	// sections is the number of sections; an item without any is not shown.
	sections() int
	// lines are the lines of a section, none wider than width. They belong to
	// the drawing.
	lines(section, width int) []string
	// mark is the symbol in the margin of the first line.
	mark() string
	// compact reports that the item is one line and needs no blank line around it.
	compact() bool
	// excerpt is what can be copied, saved or opened.
	excerpt() toolview.Excerpt
	// title names the item in a line.
	title() string
}

// environment is what all drawings share.
type environment struct {
	theme  *theme.Theme
	dimmed *theme.Theme // for thoughts
	inner  *theme.Theme // for what tools say, beside their edge
	now    time.Time    // for clocks, zero if nobody looks at them
	places toolview.Paths
	sites  *toolview.DiffPositions
	width  int // of the text, in cells: sections are counted for it
	wide   int // of what may be wider than text
	diffs  *diffview.Preference
	// page says that an item is shown on a screen of its own: Glamour draws its
	// complete texts.
	page bool
	// pictures are the images that are ready to be drawn.
	pictures *pictures
	// open are the questions that are asked above the prompt now.
	open []*conversation.Permission
}

// newEnvironment is the environment for a theme and the directory of the session.
func newEnvironment(th *theme.Theme, dir string) *environment {
	dimmed := th.Dimmed()
	return &environment{theme: th, dimmed: dimmed, inner: dimmed.Within(), places: toolview.PathsIn(dir)}
}

// asked reports whether the person is being asked about a tool call. What it
// would do stands in the question then, and not here as well.
func (env *environment) asked(t *conversation.ToolCall) bool {
	for _, p := range env.open {
		if p.ToolCall == t {
			return true
		}
	}
	return false
}

// newDrawing makes the drawing for an item. It draws nothing yet.
func newDrawing(item conversation.Item) drawing {
	if g, ok := item.(*conversation.Group); ok {
		return &group{item: g}
	}
	var m maker
	item.Visit(&m)
	return m.made
}

// maker makes the drawing for each kind of item.
type maker struct{ made drawing }

// Message implements conversation.Visitor, like the methods beside the other drawings.
func (m *maker) Message(i *conversation.Message) {
	switch i.Chunk {
	case acpclient.UserMessageChunk:
		m.made = &prompt{item: i}
	case acpclient.AgentThoughtChunk:
		m.made = &thought{item: i}
	default:
		m.made = &message{item: i}
	}
}

// Title names an item in a line.
func Title(item conversation.Item) string { return newDrawing(item).title() }

// cached keeps the lines of a drawing that has one section.
type cached struct {
	made    []string
	layout  termtext.Layout
	version uint64
	valid   bool
}

// get returns the lines that are kept. If they are of another version or layout,
// draw makes new ones.
func (c *cached) get(version uint64, width int, draw func(width int) []string) []string {
	if layout := termtext.NewLayout(width); !c.valid || c.version != version || c.layout != layout {
		c.made, c.version, c.layout, c.valid = draw(width), version, layout, true
	}
	return c.made
}

// drop makes the next get draw the lines anew.
func (c *cached) drop() { c.valid = false }

// wrap sets plain text in a style, in lines of at most width.
func wrap(text string, width int, style lipgloss.Style) []string {
	var out []string
	for _, line := range strings.Split(strings.TrimRight(termtext.Block(text), "\n"), "\n") {
		line = strings.ReplaceAll(line, "\t", "    ")
		for _, part := range termtext.Wrap(line, width) {
			out = append(out, style.Render(part))
		}
	}
	return out
}

// head returns the first n lines, and how many more there are. One more is
// returned as well: it takes no more room than a word about it.
func head(lines []string, n int) ([]string, int) {
	if len(lines) <= n+1 {
		return lines, 0
	}
	return lines[:n], len(lines) - n
}

// fit cuts a styled line to a width.
func fit(line string, width int) string { return termtext.Truncate(line, width, "…") }
