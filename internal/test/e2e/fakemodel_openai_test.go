package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// chatRequest is a request of OpenAI Chat Completions.
type chatRequest struct {
	Model    string `json:"model"`
	Stream   bool   `json:"stream"`
	Messages []struct {
		Role    string  `json:"role"`
		Content content `json:"content"`
	} `json:"messages"`
	Tools []struct {
		Function struct {
			Name       string     `json:"name"`
			Parameters toolSchema `json:"parameters"`
		} `json:"function"`
	} `json:"tools"`
}

// content is text, or a list of blocks; both protocols allow both.
type content []block

type block struct {
	Type    string  `json:"type"`
	Text    string  `json:"text"`
	IsError bool    `json:"is_error"`
	Content content `json:"content"`
}

// UnmarshalJSON takes a string for one text block, and null for none.
func (c *content) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) == nil {
		*c = content{{Type: "text", Text: text}}
		return nil
	}
	return json.Unmarshal(data, (*[]block)(c))
}

func (c content) text() string {
	var texts []string
	for _, b := range c {
		if b.Type == "text" || b.Type == "input_text" {
			texts = append(texts, b.Text)
		}
	}
	return strings.Join(texts, "\n")
}

func (r chatRequest) dialogue() dialogue {
	var c dialogue
	for _, m := range r.Messages {
		switch m.Role {
		case "user":
			c.prompt, c.results, c.failed = m.Content.text(), 0, false
		case "tool":
			c.results++
			c.failed = looksFailed(m.Content.text())
		}
	}
	for _, t := range r.Tools {
		c.tools = append(c.tools, tool{Name: t.Function.Name, Schema: t.Function.Parameters})
	}
	return c
}

// looksFailed guesses from a result's text: this protocol does not say.
func looksFailed(result string) bool {
	result = strings.ToLower(result)
	return strings.Contains(result, "rejected permission") || strings.HasPrefix(result, "error")
}

func (s *fakeModel) chatCompletions(w http.ResponseWriter, r *http.Request) {
	var req chatRequest
	if err := json.NewDecoder(r.Body).Decode(&req); err != nil {
		http.Error(w, fmt.Sprintf("not a chat completion request: %v", err), http.StatusBadRequest)
		return
	}
	reply, n := req.dialogue().answer(), s.nextCall()
	if reply.fail != "" {
		writeError(w, reply)
		return
	}
	if !req.Stream {
		writeJSON(w, chatCompletion(req.Model, reply, n))
		return
	}
	out := newStream(w, r)
	chunk := func(delta map[string]any, finish any) {
		out.event("", map[string]any{
			"id": fmt.Sprintf("chatcmpl-%d", n), "object": "chat.completion.chunk", "created": 0, "model": req.Model,
			"choices": []any{map[string]any{"index": 0, "delta": delta, "finish_reason": finish}},
		})
	}
	chunk(map[string]any{"role": "assistant", "content": ""}, nil)
	if reply.tool != "" {
		chunk(map[string]any{"tool_calls": []any{toolCall(reply, n, "")}}, nil)
		out.each(reply, func(piece string) {
			chunk(map[string]any{"tool_calls": []any{map[string]any{
				"index": 0, "function": map[string]any{"arguments": piece},
			}}}, nil)
		})
	} else {
		out.each(reply, func(piece string) { chunk(map[string]any{"content": piece}, nil) })
	}
	chunk(map[string]any{}, finishReason(reply))
	out.event("", map[string]any{
		"id": fmt.Sprintf("chatcmpl-%d", n), "object": "chat.completion.chunk", "created": 0, "model": req.Model,
		"choices": []any{}, "usage": chatUsage,
	})
	out.event("", "[DONE]")
}

var chatUsage = map[string]any{"prompt_tokens": 1000, "completion_tokens": 20, "total_tokens": 1020}

func chatCompletion(model string, r reply, n int) map[string]any {
	message := map[string]any{"role": "assistant", "content": r.wholeText()}
	if r.tool != "" {
		message["content"] = nil
		message["tool_calls"] = []any{toolCall(r, n, strings.Join(r.chunks(), ""))}
	}
	return map[string]any{
		"id": fmt.Sprintf("chatcmpl-%d", n), "object": "chat.completion", "created": 0, "model": model,
		"choices": []any{map[string]any{"index": 0, "message": message, "finish_reason": finishReason(r)}},
		"usage":   chatUsage,
	}
}

func toolCall(r reply, n int, args string) map[string]any {
	return map[string]any{
		"index": 0, "id": fmt.Sprintf("call_%d", n), "type": "function",
		"function": map[string]any{"name": r.tool, "arguments": args},
	}
}

func finishReason(r reply) string {
	if r.tool != "" {
		return "tool_calls"
	}
	return "stop"
}
