package tab

import (
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/config"
	"parley/internal/conversation"
	"parley/internal/recent"
	"parley/tui/dialog"
)

// Every action is in the palette with its key, or it is said why it cannot be.
func TestThePaletteReachesEveryAction(t *testing.T) {
	b := newBench(t, t.TempDir())
	items := b.actionItems()
	for _, a := range config.Actions() {
		at := slices.IndexFunc(items, func(i dialog.Item) bool { return i.ID == string(a.Action) })
		why := notInPalette[a.Action]
		switch {
		case at < 0 && why == "":
			t.Errorf("%s (%s) is not in the palette, and nothing says why", a.Action, a.Help)
		case at >= 0 && why != "":
			t.Errorf("%s is in the palette, although %s", a.Action, why)
		case at >= 0 && (items[at].Title != a.Help || items[at].Detail != strings.Join(a.Keys, ", ") || items[at].Do == nil):
			t.Errorf("%s is listed as %+v", a.Action, items[at])
		}
	}
	for a := range notInPalette {
		if !slices.ContainsFunc(config.Actions(), func(i config.ActionInfo) bool { return i.Action == a }) {
			t.Errorf("there is no action %s", a)
		}
	}
}

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
	if b.reader.Focused() || !strings.Contains(b.desk.Said(), "nothing in the transcript") {
		t.Errorf("with nothing to expand it says %q", b.desk.Said())
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
	b.program.Recent = recent.New(dir)
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
	if got := recent.New(dir).Load().Actions; got[0] != "files" {
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
