package tab

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"parley/acpclient"
	"parley/config"
	"parley/internal/app"
	"parley/internal/registry"
	"parley/internal/session"
)

// onFirst is a tab in which nothing has been started, and the command that finds out
// what can be.
func onFirst(t *testing.T) (*bench, tea.Cmd) {
	t.Helper()
	b := newBench(t, t.TempDir())
	p := b.program
	p.Available = func() ([]config.Agent, error) {
		return []config.Agent{
			{ID: "one", Name: "Agent one", Source: config.SourceConfigured},
			{ID: "two", Name: "Agent two", Source: config.SourceFound},
		}, nil
	}
	p.Missing = func() []config.Agent {
		return []config.Agent{{ID: "three", Name: "Agent three", InstallHint: "get three"}}
	}
	p.Recent = config.NewRecentFile(t.TempDir())
	if err := p.Recent.Agent("two"); err != nil {
		t.Fatal(err)
	}
	b.Tab = New(3, p, t.TempDir())
	b.Show()
	return b, b.Start(nil)
}

// withoutAgents is the first screen of a machine without agents. Its registry has five,
// of which one needs Node.js.
func withoutAgents(t *testing.T) *bench {
	t.Helper()
	b := newBench(t, t.TempDir())
	p := b.program
	p.Available = func() ([]config.Agent, error) {
		return []config.Agent{{ID: app.TourID, Name: "The tour", Source: config.SourceBuiltIn}}, nil
	}
	p.Missing = func() []config.Agent {
		var all []config.Agent
		for _, id := range []string{"amp", "gemini", "claude", "goose", "codex"} {
			all = append(all, config.Agent{ID: id, Name: "Agent " + id, InstallHint: "get " + id})
		}
		return all
	}
	b.Tab = New(3, p, t.TempDir())
	b.Show()
	b.bring(b.Start(nil))
	return b
}

// A machine without agents offers the tour and the three most used agents.
func TestTheFirstScreenWithoutAgents(t *testing.T) {
	b := withoutAgents(t)
	b.mustShow(t, "No agent is installed. Take the tour, or install one:", "❯   The tour", "Agent claude    get claude", "Agent codex", "Agent gemini", "2 more agents…")
	b.mustNotShow(t, "Agent amp")
	if text := b.screen(); strings.Count(text, "❯") != 1 || strings.Contains(text, "Type a prompt") {
		t.Errorf("the first screen has a prompt\n%s", text)
	}
	b.press("a", "m", "p")
	b.mustShow(t, "Agent amp")
	b.press("esc")
	b.mustNotShow(t, "Agent amp")
	b.press("end", "enter")
	b.mustShow(t, "❯   Agent goose", "Agent amp")
}

// bring gives the tab all messages that a command brings.
func (b *bench) bring(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case Msg:
		b.bring(b.Update(msg.Msg))
	case tea.BatchMsg:
		for _, cmd := range msg {
			b.bring(cmd)
		}
	}
}

// The list stands right below the name, and shows all it has in 20 lines.
func TestTheFirstScreenIsBelowTheName(t *testing.T) {
	for _, size := range [][2]int{{120, 40}, {80, 24}, {60, 20}} {
		b := withoutAgents(t)
		lines := b.Draw(size[0], size[1]).Lines
		for i := range lines {
			lines[i] = strings.TrimRight(ansi.Strip(lines[i]), " ")
		}
		if len(lines) != size[1] || !strings.HasPrefix(lines[welcomeHeight+1], "╭─ Choose an agent") {
			t.Errorf("%v:\n%s", size, strings.Join(lines, "\n"))
		}
		for _, text := range []string{"No agent is installed. Take the tour, or install one:", "2 more agents…", "enter choose"} {
			if !strings.Contains(strings.Join(lines, "\n"), text) {
				t.Errorf("%v: no %q in\n%s", size, text, strings.Join(lines, "\n"))
			}
		}
	}
}

func TestTheFirstScreenShowsTheAgentUsedLastFirst(t *testing.T) {
	b, cmd := onFirst(t)
	b.mustShow(t, "Choose an agent", "loading …") // before anything was read
	b.bring(cmd)
	text := b.screen()
	order := []int{strings.Index(text, "❯   Agent two"), strings.Index(text, "Agent one"), strings.Index(text, "1 more agents…")}
	if order[0] < 0 || !slices.IsSorted(order) {
		t.Errorf("the first screen is\n%s", text)
	}
}

