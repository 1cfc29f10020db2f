package cli

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"parley/acpclient"
	"parley/config"
	"parley/internal/conversation"
	"parley/internal/store"
	"parley/tui"
	"parley/tui/tab"
)

func TestResumeNeedsNoID(t *testing.T) {
	for _, c := range []struct{ args, want []string }{
		{[]string{"--resume"}, []string{"--resume="}},
		{[]string{"src", "--resume"}, []string{"src", "--resume="}},
		{[]string{"--resume", "-a", "mine"}, []string{"--resume=", "-a", "mine"}},
		{[]string{"--resume", "x"}, []string{"--resume", "x"}},
		{[]string{"--resume=x"}, []string{"--resume=x"}},
		{[]string{"run", "--worktree", "hello"}, []string{"run", "--worktree=", "hello"}},
		{[]string{"--worktree=wren", "--", "agent", "--worktree"}, []string{"--worktree=wren", "--", "agent", "--worktree"}},
		{[]string{"--", "agent", "--resume"}, []string{"--", "agent", "--resume"}},
		{[]string{"--resume", "--", "agent", "--resume"}, []string{"--resume=", "--", "agent", "--resume"}},
	} {
		if got := bareResume(c.args); !slices.Equal(got, c.want) {
			t.Errorf("%q is %q, want %q", c.args, got, c.want)
		}
	}
}

// keep stores a session with a prompt in it.
func keep(t *testing.T, m store.Meta, id acpclient.SessionID) store.ID {
	t.Helper()
	l, err := store.New(storeDir()).Create(m)
	if err != nil {
		t.Fatal(err)
	}
	err = l.Append([]conversation.Event{
		conversation.SessionOpened{ID: id, Cwd: m.Cwd},
		conversation.PromptSent{Prompt: []acpclient.ContentBlock{acpclient.TextBlock("hello")}},
	})
	if err := errors.Join(err, l.Close()); err != nil {
		t.Fatal(err)
	}
	return l.ID()
}

const twoAgents = "[agents.mine]\ncommand = \"my-agent\"\n[agents.other]\ncommand = \"another\"\ndefault = true\n"

func TestBeginsWithTheStoredSessionThatIsMeant(t *testing.T) {
	dir := isolate(t, twoAgents)
	keep(t, store.Meta{Agent: "mine", Cwd: "/elsewhere"}, "far")
	mine := keep(t, store.Meta{Agent: "mine", Cwd: dir}, "near")
	other := keep(t, store.Meta{Agent: "other", Cwd: dir}, "nearer")
	for name, c := range map[string]struct {
		args  []string
		want  store.ID
		agent string // that is started in place of the session's own
		pick  bool
	}{
		"none":                     {nil, "", "", false},
		"the last one here":        {[]string{"--continue"}, other, "", false},
		"the last one of an agent": {[]string{"--continue", "-a", "mine"}, mine, "mine", false},
		"by its id":                {[]string{"--resume=" + string(mine)}, mine, "", false},
		"by its beginning":         {[]string{"--resume=" + string(mine[:len(mine)-1])}, mine, "", false},
		"by the agent's own id":    {[]string{"--resume=near"}, mine, "", false},
		"with a command":           {[]string{"--resume=" + string(mine), "--", "that", "one"}, mine, "that", false},
		"chosen on the screen":     {[]string{"--resume="}, "", "", true},
		"the agent's alone":        {[]string{"--resume=unheard-of"}, "", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			s, _ := terminal()
			o := parse(t, s, c.args...)
			var got tui.Options
			o.screen = func(_ context.Context, opt tui.Options) (tui.Left, error) { got = opt; return tui.Left{}, nil }
			if err := o.run(t.Context()); err != nil {
				t.Fatal(err)
			}
			var open tab.Open
			if got.Open != nil {
				open = *got.Open
			}
			agent := ""
			if open.Agent != nil {
				agent = open.Agent.ID
			}
			if open.ID != c.want || agent != c.agent || got.Pick != c.pick {
				t.Errorf("got %q with %q, pick %v", open.ID, agent, got.Pick)
			}
		})
	}
}

