package toolview

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"parley/acpclient"
	"parley/internal/app"
	"parley/internal/conversation"
	"parley/internal/policy"
)

// inputText returns a value as text: a string as it is, anything else as JSON.
func inputText(value json.RawMessage) string {
	if text := app.Decoded[string](value); strings.TrimSpace(text) != "" {
		return text
	}
	return JSON(value, 0)
}

// OtherInput returns the members of a call's raw input that nothing else of the call
// shows, so that no unknown key hides what would be done. Input that is no object is one
// member without a key.
func (p Paths) OtherInput(t *conversation.ToolCall) []policy.Field {
	raw := bytes.TrimSpace(t.RawInput)
	if emptyJSON(raw) {
		return nil
	}
	all, ok := policy.FieldsOf(raw)
	if !ok {
		return []policy.Field{{Value: raw}}
	}
	values := make(map[string]json.RawMessage, len(all))
	for _, e := range all {
		if _, twice := values[e.Key]; twice {
			return all // which of two values counts, only the agent knows
		}
		values[e.Key] = e.Value
	}
	shown := p.shownKeys(t, values)
	return slices.DeleteFunc(all, func(e policy.Field) bool { return shown[e.Key] })
}

// emptyJSON reports whether JSON is absent, or says nothing.
func emptyJSON(raw []byte) bool {
	switch string(bytes.TrimSpace(raw)) {
	case "", "null", "{}", "[]", `""`:
		return true
	}
	return false
}

// shownKeys returns the keys of the raw input that are shown in a better way: those that
// make up the command, questions and task lists, and those that repeat the locations and
// the changes of the call, under the names that agents give them.
func (p Paths) shownKeys(t *conversation.ToolCall, values map[string]json.RawMessage) map[string]bool {
	shown := map[string]bool{}
	command, keys := p.command(t.RawInput)
	for _, key := range keys {
		shown[key] = true
	}
	for _, key := range dirKeys { // where everything runs of which nothing else is said
		if dir := app.Decoded[string](values[key]); command.Line != "" && dir != "" && dir == p.Dir {
			shown[key] = true
		}
	}
	if onlyKeys(values["questions"], questionKeys) && len(Questions(t.RawInput)) > 0 {
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
		if t.Kind == acpclient.ToolSwitchMode && c.Type == acpclient.ToolContentBlock && c.Content != nil {
			says([]string{"plan"}, func(s string) bool { return s == c.Content.Text }) // drawn as Markdown
		}
		if c.Type != acpclient.ToolContentDiff {
			continue
		}
		says(pathKeys, func(s string) bool { return s == c.Path })
		says(newKeys, func(s string) bool { return s == c.NewText })
		says(oldKeys, func(s string) bool { return c.OldText != nil && s == *c.OldText })
		says(patchKeys, func(s string) bool { return isPatchOf(s, c) })
		fields, ok := policy.FieldsOf(values[policy.FileDiff])
		if ok && !slices.ContainsFunc(fields, func(f policy.Field) bool { return !repeats(f, c) }) {
			shown[policy.FileDiff] = true
		}
		for _, key := range fragmentKeys(values, c) {
			shown[key] = true
		}
	}
	return shown
}

// repeats reports whether a field of [policy.FileDiff] says what a change says.
func repeats(f policy.Field, c acpclient.ToolCallContent) bool {
	text := app.Decoded[string](f.Value)
	switch f.Key {
	case "file":
		return text == c.Path
	case "patch":
		return isPatchOf(text, c)
	case "before":
		return c.OldText != nil && text == *c.OldText
	case "after":
		return text == c.NewText
	}
	return f.Key == "additions" || f.Key == "deletions"
}

// fragmentKeys returns the keys of an edit that replaces one fragment of a file, if the
// change is its result. That every occurrence would be replaced is shown: the change may
// be of the fragment alone.
func fragmentKeys(values map[string]json.RawMessage, c acpclient.ToolCallContent) []string {
	first := func(names []string) (key string) {
		i := slices.IndexFunc(names, func(name string) bool { _, there := values[name]; return there })
		if i >= 0 {
			key = names[i]
		}
		return key
	}
	was, is, all := first(oldKeys), first(newKeys), first(allKeys)
	var old, now string
	if c.OldText == nil || json.Unmarshal(values[was], &old) != nil || json.Unmarshal(values[is], &now) != nil || old == "" ||
		all != "" && string(values[all]) != "false" || strings.Replace(*c.OldText, old, now, 1) != c.NewText {
		return nil
	}
	return []string{was, is, all}
}

// The names under which agents repeat what a change and its location say.
var (
	newKeys   = []string{"content", "contents", "file_text", "new_string", "newString", "newText", "new_str"}
	dirKeys   = []string{"cwd", "workdir", "workingDirectory", "directory"}
	patchKeys = []string{"diff", "patch"}
	oldKeys   = []string{"old_string", "oldString", "oldText", "old_str"}
	allKeys   = []string{"replace_all", "replaceAll"}
)

// The keys of questions and task lists that are shown. The id of a task and its name while
// it is in progress do not matter.
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
		object, ok := policy.FieldsOf(item)
		if !ok || string(item) == "null" {
			return false
		}
		seen := map[string]bool{}
		for _, e := range object {
			if seen[e.Key] || !slices.Contains(keys, e.Key) || bytes.ContainsAny(e.Value, "{[") && !onlyKeys(e.Value, keys) {
				return false
			}
			seen[e.Key] = true
		}
	}
	return true
}
