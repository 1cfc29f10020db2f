package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// messagesRequest is a request of Anthropic Messages.
type messagesRequest struct {
	Model    string `json:"model"`
	Stream   bool   `json:"stream"`
	Messages []struct {
		Role    string  `json:"role"`
		Content content `json:"content"`
	} `json:"messages"`
	Tools []struct {
		Name   string     `json:"name"`
		Schema toolSchema `json:"input_schema"`
	} `json:"tools"`
}

func (r messagesRequest) dialogue() dialogue {
	var c dialogue
	for _, m := range r.Messages {
		if m.Role != "user" {
			continue
		}
		// Tool results come as a user's message too, and so do reminders,
		// beside others or alone.
		said := slices.DeleteFunc(slices.Clone(m.Content), func(b block) bool {
			return strings.HasPrefix(b.Text, "<system-reminder>")
		})
		if text := said.text(); text != "" {
			c.prompt, c.results, c.failed = text, 0, false
		}
		for _, b := range m.Content {
			if b.Type == "tool_result" {
				c.results++
				c.failed = b.IsError
			}
		}
	}
	for _, t := range r.Tools {
		c.tools = append(c.tools, tool{Name: t.Name, Schema: t.Schema})
	}
	return c
}

func (s *fakeModel) countTokens(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, map[string]any{"input_tokens": 1000})
}

func (s *fakeModel) messages(w http.ResponseWriter, r *http.Request) {
	var req messagesRequest
	if err := json.NewDecoder(r.Body).Decode(&req); err != nil {
		http.Error(w, fmt.Sprintf("not a messages request: %v", err), http.StatusBadRequest)
		return
	}
	reply, n := req.dialogue().answer(), s.nextCall()
	if reply.fail != "" {
		writeError(w, reply)
		return
	}
	message := map[string]any{
		"id": fmt.Sprintf("msg_%d", n), "type": "message", "role": "assistant", "model": req.Model,
		"content": []any{}, "stop_reason": nil, "stop_sequence": nil, "usage": usage(1),
	}
	if !req.Stream {
		message["content"] = []any{contentBlock(reply, n, true)}
		message["stop_reason"], message["usage"] = stopReason(reply), usage(20)
		writeJSON(w, message)
		return
	}
	out := newStream(w, r)
	send := func(kind string, fields map[string]any) {
		fields["type"] = kind
		out.event(kind, fields)
	}
	send("message_start", map[string]any{"message": message})
	send("content_block_start", map[string]any{"index": 0, "content_block": contentBlock(reply, n, false)})
	out.each(reply, func(piece string) {
		delta := map[string]any{"type": "text_delta", "text": piece}
		if reply.tool != "" {
			delta = map[string]any{"type": "input_json_delta", "partial_json": piece}
		}
		send("content_block_delta", map[string]any{"index": 0, "delta": delta})
	})
	send("content_block_stop", map[string]any{"index": 0})
	send("message_delta", map[string]any{
		"delta": map[string]any{"stop_reason": stopReason(reply), "stop_sequence": nil}, "usage": usage(20),
	})
	send("message_stop", map[string]any{})
}

func usage(output int) map[string]any {
	return map[string]any{
		"input_tokens": 1000, "output_tokens": output,
		"cache_creation_input_tokens": 0, "cache_read_input_tokens": 0,
	}
}

// contentBlock is the one block of an answer, empty where it is to be streamed.
func contentBlock(r reply, n int, whole bool) map[string]any {
	if r.tool != "" {
		input := map[string]any{}
		if whole {
			input = r.args
		}
		return map[string]any{"type": "tool_use", "id": fmt.Sprintf("toolu_%d", n), "name": r.tool, "input": input}
	}
	text := ""
	if whole {
		text = r.wholeText()
	}
	return map[string]any{"type": "text", "text": text}
}

func stopReason(r reply) string {
	if r.tool != "" {
		return "tool_use"
	}
	return "end_turn"
}
