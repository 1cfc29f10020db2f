package tab

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/internal/conversation"
)

func said(words string) *conversation.Conversation {
	c := conversation.New()
	c.Apply(conversation.PromptSent{Prompt: []acpclient.ContentBlock{acpclient.TextBlock(words)}})
	c.Apply(conversation.TurnEnded{})
	return c
}

func TestExport(t *testing.T) {
	runBench(t, func(t *testing.T, b *bench) {
		dir := t.TempDir()
		opened := ""
		from := exportSource{
			Conversation: said("make it fast"), Named: "Fast: a plan!", About: "other words", Base: dir,
			Open: func(path string) tea.Cmd { opened = path; return nil },
		}
		b.Do(chooseExport(b.Tab, from))
		b.Choose("Markdown")
		b.MustSay("fast-a-plan.md")
		b.Press("enter")
		file := filepath.Join(dir, "fast-a-plan.md")
		b.MustSay("exported to " + file)
		if data, err := os.ReadFile(file); err != nil || !strings.Contains(string(data), "make it fast") {
			t.Errorf("%q, %v", data, err)
		}

		b.Do(chooseExport(b.Tab, from))
		b.Choose("Markdown")
		b.Press("enter")
		b.MustSay("The file already exists")
		b.Choose("Choose another name")
		b.Press("x", "enter")
		b.MustSay("exported to " + file + "x")

		b.Do(chooseExport(b.Tab, from))
		b.Choose("a page for a browser")
		b.Press("enter")
		b.MustSay("The session is exported")
		if b.Choose("Open it"); opened != filepath.Join(dir, "fast-a-plan.html") {
			t.Errorf("%q was opened", opened)
		}
	})
}

func TestNothingToExport(t *testing.T) {
	runBench(t, func(_ *testing.T, b *bench) {
		b.Do(chooseExport(b.Tab, exportSource{Conversation: conversation.New()}))
		b.MustSay("nothing to export yet")
	})
}
