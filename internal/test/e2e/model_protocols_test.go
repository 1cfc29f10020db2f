package e2e

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// protocol is a client's side of one of the four.
type protocol struct {
	name, path string
	streamPath string // where it is another one for answers that are streamed
	request    func(prompt, result, tools string, stream bool) string
	whole      func(t *testing.T, body string) outcome
	streamed   func(t *testing.T, body string) outcome
}

var protocols = []protocol{
	{"openai", "/v1/chat/completions", "", openaiRequest, openaiWhole, openaiStreamed},
	{"responses", "/v1/responses", "", responsesRequestOf, responsesWhole, responsesStreamed},
	{"anthropic", "/v1/messages", "", anthropicRequest, anthropicWhole, anthropicStreamed},
	{
		"gemini", "/v1beta/models/fake-model:generateContent", "/v1beta/models/fake-model:streamGenerateContent",
		geminiRequest, geminiWhole, geminiStreamed,
	},
}

// to is the path for answers that are streamed, or are not.
func (p protocol) to(stream bool) string {
	if stream && p.streamPath != "" {
		return p.streamPath
	}
	return p.path
}

type offer struct {
	Name   string
	Schema json.RawMessage
}

func offers(tools string) (all []offer) {
	if err := json.Unmarshal([]byte(tools), &all); err != nil {
		panic(err)
	}
	return all
}

func encode(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(data)
}

func openaiRequest(prompt, result, tools string, stream bool) string {
	messages := []any{
		map[string]any{"role": "system", "content": "SAY nothing of this"},
		map[string]any{"role": "user", "content": "SAY an older prompt"},
		map[string]any{"role": "user", "content": []any{map[string]any{"type": "text", "text": prompt}}},
	}
	if result != "" {
		messages = append(messages,
			map[string]any{"role": "assistant", "content": nil},
			map[string]any{"role": "tool", "tool_call_id": "call_1", "content": result})
	}
	var list []any
	for _, o := range offers(tools) {
		list = append(list, map[string]any{"type": "function", "function": map[string]any{"name": o.Name, "parameters": o.Schema}})
	}
	return encode(map[string]any{"model": "fake-model", "stream": stream, "messages": messages, "tools": list})
}

type openaiMessage struct {
	Content string
	Calls   []struct {
		Function struct{ Name, Arguments string }
	} `json:"tool_calls"`
}

type openaiAnswer struct {
	Choices []struct {
		Message, Delta openaiMessage
		Finish         string `json:"finish_reason"`
	}
}

var openaiStops = map[string]string{"stop": "end", "tool_calls": "tool"}

func (o *outcome) addOpenAI(t *testing.T, a openaiAnswer, args *string) {
	t.Helper()
	for _, c := range a.Choices {
		for _, m := range []openaiMessage{c.Message, c.Delta} {
			o.Text += m.Content
			for _, call := range m.Calls {
				o.Tool += call.Function.Name
				*args += call.Function.Arguments
			}
		}
		o.Stop += openaiStops[c.Finish]
	}
}

func openaiWhole(t *testing.T, body string) (o outcome) {
	t.Helper()
	var a openaiAnswer
	if err := json.Unmarshal([]byte(body), &a); err != nil {
		return outcome{Text: fmt.Sprint(err)}
	}
	args := ""
	o.addOpenAI(t, a, &args)
	o.parseArgs(t, args)
	return o
}

func openaiStreamed(t *testing.T, body string) (o outcome) {
	t.Helper()
	args := ""
	events := strings.Split(strings.TrimSpace(body), "\n\n")
	for _, event := range events[:len(events)-1] {
		var a openaiAnswer
		if err := json.Unmarshal([]byte(strings.TrimPrefix(event, "data: ")), &a); err != nil {
			t.Fatalf("event %q: %v", event, err)
		}
		o.addOpenAI(t, a, &args)
	}
	if last := events[len(events)-1]; last != "data: [DONE]" {
		t.Errorf("the last event is %q", last)
	}
	o.parseArgs(t, args)
	return o
}

