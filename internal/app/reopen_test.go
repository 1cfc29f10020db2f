package app

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"weak"

	"parley/acpclient"
	"parley/config"
	"parley/internal/conversation"
	"parley/internal/store"
)

// isolate gives the test a home of its own, with a configuration and an empty PATH, and
// an empty directory to run in, which it returns.
func isolate(t *testing.T, configuration string) string {
	t.Helper()
	home := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", home)
	t.Setenv("XDG_STATE_HOME", filepath.Join(home, "state"))
	t.Setenv("PATH", "")
	must(t, os.MkdirAll(filepath.Join(home, "parley"), 0o700))
	must(t, os.WriteFile(filepath.Join(home, "parley", "config.toml"), []byte(configuration), 0o600))
	t.Chdir(t.TempDir())
	dir, err := os.Getwd()
	must(t, err)
	return dir
}

// keep stores a session with a prompt in it.
func keep(t *testing.T, m store.Meta, id acpclient.SessionID) store.ID {
	t.Helper()
	l, err := store.New(StoreDir()).Create(m)
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

// A command that once stood on a command line is not started because it stands in a
// file: not unless it stands there again, or the user agrees.
func TestAStoredCommandIsNotTrusted(t *testing.T) {
	dir := isolate(t, "")
	id := keep(t, store.Meta{Agent: "sh", Command: []string{"sh", "-c", "true"}, Cwd: dir}, "x")
	for name, c := range map[string]struct {
		open    Spec
		command []string
		asks    bool
	}{
		"as it is":                       {open: Spec{Stored: id}, asks: true},
		"with another command":           {open: Spec{Stored: id}, command: []string{"sh"}, asks: true},
		"with the same command":          {open: Spec{Stored: id}, command: []string{"sh", "-c", "true"}},
		"with an agent that was named":   {open: Spec{Stored: id, Agent: &config.Agent{ID: "a", Command: "a"}}},
		"with an agent, and no such yes": {open: Spec{Stored: id, Agent: &config.Agent{ID: "b", Command: "b"}}, command: []string{"b"}},
	} {
		t.Run(name, func(t *testing.T) {
			l := &Launcher{Config: config.Default(nil), Cwd: dir, Command: c.command, Store: store.New(StoreDir())}
			defer l.Close()
			r, err := l.Make(t.Context(), c.open)
			if err != nil {
				t.Fatal(err)
			}
			defer r.Session.Close(t.Context())
			var untrusted *UntrustedError
			if errors.As(r.ReadOnly, &untrusted) != c.asks || !c.asks && r.ReadOnly != nil {
				t.Errorf("it can be read only: %v", r.ReadOnly)
			}
		})
	}
}

// One yes is for all sessions of a project with that very command, and ends with parley.
func TestAYesToAStoredCommandIsForAllSessionsOfTheProject(t *testing.T) {
	dir := isolate(t, "")
	tree := t.TempDir()
	command := []string{"sh", "-c", "a b"}
	asked := keep(t, store.Meta{Agent: "sh", Command: command, Cwd: dir}, "x")
	l := &Launcher{Config: config.Default(nil), Cwd: dir, Store: store.New(StoreDir())}
	defer l.Close()
	reopen := func(l *Launcher, id store.ID) *UntrustedError {
		t.Helper()
		r, err := l.Make(t.Context(), Spec{Stored: id})
		if err != nil {
			t.Fatal(err)
		}
		defer r.Session.Close(t.Context())
		var untrusted *UntrustedError
		errors.As(r.ReadOnly, &untrusted)
		return untrusted
	}
	first := reopen(l, asked)
	first.Agree()
	if !first.Agreed() || reopen(l, asked) != nil {
		t.Error("the user is asked again")
	}
	for name, c := range map[string]struct {
		meta store.Meta
		asks bool
	}{
		"another session": {meta: store.Meta{Agent: "sh", Command: command, Cwd: dir}},
		"a worktree":      {meta: store.Meta{Agent: "sh", Command: command, Cwd: tree, From: dir}},
		"another project": {meta: store.Meta{Agent: "sh", Command: command, Cwd: tree}, asks: true},
		"other words":     {meta: store.Meta{Agent: "sh", Command: []string{"sh", "-c", "a", "b"}, Cwd: dir}, asks: true},
	} {
		if why := reopen(l, keep(t, c.meta, "x")); why != nil != c.asks || why != nil && why.Same(first) {
			t.Errorf("%s: asks: %v, want %t", name, why, c.asks)
		}
	}
	later := &Launcher{Config: config.Default(nil), Cwd: dir, Store: store.New(StoreDir())}
	defer later.Close()
	if reopen(later, asked) == nil {
		t.Error("the next parley does not ask")
	}
}

// Neither is one connected to that listens somewhere, and the user is not told that it was
// a command. A query may hold a secret.
func TestAStoredAddressIsNotTrusted(t *testing.T) {
	dir := isolate(t, "")
	id := keep(t, store.Meta{Agent: "host", Command: []string{"wss://host/acp?key=secret"}, Cwd: dir}, "x")
	l := &Launcher{Config: config.Default(nil), Cwd: dir, Store: store.New(StoreDir())}
	defer l.Close()
	r, err := l.Make(t.Context(), Spec{Stored: id})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Session.Close(t.Context())
	var untrusted *UntrustedError
	if !errors.As(r.ReadOnly, &untrusted) || untrusted.Listens != "wss://host/acp" || untrusted.Command != "" {
		t.Fatalf("it can be read only: %+v", r.ReadOnly)
	}
}

// An agent that cannot be started as the configuration wants it is no reason not to read
// what was said, nor may the reason be lost.
func TestAStoredSessionWhoseAgentCannotBeStartedCanBeRead(t *testing.T) {
	dir := isolate(t, "[agents.mine]\ncommand = \"my-agent\"\nenv = { A = \"$UNSET_HERE\" }\n")
	id := keep(t, store.Meta{Agent: "mine", Cwd: dir}, "x")
	cfg, err := config.Load(config.ConfigFile(), nil)
	if err != nil {
		t.Fatal(err)
	}
	l := &Launcher{Config: cfg, Store: store.New(StoreDir())}
	defer l.Close()
	r, err := l.Make(t.Context(), Spec{Stored: id})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Session.Close(t.Context())
	if r.ReadOnly == nil || !strings.Contains(r.ReadOnly.Error(), "UNSET_HERE is not set") || len(r.Transcript.Conversation.Items) == 0 {
		t.Errorf("got %+v, because of %v", r, r.ReadOnly)
	}
	if log, err := l.Store.Continue(id); err != nil {
		t.Errorf("the log is still taken: %v", err)
	} else if err := log.Close(); err != nil {
		t.Error(err)
	}
}

func TestAStoredSessionWhoseDirectoryIsGoneCanBeRead(t *testing.T) {
	isolate(t, twoAgents)
	id := keep(t, store.Meta{Agent: "mine", Cwd: "/no/such/directory"}, "x")
	cfg, err := config.Load(config.ConfigFile(), nil)
	if err != nil {
		t.Fatal(err)
	}
	l := &Launcher{Config: cfg, Store: store.New(StoreDir())}
	r, err := l.Make(t.Context(), Spec{Stored: id})
	if err != nil || r.ReadOnly == nil || len(r.Transcript.Conversation.Items) == 0 {
		t.Fatalf("got %+v, %v", r, err)
	}
	r.Session.Close(t.Context())
	if _, err := l.Store.Continue(id); err != nil {
		t.Errorf("the log is still taken: %v", err)
	}
}

// A directory of a session that was replaced by a link is not worked in: another agent may have done that.
func TestAStoredSessionWhoseDirectoryIsALinkNowCanBeRead(t *testing.T) {
	dir := isolate(t, twoAgents)
	cfg, err := config.Load(config.ConfigFile(), nil)
	must(t, err)
	sub, elsewhere := filepath.Join(dir, "sub"), t.TempDir()
	must(t, os.Mkdir(sub, 0o700))
	in, beside := keep(t, store.Meta{Agent: "mine", Cwd: sub}, "x"), keep(t, store.Meta{Agent: "mine", Cwd: dir, Dirs: []string{sub}}, "x")
	for _, linked := range []bool{false, true} {
		if linked {
			must(t, os.Remove(sub))
			must(t, os.Symlink(elsewhere, sub))
		}
		for _, s := range []Spec{{Stored: in}, {Stored: beside}, {Stored: in, Branch: 2}} {
			l := &Launcher{Config: cfg, Store: store.New(StoreDir())}
			r, err := l.Make(t.Context(), s)
			if err == nil {
				err = r.ReadOnly
				r.Session.Close(t.Context())
			}
			if (err != nil) != linked || linked && !strings.Contains(err.Error(), sub+" is a link to "+elsewhere) {
				t.Errorf("%+v: %v", s, err)
			}
			l.Close()
		}
	}
}

// A session that goes on keeps none of the transcript from which it does: a host shows the log.
func TestASessionKeepsNoStoredTranscript(t *testing.T) {
	dir := isolate(t, twoAgents)
	cfg, err := config.Load(config.ConfigFile(), nil)
	must(t, err)
	for name, s := range map[string]Spec{"continued": {}, "branched": {Branch: 2}, "handed over": {Branch: 2, HandOver: true}} {
		s.Stored = keep(t, store.Meta{Agent: "mine", Cwd: dir}, "x")
		l := &Launcher{Config: cfg, Cwd: dir, Store: store.New(StoreDir())}
		o, err := l.Make(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		transcript, session := weak.Make(o.Transcript.Conversation), o.Session
		o = nil
		runtime.GC()
		if transcript.Value() != nil {
			t.Errorf("%s: the transcript is kept", name)
		}
		session.Close(t.Context())
		l.Close()
	}
}