func TestTheFirstScreenCopiesWhatInstallsAnAgent(t *testing.T) {
	b, cmd := onFirst(t)
	b.bring(cmd)
	b.press("end", "enter")
	b.clock = b.clock.Add(2 * time.Second)
	msg := b.Update(keyPress("enter"))()
	text := ""
	if batch, is := msg.(tea.BatchMsg); is {
		for _, cmd := range batch {
			if c, is := cmd().(Copy); is {
				text = c.Text
			}
		}
	} else if c, is := msg.(Copy); is {
		text = c.Text
	}
	if text != "get three" {
		t.Errorf("copied %q, of %#v", text, msg)
	}
	b.mustShow(t, "Choose an agent")
}

// shop is a tab on the first screen, with a registry that has two agents: one that is what
// it says, and one that is not. Downloads come from a server of the test, half of each at
// first.
type shop struct {
	*bench
	t       *testing.T
	agents  *registry.Agents
	msgs    chan tea.Msg
	asked   atomic.Int32  // downloads that were begun
	goOn    chan struct{} // each lets one download come in whole
	latest  atomic.Value  // what is published now, a string; nothing if there is none
	started chan config.Agent
	left    bool // the tab wants to be left
}

func newShop(t *testing.T) *shop {
	s := &shop{bench: newBench(t, t.TempDir()), t: t, msgs: make(chan tea.Msg), goOn: make(chan struct{}, 9), started: make(chan config.Agent, 9)}
	s.columns, s.rows = 120, 40
	archive := program(t)
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/agent.tar.gz" {
			if published, is := s.latest.Load().(string); is {
				_, _ = w.Write([]byte(published))
				return
			}
			http.NotFound(w, r)
			return
		}
		s.asked.Add(1)
		w.Header().Set("Content-Length", fmt.Sprint(len(archive)))
		_, _ = w.Write(archive[:len(archive)/2])
		w.(http.Flusher).Flush()
		select {
		case <-s.goOn:
			_, _ = w.Write(archive[len(archive)/2:])
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(server.Close)
	dir := t.TempDir()
	s.agents = &registry.Agents{
		Cache: &registry.Cache{URL: server.URL, File: filepath.Join(dir, "registry.json"), Client: server.Client()},
		Dir:   filepath.Join(dir, "agents"),
		Saved: config.SavedBeside(filepath.Join(dir, "config.toml")),
	}
	writeFile(t, s.agents.Cache.File, registryOf(server.URL, sha256.Sum256(archive)))
	p := s.program
	p.Available = func() ([]config.Agent, error) { return []config.Agent{{ID: "one", Name: "Agent one"}}, nil }
	p.Registry = s.agents
	p.Make = func(_ context.Context, spec app.Spec) (*app.Opened, error) {
		s.started <- *spec.Agent
		return nil, fmt.Errorf("no agent is started in this test")
	}
	s.Tab = New(3, p, dir)
	s.Show()
	s.run(s.Start(nil))
	s.until("the agents are listed", "Agent one", "2 more agents…")
	s.key("end", "enter", "home")
	s.until("all agents are listed", "❯   Agent one", "Demo", "Forged")
	return s
}