// A command that once stood on a command line is not started because it stands in a
// file: not unless it stands there again, or the person agrees.
func TestAStoredCommandIsNotTrusted(t *testing.T) {
	dir := isolate(t, "")
	id := keep(t, store.Meta{Agent: "sh", Command: []string{"sh", "-c", "true"}, Cwd: dir}, "x")
	for name, c := range map[string]struct {
		open    tab.Open
		command []string
		asks    bool
	}{
		"as it is":                       {open: tab.Open{ID: id}, asks: true},
		"with another command":           {open: tab.Open{ID: id}, command: []string{"sh"}, asks: true},
		"with the same command":          {open: tab.Open{ID: id}, command: []string{"sh", "-c", "true"}},
		"with a yes":                     {open: tab.Open{ID: id, Trusted: true}},
		"with an agent that was named":   {open: tab.Open{ID: id, Agent: &config.Agent{ID: "a", Command: "a"}}},
		"with an agent, and no such yes": {open: tab.Open{ID: id, Agent: &config.Agent{ID: "b", Command: "b"}}, command: []string{"b"}},
	} {
		t.Run(name, func(t *testing.T) {
			l := &launcher{config: config.Default(), cwd: dir, command: c.command, store: store.New(storeDir())}
			defer l.cleanUp()
			r, err := l.reopen(t.Context(), c.open)
			if err != nil {
				t.Fatal(err)
			}
			defer r.Session.Close(t.Context())
			var mistrusted *tab.MistrustedError
			if errors.As(r.ReadOnly, &mistrusted) != c.asks || !c.asks && r.ReadOnly != nil {
				t.Errorf("it can be read only: %v", r.ReadOnly)
			}
		})
	}
}

// Neither is one connected to that listens somewhere, and the person is not told that it was
// a command. A query may hold a secret.
func TestAStoredAddressIsNotTrusted(t *testing.T) {
	dir := isolate(t, "")
	id := keep(t, store.Meta{Agent: "host", Command: []string{"wss://host/acp?key=secret"}, Cwd: dir}, "x")
	l := &launcher{config: config.Default(), cwd: dir, store: store.New(storeDir())}
	defer l.cleanUp()
	r, err := l.reopen(t.Context(), tab.Open{ID: id})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Session.Close(t.Context())
	var mistrusted *tab.MistrustedError
	if !errors.As(r.ReadOnly, &mistrusted) || mistrusted.Listens != "wss://host/acp" || mistrusted.Command != "" {
		t.Fatalf("it can be read only: %+v", r.ReadOnly)
	}
	why := distrusted(mistrusted)
	var hint *failure
	if !errors.As(why, &hint) || !strings.Contains(hint.hint, "--connect wss://host/acp") || strings.Contains(why.Error(), "command") {
		t.Errorf("'parley run' says: %v", why)
	}
}

// An agent that cannot be started as the configuration wants it is no reason not to read
// what was said, nor may the reason be lost.
func TestAStoredSessionWhoseAgentCannotBeStartedCanBeRead(t *testing.T) {
	dir := isolate(t, "[agents.mine]\ncommand = \"my-agent\"\n[agents.mine.mcp.tools]\ncommand = \"no-such-program\"\n")
	id := keep(t, store.Meta{Agent: "mine", Cwd: dir}, "x")
	cfg, err := config.Load(config.ConfigFile())
	if err != nil {
		t.Fatal(err)
	}
	l := &launcher{config: cfg, store: store.New(storeDir())}
	defer l.cleanUp()
	r, err := l.reopen(t.Context(), tab.Open{ID: id})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Session.Close(t.Context())
	if r.ReadOnly == nil || !strings.Contains(r.ReadOnly.Error(), "no-such-program is not installed") || len(r.Transcript.Conversation.Items) == 0 {
		t.Errorf("got %+v, because of %v", r, r.ReadOnly)
	}
	if log, err := l.store.Continue(id); err != nil {
		t.Errorf("the log is still taken: %v", err)
	} else if err := log.Close(); err != nil {
		t.Error(err)
	}
}

func TestAStoredSessionWhoseDirectoryIsGoneCanBeRead(t *testing.T) {
	isolate(t, twoAgents)
	id := keep(t, store.Meta{Agent: "mine", Cwd: "/no/such/directory"}, "x")
	cfg, err := config.Load(config.ConfigFile())
	if err != nil {
		t.Fatal(err)
	}
	l := &launcher{config: cfg, store: store.New(storeDir())}
	r, err := l.reopen(t.Context(), tab.Open{ID: id})
	if err != nil || r.ReadOnly == nil || len(r.Transcript.Conversation.Items) == 0 {
		t.Fatalf("got %+v, %v", r, err)
	}
	r.Session.Close(t.Context())
	if _, err := l.store.Continue(id); err != nil {
		t.Errorf("the log is still taken: %v", err)
	}
}
