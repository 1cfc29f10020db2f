package pages

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/internal/termtext"
)

// comment is the person's comment on a line.
type comment struct {
	line
	text string
}

// line is a line of a file that can be commented on.
type line struct {
	path   string
	number int // from 1
	old    bool
	quote  string
}

// lineHere is the line that the cursor is at; ok is false if there is none.
func (v *Review) lineHere() (l line, ok bool) {
	p := v.pane
	if p == nil || p.layout == nil {
		return l, false
	}
	old, now := p.layout.LinesAt(p.Mark)
	number, text := now, p.cmp.Now.Content
	if now < 0 {
		number, text = old, p.cmp.Before.Content
	}
	if number < 0 {
		return l, false
	}
	return line{p.path, number + 1, now < 0, lineOf(text, number)}, true
}

// lineOf is a line of a text, from 0, without its end.
func lineOf(text string, number int) string {
	for range number {
		at := strings.IndexByte(text, '\n')
		if at < 0 {
			return ""
		}
		text = text[at+1:]
	}
	text, _, _ = strings.Cut(text, "\n")
	return strings.TrimSuffix(text, "\r")
}

// commentOn is the comment on a line, -1 if there is none.
func (v *Review) commentOn(l line) int {
	return slices.IndexFunc(v.comments, func(c comment) bool {
		return c.path == l.path && c.number == l.number && c.old == l.old
	})
}

// startWriting begins or continues the comment on the line at the cursor.
func (v *Review) startWriting() {
	l, ok := v.lineHere()
	if !ok {
		v.say("move the cursor to a line to comment on it", nil)
		return
	}
	text := ""
	if i := v.commentOn(l); i >= 0 {
		text = v.comments[i].text
	}
	v.commenting = l
	v.page.Write(v.lineLabel(l), "your comment", text)
}

// writingKey takes a key while the person writes a comment. An empty comment is dropped.
func (v *Review) writingKey(k tea.KeyPressMsg) {
	switch k.String() {
	case "esc":
		v.page.Written()
	case "enter":
		v.take(comment{v.commenting, strings.TrimSpace(v.page.Written())})
	default:
		v.page.Line.Key(k)
	}
}

// take replaces the comment on a line.
func (v *Review) take(c comment) {
	if i := v.commentOn(c.line); i >= 0 {
		v.comments = slices.Delete(v.comments, i, i+1)
	}
	if c.text != "" {
		v.comments = append(v.comments, c)
	}
}

// sendComments puts the comments into the prompt.
func (v *Review) sendComments() tea.Cmd {
	if len(v.comments) == 0 {
		v.say("no comments yet", nil)
		return nil
	}
	var b strings.Builder
	for i, c := range v.comments {
		if i > 0 {
			b.WriteString("\n\n")
		}
		fmt.Fprintf(&b, "%s\n> %s\n%s", v.lineLabel(c.line), termtext.Line(c.quote), c.text)
	}
	v.comments = nil
	return v.opt.Host.Compose(b.String())
}

// lineLabel says where a line is.
func (v *Review) lineLabel(l line) string {
	place := fmt.Sprintf("%s:%d", termtext.Line(v.at.Path(l.path)), l.number)
	if l.old {
		place += " (before the change)"
	}
	return place
}
