package toolview

import (
	"reflect"
	"strings"

	"parley/acpclient"
	"parley/internal/conversation"
)

// Replaced returns the content of the question that the call itself no longer shows:
// agents replace a diff or a plan by a message about the result. A description of what
// a program will do is rightly replaced by its output.
func Replaced(t *conversation.ToolCall) []acpclient.ToolCallContent {
	if len(t.Asked) == 0 {
		return nil
	}
	var lost []acpclient.ToolCallContent
	seen := onView{paths: map[string]bool{}, texts: map[string]bool{}, effort: mostEffort}
	for i := range t.Content {
		seen.add(&t.Content[i])
	}
	for _, asked := range t.Asked {
		for i := range asked.Content {
			c := &asked.Content[i]
			words := c.Type == acpclient.ToolContentBlock && c.Content != nil && VerbatimWhenAsked(t.Kind, c.Content.Text)
			if !words && !seen.shows(c) {
				lost = append(lost, *c)
				seen.add(c)
			}
		}
	}
	return lost
}

// mostEffort bounds what is compared, in bytes, and pairEffort is the minimum cost of a
// comparison, because a question and a call can have very many contents each. What was
// not compared is shown, perhaps twice.
const (
	mostEffort = 8 << 20
	pairEffort = 128
)

// onView is what a call shows.
type onView struct {
	paths  map[string]bool // of the changed files
	texts  map[string]bool
	all    []*acpclient.ToolCallContent
	effort int // the remaining effort
}

func (v *onView) add(c *acpclient.ToolCallContent) {
	switch {
	case c.Type == acpclient.ToolContentDiff:
		v.paths[c.Path] = true
		return
	case c.Type == acpclient.ToolContentBlock && c.Content != nil:
		v.texts[strings.TrimSpace(c.Content.Text)] = true
	}
	v.all = append(v.all, c)
}

// shows reports whether a content is shown. A file that is changed in both counts as
// shown, even if the changes differ.
func (v *onView) shows(c *acpclient.ToolCallContent) bool {
	switch {
	case c.Type == acpclient.ToolContentDiff:
		return v.paths[c.Path]
	case c.Type == acpclient.ToolContentBlock && c.Content != nil && c.Content.Type == acpclient.ContentText:
		text := strings.TrimSpace(c.Content.Text)
		return v.texts[text] || v.any(func(o *acpclient.ToolCallContent) bool {
			if o.Type != c.Type || o.Content == nil {
				return false
			}
			v.effort -= len(o.Content.Text)
			return strings.Contains(o.Content.Text, text)
		})
	}
	return v.any(func(o *acpclient.ToolCallContent) bool { return o.Type == c.Type && reflect.DeepEqual(o, c) })
}

// any reports whether is returns true for one of the contents, while the effort lasts.
func (v *onView) any(is func(*acpclient.ToolCallContent) bool) bool {
	for _, o := range v.all {
		if v.effort <= 0 {
			return false
		}
		v.effort -= pairEffort
		if is(o) {
			return true
		}
	}
	return false
}
