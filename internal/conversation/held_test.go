package conversation_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/test"
)

// heapOf is how many bytes are in use.
func heapOf() int {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// However much an agent sends of whatever kind, a session holds no more of it than its
// bound, and names what it left out. The latest is whole.
func TestWhatASessionHoldsIsBounded(t *testing.T) {
	const held = 1 << 20
	conversation.HoldMost(t, held)
	const pieces, most = 50, 3 * held // of a State and a Conversation
	text := strings.Repeat("x", held/8)
	up := func(format string) func(int) []conversation.Event {
		return func(i int) []conversation.Event {
			e := test.Up(t, strings.ReplaceAll(format, "N", fmt.Sprint(i))).(conversation.Update)
			e.Raw = nil
			fill(reflect.ValueOf(e.Update), text)
			return []conversation.Event{e}
		}
	}
	for name, flood := range map[string]func(i int) []conversation.Event{
		"images":          up(`{"sessionUpdate":"agent_message_chunk","content":{"type":"image","mimeType":"image/png","data":"TEXT"}}`),
		"images in turns": up(`{"sessionUpdate":"agent_message_chunk","messageId":"N","content":{"type":"image","mimeType":"image/png","data":"TEXT"}}`),
		"blobs":           up(`{"sessionUpdate":"agent_message_chunk","content":{"type":"resource","resource":{"uri":"file:///a","blob":"TEXT"}}}`),
		"embedded text":   up(`{"sessionUpdate":"agent_message_chunk","content":{"type":"resource","resource":{"uri":"file:///a","text":"TEXT"}}}`),
		"messages": func(i int) []conversation.Event {
			return []conversation.Event{conversation.Text{Chunk: acpclient.AgentMessageChunk, MessageID: acpclient.MessageID(fmt.Sprint(i)), Text: strings.Clone(text)}}
		},
		"one message": func(int) []conversation.Event {
			return []conversation.Event{conversation.Text{Chunk: acpclient.AgentMessageChunk, Text: text}}
		},
		"whole messages":   up(`{"sessionUpdate":"agent_message","messageId":"N","content":[{"type":"text","text":"TEXT"}]}`),
		"of the user":      up(`{"sessionUpdate":"user_message_chunk","messageId":"N","content":{"type":"image","mimeType":"image/png","data":"TEXT"}}`),
		"calls":            up(`{"sessionUpdate":"tool_call","toolCallId":"N","title":"T","status":"completed","content":[{"type":"content","content":{"type":"text","text":"TEXT"}}]}`),
		"images of calls":  up(`{"sessionUpdate":"tool_call","toolCallId":"N","title":"T","content":[{"type":"content","content":{"type":"image","mimeType":"image/png","data":"TEXT"}}]}`),
		"diffs":            up(`{"sessionUpdate":"tool_call","toolCallId":"N","title":"T","content":[{"type":"diff","path":"/a","oldText":"","newText":"TEXT"}]}`),
		"inputs":           up(`{"sessionUpdate":"tool_call","toolCallId":"N","title":"T","rawInput":{"a":"TEXT"}}`),
		"outputs":          up(`{"sessionUpdate":"tool_call","toolCallId":"N","title":"T","rawOutput":{"a":"TEXT"}}`),
		"titles":           up(`{"sessionUpdate":"tool_call","toolCallId":"N","title":"TEXT","status":"completed"}`),
		"paths":            up(`{"sessionUpdate":"tool_call","toolCallId":"N","title":"T","status":"completed","locations":[{"path":"TEXT"}]}`),
		"tasks":            up(`{"sessionUpdate":"tool_call","toolCallId":"N","title":"T","status":"completed","rawInput":{"todos":[{"content":"QUARTER"}]}}`),
		"pieces of a call": up(`{"sessionUpdate":"tool_call_content_chunk","toolCallId":"1","content":{"type":"content","content":{"type":"image","data":"TEXT","mimeType":"image/png"}}}`),
		"unknown content":  up(`{"sessionUpdate":"tool_call","toolCallId":"N","title":"T","content":[{"type":"odd","is":"TEXT"}]}`),
		"unknown updates":  up(`{"sessionUpdate":"odd","is":"TEXT"}`),
		"plans":            up(`{"sessionUpdate":"plan_update","plan":{"planId":"N","type":"markdown","content":"TEXT"}}`),
		"entries":          up(`{"sessionUpdate":"plan_update","plan":{"planId":"N","type":"items","entries":[{"content":"TEXT","status":"pending","priority":"low"}]}}`),
		"notices":          up(`{"sessionUpdate":"notice","severity":"info","title":"T","description":"TEXT"}`),
		"questions": func(i int) []conversation.Event {
			return []conversation.Event{
				test.Permission(i, fmt.Sprintf(`{"toolCallId":"1","title":"T","content":[{"type":"content","content":{"type":"text","text":"%d%s"}}]}`, i, text)),
				conversation.QuestionClosed{ID: i, Outcome: acpclient.PermissionSelected("y")},
			}
		},
		"questions of parley": func(i int) []conversation.Event {
			r := conversation.FileRequest(&conversation.FileQuestion{Path: "/a", Target: "/a", Write: true}, nil, fmt.Sprint(i)+text)
			return []conversation.Event{
				conversation.PermissionOpened{ID: i, Request: r, File: &conversation.FileQuestion{Path: "/a"}},
				conversation.QuestionClosed{ID: i, Outcome: acpclient.PermissionSelected("once")},
			}
		},
		"forms": func(i int) []conversation.Event {
			return []conversation.Event{
				conversation.ElicitationOpened{ID: i, Request: &acpclient.CreateElicitationRequest{Message: fmt.Sprint(i) + text}},
				conversation.QuestionClosed{ID: i, Action: acpclient.ElicitAccept},
			}
		},
	} {
		if grown := grows(pieces, flood); grown > most {
			t.Errorf("%s: %d MB are held", name, grown>>20)
		}
	}
}

// Pieces that are small stay only as long as there are not too many of them. What has no end stays.
func TestManySmallPiecesAreBounded(t *testing.T) {
	const held, size, many = 1 << 20, 900, 5000
	conversation.HoldMost(t, held)
	text := strings.Repeat("x", size)
	for name, piece := range map[string]string{
		"calls":    `{"sessionUpdate":"tool_call","toolCallId":"N","title":"T N","status":"completed","content":[{"type":"content","content":{"type":"text","text":"TEXT"}}]}`,
		"inputs":   `{"sessionUpdate":"tool_call","toolCallId":"N","title":"T N","status":"completed","rawInput":{"command":"TEXT"}}`,
		"outputs":  `{"sessionUpdate":"tool_call","toolCallId":"N","title":"T N","status":"failed","rawOutput":{"output":"TEXT"}}`,
		"open":     `{"sessionUpdate":"tool_call","toolCallId":"N","title":"T N","status":"pending","rawInput":{"command":"TEXT"}}`,
		"messages": `{"sessionUpdate":"agent_message_chunk","messageId":"N","content":{"type":"text","text":"TEXT"},"_meta":{"a":1}}`,
		"notices":  `{"sessionUpdate":"notice","severity":"info","title":"T N","description":"TEXT"}`,
	} {
		c := conversation.New()
		c.Apply(test.Sent("x"))
		c.Apply(test.Up(t, `{"sessionUpdate":"tool_call","toolCallId":"runs","title":"T","status":"in_progress","rawInput":{"command":"`+text+`"}}`))
		for i := range many {
			c.Apply(test.Up(t, strings.NewReplacer("N", fmt.Sprint(i), "TEXT", text).Replace(piece)))
		}
		kept := 0
		for _, item := range c.Items {
			kept += strings.Count(textIn(item), text)
		}
		if kept*size > held*3/2 || kept*size < held/2 && name != "calls" {
			t.Errorf("%s: %d KB of text are kept", name, kept*size>>10)
		}
		if last := textIn(c.Items[len(c.Items)-1]); !strings.Contains(last, text) {
			t.Errorf("%s: the latest is %q", name, last)
		}
		if runs := textIn(c.Items[1]); name != "open" && !strings.Contains(runs, text) {
			t.Errorf("%s: what the running call does is left out: %q", name, runs)
		}
		if title := fmt.Sprint(many / 2); name == "calls" && c.Items[2+many/2].(*conversation.ToolCall).Title != "T "+title {
			t.Errorf("the title of call %s is left out", title)
		}
	}
}

// Of very many calls only the latest that have ended are known, so a session is as large as they
// are; the transcript still names the others. A call that runs is known however old it is.
func TestOldCallsAreForgotten(t *testing.T) {
	const many, most = 50_000, 20_000
	c := conversation.New()
	c.Apply(test.Sent("x"))
	c.Apply(test.Up(t, `{"sessionUpdate":"tool_call","toolCallId":"runs","title":"T","status":"in_progress","content":[{"type":"content","content":{"type":"text","text":"so far"}}]}`))
	for i := range many {
		c.Apply(test.Up(t, fmt.Sprintf(`{"sessionUpdate":"tool_call","toolCallId":"c%d","title":"T %d","status":"completed","content":[{"type":"content","content":{"type":"text","text":"done"}}]}`, i, i)))
	}
	known := 0
	for i := range many {
		if c.Tool(acpclient.ToolCallID(fmt.Sprint("c", i))) != nil {
			known++
		}
	}
	if known > most || known < most/2 || c.Tool(acpclient.ToolCallID(fmt.Sprint("c", many-1))) == nil {
		t.Errorf("%d calls are known", known)
	}
	first := c.Items[2].(*conversation.ToolCall)
	if first.Title != "T 0" || first.Running() || len(c.Items) != many+2 {
		t.Errorf("%d items, the first call is %q", len(c.Items), first.Title)
	}
	if text := textIn(first); strings.Contains(text, "done") {
		t.Errorf("the content of the oldest call is kept: %q", text)
	}
	c.Apply(test.Up(t, `{"sessionUpdate":"tool_call_update","toolCallId":"runs","status":"completed"}`))
	if runs := c.Items[1].(*conversation.ToolCall); runs.Status != acpclient.ToolCompleted || textIn(runs) != "so far" || len(c.Items) != many+2 {
		t.Errorf("the running call is forgotten: %s, %q", runs.Status, textIn(runs))
	}
}

// textIn returns the content of an item.
func textIn(i conversation.Item) string {
	switch i := i.(type) {
	case *conversation.Message:
		return i.Parts.Plain()
	case *conversation.ToolCall:
		text := string(i.RawInput) + string(i.RawOutput)
		for _, c := range i.Content {
			text += c.Content.Text
		}
		return text
	case *conversation.Note:
		return i.Detail
	}
	return ""
}

// grows returns by how many bytes the heap grows while a session takes the events of a flood.
func grows(pieces int, flood func(i int) []conversation.Event) int {
	before := heapOf()
	state, c := conversation.NewState(), conversation.New() // as a session and a front end have them
	for _, start := range []conversation.Event{conversation.SessionOpened{ID: "s"}, test.Sent("x")} {
		state.Apply(start)
		c.Apply(start)
	}
	for i := 1; i <= pieces; i++ {
		for _, e := range flood(i) {
			state.Apply(e)
			c.Apply(e)
		}
	}
	grown := heapOf() - before
	runtime.KeepAlive(state)
	runtime.KeepAlive(c)
	return grown
}

// fill puts a text in the place of TEXT, everywhere.
func fill(v reflect.Value, text string) {
	switch v.Kind() {
	case reflect.String:
		if v.String() == "TEXT" {
			v.SetString(strings.Clone(text)) // as it is decoded
		}
	case reflect.Pointer, reflect.Interface:
		fill(v.Elem(), text)
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), text)
		}
	case reflect.Slice:
		if raw, ok := v.Interface().(json.RawMessage); ok {
			raw = bytes.ReplaceAll(raw, []byte("QUARTER"), []byte(text[:len(text)/4]))
			v.SetBytes(bytes.ReplaceAll(raw, []byte("TEXT"), []byte(text)))
			return
		}
		for i := range v.Len() {
			fill(v.Index(i), text)
		}
	}
}

