package dialog

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/termtext"
	"parley/tui/toolview"
)

// inputField is a member of a JSON object.
type inputField struct {
	key   string
	value json.RawMessage
}

// text is a value as text: a string as it is, anything else as JSON.
func (e inputField) text() string {
	var text string
	if json.Unmarshal(e.value, &text) != nil || strings.TrimSpace(text) == "" {
		return toolview.JSON(e.value, 0)
	}
	return text
}

// hiddenInput returns the members of a call's raw input that the dialog does not show
// otherwise, so that no unknown key hides what would be done. Input that is no object is
// one member without a key.
func hiddenInput(t *conversation.ToolCall, at toolview.Paths) []inputField {
	raw := bytes.TrimSpace(t.RawInput)
	switch string(raw) {
	case "", "null", "{}", "[]", `""`:
		return nil
	}
	all, ok := inputFields(raw)
	if !ok {
		return []inputField{{"", raw}}
	}
	values := make(map[string]json.RawMessage, len(all))
	for _, e := range all {
		if _, twice := values[e.key]; twice {
			return all // which of two values counts, only the agent knows
		}
		values[e.key] = e.value
	}
	shown := shownKeys(t, values, at)
	return slices.DeleteFunc(all, func(e inputField) bool { return shown[e.key] })
}

// inputFields returns the members of a JSON object in order; ok is false if it is no
// object.
func inputFields(raw []byte) (list []inputField, ok bool) {
	d := json.NewDecoder(bytes.NewReader(raw))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return nil, false
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, false
		}
		e := inputField{key: key.(string)}
		if d.Decode(&e.value) != nil {
			return nil, false
		}
		list = append(list, e)
	}
	end, err := d.Token()
	return list, err == nil && end == json.Delim('}')
}

// shownKeys are the keys of the raw input that the dialog shows in a better way:
// those that make up the command, questions and task lists, and those that say again
// what the places and the changes of the call say, under the names that agents give
// them.
func shownKeys(t *conversation.ToolCall, values map[string]json.RawMessage, at toolview.Paths) map[string]bool {
	shown := commandKeys(values, at)
	if onlyKeys(values["questions"], questionKeys) && len(toolview.Questions(t.RawInput)) > 0 {
		shown["questions"] = true
	}
	if onlyKeys(values["todos"], taskKeys) && len(t.Tasks) > 0 {
		shown["todos"] = true
	}
	says := func(keys []string, said func(string) bool) {
		for _, key := range keys {
			var s string
			if json.Unmarshal(values[key], &s) == nil && s != "" && said(s) {
				shown[key] = true
			}
		}
	}
	says(pathKeys, func(s string) bool {
		return slices.ContainsFunc(t.Locations, func(l acpclient.ToolCallLocation) bool { return l.Path == s })
	})
	for _, c := range t.Content {
		if c.Type != acpclient.ToolContentDiff {
			continue
		}
		says(pathKeys, func(s string) bool { return s == c.Path })
		says(newKeys, func(s string) bool { return s == c.NewText })
		says(oldKeys, func(s string) bool { return c.OldText != nil && s == *c.OldText })
		says(patchKeys, func(s string) bool { return isPatchOf(s, c) })
	}
	return shown
}

// The names under which agents give what a change and its place say, too.
var (
	pathKeys  = toolview.PathKeys
	newKeys   = []string{"content", "contents", "file_text", "new_string", "newString", "newText", "new_str"}
	dirKeys   = []string{"cwd", "workdir", "workingDirectory", "directory"}
	patchKeys = []string{"diff", "patch"}
	oldKeys   = []string{"old_string", "oldString", "oldText", "old_str"}
)

// What questions and task lists are shown by. The identity of a task and what it is
// called while it is at work change nothing about it.
var (
	questionKeys = []string{"question", "header", "multiSelect", "multiple", "options", "label", "description"}
	taskKeys     = []string{"content", "status", "priority", "id", "activeForm"}
)

// onlyKeys reports whether JSON is an array of objects that have no other keys,
// recursively, and none twice.
func onlyKeys(raw json.RawMessage, keys []string) bool {
	var items []json.RawMessage
	if json.Unmarshal(raw, &items) != nil {
		return false
	}
	for _, item := range items {
		object, ok := inputFields(item)
		if !ok {
			return false
		}
		seen := map[string]bool{}
		for _, e := range object {
			if seen[e.key] || !slices.Contains(keys, e.key) || bytes.ContainsAny(e.value, "{[") && !onlyKeys(e.value, keys) {
				return false
			}
			seen[e.key] = true
		}
	}
	return true
}

// commandKeys returns the keys that make up the shown command: without any of them it
// would differ.
func commandKeys(values map[string]json.RawMessage, at toolview.Paths) map[string]bool {
	part, used := map[string]json.RawMessage{}, map[string]bool{}
	for _, key := range slices.Concat(dirKeys, []string{"command", "cmd", "args"}) {
		if v, ok := values[key]; ok {
			part[key] = v
		}
	}
	command := func() toolview.Command {
		raw, _ := json.Marshal(part)
		return at.Command(raw)
	}
	whole := command()
	if whole.Line == "" {
		return used
	}
	for key, v := range part {
		delete(part, key)
		used[key] = command() != whole
		part[key] = v
	}
	for _, key := range dirKeys {
		var dir string
		if json.Unmarshal(values[key], &dir) == nil && dir != "" && dir == at.Dir {
			used[key] = true // where everything runs of which nothing else is said
		}
	}
	return used
}

// labelled draws a text in full, behind its label if both fit on a line, else below it.
func labelled(label, s string) content {
	below := quoted(label, s)
	return newBlock(func(p paper) []string {
		text := termtext.Visible(s)
		if strings.Contains(text, "\n") || termtext.Width(label)+2+termtext.Width(text) > p.width {
			return below.lines(p, 0, below.height(p))
		}
		return []string{p.th.Muted.Render(label) + "  " + p.th.Text.Render(text)}
	})
}

// inputBlock draws members in full: strings as lines, other values as JSON.
func inputBlock(list []inputField, reach *toolview.Reach) content {
	var parts column
	for _, e := range list {
		label := termtext.VisibleLine(e.key)
		if label == "" {
			label = toolview.RawInput
		}
		text := e.text()
		if slices.Contains(locationKeys, e.key) && reach.Of(text).Outside {
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
	for _, e := range hiddenInput(t, at) {
		var s string
		if json.Unmarshal(e.value, &s) == nil {
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
