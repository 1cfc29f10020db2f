//go:build unix

// Package e2e runs the built binary as a user would, on a real pty, with an agent that
// follows a script. A tap between the two records what crosses the pipe; everything
// that parley sends is checked against the protocol's official schema.
package e2e

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"image/color"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	_ "parley/internal/cli" // the program under test: its changes make the tests' results stale
	"parley/internal/schema"
	"parley/internal/test"
	"parley/internal/test/ptytest"
	"parley/tui/theme"
)

// Options say how to start parley.
type Options struct {
	// Script is the script of the agent: see package peer.
	Script string
	// Others are the scripts of further agents, by their names in the configuration.
	Others map[string]string
	// Agent is the command of another agent, instead of the scripted one.
	Agent []string
	// Far makes the agent listen on the network, at a URL such as "ws://%s/acp"; it
	// runs anew for each connection.
	Far string
	// At is the URL of an agent that the test runs itself, and Wire the file in which
	// that records the traffic, as a tap does.
	At, Wire string
	// Under is a command that starts parley, whose own command follows it.
	Under []string
	// Args are flags of parley's own.
	Args []string
	// Project is the working directory, which need not be empty; "" means a fresh one.
	// Files are written into it first.
	Project string
	Files   map[string]string
	// Env is added to the isolated environment.
	Env []string
	// Config is the configuration file.
	Config string
	// Home is the home directory; "" means a fresh one.
	Home string
	// Loose agents are not checked against the schema; parley always is, except for
	// methods in Legacy, which older agents have.
	Loose  bool
	Legacy []string
	// Cols and Rows are the size of the terminal; 0 means 120x40.
	Cols, Rows int
	Light      bool
	// Keep records all output of parley, for Raw and Reads.
	Keep bool
}

// Parley is a running parley and its agent.
type Parley struct {
	*ptytest.Terminal
	t       testing.TB
	log     string
	project string
	legacy  []string // methods outside of the schema that parley may call
	focused string   // the colour of the frame of a focused dialog
	others  []*Parley
	far     *test.Server // nil if the agent is a local program
	at      string       // where it listens
}

// Start starts parley in a fresh directory. When the test ends, it validates everything
// that parley sent.
func Start(t testing.TB, o Options) *Parley {
	t.Helper()
	dir := resolved(t, t.TempDir())
	project := o.Project
	if project == "" {
		project = filepath.Join(dir, "project")
	}
	home := o.Home
	if home == "" {
		home = filepath.Join(dir, "home")
	}
	must(t, os.MkdirAll(filepath.Join(home, ".config", "parley"), 0o700))
	must(t, os.MkdirAll(project, 0o755))
	for name, text := range o.Files {
		path := filepath.Join(project, name)
		must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must(t, os.WriteFile(path, []byte(text), 0o644))
	}
	bin := test.Parley(t)
	for _, name := range slices.Sorted(maps.Keys(o.Others)) {
		o.Config += configured(t, dir, name, o.Others[name])
	}
	p := &Parley{t: t, project: project, log: cmp.Or(o.Wire, filepath.Join(dir, "wire.log")), at: o.At, legacy: o.Legacy, focused: hex(theme.New(!o.Light).BorderFocused)}
	if o.Config != "" {
		must(t, os.WriteFile(filepath.Join(home, ".config", "parley", "config.toml"), []byte(o.Config), 0o600))
	}
	for name := range o.Others {
		p.others = append(p.others, &Parley{t: t, log: wireOf(dir, name), legacy: o.Legacy, focused: p.focused})
	}
	agent := o.Agent
	if agent == nil {
		script := filepath.Join(dir, "agent.script")
		must(t, os.WriteFile(script, []byte(o.Script), 0o600))
		agent = []string{test.Scripted(t), script}
	}
	agent = append(test.Tap(t), agent...)
	cmd := append(slices.Concat(o.Under, []string{bin}), o.Args...)
	env := []string{tapEnv + "=" + p.log, "PARLEY_DEMO_SPEED=0"}
	// The configuration has the agent's command, or a host has the agent.
	named := slices.Contains(cmd, "-a") || len(o.Args) > 0 && (o.Args[0] == "attach" || o.Args[0] == "board")
	if o.Far != "" {
		p.listen(o.Far, test.Command(env, agent[0], agent[1:]...))
	}
	switch {
	case named:
	case p.at != "":
		cmd = append(cmd, "--connect", p.at)
	default:
		cmd = append(append(cmd, "--"), agent...)
	}
	t.Cleanup(func() {
		for _, wire := range append(p.others, p) {
			wire.validate(o.Loose)
		}
	})
	p.Terminal = ptytest.Start(t, ptytest.Options{
		Cmd: cmd, Dir: project, Home: home, Cols: o.Cols, Rows: o.Rows, Light: o.Light, Keep: o.Keep,
		Env: append(env, o.Env...),
	})
	return p
}

// listen makes an agent listen until the test ends.
func (p *Parley) listen(scheme string, agent test.Agent) {
	p.t.Helper()
	p.far = &test.Server{Agent: agent}
	address, stop, err := p.far.Listen()
	must(p.t, err)
	p.t.Cleanup(stop)
	p.at = fmt.Sprintf(scheme, address)
}

