package dialog

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/safetext"
	"parley/tui/diffview"
	"parley/tui/markdown"
)

// toolFace is how a kind of tool is shown. An unknown kind has the word that
// the agent sent.
type toolFace struct{ icon, word string }

var toolFaces = map[acpclient.ToolKind]toolFace{
	acpclient.ToolRead:       {"→", "read"},
	acpclient.ToolEdit:       {"✎", "edit"},
	acpclient.ToolDelete:     {"✗", "delete"},
	acpclient.ToolMove:       {"⇄", "move"},
	acpclient.ToolSearch:     {"⌕", "search"},
	acpclient.ToolExecute:    {"$", "run"},
	acpclient.ToolThink:      {"✻", "think"},
	acpclient.ToolFetch:      {"↓", "fetch"},
	acpclient.ToolSwitchMode: {"⇆", "switch mode"},
	acpclient.ToolOther:      {"•", "tool"},
	"":                       {"•", "tool"},
}

func faceOf(k acpclient.ToolKind) toolFace {
	if f, ok := toolFaces[k]; ok {
		return f
	}
	return toolFace{"•", cut(safetext.Line(strings.ReplaceAll(string(k), "_", " ")), 24)}
}

// aboutCall is everything that is known of a tool call, as content of a panel.
func aboutCall(t *conversation.ToolCall, cwd string) stack {
	parts := stack{newBlock(func(p paper) []string { return callHead(t, cwd, p) })}
	if c := callOf(t.RawInput); c.command != "" {
		parts = append(parts, gap{}, commandBlock(c, cwd))
	}
	for i := range t.Content {
		if part := contentPart(&t.Content[i], cwd); part != nil {
			parts = append(parts, gap{}, part)
		}
	}
	return parts
}

// callHead is the kind, the whole title and the places of a call.
func callHead(t *conversation.ToolCall, cwd string, p paper) []string {
	th, face := p.th, faceOf(t.Kind)
	title := t.Title
	if strings.TrimSpace(title) == "" {
		title = t.Name
	}
	if strings.TrimSpace(title) == "" {
		title = "a tool without a name"
	}
	indent := ansi.StringWidth(face.word) + 4
	if p.width < 3*indent {
		indent = 2
	}
	title = safetext.Visible(strings.TrimSpace(title))
	var out []string
	for i, line := range strings.Split(ansi.Wrap(title, max(1, p.width-indent), ""), "\n") {
		lead := strings.Repeat(" ", indent)
		if i == 0 {
			lead = pad(th.Accent.Render(face.icon+" "+face.word), indent)
		}
		out = append(out, lead+th.Strong.Render(line))
	}
	for _, at := range t.Locations {
		where := shown(at.Path, cwd)
		if at.Line != nil {
			where += fmt.Sprintf(":%d", *at.Line)
		}
		for _, line := range exact(where, max(1, p.width-indent)) {
			out = append(out, strings.Repeat(" ", indent)+th.Muted.Render(line))
		}
	}
	return out
}

// shown is a path for people: relative when it is inside cwd.
func shown(path, cwd string) string {
	if cwd != "" && filepath.IsAbs(path) {
		if rel, err := filepath.Rel(cwd, path); err == nil && rel != ".." && !strings.HasPrefix(rel, "../") {
			path = rel
		}
	}
	return safetext.VisibleLine(path)
}

// commandBlock shows a command whole, every character of it.
func commandBlock(c call, cwd string) content {
	return newBlock(func(p paper) []string {
		var out []string
		for i, line := range exact(safetext.Visible(c.command), max(1, p.width-2)) {
			lead := "  "
			if i == 0 {
				lead = p.th.Accent.Render("$") + " "
			}
			out = append(out, lead+p.th.Text.Render(line))
		}
		if c.dir != "" && c.dir != cwd {
			out = append(out, styled(exact("  in "+shown(c.dir, cwd), p.width), p.th.Muted)...)
		}
		return out
	})
}

// contentPart draws one content of a call; nil if there is nothing to see.
func contentPart(c *acpclient.ToolCallContent, cwd string) content {
	switch c.Type {
	case acpclient.ToolContentDiff:
		return newDiff(c, cwd)
	case acpclient.ToolContentTerminal:
		return nil // the transcript shows it, and nothing runs there yet
	case acpclient.ToolContentBlock:
		if c.Content != nil {
			return blockPart(c.Content)
		}
	}
	return note("content of a kind that parley does not know: " + string(c.Type))
}

func blockPart(b *acpclient.ContentBlock) content {
	switch b.Type {
	case acpclient.ContentText:
		if strings.TrimSpace(b.Text) == "" {
			return nil
		}
		return newMarkdown(b.Text)
	case acpclient.ContentImage, acpclient.ContentAudio:
		return note(fmt.Sprintf("%s, %s, %s of base64", b.Type, b.MimeType, count(len(b.Data), "byte")))
	case acpclient.ContentResourceLink:
		return note(strings.TrimSpace(b.Name + "  " + b.URI))
	case acpclient.ContentResource:
		if b.Resource != nil && b.Resource.Text != nil {
			return stack{note(b.Resource.URI), newMarkdown(*b.Resource.Text)}
		}
		if b.Resource != nil {
			return note(b.Resource.URI)
		}
	}
	return note("content of a kind that parley does not know: " + string(b.Type))
}

// rawPart shows the raw input as JSON; what is not JSON is shown as it is.
func rawPart(raw []byte) content {
	var pretty bytes.Buffer
	if json.Indent(&pretty, raw, "", "  ") != nil {
		pretty.Reset()
		pretty.Write(raw)
	}
	return newBlock(func(p paper) []string {
		lines := []string{p.th.Muted.Render("raw input")}
		return append(lines, styled(exact(safetext.Visible(pretty.String()), p.width), p.th.Text)...)
	})
}

// gap is an empty line.
type gap struct{}

func (gap) height(paper) int               { return 1 }
func (gap) lines(paper, int, int) []string { return []string{""} }

// note is a line or two in a quiet colour.
func note(s string) content {
	return newBlock(func(p paper) []string { return styled(exact(safetext.Visible(s), p.width), p.th.Muted) })
}

// diffPart is the change of a file; its path stands above it.
type diffPart struct{ diff *diffview.Diff }

func newDiff(c *acpclient.ToolCallContent, cwd string) content {
	d := diffview.New(shown(c.Path, cwd), c.OldText, c.NewText)
	head := newBlock(func(p paper) []string {
		added, removed := d.Stats()
		counts := p.th.DiffAddedCounter.Render(fmt.Sprintf("+%d", added)) + " " +
			p.th.DiffRemovedCounter.Render(fmt.Sprintf("-%d", removed))
		lines := styled(exact(d.Path(), p.width), p.th.DiffPath)
		if last := len(lines) - 1; ansi.StringWidth(lines[last])+2+ansi.StringWidth(counts) <= p.width {
			lines[last] += "  " + counts
			return lines
		}
		return append(lines, counts)
	})
	return stack{head, diffPart{d}}
}

func (d diffPart) height(p paper) int { return d.diff.Layout(p.width, diffview.Auto).Len() }

func (d diffPart) lines(p paper, from, to int) []string {
	return d.diff.Layout(p.width, diffview.Auto).Lines(from, to, p.th)
}

// newMarkdown is text in Markdown.
func newMarkdown(text string) content {
	return newBlock(func(p paper) []string {
		doc := markdown.New(p.th)
		doc.Append(text)
		doc.Finish()
		var out []string
		for i := range doc.Len() {
			out = append(out, doc.Lines(i, p.width)...)
		}
		return out
	})
}
