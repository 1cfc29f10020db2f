package e2e

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// outcome is what a client has understood, in any protocol.
type outcome struct {
	Text, Tool string
	Args       map[string]any
	Stop       string
}

const tools = `[
 {"name":"Write","schema":{"type":"object","properties":{"file_path":{"type":"string"},"content":{"type":"string"}},"required":["file_path","content"]}},
 {"name":"bash","schema":{"type":"object","properties":{"command":{"type":"string"},"description":{"type":"string"},"timeout":{"type":"number"}},"required":["command","description"]}},
 {"name":"todowrite","schema":{"type":"object","properties":{"todos":{"type":"array","items":{"type":"object","properties":{"content":{"type":"string"},"status":{"type":"string","enum":["pending","in_progress","completed"]}},"required":["content","status"]}}}}}
]`

func TestScript(t *testing.T) {
	todo := func(content, status string) any { return map[string]any{"content": content, "status": status} }
	for _, c := range []struct {
		name, prompt, result string
		bare                 bool // no tools
		want                 outcome
	}{
		{name: "say", prompt: "SAY hello there", want: outcome{Text: "hello there", Stop: "end"}},
		{name: "say inside of context", prompt: "<reminder>be kind</reminder>\nSAY hello\n\n", want: outcome{Text: "hello", Stop: "end"}},
		{name: "no script", prompt: "what now?", want: outcome{Text: "There is no script in the prompt", Stop: "end"}},
		{name: "write", prompt: "WRITE /tmp/a.txt some text", want: outcome{
			Tool: "Write", Args: map[string]any{"file_path": "/tmp/a.txt", "content": "some text\n"}, Stop: "tool",
		}},
		{name: "run", prompt: "RUN ls -l", want: outcome{
			Tool: "bash", Args: map[string]any{"command": "ls -l", "description": "Run ls -l"}, Stop: "tool",
		}},
		{name: "plan", prompt: "PLAN", want: outcome{Tool: "todowrite", Args: map[string]any{"todos": []any{
			todo("Look around", "completed"), todo("Build it", "in_progress"), todo("Test it", "pending"),
		}}, Stop: "tool"}},
		{name: "call", prompt: `CALL bash {"command":"ls"}`, want: outcome{Tool: "bash", Args: map[string]any{"command": "ls"}, Stop: "tool"}},
		{name: "call of no tool", prompt: `CALL fly {}`, want: outcome{Text: "No tool fly among Write, bash, todowrite", Stop: "end"}},
		{name: "the next line after a result", prompt: "RUN ls\nSAY hello", result: "a.txt", want: outcome{Text: "hello", Stop: "end"}},
		{name: "after the result", prompt: "RUN ls", result: "a.txt", want: outcome{Text: "DONE run", Stop: "end"}},
		{name: "after a failure", prompt: "RUN ls", result: "Error: no", want: outcome{Text: "DONE with an error", Stop: "end"}},
		{name: "side request", prompt: "Make a title for: RUN ls", bare: true, want: outcome{Text: "A fake title", Stop: "end"}},
		{name: "slow to the end", prompt: "SLOW 3", want: outcome{Text: "chunk 1 chunk 2 chunk 3 ", Stop: "end"}},
	} {
		offered := tools
		if c.bare {
			offered = "[]"
		}
		for _, p := range protocols {
			for _, streaming := range []bool{true, false} {
				t.Run(fmt.Sprintf("%s/%s/stream=%v", c.name, p.name, streaming), func(t *testing.T) {
					s := startModel(t)
					body := post(t, s.URL+p.to(streaming), p.request(c.prompt, c.result, offered, streaming))
					got := p.whole(t, body)
					if streaming {
						got = p.streamed(t, body)
					}
					if diff := cmp.Diff(c.want, got); diff != "" {
						t.Errorf("-want +got:\n%s", diff)
					}
					if r := s.Requests(); len(r) != 1 || r[0].Path != p.to(streaming) || !bytes.Contains(r[0].Body, []byte("fake-model")) {
						t.Errorf("recorded %v", r)
					}
				})
			}
		}
	}
}

func TestSlowEndsWhenTheClientGoes(t *testing.T) {
	for _, p := range protocols {
		t.Run(p.name, func(t *testing.T) {
			s := startModel(t)
			ctx, cancel := context.WithCancel(t.Context())
			req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL+p.to(true), strings.NewReader(p.request("SLOW 1000000", "", tools, true)))
			if err != nil {
				t.Fatal(err)
			}
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			lines := bufio.NewScanner(resp.Body)
			for lines.Scan() && !strings.Contains(lines.Text(), "chunk 2") {
			}
			cancel()
			if _, err := io.ReadAll(resp.Body); err == nil {
				t.Error("the answer came to an end")
			}
			// That the handler has gone as well is seen by the server's Close
			// and the check for goroutines.
		})
	}
}

func TestModelsAndTokens(t *testing.T) {
	s := startModel(t)
	resp, err := http.Get(s.URL + "/v1/models")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var models struct{ Data []struct{ ID string } }
	if err := json.NewDecoder(resp.Body).Decode(&models); err != nil || len(models.Data) != 1 || models.Data[0].ID != "fake-model" {
		t.Errorf("models %+v, error %v", models, err)
	}
	if got := post(t, s.URL+"/v1beta/models/fake-model:countTokens", `{"contents":[]}`); got != `{"totalTokens":1000}`+"\n" {
		t.Errorf("tokens %q", got)
	}
	if got := post(t, s.URL+"/v1/messages/count_tokens", `{"messages":[]}`); got != `{"input_tokens":1000}`+"\n" {
		t.Errorf("tokens %q", got)
	}
}

// An agent that wants JSON of a certain form gets some.
func TestJSONOfASchema(t *testing.T) {
	s := startModel(t)
	got := post(t, s.URL+"/v1beta/models/fake-model:generateContent", `{"contents":[{"role":"user","parts":[{"text":"SAY hello"}]}],
		"generationConfig":{"responseJsonSchema":{"type":"OBJECT","properties":{"why":{"type":"STRING"},"score":{"type":"INTEGER"},"more":{"type":"STRING"}},"required":["why","score"]}}}`)
	if o := geminiWhole(t, got); o.Text != `{"score":1,"why":"fake"}` {
		t.Errorf("%+v", o)
	}
}

// A model that fails says why, in whatever protocol.
func TestFail(t *testing.T) {
	s := startModel(t)
	for _, p := range protocols {
		resp, err := http.Post(s.URL+p.to(true), "application/json", strings.NewReader(p.request("FAIL no credit", "", tools, true)))
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if resp.StatusCode != http.StatusBadRequest || !bytes.Contains(body, []byte(`"message":"no credit"`)) {
			t.Errorf("%s: status %d, %s", p.name, resp.StatusCode, body)
		}
	}
}

func TestBadRequest(t *testing.T) {
	s := startModel(t)
	for _, p := range protocols {
		resp, err := http.Post(s.URL+p.path, "application/json", strings.NewReader("{"))
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != http.StatusBadRequest {
			t.Errorf("%s: status %d, want 400", p.name, resp.StatusCode)
		}
	}
}

func post(t *testing.T, url, body string) string {
	t.Helper()
	resp, err := http.Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("status %d, error %v: %s", resp.StatusCode, err, got)
	}
	return string(got)
}
