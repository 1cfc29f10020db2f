package dialog

import (
	"parley/internal/termtext"
	"parley/tui/theme"
)

// renderContext is the width and the theme that content is drawn for.
type renderContext struct {
	width int
	th    *theme.Theme
}

// content is a part of a panel that may be taller than the panel, and is drawn in pieces.
type content interface {
	// height returns the number of lines.
	height(renderContext) int
	// lines draws the existing lines from (inclusive) to (exclusive).
	lines(p renderContext, from, to int) []string
}

// column stacks contents.
type column []content

func (c column) height(p renderContext) int {
	n := 0
	for _, part := range c {
		n += part.height(p)
	}
	return n
}

func (c column) lines(p renderContext, from, to int) []string {
	var out []string
	for _, part := range c {
		if to <= 0 {
			break
		}
		n := part.height(p)
		if from < n {
			out = append(out, part.lines(p, max(from, 0), min(to, n))...)
		}
		from, to = from-n, to-n
	}
	return out
}

// block is content that is laid out whole, once per context and layout.
type block struct {
	draw func(renderContext) []string

	on     renderContext
	layout termtext.Layout
	done   []string
}

func newBlock(draw func(renderContext) []string) *block { return &block{draw: draw} }

func (b *block) height(p renderContext) int {
	if layout := termtext.NewLayout(p.width); b.on != p || b.layout != layout {
		b.on, b.layout, b.done = p, layout, b.draw(p)
	}
	return len(b.done)
}

func (b *block) lines(p renderContext, from, to int) []string {
	b.height(p)
	return b.done[from:to]
}

// fixed is content that is already drawn.
type fixed []string

func (f fixed) height(renderContext) int { return len(f) }

func (f fixed) lines(_ renderContext, from, to int) []string { return f[from:to] }
