package toolface

import (
	"reflect"
	"slices"
	"strings"

	"parley/acpclient"
	"parley/internal/conversation"
)

// Replaced is what the person was asked about and what the call itself does not
// show any more: agents replace a diff or a plan by a word about how it went. Words
// about what a program will do are replaced by what it did, as they should be.
func Replaced(t *conversation.ToolCall) []acpclient.ToolCallContent {
	var lost []acpclient.ToolCallContent
	for _, asked := range t.Asked {
		for i := range asked.Content {
			c := &asked.Content[i]
			words := c.Type == acpclient.ToolContentBlock && c.Content != nil && Verbatim(t.Kind, c.Content.Text)
			if !words && !shows(t.Content, c) && !shows(lost, c) {
				lost = append(lost, *c)
			}
		}
	}
	return lost
}

// shows reports whether contents show what another one does. A file that is
// changed in both is shown, though its change may be put in another way.
func shows(contents []acpclient.ToolCallContent, c *acpclient.ToolCallContent) bool {
	return slices.ContainsFunc(contents, func(o acpclient.ToolCallContent) bool {
		switch {
		case o.Type != c.Type:
			return false
		case c.Type == acpclient.ToolContentDiff:
			return o.Path == c.Path
		case c.Type == acpclient.ToolContentBlock && c.Content != nil && o.Content != nil && c.Content.Type == acpclient.ContentText:
			return strings.Contains(o.Content.Text, strings.TrimSpace(c.Content.Text))
		}
		return reflect.DeepEqual(o, *c)
	})
}
