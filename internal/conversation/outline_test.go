package conversation_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/test"
)

func call(id string, kind acpclient.ToolKind, status acpclient.ToolCallStatus, parent string) conversation.Event {
	return conversation.Update{Update: &acpclient.ToolCall{
		ToolCallID: acpclient.ToolCallID(id), Title: "call " + id, Kind: kind, Status: status, Meta: workingFor(parent),
	}}
}

// workingFor is what an agent says of a call of a subagent.
func workingFor(parent string) acpclient.Meta {
	if parent == "" {
		return nil
	}
	return acpclient.Meta(fmt.Sprintf(`{"claudeCode":{"parentToolUseId":%q}}`, parent))
}

func becomes(id string, status acpclient.ToolCallStatus) conversation.Event {
	return conversation.Update{Update: &acpclient.ToolCallUpdate{ToolCallID: acpclient.ToolCallID(id), Status: &status}}
}

func apply(c *conversation.Conversation, all ...conversation.Event) *conversation.Conversation {
	for _, e := range all {
		c.Apply(e)
	}
	return c
}

// outlined writes the outline as an indented list.
func outlined(c *conversation.Conversation) string {
	out := ""
	everything := func(*conversation.Node) bool { return true }
	for n := c.Outline().Following(everything); n != nil; n = n.Following(everything) {
		for range n.Depth() {
			out += "  "
		}
		switch i := n.Item().(type) {
		case *conversation.ToolCall:
			out += string(i.ID)
			if i.Nested.Calls > 0 {
				out += fmt.Sprintf(" %+v", i.Nested)
			}
		case *conversation.Message:
			out += i.Parts.Plain()
		case *conversation.Group:
			out += fmt.Sprintf("group of %d", i.Len())
		default:
			out += fmt.Sprintf("%T", i)
		}
		out += "\n"
	}
	return out
}

const (
	read, search, edit = acpclient.ToolRead, acpclient.ToolSearch, acpclient.ToolEdit
	done, failed       = acpclient.ToolCompleted, acpclient.ToolFailed
	running            = acpclient.ToolInProgress
)

func TestOutline(t *testing.T) {
	sent := test.Sent("go")
	for _, test := range []struct {
		name   string
		events []conversation.Event
		want   string
	}{
		{"quiet calls are a group", []conversation.Event{call("a", read, done, ""), call("b", search, done, "")}, "group of 2\n  a\n  b\n"},
		{"a single one is none", []conversation.Event{call("a", read, done, ""), call("b", edit, done, "")}, "a\nb\n"},
		{
			"the last one stays out while the turn runs",
			[]conversation.Event{sent, call("a", read, done, ""), call("b", read, done, ""), call("c", read, done, "")},
			"go\ngroup of 2\n  a\n  b\nc\n",
		},
		{
			"until it ends",
			[]conversation.Event{sent, call("a", read, done, ""), call("b", read, done, ""), conversation.TurnEnded{}},
			"go\ngroup of 2\n  a\n  b\n",
		},
		{
			"a call that runs parts a group until it is done",
			[]conversation.Event{call("a", read, done, ""), call("b", read, done, ""), call("c", read, running, ""), call("d", read, done, ""), call("e", read, done, "")},
			"group of 2\n  a\n  b\nc\ngroup of 2\n  d\n  e\n",
		},
		{
			"and joins both parts then",
			[]conversation.Event{call("a", read, done, ""), call("b", read, done, ""), call("c", read, running, ""), call("d", read, done, ""), call("e", read, done, ""), becomes("c", done)},
			"group of 5\n  a\n  b\n  c\n  d\n  e\n",
		},
		{
			"a call that failed after all leaves its group",
			[]conversation.Event{call("a", read, done, ""), call("b", read, done, ""), call("c", read, done, ""), call("d", read, done, ""), becomes("b", failed)},
			"a\nb\ngroup of 2\n  c\n  d\n",
		},
		{
			"a message parts groups",
			[]conversation.Event{call("a", read, done, ""), call("b", read, done, ""), conversation.Text{Chunk: acpclient.AgentMessageChunk, Text: "so"}, call("c", read, done, "")},
			"group of 2\n  a\n  b\nso\nc\n",
		},
		{
			"a call that was asked about is in no group",
			[]conversation.Event{
				call("a", read, done, ""), test.Permission(1, `{"toolCallId":"b","kind":"read"}`),
				conversation.QuestionClosed{ID: 1, Outcome: acpclient.PermissionSelected("y")},
				becomes("b", done), call("c", read, done, ""),
			},
			"a\nb\nc\n",
		},
		{
			"calls of a subagent stand below it, whatever comes between",
			[]conversation.Event{call("s", "think", running, ""), call("a", read, done, "s"), call("x", edit, done, ""), call("b", read, done, "s"), call("c", edit, failed, "s"), becomes("s", done), call("d", edit, running, "s")},
			"s {Calls:4 Failed:1 Running:0}\n  group of 2\n    a\n    b\n  c\n  d\nx\n",
		},
		{
			"a subagent's subagent counts for both",
			[]conversation.Event{call("s", "think", running, ""), call("t", "think", done, "s"), call("a", edit, failed, "t")},
			"s {Calls:2 Failed:1 Running:0}\n  t {Calls:1 Failed:1 Running:0}\n    a\n",
		},
		{
			"a parent that is heard of later takes its calls in",
			[]conversation.Event{call("a", read, done, "s"), call("x", edit, done, ""), call("b", read, done, "s"), call("s", "think", done, "")},
			"x\ns {Calls:2 Failed:0 Running:0}\n  group of 2\n    a\n    b\n",
		},
		{
			"two calls that work for each other",
			[]conversation.Event{call("a", edit, done, "b"), call("b", edit, done, "a")},
			"a {Calls:1 Failed:0 Running:0}\n  b\n",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := outlined(apply(conversation.New(), test.events...)); got != test.want {
				t.Errorf("got:\n%s\nwant:\n%s", got, test.want)
			}
		})
	}
}

