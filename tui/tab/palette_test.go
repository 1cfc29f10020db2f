package tab

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/config"
	"parley/internal/conversation"
)

// What is chosen in the palette does what its key does, also in the transcript and in
// the prompt.
func TestThePaletteDoesWhatTheKeyDoes(t *testing.T) {
	b := newBench(t, t.TempDir())
	choose := func(words string) {
		b.press("ctrl+p")
		for _, k := range words {
			b.press(strings.ReplaceAll(string(k), " ", "space"))
		}
		b.press("enter")
	}
	choose("expandcollapse")
	if b.reader.Focused() || !strings.Contains(b.toast.text, "transcript is empty") {
		t.Errorf("with nothing to expand it says %q", b.toast.text)
	}
	b.events(
		conversation.PromptSent{Prompt: []acpclient.ContentBlock{acpclient.TextBlock("go")}, At: b.clock},
		conversation.Text{Chunk: acpclient.AgentMessageChunk, Text: "An answer."},
		conversation.TurnEnded{Reason: acpclient.StopEndTurn, At: b.clock},
	)
	b.screen()
	choose("wholescreen")
	b.mustShow(t, "An answer.", "q close")
	b.press("q")
	if !b.reader.Focused() {
		t.Error("the transcript does not have the focus")
	}
	b.press("esc")
	choose("searchearlier")
	if !b.composer.Chooses() {
		t.Error("earlier prompts are not searched")
	}
}

func TestWhatWasChosenLastComesFirst(t *testing.T) {
	b := newBench(t, t.TempDir())
	dir := t.TempDir()
	b.program.Recent = config.NewRecentFile(dir)
	for _, id := range []string{"files", "find", "no longer there"} {
		if err := b.program.Recent.Action(id); err != nil {
			t.Fatal(err)
		}
	}
	b.press("ctrl+p")
	text := b.screen()
	first, second, all := strings.Index(text, "Find words in"), strings.Index(text, "files the agent wrote"), strings.Index(text, "Next mode")
	if first < 0 || second < first || all < second || !strings.Contains(text, "recently used") {
		t.Errorf("the palette is\n%s", text)
	}
	b.press("down")
	carryOut(b.Update(keyPress("enter")))
	if got := config.NewRecentFile(dir).Load().Actions; got[0] != "files" {
		t.Errorf("chosen last: %v", got)
	}
}

// carryOut runs a command and those that are a part of it, and drops what they bring.
func carryOut(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	msg := cmd()
	if named, is := msg.(Msg); is {
		msg = named.Msg
	}
	if batch, is := msg.(tea.BatchMsg); is {
		for _, cmd := range batch {
			carryOut(cmd)
		}
	}
}

// Without anybody who judges there are no rules to show.
func TestNoRulesWithoutAJudge(t *testing.T) {
	b := newBench(t, t.TempDir())
	b.press("ctrl+p")
	b.mustShow(t, "Command palette")
	for _, k := range "the rules" {
		b.press(string(k))
	}
	b.mustNotShow(t, "show the rules")
}

// People look for things by words of other programs.
func TestThePaletteKnowsTheWordsOfNewcomers(t *testing.T) {
	b := newBench(t, t.TempDir())
	for words, want := range map[string]string{
		"diff": "Review and undo changes", "undo": "Review and undo changes", "rewind": "Review and undo changes",
		"settings": "Show all options", "config": "Edit the configuration file", "vim": "Edit the configuration file",
		"mcp": "Edit the configuration file", "sandbox": "Edit the configuration file", "resume": "Show the sessions",
		"clear": "New session", "cost": "Show context use and cost", "usage": "Show context use and cost",
		"login": "Sign in to the agent", "approve": "rules", "allow": "rules", "permissions": "rules", "shell": "Open your shell",
		"exit": "Quit", "switch model": "Choose the model", "restart": "Restart the agent", "keys": "Show the help",
		"history": "Show the sessions", "copy": "Copy the item",
	} {
		b.press("ctrl+p")
		b.Update(tea.PasteMsg{Content: words})
		if text := b.screen(); !strings.Contains(text, want) {
			t.Errorf("%q does not find %q:\n%s", words, want, text)
		}
		b.press("esc", "esc")
	}
}

// What cannot be done now is listed with the reason, and choosing it says so.
func TestThePaletteSaysWhyNot(t *testing.T) {
	b := newBench(t, t.TempDir())
	for words, why := range map[string]string{
		"export": "the transcript is empty", "fork": "this agent cannot fork sessions", "queue": "the queue is empty",
		"plan above": "", "next tab": "there is only one tab", "cost": "the agent has reported no usage",
	} {
		b.press("ctrl+p")
		b.Update(tea.PasteMsg{Content: words})
		if why == "" {
			b.mustShow(t, "No matches")
			b.press("esc", "esc")
			continue
		}
		b.mustShow(t, why)
		b.press("enter")
		if b.toast.text != why {
			t.Errorf("%q says %q, want %q", words, b.toast.text, why)
		}
	}
}
