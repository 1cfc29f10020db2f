package transcript

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"parley/acpclient"
	"parley/internal/conversation"
)

// looks is a call that reads a file, of a subagent if parent is not "".
func looks(id, parent string, status acpclient.ToolCallStatus, text string) conversation.Event {
	call := &acpclient.ToolCall{
		ToolCallID: acpclient.ToolCallID(id), Title: "Read " + id + ".go", Kind: acpclient.ToolRead, Status: status,
		Locations: []acpclient.ToolCallLocation{{Path: "/project/" + id + ".go"}},
	}
	if text != "" {
		call.Content = acpclient.ToolCallContents{acpclient.TextContent(text)}
	}
	if parent != "" {
		call.Meta = acpclient.Meta(fmt.Sprintf(`{"claudeCode":{"parentToolUseId":%q}}`, parent))
	}
	return conversation.Update{Update: call}
}

func searches(id string) conversation.Event {
	return conversation.Update{Update: &acpclient.ToolCall{
		ToolCallID: acpclient.ToolCallID(id), Title: "Search " + id, Kind: acpclient.ToolSearch, Status: acpclient.ToolCompleted,
	}}
}

// subagent is a call that others work for.
func subagent(id, parent string, status acpclient.ToolCallStatus) conversation.Event {
	e := looks(id, parent, status, "").(conversation.Update)
	call := e.Update.(*acpclient.ToolCall)
	call.Title, call.Kind, call.Locations = "Explore "+id, acpclient.ToolThink, nil
	return e
}

func chunkOf(parent, text string) conversation.Event {
	return conversation.Update{Update: &acpclient.ContentChunk{
		Chunk: acpclient.AgentMessageChunk, Content: acpclient.TextBlock(text), Meta: acpclient.Meta(fmt.Sprintf(`{"claudeCode":{"parentToolUseId":%q}}`, parent)),
	}}
}

const (
	done    = acpclient.ToolCompleted
	failed  = acpclient.ToolFailed
	running = acpclient.ToolInProgress
)

func TestFoldsWhatBelongsTogether(t *testing.T) {
	for _, test := range []struct {
		name   string
		width  int
		events []conversation.Event
		want   string
	}{
		{
			"quiet calls", 60,
			[]conversation.Event{looks("main", "", done, "x"), looks("list", "", done, "y"), searches("for it"), tool("e", done)},
			"▸ 2 reads, 1 search  main.go, list.go, for it\n✓ ✎ Tool e",
		},
		{
			"more names than there is room for", 40,
			[]conversation.Event{looks("main", "", done, "x"), looks("conversation", "", done, "y"), looks("list", "", done, "y")},
			"▸ 3 reads  main.go, conversation.go, …",
		},
		{
			"no room for a name", 16,
			[]conversation.Event{looks("main", "", done, "x"), looks("conversation", "", done, "y")},
			"▸ 2 reads  mai…",
		},
		{
			"one file read again and again is named once", 60,
			[]conversation.Event{looks("dir/a", "", done, "x"), looks("a", "", done, "x"), looks("b", "", done, "")},
			"▸ 3 reads  a.go, b.go",
		},
		{
			"the last calls of a turn that runs", 60,
			[]conversation.Event{ask("go"), looks("a", "", done, "x"), looks("b", "", done, "y"), looks("c", "", done, "what it brought")},
			"❯ go\n\n▸ 2 reads  a.go, b.go\n✓ ◇ Read c.go",
		},
		{
			"a call that runs", 60,
			[]conversation.Event{ask("go"), looks("a", "", done, "x"), looks("b", "", done, "y"), looks("c", "", running, "")},
			"❯ go\n\n▸ 2 reads  a.go, b.go\n◐ ◇ Read c.go",
		},
		{
			"a call that failed", 60,
			[]conversation.Event{looks("a", "", done, "x"), looks("b", "", done, "y"), looks("c", "", failed, "no such file"), looks("d", "", done, ""), looks("e", "", done, "")},
			"▸ 2 reads  a.go, b.go\n\n✗ ◇ Read c.go  failed\n  │ no such file\n\n▸ 2 reads  d.go, e.go",
		},
		{
			"a single call shows what it brought, unless another step follows", 60,
			[]conversation.Event{looks("a", "", done, "first"), tool("e", done), looks("b", "", done, "second"), say("So.")},
			"✓ ◇ Read a.go\n✓ ✎ Tool e\n\n✓ ◇ Read b.go\n  │ second\n\n● So.",
		},
		{
			"a subagent at work", 60,
			[]conversation.Event{ask("go"), subagent("s", "", running), looks("a", "s", done, "x"), looks("b", "s", done, "x"), looks("c", "s", running, ""), chunkOf("s", "Well."), tool("e", done)},
			"❯ go\n\n◐ ✻ Explore s  ▾ 3 calls, 1 running\n│ ▸ 2 reads  a.go, b.go\n│ ◐ ◇ Read c.go\n│\n│ ● Well.\n\n✓ ✎ Tool e",
		},
		{
			"a subagent that is done, and its calls that come later", 60,
			[]conversation.Event{ask("go"), subagent("s", "", done), looks("a", "s", failed, "x"), tool("e", done), looks("b", "s", running, "")},
			"❯ go\n\n✓ ✻ Explore s  ▸ 2 calls, 1 running, 1 failed\n✓ ✎ Tool e",
		},
		{
			"a subagent that nobody knows", 60,
			[]conversation.Event{looks("a", "s", failed, "x"), tool("e", done)},
			"│ ✗ ◇ Read a.go  failed\n│   │ x\n\n✓ ✎ Tool e",
		},
		{
			"nesting takes only so much room", 34,
			[]conversation.Event{ask("go"), subagent("1", "", running), subagent("2", "1", running), subagent("3", "2", running), subagent("4", "3", running), subagent("5", "4", running), looks("a", "5", running, "")},
			"❯ go\n\n◐ ✻ Explore 1  ▾ 5 calls, 5 runn…\n│ ◐ ✻ Explore 2  ▾ 4 calls, 4 ru…\n│ │ ◐ ✻ Explore 3  ▾ 3 calls, 3 …\n│ │ │ ◐ ✻ Explore 4  ▾ 2 calls, …\n│ │ │ ◐ ✻ Explore 5  ▾ 1 call, 1…\n│ │ │ ◐ ◇ Read a.go",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := view(newList(fold(test.events...), test.width, 30)); got != test.want {
				t.Errorf("got:\n%s\nwant:\n%s", got, test.want)
			}
		})
	}
}

