package transcript

import (
	"parley/acpclient"
	"parley/internal/conversation"
	"parley/tui/markdown"
)

// Codes returns the code blocks of the selected item, and the index of the first in
// sight, or 0.
func (l *List) Codes() (codes []string, inSight int) {
	d := drawing(nil)
	if l.Selected() != nil {
		d = l.at(l.selected)
	}
	var sections []int // where each is drawn, -1 if unknown
	switch d := d.(type) {
	case *message:
		codes, sections = partCodes(d.parts, 0)
	case *thought:
		codes, sections = partCodes(d.parts, 1)
	default:
		var texts []string
		switch i := l.Selected().(type) {
		case *conversation.ToolCall:
			for k := range i.Content {
				if c := &i.Content[k]; c.Type == acpclient.ToolContentBlock && c.Content != nil {
					texts = append(texts, c.Content.Text)
				}
			}
		case *conversation.Plan:
			texts = []string{i.Markdown}
		case *conversation.Compaction:
			texts = []string{i.Summary.Plain()}
		}
		for _, text := range texts {
			for _, b := range markdown.CodeBlocks(text) {
				codes, sections = append(codes, b.Code), append(sections, -1)
			}
		}
	}
	from, to := l.visibleSections(l.selected)
	for i, s := range sections {
		if s >= from && s <= to {
			return codes, i
		}
	}
	return codes, 0
}

// partCodes returns the code blocks of parts and the sections that they begin in. The
// parts begin with the given section.
func partCodes(parts textParts, section int) (codes []string, sections []int) {
	for i := range parts {
		doc := parts[i].doc
		if doc == nil || parts[i].hidden {
			section += parts[i].sections()
			continue
		}
		blocks, end := markdown.CodeBlocks(doc.Text()), 0
		for s := range doc.Len() {
			end += len(doc.Source(s))
			for len(blocks) > 0 && blocks[0].At < end {
				codes, sections = append(codes, blocks[0].Code), append(sections, section+s)
				blocks = blocks[1:]
			}
		}
		section += doc.Len()
	}
	return codes, sections
}

// visibleSections returns the first and the last section of an item in sight; the last
// is before the first without any.
func (l *List) visibleSections(n *conversation.Node) (from, to int) {
	if n == nil {
		return 0, -1
	}
	top := l.firstLine()
	bottom := l.down(top, l.height-1)
	from, to = 0, whole
	if n.Before(top.node) || bottom.node.Before(n) {
		return 0, -1
	}
	if top.node == n {
		from = top.section
	}
	if bottom.node == n {
		to = bottom.section
	}
	return from, to
}
