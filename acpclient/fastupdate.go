package acpclient

import (
	"bytes"
	"encoding/json"
	"slices"
)

// Nearly all of the traffic is session updates, and nearly all of those are
// message chunks and tool calls; the longest lines are lists of commands. A line
// that seems to be one of them is decoded in a single pass into a struct made for
// it, without the copies that a discriminated union costs otherwise. What comes
// of that is checked: unless it is exactly what the general way of decoding makes
// of such a line, it is dropped and the line goes the general way.

// updateLine is a session/update line with an update of one sort.
type updateLine[U any] struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params updateParams[U] `json:"params"`
}

// updateParams are the params of such a line.
type updateParams[U any] struct {
	SessionID SessionID `json:"sessionId"`
	Update    U         `json:"update"`
	Meta      Meta      `json:"_meta"`
}

type (
	fastChunk struct {
		Kind string `json:"sessionUpdate"`
		ContentChunk
	}
	fastTool struct { // a tool call or an update of one
		SessionUpdate string `json:"sessionUpdate"`
		ToolCallUpdate
	}
	fastCommands struct {
		Kind string `json:"sessionUpdate"`
		AvailableCommandsUpdate
	}
)

// decodeLine decodes a line that has what every update needs.
func decodeLine[U any](line []byte) (*SessionNotification, *U) {
	var l updateLine[U]
	if json.Unmarshal(line, &l) != nil || l.Method != SessionUpdateNotification.Name || len(l.ID) > 0 {
		return nil, nil
	}
	return l.Params.notification(member(line, "params"))
}

// decodeParams decodes the params of such a line.
func decodeParams[U any](raw []byte) (*SessionNotification, *U) {
	var p updateParams[U]
	if json.Unmarshal(raw, &p) != nil {
		return nil, nil
	}
	return p.notification(raw)
}

func (p *updateParams[U]) notification(raw []byte) (*SessionNotification, *U) {
	if p.SessionID == "" || raw == nil {
		return nil, nil
	}
	return &SessionNotification{SessionID: p.SessionID, Meta: orAbsent(p.Meta), Raw: bytes.Clone(raw)}, &p.Update
}

// shortDecoder decodes the updates that are worth it in a single pass, from a
// line or from its params.
type shortDecoder struct {
	text     func([]byte, ChunkKind) (*SessionNotification, bool)
	chunk    func([]byte) (*SessionNotification, *fastChunk)
	tool     func([]byte) (*SessionNotification, *fastTool)
	commands func([]byte) (*SessionNotification, *fastCommands)
}

var (
	shortLine   = shortDecoder{textLine, decodeLine[fastChunk], decodeLine[fastTool], decodeLine[fastCommands]}
	shortParams = shortDecoder{textParams, decodeParams[fastChunk], decodeParams[fastTool], decodeParams[fastCommands]}
)

// fastUpdate decodes a line that is a plain message chunk, tool call or list of
// commands. It reports false for everything else.
func fastUpdate(line []byte) (*SessionNotification, bool) { return shortLine.update(line) }

func (d shortDecoder) update(line []byte) (*SessionNotification, bool) {
	switch kind := string(peekUpdate(line)); kind {
	case string(UserMessageChunk), string(AgentMessageChunk), string(AgentThoughtChunk):
		if n, ok := d.text(line, ChunkKind(kind)); ok {
			return n, true
		}
		n, u := d.chunk(line)
		if n == nil || u.Kind != kind || !u.Content.clean() {
			return nil, false
		}
		u.Chunk, u.Meta = ChunkKind(kind), orAbsent(u.Meta)
		n.Update = &u.ContentChunk
		return n, true
	case "tool_call", "tool_call_update":
		n, u := d.tool(line)
		if n == nil || !u.clean() {
			return nil, false
		}
		u.RawInput, u.RawOutput, u.Meta = orAbsent(u.RawInput), orAbsent(u.RawOutput), orAbsent(u.Meta)
		switch u.SessionUpdate {
		case "tool_call":
			n.Update = u.call()
		case "tool_call_update":
			n.Update = &u.ToolCallUpdate
		default:
			return nil, false
		}
		return n, true
	case "available_commands_update":
		n, u := d.commands(line)
		if n == nil || u.Kind != kind || slices.ContainsFunc(u.AvailableCommands, AvailableCommand.unclean) {
			return nil, false
		}
		u.Meta = orAbsent(u.Meta)
		n.Update = &u.AvailableCommandsUpdate
		return n, true
	}
	return nil, false
}