// program is an archive of the program bin/agent.
func program(t *testing.T) []byte {
	t.Helper()
	const text = "#!/bin/sh\n"
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	w := tar.NewWriter(z)
	err := w.WriteHeader(&tar.Header{Name: "bin/agent", Typeflag: tar.TypeReg, Mode: 0o755, Size: int64(len(text))})
	for _, do := range []func() error{func() error { _, err := w.Write([]byte(text)); return err }, w.Close, z.Close} {
		if err == nil {
			err = do()
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func writeFile(t *testing.T, path string, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func registryOf(url string, sum [32]byte) string {
	entry := func(id, name string, distribution map[string]any) map[string]any {
		return map[string]any{
			"id": id, "name": name, "version": "1.2.3", "description": "Shows the way", "license": "MIT",
			"repository": "https://example.com/" + id, "distribution": distribution,
		}
	}
	download := func(digest string) map[string]any {
		return map[string]any{"binary": map[string]any{registry.Platform(runtime.GOOS, runtime.GOARCH): map[string]any{
			"archive": url + "/agent.tar.gz", "sha256": digest, "cmd": "./bin/agent", "args": []string{"--acp"},
		}}}
	}
	raw, _ := json.Marshal(map[string]any{
		"url": url, "fetched": "2026-11-01T00:00:00Z", "registry": map[string]any{"version": "1.0.0", "agents": []any{
			entry("demo", "Demo", download(fmt.Sprintf("%x", sum))), entry("forged", "Forged", download(strings.Repeat("0", 64))),
		}},
	})
	return string(raw)
}

// run runs a command beside the test, which takes what it brings.
func (s *shop) run(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	go func() {
		select {
		case s.msgs <- cmd():
		case <-s.t.Context().Done():
		}
	}()
}

func (s *shop) take(msg tea.Msg) {
	switch msg := msg.(type) {
	case tea.BatchMsg:
		for _, cmd := range msg {
			s.run(cmd)
		}
	case Msg:
		s.run(s.Update(msg.Msg))
	case Leave:
		s.left = true
	}
}

// until takes messages until the screen shows something.
func (s *shop) until(what string, texts ...string) {
	s.t.Helper()
	s.untilSo(what, func() bool {
		screen := s.screen()
		for _, text := range texts {
			if !strings.Contains(screen, text) {
				return false
			}
		}
		return true
	})
}

func (s *shop) untilSo(what string, so func() bool) {
	s.t.Helper()
	limit := time.After(60 * time.Second)
	for !so() {
		select {
		case msg := <-s.msgs:
			s.take(msg)
		case <-limit:
			s.t.Fatalf("still not so: %s; the screen is\n%s", what, s.screen())
		}
	}
}

// key presses a key that a question takes.
func (s *shop) key(names ...string) {
	for _, name := range names {
		s.clock = s.clock.Add(2 * time.Second)
		s.run(s.Update(keyPress(name)))
	}
}

// end returns what an installation brings at its end: its outcome, and that no progress will come.
func (s *shop) end() (last []tea.Msg) {
	s.t.Helper()
	for len(last) < 2 {
		msg := <-s.msgs
		if to, is := msg.(Msg); is {
			if _, is := to.Msg.(then); is {
				last = append(last, msg)
				continue
			}
		}
		s.take(msg)
	}
	return last
}

// installed are the files of the agents that are on this machine.
func (s *shop) installed() (out []string) {
	_ = filepath.WalkDir(s.agents.Dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			out = append(out, path)
		}
		return nil
	})
	return out
}

// An agent is not touched before the user has seen exactly what will be done, and run.
func TestAsksBeforeItInstalls(t *testing.T) {
	s := newShop(t)
	s.key("down", "enter")
	s.until("it is asked", "Install Demo?", "Cannot fetch the registry from", "the server returned 404 Not Found", "2026-11-01, ")
	edition, err := s.agents.Cache.Open()
	if err != nil {
		t.Fatal(err)
	}
	screen := unwrapped(s.screen())
	for _, f := range s.agents.Facts(edition.Entries[0].PlanHere()) {
		if !strings.Contains(screen, unwrapped(f.Name+f.Text)) {
			t.Errorf("it does not say %s %s:\n%s", f.Name, f.Text, s.screen())
		}
	}
	s.mustShow(t, "MIT", "--acp", "Install and start", "Not now")
	s.key("2", "enter")
	s.until("the list is back", "Choose an agent", "❯   Demo")
	if n := s.asked.Load(); n != 0 || len(s.installed()) > 0 || len(s.started) > 0 {
		t.Errorf("%d downloads, %q, %d agents started", n, s.installed(), len(s.started))
	}
}

// The question is about what is published now, and not about what was once fetched.
func TestAsksTheRegistryBeforeItAsks(t *testing.T) {
	s := newShop(t)
	var file struct{ Registry json.RawMessage }
	if err := json.Unmarshal([]byte(registryOf(s.agents.Cache.URL, [32]byte{})), &file); err != nil {
		t.Fatal(err)
	}
	s.latest.Store(strings.ReplaceAll(string(file.Registry), "1.2.3", "1.3.0"))
	s.mustShow(t, "Shows the way")
	s.key("down", "enter")
	s.mustShow(t, "Asking the registry for Demo", "esc stop")
	s.until("it is asked", "Install Demo?", "Demo 1.3.0")
	s.mustNotShow(t, "annot fetch the registry")
}

// unwrapped is text without what a frame and the end of a line put into it.
func unwrapped(text string) string {
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \n│╭╮╰╯─", r) }), "")
}

// The agent that is started is the one that was shown.
func TestStartsWhatItHasInstalled(t *testing.T) {
	s := newShop(t)
	s.key("down", "enter")
	s.until("it is asked", "Install Demo?")
	s.key("1", "enter")
	s.until("it comes", "Installing Demo", " of 0 MiB")
	s.goOn <- struct{}{}
	s.untilSo("the agent is started", func() bool { return len(s.started) > 0 })
	files := s.installed()
	if a := <-s.started; a.ID != "demo" || len(files) != 1 || a.Command != files[0] || strings.Join(a.Args, " ") != "--acp" {
		t.Errorf("started is %+v, installed are %q", a, files)
	}
}

// Of a known agent that is not on this machine, the first answer installs it by its name in the
// registry, and starts it.
func TestOffersToInstallAKnownAgent(t *testing.T) {
	s := newShop(t)
	cached, err := os.ReadFile(s.agents.Cache.File)
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Registry json.RawMessage }
	if err := json.Unmarshal(cached, &file); err != nil {
		t.Fatal(err)
	}
	s.latest.Store(strings.ReplaceAll(string(file.Registry), `"id":"demo"`, `"id":"claude-acp"`))
	s.program.Make = func(_ context.Context, spec app.Spec) (*app.Opened, error) {
		if spec.Agent.Origin != nil {
			s.started <- *spec.Agent
			return nil, fmt.Errorf("no agent is started in this test")
		}
		claude := config.Agent{ID: "claude", Name: "Claude Code", InstallHint: "npm install -g it"}
		return &app.Opened{Agent: claude, Session: newSession(s.dir, noMachine{}, func(o *session.Options) {
			o.Spawn = func(acpclient.Command) (*acpclient.Peer, error) {
				return nil, &acpclient.StartError{Err: os.ErrNotExist}
			}
		})}, nil
	}
	s.key("enter")
	s.until("it is offered", "The agent could not be started", "To install it: parley agents install claude", "Or: npm install -g it", "1  i  • Install Claude Code")
	s.key("i", "enter")
	s.until("it is asked", "Install Claude Code?", "claude-acp")
	s.key("1", "enter")
	s.goOn <- struct{}{}
	s.untilSo("the agent is started", func() bool { return len(s.started) > 0 })
	if a := <-s.started; a.ID != "claude-acp" || a.Origin == nil {
		t.Errorf("started is %+v", a)
	}
}

// After a failure the list is back as it was, with the mark on the agent.
func TestTheListIsBackAfterAFailedInstallation(t *testing.T) {
	s := newShop(t)
	s.key("down", "down", "enter")
	s.until("it is asked", "Install Forged?")
	s.key("1", "enter")
	s.until("it comes", "Installing Forged")
	s.goOn <- struct{}{}
	s.until("it is told", "Forged was not installed", "does not match the digest")
	s.key("1", "enter")
	s.until("the list is back", "Choose an agent", "Agent one", "Demo", "❯   Forged")
	s.mustNotShow(t, "Installing")
	if files := s.installed(); len(files) > 0 || len(s.started) > 0 {
		t.Errorf("%q, %d agents started", files, len(s.started))
	}
	s.key("up", "enter")
	s.until("another one can be chosen", "Install Demo?")
}

// What is on its way can be stopped, and the list is back.
func TestAnInstallationIsStopped(t *testing.T) {
	s := newShop(t)
	s.key("f", "o", "r", "enter") // filtered
	s.until("it is asked", "Install Forged?")
	s.key("1", "enter")
	s.until("it comes", "Installing Forged", "esc stop")
	s.untilSo("the download has begun", func() bool { return s.asked.Load() > 0 })
	s.key("esc")
	s.until("the list is back", "Choose an agent", "❯   Forged", "nothing was installed")
	if files := s.installed(); len(files) > 0 || len(s.started) > 0 || s.left {
		t.Errorf("%q, %d agents started, left %t", files, len(s.started), s.left)
	}
	s.key("esc", "esc") // the filter, and the list
	s.untilSo("there is nothing behind the list", func() bool { return s.left })
}

// Who stops an installation that is just done wants no agent to be started.
func TestAnInstallationIsStoppedTooLate(t *testing.T) {
	s := newShop(t)
	s.key("down", "enter")
	s.until("it is asked", "Install Demo?")
	s.key("1", "enter")
	s.until("it comes", "Installing Demo", " of 0 MiB")
	s.goOn <- struct{}{}
	ended := s.end()
	s.key("esc")
	for _, msg := range ended {
		s.take(msg)
	}
	s.until("it is told", "Choose an agent", "Demo is installed")
	if files := s.installed(); len(files) != 1 || !s.chooses() {
		t.Errorf("%q, and an agent is started: %t", files, !s.chooses())
	}
	s.mustNotShow(t, "Installing")
}

// The user's agents come before the tour, though that was used last.
func TestTheTourComesLast(t *testing.T) {
	b := newBench(t, t.TempDir())
	b.Tab = New(2, b.program, t.TempDir())
	b.Tab.program.Available = func() ([]config.Agent, error) {
		return []config.Agent{{ID: app.TourID, Name: "The tour", Source: config.SourceBuiltIn}, {ID: "a", Name: "Apple"}}, nil
	}
	b.Show()
	b.bring(b.Start(nil))
	b.mustShow(t, "❯   Apple", "Built in")
	if s := b.screen(); strings.Index(s, "Apple") > strings.Index(s, "The tour") {
		t.Errorf("the tour comes first:\n%s", s)
	}
}