// folded folds much: comparing as fold does takes too long for that.
func folded(t *testing.T, events ...any) *conversation.Conversation {
	t.Helper()
	c := conversation.New()
	for _, e := range events {
		if update, ok := e.(string); ok {
			e = test.Up(t, update)
		}
		c.Apply(e.(conversation.Event))
	}
	return c
}

// What is left out is named where it stood, and what came last is whole.
func TestWhatIsLeftOutIsNamed(t *testing.T) {
	data := strings.Repeat("x", 20<<20)
	c := folded(t, test.Sent("x"),
		`{"sessionUpdate":"agent_message_chunk","content":{"type":"resource","resource":{"uri":"file:///a","text":"`+data+`"}}}`,
		`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"so"}}`,
		`{"sessionUpdate":"agent_message_chunk","content":{"type":"resource","resource":{"uri":"file:///a","text":"`+data+`"}}}`,
		`{"sessionUpdate":"tool_call","toolCallId":"1","title":"T","status":"completed","content":[{"type":"diff","path":"/a","oldText":"","newText":"`+data+`"}]}`,
		`{"sessionUpdate":"tool_call","toolCallId":"2","title":"T","content":[{"type":"content","content":{"type":"text","text":"`+data+`"}}]}`)
	parts := c.Items[1].(*conversation.Message).Parts
	if b := parts[0].Block; b.Resource != nil || b.Name != "resource, 20 MB, left out" || parts[1].Text() != "so" || len(*parts[2].Block.Resource.Text) != len(data) {
		t.Errorf("%+v, %q", b, parts[1].Text())
	}
	if got := c.Tool("1").Content[0].Content; got == nil || got.Text != "[change of /a, 20 MB, left out]" {
		t.Errorf("%+v", got)
	}
	if got := c.Tool("2").Content[0].Content; len(got.Text) != len(data) {
		t.Errorf("the latest call has %d bytes", len(got.Text))
	}
}

