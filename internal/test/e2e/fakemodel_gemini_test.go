package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// generateRequest is a request of Gemini's generateContent.
type generateRequest struct {
	Contents []struct {
		Role  string       `json:"role"`
		Parts []geminiPart `json:"parts"`
	} `json:"contents"`
	Tools []struct {
		Functions []struct {
			Name       string     `json:"name"`
			Parameters toolSchema `json:"parameters"`
			JSONSchema toolSchema `json:"parametersJsonSchema"`
		} `json:"functionDeclarations"`
	} `json:"tools"`
	Config struct {
		JSONSchema toolSchema `json:"responseJsonSchema"`
		Schema     toolSchema `json:"responseSchema"`
	} `json:"generationConfig"`
}

// geminiPart is one part of a message: text, or what a tool has given.
type geminiPart struct {
	Text             string `json:"text"`
	FunctionResponse *struct {
		Response map[string]any `json:"response"`
	} `json:"functionResponse"`
}

func (r generateRequest) dialogue() dialogue {
	var c dialogue
	for _, m := range r.Contents {
		if m.Role != "user" {
			continue
		}
		var said []string
		for _, p := range m.Parts {
			if p.FunctionResponse != nil {
				c.results++
				_, c.failed = p.FunctionResponse.Response["error"]
			} else if p.Text != "" {
				said = append(said, p.Text)
			}
		}
		if len(said) > 0 {
			c.prompt, c.results, c.failed = strings.Join(said, "\n"), 0, false
		}
	}
	for _, t := range r.Tools {
		for _, f := range t.Functions {
			s := f.JSONSchema
			if s.Properties == nil {
				s = f.Parameters
			}
			c.tools = append(c.tools, tool{Name: f.Name, Schema: s})
		}
	}
	return c
}

// answer does what the prompt says. A request for JSON, by which the agent chooses a
// model for instance, gets the simplest that fits.
func (r generateRequest) answer() reply {
	for _, s := range []toolSchema{r.Config.JSONSchema, r.Config.Schema} {
		if s.Properties != nil {
			text, _ := json.Marshal(s.fill(nil)) // made of maps and strings
			return reply{text: string(text)}
		}
	}
	return r.dialogue().answer()
}

// generate answers POST /v1beta/models/{model}:{method}.
func (s *fakeModel) generate(w http.ResponseWriter, r *http.Request) {
	model, method, _ := strings.Cut(r.PathValue("call"), ":")
	if method == "countTokens" {
		writeJSON(w, map[string]any{"totalTokens": 1000})
		return
	}
	var req generateRequest
	if err := json.NewDecoder(r.Body).Decode(&req); err != nil {
		http.Error(w, fmt.Sprintf("not a request to generate content: %v", err), http.StatusBadRequest)
		return
	}
	reply, n := req.answer(), s.nextCall()
	if reply.fail != "" {
		writeError(w, reply)
		return
	}
	out := geminiAnswer{model: model, number: n}
	call := map[string]any{"functionCall": map[string]any{"id": fmt.Sprintf("call_%d", n), "name": reply.tool, "args": reply.args}}
	if method != "streamGenerateContent" {
		if reply.tool == "" {
			call = map[string]any{"text": reply.wholeText()}
		}
		writeJSON(w, out.part(call, true))
		return
	}
	events := newStream(w, r)
	if reply.tool != "" {
		events.event("", out.part(call, true))
		return
	}
	events.each(reply, func(piece string) { events.event("", out.part(map[string]any{"text": piece}, false)) })
	events.event("", out.part(map[string]any{"text": ""}, true))
}

// geminiAnswer makes the pieces of one answer.
type geminiAnswer struct {
	model  string
	number int
}

// part is a piece with one part of a message.
func (a geminiAnswer) part(part map[string]any, last bool) map[string]any {
	candidate := map[string]any{"index": 0, "content": map[string]any{"role": "model", "parts": []any{part}}}
	if last {
		candidate["finishReason"] = "STOP"
	}
	return map[string]any{
		"candidates": []any{candidate}, "modelVersion": a.model, "responseId": fmt.Sprintf("r%d", a.number), "usageMetadata": geminiUsage,
	}
}

var geminiUsage = map[string]any{"promptTokenCount": 1000, "candidatesTokenCount": 20, "totalTokenCount": 1020}
