//go:build unix

package e2e

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/internal/store"
	"parley/internal/test"
	"parley/internal/test/ptytest"
)

// stage is a home and a project in which scenes are played: the same for each, so that
// pictures differ only where parley does.
type stage struct {
	t             testing.TB
	home, project string
	bin           string // the folder of programs that parley finds
	light         bool
	cols, rows    int
	env           []string // added to the environment of parley
	output        *Cast
}

// programs are those that scenes need of this machine.
var programs = []string{"sh", "git", "cat", "sleep", "grep", "env", "mkdir", "rm"}

// agents are the known ones that parley finds on the stage. None is ever started.
var agents = []string{"claude-agent-acp", "codex-acp", "gemini", "opencode"}

// newStage makes a stage, with the scripts of the agents that are started there.
func newStage(t testing.TB, scripts map[string]string) *stage {
	t.Helper()
	// Nothing of the machine shall be on a picture: the project is below the home, and
	// parley writes ~ for that.
	home, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	s := &stage{t: t, home: home, project: filepath.Join(home, "src", "greeter"), bin: filepath.Join(home, "bin"), cols: 100, rows: 36}
	for _, dir := range []string{s.project, s.bin, filepath.Join(home, ".config", "parley"), filepath.Join(home, "tmp")} {
		must(t, os.MkdirAll(dir, 0o700))
	}
	for _, name := range programs {
		path, err := exec.LookPath(name)
		must(t, err)
		must(t, os.Symlink(path, filepath.Join(s.bin, name)))
	}
	for _, name := range agents {
		s.program(name, "exit 1")
	}
	config := "mouse = true\n"
	for _, name := range slices.Sorted(maps.Keys(scripts)) {
		s.write(filepath.Join(home, name+".script"), scripts[name])
		s.program(name, fmt.Sprintf("exec '%s' '%s'", test.Scripted(t), filepath.Join(home, name+".script")))
		config += fmt.Sprintf("[agents.%s]\nname = %q\ncommand = %q\n", name, strings.ToUpper(name[:1])+name[1:], name)
	}
	s.write(filepath.Join(home, ".config", "parley", "config.toml"), config)
	for name, text := range greeter {
		s.write(filepath.Join(s.project, name), text)
	}
	s.git("init", "-q", "-b", "main")
	s.git("add", ".")
	s.git("commit", "-q", "-m", "Greet")
	return s
}

// greeter is the project that the agent works on.
var greeter = map[string]string{
	"go.mod": "module greeter\n\ngo 1.26\n",
	"main.go": `package main

import "fmt"

func main() {
	names := []string{"Ada", "Grace", "Linus", "Margaret"}

	for i := 1; i < len(names); i++ {
		fmt.Printf("Hello, %s!\n", names[i])
	}
}
`,
	"README.md": "# greeter\n\nGreets everybody on the list.\n",
}

func (s *stage) write(path, text string) {
	s.t.Helper()
	must(s.t, os.WriteFile(path, []byte(text), 0o600))
}

// program makes a program for parley to find.
func (s *stage) program(name, does string) {
	s.t.Helper()
	must(s.t, os.WriteFile(filepath.Join(s.bin, name), []byte("#!/bin/sh\n"+does+"\n"), 0o700))
}

// git runs git in the project, as somebody, on some day.
func (s *stage) git(args ...string) {
	s.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = s.project
	cmd.Env = append(test.Environ(), "HOME="+s.home, "XDG_CONFIG_HOME="+s.home,
		"GIT_AUTHOR_NAME=Ada", "GIT_AUTHOR_EMAIL=ada@example.org", "GIT_AUTHOR_DATE=2026-01-01T12:00:00Z",
		"GIT_COMMITTER_NAME=Ada", "GIT_COMMITTER_EMAIL=ada@example.org", "GIT_COMMITTER_DATE=2026-01-01T12:00:00Z")
	if out, err := cmd.CombinedOutput(); err != nil {
		s.t.Fatalf("git %s: %v\n%s", args, err, out)
	}
}

// stored stores a session as parley would have, some time ago.
func (s *stage) stored(ago time.Duration, agent, prompt, answer string) {
	s.t.Helper()
	dir := filepath.Join(s.home, ".local", "state", "parley", "sessions")
	at := time.Now().Add(-ago)
	l, err := store.New(dir).Create(store.Meta{Agent: agent, Cwd: s.project, Created: at})
	must(s.t, err)
	must(s.t, l.Append([]conversation.Event{
		conversation.AgentReady{Info: &acpclient.InitializeResponse{AgentInfo: &acpclient.Implementation{Name: agent, Title: strings.ToUpper(agent[:1]) + agent[1:]}}},
		conversation.SessionOpened{ID: acpclient.SessionID(l.ID()), Cwd: s.project},
		conversation.PromptSent{Prompt: []acpclient.ContentBlock{acpclient.TextBlock(prompt)}, At: at},
		conversation.Text{Chunk: acpclient.AgentMessageChunk, Text: answer},
		conversation.TurnEnded{Reason: acpclient.StopEndTurn, At: at},
	}))
	must(s.t, l.Close())
	must(s.t, os.Chtimes(filepath.Join(dir, string(l.ID())+".jsonl"), at, at))
}

// start starts parley in the project.
func (s *stage) start(args ...string) *ptytest.Terminal {
	s.t.Helper()
	o := ptytest.Options{
		Cmd: append([]string{test.Parley(s.t)}, args...), Dir: s.project, Home: s.home,
		Cols: s.cols, Rows: s.rows, Light: s.light,
		Env: []string{"PATH=" + s.bin, "PARLEY_DEMO_SPEED=0", "TMPDIR=" + filepath.Join(s.home, "tmp"), "PWD=" + s.project},
	}
	o.Env = append(o.Env, s.env...)
	if s.output != nil {
		o.Output = s.output
	}
	return ptytest.Start(s.t, o)
}
