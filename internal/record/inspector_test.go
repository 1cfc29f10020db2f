package record_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"parley/internal/record"
)

// wire reads what passes line by line: "> " is parley's, "< " the agent's, "! " stderr.
// Each is 10 ms after the one before.
func wire(lines ...string) []record.Message {
	r := record.NewInspector(0)
	var out []record.Message
	for i, line := range lines {
		if line == "" {
			continue
		}
		e := record.Numbered{
			Number: uint64(i), Time: time.Unix(0, 0).Add(time.Duration(10*i) * time.Millisecond), Data: []byte(line[2:]),
			Kind: map[byte]record.EntryKind{'>': record.Sent, '<': record.Received, '!': record.Stderr}[line[0]],
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

// A line says what a message is, as a user would say it.
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
		fmt.Fprintf(&b, "%s | %s | %s | %s | failed %t | wrong %d\n", m.Kind, m.Label(), m.Summary, m.TookWords(), m.Failed, len(m.Wrong))
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
		"a bad value":         {[]string{hello, hi, prompt, `< {"jsonrpc":"2.0","id":1,"result":{"stopReason":"whim"}}`}, `result/stopReason: "whim" is not one of`},
		"two bad values":      {[]string{notified(`{"sessionUpdate":"tool_call","toolCallId":7}`)}, `params/update: "title" is missing; params/update/toolCallId: it is an integer, not a string`},
		"answered twice":      {[]string{hello, hi, prompt, end, end}, "message: it responds to 1, which is not an open request"},
		"no such method":      {[]string{`< {"jsonrpc":"2.0","id":1,"method":"made/up"}`}, "message: the schema has no such method in this direction"},
		"an extension":        {[]string{`< {"jsonrpc":"2.0","id":1,"method":"_made/up"}`}, ""},
		"proposed":            {[]string{hello, hi, `< {"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"sessionId":"s","mode":"form","message":"m","requestedSchema":{"type":"object","properties":{}}}}`}, ""},
		"not known":           {[]string{hello, hi, prompt, "", end}, ""},
		"its request is lost": {[]string{hello, hi, "", end}, ""},
		"joined later":        {[]string{end}, "message: it responds to 1"},
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

const (
	hiV2     = `< {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"capabilities":{"session":{}},"info":{"name":"a","version":"1"}}}`
	accepted = `< {"jsonrpc":"2.0","id":1,"result":{"messageId":"u1"}}`
)

// A connection of version 2 is held against that version's schema, and its requests and
// answers belong together.
func TestVersion2(t *testing.T) {
	lines := []string{
		hello2, hiV2, prompt, accepted,
		notified(`{"sessionUpdate":"user_message","messageId":"u1","content":[{"type":"text","text":"tidy up"}]}`),
		notified(`{"sessionUpdate":"state_update","state":"running"}`),
		notified(`{"sessionUpdate":"agent_message_chunk","messageId":"a1","content":{"type":"text","text":"Done."}}`),
		`< {"jsonrpc":"2.0","id":0,"method":"session/request_permission","params":{"sessionId":"s","title":"May I?","options":[{"optionId":"y","name":"Yes","kind":"allow_once"}]}}`,
		`> {"jsonrpc":"2.0","id":0,"result":{"outcome":{"outcome":"selected","optionId":"y"}}}`,
		notified(`{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}`),
		// What the first version has is wrong here.
		notified(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"No id."}}`),
		`< {"jsonrpc":"2.0","id":1,"method":"fs/read_text_file","params":{"sessionId":"s","path":"/a.txt"}}`,
		notified(`{"sessionUpdate":"state_update"}`),
	}
	all := wire(lines...)
	var b strings.Builder
	for _, m := range all[2:] {
		wrong := ""
		for _, v := range m.Wrong {
			wrong += " ✗ " + v.Part + v.Path + ": " + v.Reason
		}
		fmt.Fprintf(&b, "%s | %s%s\n", m.Label(), m.Summary, wrong)
	}
	want := `session/prompt | tidy up
answer to session/prompt | {"messageId":"u1"}
user_message | tidy up
state_update | running
agent_message_chunk | Done.
session/request_permission | May I?
answer to session/request_permission | selected y
state_update | idle · end_turn
agent_message_chunk | No id. ✗ params/update: "messageId" is missing
fs/read_text_file | /a.txt ✗ message: the schema has no such method in this direction
state_update | {"sessionUpdate":"state_update"} ✗ params/update: "state" is missing
`
	if b.String() != want {
		t.Errorf("got\n%swant\n%s", b.String(), want)
	}
	if all[3].Answers != 2 || all[8].Answers != 7 || all[3].Took == 0 {
		t.Errorf("answers %d and %d, after %v", all[3].Answers, all[8].Answers, all[3].Took)
	}
}

// The version is the one that the agent has answered with; where that is not known any more,
// it is the one that was said.
func TestTheVersionThatIsSpoken(t *testing.T) {
	idle := notified(`{"sessionUpdate":"state_update","state":"idle"}`)
	for name, tt := range map[string]struct {
		said  int
		lines []string
		want  int
		wrong bool // the last one
	}{
		"the first":        {0, []string{hello, hi}, 1, false},
		"the second":       {0, []string{hello2, hiV2, idle}, 2, false},
		"offered only":     {0, []string{hello2, hi, idle}, 1, true},
		"not yet answered": {2, []string{hello2}, 0, false},
		"said":             {2, []string{idle}, 2, false},
		"not said":         {0, []string{idle}, 0, true},
		"started again":    {2, []string{hello, hi, idle}, 1, true},
	} {
		t.Run(name, func(t *testing.T) {
			r := record.NewInspector(tt.said)
			var last record.Message
			for i, line := range tt.lines {
				kind := map[byte]record.EntryKind{'>': record.Sent, '<': record.Received}[line[0]]
				last = r.Take(record.Numbered{Number: uint64(i), Kind: kind, Data: []byte(line[2:])}, false)
			}
			if r.Version() != tt.want || (len(last.Wrong) > 0) != tt.wrong {
				t.Errorf("version %d, want %d; wrong is %v", r.Version(), tt.want, last.Wrong)
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
		r := record.NewInspector(0)
		kind := record.Received
		if sent {
			kind = record.Sent
		}
		m := r.Take(record.Numbered{Kind: kind, Data: line}, false)
		if m.Size != len(line) || len(m.Summary) > 300 || m.Label() == "" && m.Method != "" {
			t.Errorf("%+v", m)
		}
		record.PrettyJSON(line)
		record.MessageText(line)
	})
}

func BenchmarkReader(b *testing.B) {
	r := record.NewInspector(0)
	line := []byte(notified(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"some words "}}`)[2:])
	r.Take(record.Numbered{Kind: record.Received, Data: line}, false)
	b.ReportAllocs()
	for b.Loop() {
		r.Take(record.Numbered{Kind: record.Received, Data: line}, false)
	}
}