func TestOpensAndCloses(t *testing.T) {
	c := fold(looks("a", "", done, "one"), looks("b", "", done, "two"), say("So."))
	l := newList(c, 60, 20)
	closed := view(l)
	l.Focus(true)
	l.Select(-1)
	if _, group := l.Selected().(*conversation.Group); !group {
		t.Fatalf("%T is selected:\n%s", l.Selected(), view(l))
	}
	if got := l.Excerpt().Text; got != "Read a.go\n\none\n\nRead b.go\n\ntwo" {
		t.Errorf("the run is copied as %q", got)
	}
	l.Toggle()
	l.Select(1)
	if got, want := view(l), "▾ 2 reads\n▌ ◇ Read a.go\n│ ✓ ◇ Read b.go\n\n● So."; got != strings.Replace(want, "▌", "│ ▌", 1) {
		t.Fatalf("opened:\n%s", got)
	}
	l.Toggle()
	if got := view(l); !strings.Contains(got, "│ ▌ │ one") || strings.Contains(got, "two") {
		t.Errorf("a call in a run that is expanded:\n%s", got)
	}
	l.Select(-1)
	l.Toggle()
	l.Focus(false)
	if got := view(l); got != closed {
		t.Errorf("closed again:\n%s", got)
	}
	page := l.PageOf(c.Node(0).Parent().Item(), nil)
	page.SetSize(60, 20)
	if got := view(page); !strings.Contains(got, "one") || !strings.Contains(got, "two") {
		t.Errorf("on a screen of its own:\n%s", got)
	}
}

// A selected call that is folded away is selected with its run, and the view stays
// where it is.
func TestSelectionFollowsIntoARun(t *testing.T) {
	c := fold(ask("go"), looks("a", "", done, ""), looks("b", "", done, ""))
	l := newList(c, 60, 3)
	l.Focus(true)
	if _, call := l.Selected().(*conversation.ToolCall); !call {
		t.Fatalf("%T is selected:\n%s", l.Selected(), view(l))
	}
	c.Apply(looks("c", "", running, ""))
	if _, group := l.Selected().(*conversation.Group); !group || !strings.Contains(view(l), "▌ 2 reads") {
		t.Errorf("%T is selected:\n%s", l.Selected(), view(l))
	}
	c.Apply(conversation.SessionOpening{Clear: true})
	if l.Selected() != nil || view(l) != "" {
		t.Errorf("of a conversation that has begun anew:\n%s", view(l))
	}
}

