package dialog

import (
	"encoding/json"
	"strings"

	"parley/internal/conversation"
	"parley/tui/toolview"
)

// said are the texts that the dialog shows of a call before its content: its command,
// and the texts of its raw input. Agents send them as content once more.
func said(t *conversation.ToolCall, at toolview.Paths) map[string]bool {
	all := map[string]bool{}
	add := func(s string) {
		if s = unfenced(s); s != "" {
			all[s] = true
		}
	}
	add(at.Command(t.RawInput).Line)
	for _, e := range rest(t, at) {
		var s string
		if json.Unmarshal(e.value, &s) == nil {
			add(s)
		}
	}
	return all
}

// unfenced is a text without the fence of code around it, and the mark of a prompt.
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
