package toolview

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/acpclient"
	"parley/internal/conversation"
)

func TestReplaced(t *testing.T) {
	text, image := acpclient.TextContent, acpclient.ToolCallContent{
		Type: acpclient.ToolContentBlock, Content: &acpclient.ContentBlock{Type: acpclient.ContentImage, Data: "aGk="},
	}
	diff := func(path, now string) acpclient.ToolCallContent { return acpclient.DiffContent(path, nil, now) }
	type contents = acpclient.ToolCallContents
	for name, tt := range map[string]struct{ asked, shown, want contents }{
		"the same":                     {contents{text("# plan"), diff("/a", "x"), image}, contents{image, text("# plan\n"), diff("/a", "y")}, nil},
		"part of a longer text":        {contents{text("# plan")}, contents{text("This is the\n# plan\nof today")}, nil},
		"replaced by a word":           {contents{text("# plan"), diff("/a", "x"), image}, contents{text("Done")}, contents{text("# plan"), diff("/a", "x"), image}},
		"another file":                 {contents{diff("/a", "x")}, contents{diff("/b", "x")}, contents{diff("/a", "x")}},
		"asked twice, shown once more": {contents{text("# plan"), text("# plan"), image, image}, nil, contents{text("# plan"), image}},
	} {
		t.Run(name, func(t *testing.T) {
			got := Replaced(&conversation.ToolCall{Content: tt.shown, Asked: []*conversation.ToolCall{{Content: tt.asked}}})
			if d := cmp.Diff([]acpclient.ToolCallContent(tt.want), got); d != "" {
				t.Error(d)
			}
		})
	}
}

// A question with very many contents, about a call that has as many others, is drawn like
// any other: this test does not end otherwise.
func TestReplacedOfMany(t *testing.T) {
	const many = 50_000
	for name, content := range map[string]func(word string, i int) acpclient.ToolCallContent{
		"texts": func(word string, i int) acpclient.ToolCallContent {
			return acpclient.TextContent(fmt.Sprintf("# %s %08d", word, i))
		},
		"files": func(word string, i int) acpclient.ToolCallContent {
			return acpclient.DiffContent(fmt.Sprintf("/%s/%08d", word, i), nil, "")
		},
		"unknown ones": func(word string, i int) acpclient.ToolCallContent {
			return acpclient.ToolCallContent{Type: "odd", Raw: fmt.Appendf(nil, `{"%s":%d}`, word, i)}
		},
	} {
		t.Run(name, func(t *testing.T) {
			var asked, shown acpclient.ToolCallContents
			for i := range many {
				asked, shown = append(asked, content("plan", i)), append(shown, content("done", i))
			}
			got := Replaced(&conversation.ToolCall{Content: shown, Asked: []*conversation.ToolCall{{Content: asked}}})
			if len(got) != many {
				t.Errorf("%d of %d are shown", len(got), many)
			}
		})
	}
}
