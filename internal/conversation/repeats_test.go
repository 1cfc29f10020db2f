package conversation_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/test"
)

// repeating draws updates of two calls and a plan whose texts mostly repeat those before them, escaped
// in the ways in which JSON can be.
func repeating(t *rapid.T) (raw string) {
	piece := rapid.SampledFrom([]string{
		strings.Repeat(`plain words `, 60), strings.Repeat(`lines\n`, 200), strings.Repeat(`\\\"`, 150), strings.Repeat("é€😀", 100), strings.Repeat(`\ud83d\ude00`, 90),
		strings.Repeat("x", 700), `C:\\u0041`, `\ud83d`, "\u2063kept\u2063", `0\u2063kept\u2063`, "",
	})
	text := func(name string) string { return strings.Join(rapid.SliceOfN(piece, 0, 6).Draw(t, name), "") }
	status := rapid.SampledFrom([]string{`"status":"in_progress",`, `"status":"completed",`, `"title":"T",`, ``}).Draw(t, "status")
	id := rapid.SampledFrom([]string{"a", "b", strings.Repeat("long ", 400) + "c"}).Draw(t, "id")
	switch rapid.IntRange(0, 5).Draw(t, "kind") {
	case 0:
		raw = fmt.Sprintf(`{"sessionUpdate":"tool_call","toolCallId":"%s",%s"rawInput":{"command":"%s"},"content":[{"type":"diff","path":"/a","oldText":"%s","newText":"%s"}]}`,
			id, `"title":"Do",`, text("input"), text("old"), text("new"))
	case 1:
		raw = fmt.Sprintf(`{"sessionUpdate":"plan","entries":[{"content":"%s","priority":"low","status":"pending"}]}`, text("entry"))
	case 2:
		raw = fmt.Sprintf(`{"sessionUpdate":"tool_call_update","toolCallId":"%s","locations":[{"path":"file:///%s"}]}`, id, text("path"))
	case 3:
		raw = fmt.Sprintf(`{"sessionUpdate":"new_%s","of":"%s"}`, id, text("unknown"))
	default:
		text := text("output")
		raw = fmt.Sprintf(`{"sessionUpdate":"tool_call_update","toolCallId":"%s",%s"content":[{"type":"content","content":{"type":"text","text":"%s"}}],"rawOutput":{"output":"%s"},"_meta":{"all":"%s"}}`,
			id, status, text, text, text)
	}
	return `{"sessionId":"s","update":` + raw + `}`
}

// What updates repeat of earlier ones is not written again, and read as if it were: also by who
// begins to write in the middle. Without what came before, a line is refused.
func TestLinesThatRepeatAreReadAsTheyWere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		writer, reader := new(conversation.Repeats), new(conversation.Repeats)
		for range rapid.IntRange(1, 12).Draw(t, "updates") {
			n := new(acpclient.SessionNotification)
			if err := acpclient.Unmarshal(json.RawMessage(repeating(t)), n); err != nil {
				t.Fatal(err)
			}
			e := conversation.FromNotification(n)
			if u, is := e.(conversation.Update); is && rapid.Bool().Draw(t, "timed") {
				u.At = time.Date(2026, 5, 1, 12, 0, 0, rapid.IntRange(0, 999).Draw(t, "ms")*1e6, time.UTC)
				e = u
			}
			if rapid.IntRange(0, 9).Draw(t, "resumed") == 0 {
				writer = new(conversation.Repeats)
			}
			line, err := writer.AppendEncode([]byte("before"), e)
			if err != nil || string(line[:6]) != "before" {
				t.Fatal(err)
			}
			got, err := reader.Decode(line[6:])
			if err != nil || !reflect.DeepEqual(got, e) {
				t.Fatalf("%v: got %v\nwant %v\nof %s", err, got, e, line)
			}
		}
	})
}