func TestFindsInWhatIsFolded(t *testing.T) {
	c := fold(
		ask("needle 1"), looks("a", "", done, "needle 2"), looks("b", "", done, "needle 3"), subagent("s", "", running),
		tool("x", done, acpclient.TextContent("needle 6")), looks("c", "s", done, "needle 4"), looks("d", "s", done, "needle 5"),
		conversation.Update{Update: &acpclient.ToolCallUpdate{ToolCallID: "s", Status: new(done)}}, conversation.TurnEnded{},
	)
	l := newList(c, 60, 40)
	l.Top()
	l.Find("needle")
	for i := 1; i <= 6; i++ {
		at, all := l.Found()
		if at != i || all != 6 || !strings.Contains(view(l), fmt.Sprint("needle ", i)) {
			t.Errorf("%d of %d, where needle %d has to be:\n%s", at, all, i, view(l))
		}
		if l.textOf(l.find.at)[l.find.from:] != fmt.Sprint("needle ", i) {
			t.Errorf("%d: the match is at %q", i, l.textOf(l.find.at))
		}
		l.FindNext(1)
	}
	for i := 6; i >= 1; i-- {
		if i == 6 {
			l.FindNext(-1) // from the first, where the last step has led
		}
		if at, _ := l.Found(); at != i {
			t.Errorf("backwards: at %d, not at %d", at, i)
		}
		l.FindNext(-1)
	}
}

func TestMarksAndMovesOverWhatIsFolded(t *testing.T) {
	c := fold(
		ask("first"), looks("a", "", done, "one"), looks("b", "", done, "two"), say("Answer."),
		ask("second"), subagent("s", "", done), looks("c", "s", done, "three"), looks("d", "s", done, "four"), chunkOf("s", "Said."), conversation.TurnEnded{}, ask("third"), say("End."),
	)
	l := newList(c, 60, 4)
	l.Top()
	for _, want := range []string{"❯ second", "❯ third"} {
		if !l.NextPrompt(1) || !strings.HasPrefix(strings.TrimSpace(view(l)), want) {
			t.Fatalf("%q does not begin:\n%s", want, view(l))
		}
	}
	if l.NextPrompt(1) || !l.NextPrompt(-1) || !strings.HasPrefix(view(l), "❯ second") || !l.NextPrompt(-1) || !strings.HasPrefix(view(l), "❯ first") {
		t.Fatalf("back:\n%s", view(l))
	}
	l = newList(c, 60, 40)
	l.Focus(true)
	l.Select(-100)
	l.SpanItem()
	l.MoveSpanItems(2)
	if got, want := l.SpanText(), "first\n\nRead a.go\n\none\n\nRead b.go\n\ntwo\n\nAnswer."; got != want {
		t.Errorf("marked over a run: %q, not %q", got, want)
	}
	l.ClearSpan()
	l.Select(2) // the subagent
	l.Toggle()
	view(l)
	y := slices.IndexFunc(strings.Split(view(l), "\n"), func(line string) bool { return strings.Contains(line, "Said.") })
	l.StartSpan(4, y)
	l.ExtendSpan(6, y)
	if got := l.SpanText(); got != "Sai" {
		t.Errorf("marked in a nested message: %q:\n%s", got, view(l))
	}
	l.Select(-100)
	l.Select(4)
	if l.Toggle(); strings.Contains(view(l), "Said.") {
		t.Fatalf("not closed:\n%s", view(l))
	}
	if got := l.SpanText(); !strings.Contains(got, "Explore s") && got != "" {
		t.Errorf("what was marked is folded away: %q", got)
	}
}

// While a run grows call by call, what is on the screen does not get higher or lower.
func TestAGrowingRunKeepsItsHeight(t *testing.T) {
	c := fold(ask("go"), looks("a", "", done, "x"), looks("b", "", done, "y"))
	l := newList(c, 60, 20)
	height := strings.Count(view(l), "\n")
	for i := range 20 {
		id := fmt.Sprint(i)
		for _, e := range []conversation.Event{looks(id, "", running, ""), looks(id, "", done, "what\nit\nbrought")} {
			c.Apply(e)
			if got := view(l); strings.Count(got, "\n") != height || !strings.Contains(got, fmt.Sprintf("▸ %d reads  a.go, b.go", i+2)) {
				t.Fatalf("after %d:\n%s", i, got)
			}
		}
	}
}

// sessions draws a session with calls of all sorts, of subagents and not.
func sessions(t *rapid.T, n int) []conversation.Event {
	var all []conversation.Event
	for i := range n {
		parent := ""
		if i > 0 && rapid.Bool().Draw(t, "nested") {
			parent = fmt.Sprint(rapid.IntRange(0, i).Draw(t, "parent"))
		}
		id, text := fmt.Sprint(i), fmt.Sprintf("text %d\nand more", i)
		status := rapid.SampledFrom([]acpclient.ToolCallStatus{done, done, done, failed, running}).Draw(t, "status")
		switch rapid.IntRange(0, 6).Draw(t, "what") {
		case 0:
			all = append(all, ask("prompt "+id))
		case 1:
			all = append(all, chunkOf(parent, "message "+id+"\n\n"))
		case 2:
			all = append(all, subagent(id, parent, status))
		case 3:
			all = append(all, conversation.TurnEnded{})
		default:
			all = append(all, looks(id, parent, status, text))
		}
	}
	return all
}