// However calls come and change, each item stands in the outline once, groups are as
// long as they can be, and what is counted is what is there.
func TestOutlineIsAsIfMadeAnew(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := conversation.New()
		ids := rapid.SampledFrom([]string{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"})
		kinds := rapid.SampledFrom([]acpclient.ToolKind{read, read, search, edit})
		states := rapid.SampledFrom([]acpclient.ToolCallStatus{done, done, done, running, failed})
		asked := 0
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			parent := ""
			if rapid.IntRange(0, 2).Draw(t, "nested") == 0 {
				parent = ids.Draw(t, "parent")
			}
			switch rapid.IntRange(0, 7).Draw(t, "step") {
			case 0:
				c.Apply(test.Sent("go"))
			case 1:
				c.Apply(conversation.TurnEnded{})
			case 2:
				c.Apply(conversation.Update{Update: &acpclient.ContentChunk{Chunk: acpclient.AgentMessageChunk, Content: acpclient.TextBlock("m"), Meta: workingFor(parent)}})
			case 3:
				asked++
				c.Apply(test.Permission(asked, fmt.Sprintf(`{"toolCallId":%q,"kind":"read"}`, ids.Draw(t, "id"))))
			case 4:
				c.Apply(conversation.QuestionClosed{ID: asked, Outcome: acpclient.PermissionSelected("y")})
			case 5:
				c.Apply(becomes(ids.Draw(t, "id"), states.Draw(t, "status")))
			default:
				c.Apply(call(ids.Draw(t, "id"), kinds.Draw(t, "kind"), states.Draw(t, "status"), parent))
			}
			checkOutline(t, c)
		}
	})
}

func checkOutline(t *rapid.T, c *conversation.Conversation) {
	everything := func(*conversation.Node) bool { return true }
	met := map[conversation.Item]bool{}
	last := c.Outline()
	for n := c.Outline().Following(everything); n != nil; n = n.Following(everything) {
		if met[n.Item()] || !c.Has(n) || !last.Before(n) || n.Before(last) || last != c.Outline() && n.Preceding(everything) != last {
			t.Fatalf("not in order:\n%s", outlined(c))
		}
		met[n.Item()], last = true, n
		switch i := n.Item().(type) {
		case *conversation.Group:
			checkRun(t, c, n, i)
		case *conversation.ToolCall:
			if got, want := i.Nested, counted(n); got != want {
				t.Fatalf("%s: %+v, not %+v:\n%s", i.ID, got, want, outlined(c))
			}
		}
	}
	if last != c.Outline().Deepest(everything) {
		t.Fatalf("ends early:\n%s", outlined(c))
	}
	for i, item := range c.Items {
		if !met[item] || c.Node(i).Item() != item {
			t.Fatalf("item %d is missing:\n%s", i, outlined(c))
		}
	}
}

