package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"mvdan.cc/sh/v3/syntax"

	"parley/acpclient"
	"parley/config"
	"parley/internal/demoagent"
	"parley/internal/local"
	"parley/internal/session"
	"parley/tui"
)

// startOptions are the flags and arguments of starting a session.
type startOptions struct {
	agent   string
	cwd     string
	addDirs []string
	resume  string
	command []string // behind "--"
	samples []string // temporary projects of the tour
}

// takeArgs sorts the arguments: a directory before "--", a command behind it.
func (o *startOptions) takeArgs(cmd *cobra.Command, args []string) error {
	before := args
	if at := cmd.ArgsLenAtDash(); at >= 0 {
		before, o.command = args[:at], args[at:]
		if len(o.command) == 0 {
			return usageError{errors.New("there is no command behind --")}
		}
	}
	switch {
	case len(before) > 1:
		return usageError{fmt.Errorf("one directory at most, not %d: an agent's command stands behind --", len(before))}
	case len(before) == 1 && o.cwd != "":
		return usageError{errors.New("a directory and --cwd do not go together")}
	case len(before) == 1:
		o.cwd = before[0]
	}
	if o.agent != "" && o.command != nil {
		return usageError{errors.New("--agent and a command behind -- do not go together")}
	}
	return nil
}

// run starts the program.
func (o *startOptions) run(ctx context.Context) error {
	cwd, err := directory(o.cwd)
	if err != nil {
		return err
	}
	o.cwd = cwd
	for i, dir := range o.addDirs {
		if o.addDirs[i], err = directory(dir); err != nil {
			return err
		}
	}
	cfg, err := config.Load(config.ConfigFile())
	if err != nil {
		return err
	}
	opt := tui.Options{Config: cfg, Cwd: cwd, Version: Version(), Start: o.start(cfg)}
	switch {
	case o.command != nil:
		opt.Agent = &config.Agent{ID: filepath.Base(o.command[0]), Name: filepath.Base(o.command[0]), Command: o.command[0], Args: o.command[1:]}
	case o.agent == tourID:
		tour, err := tourAgent()
		if err != nil {
			return err
		}
		opt.Agent = &tour
	case o.agent != "" || cfg.DefaultAgent != "":
		name := o.agent
		if name == "" {
			name = cfg.DefaultAgent
		}
		a, err := cfg.Agent(name)
		if err != nil {
			return err
		}
		opt.Agent = &a
	default:
		opt.Agents = cfg.Available(exec.LookPath)
		tour, err := tourAgent()
		if err != nil {
			return err
		}
		opt.Agents = append(opt.Agents, tour)
	}
	defer o.cleanUp()
	left, err := tui.Run(ctx, opt)
	if err != nil {
		return err
	}
	if how := o.resumeCommand(left); how != "" {
		fmt.Fprintln(os.Stderr, "To go on with this session: "+how)
	}
	return nil
}

// resumeCommand is the command line that opens the session again that the person
// has left, "" if there is none.
func (o *startOptions) resumeCommand(left tui.Left) string {
	if left.Session == "" || left.Agent.ID == tourID { // the tour's project is gone
		return ""
	}
	words := []string{"parley", "--resume=" + string(left.Session)}
	if here, err := os.Getwd(); err != nil || here != o.cwd {
		words = append(words, "--cwd", o.cwd)
	}
	if o.command == nil {
		words = append(words, "-a", left.Agent.ID)
	} else {
		words = append(append(words, "--"), o.command...)
	}
	for i, w := range words {
		q, err := syntax.Quote(w, syntax.LangPOSIX)
		if err != nil {
			return "" // not a word that a person could type
		}
		words[i] = q
	}
	return strings.Join(words, " ")
}

// directory makes a directory's path absolute, and checks that it is one.
func directory(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("the directory %s: %w", dir, err)
	}
	info, err := os.Stat(abs)
	if err != nil {
		return "", fmt.Errorf("there is no directory %s", abs)
	}
	if !info.IsDir() {
		return "", fmt.Errorf("%s is not a directory", abs)
	}
	return abs, nil
}

