package peer

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
)

func TestParseErrors(t *testing.T) {
	for _, tt := range []struct{ name, src, want string }{
		{"error inside repeat", "repeat 2\n  bytes 0g\nend", "s.txt:2: bytes: wants bytes in hex"},
		{"code", "reply-error oops x", `s.txt:1: reply-error: wants a whole number, not "x"`},
		{"message", `reply-error 1 "x`, `s.txt:1: reply-error: the JSON does not end`},
		{"text", "expect x contains ", `s.txt:1: expect: contains wants a text`},
		{"version", "speaks v3", `s.txt:1: speaks: wants v2`},
		{"acceptance", "accept gladly", `s.txt:1: accept: accept is unanswered, nameless, untold or unstated, not "gladly"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Parse("s.txt", tt.src)
			if err == nil || !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("got %v\nwant %s", err, tt.want)
			}
		})
	}
}

// exchange runs a script against lines that are all there from the start, and
// returns what the agent wrote.
func exchange(t *testing.T, src string, client ...string) (out, stderr string, code int) {
	t.Helper()
	s, err := Parse("s.txt", src)
	if err != nil {
		t.Fatal(err)
	}
	var o, e bytes.Buffer
	code = s.Run(t.Context(), strings.NewReader(strings.Join(client, "\n")+"\n"), &o, &e)
	return o.String(), e.String(), code
}

const (
	initialize = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}`
	newSession = `{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/w","mcpServers":[]}}`
	prompt     = `{"jsonrpc":"2.0","id":"p","method":"session/prompt","params":{"sessionId":"session-1","prompt":[{"type":"text","text":"say \"hi\""}]}}`
	cancel     = `{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"session-1"}}`
)

func TestSteps(t *testing.T) {
	for _, tt := range []struct {
		name, src string
		client    []string
		want      string
	}{
		{
			"variables", `
				handshake {"loadSession":true} {"modes":null}
				expect session/prompt as p
				say ${p.params.prompt.0.text} <in> ${cwd}
				think "a\n${n:0}${ab:3}"
				update {"sessionUpdate":"x","y":"${p.params.prompt.0.text}","z":${p.params.prompt}}
				reply p {"stopReason":"refusal"}`,
			[]string{initialize, newSession, prompt},
			`{"jsonrpc":"2.0","id":0,"result":{"agentCapabilities":{"loadSession":true},"agentInfo":{"name":"parley-script","title":"Scripted agent","version":"1"},"authMethods":[],"protocolVersion":1}}
{"jsonrpc":"2.0","id":1,"result":{"modes":null,"sessionId":"session-1"}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"session-1","update":{"content":{"text":"say \"hi\" <in> /w","type":"text"},"sessionUpdate":"agent_message_chunk"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"session-1","update":{"content":{"text":"a\nababab","type":"text"},"sessionUpdate":"agent_thought_chunk"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"session-1","update":{"sessionUpdate":"x","y":"say \"hi\"","z":[{"type":"text","text":"say \"hi\""}]}}}
{"jsonrpc":"2.0","id":"p","result":{"stopReason":"refusal"}}
`,
		},
		{
			"verbatim", "raw noise ${x:3}\nbytes 7b2268616c66223a ff 0d0a\nraw  spaced ",
			nil, "noise xxx\n{\"half\":\xff\r\n spaced \n",
		},
		{
			"nested repeats", "repeat 2\nraw a${n}\nrepeat 2\n  raw b${n}\nend\nraw c${n}\nend",
			nil, "a1\nb1\nb2\nc1\na2\nb1\nb2\nc2\n",
		},
		{
			"if and else", "expect go as go\nif go.method is go\nraw yes\nelse\nraw no\nend\nif go.method is off\nraw yes\nelse\nraw no\nend\nif !gone\nraw not\nend\nif go\nraw set\nend",
			[]string{`{"method":"go"}`},
			"yes\nno\nnot\nset\n",
		},
		{
			"requests count from 0, or as told", `
				request fs/read_text_file {
				  "path": "/a"
				} as read
				request x/y {} id "s-1"
				notify _z
				notify _z [1]
				await read contains "content":"c"
				cancel read
				raw ${read.result.content}`,
			[]string{`{"jsonrpc":"2.0","id":0,"result":{"content":"c"}}`},
			`{"jsonrpc":"2.0","id":0,"method":"fs/read_text_file","params":{"path":"/a"}}
{"jsonrpc":"2.0","id":"s-1","method":"x/y","params":{}}
{"jsonrpc":"2.0","method":"_z"}
{"jsonrpc":"2.0","method":"_z","params":[1]}
{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":0}}
c
`,
		},
		{
			"errors and second answers", `
				expect session/prompt as p
				reply-error -32000 Please sign in
				reply-error p 400 "no" {"details":"${p.id}"}
				end-turn max_tokens`,
			[]string{prompt},
			`{"jsonrpc":"2.0","id":"p","error":{"code":-32000,"message":"Please sign in"}}
{"jsonrpc":"2.0","id":"p","error":{"code":400,"message":"no","data":{"details":"p"}}}
{"jsonrpc":"2.0","id":"p","result":{"stopReason":"max_tokens"}}
`,
		},
		{
			"out of order", `
				expect session/set_mode
				reply
				expect session/prompt|session/new
				end-turn`,
			[]string{prompt, `{"jsonrpc":"2.0","id":7,"method":"session/set_mode","params":{}}`},
			"{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{}}\n{\"jsonrpc\":\"2.0\",\"id\":\"p\",\"result\":{\"stopReason\":\"end_turn\"}}\n",
		},
		{
			"served to the end", "",
			[]string{
				newSession, prompt, `not JSON`,
				`{"jsonrpc":"2.0","id":2,"method":"session/set_config_option","params":{}}`,
				`{"jsonrpc":"2.0","id":3,"method":"other"}`,
				`{"jsonrpc":"2.0","method":"other"}`,
				`{"jsonrpc":"2.0","id":4,"method":"session/list"}`,
			},
			`{"jsonrpc":"2.0","id":1,"result":{"sessionId":"session-1"}}
{"jsonrpc":"2.0","id":"p","result":{"stopReason":"end_turn"}}
{"jsonrpc":"2.0","id":2,"result":{"configOptions":[]}}
{"jsonrpc":"2.0","id":3,"error":{"code":-32601,"message":"Method not found"}}
{"jsonrpc":"2.0","id":4,"result":{"sessions":[]}}
`,
		},
		{
			"a cancel ends the open prompt", "expect session/prompt\nserve",
			[]string{prompt, cancel},
			`{"jsonrpc":"2.0","id":"p","result":{"stopReason":"cancelled"}}` + "\n",
		},
		{
			"an answered prompt is not cancelled", "expect session/prompt\nwait-cancel\nend-turn cancelled",
			[]string{prompt, cancel, cancel},
			`{"jsonrpc":"2.0","id":"p","result":{"stopReason":"cancelled"}}` + "\n",
		},
		{
			"options are kept whole", `
				handshake {} {"configOptions":[{"id":"a","currentValue":"x"},{"id":"b","currentValue":true}]}`,
			[]string{initialize, newSession, `{"jsonrpc":"2.0","id":2,"method":"session/set_config_option","params":{"configId":"b","value":false}}`},
			`{"jsonrpc":"2.0","id":0,"result":{"agentCapabilities":{},"agentInfo":{"name":"parley-script","title":"Scripted agent","version":"1"},"authMethods":[],"protocolVersion":1}}
{"jsonrpc":"2.0","id":1,"result":{"configOptions":[{"id":"a","currentValue":"x"},{"id":"b","currentValue":true}],"sessionId":"session-1"}}
{"jsonrpc":"2.0","id":2,"result":{"configOptions":[{"currentValue":"x","id":"a"},{"currentValue":false,"id":"b"}]}}
`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			out, stderr, code := exchange(t, tt.src, tt.client...)
			if out != tt.want || code != exitDone {
				t.Errorf("code %d, stderr %s\ngot\n%s\nwant\n%s", code, stderr, out, tt.want)
			}
		})
	}
}

// What waited when the steps had ended is answered before what comes then: answers that
// overtake each other would be a fault that no script has asked for.
func TestAnswersKeepTheOrderOfTheRequests(t *testing.T) {
	for name, src := range map[string]string{"to the end": "expect go", "some methods": "expect go\nserve session/list\nexpect stop"} {
		t.Run(name, func(t *testing.T) {
			var client []string
			var want strings.Builder
			for id := range 600 {
				if id == 300 {
					client = append(client, `{"jsonrpc":"2.0","method":"go"}`)
				}
				client = append(client, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"session/list"}`, id))
				fmt.Fprintf(&want, `{"jsonrpc":"2.0","id":%d,"result":{"sessions":[]}}`+"\n", id)
			}
			out, stderr, code := exchange(t, src, append(client, `{"jsonrpc":"2.0","method":"stop"}`)...)
			if out != want.String() || code != exitDone {
				t.Errorf("code %d, stderr %s, the answers are in another order than the requests", code, stderr)
			}
		})
	}
}

func TestFailures(t *testing.T) {
	for _, tt := range []struct {
		name, src, want string
		client          []string
		code            int
	}{
		{"stdin ends", "\nexpect session/prompt", "s.txt:2: expect: waiting for session/prompt: stdin has ended\n", nil, exitFailed},
		{"other text", "expect session/cancel contains nobody", "s.txt:1: expect: wanted nobody in " + cancel + "\n", []string{cancel}, exitFailed},
		{"inside a repeat", "repeat 2\nraw ${who}\nend", "s.txt:2: raw: ${who}: nothing is called \"who\"\n", nil, exitFailed},
		{"nothing to reply to", "reply {}", "s.txt:1: reply: no request has been expected yet\n", nil, exitFailed},
		{"nothing by that name", "reply who {}", "s.txt:1: reply: no request was expected as \"who\"\n", nil, exitFailed},
		{"no such request", "await who", "s.txt:1: await: no request is called \"who\"\n", nil, exitFailed},
		{"JSON broken by a variable", "expect session/cancel as c\nupdate {\"a\":1${c.method}}", "s.txt:2: update: is not JSON after expanding variables", []string{cancel}, exitFailed},
		{"exit", "stderr out of ${x:2}\nexit 9\nraw never", "out of xx\n", nil, 9},
		{"serve ends the script", "serve\nexit 9", "", nil, exitDone},
		{"a child needs a file", "spawn-child", "s.txt:1: spawn-child: a child can hold a file open only", nil, exitFailed},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, stderr, code := exchange(t, tt.src, tt.client...)
			if code != tt.code || !strings.HasPrefix(stderr, tt.want) {
				t.Errorf("code %d, stderr %q\nwant %d, %q", code, stderr, tt.code, tt.want)
			}
		})
	}
}

func TestContextEndsTheRun(t *testing.T) {
	for _, src := range []string{"hang", "sleep 1h", "expect x", "serve"} {
		t.Run(src, func(t *testing.T) {
			s, err := Parse("s.txt", "raw up\n"+src)
			if err != nil {
				t.Fatal(err)
			}
			ctx, stop := context.WithCancel(t.Context())
			inR, inW := io.Pipe()
			outR, outW := io.Pipe()
			done := make(chan int)
			go func() { done <- s.Run(ctx, inR, outW, io.Discard) }()
			if line, err := bufio.NewReader(outR).ReadString('\n'); line != "up\n" {
				t.Errorf("got %q, %v", line, err)
			}
			stop()
			if code := <-done; code != exitFailed {
				t.Errorf("code %d", code)
			}
			_ = inW.Close() // ends the read that is under way
		})
	}
}

func TestStopReading(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, err := Parse("s.txt", "stop-reading\nstderr It has stopped.\nsleep 1m\nresume-reading\nexpect third\nexit 7")
		if err != nil {
			t.Fatal(err)
		}
		inR, inW := io.Pipe()
		stopped, said := io.Pipe()
		var written atomic.Int32
		go func() {
			_, _ = stopped.Read(make([]byte, 1)) // what was written sooner would be read
			go func() { _, _ = io.Copy(io.Discard, stopped) }()
			for _, method := range []string{"first", "second", "third"} {
				if _, err := io.WriteString(inW, `{"method":"`+method+`"}`+"\n"); err == nil {
					written.Add(1)
				}
			}
		}()
		code := make(chan int, 1)
		go func() { code <- s.Run(t.Context(), inR, io.Discard, said) }()
		synctest.Wait()
		if n := written.Load(); n > 1 { // one read may have been under way
			t.Errorf("%d lines were read", n)
		}
		got := <-code
		synctest.Wait() // what was read last is told of as written a moment later
		if got != 7 || written.Load() != 3 {
			t.Errorf("code %d, %d lines written", got, written.Load())
		}
		_ = inR.Close()
		_ = said.Close()
	})
}
