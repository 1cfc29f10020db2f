package cli

import (
	"context"
	"fmt"
	"io"
	"net"
	"path/filepath"

	"github.com/spf13/cobra"

	"parley/config"
	"parley/internal/app"
	"parley/internal/conversation"
	"parley/internal/host"
	"parley/internal/serve"
)

// serveCommand returns the command that serves sessions to a client of the protocol.
func serveCommand(s *streams) *cobra.Command {
	o := &startOptions{streams: s}
	readOnly, socket := false, false
	cmd := leaf("serve [SESSION] [-- COMMAND ARG...]", `Serve sessions to an editor, or any client of the protocol
serve is an agent that speaks the Agent Client Protocol on stdin and stdout, for an
editor or another client to start. It offers the sessions that run here and those
that are stored, and new ones of an agent; without -a or a COMMAND the client chooses
among the agents of this machine. With a SESSION it serves that one alone. With
--socket it serves any number of clients of yours at a Unix socket, until ctrl+c.

Its sessions are kept, as with --keep: 'parley attach' and 'parley board' show the
same ones, also while the client works in them. Rules, sandbox, budget and undo are
parley's.`, func(cmd *cobra.Command, args []string) error {
		before, err := o.takeSession(cmd, args, "parley serve -- my-agent --acp")
		if err == nil && len(before) > 1 {
			err = misused(cmd, "", "at most one session, not %d", len(before))
		}
		if err == nil && len(before) == 1 && (o.agent != "" || o.command != nil) {
			err = misused(cmd, "", "a session has its agent already")
		}
		if err != nil {
			return err
		}
		return o.checkAgent(cmd)
	}, func(cmd *cobra.Command, args []string) error {
		if at := cmd.ArgsLenAtDash(); at >= 0 {
			args = args[:at]
		}
		return o.serve(cmd.Context(), args, readOnly, socket)
	})
	cmd.Example = `  parley serve                 what an editor starts: all sessions, any agent
  parley serve -a claude       new sessions have this agent
  parley serve 4f2c            one session that keeps running
  ssh build parley serve       the sessions of another machine`
	f := cmd.Flags()
	f.StringVarP(&o.agent, "agent", "a", "", "new sessions have this agent, by its `NAME`")
	f.BoolVar(&readOnly, "read-only", false, "let the client look only: it sends nothing and answers nothing")
	f.BoolVar(&socket, "socket", false, "serve clients that show its key at a socket, and print its path")
	f.BoolVar(&o.sandbox, "sandbox", false, "run agents and their commands in the sandbox")
	protocolFlag(f, &o.protocol)
	return cmd
}

// serve serves a session, or all, until the client leaves; at the socket, until ctx ends.
func (o *startOptions) serve(ctx context.Context, args []string, readOnly, socket bool) error {
	if !host.Available {
		return host.ErrUnavailable
	}
	cfg, err := o.configuration()
	if err != nil {
		return err
	}
	opt := serve.Options{ReadOnly: readOnly, EditorFiles: cfg.EditorFiles, Version: currentVersion(), First: cfg.DefaultAgent}
	if len(args) == 1 {
		if opt.Running, err = runningNamed(ctx, o.streams, args); err != nil {
			return err
		}
	}
	if o.agent != "" || o.command != nil {
		defer supervise(ctx)() // what serve.Options.Hello starts
		if opt.Agent, err = o.named(cfg); err != nil {
			return err
		}
		if filepath.IsLocal(opt.Agent.Command) && filepath.Base(opt.Agent.Command) != opt.Agent.Command { // sessions have directories of their own
			opt.Agent.Command = filepath.Join(o.cwd, opt.Agent.Command)
		}
	}
	l := o.launcher(cfg)
	l.Keep, l.Warn = true, o.streams.warn
	if opt.Agent != nil && o.command != nil {
		l.Command = opt.Agent.Words()
	}
	defer l.Close()
	backend := l.Backend()
	if backend.Stored != nil {
		defer backend.Stored.Close()
	}
	opt.Hello = func(ctx context.Context, a config.Agent) (conversation.AgentState, error) { return hello(ctx, l, a) }
	if !socket {
		opt.Backend = host.Keeping(l, backend, nil)
		serve.Run(ctx, o.streams.In, o.streams.Out, opt)
		return nil
	}
	clients, err := host.ListenForClients(func(soFar int64, err error) {
		o.streams.warn(fmt.Sprintf("refused a client (%d so far): %v", soFar, err))
	})
	if err != nil {
		return err
	}
	fmt.Fprintln(o.streams.Out, clients.Path())
	return clients.Serve(ctx, func(ctx context.Context, c net.Conn, behind *host.Process) {
		opt := opt
		opt.Backend = host.Keeping(l, backend, behind)
		serve.Run(ctx, c, c, opt)
	})
}

// hello asks an agent what it offers, without opening a session.
func hello(ctx context.Context, l *app.Launcher, a config.Agent) (conversation.AgentState, error) {
	live, err := l.SigningIn(a, false, io.Discard)
	if err != nil {
		return conversation.AgentState{}, err
	}
	defer endAgent(ctx, live)
	err = await(ctx, live, "start ", func(e conversation.Event) bool { _, ready := e.(conversation.AgentReady); return ready })
	return live.Conversation.Agent, err
}
