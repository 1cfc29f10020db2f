package conversation

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"parley/acpclient"
)

// A State holds up to heldMost bytes of agents' content for tool calls, and a Transcript as
// much for everything else. Beyond that, the oldest content is replaced by a short
// description; a stored session still has it on disk. Pieces of up to heldAlways bytes stay.
// What a call is to do stays until the call has ended, since rules and the user decide by it.
// Only beyond half as much again is that left out as well; the call is Incomplete then.
//
// Terminal output has its own limit, see outputKeep, and so have the contents of written
// files.
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
	weight    int
	queued    bool
	undecided bool // in held.undecided
}

func (h *holder) holding() *holder { return h }

// held counts the content of all items.
type held struct {
	bytes int
	left  int         // bytes that remained when content was last left out
	queue []lightened // items that may have content to leave out, oldest first
	// undecided are the calls that could not leave out more because they had not ended, oldest
	// first.
	undecided []*ToolCall
}

// lightened is an item that can leave out content.
type lightened interface {
	holding() *holder
	// leaveOut replaces the oldest content, at least bytes of it if there is as much. It
	// returns the remaining size.
	leaveOut(bytes int) (weight int)
}

// weighs records the current size of an item, and makes room if the total is too large.
func (h *held) weighs(i lightened, weight int) {
	of := i.holding()
	h.bytes += weight - of.weight
	of.weight = weight
	if !of.queued && weight > heldAlways {
		of.queued = true
		h.queue = append(h.queue, i)
	}
	if h.bytes <= max(heldMost, h.left+heldMost/4) {
		return
	}
	room := heldMost - heldMost/4 // leave slack, so that this stays rare
	for len(h.queue) > 0 && h.bytes > room {
		i := h.queue[0]
		of := i.holding()
		now := i.leaveOut(h.bytes - room)
		h.bytes += now - of.weight
		of.weight = now
		if h.bytes > room { // the item has no more to leave out
			of.queued = false
			h.queue[0] = nil
			h.queue = h.queue[1:]
			if t, is := i.(*ToolCall); is && t.undecidedSize() > 0 && !of.undecided {
				of.undecided = true
				h.undecided = append(h.undecided, t)
			}
		}
	}
	if h.bytes > heldMost+heldMost/2 {
		h.leaveOutUndecided(h.bytes - room)
	}
	h.left = h.bytes // what remains are many small pieces, which stay
}

// leaveOutUndecided leaves out bytes of what calls are to do that have not ended.
func (h *held) leaveOutUndecided(bytes int) {
	for len(h.undecided) > 0 && bytes > 0 {
		t := h.undecided[0]
		h.undecided[0] = nil
		h.undecided = h.undecided[1:]
		t.undecided = false
		t.leaveOutWork(bytes)
		now := t.weigh()
		bytes -= t.weight - now
		h.bytes += now - t.weight
		t.weight = now
	}
}

// grows is weighs for an item that has grown by some bytes.
func (h *held) grows(i lightened, bytes int) { h.weighs(i, i.holding().weight+bytes) }

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

