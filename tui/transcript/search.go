package transcript

import (
	"encoding/json"
	"strings"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/tui/diffview"
	"parley/tui/list"
)

// searchStep is how many bytes of text one step of a search looks at, so that
// no key waits for a long session to be searched.
const searchStep = 4 << 20

// search counts the matches of a query, item by item, in steps.
type search struct {
	query    list.Query
	counts   []int    // of the items searched so far
	versions []uint64 // that they had then
	total    int
}

// step searches a little more, and what has changed since it was searched. It
// reports whether there is more to do.
func (s *search) step(items []conversation.Item) (more bool) {
	seen := 0
	look := func(i int) {
		n := 0
		items[i].Visit(itemTexts{func(text string) {
			seen += len(text)
			n += s.query.Count(text)
		}})
		s.total += n - s.counts[i]
		s.counts[i], s.versions[i] = n, items[i].Version()
	}
	for i := range s.counts {
		if s.versions[i] != items[i].Version() {
			look(i)
		}
	}
	for i := len(s.counts); i < len(items); i++ {
		if seen >= searchStep {
			return true
		}
		s.counts, s.versions = append(s.counts, 0), append(s.versions, 0)
		look(i)
	}
	return false
}

// itemTexts passes on every text of an item that a person may look for, including what
// a collapsed item hides.
type itemTexts struct{ give func(string) }

// Message implements conversation.Visitor, like the methods beside the drawings.
func (t itemTexts) Message(m *conversation.Message) { t.parts(m.Parts) }

func (t itemTexts) parts(parts conversation.Parts) {
	for k := range parts {
		if p := &parts[k]; p.Block != nil {
			contentTexts(t).Block(p.Block)
		} else {
			t.give(p.Text())
		}
	}
}

func (t itemTexts) terminal(term *conversation.Terminal) {
	t.give(term.Command)
	output, _ := term.Since(0)
	t.give(string(output))
}

// contentTexts passes on the texts of a tool call's content.
type contentTexts struct{ give func(string) }

// Block implements toolview.Visitor, like the methods below.
func (t contentTexts) Block(b *acpclient.ContentBlock) struct{} {
	t.give(b.Text)
	t.give(b.Name)
	t.give(b.Title)
	t.give(b.URI)
	if b.Resource != nil {
		t.give(b.Resource.URI)
		if b.Resource.Text != nil {
			t.give(*b.Resource.Text)
		}
	}
	return struct{}{}
}

// Diff gives the path and the lines that are shown: those that changed, and a few
// around them.
func (t contentTexts) Diff(path string, before *string, after string) struct{} {
	t.give(path)
	patch, err := diffview.New(path, before, after).Patch()
	if err != nil {
		patch = after
	}
	_, hunks, _ := strings.Cut(patch, "\n@@")
	t.give(hunks)
	return struct{}{}
}

// Terminal gives nothing: terminals are searched with the call.
func (contentTexts) Terminal(acpclient.TerminalID) struct{} { return struct{}{} }

// Unknown gives the JSON.
func (t contentTexts) Unknown(_ string, raw json.RawMessage) struct{} {
	t.give(string(raw))
	return struct{}{}
}
