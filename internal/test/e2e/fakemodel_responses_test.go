package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// responsesRequest is a request of OpenAI Responses.
type responsesRequest struct {
	Model  string `json:"model"`
	Stream bool   `json:"stream"`
	Input  []struct {
		Type    string          `json:"type"`
		Role    string          `json:"role"`
		Content content         `json:"content"`
		Output  json.RawMessage `json:"output"`
	} `json:"input"`
	Tools []struct {
		Type   string     `json:"type"`
		Name   string     `json:"name"`
		Schema toolSchema `json:"parameters"`
	} `json:"tools"`
}

func (r responsesRequest) dialogue() dialogue {
	var c dialogue
	for _, item := range r.Input {
		switch {
		case strings.HasSuffix(item.Type, "_call_output"):
			c.results++
			c.failed = looksFailed(strings.Trim(string(item.Output), `"`))
		case item.Role == "user":
			// Codex describes the project in a message of its own.
			if text := item.Content.text(); modelCommand.MatchString(text) {
				c.prompt, c.results, c.failed = text, 0, false
			}
		}
	}
	for _, t := range r.Tools {
		if t.Type == "function" {
			c.tools = append(c.tools, tool{Name: t.Name, Schema: t.Schema})
		}
	}
	return c
}

func (s *fakeModel) responses(w http.ResponseWriter, r *http.Request) {
	var req responsesRequest
	if err := json.NewDecoder(r.Body).Decode(&req); err != nil {
		http.Error(w, fmt.Sprintf("not a responses request: %v", err), http.StatusBadRequest)
		return
	}
	reply, n := req.dialogue().answer(), s.nextCall()
	if reply.fail != "" {
		writeError(w, reply)
		return
	}
	response := map[string]any{
		"id": fmt.Sprintf("resp_%d", n), "object": "response", "model": req.Model, "status": "completed", "usage": responsesUsage,
	}
	if !req.Stream {
		response["output"] = []any{outputItem(reply, n, true)}
		writeJSON(w, response)
		return
	}
	out := newStream(w, r)
	send := func(kind string, fields map[string]any) {
		fields["type"] = kind
		out.event(kind, fields)
	}
	send("response.created", map[string]any{"response": map[string]any{"id": response["id"]}})
	if reply.tool == "" {
		empty := outputItem(reply, n, false)
		send("response.output_item.added", map[string]any{"output_index": 0, "item": empty})
		out.each(reply, func(piece string) {
			send("response.output_text.delta", map[string]any{
				"item_id": empty["id"], "output_index": 0, "content_index": 0, "delta": piece,
			})
		})
	}
	if out.err != nil {
		return
	}
	item := outputItem(reply, n, true)
	response["output"] = []any{item}
	send("response.output_item.done", map[string]any{"output_index": 0, "item": item})
	send("response.completed", map[string]any{"response": response})
}

var responsesUsage = map[string]any{"input_tokens": 1000, "output_tokens": 20, "total_tokens": 1020}

// outputItem is the one item of an answer; a text is empty where it is to be streamed.
func outputItem(r reply, n int, whole bool) map[string]any {
	if r.tool != "" {
		return map[string]any{
			"type": "function_call", "id": fmt.Sprintf("fc_%d", n), "call_id": fmt.Sprintf("call_%d", n),
			"name": r.tool, "arguments": strings.Join(r.chunks(), ""), "status": "completed",
		}
	}
	texts := []any{}
	if whole {
		texts = append(texts, map[string]any{"type": "output_text", "text": r.wholeText(), "annotations": []any{}})
	}
	return map[string]any{
		"type": "message", "id": fmt.Sprintf("msg_%d", n), "role": "assistant", "status": "completed", "content": texts,
	}
}
