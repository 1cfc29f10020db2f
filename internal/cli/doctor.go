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
	"parley/internal/process"
)

// doctorOptions are the flags and arguments of examining an agent.
type doctorOptions struct {
	startOptions
	prompt  string
	wire    string
	json    bool
	rules   bool
	timeout time.Duration
}

// The exit codes of the doctor, beside exitOK and exitUsage.
const (
	exitDeviates    = 1
	exitNotExamined = 3
	exitIncomplete  = 4
)

// doctorPrefix begins the names of the directories that examined sessions work in.
const doctorPrefix = "parley-doctor-"

// doctorCommand examines an agent.
func doctorCommand(s *streams) *cobra.Command {
	o := &doctorOptions{startOptions: startOptions{streams: s}}
	cmd := &cobra.Command{
		Use:   "doctor [flags] [-- COMMAND ARG...]",
		Short: "Examine an agent, and report where it deviates from the protocol",
		Long: `doctor starts an agent, tries what it advertises, holds every message of it
against the schema and the rules of the Agent Client Protocol, and reports what
its author can act on: each deviation with the line on the wire and the page of
the protocol that it breaks.

The agent is started in this directory, and its sessions work in one that is
made for them. It gets no files, no terminals and no permission. Without
--prompt no model is asked; with it, one turn is run and one is cancelled.
Sessions that were made are deleted, if the agent can do that.

With --protocol auto the agent is offered version 2 of the protocol, and
examined in the version that it answers with.`,
		Example: `  parley doctor -- my-agent --acp
  parley doctor --prompt -a claude
  parley doctor --protocol auto --prompt -- my-agent --acp
  parley doctor --json --wire wire.jsonl -- my-agent --acp
  parley doctor -- wss://agents.example.com/acp

Exit codes:
   0  nothing deviates
   1  there are errors or warnings
   2  the command line is wrong
   3  the agent could not be examined: it could not be started, or did not get through initialize
   4  nothing deviates, but not all could be examined: it wants somebody to sign in, say`,
		Args: o.takeDoctorArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd) },
	}
	f := cmd.Flags()
	f.StringVarP(&o.agent, "agent", "a", "", "the agent of this `NAME`: a configured or a known one, or \"tour\"")
	f.StringVar(&o.prompt, "prompt", "", "run a turn with this `TEXT`, and one more that is cancelled; without a text, with prompts of its own")
	f.Lookup("prompt").NoOptDefVal = doctor.ScriptedPrompt
	f.DurationVar(&o.timeout, "timeout", 30*time.Second, "the `TIME` that the agent has for each answer, as in 10s or 2m")
	f.BoolVar(&o.json, "json", false, "print the report as one object of JSON")
	f.StringVar(&o.wire, "wire", "", "write every line that passes into this `FILE`, which must not be there, with the numbers of the report")
	f.BoolVar(&o.rules, "rules", false, "list the rules that agents are held against, and examine none")
	protocolFlag(f, &o.protocol)
	f.BoolVar(&o.sandbox, "sandbox", false, "let the agent write in the sessions' directory only; fails where the system has no means to see to it")
	return cmd
}

// takeDoctorArgs sorts the arguments: the text of --prompt before "--", the agent's
// command behind it.
func (o *doctorOptions) takeDoctorArgs(cmd *cobra.Command, args []string) error {
	o.bounds = cmd.Flags().Changed("sandbox")
	before := args
	if at := cmd.ArgsLenAtDash(); at >= 0 {
		before, o.command = args[:at], args[at:]
		if len(o.command) == 0 {
			return misused(cmd, "Write the agent's command there, as in: parley doctor -- my-agent --acp", "there is no command behind --")
		}
	}
	switch {
	case len(before) == 1 && o.prompt == doctor.ScriptedPrompt: // --prompt TEXT
		o.prompt = before[0]
	case len(before) > 0:
		return misused(cmd, "To examine that agent: "+commandLine("parley doctor", append([]string{"--"}, before...)...),
			"doctor takes no arguments but an agent's command behind --, and got %q", before)
	}
	switch {
	case o.agent != "" && o.command != nil:
		return misused(cmd, "", "--agent and a command behind -- do not go together: each names the agent")
	case cmd.Flags().Changed("prompt") && o.prompt == "":
		return misused(cmd, "", "--prompt has no text")
	case o.timeout <= 0:
		return misused(cmd, "", "--timeout must be more than nothing")
	}
	return o.checkProtocol(cmd)
}

