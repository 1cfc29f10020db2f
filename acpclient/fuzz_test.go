package acpclient

import (
	"bufio"
	"bytes"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// seeds are lines as agents write them.
var seeds = []string{
	chunk("Hello, world"),
	update(`{"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":"…"},"messageId":"m1"}`),
	update(`{"sessionUpdate":"tool_call","toolCallId":"call_1","title":"Edit main.go","kind":"edit","status":"pending","locations":[{"path":"/p/main.go","line":3}],"rawInput":{"path":"/p/main.go"}}`),
	update(`{"sessionUpdate":"tool_call_update","toolCallId":"call_1","status":"completed","content":[{"type":"diff","path":"/p/main.go","oldText":"a","newText":"b"}],"_meta":{"claudeCode":{"toolName":"Edit"}}}`),
	update(`{"sessionUpdate":"tool_call","toolCallId":"t","title":"T","content":[{"type":"content","content":[{"type":"text","text":"a"}]},{"type":"text","text":"b"},{"type":"terminal","terminalId":"x"}]}`),
	update(`{"sessionUpdate":"plan","entries":[{"content":"Look","priority":"high","status":"in_progress"}]}`),
	update(`{"sessionUpdate":"available_commands_update","availableCommands":[{"name":"web","description":"Search","input":{"hint":"query"}}]}`),
	update(`{"sessionUpdate":"current_mode_update","modeId":"ask"}`),
	update(`{"sessionUpdate":"config_option_update","configOptions":[{"id":"m","name":"M","type":"select","currentValue":"a","options":[{"group":"g","name":"G","options":[{"value":"a","name":"A"}]}]},{"id":"b","name":"B","type":"boolean","currentValue":true}]}`),
	update(`{"sessionUpdate":"session_info_update","title":null,"updatedAt":"2026-01-01T00:00:00Z"}`),
	update(`{"sessionUpdate":"usage_update","used":1e3,"size":200000,"cost":{"amount":0.1,"currency":"USD"}}`),
	update(`{"sessionUpdate":"compaction_update","compactionId":"c","status":"completed","summary":["text"]}`),
	update(`{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"p","content":"# x"}}`),
	`{"jsonrpc":"2.0","id":0,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"call_1"},"options":[{"optionId":"y","name":"Yes","kind":"allow_always"}]}}`,
	`{"jsonrpc":"2.0","id":"a","method":"elicitation/create","params":{"mode":"form","message":"?","sessionId":"s","requestedSchema":{"type":"object","properties":{"n":{"type":"integer","default":1.5},"m":{"type":"array","items":{"anyOf":[{"const":"a","title":"A"}]}},"x":{"type":"odd"}},"required":["n"]}}}`,
	`{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1,"agentCapabilities":{"loadSession":true,"sessionCapabilities":{"list":{}}},"authMethods":[{"id":"t","name":"T","type":"terminal","args":["login"]}]}}`,
	`{"jsonrpc":"2.0","id":2,"result":null}`,
	`{"jsonrpc":"2.0","id":"3","error":{"code":"-32000","message":"Authentication required","data":{"details":"log in"}}}`,
	`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":0}}`,
	`[INFO] agent 1.2 {"jsonrpc":"2.0","method":"x"} tail`,
	"[" + chunk("a") + "," + chunk("b") + "]",
	chunk("cut")[:40] + chunk("whole"),
	`{"jsonrpc":{"jsonrpc":{"jsonrpc":`,
}

// However a stream is cut into reads, its lines are those that bytes.Split
// finds, but for those over the bound.
func FuzzFraming(f *testing.F) {
	f.Add([]byte(strings.Join(seeds, "\r\n")), uint8(7), uint16(200))
	f.Add([]byte("\n\r\n\r\r\n\n\x00"), uint8(1), uint16(2))
	f.Add(bytes.Repeat([]byte("x"), 100), uint8(40), uint16(90))
	f.Fuzz(func(t *testing.T, stream []byte, cut uint8, bound uint16) {
		limit := int(bound) + 1
		var want [][]byte
		for line := range bytes.SplitAfterSeq(stream, []byte("\n")) {
			if len(line) > 0 && len(line) <= limit {
				want = append(want, trimEnd(line))
			}
		}
		var got [][]byte
		l := NewLines(nil, io.Discard)
		l.MaxLine = limit
		l.r = bufio.NewReaderSize(&shortReads{stream, int(cut) + 1}, 16) // most lines are long for it
		for {
			line, err := l.Read()
			if err == io.EOF {
				break
			}
			if err == nil {
				got = append(got, bytes.Clone(line))
			}
		}
		if !slices.EqualFunc(got, want, bytes.Equal) {
			t.Errorf("%d lines, want %d", len(got), len(want))
		}
	})
}

// shortReads hands out at most n bytes at a time.
type shortReads struct {
	b []byte
	n int
}

func (s *shortReads) Read(b []byte) (int, error) {
	n := copy(b[:min(len(b), s.n)], s.b)
	if s.b = s.b[n:]; n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

// Any stream is read to its end, through everything that a client does with it,
// and a message behind it is heard.
func FuzzStream(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Add([]byte(strings.Join(seeds, "\n")))
	for _, lines := range transcripts(f) {
		var stream []byte
		for _, line := range lines {
			if line.From == "agent" {
				stream = append(append(stream, line.Message...), '\n')
			}
		}
		f.Add(stream)
	}
	f.Fuzz(func(t *testing.T, stream []byte) {
		if len(stream) > 1<<20 {
			t.Skip("long lines have a test of their own")
		}
		last := chunk("the last message of the stream")
		h := hear(t, string(stream)+"\n"+last, 0)
		if n := len(h.updates); n == 0 || !slices.Contains(h.texts(), "the last message of the stream") {
			t.Errorf("the last message was not heard; %d were", n)
		}
	})
}

// Any JSON is decoded into any type, or refused; what is decoded can be encoded
// and decoded again.
func FuzzUnmarshal(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s))
		if at := strings.Index(s, `"params":`); at >= 0 {
			f.Add([]byte(s[at+len(`"params":`) : len(s)-1]))
		}
	}
	types := slices.Collect(func(yield func(reflect.Type) bool) {
		for _, t := range messageTypes(slices.Concat(typedMethods, unstableMethods)...) {
			if !yield(t) {
				return
			}
		}
		yield(reflect.TypeFor[Error]())
	})
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, typ := range types {
			v := reflect.New(typ).Interface()
			if Unmarshal(data, v) != nil {
				continue
			}
			again, err := Marshal(v)
			if err != nil {
				continue // a variant that lacks what it needs
			}
			if err := Unmarshal(again, reflect.New(typ).Interface()); err != nil {
				t.Errorf("%v from %q, encoded as %s: %v", typ, data, again, err)
			}
		}
	})
}
