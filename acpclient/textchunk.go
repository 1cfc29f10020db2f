package acpclient

import (
	"bytes"
	"encoding/json"
	"iter"
	"unicode/utf8"
)

// Most updates are a piece of a message's text, a few words long. Such a line is
// checked to be JSON, and then taken apart by what its members are called, without
// a decoder: that takes less than half of the time and of the memory. Whatever has a
// member that is not expected, or has it in another form, goes the other ways.

// textLine decodes a line with a piece of text.
func textLine(line []byte, kind ChunkKind) (*SessionNotification, bool) {
	if !isObject(line) || !json.Valid(line) {
		return nil, false
	}
	var params []byte
	method := false
	for key, value := range members(line) {
		switch key {
		case "jsonrpc":
		case "method":
			method = string(value) == `"`+SessionUpdateNotification.Name+`"`
		case "params":
			params = value
		default:
			return nil, false
		}
	}
	if !method {
		return nil, false
	}
	return textNotification(params, kind)
}

// textParams decodes the params of such a line.
func textParams(raw []byte, kind ChunkKind) (*SessionNotification, bool) {
	if !json.Valid(raw) {
		return nil, false
	}
	return textNotification(raw, kind)
}

// textNotification decodes params that are known to be JSON.
func textNotification(params []byte, kind ChunkKind) (*SessionNotification, bool) {
	if !isObject(params) {
		return nil, false
	}
	n, ok := &SessionNotification{}, false
	for key, value := range members(params) {
		switch key {
		case "sessionId":
			id, _ := plainString(value)
			n.SessionID = SessionID(id)
		case "update":
			var chunk *ContentChunk
			if chunk, ok = textUpdate(value, kind); !ok {
				return nil, false
			}
			n.Update = chunk
		default:
			return nil, false
		}
	}
	n.Raw = bytes.Clone(params)
	return n, ok && n.SessionID != ""
}

// textUpdate decodes an update that is known to be JSON.
func textUpdate(update []byte, kind ChunkKind) (chunk *ContentChunk, ok bool) {
	if !isObject(update) {
		return nil, false
	}
	chunk = &ContentChunk{Chunk: kind}
	named := false
	for key, value := range members(update) {
		switch key {
		case "sessionUpdate":
			named = string(value) == `"`+string(kind)+`"`
		case "content":
			if chunk.Content, ok = textContent(value); !ok {
				return nil, false
			}
		case "messageId":
			id, isString := plainString(value)
			if !isString {
				return nil, false
			}
			chunk.MessageID = MessageID(id)
		default:
			return nil, false
		}
	}
	return chunk, ok && named
}

// textContent decodes a block of text that is known to be JSON.
func textContent(block []byte) (content ContentBlock, ok bool) {
	if !isObject(block) {
		return content, false
	}
	text, isText := "", false
	for key, value := range members(block) {
		switch key {
		case "type":
			isText = string(value) == `"`+string(ContentText)+`"`
		case "text":
			if text, ok = plainString(value); !ok {
				return content, false
			}
		default:
			return content, false
		}
	}
	return TextBlock(text), ok && isText
}

// plainString is the string that a value is, which is known to be JSON.
func plainString(value []byte) (text string, ok bool) {
	if value[0] != '"' {
		return "", false
	}
	if inside := value[1 : len(value)-1]; bytes.IndexByte(inside, '\\') < 0 && utf8.Valid(inside) {
		return string(inside), true
	}
	return text, json.Unmarshal(value, &text) == nil
}

// isObject reports whether JSON that may be wrong begins as an object does.
func isObject(raw []byte) bool {
	raw = bytes.TrimLeft(raw, " \t\r\n")
	return len(raw) > 0 && raw[0] == '{'
}

// members are the keys of an object that is known to be JSON, as they are spelled, with
// their values.
func members(object []byte) iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		at := skipSpace(object, bytes.IndexByte(object, '{')+1)
		for object[at] != '}' {
			name := at
			at = stringEnd(object, at)
			key := object[name+1 : at-1]
			start := skipSpace(object, skipSpace(object, at)+1) // behind the colon
			at = valueEnd(object, start)
			if !yield(string(key), object[start:at]) {
				return
			}
			if at = skipSpace(object, at); object[at] == ',' {
				at = skipSpace(object, at+1)
			}
		}
	}
}