// A call that sends all its output so far each time takes the place of what is new, wherever it has
// the output, and of two calls at once.
func TestWhatRepeatsIsWrittenOnce(t *testing.T) {
	const updates, piece = 400, "a line of output\n"
	writer, reader := new(conversation.Repeats), new(conversation.Repeats)
	size, all := 0, strings.Builder{}
	var last []byte
	for i := range updates {
		all.WriteString(strings.Repeat(piece, 30))
		text, _ := json.Marshal(all.String())
		for _, id := range []string{"a", "b"} {
			e := test.Up(t, fmt.Sprintf(`{"sessionUpdate":"tool_call_update","toolCallId":%q,"title":"%d","content":[{"type":"content","content":{"type":"text","text":%s}}],"rawOutput":{"text":%[3]s}}`, id, i, text))
			var err error
			if last, err = writer.AppendEncode(last[:0], e); err != nil {
				t.Fatal(err)
			}
			size += len(last)
			if got, err := reader.Decode(last); err != nil || !reflect.DeepEqual(got, e) {
				t.Fatal(i, err)
			}
		}
	}
	if most := 4*2*all.Len() + updates*1000; size > most {
		t.Errorf("%d bytes of output take %d, more than %d", all.Len(), size, most)
	}
	if _, err := new(conversation.Repeats).Decode(last); !errors.Is(err, conversation.ErrRepeats) {
		t.Errorf("without what it repeats: %v", err)
	}
	var index *conversation.Repeats
	e, err := index.Decode(last)
	if text := e.(conversation.Update).Update.(*acpclient.ToolCallUpdate).Content[0].Content.Text; err != nil || len(text) > 1000 || !strings.HasSuffix(text, piece) {
		t.Errorf("what is new: %d bytes, %v", len(text), err)
	}
}

// A line that was damaged is refused, or at least read as another, and never read outside of what it repeats.
func TestADamagedLineThatRepeats(tt *testing.T) {
	rapid.Check(tt, func(t *rapid.T) {
		first := test.Up(tt, `{"sessionUpdate":"tool_call_update","toolCallId":"a","rawOutput":{"text":"`+strings.Repeat("words ", 400)+`"}}`)
		next := test.Up(tt, `{"sessionUpdate":"tool_call_update","toolCallId":"a","rawOutput":{"text":"`+strings.Repeat("words ", 400)+`more"}}`)
		writer, reader := new(conversation.Repeats), new(conversation.Repeats)
		one, err := writer.AppendEncode(nil, first)
		if err != nil {
			t.Fatal(err)
		}
		line, err := writer.AppendEncode(nil, next)
		if err != nil || !strings.Contains(string(line), `"kept":[[`) {
			t.Fatalf("%v: %s", err, line)
		}
		if _, err := reader.Decode(one); err != nil {
			t.Fatal(err)
		}
		numbers := strings.Join(strings.Fields(fmt.Sprint(rapid.SliceOfN(rapid.IntRange(-1<<40, 1<<40), 3, 3).Draw(t, "kept"))), ",")
		from := strings.Index(string(line), "[[")
		damaged := string(line[:from]) + "[" + numbers + string(line[from+strings.Index(string(line[from:]), "]]")+1:])
		_, _ = reader.Decode([]byte(damaged)) // it does not panic
		if _, err := reader.Decode([]byte(strings.Replace(string(line), `"of":`, `"of":7,"was":`, 1))); err == nil {
			t.Error("it repeats an update that it was not made for")
		}
		if got, err := reader.Decode(line); err != nil || !reflect.DeepEqual(got, next) {
			t.Errorf("after that: %v", err)
		}
	})
}

// changeField changes any one field of a prompt.
func changeField(t *rapid.T, p *conversation.QueuedPrompt) {
	v := reflect.ValueOf(p).Elem()
	switch f := v.Field(rapid.IntRange(0, v.NumField()-1).Draw(t, "field")); f.Kind() {
	case reflect.Bool:
		f.SetBool(!f.Bool())
	case reflect.Int:
		f.SetInt(f.Int() + 1000)
	case reflect.String:
		f.SetString(f.String() + "x")
	default:
		if p := f.Addr().Interface(); reflect.TypeOf(p) == reflect.TypeFor[*[]acpclient.ContentBlock]() {
			f.Set(reflect.ValueOf(test.Sent("another").Prompt))
		} else {
			f.Set(reflect.MakeSlice(f.Type(), 1, 1))
		}
	}
}

// ids returns the IDs of the prompts in a queue, in order.
func ids(queue []conversation.QueuedPrompt) (all []int) {
	for _, q := range queue {
		all = append(all, q.ID)
	}
	return all
}

