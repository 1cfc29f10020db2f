package cli

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/config"
	"parley/internal/app"
	"parley/tui"
)

// terminal is streams that claim to be a terminal, and what was written to it.
func terminal() (*streams, *bytes.Buffer) {
	var out bytes.Buffer
	return &streams{In: strings.NewReader(""), Out: &out, Err: &out, OutTerminal: true, Keyboard: true}, &out
}

// isolate gives the test a home of its own, with a configuration, an empty PATH and a
// terminal that shows a screen, whatever the tests themselves are run in, and runs it in
// an empty directory, which it returns.
func isolate(t *testing.T, configuration string) string {
	t.Helper()
	home, dir := t.TempDir(), t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", home)
	t.Setenv("XDG_STATE_HOME", filepath.Join(home, "state"))
	t.Setenv("PATH", "")
	t.Setenv("TERM", "xterm-256color")
	t.Setenv("ACCESSIBLE", "")
	if err := os.MkdirAll(filepath.Join(home, "parley"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(home, "parley", "config.toml"), []byte(configuration), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// parse reads a command line and returns the options that it makes.
func parse(t *testing.T, s *streams, args ...string) *startOptions {
	t.Helper()
	var got *startOptions
	cmd := startCommand(s, func(o *startOptions, _ context.Context) error { got = o; return nil })
	cmd.SetArgs(args)
	if err := cmd.Execute(); err != nil {
		t.Fatal(err)
	}
	return got
}

func TestCommandLineBecomesOptions(t *testing.T) {
	s, _ := terminal()
	for name, c := range map[string]struct {
		args []string
		want startOptions
	}{
		"nothing":           {nil, startOptions{}},
		"a directory":       {[]string{"src"}, startOptions{cwd: "src"}},
		"an agent":          {[]string{"-a", "claude", "--cwd=src"}, startOptions{agent: "claude", cwd: "src"}},
		"a command":         {[]string{"src", "--", "my-agent", "--acp", "-a"}, startOptions{cwd: "src", command: []string{"my-agent", "--acp", "-a"}}},
		"more directories":  {[]string{"--add-dir", "a,b", "--add-dir=c"}, startOptions{addDirs: []string{"a,b", "c"}}},
		"a session":         {[]string{"--resume=s 1"}, startOptions{resume: "s 1"}},
		"a kept session":    {[]string{"--keep"}, startOptions{keep: true}},
		"a flag afterwards": {[]string{"src", "--resume", "s"}, startOptions{cwd: "src", resume: "s"}},
	} {
		t.Run(name, func(t *testing.T) {
			got := parse(t, s, c.args...)
			got.streams, got.screen, got.cmd = nil, nil, nil
			if diff := cmp.Diff(c.want, *got, cmp.AllowUnexported(startOptions{}), cmp.Comparer(func(a, b *streams) bool { return a == b }),
				cmp.FilterPath(func(p cmp.Path) bool { f := p.Last().String(); return f == ".screen" }, cmp.Ignore())); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// The flag decides over the configuration. A system that cannot keep sessions refuses the
// flag, and ignores the configuration.
func TestSessionsAreKept(t *testing.T) {
	s, _ := terminal()
	for _, c := range []struct {
		args       []string
		configured bool
		system     string
		want       bool
		refused    string
	}{
		{nil, false, "linux", false, ""},
		{nil, true, "linux", true, ""},
		{[]string{"--keep"}, false, "linux", true, ""},
		{[]string{"--keep", "--plain"}, false, "darwin", true, ""},
		{[]string{"--keep=false"}, true, "linux", false, ""},
		{nil, true, "windows", false, ""},
		{[]string{"--keep=false"}, true, "windows", false, ""},
		{[]string{"--keep"}, false, "windows", false, "--keep is not available on Windows"},
	} {
		cfg := config.Default(nil)
		cfg.Host.Keep = c.configured
		var o *startOptions
		cmd := startCommand(s, func(parsed *startOptions, _ context.Context) error { o = parsed; return nil })
		cmd.SetArgs(c.args)
		if err := cmd.Execute(); err != nil {
			t.Fatal(err)
		}
		if err := o.checkKeep(cmd, c.system); c.refused != "" {
			if usage := new(failure); !errors.As(err, &usage) || usage.code != exitUsage || err.Error() != c.refused {
				t.Errorf("%q on %s: %v", c.args, c.system, err)
			}
		} else if got := o.keeps(cfg, c.system); err != nil || got != c.want {
			t.Errorf("%q on %s, configured %v: %v, %v", c.args, c.system, c.configured, got, err)
		}
	}
}

func TestScreenIsStartedWithTheAgentThatWasNamed(t *testing.T) {
	dir := isolate(t, "[agents.mine]\ncommand = \"my-agent\"\n[agents.other]\ncommand = \"another\"\ndefault = true\n")
	for name, c := range map[string]struct {
		args []string
		want []string // command and arguments
	}{
		"by its command": {[]string{"--", "/bin/agent", "--acp"}, []string{"/bin/agent", "--acp"}},
		"by its name":    {[]string{"-a", "mine"}, []string{"my-agent"}},
		"by default":     {nil, []string{"another"}},
	} {
		t.Run(name, func(t *testing.T) {
			s, _ := terminal()
			o := parse(t, s, c.args...)
			var got tui.Options
			o.screen = func(_ context.Context, opt tui.Options) (tui.Left, error) { got = opt; return tui.Left{}, nil }
			if err := o.run(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got.Agent == nil {
				t.Fatal("no agent is started")
			}
			if diff := cmp.Diff(c.want, append([]string{got.Agent.Command}, got.Agent.Args...)); diff != "" {
				t.Error(diff)
			}
			if got.Cwd != dir {
				t.Errorf("it works in %s, want %s", got.Cwd, dir)
			}
		})
	}
}

func TestAgentsAreOfferedWhenNoneIsNamed(t *testing.T) {
	isolate(t, "[agents.mine]\ncommand = \"my-agent\"\n")
	s, _ := terminal()
	o := parse(t, s)
	var got tui.Options
	o.screen = func(_ context.Context, opt tui.Options) (tui.Left, error) { got = opt; return tui.Left{}, nil }
	if err := o.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	var ids []string
	agents, err := got.Available()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range agents {
		ids = append(ids, a.ID)
	}
	if diff := cmp.Diff([]string{"mine", "tour"}, ids); diff != "" || got.Agent != nil {
		t.Errorf("%s, and %v is started", diff, got.Agent)
	}
}

func TestLeavingSaysHowToGoOn(t *testing.T) {
	dir := isolate(t, "[agents.mine]\ncommand = \"my-agent\"\n")
	project := filepath.Join(dir, "it's here")
	if err := os.Mkdir(project, 0o700); err != nil {
		t.Fatal(err)
	}
	mine := config.Agent{ID: "mine", Source: config.SourceConfigured}
	for name, c := range map[string]struct {
		args []string
		left []app.Left
		want string
	}{
		"by a name": {
			[]string{"-a", "mine"},
			[]app.Left{{Agent: mine, Session: "s-1"}},
			"To resume this session: parley --resume=s-1 -a mine\n",
		},
		"by a command, elsewhere": {
			[]string{project, "--", "my-agent", "a b"},
			[]app.Left{{Agent: app.AgentOf("", []string{"my-agent", "a b"}), Session: "s 1;id"}},
			"To resume this session: parley --resume='s 1;id' --cwd \"" + project + "\" -- my-agent 'a b'\n",
		},
		"a session that the agent cannot open again": {
			[]string{"-a", "mine"},
			[]app.Left{{Agent: mine, Stored: "2026-x", Cwd: dir}},
			"To resume this session: parley --resume=2026-x\n",
		},
		"a stored session of another directory": {
			[]string{"-a", "mine"},
			[]app.Left{{Agent: mine, Session: "s-1", Stored: "2026-x", Cwd: "/elsewhere"}},
			"To resume this session: parley --resume=2026-x\n",
		},
		"a session of an address": {
			[]string{"--connect", "ws://127.0.0.1:1/acp"},
			[]app.Left{{Agent: app.AgentOf("", []string{"ws://127.0.0.1:1/acp"}), Session: "s-1", Stored: "2026-x", Cwd: dir}},
			"To resume this session: parley --resume=s-1 --connect ws://127.0.0.1:1/acp\n",
		},
		"a session of a command that an earlier command line had": {
			nil,
			[]app.Left{{Agent: app.AgentOf("", []string{"my-agent"}), Session: "s-1", Stored: "2026-x", Cwd: dir}},
			"To resume this session: parley --resume=2026-x\n",
		},
		"one beside that of this command line": {
			[]string{"--", "another-agent"},
			[]app.Left{{Agent: app.AgentOf("", []string{"my-agent"}), Session: "s-1", Stored: "2026-x", Cwd: dir}},
			"To resume this session: parley --resume=2026-x\n",
		},
		"several": {
			[]string{"-a", "mine"},
			[]app.Left{
				{Agent: mine, Session: "s-1", Title: "Tidy up"},
				{Agent: mine},
				{Agent: mine, Session: "s-2", Title: `Say "hi"`},
			},
			"To resume this session: parley --resume=s-1 -a mine\n" +
				`To resume "Say \"hi\"": parley --resume=s-2 -a mine` + "\n",
		},
		"no session": {[]string{"-a", "mine"}, []app.Left{{Agent: mine}}, ""},
		"the tour":   {[]string{"-a", "tour"}, []app.Left{{Agent: config.Agent{ID: app.TourID}, Session: "s"}}, ""},
		"a session that cannot be typed": {
			[]string{"-a", "mine"}, []app.Left{{Agent: mine, Session: "a\x00b"}}, "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, out := terminal()
			o := parse(t, s, c.args...)
			o.screen = func(context.Context, tui.Options) (tui.Left, error) { return tui.Left{Tabs: c.left}, nil }
			if err := o.run(t.Context()); err != nil {
				t.Fatal(err)
			}
			if out.String() != c.want {
				t.Errorf("said %q, want %q", out, c.want)
			}
		})
	}
}

func TestNoScreenIsStartedWithoutATerminal(t *testing.T) {
	isolate(t, "")
	for name, c := range map[string]struct {
		output, keyboard bool
		want             string
	}{
		"no output":   {false, true, "output is not a terminal"},
		"no keyboard": {true, false, "no terminal to read keys from"},
		"neither":     {false, false, "output is not a terminal"},
	} {
		t.Run(name, func(t *testing.T) {
			s, out := terminal()
			s.OutTerminal, s.Keyboard = c.output, c.keyboard
			if code := run(t.Context(), s, []string{"-a", "tour"}); code != exitError {
				t.Errorf("exit code %d, want %d", code, exitError)
			}
			said, hint, _ := strings.Cut(out.String(), "\n")
			if !strings.HasPrefix(said, "parley: "+c.want) || hint != "Start parley in a terminal, without > or |.\nTo work without a screen: parley run PROMPT\n" {
				t.Errorf("said %q", out)
			}
		})
	}
}

func TestWhatIsPipedInIsNotDroppedInSilence(t *testing.T) {
	isolate(t, "")
	s, out := terminal()
	s.Piped = true
	if code := run(t.Context(), s, []string{"-a", "tour"}); code != exitError {
		t.Errorf("exit code %d, want %d", code, exitError)
	}
	if said := out.String(); !strings.HasPrefix(said, "parley: parley reads keys, but its input is a pipe") || !strings.Contains(said, "| parley run\n") || !strings.Contains(said, "parley --prompt TEXT\n") {
		t.Errorf("said %q", said)
	}
}

func TestAFailedScreenIsAnError(t *testing.T) {
	isolate(t, "")
	s, out := terminal()
	o := parse(t, s, "-a", "tour")
	o.screen = func(context.Context, tui.Options) (tui.Left, error) {
		return tui.Left{}, errors.New("out of \x1b[31mcheese")
	}
	if code := tell(s.Err, o.run(t.Context())); code != exitError {
		t.Errorf("exit code %d, want %d", code, exitError)
	}
	if got := out.String(); got != "parley: out of cheese\n" {
		t.Errorf("said %q", got)
	}
}
