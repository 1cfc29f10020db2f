package tab

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"parley/acpclient"
	"parley/internal/app"
	"parley/internal/command"
	"parley/internal/conversation"
	"parley/internal/store"
	"parley/internal/test"
)

// remembers is an agent that lists two sessions.
const remembers = `handshake {"sessionCapabilities": {"list": {}, "resume": {}}} {"sessionId": "here"}
expect session/list
reply {"sessions": [
  {"sessionId": "agents-1", "cwd": "${cwd}", "title": "Known to both"},
  {"sessionId": "another", "cwd": "${cwd}", "title": "Known to the agent"}]}
`

// keeps keeps sessions with these prompts in the tab's directory.
func (b *bench) keeps(t *testing.T, prompts ...string) []store.ID {
	t.Helper()
	lib := store.NewLibrary(store.New(t.TempDir()))
	t.Cleanup(func() { _ = lib.Close() })
	b.program.Stored = lib
	return storedIDs(t, lib, b.cwd, prompts...)
}

func TestStoredSessionsAndTheAgentsAreOneList(t *testing.T) {
	runBench(t, func(t *testing.T, b *bench) {
		ids := b.keeps(t, "peel potatoes", "bake bread")
		b.play(remembers)
		b.shared(command.Sessions)
		for _, words := range []string{"peel potatoes", "bake bread", "Known to the agent", "listed by the agent, without history"} {
			b.MustSay(words)
		}
		b.Choose("bake bread")
		if got := b.wished(); len(got) != 1 || !reflect.DeepEqual(got[0], Open{{Stored: ids[1]}}) {
			t.Errorf("it wished %v, not %q", got, ids[1])
		}
	})
}

// An agent that lists no sessions is no trouble where others are listed.
func TestWhatTheAgentDoesNotList(t *testing.T) {
	for _, c := range []struct {
		name, want, script string
		kept               bool
	}{
		{"it cannot, and nothing is kept", "This agent lists no sessions", "handshake\n", false},
		{"it cannot, and something is kept", "peel potatoes", "handshake\n", true},
		{"it fails", "cannot list the sessions", "handshake {\"sessionCapabilities\": {\"list\": {}}}\nexpect session/list\nreply-error 1 no\n", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			runBench(t, func(t *testing.T, b *bench) {
				if c.kept {
					b.keeps(t, "peel potatoes")
				}
				b.play(c.script)
				b.shared(command.Sessions)
				b.MustSay(c.want)
			})
		})
	}
}

// An agent that does not answer is said to do so, in the list.
func TestAListThatTheAgentDoesNotSend(t *testing.T) {
	runBench(t, func(t *testing.T, b *bench) {
		b.keeps(t, "peel potatoes")
		b.play("handshake {\"sessionCapabilities\": {\"list\": {}}}\nexpect session/list\nexpect nothing/more\n")
		b.shared(command.Sessions)
		b.MustSay("peel potatoes")
		time.Sleep(app.SlowAnswer)
		b.Do(nil)
		b.MustSay("no answer from the agent yet")
	})
}

// The name that a user gives the session is its title everywhere.
func TestTheNameOfATabIsTheSessionsTitle(t *testing.T) {
	runBench(t, func(t *testing.T, b *bench) {
		ids := b.keeps(t, "peel potatoes", "bake bread")
		b.play("handshake\nserve\n")
		b.stored.from = app.Spec{Stored: ids[0]}
		b.renameTab()
		b.Press("x", "y", "z", "enter")
		if b.Title() != "xyz" || b.label() != "xyz" {
			t.Errorf("the title is %q, the label %q", b.Title(), b.label())
		}
		b.Do(b.runSlashCommand("rename", "kitchen work"))
		if b.Title() != "kitchen work" || !b.dialogs.Empty() {
			t.Errorf("the title is %q, and a dialog is open: %v", b.Title(), !b.dialogs.Empty())
		}
		b.shared(command.Sessions)
		b.MustSay("● kitchen work")
	})
}