// What a call is to do that has not ended is left out last, and then the call says so, and so
// does a question about it.
func TestWhatIsToBeDecidedStays(t *testing.T) {
	const mb = 1 << 16 // of what would be a megabyte
	conversation.HoldMost(t, 32*mb)
	pad := strings.Repeat("x", 60_000)
	call := `{"sessionUpdate":"tool_call","toolCallId":"rm","title":"Tidy up","kind":"edit","status":"pending",
		"rawInput":{"command":"rm -rf a #` + pad + `"},"content":[{"type":"diff","path":"/vendor/a","oldText":"","newText":"` + pad + `"}]}`
	for name, c := range map[string]struct {
		status string
		bytes  int
		whole  bool
	}{
		"many ended calls": {"completed", 100 * mb, true},
		"some open calls":  {"pending", 40 * mb, true},
		"many open calls":  {"pending", 60 * mb, false},
	} {
		for order, asksFirst := range map[string]bool{"asked after them": false, "asked before them": true} {
			s := conversation.NewState()
			ask := test.Permission(1, `{"toolCallId":"rm"}`)
			s.Apply(test.Sent("x"))
			s.Apply(test.Up(t, call))
			if asksFirst {
				s.Apply(ask)
			}
			for i := range c.bytes / mb {
				s.Apply(test.Up(t, fmt.Sprintf(`{"sessionUpdate":"tool_call","toolCallId":"f%d","title":"f","status":%q,"rawInput":{"text":%q}}`, i, c.status, strings.Repeat("q", mb))))
			}
			if !asksFirst {
				s.Apply(ask)
			}
			asked := conversation.Questions[*conversation.Permission](s)[0].Asked
			whole := strings.Contains(string(asked.RawInput), "rm -rf a #"+pad) && asked.Content[0].NewText == pad
			if want := c.whole || asksFirst; whole != want || asked.Incomplete == want {
				t.Errorf("%s, %s: the question is whole: %v, and says that it is not: %v", name, order, whole, asked.Incomplete)
			}
		}
	}
}

