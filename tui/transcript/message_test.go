package transcript

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/png"
	"runtime"
	"strings"
	"testing"
	"weak"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/termtext"
	"parley/tui/desktop"
	"parley/tui/theme"
)

func TestAThoughtIsOverWhenAnythingElseBegins(t *testing.T) {
	think := conversation.Text{Chunk: acpclient.AgentThoughtChunk, MessageID: "m", Text: "Let me see"}
	for name, c := range map[string]struct {
		events []conversation.Event
		want   string
	}{
		"while it goes on":             {[]conversation.Event{ask("x"), think}, "✻ Thinking…\n  Let me see"},
		"when the answer has begun":    {[]conversation.Event{ask("x"), think, say("So.")}, "✻ Thought: Let me see"},
		"in a session that was loaded": {[]conversation.Event{think, conversation.SessionOpened{ID: "s"}}, "✻ Thought: Let me see"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := drawn(c.events, false); !strings.Contains(got, c.want) {
				t.Errorf("%s\nwant\n%s", got, c.want)
			}
		})
	}
	thinks := func(text string) []conversation.Event {
		return []conversation.Event{ask("x"), conversation.Text{Chunk: acpclient.AgentThoughtChunk, Text: text}, say("So.")}
	}
	for _, empty := range []string{" \n\n", "****", "**  **\n\n<!-- -->\n", "# "} {
		if got := drawn(thinks(empty), false); got != "❯ x\n\n● So." {
			t.Errorf("a thought of %q:\n%s", empty, got)
		}
	}
	if got := drawn(thinks("<!-- -->\n\n**Weighing** it"), false); !strings.Contains(got, "✻ Thought: Weighing it") {
		t.Errorf("the heading is not found:\n%s", got)
	}
}

// A message is what the agent says last that it is, whatever was drawn of it before.
func TestAMessageThatIsReplacedIsDrawnAnew(t *testing.T) {
	for kind, want := range map[acpclient.ChunkKind]string{acpclient.AgentMessageChunk: "● Better words.", acpclient.AgentThoughtChunk: "✻ Thinking…\n  Better words."} {
		c := fold(ask("go"))
		l := newList(c, 60, 20)
		whole := func(text string) {
			u := acpclient.MessageUpdate{Chunk: kind, MessageID: "m"}
			u.Content.Set, u.Content.Value = true, &[]acpclient.ContentBlock{acpclient.TextBlock(text)}
			c.Apply(conversation.Update{Update: &u})
		}
		whole("The first words of all.")
		if got := view(l); !strings.Contains(got, "The first words of all.") {
			t.Fatalf("it is not drawn:\n%s", got)
		}
		whole("Better")
		c.Apply(conversation.Text{Chunk: kind, MessageID: "m", Text: " words."})
		if got := strings.TrimSpace(view(l)); got != "❯ go\n\n"+want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	}
}

func TestAnsweredQuestionsStay(t *testing.T) {
	form := &acpclient.CreateElicitationRequest{Mode: acpclient.ElicitForm, Message: "About the\nrelease"}
	link := &acpclient.CreateElicitationRequest{Mode: acpclient.ElicitURL, Message: "Sign in", URL: "https://a/b\u202e", ElicitationID: "e"}
	answer := func(r *acpclient.CreateElicitationRequest, a acpclient.ElicitationAction, answers ...conversation.FieldAnswer) []conversation.Event {
		return []conversation.Event{conversation.ElicitationOpened{ID: 1, Request: r}, conversation.QuestionClosed{ID: 1, Action: a, Answers: answers}}
	}
	for _, c := range []struct {
		name   string
		events []conversation.Event
		want   string
	}{
		{
			"a form",
			answer(form, acpclient.ElicitAccept, conversation.FieldAnswer{Field: "Name", Value: "parley\x1b[2J"}, conversation.FieldAnswer{Field: "Key", Secret: true}),
			"? About the\n  release\n  Name: parley\n  Key: (not shown: it may be secret)",
		},
		{"declined", answer(form, acpclient.ElicitDecline), "? About the\n  release\n  you declined"},
		{"an address", answer(link, acpclient.ElicitAccept), "? Sign in\n  https://a/b⟨U+202E⟩\n  you went there"},
		{
			"an address, and done there",
			append(answer(link, acpclient.ElicitAccept), conversation.ElicitationCompleted{ElicitationID: "e"}),
			"? Sign in\n  https://a/b⟨U+202E⟩\n  you went there, and the agent says it is done",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := drawn(c.events, false); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

// What an error has for programs is there for those who open it.
func TestErrorsOpen(t *testing.T) {
	events := []conversation.Event{ask("go"), conversation.TurnEnded{Err: &acpclient.Error{Code: 400, Message: "no credit", Data: []byte(`{"errorKind":"billing"}`)}}}
	if got, want := drawn(events, false), "❯ go\n\n✗ The agent answered with an error\n  no credit (code 400)"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := drawn(events, true); !strings.Contains(got, "as the agent sent it\n  {\n    \"errorKind\": \"billing\"\n  }") {
		t.Errorf("opened:\n%s", got)
	}
}

// Whatever is searched for in what was asked or answered is found.
func TestFindsWhatWasAskedAndAnswered(t *testing.T) {
	events := append(
		permits(t, `{"toolCallId":"t","title":"Write","kind":"edit","content":[{"type":"diff","path":"/project/a","newText":"needle\n"}]}`, "yes"),
		up(t, `{"sessionUpdate":"tool_call_update","toolCallId":"t","content":[]}`),
		conversation.ElicitationOpened{ID: 2, Request: &acpclient.CreateElicitationRequest{Message: "Where is the needle?"}},
		conversation.QuestionClosed{ID: 2, Action: acpclient.ElicitAccept, Answers: []conversation.FieldAnswer{{Field: "Place", Value: "the needle is here"}}},
	)
	l := newList(fold(events...), 80, 20)
	l.Find("needle")
	if _, all := l.Found(); all != 3 {
		t.Errorf("found %d times in\n%s", all, view(l))
	}
}

// imageOf is a content block with an image of so many pixels.
func imageOf(t *testing.T, width, height int) (acpclient.ContentBlock, *desktop.Thumbnail) {
	t.Helper()
	pixels := image.NewRGBA(image.Rect(0, 0, width, height))
	for i := range pixels.Pix {
		pixels.Pix[i] = 0xff
	}
	var b bytes.Buffer
	if err := png.Encode(&b, pixels); err != nil {
		t.Fatal(err)
	}
	thumb, err := desktop.DecodeImage(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	return acpclient.ContentBlock{
		Type: acpclient.ContentImage, MimeType: "image/png", Data: base64.StdEncoding.EncodeToString(b.Bytes()),
	}, thumb
}

func TestPicturesAreDrawnBelowTheirLine(t *testing.T) {
	block, thumb := imageOf(t, 400, 300)
	l := newList(fold(ask("x"), tool("a", acpclient.ToolCompleted, acpclient.ToolCallContent{Type: acpclient.ToolContentBlock, Content: &block})), 80, 60)
	if text := view(l); strings.Contains(text, "▀") || !strings.Contains(text, "image/png") {
		t.Errorf("not as it is before it was decoded:\n%s", text)
	}
	wanted := l.Pending()
	if wanted == nil || l.Pending() != nil {
		t.Fatal("it has to be decoded once")
	}
	l.SetPicture(wanted, thumb)
	for _, width := range []int{80, 30} {
		l.SetSize(width, 60)
		rows := 0
		for line := range strings.Lines(view(l)) {
			if n := strings.Count(line, "▀"); n > 0 {
				rows++
				if n > width {
					t.Errorf("%d cells in %d columns", n, width)
				}
			}
		}
		if rows == 0 || rows > pictureRows {
			t.Errorf("in %d columns it takes %d lines", width, rows)
		}
	}
	l.Focus(true)
	if l.Excerpt().Media == nil {
		t.Error("it can no longer be saved")
	}
	l.SetTheme(theme.Named("dark").Theme(theme.Colors16))
	if strings.Contains(view(l), "▀") || l.Pending() != nil {
		t.Errorf("it is drawn in 16 colours:\n%s", view(l))
	}
}

func TestOnlyPicturesNearbyAreMade(t *testing.T) {
	block, thumb := imageOf(t, 4, 4)
	c := fold(ask("x"))
	for range 500 {
		b := block
		b.Data = strings.Clone(block.Data) // another image
		c.Apply(tool(string(rune(0x4e00+len(c.Items))), acpclient.ToolCompleted, acpclient.ToolCallContent{Type: acpclient.ToolContentBlock, Content: &b}))
	}
	l := newList(c, 80, 20)
	made := 0
	for b := l.Pending(); b != nil && made < 1000; b = l.Pending() {
		l.SetPicture(b, thumb)
		made++
	}
	if made == 0 || made > nearPictures {
		t.Errorf("%d were made for a screen of 20 lines", made)
	}
	l.Top()
	l.Lines()
	for b := l.Pending(); b != nil && made < 1000; b = l.Pending() {
		l.SetPicture(b, thumb)
		made++
	}
	if made > 2*nearPictures || len(l.pictures.made) > keepPictures {
		t.Errorf("%d were made, %d are kept", made, len(l.pictures.made))
	}
	if !strings.Contains(view(l), "▀") {
		t.Errorf("nothing is drawn at the top:\n%s", view(l))
	}
}

// A long prompt is folded, and opens.
func TestLongPrompts(t *testing.T) {
	var lines []string
	for i := 1; i <= 500; i++ {
		lines = append(lines, fmt.Sprintf("pasted line %d", i))
	}
	l := newList(fold(ask("Look at this:\n"+strings.Join(lines, "\n")), say("I see.")), 80, 40)
	if got := view(l); !strings.Contains(got, "pasted line 7\n  … 493 more lines\n\n● I see.") {
		t.Errorf("folded:\n%s", got)
	}
	l.expanded[l.conv.Node(0)] = true
	l.SetSize(80, 600)
	if got := view(l); strings.Contains(got, "…") || !strings.Contains(got, "pasted line 8\n  pasted line 9\n") || !strings.Contains(got, "pasted line 500\n\n● I see.") {
		t.Errorf("expanded:\n%.800s", got)
	}
	if got := drawn([]conversation.Event{ask(strings.Join(lines[:promptMost], "\n"))}, false); strings.Contains(got, "…") {
		t.Errorf("a prompt that is not long is folded:\n%s", got)
	}
	if got := drawn([]conversation.Event{ask(strings.Repeat("word ", 20_000))}, false); strings.Count(got, "\n") != promptPeek || !strings.Contains(got, "more lines") {
		t.Errorf("one long line:\n%.900s", got)
	}
}

func TestAttachmentsAreCalledByTheirPaths(t *testing.T) {
	sent := conversation.PromptSent{Prompt: []acpclient.ContentBlock{
		acpclient.TextBlock("look"), acpclient.TextResourceBlock("file:///project/src/a%20b.go", "text/x-go", "x"),
		acpclient.ResourceLinkBlock("docs/ü.md", "file:///project/docs/%C3%BC.md"),
	}}
	want := "❯ look\n  ▣ file src/a b.go  text/x-go, 1 byte\n  ▣ file docs/ü.md"
	if got := drawn([]conversation.Event{sent}, false); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestPromptsHaveABarWithoutGrounds: with 16 colours no ground sets a prompt off.
func TestPromptsHaveABarWithoutGrounds(t *testing.T) {
	l := New(theme.Named("dark").Theme(theme.Colors16), fold(ask("one\n\ntwo")))
	l.SetSize(20, 3)
	if got, want := ansi.Strip(strings.Join(l.Lines(), "\n")), "┃ one\n┃ \n┃ two"; got != want {
		t.Errorf("a prompt is drawn as\n%s", got)
	}
}

// Where a prompt has a ground, it covers each of its lines to the last column.
func TestTheGroundOfAPromptIsABlock(t *testing.T) {
	sent := conversation.PromptSent{Prompt: []acpclient.ContentBlock{
		acpclient.TextBlock("One line.\n\nA paragraph that is wrapped at any of these widths, because it has so many words that it does not fit into one hundred and twenty columns.\n\n  日本語のテキストはとても幅が広いので折り返されますし、もっと長く続けることもできます。\n👩‍💻 ✈️ e\u0301\tafter a tab"),
		acpclient.ResourceLinkBlock("docs/a-file-with-a-long-name.md", "file:///project/docs/a.md"),
	}}
	shown := 0
	for _, th := range []*theme.Theme{theme.New(true), theme.New(false), theme.Named("dark").Theme(theme.Colors256), theme.Named("light").Theme(theme.Colors256)} {
		for _, width := range []int{20, 60, 80, 120} {
			l := New(th, fold(sent))
			l.SetSize(width, 40)
			for _, line := range l.Lines() {
				if line == "" {
					continue
				}
				shown++
				if got := cellsOnGround(line); got != width {
					t.Errorf("%d of %d cells have the ground: %q", got, width, line)
				}
			}
		}
	}
	if shown < 4*4*8 {
		t.Errorf("only %d lines were drawn", shown)
	}
}

// cellsOnGround counts the cells of a line that have a background.
func cellsOnGround(line string) (cells int) {
	var style uv.Style
	parser := ansi.NewParser()
	for line != "" {
		n, width := termtext.NextCluster(line)
		if strings.HasPrefix(line[:n], "\x1b[") {
			ansi.DecodeSequence(line[:n], ansi.NormalState, parser)
			uv.ReadStyle(parser.Params(), &style)
		} else if style.Bg != nil {
			cells += width
		}
		line = line[n:]
	}
	return cells
}

// What the conversation leaves out is let go by the view too, though it has drawn it.
func TestPicturesThatAreLeftOutAreLetGo(t *testing.T) {
	const size, most = 4 << 20, 48 << 20
	block, thumb := imageOf(t, 4, 4)
	for name, add := range map[string]func(int, acpclient.ContentBlock) conversation.Event{
		"messages": func(i int, b acpclient.ContentBlock) conversation.Event {
			return conversation.Update{Update: &acpclient.ContentChunk{Chunk: acpclient.AgentMessageChunk, MessageID: acpclient.MessageID(fmt.Sprint(i)), Content: b}}
		},
		"calls": func(i int, b acpclient.ContentBlock) conversation.Event {
			return tool(fmt.Sprint(i), acpclient.ToolCompleted, acpclient.ToolCallContent{Type: acpclient.ToolContentBlock, Content: &b})
		},
	} {
		c := fold(ask("x"))
		l := newList(c, 80, 10)
		var all []weak.Pointer[acpclient.ContentBlock]
		for i := range 24 {
			b := block
			b.Data += strings.Repeat("=", size)
			c.Apply(add(i, b))
			l.Lines()
			if wanted := l.Pending(); wanted != nil {
				all = append(all, weak.Make(wanted))
				l.SetPicture(wanted, thumb)
			}
		}
		l.Lines()
		runtime.GC()
		kept := 0
		for _, b := range all {
			if b := b.Value(); b != nil {
				kept += len(b.Data)
			}
		}
		if len(all) != 24 || kept == 0 || kept > most {
			t.Errorf("%s: %d MB of %d pictures are kept", name, kept>>20, len(all))
		}
		if !strings.Contains(view(l), "▀") {
			t.Errorf("%s: the latest is not drawn", name)
		}
		runtime.KeepAlive(l)
	}
}