func (m *Message) leaveOut(bytes int) int {
	if left := m.Parts.leaveOut(bytes); left {
		m.replaced++
		m.changed()
	}
	return m.weigh()
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

func (t *ToolCall) leaveOut(bytes int) int {
	before := t.weigh()
	for i, asked := range t.Asked {
		if before-t.weigh() >= bytes {
			break
		}
		if size := asked.weigh(); size > heldAlways {
			light := *asked // the closed question keeps the original
			light.lighten(size)
			t.Asked[i] = &light
			t.askedSize -= size - light.weigh()
		}
	}
	if now := before - t.weigh(); now < bytes {
		t.leaveOutOutput()
		if !t.undecidedNow() {
			t.leaveOutWork(bytes - (before - t.weigh()))
		}
	}
	t.changed()
	return t.weigh()
}

// undecidedNow reports whether rules or the user may still have to decide on the call.
func (t *ToolCall) undecidedNow() bool { return !t.ended() && !t.Cancelled && !t.Rejected }

// undecidedSize returns how many bytes an undecided call keeps for that; 0 for any other.
func (t *ToolCall) undecidedSize() int {
	if !t.undecidedNow() {
		return 0
	}
	return t.weigh() - t.askedSize - len(t.RawOutput)
}

// lighten replaces everything large.
func (t *ToolCall) lighten(bytes int) {
	t.leaveOutOutput()
	t.leaveOutWork(bytes)
}

func (t *ToolCall) leaveOutOutput() { t.RawOutput = lightRaw("output", t.RawOutput) }

// leaveOutWork replaces what the call does: the oldest content, then other large fields.
func (t *ToolCall) leaveOutWork(bytes int) {
	cloned := false
	for i := range t.Content {
		size := contentSize(&t.Content[i])
		if bytes <= 0 {
			break
		}
		if size <= heldAlways {
			continue
		}
		if !cloned { // events share the slice
			t.Content, t.grows, cloned = slices.Clone(t.Content), true, true
		}
		t.Content[i] = contentLeftOut(&t.Content[i])
		now := contentSize(&t.Content[i])
		t.contentSize -= size - now
		bytes -= size - now
		t.Incomplete = true
	}
	if bytes > 0 && len(t.RawInput) > heldAlways {
		bytes -= len(t.RawInput)
		t.RawInput, t.Incomplete = lightRaw("input", t.RawInput), true
	}
	if bytes <= 0 {
		return
	}
	t.Earlier, t.earlierSize = nil, 0
	before := len(t.Title) + len(t.Name) + len(t.Locations)
	t.Title, t.Name = firstRunes(t.Title), firstRunes(t.Name)
	t.Locations, t.Tasks = slices.Clone(shortList(t.Locations)), slices.Clone(shortList(t.Tasks))
	for i := range t.Locations {
		before += len(t.Locations[i].Path)
		t.Locations[i].Path = firstRunes(t.Locations[i].Path)
		before -= len(t.Locations[i].Path)
	}
	for i := range t.Tasks {
		t.Tasks[i].Content = firstRunes(t.Tasks[i].Content)
	}
	t.Incomplete = t.Incomplete || before != len(t.Title)+len(t.Name)+len(t.Locations)
	t.changed()
}

// shortList returns the beginning of a very long list.
func shortList[S ~[]E, E any](list S) S { return first(list, 20) }

func (p *Plan) weigh() int { return entriesSize(p.Entries) + len(p.Markdown) + len(p.URI) }

func (p *Plan) leaveOut(int) int {
	if size := p.weigh(); size > heldAlways {
		p.Entries, p.URI, p.Markdown = nil, "", "["+leftOut("plan", size)+"]"
		p.changed()
	}
	return p.weigh()
}

func (n *Note) weigh() int { return len(n.Title) + len(n.Detail) + len(n.Raw) }

func (n *Note) leaveOut(int) int {
	if size := n.weigh(); size > heldAlways {
		n.Title, n.Detail, n.Raw = firstRunes(n.Title), "["+leftOut("text", size)+"]", nil
		n.changed()
	}
	return n.weigh()
}

func (c *Compaction) weigh() int { return c.Summary.size() + len(c.Error) }

func (c *Compaction) leaveOut(bytes int) int {
	c.Error = firstRunes(c.Error)
	c.Summary.leaveOut(bytes)
	c.changed()
	return c.weigh()
}

func (u *Unknown) weigh() int { return len(u.Kind) + len(u.Raw) }

func (u *Unknown) leaveOut(int) int {
	if size := u.weigh(); size > heldAlways {
		u.Kind = firstRunes(u.Kind)
		u.Raw, _ = json.Marshal("[" + leftOut("update", size) + "]") // strings always encode
		u.changed()
	}
	return u.weigh()
}

func (e *Elicitation) weigh() int { return EventOverhead + sizeIn(reflect.ValueOf(e.Request)) }

func (e *Elicitation) leaveOut(int) int {
	if size := e.weigh(); size > heldAlways && e.Action != "" {
		light := *e.Request
		light.Message, light.RequestedSchema, light.Raw, light.Meta = "["+leftOut("question", size)+"]", nil, nil, nil
		e.Request = &light
		e.changed()
	}
	return e.weigh()
}
