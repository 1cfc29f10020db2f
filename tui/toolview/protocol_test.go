package toolview

import (
	"encoding/json"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/schema"
)

// Every kind of tool that the protocol knows has a look of its own.
func TestEveryToolKindHasAFace(t *testing.T) {
	icons, verbs := map[string]string{}, map[string]string{}
	for _, k := range schema.V1().Kinds("ToolKind", "") {
		face, ok := kinds[acpclient.ToolKind(k)]
		if !ok {
			t.Errorf("kind %q has no face", k)
			continue
		}
		if ansi.StringWidth(face.Icon) != 1 || face.Verb == "" {
			t.Errorf("kind %q is shown as %+v", k, face)
		}
		if icons[face.Icon] != "" || verbs[face.Verb] != "" {
			t.Errorf("kind %q looks like %q%q", k, icons[face.Icon], verbs[face.Verb])
		}
		icons[face.Icon], verbs[face.Verb] = k, k
	}
}

// seen says which method a content was given to.
type seen struct{}

var _ Visitor[string] = seen{}

func (seen) Block(*acpclient.ContentBlock) string           { return "content" }
func (seen) Diff(string, *string, string) string            { return "diff" }
func (seen) Terminal(acpclient.TerminalID) string           { return "terminal" }
func (seen) Unknown(label string, _ json.RawMessage) string { return label }

// Every kind of content that the protocol knows is given to the method of its
// name.
func TestEveryKindOfContentIsVisited(t *testing.T) {
	for _, kind := range schema.V1().Kinds("ToolCallContent", "type") {
		c := acpclient.TextContent("text")
		c.Type = acpclient.ToolContentType(kind)
		if got := Visit(&c, seen{}); got != kind {
			t.Errorf("content of type %q was visited as %q", kind, got)
		}
	}
	c := acpclient.ToolCallContent{Type: "holo\x1b[1mgram"}
	if got, want := Visit(&c, seen{}), "content of a kind that parley does not know: hologram"; got != want {
		t.Errorf("content of another type was visited as %q, want %q", got, want)
	}
}

// Every kind of content block that the protocol knows is told in words or text.
func TestEveryContentBlockIsKnown(t *testing.T) {
	text := "text"
	for _, kind := range schema.V1().Kinds("ContentBlock", "type") {
		b := acpclient.ContentBlock{
			Type: acpclient.ContentType(kind), Text: text, Name: "name", MimeType: "image/png", Data: "AAAA",
			Resource: &acpclient.ResourceContents{URI: "file:///a", Text: &text},
		}
		if got := (Paths{}).Block(&b); got.Detail == unknownKind || got.What == "" && got.Text == "" {
			t.Errorf("a block of type %q is %+v", kind, got)
		}
		call := conversation.ToolCall{Content: []acpclient.ToolCallContent{{Type: acpclient.ToolContentBlock, Content: &b}}}
		if got := ExcerptOf(&call); got.Text != text {
			t.Errorf("of a block of type %q the clipboard gets %+v", kind, got)
		}
	}
}