// run examines the agent, and prints the report.
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
			return notExamined(fmt.Errorf("make the file of the wire: %w", err))
		}
		defer wire.Close()
		opt.Wire = wire
	}
	end, _ := process.BeginSupervision(cmd.Context())
	defer end()
	report, err := doctor.Examine(cmd.Context(), opt)
	if wire != nil {
		err = errors.Join(err, wire.Close())
	}
	if err = errors.Join(o.print(report), err); err != nil {
		return notExamined(err)
	}
	return verdict(report)
}

// notExamined is an error that keeps an agent from being examined.
func notExamined(err error) error {
	if errors.As(err, new(*failure)) {
		return err
	}
	return &failure{err: err, code: exitNotExamined}
}

// prepare finds the agent, and makes the directory for its sessions. Whoever gets a
// launcher cleans up after it.
func (o *doctorOptions) prepare(cmd *cobra.Command) (*app.Launcher, doctor.Options, error) {
	opt := doctor.Options{Timeout: o.timeout, Prompt: o.prompt, Version: currentVersion()}
	cfg, err := config.Load(config.ConfigFile())
	if err != nil {
		return nil, opt, err
	}
	a, err := o.named(cfg)
	switch {
	case err != nil:
		return nil, opt, err
	case a == nil:
		return nil, opt, misused(cmd, "Name one: parley doctor -a NAME, parley doctor -- COMMAND, or default_agent in "+config.ConfigFile(),
			"there is no agent to examine")
	}
	opt.Protocol = newest(cmp.Or(config.Protocol(o.protocol), a.Protocol))
	l := o.launcher(cfg)
	if opt.Cwd, err = l.TempDir(doctorPrefix); err != nil {
		return l, opt, fmt.Errorf("make a directory for the sessions: %w", err)
	}
	if s := o.streams; s.ErrTerminal {
		opt.Progress = func(what string) { fmt.Fprintln(s.Err, "Trying: "+what) }
	}
	return l, opt, examined(l, *a, &opt)
}

// examined says how the agent is started, or where it listens.
func examined(l *app.Launcher, a config.Agent, opt *doctor.Options) error {
	command, far, err := l.CommandFor(a, opt.Cwd)
	if err != nil {
		return err
	}
	if opt.Cwd = cmp.Or(a.RemoteRoot, opt.Cwd); far != nil {
		opt.URL = far.String()
		opt.Start = doctor.Listener(func() doctor.Connection { return far.Connect() }, far.Ordered())
		return nil
	}
	opt.Command = acpclient.Command{Path: a.Command, Args: a.Args, Env: command.Env, Dir: command.Dir}.String()
	opt.Start = doctor.Process(command)
	return nil
}

// newest is the newest version that an agent is offered.
func newest(p config.Protocol) int {
	if p == config.ProtocolAuto {
		return v2.Version
	}
	return 1
}

func (o *doctorOptions) print(r *doctor.Report) error {
	if o.json {
		return writeJSON(o.streams.Out, r)
	}
	_, err := io.WriteString(o.streams.Out, r.Text())
	return err
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

// verdict is the exit code of a report. The report has said why.
func verdict(r *doctor.Report) error {
	switch r.Outcome {
	case doctor.Deviates:
		return exitStatus(exitDeviates)
	case doctor.NotExamined:
		return exitStatus(exitNotExamined)
	case doctor.Incomplete:
		return exitStatus(exitIncomplete)
	}
	return nil
}
