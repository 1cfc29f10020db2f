package conversation

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"parley/acpclient"
)

// A State holds up to heldMost bytes of agents' content for tool calls, and a Transcript as
// much for everything else, and more for the output of terminals. Beyond that, the oldest content
// is replaced by a short description; a stored session still has it on disk. Pieces of up to
// heldAlways bytes stay. What a call is to do stays until the call has ended, since rules and the
// user decide by it, and so does the output of a running command. Only beyond half as much again
// is that left out as well; a call is Incomplete then.
const heldAlways = 1 << 10

var heldMost = 32 << 20 // a variable for tests

// Limits on the lists that an agent sends.
const (
	mostOptions  = 2000
	mostCommands = 10_000
	mostEntries  = 10_000 // of a plan
)

// first returns at most the first most elements of a list.
func first[S ~[]E, E any](list S, most int) S {
	if len(list) <= most {
		return list
	}
	return slices.Clone(list[:most]) // a clone, to free the rest
}

// holder counts the content of an item. The item reports every change to its held.
type holder struct {
	weight int
	queued bool
}

func (h *holder) holding() *holder { return h }

// held counts the content of all items.
type held struct {
	most  int // 0 is heldMost
	bytes int
	left  int         // bytes that remained when content was last left out
	queue []lightened // items that may have content to leave out, oldest first
}

// lightened is an item that can leave out content.
type lightened interface {
	holding() *holder
	changed()
	// weigh returns roughly how many bytes the item holds.
	weigh() int
	// leaveOut replaces the oldest content, at least bytes of it if there is as much. It
	// reports whether it spares some for now that it would leave out if it were hard.
	leaveOut(bytes int, hard bool) (spares bool)
}

// weighs records the current size of an item, and makes room if the total is too large.
func (h *held) weighs(i lightened) { h.grows(i, i.weigh()-i.holding().weight) }

// grows is weighs for an item that has grown by some bytes.
func (h *held) grows(i lightened, bytes int) {
	of := i.holding()
	h.bytes += bytes
	of.weight += bytes
	if !of.queued && of.weight > heldAlways {
		of.queued = true
		h.queue = append(h.queue, i)
	}
	most := cmp.Or(h.most, heldMost)
	if h.bytes <= max(most, h.left+most/4) {
		return
	}
	room := most - most/4 // with some slack, so that this stays rare
	h.makeRoom(room, false)
	if h.bytes > most+most/2 {
		h.makeRoom(room, true)
	}
	h.left = h.bytes // what remains are many small pieces, which stay
}

// makeRoom leaves out content until room bytes remain.
func (h *held) makeRoom(room int, hard bool) {
	var spared []lightened
	for len(h.queue) > 0 && h.bytes > room {
		i := h.queue[0]
		of := i.holding()
		spares := i.leaveOut(h.bytes-room, hard)
		i.changed()
		now := i.weigh()
		h.bytes += now - of.weight
		of.weight = now
		if h.bytes > room { // the item has no more to leave out now
			h.queue[0] = nil
			h.queue = h.queue[1:]
			if of.queued = spares; spares {
				spared = append(spared, i)
			}
		}
	}
	h.queue = append(spared, h.queue...)
}

// leftOut describes content that was left out.
func leftOut(what string, bytes int) string {
	if bytes >= 1<<20 {
		return fmt.Sprintf("%s, %d MB, left out", what, bytes>>20)
	}
	return fmt.Sprintf("%s, %d KB, left out", what, max(1, bytes>>10))
}

// blockSize returns roughly how many bytes a block holds.
func blockSize(b *acpclient.ContentBlock) int {
	n := len(b.Text) + len(b.Data) + len(b.MimeType) + len(b.URI) + len(b.Name) + len(b.Title) + len(b.Description) + len(b.Meta) + len(b.Raw)
	if r := b.Resource; r != nil {
		n += len(r.URI) + len(r.MimeType) + len(r.Meta)
		for _, text := range []*string{r.Text, r.Blob} {
			if text != nil {
				n += len(*text)
			}
		}
	}
	return n
}

// blockLeftOut returns a link that replaces a block and describes it.
func blockLeftOut(b *acpclient.ContentBlock) acpclient.ContentBlock {
	uri := b.URI
	if uri == "" && b.Resource != nil {
		uri = b.Resource.URI
	}
	if len(uri) > heldAlways {
		uri = ""
	}
	return acpclient.ContentBlock{Type: acpclient.ContentResourceLink, Name: leftOut(firstRunes(string(b.Type)), blockSize(b)), URI: uri}
}

// firstRunes returns the start of a text, shortened if it is long.
func firstRunes(text string) string {
	const most = 200
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…" // a clone, to free the rest
}

// contentsSize returns roughly how many bytes the content of a call holds.
func contentsSize(contents []acpclient.ToolCallContent) (n int) {
	for i := range contents {
		n += contentSize(&contents[i])
	}
	return n
}

func contentSize(c *acpclient.ToolCallContent) int {
	n := EventOverhead + len(c.Path) + len(c.NewText) + len(c.TerminalID) + len(c.Meta) + len(c.Raw)
	if c.OldText != nil {
		n += len(*c.OldText)
	}
	if c.Content != nil {
		n += blockSize(c.Content)
	}
	return n
}

// contentLeftOut returns content that describes and replaces a piece of a call's content.
func contentLeftOut(c *acpclient.ToolCallContent) acpclient.ToolCallContent {
	switch {
	case c.Content != nil && c.Content.Type == acpclient.ContentText:
		return acpclient.TextContent("[" + leftOut("output", contentSize(c)) + "]")
	case c.Content != nil:
		b := blockLeftOut(c.Content)
		return acpclient.ToolCallContent{Type: acpclient.ToolContentBlock, Content: &b}
	case c.Path != "":
		return acpclient.TextContent("[" + leftOut("change of "+firstRunes(c.Path), contentSize(c)) + "]")
	}
	return acpclient.TextContent("[" + leftOut(firstRunes(string(c.Type)), contentSize(c)) + "]")
}

