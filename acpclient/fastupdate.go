package acpclient

import (
	"bytes"
	"encoding/json"
	"slices"
)

// Nearly all of the traffic is session updates, and nearly all of those are
// message chunks and tool calls. A line that looks like one is decoded in a
// single pass into a struct made for it, without the copies that a discriminated
// union costs otherwise. The look is a guess, checked after the fact: whatever
// does not come out clean goes the general way.

// chunkLine is a session/update line with a message chunk.
type chunkLine struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		SessionID SessionID `json:"sessionId"`
		Update    struct {
			SessionUpdate string `json:"sessionUpdate"`
			ContentChunk
		} `json:"update"`
		Meta Meta `json:"_meta"`
	} `json:"params"`
}

// toolLine is a session/update line with a tool call or an update of one.
type toolLine struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		SessionID SessionID `json:"sessionId"`
		Update    struct {
			SessionUpdate string `json:"sessionUpdate"`
			ToolCallUpdate
		} `json:"update"`
		Meta Meta `json:"_meta"`
	} `json:"params"`
}

// fastUpdate decodes a line that is a plain message chunk or tool call. It
// reports false for everything else.
func fastUpdate(line []byte) (*SessionNotification, bool) {
	switch kind := peekUpdate(line); string(kind) {
	case string(UserMessageChunk), string(AgentMessageChunk), string(AgentThoughtChunk):
		var l chunkLine
		if json.Unmarshal(line, &l) != nil {
			return nil, false
		}
		p := &l.Params
		u := &p.Update.ContentChunk
		if l.Method != SessionUpdateNotification.Name || len(l.ID) > 0 || p.SessionID == "" || !u.Content.clean() {
			return nil, false
		}
		u.Meta, p.Meta = orAbsent(u.Meta), orAbsent(p.Meta)
		switch k := ChunkKind(p.Update.SessionUpdate); k {
		case UserMessageChunk, AgentMessageChunk, AgentThoughtChunk:
			u.Chunk = k
			return &SessionNotification{SessionID: p.SessionID, Update: u, Meta: p.Meta}, true
		}
	case "tool_call", "tool_call_update":
		var l toolLine
		if json.Unmarshal(line, &l) != nil {
			return nil, false
		}
		p := &l.Params
		u := &p.Update.ToolCallUpdate
		if l.Method != SessionUpdateNotification.Name || len(l.ID) > 0 || p.SessionID == "" || u.ToolCallID == "" {
			return nil, false
		}
		for i := range u.Content {
			if c := &u.Content[i]; !c.complete() || isNull(c.Meta) || c.Content != nil && !c.Content.clean() {
				return nil, false
			}
		}
		for i := range u.Locations {
			if at := &u.Locations[i]; at.Path == "" || isNull(at.Meta) {
				return nil, false
			}
		}
		u.RawInput, u.RawOutput = orAbsent(u.RawInput), orAbsent(u.RawOutput)
		u.Meta, p.Meta = orAbsent(u.Meta), orAbsent(p.Meta)
		n := &SessionNotification{SessionID: p.SessionID, Meta: p.Meta}
		switch p.Update.SessionUpdate {
		case "tool_call":
			n.Update = u.call()
		case "tool_call_update":
			n.Update = u
		default:
			return nil, false
		}
		return n, true
	}
	return nil, false
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
