package tab

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// openItem opens the file that the selected item is about in the person's
// editor; a picture or a sound is saved and shown.
func (t *Tab) openItem() tea.Cmd {
	item := t.list.Excerpt()
	switch {
	case item.Media != nil:
		return save(item.Media)
	case item.Path == "":
		return t.say("this item names no file")
	}
	return t.edit(item.Path, item.Line)
}

// edit opens a file in the person's editor, at a line if that is not 0.
func (t *Tab) edit(path string, line int) tea.Cmd {
	if !filepath.IsAbs(path) {
		path = filepath.Join(t.cwd, path)
	}
	editor := os.Getenv("VISUAL")
	if editor == "" {
		editor = os.Getenv("EDITOR")
	}
	words := strings.Fields(editor)
	if len(words) == 0 {
		return t.say("set $EDITOR to open files")
	}
	args := words[1:]
	if line > 0 && takesLine(words[0]) {
		args = append(args, fmt.Sprintf("+%d", line))
	}
	cmd := exec.Command(words[0], append(args, path)...)
	return t.exec(cmd, func(err error) tea.Msg {
		if err != nil {
			return ErrorMsg{fmt.Errorf("%s: %w", words[0], err)}
		}
		return nil
	})
}

// takesLine reports whether an editor understands +LINE.
func takesLine(editor string) bool {
	switch filepath.Base(editor) {
	case "vi", "vim", "nvim", "nano", "emacs", "emacsclient", "micro", "kak", "joe", "ne", "mg":
		return true
	}
	return false
}