// Lists of an agent may be as long as a message can be, and come again and again.
func TestLongListsAreCut(t *testing.T) {
	list := func(n int, item string) string {
		var b strings.Builder
		for i := range n {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(strings.ReplaceAll(item, "N", fmt.Sprint(i)))
		}
		return "[" + b.String() + "]"
	}
	const many = 20_000
	c := folded(t, conversation.SessionOpened{ID: "s"}, test.Sent("x"),
		`{"sessionUpdate":"available_commands_update","availableCommands":`+list(many, `{"name":"N","description":""}`)+`}`,
		`{"sessionUpdate":"plan","entries":`+list(many, `{"content":"N","status":"pending","priority":"low"}`)+`}`,
		test.OptionsUpdate(strings.Trim(list(many, `{"id":"N","name":"N","type":"boolean","currentValue":false}`), "[]")),
		`{"sessionUpdate":"usage_update","used":-5,"size":1e308}`,
		`{"sessionUpdate":"usage_update","used":1e999,"size":-1}`)
	if len(c.Commands) != 10_000 || len(c.Plan.Entries) != 10_000 || len(c.Options) != 2000 {
		t.Errorf("%d commands, %d entries, %d options", len(c.Commands), len(c.Plan.Entries), len(c.Options))
	}
}

// A picture that is too large to be held is let go as it comes, whatever it is a part of: the update
// is small, says what was left out, and reads the same from a log.
func TestWhatIsTooLargeIsLetGoAtOnce(t *testing.T) {
	conversation.HoldMost(t, 1<<20)
	for name, update := range map[string]string{
		"message":       `{"sessionUpdate":"agent_message_chunk","content":IMAGE}`,
		"whole message": `{"sessionUpdate":"agent_message","messageId":"m","content":[{"type":"text","text":"here"},IMAGE]}`,
		"of the user":   `{"sessionUpdate":"user_message_chunk","content":IMAGE}`,
		"call":          `{"sessionUpdate":"tool_call","toolCallId":"1","title":"T","content":[{"type":"content","content":IMAGE}],"rawOutput":[IMAGE]}`,
		"update":        `{"sessionUpdate":"tool_call_update","toolCallId":"1","content":[{"type":"content","content":IMAGE}],"rawOutput":{"a":IMAGE}}`,
		"piece":         `{"sessionUpdate":"tool_call_content_chunk","toolCallId":"1","content":{"type":"content","content":IMAGE}}`,
	} {
		for kind, image := range map[string]string{
			"image, 2 MB, left out":    `{"type":"image","mimeType":"image/png","data":"TEXT"}`,
			"audio, 2 MB, left out":    `{"type":"audio","mimeType":"audio/wav","data":"TEXT"}`,
			"resource, 2 MB, left out": `{"type":"resource","resource":{"uri":"file:///a","blob":"TEXT"}}`,
		} {
			e := test.Up(t, strings.NewReplacer("TEXT", strings.Repeat("A", 2<<20)).Replace(strings.ReplaceAll(update, "IMAGE", image)))
			line, err := conversation.Encode(e)
			if err != nil || len(line) > 1000 || !strings.Contains(string(line), kind) {
				t.Errorf("%s: %s is a line of %d bytes: %v", name, kind, len(line), err)
				continue
			}
			again, err := conversation.Decode(line)
			if err != nil {
				t.Error(err)
			}
			if diff := test.Diff(fold(t, e), fold(t, again)); diff != "" {
				t.Errorf("%s: from the log it is %s", name, diff)
			}
		}
	}
}
