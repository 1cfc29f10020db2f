package tui

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/config"
	"parley/internal/conversation"
	"parley/tui/composer"
)

// promptMsg is a prompt whose files were read.
type promptMsg struct{ blocks []acpclient.ContentBlock }

// submit sends a prompt. The files that it mentions are read on the way, one
// prompt after the other, so that they arrive in order.
func (m *Model) submit(p composer.Prompt) tea.Cmd {
	if m.list != nil {
		m.list.Bottom()
	}
	m.outbox = append(m.outbox, p)
	if len(m.outbox) > 1 {
		return nil
	}
	return m.readPrompt()
}

func (m *Model) readPrompt() tea.Cmd {
	p, caps := m.outbox[0], m.conv.Agent.Capabilities.PromptCapabilities
	return func() tea.Msg { return promptMsg{p.Blocks(caps)} }
}

func (m *Model) sent(msg promptMsg) tea.Cmd {
	m.session.Prompt(msg.blocks)
	m.outbox = m.outbox[1:]
	if len(m.outbox) > 0 {
		return m.readPrompt()
	}
	return nil
}

// sendNothing is enter on an empty prompt: a queue that a cancel has paused
// goes on.
func (m *Model) sendNothing() tea.Cmd {
	if m.conv != nil && m.conv.QueuePaused && len(m.conv.Queue) > 0 {
		m.session.ResumeQueue()
	}
	return nil
}

// recall takes the last waiting prompt back into the composer.
func (m *Model) recall() tea.Cmd {
	if m.conv == nil || len(m.conv.Queue) == 0 || !m.composer.Empty() {
		return nil
	}
	last := m.conv.Queue[len(m.conv.Queue)-1]
	if q, ok := m.session.Unqueue(last.ID); ok {
		var text strings.Builder
		for _, b := range q.Prompt {
			text.WriteString(b.Text)
		}
		m.composer.SetText(text.String())
	}
	return nil
}

// nextMode switches to the mode after the one shown.
func (m *Model) nextMode() tea.Cmd {
	c := m.conv
	if c == nil || c.Phase != conversation.PhaseReady {
		return nil
	}
	if o := c.ModeOption(); o != nil {
		values := o.Options.All()
		if len(values) == 0 {
			return nil
		}
		now, _ := c.OptionValue(o)
		i := slices.IndexFunc(values, func(v acpclient.ConfigSelectOption) bool { return v.Value == now.ID })
		m.session.SetOption(o.ID, acpclient.SelectValue(values[(i+1)%len(values)].Value))
		return nil
	}
	modes := c.LegacyModes()
	if len(modes) == 0 {
		return m.say("this agent has no modes")
	}
	i := slices.IndexFunc(modes, func(s acpclient.SessionMode) bool { return s.ID == c.LegacyMode() })
	m.session.SetMode(modes[(i+1)%len(modes)].ID)
	return nil
}

// copyItem puts the text of the selected item on the clipboard.
func (m *Model) copyItem() tea.Cmd {
	text := m.list.Excerpt().Text
	if text == "" {
		return m.say("there is nothing to copy in this item")
	}
	return tea.Batch(tea.SetClipboard(text), m.say(fmt.Sprintf("copied %d characters", len([]rune(text)))))
}

// failedMsg tells of something that went wrong outside of the session.
type failedMsg struct{ err error }

// openItem opens the file that the selected item is about in the person's
// editor; a picture or a sound is saved and shown.
func (m *Model) openItem() tea.Cmd {
	item := m.list.Excerpt()
	switch {
	case item.Media != nil:
		return save(item.Media)
	case item.Path == "":
		return m.say("this item names no file")
	}
	return m.edit(item.Path, item.Line)
}

// edit opens a file in the person's editor, at a line if that is not 0.
func (m *Model) edit(path string, line int) tea.Cmd {
	if !filepath.IsAbs(path) {
		path = filepath.Join(m.cwd, path)
	}
	editor := os.Getenv("VISUAL")
	if editor == "" {
		editor = os.Getenv("EDITOR")
	}
	words := strings.Fields(editor)
	if len(words) == 0 {
		return m.say("set $EDITOR to open files")
	}
	args := words[1:]
	if line > 0 && takesLine(words[0]) {
		args = append(args, fmt.Sprintf("+%d", line))
	}
	cmd := exec.Command(words[0], append(args, path)...)
	return tea.ExecProcess(cmd, func(err error) tea.Msg {
		if err != nil {
			return failedMsg{fmt.Errorf("%s: %w", words[0], err)}
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

// describe puts an error of starting an agent into words, and says what to do.
func describe(a config.Agent, err error) (what, next string) {
	what = err.Error()
	var start *acpclient.StartError
	if errors.As(err, &start) && a.InstallHint != "" {
		next = "To install it: " + a.InstallHint
	}
	return what, next
}
