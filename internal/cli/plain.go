package cli

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"

	"parley/config"
	"parley/internal/app"
	"parley/internal/process"
	"parley/tui"
	"parley/tui/linemode"
)

// inLines reports whether parley writes lines of text instead of a screen: because the
// command line says so, or else the configuration, or the terminal can do no more, or
// the person has asked all programs for it (ACCESSIBLE, which is the convention of
// programs that are made with huh).
func (o *startOptions) inLines(cfg *config.Config) bool {
	if o.linesIf {
		return o.lines
	}
	return cfg.Plain || os.Getenv("TERM") == "dumb" || os.Getenv("ACCESSIBLE") != ""
}

// runPlain runs the program in lines of text.
func (o *startOptions) runPlain(ctx context.Context, opt tui.Options) (tui.Left, error) {
	// A first interrupt cancels the turn, and lets the agent end it.
	interrupts, continued := make(chan os.Signal, 2), make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt)
	defer signal.Stop(interrupts)
	notifyContinued(continued)
	defer signal.Stop(continued)
	before := ctx
	ctx, stop := signal.NotifyContext(context.WithoutCancel(before), syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	if before.Err() != nil {
		return tui.Left{}, errors.New("interrupted")
	}
	supervision := process.BeginSupervision(ctx)
	defer supervision.End()
	supervision.Watch()
	s := o.streams
	left, err := linemode.Run(ctx, linemode.Options{
		Backend: opt.Backend, Agent: opt.Agent, Open: opt.Open, Pick: opt.Pick,
		Prompt: opt.Prompt, Cwd: opt.Cwd, Version: opt.Version,
		In: s.In, Out: s.Out, Terminal: s.InTerminal, Interrupts: interrupts, Continued: continued,
	})
	if err != nil {
		return tui.Left{}, err
	}
	if left.Unstarted { // and the person was told
		err = exitStatus(exitError)
	}
	if left.Cwd == "" { // there was no session
		return tui.Left{}, err
	}
	return tui.Left{Tabs: []app.Left{left.Left}, Dirs: []string{left.Cwd}}, err
}
