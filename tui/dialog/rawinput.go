package dialog

import (
	"encoding/json"
	"strings"

	"parley/internal/conversation"
	"parley/internal/termtext"
	"parley/tui/toolview"
)

// labelled draws a text in full, behind its label if both fit on a line, else below it.
func labelled(label, s string) content {
	below := quoted(label, s)
	return newBlock(func(p renderContext) []string {
		text := termtext.Visible(s)
		if strings.Contains(text, "\n") || termtext.Width(label)+2+termtext.Width(text) > p.width {
			return below.lines(p, 0, below.height(p))
		}
		return []string{p.th.Muted.Render(label) + "  " + p.th.Text.Render(text)}
	})
}

// inputBlock draws members in full: strings as lines, other values as JSON.
func inputBlock(list []toolview.InputField, reach *toolview.Reach) content {
	var parts column
	for _, e := range list {
		label := termtext.VisibleLine(e.Key)
		if label == "" {
			label = toolview.RawInput
		}
		text := e.Text()
		if toolview.IsLocation(e.Key) && reach.Of(text).Outside {
			parts = append(parts, labelledLocation(label, text, reach.Of(text)))
			continue
		}
		parts = append(parts, labelled(label, strings.TrimRight(text, "\n")))
	}
	return parts
}

// shownTexts returns the texts that the dialog shows before a call's content: its command
// and the strings of its raw input. Agents repeat them as content.
func shownTexts(t *conversation.ToolCall, at toolview.Paths) map[string]bool {
	all := map[string]bool{}
	add := func(s string) {
		if s = unfenced(s); s != "" {
			all[s] = true
		}
	}
	add(at.Command(t.RawInput).Line)
	for _, e := range at.OtherInput(t) {
		var s string
		if json.Unmarshal(e.Value, &s) == nil {
			add(s)
		}
	}
	return all
}

// unfenced returns a text without its code fence and prompt sign.
func unfenced(s string) string {
	s = strings.TrimSpace(s)
	fence := s[:len(s)-len(strings.TrimLeft(s, "`"))]
	if first, rest, ok := strings.Cut(s, "\n"); ok && len(fence) >= 3 && strings.HasSuffix(rest, fence) && !strings.Contains(first[len(fence):], "`") {
		s = strings.TrimSpace(strings.TrimSuffix(rest, fence))
	} else if inner, ok := strings.CutPrefix(s, "`"); ok && len(fence) == 1 && strings.IndexByte(inner, '`') == len(inner)-1 {
		s = strings.TrimSuffix(inner, "`")
	}
	return strings.TrimPrefix(s, "$ ")
}