func (m *Message) weigh() int { return m.Parts.size() }

func (m *Message) leaveOut(bytes int, _ bool) bool {
	if m.Parts.leaveOut(bytes) {
		m.replaced++
	}
	return false
}

func (ps Parts) size() (n int) {
	for i := range ps {
		n += ps[i].size()
	}
	return n
}

func (p *Part) size() int {
	if p.Block != nil {
		return EventOverhead + blockSize(p.Block)
	}
	return EventOverhead + len(p.Text())
}

// leaveOut replaces the oldest parts, and reports whether it replaced any.
func (ps Parts) leaveOut(bytes int) (left bool) {
	for i := range ps {
		p := &ps[i]
		size := p.size()
		if bytes <= 0 {
			break
		}
		if size <= heldAlways {
			continue
		}
		if p.Block != nil {
			b := blockLeftOut(p.Block)
			p.Block = &b
		} else {
			p.text = new(strings.Builder)
			p.text.WriteString("[" + leftOut("text", size) + "]\n\n")
		}
		bytes -= size - p.size()
		left = true
	}
	return left
}

// weigh returns how many bytes the call holds, using the content size counted on arrival.
func (t *ToolCall) weigh() int {
	n := t.contentSize + t.askedSize + t.earlierSize + len(t.Title) + len(t.Name) + len(t.RawInput) + len(t.RawOutput)
	for i := range t.Locations {
		n += EventOverhead + len(t.Locations[i].Path)
	}
	return n + entriesSize(t.Tasks)
}

func entriesSize(entries []acpclient.PlanEntry) (n int) {
	for i := range entries {
		n += EventOverhead + len(entries[i].Content)
	}
	return n
}

func (t *ToolCall) leaveOut(_ int, hard bool) (spares bool) {
	for i, asked := range t.Asked {
		if size := asked.weigh(); size > heldAlways {
			light := *asked // the closed question keeps the original
			light.leaveOutWork()
			t.Asked[i] = &light
			t.askedSize -= size - light.weigh()
		}
	}
	// Rules or the user may still have to decide on a call.
	if undecided := !t.ended() && !t.Cancelled && !t.Rejected; undecided && !hard {
		t.RawOutput = lightRaw("output", t.RawOutput)
		return true
	}
	t.leaveOutWork()
	return false
}

// leaveOutWork replaces everything large.
func (t *ToolCall) leaveOutWork() {
	t.RawOutput, t.Earlier, t.earlierSize = lightRaw("output", t.RawOutput), nil, 0
	before := t.weigh()
	t.Content, t.grows = slices.Clone(t.Content), true // events share the slice
	for i := range t.Content {
		if contentSize(&t.Content[i]) > heldAlways {
			t.Content[i] = contentLeftOut(&t.Content[i])
		}
	}
	t.contentSize = contentsSize(t.Content)
	t.RawInput = lightRaw("input", t.RawInput)
	t.Title, t.Name = firstRunes(t.Title), firstRunes(t.Name)
	t.Locations, t.Tasks = slices.Clone(shortList(t.Locations)), slices.Clone(shortList(t.Tasks))
	for i := range t.Locations {
		t.Locations[i].Path = firstRunes(t.Locations[i].Path)
	}
	for i := range t.Tasks {
		t.Tasks[i].Content = firstRunes(t.Tasks[i].Content)
	}
	t.Incomplete = t.Incomplete || t.weigh() != before
}

func lightRaw(what string, raw json.RawMessage) json.RawMessage {
	if len(raw) <= heldAlways {
		return raw
	}
	light, _ := json.Marshal("[" + leftOut(what, len(raw)) + "]") // strings always encode
	return light
}

// shortList returns the beginning of a very long list.
func shortList[S ~[]E, E any](list S) S { return first(list, 20) }

func (p *Plan) weigh() int { return entriesSize(p.Entries) + len(p.Markdown) + len(p.URI) }

func (p *Plan) leaveOut(int, bool) bool {
	p.Entries, p.URI, p.Markdown = nil, "", "["+leftOut("plan", p.weight)+"]"
	return false
}

func (n *Note) weigh() int { return len(n.Title) + len(n.Detail) + len(n.Raw) }

func (n *Note) leaveOut(int, bool) bool {
	n.Title, n.Detail, n.Raw = firstRunes(n.Title), "["+leftOut("text", n.weight)+"]", nil
	return false
}

func (c *Compaction) weigh() int { return c.Summary.size() + len(c.Error) }

func (c *Compaction) leaveOut(bytes int, _ bool) bool {
	c.Error = firstRunes(c.Error)
	c.Summary.leaveOut(bytes)
	return false
}

func (u *Unknown) weigh() int { return len(u.Kind) + len(u.Raw) }

func (u *Unknown) leaveOut(int, bool) bool {
	u.Kind, u.Raw = firstRunes(u.Kind), lightRaw("update", u.Raw)
	return false
}

func (e *Elicitation) weigh() int { return EventOverhead + sizeIn(reflect.ValueOf(e.Request)) }

func (e *Elicitation) leaveOut(int, bool) bool {
	light := *e.Request
	light.Message, light.RequestedSchema, light.Raw, light.Meta = "["+leftOut("question", e.weight)+"]", nil, nil, nil
	e.Request = &light
	return false
}
