package transcript

import (
	"encoding/json"
	"strings"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/tui/diffview"
	"parley/tui/list"
	"parley/tui/toolview"
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
		eachText(items[i], func(text string) {
			seen += len(text)
			n += s.query.Count(text)
		})
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

// eachText gives every text of an item that a person may look for: all of it,
// also what is not shown while the item is collapsed.
func eachText(item conversation.Item, give func(string)) {
	switch i := item.(type) {
	case *conversation.Message:
		eachPart(i.Parts, give)
	case *conversation.ToolCall:
		give(i.Title)
		replaced := toolview.Replaced(i)
		for k := range replaced {
			toolview.Visit(&replaced[k], texts{give})
		}
		for k := range i.Content {
			toolview.Visit(&i.Content[k], texts{give})
		}
		if command := (toolview.Paths{}).Command(i.RawInput).Line; i.Kind == acpclient.ToolExecute && !strings.Contains(i.Title, command) {
			give(command)
		}
		for _, t := range i.Terminals {
			give(t.Command)
			data, _ := t.Since(0)
			give(string(data))
		}
	case *conversation.Plan:
		for _, e := range i.Entries {
			give(e.Content)
		}
		give(i.Markdown)
	case *conversation.Elicitation:
		give(i.Request.Message)
		for _, a := range i.Answers {
			give(answerInWords(a))
		}
	case *conversation.ShellCommand:
		give(i.Terminal.Command)
		data, _ := i.Terminal.Since(0)
		give(string(data))
	case *conversation.Note:
		give(i.Title)
		give(i.Detail)
	case *conversation.Compaction:
		eachPart(i.Summary, give)
	case *conversation.Unknown:
		give(string(i.Raw))
	}
}

func eachPart(parts conversation.Parts, give func(string)) {
	for k := range parts {
		p := &parts[k]
		if p.Block == nil {
			give(p.Text())
			continue
		}
		texts{give}.Block(p.Block)
	}
}

// texts gives the texts of a tool call's content.
type texts struct{ give func(string) }

// Block implements toolview.Visitor, as the methods below do.
func (t texts) Block(b *acpclient.ContentBlock) struct{} {
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
func (t texts) Diff(path string, before *string, after string) struct{} {
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
func (texts) Terminal(acpclient.TerminalID) struct{} { return struct{}{} }

// Unknown gives the JSON.
func (t texts) Unknown(_ string, raw json.RawMessage) struct{} {
	t.give(string(raw))
	return struct{}{}
}