// start returns the function that makes a session with an agent.
func (o *startOptions) start(cfg *config.Config) func(config.Agent) (*session.Session, error) {
	return func(a config.Agent) (*session.Session, error) {
		env, err := a.Env.Environ(os.LookupEnv)
		if err != nil {
			return nil, err
		}
		cwd := o.cwd
		if a.ID == tourID {
			if cwd, err = o.sample(); err != nil {
				return nil, err
			}
		}
		servers, err := mcpServers(cfg.MCP)
		if err != nil {
			return nil, err
		}
		dir := a.Cwd
		if dir == "" {
			dir = cwd
		}
		return session.NewSession(session.Options{
			Command:               acpclient.Command{Path: a.Command, Args: a.Args, Env: env, Dir: dir},
			Client:                acpclient.Implementation{Name: "parley", Title: "parley", Version: Version()},
			Cwd:                   cwd,
			AdditionalDirectories: o.addDirs,
			MCPServers:            servers,
			ResumeID:              acpclient.SessionID(o.resume),
			Machine: func(w session.Witness) (session.Machine, error) {
				return local.New(w, append([]string{cwd}, o.addDirs...)...)
			},
		})
	}
}

// mcpServers puts the configured servers into the protocol's form.
func mcpServers(servers []config.MCPServer) ([]acpclient.MCPServer, error) {
	var out []acpclient.MCPServer
	for _, s := range servers {
		m := acpclient.MCPServer{Name: s.Name, Type: acpclient.MCPTransport(s.Type), URL: s.URL, Args: s.Args}
		env, err := s.Env.Expand(os.LookupEnv)
		if err != nil {
			return nil, fmt.Errorf("the MCP server %s: %w", s.Name, err)
		}
		for _, name := range s.Env.Names() {
			m.Env = append(m.Env, acpclient.EnvVariable{Name: name, Value: env[name]})
		}
		headers, err := s.Headers.Expand(os.LookupEnv)
		if err != nil {
			return nil, fmt.Errorf("the MCP server %s: %w", s.Name, err)
		}
		for _, name := range s.Headers.Names() {
			m.Headers = append(m.Headers, acpclient.HTTPHeader{Name: name, Value: headers[name]})
		}
		if s.Command != "" { // the protocol wants an absolute path
			if m.Command, err = exec.LookPath(s.Command); err != nil {
				return nil, fmt.Errorf("the MCP server %s: %s is not installed, or not on PATH", s.Name, s.Command)
			}
			if m.Command, err = filepath.Abs(m.Command); err != nil {
				return nil, fmt.Errorf("the MCP server %s: %w", s.Name, err)
			}
		}
		out = append(out, m)
	}
	return out, nil
}

// tourID is the name of the built-in agent.
const tourID = "tour"

// tourAgent is this program itself, as an agent.
func tourAgent() (config.Agent, error) {
	self, err := os.Executable()
	if err != nil {
		return config.Agent{}, fmt.Errorf("find parley's own program for the tour: %w", err)
	}
	return config.Agent{
		ID: tourID, Name: "The tour", Command: self, Args: []string{"demo-agent"}, Source: config.SourceBuiltIn,
	}, nil
}

// sample makes a temporary project for the tour.
func (o *startOptions) sample() (string, error) {
	dir, err := os.MkdirTemp("", "parley-tour-")
	if err != nil {
		return "", fmt.Errorf("make a directory for the tour: %w", err)
	}
	o.samples = append(o.samples, dir)
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return "", fmt.Errorf("make a directory for the tour: %w", err)
	}
	if err := demoagent.WriteSample(dir); err != nil {
		return "", fmt.Errorf("write the tour's sample project: %w", err)
	}
	return dir, nil
}

// cleanUp removes what was made for the tour.
func (o *startOptions) cleanUp() {
	for _, dir := range o.samples {
		_ = os.RemoveAll(dir)
	}
}