func (o *outcome) parseArgs(t *testing.T, args string) {
	t.Helper()
	if args == "" {
		return
	}
	if err := json.Unmarshal([]byte(args), &o.Args); err != nil {
		t.Errorf("arguments %q: %v", args, err)
	}
}

func responsesRequestOf(prompt, result, tools string, stream bool) string {
	text := func(role, text string) any {
		return map[string]any{"type": "message", "role": role, "content": []any{map[string]any{"type": "input_text", "text": text}}}
	}
	input := []any{
		text("developer", "SAY nothing of this"), text("user", "SAY an older prompt"),
		text("user", prompt), text("user", "<environment_context>Linux</environment_context>"),
	}
	if !modelCommand.MatchString(prompt) {
		input = input[2:3]
	}
	if result != "" {
		input = append(input, map[string]any{"type": "function_call", "call_id": "call_1"},
			map[string]any{"type": "function_call_output", "call_id": "call_1", "output": result})
	}
	var list []any
	for _, o := range offers(tools) {
		list = append(list, map[string]any{"type": "function", "name": o.Name, "parameters": o.Schema})
	}
	list = append(list, map[string]any{"type": "web_search"})
	return encode(map[string]any{"model": "fake-model", "stream": stream, "input": input, "tools": list})
}

type responsesItem struct {
	Type, Name, Arguments string
	Content               []struct{ Text string }
}

func (o *outcome) addResponses(t *testing.T, item responsesItem) {
	t.Helper()
	for _, c := range item.Content {
		o.Text += c.Text
	}
	o.Tool += item.Name
	o.Stop = map[string]string{"message": "end", "function_call": "tool"}[item.Type]
	o.parseArgs(t, item.Arguments)
}

func responsesWhole(t *testing.T, body string) (o outcome) {
	t.Helper()
	var a struct{ Output []responsesItem }
	if err := json.Unmarshal([]byte(body), &a); err != nil || len(a.Output) != 1 {
		return outcome{Text: fmt.Sprintf("%d items, %v", len(a.Output), err)}
	}
	o.addResponses(t, a.Output[0])
	return o
}

func responsesStreamed(t *testing.T, body string) (o outcome) {
	t.Helper()
	deltas, last := "", ""
	for event := range strings.SplitSeq(strings.TrimSpace(body), "\n\n") {
		name, data, _ := strings.Cut(event, "\n")
		var e struct {
			Type, Delta string
			Item        responsesItem
		}
		if err := json.Unmarshal([]byte(strings.TrimPrefix(data, "data: ")), &e); err != nil || name != "event: "+e.Type {
			t.Fatalf("event %q: %v", event, err)
		}
		deltas += e.Delta
		if last = e.Type; last == "response.output_item.done" {
			o.addResponses(t, e.Item)
		}
	}
	if last != "response.completed" || deltas != o.Text {
		t.Errorf("the last event is %q, the pieces are %q of %q", last, deltas, o.Text)
	}
	return o
}

func anthropicRequest(prompt, result, tools string, stream bool) string {
	messages := []any{
		map[string]any{"role": "user", "content": "SAY an older prompt"},
		map[string]any{"role": "assistant", "content": "an older answer"},
		map[string]any{"role": "user", "content": []any{
			map[string]any{"type": "text", "text": "<system-reminder>be kind</system-reminder>"},
			map[string]any{"type": "text", "text": prompt},
		}},
	}
	if result != "" {
		messages = append(messages,
			map[string]any{"role": "assistant", "content": []any{map[string]any{"type": "tool_use"}}},
			map[string]any{"role": "user", "content": []any{
				map[string]any{"type": "tool_result", "content": result, "is_error": strings.HasPrefix(result, "Error")},
				map[string]any{"type": "text", "text": "<system-reminder>go on</system-reminder>"},
			}})
	}
	var list []any
	for _, o := range offers(tools) {
		list = append(list, map[string]any{"name": o.Name, "input_schema": o.Schema})
	}
	return encode(map[string]any{"model": "fake-model", "max_tokens": 100, "stream": stream, "messages": messages, "tools": list})
}

var anthropicStops = map[string]string{"end_turn": "end", "tool_use": "tool"}

