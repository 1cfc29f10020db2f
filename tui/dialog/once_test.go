package dialog

import (
	"strings"
	"testing"

	"parley/acpclient"
	"parley/internal/conversation"
)

// What agents send as title, input and content is shown once.
func TestEachIsShownOnce(t *testing.T) {
	text := acpclient.TextContent
	run := func(title, content string) conversation.ToolCall {
		return conversation.ToolCall{Title: title, Kind: acpclient.ToolExecute, RawInput: []byte(`{"command":"make all"}`), Content: []acpclient.ToolCallContent{text(content)}}
	}
	for name, tt := range map[string]struct {
		call conversation.ToolCall
		once string
	}{
		"a command, its title and its content": {run("`make all`", "```console\n$ make all\n```"), "make all"},
		"a command in a line of code":          {run("Run make all", "`make all`"), "make all"},
		"a shortened command":                  {run("make …", "make all"), "make"},
		"the prompt of a subagent": {conversation.ToolCall{
			Title: "Look around", Kind: acpclient.ToolThink, RawInput: []byte(`{"prompt":"Look at\nall files."}`), Content: []acpclient.ToolCallContent{text("Look at\nall files.")},
		}, "all files."},
		"a patch beside its change": {conversation.ToolCall{
			Title: "write", Kind: acpclient.ToolEdit, Locations: []acpclient.ToolCallLocation{{Path: "/home/ada/greet/x.txt"}},
			RawInput: []byte(`{"filepath":"/home/ada/greet/x.txt","diff":"Index: /home/ada/greet/x.txt\n=====\n--- /home/ada/greet/x.txt\n+++ /home/ada/greet/x.txt\n@@ -0,0 +1,1 @@\n+hello file\n"}`),
			Content:  []acpclient.ToolCallContent{acpclient.DiffContent("/home/ada/greet/x.txt", nil, "hello file\n")},
		}, "hello file"},
		"the path of a change": {conversation.ToolCall{
			Title: "write", Kind: acpclient.ToolEdit, Locations: []acpclient.ToolCallLocation{{Path: "/home/ada/greet/x.txt"}},
			Content: []acpclient.ToolCallContent{acpclient.DiffContent("/home/ada/greet/x.txt", nil, "hello\n")},
		}, "x.txt"},
	} {
		t.Run(name, func(t *testing.T) {
			d, _ := armed(&conversation.Permission{ID: 1, Asked: &tt.call, Options: usualOptions()})
			if text := shownBy(d, 80, 40); strings.Count(text, tt.once) != 1 {
				t.Errorf("%q is shown %d times:\n%s", tt.once, strings.Count(text, tt.once), text)
			}
		})
	}
}

// Every option has a key, as long as there are any, and no key has two.
func TestEveryOptionHasAKey(t *testing.T) {
	p := runPermission()
	p.Options = nil
	for range 60 {
		p.Options = append(p.Options, acpclient.PermissionOption{OptionID: "x", Name: "X", Kind: acpclient.AllowOnce})
	}
	d, _ := armed(p)
	taken := map[string]bool{}
	for i, r := range d.replies.list {
		for _, key := range r.keys {
			if taken[key] || key == "ctrl+r" || key == "alt+i" || key == "y" || key == "n" {
				t.Errorf("option %d has the key %q, which means something else", i, key)
			}
			taken[key] = true
		}
		if i >= 9 && i < 50 && len(r.keys) == 0 {
			t.Errorf("option %d has no key", i)
		}
	}
}

// A question that changes while words are written to it is not rejected by the enter
// that was meant for what it was.
func TestWordsToAQuestionThatChanges(t *testing.T) {
	d, c := armed(runPermission())
	presses(t, d, "tab", "n", "o")
	d.View(80, 24)
	other := *d.asked.Asked
	changed := conversation.New()
	changed.Apply(conversation.PermissionOpened{ID: 8, Request: &acpclient.RequestPermissionRequest{ToolCall: acpclient.ToolCallUpdate{ToolCallID: "t", RawInput: []byte(`{"command":"rm -rf ~"}`)}}})
	other = *changed.Permissions[0].Asked
	d.asked.Asked = &other
	d.version = 0
	if got := strike(d, "enter"); got != nil {
		t.Errorf("enter did %#v", got)
	}
	c.pass(QuietTime)
	if got := strike(d, "enter"); got != (RejectWith{8, "no", "no"}) {
		t.Errorf("after a look, enter did %#v", got)
	}
}
