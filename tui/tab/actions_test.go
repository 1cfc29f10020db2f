package tab

import (
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/config"
	"parley/internal/command"
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
	if b.list().Focused() || !strings.Contains(b.toast.text, "transcript is empty") {
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
	if !b.list().Focused() {
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
	for _, id := range []string{"lend_mouse", "find", "no longer there"} {
		if err := b.program.Recent.Action(id); err != nil {
			t.Fatal(err)
		}
	}
	b.press("ctrl+p")
	text := b.screen()
	first, second, all := strings.Index(text, "Find words in"), strings.Index(text, "Let the terminal use the mouse"), strings.Index(text, "Choose the mode")
	if first < 0 || second < first || all < second || !strings.Contains(text, "recently used") {
		t.Errorf("the palette is\n%s", text)
	}
	b.press("down")
	carryOut(b.Update(keyPress("enter")))
	if got := config.NewRecentFile(dir).Load().Actions; got[0] != "lend_mouse" {
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

// People look for things by words of other programs, and find them first.
func TestThePaletteKnowsTheWordsOfNewcomers(t *testing.T) {
	runBench(t, func(t *testing.T, b *bench) {
		b.ready()
		b.events(conversation.Update{Update: &acpclient.AvailableCommandsUpdate{AvailableCommands: []acpclient.AvailableCommand{
			{Name: "compact", Description: "Compact the context"}, {Name: "review", Description: "Review a branch", Input: &acpclient.AvailableCommandInput{Hint: "branch"}},
		}}})
		for words, want := range map[string]string{
			"usage": "Show usage and cost", "cost": "Show usage and cost", "spend": "Show usage and cost", "limit": "Show usage and cost",
			"branch": "Fork this session", "restore": "Rewind", "interrupt": "Send now", "inject": "Send now", "subagents": "Show what works in the background", "new chat": "New session in a new tab", "new": "New session in a new tab",
			"clear": "New session in a new tab", "compact": "/compact", "review": "/review",
			"settings": "Edit the configuration file", "config": "Edit the configuration file", "vim": "Edit the configuration file",
			"mcp": "Edit the configuration file", "sandbox": "Edit the configuration file", "notifications": "Edit the configuration file",
			"diff": "Review and undo changes", "undo": "Review and undo changes", "rewind": "Rewind to an earlier prompt", "back": "Rewind to an earlier prompt", "checkpoint": "Rewind to an earlier prompt",
			"terminal": "Open your shell", "shell": "Open your shell", "resume": "Show the sessions", "rename": "Rename tab",
			"login": "Sign in to the agent", "allow": "Show and remove rules", "rules": "Show and remove rules", "permissions": "Show and remove rules",
			"exit": "Quit", "quit": "Quit", "model": "Choose the model", "switch model": "Choose the model", "mode": "Choose the mode",
			"restart": "Restart the agent", "agent": "New tab with another agent", "keys": "Show the help", "help": "Show the help",
			"options": "Show all options", "theme": "Choose the theme", "copy": "Copy the item or the selection", "find": "Find words in the transcript",
		} {
			b.press("ctrl+p")
			b.Update(tea.PasteMsg{Content: words})
			if text := b.screen(); !strings.Contains(text, "❯   "+want) {
				t.Errorf("%q does not find %q first:\n%s", words, want, text)
			}
			b.press("esc", "esc")
		}
	})
}

// The agent's commands are in the palette. One that takes input waits for it in the
// prompt, and the draft is not lost.
func TestThePaletteHasTheAgentsCommands(t *testing.T) {
	runBench(t, func(t *testing.T, b *bench) {
		b.ready()
		b.events(conversation.Update{Update: &acpclient.AvailableCommandsUpdate{AvailableCommands: []acpclient.AvailableCommand{
			{Name: "compact"}, {Name: "review", Input: &acpclient.AvailableCommandInput{Hint: "branch"}},
		}}})
		choose := func(name string) {
			b.press("ctrl+p")
			b.Update(tea.PasteMsg{Content: name})
			b.press("enter")
		}
		choose("compact")
		b.composer.SetText("a draft")
		choose("review")
		if got := b.composer.Text(); got != "/review " {
			t.Errorf("the prompt has %q", got)
		}
		b.composer.SetText("")
		b.press("up")
		b.mustShow(t, "a draft")
		b.Do(nil)
		if got := b.queued(); got != "/compact" {
			t.Errorf("sent %q", got)
		}
	})
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

// Every command of the prompt does something, and is in the palette with its key unless it
// says why it cannot be.
func TestEveryCommandDoesSomething(t *testing.T) {
	b := newBench(t, t.TempDir())
	items := b.commandItems()
	for _, r := range promptRows() {
		if r.Do.Do == nil {
			t.Errorf("%s (%s) does nothing", r.ID, r.Help)
		}
		at := slices.IndexFunc(items, func(i command.Item) bool { return i.ID == string(r.ID) })
		keys := strings.Fields(r.Keys)
		switch {
		case at < 0 && r.Absent == "":
			t.Errorf("%s (%s) is not in the palette, and nothing says why", r.ID, r.Help)
		case at >= 0 && r.Absent != "":
			t.Errorf("%s is in the palette, although %s", r.ID, r.Absent)
		case at >= 0 && (items[at].Title != r.Help || len(keys) > 0 && items[at].Key != keys[0] || items[at].Do == nil):
			t.Errorf("%s is listed as %+v", r.ID, items[at])
		}
	}
}

// What is chosen is done, and stands before all others the next time.
func TestWhatIsChosenIsRemembered(t *testing.T) {
	memory := config.NewRecentFile(t.TempDir())
	for round := range 2 {
		runBench(t, func(t *testing.T, b *bench) {
			b.program.Recent = memory
			showPalette(b.Tab)
			if used := strings.Contains(b.Screen(), "recently used"); used != (round == 1) {
				t.Errorf("round %d: something was used last: %v\n%s", round, used, b.Screen())
			}
			b.Choose("Export the session")
			b.mustShow(t, noAgent)
		})
	}
	if got := memory.Load().Actions; len(got) != 1 || got[0] != string(command.Export) {
		t.Errorf("it remembers %v", got)
	}
}

func (b *bench) enter(text string) {
	b.Update(tea.PasteMsg{Content: text})
	b.press("enter")
}

// sentPrompts returns the prompts that have gone to a session whose stream nobody reads.
func (b *bench) sentPrompts() (texts []string) {
	for _, e := range b.session().Stream().Take() {
		if q, ok := e.(conversation.QueueChanged); ok && len(q.Queue) > 0 {
			texts = append(texts, q.Queue[0].Prompt[0].Text)
		}
	}
	return texts
}

// Commands of other clients do what their users expect.
func TestSlashCommandsOfOtherClients(t *testing.T) {
	for command, want := range map[string]string{
		"/model": "this agent offers no models", "/cost": "the agent has reported no usage",
		"/login": "the agent offers no sign-in method", "/help": "Help", "/settings": "Options", "/diff": "journal = false",
		"/mode code": "Mode", "/model opus 5": "this agent offers no models", "/export": "the transcript is empty",
	} {
		b := newBench(t, t.TempDir())
		b.enter(command)
		if text := b.screen(); !strings.Contains(text, want) {
			t.Errorf("%s does not show %q:\n%s", command, want, text)
		}
		if sent := b.sentPrompts(); len(sent) > 0 {
			t.Errorf("%s sent %q", command, sent)
		}
	}
}

// The agent's command of the same name wins, with its arguments.
func TestTheAgentsCommandWins(t *testing.T) {
	b := newBench(t, t.TempDir())
	b.events(conversation.Update{Update: &acpclient.AvailableCommandsUpdate{AvailableCommands: []acpclient.AvailableCommand{{Name: "clear"}}}})
	b.enter("/clear all")
	if sent := b.sentPrompts(); len(sent) != 1 || sent[0] != "/clear all" {
		t.Errorf("sent: %q", sent)
	}
}

// A command that nobody has goes to the agent only if the user says so.
func TestUnknownSlashCommandsAreAskedAbout(t *testing.T) {
	b := newBench(t, t.TempDir())
	b.enter("/compact now")
	b.mustShow(t, "Unknown command /compact")
	b.press("esc")
	b.mustShow(t, "❯ /compact now")
	b.press("enter", "enter")
	b.mustShow(t, "❯ /compact now")
	if sent := b.sentPrompts(); len(sent) > 0 {
		t.Errorf("sent: %q", sent)
	}
	b = newBench(t, t.TempDir())
	b.enter("/compact now")
	b.press("down", "enter")
	if sent := b.sentPrompts(); len(sent) != 1 || sent[0] != "/compact now" {
		t.Errorf("sent: %q", sent)
	}
	b = newBench(t, t.TempDir())
	b.enter("/etc/passwd has no such user")
	if sent := b.sentPrompts(); len(sent) != 1 {
		t.Errorf("a path is no command: %q", sent)
	}
}

// Forking has the same key wherever it can be done.
func TestForkHasOneKey(t *testing.T) {
	if here, there := config.Default(Actions()).Keys.For(command.Fork), config.Default(Actions()).Keys.For(command.DialogFork); len(here) == 0 || here[0] != there[0] {
		t.Errorf("a session is forked by %q, a prompt by %q", here, there)
	}
}