func checkRun(t *rapid.T, c *conversation.Conversation, n *conversation.Node, r *conversation.Group) {
	kinds := map[acpclient.ToolKind]int{}
	for call := range r.Calls() {
		kinds[call.Kind]++
		if !call.Quiet() {
			t.Fatalf("%s is not quiet:\n%s", call.ID, outlined(c))
		}
	}
	if r.Len() < 2 || kinds[read] != r.Count(read) || kinds[search] != r.Count(search) || kinds[read]+kinds[search] != r.Len() {
		t.Fatalf("the counts %v are wrong:\n%s", kinds, outlined(c))
	}
	if next := n.Next(); next != nil {
		if _, group := next.Item().(*conversation.Group); group {
			t.Fatalf("two groups behind each other:\n%s", outlined(c))
		}
	}
}

// counted counts what stands below a node.
func counted(n *conversation.Node) (all conversation.Tally) {
	for m := n.First(); m != nil; m = m.Next() {
		below := counted(m)
		if call, ok := m.Item().(*conversation.ToolCall); ok {
			below.Calls++
			switch {
			case call.Status == failed:
				below.Failed++
			case call.Running():
				below.Running++
			}
		}
		all.Calls, all.Failed, all.Running = all.Calls+below.Calls, all.Failed+below.Failed, all.Running+below.Running
	}
	return all
}

// However deep subagents call subagents, what they do nests only so deep.
func TestNestingIsBounded(t *testing.T) {
	c := conversation.New()
	for i := range 100 {
		c.Apply(call(fmt.Sprint(i), edit, running, fmt.Sprint(i-1)))
	}
	if d := c.Node(99).Depth(); d == 0 || d > 10 {
		t.Errorf("the last of 100 stands %d deep", d)
	}
	if n := c.Items[0].(*conversation.ToolCall).Nested.Calls; n != 99 {
		t.Errorf("the first counts %d calls", n)
	}
}

// So it is if each of them is heard of only after those that it calls.
func TestNestingIsBoundedInAnyOrder(t *testing.T) {
	c := conversation.New()
	for i := range 100 {
		c.Apply(call(fmt.Sprint(i), edit, running, fmt.Sprint(i+1)))
	}
	for i := range 100 {
		if d := c.Node(i).Depth(); d > 10 {
			t.Fatalf("number %d of 100 stands %d deep", i, d)
		}
	}
	if d := c.Node(0).Depth(); d < 5 {
		t.Errorf("the first stands %d deep", d)
	}
}

// A call that is done must cost the same however many there are: of one subagent, in
// one group, and in a group that is parted and joined in its middle.
func BenchmarkOutline(b *testing.B) {
	for _, n := range []int{1000, 10000, 100000} {
		for name, next := range map[string]func(i int) []conversation.Event{
			"group": func(i int) []conversation.Event {
				return []conversation.Event{call(fmt.Sprint("n", i), read, done, "")}
			},
			"nested": func(i int) []conversation.Event {
				return []conversation.Event{call(fmt.Sprint("n", i), edit, running, "s"), becomes(fmt.Sprint("n", i), done)}
			},
			"again": func(i int) []conversation.Event { return []conversation.Event{becomes(fmt.Sprint(n/2), done)} },
		} {
			b.Run(fmt.Sprintf("%s/calls=%d", name, n), func(b *testing.B) {
				c := apply(conversation.New(), call("s", "think", running, ""))
				for i := range n {
					if name == "nested" {
						c.Apply(call(fmt.Sprint(i), edit, done, "s"))
					} else {
						c.Apply(call(fmt.Sprint(i), read, done, ""))
					}
				}
				b.ReportAllocs()
				for i := 0; b.Loop(); i++ {
					for _, e := range next(i) {
						c.Apply(e)
					}
				}
			})
		}
	}
}

// An agent that takes back, call by call, that they were done parts a group again and
// again: for each call that must cost about the same in a group ten times as long.
func BenchmarkRunTakenBack(b *testing.B) {
	for _, n := range []int{1000, 10000} {
		b.Run(fmt.Sprintf("calls=%d", n), func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				c := conversation.New()
				for i := range n {
					c.Apply(call(fmt.Sprint(i), read, done, ""))
				}
				b.StartTimer()
				for i := range n {
					c.Apply(becomes(fmt.Sprint((i*617+n/2)%n), failed))
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/call")
		})
	}
}
