package acpclient

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
)

// bareLine is the bare decode that the client is measured against:
// one envelope with one wide update, and nothing that checks or sorts it. The
// content of a message is an object and that of a tool call an array, so it
// comes in two makes.
type bareLine[Content any] struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Params  struct {
		SessionID string `json:"sessionId"`
		Update    struct {
			SessionUpdate     string             `json:"sessionUpdate"`
			Content           Content            `json:"content"`
			MessageID         string             `json:"messageId"`
			ToolCallID        string             `json:"toolCallId"`
			Title             *string            `json:"title"`
			Kind              *string            `json:"kind"`
			Status            *string            `json:"status"`
			Locations         []ToolCallLocation `json:"locations"`
			RawInput          json.RawMessage    `json:"rawInput"`
			RawOutput         json.RawMessage    `json:"rawOutput"`
			AvailableCommands []AvailableCommand `json:"availableCommands"`
			Meta              json.RawMessage    `json:"_meta"`
		} `json:"update"`
		Meta json.RawMessage `json:"_meta"`
	} `json:"params"`
}

type bareBlock struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

type bareToolContent struct {
	Type    string     `json:"type"`
	Content *bareBlock `json:"content"`
	Path    string     `json:"path"`
	OldText *string    `json:"oldText"`
	NewText string     `json:"newText"`
}

func bareDecode(name string, line []byte) error {
	if name == "chunk" || name == "escaped" {
		return json.Unmarshal(line, new(bareLine[bareBlock]))
	}
	return json.Unmarshal(line, new(bareLine[[]bareToolContent]))
}

// benchLines are the lines measured, by name. Those of 10x are ten times as
// long as their like.
func benchLines() []struct{ name, line string } {
	diff := func(bytes int) string {
		old, _ := json.Marshal(strings.Repeat("\tfmt.Println(\"a line of code\")\n", bytes/66))
		return update(`{"sessionUpdate":"tool_call_update","toolCallId":"t","status":"completed","content":[{"type":"diff","path":"/p/main.go","oldText":` + string(old) + `,"newText":` + string(old) + `}]}`)
	}
	commands := func(n int) string {
		var items []string
		for i := range n {
			items = append(items, fmt.Sprintf(`{"name":"command-%d","description":"%s","input":{"hint":"what to do"}}`, i, strings.Repeat("Does something useful. ", 20)))
		}
		return update(`{"sessionUpdate":"available_commands_update","availableCommands":[` + strings.Join(items, ",") + `]}`)
	}
	return []struct{ name, line string }{
		{"chunk", update(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"a few words of an answer "},"messageId":"msg_01"}`)},
		{"escaped", update(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"if a \u003c b \u0026\u0026 b \u003e c {\n\treturn\n}"},"messageId":"msg_01"}`)},
		{"tool_call", update(`{"sessionUpdate":"tool_call","toolCallId":"call_1","title":"Read main.go","kind":"read","status":"pending","locations":[{"path":"/p/main.go","line":3}],"rawInput":{"path":"/p/main.go"}}`)},
		{"diff_1MB", diff(1 << 20)},
		{"diff_10MB", diff(10 << 20)},
		{"commands_56KB", commands(100)},
		{"commands_560KB", commands(1000)},
	}
}

// BenchmarkLine measures a line from its bytes to the handler, through the whole
// of the connection, and beside it the bare decode. Their ratio is the price of
// everything else.
func BenchmarkLine(b *testing.B) {
	for _, l := range benchLines() {
		line := []byte(l.line + "\n")
		b.Run(l.name+"/client", func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(line)))
			seen := 0
			c := NewClient(NewLines(&repeat{line: line, left: b.N}, io.Discard), &listener{onUpdate: func(*SessionNotification) { seen++ }}, ConnOptions{})
			<-c.Conn().Done()
			if seen != b.N {
				b.Fatalf("%d of %d", seen, b.N)
			}
		})
		b.Run(l.name+"/bare", func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(line)))
			for b.Loop() {
				if err := bareDecode(l.name, line); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// repeat is a stream of the same line.
type repeat struct {
	line []byte
	at   int
	left int
}

func (r *repeat) Read(b []byte) (n int, err error) {
	for n < len(b) && r.left > 0 {
		m := copy(b[n:], r.line[r.at:])
		n += m
		if r.at += m; r.at == len(r.line) {
			r.at = 0
			r.left--
		}
	}
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

// BenchmarkOther measures small updates of other kinds.
func BenchmarkOther(b *testing.B) {
	for name, body := range map[string]string{
		"plan":  `{"sessionUpdate":"plan","entries":[{"content":"Look","priority":"high","status":"in_progress"},{"content":"Do","priority":"low","status":"pending"}]}`,
		"usage": `{"sessionUpdate":"usage_update","used":1000,"size":200000}`,
	} {
		line := []byte(update(body) + "\n")
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(line)))
			c := NewClient(NewLines(&repeat{line: line, left: b.N}, io.Discard), &listener{onUpdate: func(*SessionNotification) {}}, ConnOptions{})
			<-c.Conn().Done()
		})
	}
}

// BenchmarkEncode is what a prompt costs.
func BenchmarkEncode(b *testing.B) {
	for _, size := range []int{100 << 10, 1 << 20} {
		b.Run(fmt.Sprintf("prompt_%dKB", size>>10), func(b *testing.B) {
			r := &PromptRequest{SessionID: "s", Prompt: List[ContentBlock]{TextBlock(string(bytes.Repeat([]byte("word "), size/5)))}}
			b.ReportAllocs()
			b.SetBytes(int64(size))
			for b.Loop() {
				if _, err := (outgoing{Method: SessionPrompt.Name, Params: r}).encode(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