// What is shown when everything is open is what is shown of the items each by
// itself: nothing is lost, doubled or changed by being folded.
func TestEverythingOpenedIsEverything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := fold()
		for _, e := range sessions(t, rapid.IntRange(0, 40).Draw(t, "items")) {
			c.Apply(e)
		}
		grouped, flat := newList(c, 200, 1500), newList(conversation.Showing(c.Cwd, c.Items...), 200, 1500)
		for n := c.Outline().Following(every); n != nil; n = n.Following(every) {
			grouped.expanded[n] = true
		}
		for i := range c.Items {
			flat.expanded[flat.conv.Node(i)] = true
		}
		if got, want := byItem(grouped), byItem(flat); !slices.Equal(got, want) {
			t.Fatalf("grouped:\n%s\n\nnot:\n%s", strings.Join(got, "\n--\n"), strings.Join(want, "\n--\n"))
		}
	})
}

// byItem is what a list shows of each item, in the order in which they came, without
// marks and edges.
func byItem(l *List) []string {
	out := make([]string, len(l.conv.Items))
	lines := l.Lines()
	for y, n := range l.shown {
		if n == nil {
			continue
		}
		if _, group := n.Item().(*conversation.Group); group {
			continue
		}
		text := strings.TrimRight(ansi.Strip(lines[y]), " ")
		text = strings.TrimPrefix(text, strings.TrimRight(strings.Repeat(edge, l.edges(n)), " "))
		if text = strings.TrimSpace(text); text != "" {
			out[n.Index()] += text + "\n"
		}
	}
	return out
}

// Whatever is opened, closed, looked for and added, the view is a part of the whole.
func TestDrawsAWindowOfWhatIsFolded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := fold()
		coming := sessions(t, 60)
		width, height := rapid.IntRange(12, 100).Draw(t, "width"), rapid.IntRange(1, 20).Draw(t, "height")
		l := newList(c, width, height)
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			switch rapid.IntRange(0, 8).Draw(t, "step") {
			case 0:
				l.Scroll(rapid.IntRange(-20, 20).Draw(t, "by"))
			case 1:
				l.Focus(true)
				l.Select(rapid.IntRange(-9, 9).Draw(t, "select"))
				l.Toggle()
				l.Focus(rapid.Bool().Draw(t, "focused"))
			case 2:
				l.Find("text " + rapid.SampledFrom([]string{"1", "2", "12"}).Draw(t, "find"))
				l.FindNext(rapid.SampledFrom([]int{-1, 1}).Draw(t, "by"))
			case 3:
				l.NextPrompt(rapid.SampledFrom([]int{-1, 1}).Draw(t, "prompt"))
			case 4:
				l.StartSpan(3, rapid.IntRange(0, height).Draw(t, "from"))
				l.ExtendSpan(9, rapid.IntRange(0, height).Draw(t, "to"))
				l.SpanText()
			default:
				for range min(len(coming), 6) {
					c.Apply(coming[0])
					coming = coming[1:]
				}
			}
			lines := l.Lines()
			if len(lines) != height {
				t.Fatalf("%d lines, the view is %d high", len(lines), height)
			}
			for _, line := range lines {
				if w := ansi.StringWidth(line); w > width {
					t.Fatalf("a line of %d cells in a view of %d: %q", w, width, line)
				}
			}
			whole := newList(c, width, 1500)
			whole.expanded, whole.focused, whole.selected = l.expanded, l.focused, l.selected
			whole.Top()
			if got, all := strings.Trim(view(l), "\n"), view(whole); !strings.Contains(all, got) {
				t.Fatalf("the view is no part of the whole:\n%s\n--\n%s", got, all)
			}
		}
	})
}

// A frame must cost the same however many calls there are: in one run, folded and
// opened, and of one subagent that is at work.
func BenchmarkFrameOfMany(b *testing.B) {
	for _, n := range []int{1000, 10000} {
		for _, of := range []string{"run", "open run", "subagent"} {
			b.Run(fmt.Sprintf("%s/calls=%d", of, n), func(b *testing.B) {
				c := fold(ask("go"), subagent("s", "", running))
				l := newList(c, 120, 34)
				parent := ""
				if of == "subagent" {
					parent = "s"
				}
				for i := range n {
					c.Apply(looks(fmt.Sprint(i), parent, done, "text"))
					if of == "subagent" { // so that nothing folds
						c.Apply(chunkOf("s", "word"))
					}
				}
				if of == "open run" {
					l.expanded[c.Node(2).Parent()] = true
				}
				b.ReportAllocs()
				for i := 0; b.Loop(); i++ {
					id := fmt.Sprint("n", i)
					c.Apply(looks(id, parent, running, ""))
					l.Lines()
					c.Apply(looks(id, parent, done, "text"))
					l.Lines()
				}
			})
		}
	}
}
