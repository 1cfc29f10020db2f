package tab

import (
	"os"
	"path/filepath"
	"testing"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/internal/conversation"
)

// The user's prompts are offered below the agent's commands, and sent with what is written
// behind them. One with the name of another command is hidden, and that is said.
func TestPromptsOfTheUser(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", dir)
	prompts := filepath.Join(dir, "parley", "prompts")
	if err := os.MkdirAll(prompts, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"explain.md": "# Explain a thing\nExplain $ARGUMENTS to a child.", "review.md": "# Mine", "mode.md": "# Mine"} {
		if err := os.WriteFile(filepath.Join(prompts, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	runBench(t, func(t *testing.T, b *bench) {
		b.play(`handshake
update {"sessionUpdate":"available_commands_update","availableCommands":[{"name":"review","description":"the agent's"}]}
expect session/prompt contains recursion to a child
say Well.
end-turn
expect nothing/more
`)
		b.mustShow(t, "Your prompt /review is hidden", "Your prompt /mode is hidden")
		b.press("ctrl+p")
		b.Update(tea.PasteMsg{Content: "snippet"})
		b.mustShow(t, "/explain")
		b.press("enter")
		if got := b.composer.Text(); got != "/explain " {
			t.Errorf("the prompt has %q", got)
		}
		b.composer.SetText("")
		b.press("/", "e", "x", "p")
		b.mustShow(t, "/explain", "Explain a thing")
		b.composer.SetText("/explain recursion")
		b.Do(b.Update(keyPress("enter")))
		b.mustShow(t, "Explain recursion to a child.", "Well.")
		b.press("up")
		b.mustShow(t, "❯ /explain recursion")
		if n := notices(b.conv()); n != 2 {
			t.Errorf("it was said %d times", n)
		}
	})
}

// notices counts the notes in a transcript.
func notices(c *conversation.Conversation) (n int) {
	for _, item := range c.Items {
		if note, ok := item.(*conversation.Note); ok && note.Severity == acpclient.NoticeInfo {
			n++
		}
	}
	return n
}