// Queues are read as they were, also after their writer has begun anew. A lost line costs only the prompts that it had:
// nothing that has left the queue comes back, and the order stays. A line that is read alone gives the number of prompts.
func TestQueuesAreReadAsTheyWere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		writer, reader := new(conversation.Repeats), new(conversation.Repeats)
		var index *conversation.Repeats
		var queue []conversation.QueuedPrompt
		lost := map[int]bool{}
		for i := range rapid.IntRange(1, 30).Draw(t, "changes") {
			queue = slices.Clone(queue)
			at := rapid.IntRange(0, len(queue)).Draw(t, "at")
			switch change := rapid.IntRange(0, 6).Draw(t, "change"); {
			case change < 3 || at == len(queue):
				queue = slices.Insert(queue, at, conversation.QueuedPrompt{ID: i, Prompt: test.Sent(fmt.Sprint("prompt ", i)).Prompt})
			case change == 3:
				queue = slices.Delete(queue, at, len(queue))
			case change == 4:
				queue = slices.Delete(queue, at, at+1)
			case change == 5:
				queue[at], queue[0] = queue[0], queue[at]
			default:
				changeField(t, &queue[at])
			}
			e := conversation.QueueChanged{Queue: queue, Paused: rapid.Bool().Draw(t, "paused")}
			if rapid.IntRange(0, 9).Draw(t, "resumed") == 0 {
				writer = new(conversation.Repeats)
			}
			line, err := writer.AppendEncode([]byte("before"), e)
			if err != nil || string(line[:6]) != "before" {
				t.Fatal(err)
			}
			alone, err := index.Decode(line[6:])
			own, _ := alone.(conversation.QueueChanged)
			if err != nil || own.Count() != len(queue) {
				t.Fatalf("%v of %s: %v", alone, line, err)
			}
			damaged := rapid.IntRange(0, 4).Draw(t, "lost") == 0
			for _, id := range ids(own.Queue) {
				lost[id] = damaged
			}
			if damaged {
				continue
			}
			got, err := reader.Decode(line[6:])
			now, _ := got.(conversation.QueueChanged)
			if err != nil || now.Paused != e.Paused || now.Order != nil {
				t.Fatalf("%v: got %v\nwant %v\nof %s", err, got, e, line)
			}
			read := now.Queue
			for _, q := range queue {
				switch has := len(read) > 0 && read[0].ID == q.ID; {
				case has && (lost[q.ID] || reflect.DeepEqual(read[0], q)):
					read = read[1:]
				case has || !lost[q.ID]:
					t.Fatalf("got %v\nwant %v\nof %s, with %v lost", now, e, line, lost)
				}
			}
			if len(read) > 0 {
				t.Fatalf("%v are back, or elsewhere in %v", ids(read), ids(queue))
			}
		}
	})
}

// Whatever lines say that parley has not written, no queue has more prompts than they have.
func TestAForgedQueueDoesNotGrow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		reader := new(conversation.Repeats)
		some := rapid.OneOf(rapid.IntRange(-1, 9), rapid.Int())
		prompts := map[int]bool{}
		for range rapid.IntRange(1, 9).Draw(t, "lines") {
			e := conversation.QueueChanged{}
			for range rapid.IntRange(1, 5).Draw(t, "order") {
				e.Order = append(e.Order, [2]int{some.Draw(t, "first"), some.Draw(t, "last")})
			}
			for _, id := range rapid.SliceOfN(some, 0, 3).Draw(t, "prompts") {
				e.Queue, prompts[id] = append(e.Queue, conversation.QueuedPrompt{ID: id}), true
			}
			data, err := json.Marshal(e)
			if err != nil {
				t.Fatal(err)
			}
			got, err := reader.Decode(fmt.Appendf(nil, `{"v":2,"event":"queue_changed","data":%s}`, data))
			if err != nil {
				t.Fatal(err)
			}
			if q := got.(conversation.QueueChanged).Queue; len(q) > len(prompts) {
				t.Fatalf("%v of the prompts %v", ids(q), prompts)
			}
		}
	})
}

// Ten times as many prompts in a queue take ten times the bytes, until all are sent; a damaged line costs one.
func TestAQueueIsWrittenOnce(t *testing.T) {
	for _, n := range []int{100, 1000} {
		writer, reader := new(conversation.Repeats), new(conversation.Repeats)
		var queue []conversation.QueuedPrompt
		size, damaged := 0, 0
		change := func(now []conversation.QueuedPrompt) {
			queue = now
			line, err := writer.AppendEncode(nil, conversation.QueueChanged{Queue: queue})
			if err != nil {
				t.Fatal(err)
			}
			if size += len(line); len(queue) == n/2 && damaged == 0 {
				damaged++
			} else if got, err := reader.Decode(line); err != nil || len(got.(conversation.QueueChanged).Queue) < len(queue)-damaged {
				t.Fatalf("%v: %v of %d prompts", err, got, len(queue))
			}
		}
		for i := range n {
			change(append(slices.Clone(queue), conversation.QueuedPrompt{ID: i, Prompt: test.Sent(strings.Repeat("words", 100)).Prompt}))
		}
		for len(queue) > 0 {
			change(queue[1:])
		}
		if most := 1000 * n; size > most {
			t.Errorf("%d prompts take %d bytes, more than %d", n, size, most)
		}
	}
}
