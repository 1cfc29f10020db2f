package composer

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/internal/conversation"
)

// runEditor opens the editor on a draft and, instead of the program loop, runs it.
func runEditor(t *testing.T, c *Composer, script string) (errs []error) {
	t.Helper()
	editor := filepath.Join(t.TempDir(), "my editor")
	if err := os.WriteFile(editor, []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", t.TempDir())
	t.Setenv("VISUAL", `"`+editor+`" --wait`)
	file := ""
	c.Exec = func(cmd *exec.Cmd, done tea.ExecCallback) tea.Cmd {
		file = cmd.Args[len(cmd.Args)-1]
		if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("the file has mode %v (%v)", info.Mode(), err)
		}
		return func() tea.Msg { return done(cmd.Run()) }
	}
	var saved []string
	c.Save = func() tea.Cmd {
		editing, text := c.Editing(), c.Text()
		return func() tea.Msg {
			if _, err := os.Stat(file); err != nil && !strings.HasPrefix(script, "rm ") {
				t.Error("the file is gone before the draft was saved")
			}
			saved = append(saved, editing, text)
			return nil
		}
	}
	before := c.Text()
	_, cmd := c.Key(press("ctrl+g"))
	for _, msg := range settleCmds(c, cmd) {
		errs = append(errs, msg.(ErrorMsg).Err)
	}
	if file == "" {
		t.Error("the editor is not started")
	}
	if want := []string{file, before, "", c.Text()}; !slices.Equal(saved, want) {
		t.Errorf("saved %q, want %q", saved, want)
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("the file is left behind")
	}
	return errs
}

func TestEditor(t *testing.T) {
	long := strings.Repeat("pasted\n", 20) + "end"
	for _, tt := range []struct {
		name, draft, paste, script string
		text, summary, err         string
	}{
		{name: "a text comes back", draft: "old", script: `echo "new  text" > "$2"; echo more >> "$2"`, text: "new  text\nmore", summary: "new  text\nmore"},
		{name: "what was there is there", draft: "old", script: `printf ' and new' >> "$2"`, text: "old and new", summary: "old and new"},
		{name: "pastes are unfolded", draft: "a ", paste: long, script: `printf '!\n' >> "$2"`, text: "a " + long + "!", summary: "a " + long + "!"},
		{name: "but stay folded when nothing changed", draft: "a ", paste: long, script: `echo >> "$2"`, text: "a " + long, summary: "a [pasted text #1, 21 lines]"},
		{name: "control characters go", draft: "", script: `printf 'a\033[31mb\r\nc' > "$2"`, text: "ab\nc", summary: "ab\nc"},
		{name: "an editor that fails keeps the draft", draft: "old", script: `echo new > "$2"; exit 3`, text: "old", summary: "old", err: "edit the prompt with my editor: exit status 3; the draft is unchanged"},
		{name: "a file that is gone keeps the draft", draft: "old", script: `rm "$2"`, text: "old", summary: "old", err: "no such file or directory; the draft is unchanged"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := newTest(t, nil)
			play(c, tt.draft)
			if tt.paste != "" {
				c.Paste(tt.paste)
			}
			errs := runEditor(t, c, tt.script)
			if tt.err == "" && len(errs) > 0 || tt.err != "" && (len(errs) != 1 || !strings.Contains(errs[0].Error(), tt.err)) {
				t.Errorf("errors %v, want %q", errs, tt.err)
			}
			p := Prompt{raw: c.buf.raw(), chips: c.chips}
			if c.Text() != tt.text || p.Summary() != tt.summary {
				t.Errorf("the text is %q (%q), want %q (%q)", c.Text(), p.Summary(), tt.text, tt.summary)
			}
		})
	}
}

// What is put into the draft while the editor runs is kept beside what was written there.
func TestDraftThatChangesBesideTheEditor(t *testing.T) {
	for draft, want := range map[string]string{"draft": "not sent\n\nwritten\nadded", "": "not sent\nadded\n\nwritten"} {
		c := newTest(t, nil)
		t.Setenv("TMPDIR", t.TempDir())
		t.Setenv("VISUAL", "true")
		c.Exec = func(cmd *exec.Cmd, done tea.ExecCallback) tea.Cmd {
			return func() tea.Msg {
				c.AddLine("added")
				c.TakeBack(conversation.QueuedPrompt{Prompt: []acpclient.ContentBlock{acpclient.TextBlock("not sent")}})
				return done(os.WriteFile(cmd.Args[len(cmd.Args)-1], []byte("written\n"), 0o600))
			}
		}
		play(c, draft)
		_, cmd := c.Key(press("ctrl+g"))
		settleCmds(c, cmd)
		if got := strings.ReplaceAll(c.Text(), "not sent\n\nadded", "not sent\nadded"); got != want {
			t.Errorf("of %q the text is %q, want %q", draft, got, want)
		}
	}
}

// A search of the history that was begun before the editor came up does not take what was
// written there.
func TestEditorBesideASearch(t *testing.T) {
	c := newTest(t, &History{texts: []string{"an old prompt"}})
	t.Setenv("TMPDIR", t.TempDir())
	t.Setenv("VISUAL", "true")
	c.Exec = func(cmd *exec.Cmd, done tea.ExecCallback) tea.Cmd {
		return func() tea.Msg {
			return done(os.WriteFile(cmd.Args[len(cmd.Args)-1], []byte("written in the editor\n"), 0o600))
		}
	}
	play(c, "draft")
	_, cmd := c.Key(press("ctrl+g"))
	play(c, "<ctrl+r>")
	settleCmds(c, cmd)
	if play(c, "<esc>"); c.Text() != "written in the editor" {
		t.Errorf("the text is %q", c.Text())
	}
}
