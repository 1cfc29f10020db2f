package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"

	"parley/acpclient"
	v2 "parley/acpclient/v2"
	"parley/config"
	"parley/internal/process"
	"parley/internal/session"
	"parley/internal/termtext"
)

// greeted is an agent that runs, or that listens, and has said what it can do.
type greeted struct {
	agent   config.Agent
	command acpclient.Command // that starts it, unless it listens
	peer    *session.Peer
	client  v2.Negotiated
	info    *acpclient.InitializeResponse
}

// withAgent starts or reaches an agent as its sessions do, does something with it, and
// ends it.
func withAgent(ctx context.Context, s *streams, name string, do func(context.Context, *greeted) error) error {
	cfg, err := config.Load(config.ConfigFile())
	if err != nil {
		return err
	}
	a, err := agentNamed(cfg, name)
	if err != nil {
		return err
	}
	end, _ := process.BeginSupervision(ctx)
	defer end()
	cwd, err := os.Getwd()
	if err != nil {
		return err
	}
	l := &launcher{config: cfg, cwd: cwd}
	defer l.cleanUp()
	box, err := l.bound(a, []string{cwd})
	if err != nil {
		return err
	}
	opt := session.Options{Cwd: cwd}
	if err := l.reach(a, box, &opt); err != nil {
		return err
	}
	opt.Command.Stderr = &shownLines{to: s.Err} // agents tell there where to go in the browser
	g, err := l.greet(ctx, s, a, &opt)
	if err != nil {
		return err
	}
	defer g.peer.Stop(context.WithoutCancel(ctx))
	return do(ctx, g)
}

// greet introduces parley to an agent, in the version of the protocol that its sessions
// have. One that fails when it is offered version 2 is started again with the first.
func (l *launcher) greet(ctx context.Context, s *streams, a config.Agent, opt *session.Options) (*greeted, error) {
	protocol, memory := l.protocolFor(a)
	if protocol == session.ProtocolAuto && !memory.Fails() {
		g, err := greetIn(ctx, s, a, opt, true)
		if err == nil || a.Address != "" || ctx.Err() != nil {
			return g, err
		}
		if g, err = greetIn(ctx, s, a, opt, false); err != nil {
			return nil, err
		}
		if err := memory.Failed(); err != nil {
			fmt.Fprintln(s.Err, termtext.Line("parley: "+err.Error()))
		}
		return g, nil
	}
	return greetIn(ctx, s, a, opt, false)
}

func greetIn(ctx context.Context, s *streams, a config.Agent, opt *session.Options, offersV2 bool) (*greeted, error) {
	peer, err := opt.Spawn(opt.Command)
	if err != nil {
		if a.InstallHint != "" {
			return nil, hinted("To install it: "+a.InstallHint, "%w", err)
		}
		return nil, err
	}
	g := &greeted{agent: a, command: opt.Command, peer: peer}
	transport := peer.Transport
	if transport == nil {
		transport = acpclient.NewLines(peer.In, peer.Out)
	}
	h := acpclient.UnimplementedHandler{}
	first := acpclient.NewClient(transport, h, acpclient.ConnOptions{})
	r := &acpclient.InitializeRequest{
		ClientInfo:         &acpclient.Implementation{Name: "parley", Title: "parley", Version: currentVersion()},
		ClientCapabilities: acpclient.ClientCapabilities{Auth: acpclient.AuthCapabilities{Terminal: s.InTerminal && s.OutTerminal && a.Address == ""}},
	}
	if offersV2 {
		g.client, g.info, err = v2.Negotiate(ctx, first, h, r, slog.New(slog.DiscardHandler))
	} else {
		g.client = first
		g.info, err = first.Initialize(ctx, r)
	}
	if err != nil {
		defer peer.Stop(context.WithoutCancel(ctx))
		if lost := peer.Err(); a.Address != "" && lost != nil {
			err = lost // in the words of whoever could not connect
		}
		return nil, g.failed(ctx, "start "+a.Name, err)
	}
	return g, nil
}

// failed is an error of the agent.
func (g *greeted) failed(ctx context.Context, what string, err error) error {
	if ctx.Err() != nil {
		return errors.New("interrupted")
	}
	return fmt.Errorf("%s: %w", what, err)
}
