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
	choose("expandor")
	if b.reader.Focused() || !strings.Contains(b.toast.text, "nothing in the transcript") {
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
	first, second, all := strings.Index(text, "find words in"), strings.Index(text, "files that the agent wrote"), strings.Index(text, "next mode")
	if first < 0 || second < first || all < second || !strings.Contains(text, "used last") {
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
