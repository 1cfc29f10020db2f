package conversation

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"parley/acpclient"
	"parley/internal/termtext"
)

// A State holds heldMost bytes of agents' content for tool calls, and a Transcript as much for
// everything else, and more for the output of terminals, at most a quarter more. Beyond that, the oldest content
// is replaced by a short description; a stored session still has it on disk, unless it alone was too large. Pieces of up to
// heldAlways bytes go only if there are too many of them; then all of an item goes. What a call is
// to do stays until the call has ended, since rules and the user decide by it, and so does the
// output of a running command. Only beyond half as much again is that left out as well; a call is
// Incomplete then.
const heldAlways = 1 << 10

// lightest is what an item that has left out all holds at most, in bytes.
const lightest = 256

// effort says what may be left out.
type effort struct {
	hard  bool // also what may still be needed
	small bool // also pieces of up to heldAlways bytes
}

// spares reports whether a piece, or an item, of a size stays.
func (e effort) spares(size int) bool {
	if e.small {
		return size <= lightest
	}
	return size <= heldAlways
}

const shortText = 200 // what stays of a text, in bytes

var heldMost = 32 << 20 // a variable for tests

// heldPart is the part of heldMost that one picture, recording or file can take. Of a larger one,
// nothing is kept, on disk either.
const heldPart = 2

// letGo replaces what is too large to be held in an update, and reports whether there was any. The
// output that a call then repeats goes with it.
func letGo(u acpclient.SessionUpdate) (any bool) {
	block := func(b *acpclient.ContentBlock) {
		size := len(b.Data)
		if r := b.Resource; r != nil && r.Blob != nil {
			size += len(*r.Blob)
		}
		if size > heldMost/heldPart {
			*b, any = blockLeftOut(b), true
		}
	}
	contents := func(all acpclient.ToolCallContents, output *json.RawMessage) {
		for i := range all {
			if all[i].Content != nil {
				block(all[i].Content)
			}
		}
		if any && len(*output) > heldMost/heldPart {
			*output = lightRaw("output", *output)
		}
	}
	switch u := u.(type) {
	case *acpclient.ContentChunk:
		block(&u.Content)
	case *acpclient.MessageUpdate:
		if u.Content.Value != nil {
			for i := range *u.Content.Value {
				block(&(*u.Content.Value)[i])
			}
		}
	case *acpclient.ToolCall:
		contents(u.Content, &u.RawOutput)
	case *acpclient.ToolCallUpdate:
		contents(u.Content, &u.RawOutput)
	case *acpclient.ToolCallContentChunk:
		contents(u.Content, new(json.RawMessage))
	}
	return any
}

// Limits on the lists that an agent sends.
const (
	mostOptions  = 2000
	mostCommands = 10_000
	mostEntries  = 10_000 // of a plan
)

// mostCalls bounds the calls that an agent's later messages can be about, unless more have not
// ended. What is older is read only.
const mostCalls = 20_000

// first returns at most the first most elements of a list.
func first[S ~[]E, E any](list S, most int) S {
	if len(list) <= most {
		return list
	}
	return slices.Clone(list[:most]) // a clone, to free the rest
}

// held bounds the content of items. It counts what arrives, and weighs the items only when that may
// be too much.
type held struct {
	items []reducible // oldest first
	most  int         // 0 is heldMost
	left  int         // what they held when they were weighed last
	times int         // how often content was left out
	bytes int         // the same, and what has arrived since
}

// reducible is an item that can leave out content.
type reducible interface {
	changed()
	// weigh returns roughly how many bytes the item holds.
	weigh() int
	// leaveOut replaces the oldest content, at least bytes of it if there is as much.
	leaveOut(bytes int, e effort)
}

// LeftOut counts how often items have left out content. A view that keeps what it has drawn of
// content then drops that.
func (c *Conversation) LeftOut() int { return c.heldCalls.times + c.heldItems.times }

func (h *held) add(i reducible) { h.items = append(h.items, i) }

// arrives counts what has arrived, and leaves out the oldest content if the items hold too much.
func (h *held) arrives(bytes int) {
	most := cmp.Or(h.most, heldMost)
	if h.bytes += bytes; h.bytes <= max(most, h.left+most/4) {
		return
	}
	h.bytes = 0
	for _, i := range h.items {
		h.bytes += i.weigh()
	}
	for _, then := range []struct {
		above int
		effort
	}{{most, effort{}}, {most, effort{small: true}}, {most + most/2, effort{hard: true}}, {most + most/2, effort{true, true}}} {
		if h.bytes > then.above {
			h.makeRoom(most-most/4, then.effort) // with some slack, so that this stays rare
		}
	}
	h.left = h.bytes
}

// makeRoom leaves out content until room bytes remain.
func (h *held) makeRoom(room int, e effort) {
	for _, i := range h.items {
		if h.reduce(i, h.bytes-room, e); h.bytes <= room {
			return
		}
	}
}

// reduce leaves out content of an item.
func (h *held) reduce(i reducible, bytes int, e effort) {
	was := i.weigh()
	if e.spares(was) {
		return
	}
	i.leaveOut(bytes, e)
	if now := i.weigh(); now != was {
		i.changed()
		h.bytes += now - was
		h.times++
	}
}

// weightOf returns roughly how many bytes a value holds.
func weightOf(v any) int { return sizeIn(reflect.ValueOf(v)) }

// leftOut describes content that was left out.
func leftOut(what string, bytes int) string {
	if bytes >= 1<<20 {
		return fmt.Sprintf("%s, %d MB, left out", what, bytes>>20)
	}
	return fmt.Sprintf("%s, %d KB, left out", what, max(1, bytes>>10))
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
	return acpclient.ContentBlock{Type: acpclient.ContentResourceLink, Name: leftOut(termtext.Head(string(b.Type), shortText, "…"), weightOf(b)), URI: uri}
}

