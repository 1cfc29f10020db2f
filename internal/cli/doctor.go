package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"parley/acpclient"
	v2 "parley/acpclient/v2"
	"parley/config"
	"parley/internal/app"
	"parley/internal/doctor"
)

// doctorOptions are the flags and arguments of doctor.
type doctorOptions struct {
	startOptions
	prompt  string
	wire    string
	json    bool
	rules   bool
	timeout time.Duration
}

// Exit codes of doctor, besides exitOK and exitUsage.
const (
	exitDeviates    = 1
	exitNotExamined = 3
	exitIncomplete  = 4
)

// doctorCommand tests an agent against the protocol.
func doctorCommand(s *streams) *cobra.Command {
	o := &doctorOptions{startOptions: startOptions{streams: s}}
	cmd := leaf("doctor [flags] [-- COMMAND ARG...]", `Test an agent against the protocol
doctor starts an agent, tries what it advertises, and checks every message
against the schema and the rules of the Agent Client Protocol. It reports each
deviation with its line and the page of the protocol.

The agent starts in this directory; its sessions work in an empty one. It gets no
files, no terminals and no permission. Without --prompt no model is asked; with
it, one turn runs and one or two are cancelled. doctor deletes its sessions, if
the agent can do that.

--protocol auto offers version 2 of the protocol, and tests the version that the
agent answers with.`, o.takeDoctorArgs, func(cmd *cobra.Command, _ []string) error { return o.run(cmd) })
	cmd.Example = `  parley doctor -- my-agent --acp
  parley doctor --prompt -a claude
  parley doctor --protocol auto --prompt -- my-agent --acp
  parley doctor --json --wire wire.jsonl -- my-agent --acp
  parley doctor -- wss://agents.example.com/acp

Exit codes:
   0  no deviation
   1  errors or warnings
   2  bad flags
   3  the agent did not start or failed at initialize
   4  no deviation, but not everything could be tested`
	f := cmd.Flags()
	f.StringVarP(&o.agent, "agent", "a", "", "agent `NAME`: configured, known, or \"tour\"")
	f.StringVar(&o.prompt, "prompt", "", "run one turn with this `TEXT`, or a prompt of its own, and cancel another")
	f.DurationVar(&o.timeout, "timeout", 30*time.Second, "wait this `TIME` for each answer, such as 10s or 2m")
	f.BoolVar(&o.json, "json", false, "print the report as JSON: one object")
	f.StringVar(&o.wire, "wire", "", "write every line that passes to this new `FILE`, numbered as in the report")
	f.BoolVar(&o.rules, "rules", false, "list the rules")
	protocolFlag(f, &o.protocol)
	f.BoolVar(&o.sandbox, "sandbox", false, "run the agent in the sandbox")
	return cmd
}

// takeDoctorArgs takes the agent's command after "--".
func (o *doctorOptions) takeDoctorArgs(cmd *cobra.Command, args []string) error {
	before, err := o.takeSession(cmd, args, "parley doctor -- my-agent --acp")
	if err != nil {
		return err
	}
	if len(before) > 0 {
		return misused(cmd, "To test that agent: "+commandLine("parley doctor", append([]string{"--"}, before...)...),
			"doctor takes only an agent's command after --, got %q", before)
	}
	switch {
	case o.agent != "" && o.command != nil:
		return misused(cmd, "", "use either --agent or a command after --, not both")
	case cmd.Flags().Changed("prompt") && o.prompt == "":
		return misused(cmd, "", "--prompt has no text")
	case o.timeout <= 0:
		return misused(cmd, "", "--timeout must be positive")
	}
	return nil
}

