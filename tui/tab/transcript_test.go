package tab

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/tui/toolview"
)

// Changes are looked for in the files of the project, and nowhere else.
func TestChangesAreLookedForInTheirFiles(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	write := func(path, text string) string {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write(filepath.Join(dir, "a"), "one\ntwo\nthree\n")
	write(filepath.Join(dir, "whole"), "all\n")
	write(filepath.Join(dir, "large"), "two\n"+strings.Repeat("x", 4<<20))
	secret := write(filepath.Join(outside, "secret"), "two\n")
	if err := os.Symlink(secret, filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	change := func(path, before, after string) toolview.Fragment {
		return toolview.Fragment{Path: path, Old: before, New: after}
	}
	want := map[toolview.Fragment]toolview.DiffPosition{
		change(filepath.Join(dir, "a"), "two\n", "2\n"): {Line: 2},
		change("a", "three\n", "3\n"):                   {Line: 3},
		change("a", "one\n", ""):                        {Line: 1},
		change("whole", "all\n", ""):                    {Line: 1, Deleted: true},
		change("gone", "all\n", ""):                     {Line: 1, Deleted: true},
	}
	wanted := []toolview.Fragment{
		change("a", "four\n", "4\n"), change("gone", "two\n", "2\n"), change("large", "two\n", "2\n"), change("folder", "two\n", "2\n"),
		change("link", "two\n", "2\n"), change(secret, "two\n", "2\n"), change("../secret", "two\n", "2\n"), change("", "two\n", "2\n"),
	}
	for f := range want {
		wanted = append(wanted, f)
	}
	if d := cmp.Diff(want, toolview.FindPositions(dir, wanted)); d != "" {
		t.Error(d)
	}
	if got := toolview.FindPositions(filepath.Join(dir, "nowhere"), wanted); len(got) != 0 {
		t.Errorf("in a folder that is not there: %v", got)
	}
}

// A change is looked for when it comes, and not again once it was found.
func TestChangesAreLookedForOnce(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a"), []byte("one\ntwo\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	before := "two\n"
	content := acpclient.ToolCallContents{acpclient.DiffContent("a", &before, "2\n")}
	asked := &acpclient.RequestPermissionRequest{}
	asked.ToolCall.Content = content
	for name, e := range map[string]conversation.Event{
		"a call":     conversation.Update{Update: &acpclient.ToolCall{Content: content}},
		"an update":  conversation.Update{Update: &acpclient.ToolCallUpdate{Content: content}},
		"a question": conversation.PermissionOpened{Request: asked},
	} {
		b := newBench(t, dir)
		look := b.locateIn([]conversation.Event{e})
		if look == nil {
			t.Errorf("%s: it is not looked for", name)
			continue
		}
		look().(then)()
		if got := b.facts.Position("a", &before, "2\n"); got.Line != 2 {
			t.Errorf("%s: found at %+v", name, got)
		}
		if b.locateIn([]conversation.Event{e}) != nil {
			t.Errorf("%s: it is looked for again", name)
		}
	}
	created := conversation.Update{Update: &acpclient.ToolCall{Content: acpclient.ToolCallContents{acpclient.DiffContent("a", nil, "new\n")}}}
	if newBench(t, dir).locateIn([]conversation.Event{created}) != nil {
		t.Error("a new file is looked for")
	}
}

// Some agents send the whole new text of a file that exists without its old one. The
// question shows what would be lost, as the session has seen it, and calls only that file new
// of which it has seen that there is none.
func TestAQuestionShowsWhatItReplaces(t *testing.T) {
	for name, before := range map[string]*string{"none": nil, "empty": new(string)} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, t.TempDir())
			asked := &acpclient.RequestPermissionRequest{Options: []acpclient.PermissionOption{{OptionID: "yes", Name: "Allow", Kind: acpclient.AllowOnce}}}
			asked.ToolCall.ToolCallID, asked.ToolCall.Kind = "t", new(acpclient.ToolEdit)
			asked.ToolCall.Content = acpclient.ToolCallContents{acpclient.DiffContent("a", before, "one\nthree\n"), acpclient.DiffContent("b", before, "new\n"), acpclient.DiffContent("c", before, "new\n")}
			b.events(conversation.PermissionOpened{ID: 1, Request: asked})
			b.mustShow(t, "a  +2 −0  previous content unknown", "b  +1 −0  previous content unknown")
			b.events(conversation.FilesSeen{ID: 1, Files: []conversation.FileSeen{{Path: "a", Exists: true, Text: "one\ntwo\nthree\n"}, {Path: "b"}, {Path: "c", Exists: true}}})
			b.mustShow(t, "edit (no title) a and 2 more +2 −1", "a  +0 −1 ", "2   - two", "b  +1 −0  new file", "c  +1 −0  replaces the file")
		})
	}
}