// gone replaces all content of an item, without taking memory for each.
var (
	gone        = &acpclient.ContentBlock{Type: acpclient.ContentResourceLink, Name: "content, left out"}
	goneParts   = Parts{{Block: gone}}
	goneContent = []acpclient.ToolCallContent{{Type: acpclient.ToolContentBlock, Content: gone}}
)

// contentLeftOut returns content that describes and replaces a piece of a call's content.
func contentLeftOut(c *acpclient.ToolCallContent) acpclient.ToolCallContent {
	switch {
	case c.Content != nil && c.Content.Type == acpclient.ContentText:
		return acpclient.TextContent("[" + leftOut("output", weightOf(c)) + "]")
	case c.Content != nil:
		b := blockLeftOut(c.Content)
		return acpclient.ToolCallContent{Type: acpclient.ToolContentBlock, Content: &b}
	case c.Path != "":
		return acpclient.TextContent("[" + leftOut("change of "+termtext.Head(c.Path, shortText, "…"), weightOf(c)) + "]")
	}
	return acpclient.TextContent("[" + leftOut(termtext.Head(string(c.Type), shortText, "…"), weightOf(c)) + "]")
}

func (m *Message) weigh() int { return m.Parts.size() }

func (m *Message) leaveOut(bytes int, e effort) {
	if e.small {
		m.Parts = goneParts
		m.replaced++
	} else if m.Parts.leaveOut(bytes) {
		m.replaced++
	}
}

func (ps Parts) size() (n int) {
	for i := range ps {
		n += ps[i].size()
	}
	return n
}

func (p *Part) size() int {
	if p.Block == gone {
		return 0
	}
	if p.Block != nil {
		return EventOverhead + weightOf(p.Block)
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

func (t *ToolCall) weigh() int {
	n := len(t.Title) + len(t.Name) + len(t.RawInput) + len(t.RawOutput) + weightOf(t.Locations) + weightOf(t.Tasks) + weightOf(t.Files)
	if len(t.Content) != 1 || t.Content[0].Content != gone {
		n += weightOf(t.Content)
	}
	for _, other := range slices.Concat(t.Asked, t.Earlier) {
		n += other.weigh()
	}
	return n
}

func (t *ToolCall) leaveOut(_ int, e effort) {
	for i, asked := range t.Asked {
		if !e.spares(asked.weigh()) {
			light := *asked // the closed question keeps the original
			light.leaveOutWork(e)
			t.Asked[i] = &light
		}
	}
	// Rules or the user may still have to decide on a call.
	if undecided := !t.ended() && !t.Cancelled && !t.Rejected; undecided && !e.hard {
		t.RawOutput = lightRaw("output", t.RawOutput)
		return
	}
	t.leaveOutWork(e)
}

// leaveOutWork replaces everything large, or all.
func (t *ToolCall) leaveOutWork(e effort) {
	t.RawOutput, t.Earlier = lightRaw("output", t.RawOutput), nil
	before := t.weigh()
	if e.small {
		t.Content, t.grows, t.RawOutput, t.Locations, t.Tasks = goneContent, false, nil, nil, nil
		if len(t.RawInput) > lightest/2 {
			t.RawInput = nil
		}
	} else {
		t.Content, t.grows = slices.Clone(t.Content), true // events share the slice
		for i := range t.Content {
			if weightOf(&t.Content[i]) > heldAlways {
				t.Content[i] = contentLeftOut(&t.Content[i])
			}
		}
	}
	t.RawInput, t.Files = lightRaw("input", t.RawInput), nil
	t.Title, t.Name = termtext.Head(t.Title, shortText, "…"), termtext.Head(t.Name, shortText, "…")
	t.Locations, t.Tasks = slices.Clone(shortList(t.Locations)), slices.Clone(shortList(t.Tasks))
	for i := range t.Locations {
		t.Locations[i].Path = termtext.Head(t.Locations[i].Path, shortText, "…")
	}
	for i := range t.Tasks {
		t.Tasks[i].Content = termtext.Head(t.Tasks[i].Content, shortText, "…")
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

func (p *Plan) weigh() int { return weightOf(p.Entries) + len(p.Markdown) + len(p.URI) }

func (p *Plan) leaveOut(int, effort) {
	p.Entries, p.URI, p.Markdown = nil, "", "["+leftOut("plan", p.weigh())+"]"
}

func (n *Note) weigh() int { return len(n.Title) + len(n.Detail) + len(n.Raw) }

func (n *Note) leaveOut(int, effort) {
	n.Title, n.Detail, n.Raw = termtext.Head(n.Title, shortText, "…"), "["+leftOut("text", n.weigh())+"]", nil
}

func (c *Compaction) weigh() int { return c.Summary.size() + len(c.Error) }

func (c *Compaction) leaveOut(bytes int, e effort) {
	if c.Error = termtext.Head(c.Error, shortText, "…"); e.small {
		c.Summary = goneParts
	}
	c.Summary.leaveOut(bytes)
}

func (u *Unknown) weigh() int { return len(u.Kind) + len(u.Raw) }

func (u *Unknown) leaveOut(int, effort) {
	u.Kind, u.Raw = termtext.Head(u.Kind, shortText, "…"), lightRaw("update", u.Raw)
}

func (e *Elicitation) weigh() int { return weightOf(e.Request) }

func (e *Elicitation) leaveOut(int, effort) {
	light := *e.Request
	light.Message, light.RequestedSchema, light.Raw, light.Meta = "["+leftOut("question", e.weigh())+"]", nil, nil, nil
	e.Request = &light
}