func anthropicWhole(t *testing.T, body string) (o outcome) {
	t.Helper()
	var a struct {
		Content []struct {
			Text, Name string
			Input      map[string]any
		}
		Stop string `json:"stop_reason"`
	}
	if err := json.Unmarshal([]byte(body), &a); err != nil {
		return outcome{Text: fmt.Sprint(err)}
	}
	for _, c := range a.Content {
		o.Text, o.Tool, o.Args = o.Text+c.Text, o.Tool+c.Name, c.Input
	}
	o.Stop = anthropicStops[a.Stop]
	return o
}

func anthropicStreamed(t *testing.T, body string) (o outcome) {
	t.Helper()
	args, kinds := "", []string{}
	for event := range strings.SplitSeq(strings.TrimSpace(body), "\n\n") {
		name, data, _ := strings.Cut(event, "\n")
		var e struct {
			Type  string
			Block struct{ Name string } `json:"content_block"`
			Delta struct {
				Text    string
				Partial string `json:"partial_json"`
				Stop    string `json:"stop_reason"`
			}
		}
		if err := json.Unmarshal([]byte(strings.TrimPrefix(data, "data: ")), &e); err != nil || name != "event: "+e.Type {
			t.Fatalf("event %q: %v", event, err)
		}
		kinds = append(kinds, e.Type)
		o.Tool += e.Block.Name
		o.Text += e.Delta.Text
		args += e.Delta.Partial
		o.Stop += anthropicStops[e.Delta.Stop]
	}
	if kinds[0] != "message_start" || kinds[len(kinds)-1] != "message_stop" {
		t.Errorf("events %q", kinds)
	}
	o.parseArgs(t, args)
	return o
}

func geminiRequest(prompt, result, tools string, _ bool) string {
	text := func(role, text string) any {
		return map[string]any{"role": role, "parts": []any{map[string]any{"text": text}}}
	}
	contents := []any{text("user", "SAY an older prompt"), text("model", "an older answer"), text("user", prompt)}
	if result != "" {
		response := map[string]any{"output": result}
		if strings.HasPrefix(result, "Error") {
			response = map[string]any{"error": result}
		}
		contents = append(contents,
			map[string]any{"role": "model", "parts": []any{map[string]any{"functionCall": map[string]any{"name": "x"}}}},
			map[string]any{"role": "user", "parts": []any{map[string]any{"functionResponse": map[string]any{"name": "x", "response": response}}}})
	}
	var functions []any
	for _, o := range offers(tools) {
		functions = append(functions, map[string]any{"name": o.Name, "parametersJsonSchema": o.Schema})
	}
	return encode(map[string]any{"model": "models/fake-model", "contents": contents, "tools": []any{map[string]any{"functionDeclarations": functions}}})
}

func (o *outcome) addGemini(t *testing.T, body string) {
	t.Helper()
	var a struct {
		Candidates []struct {
			Content struct {
				Parts []struct {
					Text         string
					FunctionCall struct {
						Name string
						Args map[string]any
					}
				}
			}
			FinishReason string
		}
	}
	if err := json.Unmarshal([]byte(body), &a); err != nil {
		t.Errorf("%q: %v", body, err)
	}
	for _, c := range a.Candidates {
		for _, p := range c.Content.Parts {
			o.Text += p.Text
			if p.FunctionCall.Name != "" {
				o.Tool, o.Args = p.FunctionCall.Name, p.FunctionCall.Args
			}
		}
		switch { // tools are called at an ordinary end
		case c.FinishReason == "STOP" && o.Tool != "":
			o.Stop += "tool"
		case c.FinishReason == "STOP":
			o.Stop += "end"
		}
	}
}

func geminiWhole(t *testing.T, body string) (o outcome) {
	t.Helper()
	if strings.HasPrefix(body, "{") {
		o.addGemini(t, body)
	}
	return o
}

func geminiStreamed(t *testing.T, body string) (o outcome) {
	t.Helper()
	for event := range strings.SplitSeq(strings.TrimSpace(body), "\n\n") {
		o.addGemini(t, strings.TrimPrefix(event, "data: "))
	}
	return o
}
