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
	// sections returns the number of sections; an item without sections is not shown.
	sections() int
	// lines returns the lines of a section, none wider than width. The caller must not
	// change them.
	lines(section, width int) []string
	// mark returns the symbol in the margin of the first line.
	mark() string
	// compact reports whether the item needs no blank line around it.
	compact() bool
	// excerpt returns what can be copied, saved or opened.
	excerpt() toolview.Excerpt
	// title names the item in a line.
	title() string
}

// environment is shared by all drawings at one depth.
type environment struct {
	theme     *theme.Theme
	dimmed    *theme.Theme // for thoughts
	inner     *theme.Theme // for the output of tools
	now       time.Time    // for clocks, or zero
	places    toolview.Paths
	positions *toolview.DiffPositions
	width     int // of text, in cells
	wide      int // of diffs, in cells
	diffs     *diffview.Preference
	page      bool // an item has the screen: Glamour draws its complete texts
	// pictures are the images that are ready to be drawn.
	pictures *pictures
	// open are the permission requests shown above the prompt. They show the content
	// of their tool calls.
	open []*conversation.Permission
}

// base is the common part of most drawings: one section whose
// lines are kept, with blank lines around it.
type base struct {
	env      *environment
	expanded bool
	kept     cached
}

func (b *base) update(env *environment, expanded bool) {
	if b.env != env || b.expanded != expanded {
		b.env, b.expanded = env, expanded
		b.kept.drop()
	}
}

func (b *base) sections() int { return 1 }

func (b *base) compact() bool { return false }

// newDrawing returns the drawing for an item.
func newDrawing(item conversation.Item) drawing {
	if g, ok := item.(*conversation.Group); ok {
		return &group{item: g}
	}
	var m maker
	item.Visit(&m)
	return m.made
}

// maker makes the drawing of an item by its kind.
type maker struct{ made drawing }

// Message implements conversation.Visitor, like the methods beside the other drawings.
func (m *maker) Message(i *conversation.Message) {
	switch i.Chunk {
	case acpclient.UserMessageChunk:
		m.made = &prompt{item: i}
	case acpclient.AgentThoughtChunk:
		m.made = &thought{messageParts: messageParts{item: i}}
	default:
		m.made = &message{messageParts: messageParts{item: i}}
	}
}

// Title returns the name of an item, in one line.
func Title(item conversation.Item) string { return newDrawing(item).title() }

// cached caches the lines of a section.
type cached struct {
	made    []string
	layout  termtext.Layout
	version uint64
	valid   bool
}

// get returns the lines for a version and a width; draw makes new ones.
func (c *cached) get(version uint64, width int, draw func(width int) []string) []string {
	if layout := termtext.NewLayout(width); !c.valid || c.version != version || c.layout != layout {
		c.made, c.version, c.layout, c.valid = draw(width), version, layout, true
	}
	return c.made
}

// drop empties the cache.
func (c *cached) drop() { c.valid = false }

// wrap wraps plain text and styles it.
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

// head returns the first n lines and how many more there are. A single further line
// is returned too: it needs no more room than saying so.
func head(lines []string, n int) ([]string, int) {
	if len(lines) <= n+1 {
		return lines, 0
	}
	return lines[:n], len(lines) - n
}

// fit cuts a styled line to a width.
func fit(line string, width int) string { return termtext.Truncate(line, width, "…") }