// run tests the agent and prints the report.
func (o *doctorOptions) run(cmd *cobra.Command) error {
	if o.rules {
		return o.printRules()
	}
	l, opt, err := o.prepare(cmd)
	if l != nil {
		defer l.Close()
	}
	if err != nil {
		return notExamined(err)
	}
	var wire io.WriteCloser
	if o.wire != "" {
		wire, err = os.OpenFile(o.wire, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if err != nil {
			return notExamined(fmt.Errorf("create the wire file: %w", err))
		}
		defer wire.Close()
		opt.Wire = wire
	}
	defer supervise(cmd.Context())()
	report, err := doctor.Examine(cmd.Context(), opt)
	if wire != nil {
		err = errors.Join(err, wire.Close())
	}
	var printed error
	if o.json {
		printed = writeJSON(o.streams.Out, report)
	} else {
		_, printed = io.WriteString(o.streams.Out, report.Text())
	}
	if err = errors.Join(printed, err); err != nil {
		return notExamined(err)
	}
	switch report.Outcome { // the report says why
	case doctor.Deviates:
		return exitStatus(exitDeviates)
	case doctor.NotExamined:
		return exitStatus(exitNotExamined)
	case doctor.Incomplete:
		return exitStatus(exitIncomplete)
	}
	return nil
}

// notExamined gives an error the exit code for an agent that could not be tested.
func notExamined(err error) error {
	if errors.As(err, new(*failure)) {
		return err
	}
	return &failure{err, exitNotExamined}
}

// prepare finds the agent and creates the directory for its sessions. The caller closes
// the launcher, which may come with an error.
func (o *doctorOptions) prepare(cmd *cobra.Command) (*app.Launcher, doctor.Options, error) {
	opt := doctor.Options{Timeout: o.timeout, Prompt: o.prompt, Version: currentVersion()}
	cfg, err := loadConfig()
	if err != nil {
		return nil, opt, err
	}
	a, err := o.named(cfg)
	switch {
	case err != nil:
		return nil, opt, err
	case a == nil:
		return nil, opt, misused(cmd, "Name one: parley doctor -a NAME, parley doctor -- COMMAND, or default_agent in "+config.ConfigFile(),
			"no agent to test")
	}
	opt.Clean = app.RedactorFor(cfg, *a).Line
	opt.Protocol = acpclient.ProtocolVersion // the newest version to offer
	if cmp.Or(config.Protocol(o.protocol), a.Protocol) == config.ProtocolAuto {
		opt.Protocol = v2.Version
	}
	l := o.launcher(cfg)
	if opt.Cwd, err = l.TempDir("parley-doctor-"); err != nil {
		return l, opt, fmt.Errorf("create a directory for the sessions: %w", err)
	}
	if s := o.streams; s.ErrTerminal {
		opt.Progress = func(what string) { fmt.Fprintln(s.Err, "Trying: "+what) }
	}
	command, far, err := l.CommandFor(*a, opt.Cwd)
	if err != nil {
		return l, opt, err
	}
	if opt.Cwd = cmp.Or(a.RemoteRoot, opt.Cwd); far != nil {
		opt.URL, opt.Unordered = far.String(), !far.Ordered()
		opt.Start = func(io.Writer) (*acpclient.Peer, error) { return app.PeerAt(far), nil }
		return l, opt, nil
	}
	opt.Command = acpclient.Command{Path: a.Command, Args: a.Args, Env: command.Env, Dir: command.Dir}.String()
	opt.Start = func(stderr io.Writer) (*acpclient.Peer, error) {
		command.Stderr = stderr
		return acpclient.Spawn(command)
	}
	return l, opt, nil
}

func (o *doctorOptions) printRules() error {
	if o.json {
		return writeJSON(o.streams.Out, doctor.Rules)
	}
	for _, r := range doctor.Rules {
		lines := []string{r.Asks, r.Page, r.PageV2}
		lines = slices.DeleteFunc(lines, func(line string) bool { return line == "" })
		if _, err := fmt.Fprintf(o.streams.Out, "%-7s  %s\n         %s\n", r.Severity, r.ID, strings.Join(lines, "\n         ")); err != nil {
			return err
		}
	}
	return nil
}
