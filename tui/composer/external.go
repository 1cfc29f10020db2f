package composer

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/fs"
	"parley/internal/termtext"
	"parley/tui/desktop"
)

// editedBytes bounds the text that is read back from an editor.
const editedBytes = 16 << 20

// ErrorMsg reports an error to the user. The draft is unchanged.
type ErrorMsg struct{ Err error }

// openEditor returns the command that opens the draft in the user's editor.
func (c *Composer) openEditor() tea.Cmd {
	raw, chips := c.buf.raw(), c.chips.frozen()
	return func() tea.Msg {
		text := chips.expand(raw, false)
		args, err := desktop.SystemEditor().Words()
		if err != nil {
			return ErrorMsg{Err: fmt.Errorf("edit the prompt in an editor: %w", err)}
		}
		file, err := desktop.TempFile("parley-prompt-*.md", text)
		if err != nil {
			return ErrorMsg{Err: fmt.Errorf("edit the prompt in an editor: %w", err)}
		}
		return resultMsg{c, func() tea.Cmd { return c.runEditor(args, file, raw, text) }}
	}
}

// Editing returns the file with the draft that is in an editor, "" if there is none.
func (c *Composer) Editing() string { return c.editing }

// runEditor hands the terminal to the editor with a file that holds the draft as was, which
// is raw with its chips, reads the text back and removes the file. Should parley be killed
// meanwhile, or right afterwards, what is saved names the file.
func (c *Composer) runEditor(args []string, file, raw, was string) tea.Cmd {
	ended := func() tea.Cmd {
		c.editing = ""
		save := c.Save()
		return func() tea.Msg {
			defer os.Remove(file)
			if save == nil {
				return nil
			}
			return save()
		}
	}
	read := func(err error) tea.Msg {
		text := ""
		if err == nil {
			text, err = readDraft(file)
		}
		if err != nil {
			failed := ErrorMsg{Err: fmt.Errorf("edit the prompt with %s: %w; the draft is unchanged",
				termtext.Line(filepath.Base(args[0])), err)}
			return resultMsg{c, func() tea.Cmd { return tea.Batch(ended(), func() tea.Msg { return failed }) }}
		}
		return resultMsg{c, func() tea.Cmd {
			if text != strings.TrimRight(was, "\n") { // else the draft keeps its chips and its cursor
				c.endSearch() // begun before the editor appeared: what it shows is not the draft
				c.buf.rewrite(raw, text)
			}
			return tea.Batch(c.complete(), ended())
		}}
	}
	c.editing = file
	save, run := c.Save(), c.Exec(exec.Command(args[0], append(args[1:], file)...), func(err error) tea.Msg {
		return resultMsg{c, func() tea.Cmd { return func() tea.Msg { return read(err) } }} // the callback must not block
	})
	return func() tea.Msg {
		if save != nil {
			_ = save() // should it fail, so will the next one
		}
		return run()
	}
}

// rewrite replaces what the draft was by another text. What was added since stays.
func (b *buffer) rewrite(was, text string) {
	from, to, now := pos(0, 0), b.last(), b.raw()
	switch at := strings.Index(now, was); {
	case now == was:
	case at < 0 || was == "":
		from, text = to, "\n\n"+text
	default:
		from, to = after(from, now[:at]), after(from, now[:at+len(was)])
	}
	b.Replace(from, to, text)
}

func readDraft(name string) (string, error) {
	data, err := fs.ReadHead(name, editedBytes+1)
	if err != nil {
		return "", err
	}
	if len(data) > editedBytes {
		return "", fmt.Errorf("the text is longer than %d MB", editedBytes>>20)
	}
	return clean(strings.TrimRight(string(data), "\r\n")), nil
}