// Project returns the working directory.
func (p *Parley) Project() string { return p.project }

// wireOf returns the file with the traffic of another agent.
func wireOf(dir, name string) string { return filepath.Join(dir, name+".log") }

// configured writes the script of another agent, and returns its configuration.
func configured(t testing.TB, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name+".script")
	must(t, os.WriteFile(path, []byte(text), 0o600))
	tap := test.Tap(t)
	return fmt.Sprintf("[agents.%s]\nname = %q\ncommand = %q\nargs = [%q, %q, %q]\nenv = { %s = %q }\n",
		name, name, tap[0], tap[1], test.Scripted(t), path, tapEnv, wireOf(dir, name))
}

// Other returns another agent's view: the traffic on its pipe.
func (p *Parley) Other(name string) *Parley {
	p.t.Helper()
	for _, o := range p.others {
		if filepath.Base(o.log) == name+".log" {
			return o
		}
	}
	p.t.Fatalf("there is no agent %s", name)
	return nil
}

// Message is a line that crossed the pipe.
type Message struct {
	From   schema.Side
	Agent  string // which of the agents that share a log, if known
	Line   []byte
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
}

// Wire returns what has crossed the pipe so far.
func (p *Parley) Wire() []Message {
	b, err := os.ReadFile(p.log)
	if os.IsNotExist(err) {
		return nil
	}
	must(p.t, err)
	var out []Message
	sc := bufio.NewScanner(bytes.NewReader(b))
	sc.Buffer(nil, 64<<20)
	for sc.Scan() {
		name, line, _ := strings.Cut(sc.Text(), " ")
		side, agent, _ := strings.Cut(name, "/")
		m := Message{From: schema.Side(side), Agent: agent, Line: []byte(line)}
		_ = json.Unmarshal(m.Line, &m)
		out = append(out, m)
	}
	return out
}

// Sent returns the params of all messages that parley has sent by a method so far.
func (p *Parley) Sent(method string) []string {
	var out []string
	for _, m := range p.Wire() {
		if m.From == schema.Client && m.Method == method {
			out = append(out, string(m.Params))
		}
	}
	return out
}

// Answers returns the results, or errors, with which parley has answered a method so
// far.
func (p *Parley) Answers(method string) []string {
	open := map[string]bool{}
	var out []string
	for _, m := range p.Wire() {
		switch {
		case m.From == schema.Agent && m.Method == method:
			open[m.Agent+" "+string(m.ID)] = true
		case m.From == schema.Client && m.Method == "" && open[m.Agent+" "+string(m.ID)]:
			delete(open, m.Agent+" "+string(m.ID))
			out = append(out, string(m.Result)+string(m.Error))
		}
	}
	return out
}

// WaitSent waits until parley has sent n messages by a method, and returns the params
// of the last.
func (p *Parley) WaitSent(method string, n int) string {
	p.t.Helper()
	return p.waitWire(fmt.Sprintf("%d of %s", n, method), n, func() []string { return p.Sent(method) })
}

// WaitAnswers waits until parley has answered a method n times, and returns the last
// answer.
func (p *Parley) WaitAnswers(method string, n int) string {
	p.t.Helper()
	return p.waitWire(fmt.Sprintf("%d answers to %s", n, method), n, func() []string { return p.Answers(method) })
}

func (p *Parley) waitWire(what string, n int, get func() []string) string {
	p.t.Helper()
	const limit, step = 30 * time.Second, 5 * time.Millisecond
	deadline := time.Now().Add(limit)
	ticker := time.NewTicker(step) // the log is a file: nothing reports its growth
	defer ticker.Stop()
	for {
		got := get()
		if len(got) >= n {
			return got[n-1]
		}
		if time.Now().After(deadline) {
			p.t.Fatalf("expected %s, got %d: %s", what, len(got), got)
		}
		<-ticker.C
	}
}

// validate checks the whole conversation with each agent against the schema.
func (p *Parley) validate(loose bool) {
	validators := map[string]*schema.Validator{}
	wire := p.Wire()
	for i, m := range wire {
		v := validators[m.Agent]
		if v == nil || m.From == schema.Client && m.Method == "initialize" { // an agent that was started, or restarted
			v = schema.NewValidator(spoken(m, wire[i+1:]), p.legacy...)
			validators[m.Agent] = v
		}
		if err := v.Line(m.From, m.Line); err != nil && (m.From == schema.Client || !loose) {
			p.t.Errorf("%s sent what the schema does not allow:\n%s\n%v", m.From, m.Line, err)
		}
	}
}

// spoken returns the schema of the version that an agent chooses in its answer to
// initialize.
func spoken(initialize Message, behind []Message) *schema.Schema {
	for _, m := range behind {
		var chosen struct{ ProtocolVersion int }
		if m.From == schema.Agent && m.Agent == initialize.Agent && m.Method == "" && string(m.ID) == string(initialize.ID) {
			if json.Unmarshal(m.Result, &chosen) == nil && chosen.ProtocolVersion == 2 {
				return schema.V2()
			}
			break
		}
	}
	return schema.V1Unstable() // parley offers subagents and plans, which are of that
}

// hex returns a colour in the form of screen cells.
func hex(c color.Color) string {
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}

func resolved(t testing.TB, dir string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(dir)
	must(t, err)
	return dir
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
