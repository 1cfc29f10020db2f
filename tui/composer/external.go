package composer

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/internal/termtext"
	"parley/tui/desktop"
)

// editedBytes bounds the text that is read back from an editor.
const editedBytes = 16 << 20

// The messages of an editor: its file is written, it was closed, its file was read.
type (
	editorReadyMsg struct {
		owner *Composer
		args  []string
		file  string
		was   string
	}
	editorClosedMsg struct {
		editorReadyMsg
		err error
	}
	editorTextMsg struct {
		owner     *Composer
		text, was string
	}
)

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
		file, err := writeDraft(text)
		if err != nil {
			return ErrorMsg{Err: fmt.Errorf("edit the prompt in an editor: %w", err)}
		}
		return editorReadyMsg{c, args, file, text}
	}
}

// writeDraft writes the text to a temporary file that only its owner can read.
func writeDraft(text string) (name string, err error) {
	f, err := os.CreateTemp("", "parley-prompt-*.md")
	if err != nil {
		return "", err
	}
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Close()); err != nil {
		_ = os.Remove(f.Name())
		return "", err
	}
	return f.Name(), nil
}

// runEditor hands the terminal to the editor.
func (c *Composer) runEditor(m editorReadyMsg) tea.Cmd {
	cmd := exec.Command(m.args[0], append(m.args[1:], m.file)...)
	return c.exec(cmd, func(err error) tea.Msg { return editorClosedMsg{m, err} })
}

// read reads the text back and removes the file.
func (m editorClosedMsg) read() tea.Msg {
	defer os.Remove(m.file)
	text, err := "", m.err
	if err == nil {
		text, err = readDraft(m.file)
	}
	if err != nil {
		return ErrorMsg{Err: fmt.Errorf("edit the prompt with %s: %w; the draft is unchanged",
			termtext.Line(filepath.Base(m.args[0])), err)}
	}
	return editorTextMsg{m.owner, text, m.was}
}

func readDraft(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, editedBytes+1))
	if err != nil {
		return "", err
	}
	if len(data) > editedBytes {
		return "", fmt.Errorf("the text is longer than %d MB", editedBytes>>20)
	}
	return clean(strings.TrimRight(string(data), "\r\n")), nil
}

// takeEdited replaces the draft by the editor's result. If that is unchanged the draft
// keeps its chips and its cursor.
func (c *Composer) takeEdited(m editorTextMsg) {
	if m.text != strings.TrimRight(m.was, "\n") {
		if c.search != nil { // begun before the editor appeared: what it shows is not the draft
			c.buf, c.search = c.search.draft, nil
		}
		c.buf.replace(pos{}, c.buf.last(), m.text)
	}
}
