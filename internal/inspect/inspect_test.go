package inspect_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"parley/internal/inspect"
	"parley/internal/recording"
)

// wire reads what passes line by line: "> " is parley's, "< " the agent's, "! " stderr.
// Each is 10 ms after the one before.
func wire(lines ...string) []inspect.Message {
	r := inspect.NewReader()
	var out []inspect.Message
	for i, line := range lines {
		if line == "" {
			continue
		}
		e := recording.Numbered{
			Number: uint64(i), Time: time.Unix(0, 0).Add(time.Duration(10*i) * time.Millisecond), Data: []byte(line[2:]),
			Kind: map[byte]recording.Kind{'>': recording.Sent, '<': recording.Received, '!': recording.Stderr}[line[0]],
		}
		out = append(out, r.Take(e, i > 0 && lines[i-1] == ""))
	}
	return out
}

func notified(update string) string {
	return `< {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":` + update + `}}`
}

const (
	hello  = `> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}`
	hello2 = `> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2}}`
	hi     = `< {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1}}`
	prompt = `> {"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"tidy up"}]}}`
	end    = `< {"jsonrpc":"2.0","id":1,"result":{"stopReason":"end_turn"}}`
)

// A line says what a message is, as a person would say it.
func TestMessages(t *testing.T) {
	got := wire(
		hello, hi, prompt,
		notified(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Hello\nthere"}}`),
		notified(`{"sessionUpdate":"tool_call","toolCallId":"t","title":"Read a.txt","status":"pending"}`),
		`< {"jsonrpc":"2.0","id":"a","method":"fs/read_text_file","params":{"sessionId":"s","path":"/a.txt"}}`,
		`> {"jsonrpc":"2.0","id":"a","error":{"code":-32002,"message":"Resource not found: /a.txt"}}`,
		"! warming up\n", "< Debugger attached",
		end,
	)
	var b strings.Builder
	for _, m := range got {
		fmt.Fprintf(&b, "%s | %s | %s | %s | failed %t | wrong %d\n", m.Kind, m.Label(), m.Gist, m.TookWords(), m.Failed, len(m.Wrong))
	}
	want := `request | initialize | {"protocolVersion":1} |  | failed false | wrong 0
answer | answer to initialize | {"protocolVersion":1} | 10 ms | failed false | wrong 0
request | session/prompt | tidy up |  | failed false | wrong 0
notification | agent_message_chunk | Hello there |  | failed false | wrong 0
notification | tool_call | Read a.txt · pending |  | failed false | wrong 0
request | fs/read_text_file | /a.txt |  | failed false | wrong 0
answer | answer to fs/read_text_file | -32002 Resource not found: /a.txt | 10 ms | failed true | wrong 0
stderr | stderr | warming up |  | failed false | wrong 0
noise | noise | Debugger attached |  | failed false | wrong 0
answer | answer to session/prompt | end_turn | 70 ms | failed false | wrong 0
`
	if b.String() != want {
		t.Errorf("got\n%swant\n%s", b.String(), want)
	}
	if got[9].Answers != 2 || !got[0].Sent || got[1].Sent {
		t.Errorf("%+v", got[9])
	}
}

// What breaks the schema is told, and nothing else.
func TestWhatIsWrong(t *testing.T) {
	for name, tt := range map[string]struct {
		lines []string
		wrong string // of the last one, "" for nothing
	}{
		"a bad value":         {[]string{hello, hi, prompt, `< {"jsonrpc":"2.0","id":1,"result":{"stopReason":"whim"}}`}, `result/stopReason: "whim" is none of`},
		"two bad values":      {[]string{notified(`{"sessionUpdate":"tool_call","toolCallId":7}`)}, `params/update: "title" is missing; params/update/toolCallId: it is an integer, not a string`},
		"answered twice":      {[]string{hello, hi, prompt, end, end}, "message: it answers 1, which is no open request"},
		"no such method":      {[]string{`< {"jsonrpc":"2.0","id":1,"method":"made/up"}`}, "message: the schema has no such method on that side"},
		"an extension":        {[]string{`< {"jsonrpc":"2.0","id":1,"method":"_made/up"}`}, ""},
		"proposed":            {[]string{hello, hi, `< {"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"sessionId":"s","mode":"form","message":"m","requestedSchema":{"type":"object","properties":{}}}}`}, ""},
		"not known":           {[]string{hello, hi, prompt, "", end}, ""},
		"its request is lost": {[]string{hello, hi, "", end}, ""},
		"joined later":        {[]string{end}, "message: it answers 1"},
		"started again":       {[]string{hello, hi, prompt, hello, hi, prompt}, ""},
		"the second version":  {[]string{hello2, `< {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"capabilities":{},"info":{"name":"a","version":"1"}}}`}, ""},
		"noise":               {[]string{hello, "< noise"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			all := wire(tt.lines...)
			var words []string
			for _, v := range all[len(all)-1].Wrong {
				words = append(words, v.Part+v.Path+": "+v.Reason)
			}
			got := strings.Join(words, "; ")
			if tt.wrong == "" && got != "" || !strings.Contains(got, tt.wrong) {
				t.Errorf("wrong is %q, want %q", got, tt.wrong)
			}
		})
	}
}

// Runs are of what says more of the same.
func TestRuns(t *testing.T) {
	chunk := notified(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"a"}}`)
	thought := notified(`{"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":"a"}}`)
	bad := notified(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text"}}`)
	all := wire(chunk, chunk, thought, bad, bad, "! a", "! b", prompt, prompt)
	var got []bool
	for i := range all[1:] {
		got = append(got, all[i+1].Foldable(&all[i]))
	}
	if want := "[true false false false false true false false]"; fmt.Sprint(got) != want {
		t.Errorf("%v, want %s", got, want)
	}
}

// Whatever an agent says, there is a message.
func FuzzReader(f *testing.F) {
	for _, line := range []string{hello[2:], prompt[2:], end[2:], `{"params":{"update":[]},"method":"x"}`, "{", `{"id":null,"error":7}`} {
		f.Add([]byte(line), true)
	}
	f.Fuzz(func(t *testing.T, line []byte, sent bool) {
		r := inspect.NewReader()
		kind := recording.Received
		if sent {
			kind = recording.Sent
		}
		m := r.Take(recording.Numbered{Kind: kind, Data: line}, false)
		if m.Size != len(line) || len(m.Gist) > 300 || m.Label() == "" && m.Method != "" {
			t.Errorf("%+v", m)
		}
		inspect.Pretty(line)
		inspect.TextOf(line)
	})
}

func BenchmarkReader(b *testing.B) {
	r := inspect.NewReader()
	line := []byte(notified(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"some words "}}`)[2:])
	r.Take(recording.Numbered{Kind: recording.Received, Data: line}, false)
	b.ReportAllocs()
	for b.Loop() {
		r.Take(recording.Numbered{Kind: recording.Received, Data: line}, false)
	}
}