// DecodeChunk decodes a message that is a session/update with a plain piece of a
// message, in a single pass. It reports false for everything else.
func DecodeChunk(message []byte) (*SessionNotification, bool) {
	switch ChunkKind(peekUpdate(message)) {
	case UserMessageChunk, AgentMessageChunk, AgentThoughtChunk:
		return fastUpdate(message)
	}
	return nil, false
}

// unclean reports whether a command has to be decoded in the general way.
func (c AvailableCommand) unclean() bool {
	return c.Name == "" || isNull(c.Meta) || c.Input != nil && isNull(c.Input.Meta)
}

// clean reports whether a tool call decoded in one pass is what the general way
// would have made of it.
func (u *ToolCallUpdate) clean() bool {
	for i := range u.Content {
		if c := &u.Content[i]; !c.complete() || isNull(c.Meta) || c.Content != nil && !c.Content.clean() {
			return false
		}
	}
	for i := range u.Locations {
		if at := &u.Locations[i]; at.Path == "" || isNull(at.Meta) {
			return false
		}
	}
	return u.ToolCallID != ""
}

// clean reports whether a block decoded in one pass is what the general way
// would have made of it.
func (b *ContentBlock) clean() bool {
	if !b.complete() || isNull(b.Meta) {
		return false
	}
	if a := b.Annotations; a != nil && (isNull(a.Meta) || slices.Contains(a.Audience, "")) {
		return false
	}
	return b.Resource == nil || b.Resource.URI != "" && !isNull(b.Resource.Meta)
}

// orAbsent takes null as absent, as the general way does.
func orAbsent(raw json.RawMessage) json.RawMessage {
	if isNull(raw) {
		return nil
	}
	return raw
}

// call makes a tool call of what was decoded as an update.
func (u *ToolCallUpdate) call() *ToolCall {
	c := &ToolCall{
		ToolCallID: u.ToolCallID, Content: u.Content, Locations: u.Locations,
		RawInput: u.RawInput, RawOutput: u.RawOutput, Meta: u.Meta,
	}
	if u.Title != nil {
		c.Title = *u.Title
	}
	if u.Name != nil {
		c.Name = *u.Name
	}
	if u.Kind != nil {
		c.Kind = *u.Kind
	}
	if u.Status != nil {
		c.Status = *u.Status
	}
	return c
}

var updateKey = []byte(`"sessionUpdate"`)

// peekUpdate returns the value behind the first "sessionUpdate" key.
func peekUpdate(line []byte) []byte {
	at := bytes.Index(line, updateKey)
	if at < 0 {
		return nil
	}
	rest := line[at+len(updateKey):]
	for len(rest) > 0 && (rest[0] == ' ' || rest[0] == ':') {
		rest = rest[1:]
	}
	if len(rest) == 0 || rest[0] != '"' {
		return nil
	}
	rest = rest[1:]
	end := bytes.IndexByte(rest[:min(len(rest), 32)], '"')
	if end < 0 {
		return nil
	}
	return rest[:end]
}

// member returns the value of a key in an object that is known to be valid JSON,
// as it is spelled there; nil if the key is not there. Of several, the last
// counts.
func member(object []byte, name string) (value []byte) {
	for key, v := range members(object) {
		if key == name {
			value = v
		}
	}
	return value
}

// valueEnd is where the value that begins at an offset of valid JSON ends.
func valueEnd(b []byte, at int) int {
	depth := 0
	for {
		switch b[at] {
		case '"':
			at = stringEnd(b, at)
		case '{', '[':
			depth++
			at++
		case '}', ']':
			depth--
			at++
		default: // a number, a word, or what stands between values
			at++
			for depth == 0 && !isSpace(b[at]) && b[at] != ',' && b[at] != '}' {
				at++
			}
		}
		if depth == 0 {
			return at
		}
	}
}

// stringEnd is behind the string that begins at an offset of valid JSON.
func stringEnd(b []byte, at int) int {
	for at++; ; at++ {
		at += bytes.IndexByte(b[at:], '"')
		slashes := 0
		for b[at-1-slashes] == '\\' {
			slashes++
		}
		if slashes%2 == 0 {
			return at + 1
		}
	}
}

func skipSpace(b []byte, at int) int {
	for isSpace(b[at]) {
		at++
	}
	return at
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }
