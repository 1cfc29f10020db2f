package toolview

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/tui/theme"
)

func TestBlock(t *testing.T) {
	size, text, blob := int64(1_500_000), "some text", "QUJD"
	for _, c := range []struct {
		name  string
		block acpclient.ContentBlock
		line  string
		want  Block // its Text and Media
	}{
		{"text", acpclient.TextBlock("**bold**"), "", Block{Text: "**bold**"}},
		{
			"image", acpclient.ImageBlock("image/png", strings.Repeat("A", 4000)), "▣ image image/png  3.0 kB",
			Block{Media: &Media{Data: strings.Repeat("A", 4000), Ext: ".png", Opens: true}},
		},
		{
			"image from somewhere",
			acpclient.ContentBlock{Type: acpclient.ContentImage, MimeType: "image/PNG", Data: "QUJD", URI: "https://a/b\u202e.png"},
			"▣ image image/PNG  3 B, https://a/b⟨U+202E⟩.png",
			Block{Media: &Media{Data: "QUJD", Ext: ".png", Opens: true}},
		},
		{
			"picture that may be a program", acpclient.ImageBlock("image/svg+xml", "QUJD"), "▣ image image/svg+xml  3 B",
			Block{Media: &Media{Data: "QUJD", Ext: ".bin"}},
		},
		{
			"audio",
			acpclient.ContentBlock{Type: acpclient.ContentAudio, MimeType: "audio/mpeg", Data: "QUJD"},
			"▣ audio audio/mpeg  3 B",
			Block{Media: &Media{Data: "QUJD", Ext: ".mp3", Opens: true}},
		},
		{"link", acpclient.ResourceLinkBlock("docs", "https://a/b%20c"), "▣ link docs  https://a/b%20c", Block{}},
		{"link to a file", acpclient.ResourceLinkBlock("a.go", "file:///a.go"), "▣ file /a.go", Block{}},
		{"link to a file of the project", acpclient.ResourceLinkBlock("src/a b.go", "file:///work/src/a%20b.go"), "▣ file src/a b.go", Block{}},
		{"link to a file by another name", acpclient.ResourceLinkBlock("the notes", "file:///home/ada/n%C3%B6tes.md"), "▣ file the notes  ~/nötes.md", Block{}},
		{"link to lines of a file", acpclient.ResourceLinkBlock("a.go", "file:///work/a.go#L3:9"), "▣ file a.go  a.go#L3:9", Block{}},
		{"link to a file elsewhere", acpclient.ResourceLinkBlock("a.go", "file://host/a.go"), "▣ link a.go  file://host/a.go", Block{}},
		{"link that hides something", acpclient.ResourceLinkBlock("a.go", "file:///work/%E2%80%AEa%0A.go"), "▣ file a.go  ⟨U+202E⟩a␤.go", Block{}},
		{
			"folder",
			acpclient.ContentBlock{Type: acpclient.ContentResourceLink, Name: "src", URI: "file:///work/src", MimeType: "inode/directory"},
			"▣ folder src",
			Block{},
		},
		{
			"link with everything",
			acpclient.ContentBlock{Type: acpclient.ContentResourceLink, Name: "n", Title: "The title", URI: "x:y", MimeType: "text/plain", Size: &size},
			"▣ link The title  x:y, text/plain, 1.5 MB",
			Block{},
		},
		{
			"text of a resource", acpclient.TextResourceBlock("file:///a.txt", "text/plain", text), "▣ file /a.txt  text/plain, 9 B",
			Block{Text: text, Media: &Media{Data: text, Plain: true, Ext: ".txt"}},
		},
		{
			"data of a resource",
			acpclient.ContentBlock{Type: acpclient.ContentResource, Resource: &acpclient.ResourceContents{URI: "x:y", Blob: &blob}},
			"▣ resource x:y  3 B",
			Block{Media: &Media{Data: blob, Ext: ".bin"}},
		},
		{"resource without any", acpclient.ContentBlock{Type: acpclient.ContentResource}, "▣ content resource  of a kind that parley does not know", Block{}},
		{"unknown", acpclient.ContentBlock{Type: "smell"}, "▣ content smell  of a kind that parley does not know", Block{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := Paths{Dir: "/work", Home: "/home/ada"}.Block(&c.block)
			if got.String() != c.line || ansi.Strip(got.Styled(theme.New(true))) != c.line {
				t.Errorf("it says %q, want %q", got.String(), c.line)
			}
			if d := cmp.Diff(c.want, Block{Text: got.Text, Media: got.Media}); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestMediaBytes(t *testing.T) {
	for _, c := range []struct {
		name  string
		media Media
		want  string
		err   string
	}{
		{"base64", Media{Data: "QUJD"}, "ABC", ""},
		{"text", Media{Data: "QUJD", Plain: true}, "QUJD", ""},
		{"damaged", Media{Data: "?"}, "", "the content is damaged: it is not base64"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := c.media.Bytes()
			if string(got) != c.want || (err == nil) != (c.err == "") || err != nil && err.Error() != c.err {
				t.Errorf("got %q and error %v", got, err)
			}
		})
	}
}

func TestExcerptOf(t *testing.T) {
	line := 7
	old := "one\n"
	image := acpclient.ImageBlock("image/png", "QUJD")
	for _, c := range []struct {
		name string
		call conversation.ToolCall
		want Excerpt
	}{
		{"the title alone", conversation.ToolCall{Title: "Think"}, Excerpt{Text: "Think"}},
		{"nothing", conversation.ToolCall{Title: " ", Name: "think"}, Excerpt{}},
		{
			"text and a diff",
			conversation.ToolCall{Title: "Edit", Content: []acpclient.ToolCallContent{
				acpclient.TextContent("done"), acpclient.DiffContent("/a.go", &old, "two\n"), acpclient.DiffContent("/b.go", nil, "new\n"),
			}},
			Excerpt{Text: "Edit\n\ndone\n\n/a.go\ntwo\n\n\n/b.go\nnew\n", Path: "/a.go"},
		},
		{
			"a location comes before a diff",
			conversation.ToolCall{
				Locations: []acpclient.ToolCallLocation{{Path: "/c.go", Line: &line}, {Path: "/d.go"}},
				Content:   []acpclient.ToolCallContent{acpclient.DiffContent("/a.go", nil, "x")},
			},
			Excerpt{Text: "/a.go\nx", Path: "/c.go", Line: 7},
		},
		{
			"the last of the media",
			conversation.ToolCall{Title: "See", Content: []acpclient.ToolCallContent{
				{Type: acpclient.ToolContentBlock, Content: &image}, acpclient.TerminalContent("t"), acpclient.TextContent("that was it"),
			}},
			Excerpt{Text: "See\n\nthat was it", Media: &Media{Data: "QUJD", Ext: ".png", Opens: true}},
		},
		{
			"an unknown kind",
			conversation.ToolCall{Title: "Project", Content: []acpclient.ToolCallContent{{Type: "hologram", Raw: []byte(`{"type":"hologram"}`)}}},
			Excerpt{Text: "Project\n\n{\"type\":\"hologram\"}"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			if d := cmp.Diff(c.want, ExcerptOf(&c.call)); d != "" {
				t.Error(d)
			}
		})
	}
}

// A path of nothing but backticks is written as fast as any other: this test does not end
// otherwise.
func TestChangeOfBackticks(t *testing.T) {
	ticks := strings.Repeat("`", 4<<20)
	c := acpclient.ToolCallContent{Path: ticks, Change: &acpclient.FileChange{Operation: acpclient.FileAdd}}
	if got, want := Change(&c), "Adds "+ticks+"` "+ticks+" `"+ticks; got != want {
		t.Errorf("%d bytes, want %d", len(got), len(want))
	}
}
