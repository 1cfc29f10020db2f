package cli

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"parley/acpclient"
	"parley/config"
	"parley/internal/app"
	"parley/internal/conversation"
	"parley/internal/store"
	"parley/tui"
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
		if got := bareFlags(c.args); !slices.Equal(got, c.want) {
			t.Errorf("%q is %q, want %q", c.args, got, c.want)
		}
	}
}

// keep stores a session with a prompt in it.
func keep(t *testing.T, m store.Meta, id acpclient.SessionID) store.ID {
	t.Helper()
	l, err := store.New(app.StoreDir()).Create(m)
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
			var open app.Spec
			if got.Open != nil {
				open = *got.Open
			}
			agent := ""
			if open.Agent != nil {
				agent = open.Agent.ID
			}
			if open.Stored != c.want || agent != c.agent || got.Pick != c.pick {
				t.Errorf("got %q with %q, pick %v", open.Stored, agent, got.Pick)
			}
		})
	}
}

// What was named by its address is not called a command.
func TestARunWithAnUntrustedAddressSaysHowToNameIt(t *testing.T) {
	dir := isolate(t, "")
	id := keep(t, store.Meta{Agent: "host", Command: []string{"wss://host/acp?key=secret"}, Cwd: dir}, "x")
	_, err := storedAgent(&app.Launcher{Config: config.Default(nil), Store: store.New(app.StoreDir())}, app.Spec{Stored: id})
	var hint *app.HintError
	if !errors.As(err, &hint) || !strings.Contains(hint.Hint, "--connect wss://host/acp") || strings.Contains(err.Error(), "command") {
		t.Errorf("'parley run' says: %v", err)
	}
}