// Sessions of one title are told apart by time, agent and last prompt, at 60 columns too,
// and by their directory where that is another one. The user's name for a session comes
// before the agent's title.
func TestSessionsOfOneTitleAreToldApart(t *testing.T) {
	runBench(t, func(t *testing.T, b *bench) {
		lib := store.NewLibrary(store.New(t.TempDir()))
		t.Cleanup(func() { _ = lib.Close() })
		b.program.Stored = lib
		title := func(s string) conversation.Event {
			return conversation.Update{Update: &acpclient.SessionInfoUpdate{Title: acpclient.Field[string]{Set: true, Value: &s}}}
		}
		prompt := func(s string) conversation.Event {
			return conversation.PromptSent{Prompt: []acpclient.ContentBlock{acpclient.TextBlock(s)}}
		}
		keep := func(agent, cwd string, events ...conversation.Event) store.ID {
			t.Helper()
			l, err := lib.Create(store.Meta{Agent: agent, Cwd: cwd})
			if err == nil {
				err = errors.Join(l.Append(events), l.Close())
			}
			if err != nil {
				t.Fatal(err)
			}
			return l.ID()
		}
		elsewhere := t.TempDir()
		keep("claude", b.cwd, prompt("fix the tests"), title("Kitchen work"), prompt("bake bread"))
		keep("codex", b.cwd, prompt("fix the tests"), title("Kitchen work"), prompt("peel potatoes"))
		keep("gemini", b.cwd, prompt("wash up"), prompt("dry the plates"))
		keep("qwen", elsewhere, prompt("wash up"))
		named := keep("pi", b.cwd, prompt("fix the tests"), title("Kitchen work"))
		if err := lib.Rename(named, "my own"); err != nil {
			t.Fatal(err)
		}
		b.play("handshake\nserve\n")
		b.columns = 60
		b.shared(command.Sessions)
		b.mustShow(t, "Kitchen work  just now   claude  ❯ bake bread", "Kitchen work  just now   codex  ❯ peel potatoes",
			"wash up       just now   gemini  ❯ dry the plates", "my own        just now   pi  ❯ fix the tests")
		b.mustNotShow(t, "qwen")
		b.columns = 120
		b.Press("ctrl+t")
		b.mustShow(t, "wash up       just now   qwen  "+elsewhere)
	})
}

func TestExport(t *testing.T) {
	runBench(t, func(t *testing.T, b *bench) {
		b.ready()
		b.events(conversation.PromptSent{Prompt: []acpclient.ContentBlock{acpclient.TextBlock("make it fast")}}, conversation.TurnEnded{})
		b.setName("Fast: a plan!")
		dir := t.TempDir()
		t.Chdir(dir)
		export := func() { b.act(command.Export) }
		export()
		b.Choose("Markdown")
		b.MustSay("fast-a-plan.md")
		b.Press("enter")
		file := filepath.Join(dir, "fast-a-plan.md")
		b.MustSay("exported to " + file)
		if data, err := os.ReadFile(file); err != nil || !strings.Contains(string(data), "make it fast") {
			t.Errorf("%q, %v", data, err)
		}

		export()
		b.Choose("Markdown")
		b.Press("enter")
		b.MustSay("The file already exists")
		b.Choose("Choose another name")
		b.Press("x", "enter")
		b.MustSay("exported to " + file + "x")

		export()
		b.Choose("a page for a browser")
		b.Press("enter")
		b.MustSay("The session is exported")
		b.MustSay(filepath.Join(dir, "fast-a-plan.html"))
	})
}

// storedIDs stores sessions of a directory, as [test.Sessions] does, and returns their ids.
func storedIDs(t *testing.T, lib *store.Library, cwd string, prompts ...string) (ids []store.ID) {
	for _, l := range test.Sessions(t, func() (*store.Log, error) { return lib.Create(store.Meta{Cwd: cwd}) }, prompts...) {
		ids = append(ids, l.ID())
	}
	return ids
}
