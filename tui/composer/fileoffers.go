package composer

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/internal/prompt"
	"parley/internal/termtext"
)

// AnotherFile is the key that takes the marked file and continues with the next one.
const AnotherFile = "ctrl+space"

// matchedAtOnce bounds the paths that are matched while handling a key, in less than a
// millisecond. More are matched by a command.
const matchedAtOnce = 5000

// offerFiles finds the files that match a query, at once or by a command.
func (c *Composer) offerFiles(query string) tea.Cmd {
	p := &c.completion
	switch {
	case c.index == nil && c.listError != "":
		p.items, p.note = nil, c.listError
		return nil
	case c.index == nil:
		p.items, p.note = nil, "listing files…"
		return nil
	case len(c.index.paths) <= matchedAtOnce:
		p.show(c.index.offers(query), len(c.index.paths))
		return nil
	case c.matching:
		return nil // its result matches the query again
	}
	c.matching = true
	index := c.index
	return func() tea.Msg {
		offers := index.offers(query)
		return resultMsg{c, func() tea.Cmd { return c.takeMatches(index, query, offers) }}
	}
}

// fileOffers are the files that match a query.
type fileOffers struct {
	items   []item
	found   int
	atLeast bool
	note    string
}

// takeMatches shows the result, or matches again if something else was typed since.
func (c *Composer) takeMatches(index *fileIndex, query string, offers fileOffers) tea.Cmd {
	c.matching = false
	p := &c.completion
	if p.kind != fileCompletion || p.closed || c.index == nil {
		return nil
	}
	if p.query != query || c.index != index {
		return c.offerFiles(p.query)
	}
	p.show(offers, len(c.index.paths))
	p.keepMark()
	return c.previewDue()
}

// show replaces the items by files, out of all.
func (p *completion) show(o fileOffers, all int) {
	p.items, p.found, p.all, p.atLeast, p.note = o.items, o.found, all, o.atLeast, o.note
	p.window.Mark = max(0, min(p.window.Mark, len(p.items)-1))
}

// offers returns the files that match a query, and their mentions.
func (x *fileIndex) offers(query string) fileOffers {
	paths, found, exact := x.match(query)
	o := fileOffers{found: found, atLeast: !exact}
	for _, p := range paths {
		text := prompt.WriteMention(p)
		if strings.HasSuffix(p, "/") {
			text = strings.TrimSuffix(text, `"`) // the path continues
		} else {
			text += " "
		}
		o.items = append(o.items, item{label: p, text: text, hits: hitsIn(p, query)})
	}
	if len(o.items) == 0 {
		o.note = x.aboutLines(query)
	}
	return o
}

// aboutLines returns the hint while lines of a file are being named, or "".
func (x *fileIndex) aboutLines(query string) string {
	if path, begun := strings.CutSuffix(query, ":"); begun && slices.Contains(x.paths, path) {
		return "lines of " + path + ": 10, or 10-20"
	}
	path, lines, ok := prompt.SplitRange(strings.TrimSuffix(query, "-"))
	switch {
	case !ok || !slices.Contains(x.paths, path):
		return ""
	case lines.From == lines.To:
		return fmt.Sprintf("line %d of %s", lines.From, path)
	}
	return fmt.Sprintf("lines %d to %d of %s", lines.From, lines.To, path)
}

// listDue returns the command that lists the files, if there is no list or it is old.
// An existing list stays in use meanwhile.
func (c *Composer) listDue() tea.Cmd {
	if c.listing || c.index != nil && c.now().Sub(c.listed) < listAge {
		return nil
	}
	c.listing = true
	root := c.root
	return func() tea.Msg {
		paths, err := listFiles(root)
		var index *fileIndex
		if err == nil {
			index = newFileIndex(paths)
		}
		return resultMsg{c, func() tea.Cmd { return c.takeList(root, index, err) }}
	}
}

func (c *Composer) takeList(root string, index *fileIndex, err error) tea.Cmd {
	if root != c.root {
		return nil // of the previous project
	}
	c.listing, c.listed, c.listError = false, c.now(), ""
	if err != nil {
		c.listError = termtext.Line(err.Error())
	} else {
		c.index = index
	}
	maps.DeleteFunc(c.looked.there, func(_ string, there bool) bool { return !there }) // it may exist now
	if p := &c.completion; p.kind == fileCompletion {
		marked := ""
		if p.window.Mark < len(p.items) {
			marked = p.items[p.window.Mark].label
		}
		p.stale, p.keep = true, marked // a refreshed list must not move the mark
		cmd := c.complete()
		p.keepMark()
		return cmd
	}
	return nil
}

// keepMark restores the marked offer after the offers have changed.
func (p *completion) keepMark() {
	for i, it := range p.items {
		if it.label == p.keep {
			p.window.Mark = i
		}
	}
}
