package composer

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/internal/termtext"
)

// AnotherFile is the key that takes the marked file and goes on with the next one.
const AnotherFile = "ctrl+space"

// matchedAtOnce is how many paths are matched while a key is handled: that takes less
// than a millisecond. More are matched beside the screen.
const matchedAtOnce = 5000

// offerFiles finds the files that fit a query, at once or by a command.
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
		c.showFiles(c.index.offers(query))
		return nil
	case c.matching:
		return nil // what comes of that looks at the query again
	}
	c.matching = true
	index := c.index
	return func() tea.Msg { return filesMatchedMsg{c, index, query, index.offers(query)} }
}

// fileOffers are the files that fit a query.
type fileOffers struct {
	items   []item
	found   int
	atLeast bool
	note    string
}

// filesMatchedMsg brings the files that fit a query of a composer.
type filesMatchedMsg struct {
	owner  *Composer
	index  *fileIndex
	query  string
	offers fileOffers
}

// takeMatches shows what was found, or looks again if something else was typed since.
func (c *Composer) takeMatches(msg filesMatchedMsg) tea.Cmd {
	c.matching = false
	p := &c.completion
	if p.kind != fileCompletion || p.closed || c.index == nil {
		return nil
	}
	if p.query != msg.query || c.index != msg.index {
		return c.offerFiles(p.query)
	}
	c.showFiles(msg.offers)
	c.keepMark()
	return c.previewDue()
}

func (c *Composer) showFiles(o fileOffers) {
	p := &c.completion
	p.items, p.found, p.all, p.atLeast, p.note = o.items, o.found, len(c.index.paths), o.atLeast, o.note
	p.selected = max(0, min(p.selected, len(p.items)-1))
}

// offers are the files that fit a query, and how they are written.
func (x *fileIndex) offers(query string) fileOffers {
	paths, found, exact := x.match(query)
	o := fileOffers{found: found, atLeast: !exact}
	for _, p := range paths {
		text := writeMention(p)
		if strings.HasSuffix(p, "/") {
			text = strings.TrimSuffix(text, `"`) // the path goes on
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

// aboutLines is what to say while lines of a file are being named, "" if none are.
func (x *fileIndex) aboutLines(query string) string {
	if path, begun := strings.CutSuffix(query, ":"); begun && slices.Contains(x.paths, path) {
		return "lines of " + path + ": 10, or 10-20"
	}
	path, lines, ok := splitSpan(strings.TrimSuffix(query, "-"))
	switch {
	case !ok || !slices.Contains(x.paths, path):
		return ""
	case lines.from == lines.to:
		return fmt.Sprintf("line %d of %s", lines.from, path)
	}
	return fmt.Sprintf("lines %d to %d of %s", lines.from, lines.to, path)
}

// filesListedMsg brings the files of a composer's project.
type filesListedMsg struct {
	owner *Composer
	root  string
	index *fileIndex
	err   error
}

// listDue is the command that lists the files, when there is no list or it is
// old. A list that is there stays in use meanwhile.
func (c *Composer) listDue() tea.Cmd {
	if c.listing || c.index != nil && c.now().Sub(c.listed) < listAge {
		return nil
	}
	c.listing = true
	root := c.root
	return func() tea.Msg {
		paths, err := listFiles(root)
		if err != nil {
			return filesListedMsg{owner: c, root: root, err: err}
		}
		return filesListedMsg{owner: c, root: root, index: newFileIndex(paths)}
	}
}

func (c *Composer) takeList(msg filesListedMsg) tea.Cmd {
	if msg.root != c.root {
		return nil // of the project before this one
	}
	c.listing, c.listed, c.listError = false, c.now(), ""
	if msg.err != nil {
		c.listError = termtext.Line(msg.err.Error())
	} else {
		c.index = msg.index
	}
	maps.DeleteFunc(c.looked.there, func(_ string, there bool) bool { return !there }) // it may be there now
	if p := &c.completion; p.kind == fileCompletion {
		marked := ""
		if p.selected < len(p.items) {
			marked = p.items[p.selected].label
		}
		p.stale, p.keep = true, marked // a list that is read again must not move the mark
		cmd := c.complete()
		c.keepMark()
		return cmd
	}
	return nil
}

// keepMark marks the offer again that was marked before the offers were found anew.
func (c *Composer) keepMark() {
	p := &c.completion
	for i, it := range p.items {
		if it.label == p.keep {
			p.selected = i
		}
	}
}
