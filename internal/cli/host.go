package cli

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"parley/internal/app"
	"parley/internal/host"
	"parley/internal/store"
)

// hostCommand keeps a session running. parley starts it.
func hostCommand(s *streams) *cobra.Command {
	return hidden("host", "Keep the session running that stdin describes", noArguments, func(cmd *cobra.Command, _ []string) error {
		signal.Ignore(syscall.SIGHUP)
		ctx, stop := signal.NotifyContext(context.WithoutCancel(cmd.Context()), syscall.SIGTERM, os.Interrupt)
		defer stop()
		return keepRunning(ctx, s)
	})
}

// startGrace is how long a host that is told to end while it starts has to clean up.
const startGrace = 2 * time.Second

// keepRunning runs a host. One that is told to end while it starts does so, whatever it
// waits for.
func keepRunning(ctx context.Context, s *streams) error {
	ended, started, late := make(chan error, 1), make(chan struct{}), make(chan struct{})
	go func() { ended <- runHost(ctx, s, started) }()
	context.AfterFunc(ctx, func() { time.AfterFunc(startGrace, func() { close(late) }) })
	select {
	case err := <-ended:
		return err
	case <-started:
		return <-ended
	case <-late:
		return exitStatus(exitError)
	}
}

// runHost is keepRunning, and says on the output when the host can be connected to, or why not.
// It closes started before it waits for events.
func runHost(ctx context.Context, s *streams, started chan<- struct{}) error {
	var spec app.HostSpec
	if err := json.NewDecoder(io.LimitReader(s.In, 1<<20)).Decode(&spec); err != nil {
		return errors.New("parley starts this command by itself: use 'parley --keep'")
	}
	say := func(b host.Begun) error { return json.NewEncoder(s.Out).Encode(b) }
	refuse := func(err error) error {
		b := host.Begun{Error: err.Error(), InUse: errors.Is(err, store.ErrInUse)}
		var h *app.HintError
		if errors.As(err, &h) {
			b.Hint = h.Hint
		}
		return errors.Join(say(b), exitStatus(exitError))
	}
	cfg, err := loadConfig()
	if err != nil {
		return refuse(err)
	}
	dir, err := host.HistoryDir()
	if err != nil {
		return refuse(err)
	}
	logger := slog.New(slog.NewTextHandler(host.LogIn(dir), nil)).With("session", spec.ID)
	l := spec.Launcher(cfg, currentVersion())
	l.Unstored = dir
	var h *host.Host
	l.Editor = func() func(context.Context, string) (string, error) { return h.Editor() } // no agent runs before there is a host
	l.Warn = func(text string) { logger.Warn(text) }
	defer l.Close()
	made, err := spec.Make(ctx, l)
	if err != nil {
		return refuse(err)
	}
	h = host.New(host.Options{
		ID: spec.ID, Session: made.Session.(app.Local), Agent: made.Agent, Earlier: made.Earlier,
		Version: l.Version, Dir: dir, Idle: cfg.Host.Idle, Notify: cfg.NotifyCommand, Secrets: app.RedactorFor(cfg, made.Agent), Log: logger,
	})
	listener, err := h.Listen()
	if err != nil {
		return refuse(err)
	}
	defer supervise(ctx)()
	if err := say(host.Begun{ID: spec.ID}); err != nil {
		return err
	}
	close(started)
	h.Run(ctx, listener)
	return nil
}

// relayCommand joins the standard streams to a session that runs here. 'parley attach
// ssh://HOST' starts it on that machine.
func relayCommand(s *streams) *cobra.Command {
	return hidden("relay [SESSION]", "Join stdin and stdout to a session that runs here", cobra.MaximumNArgs(1), func(cmd *cobra.Command, args []string) error {
		id, err := runningNamed(cmd.Context(), s, args)
		if err == nil {
			err = host.Relay(cmd.Context(), id, s.In, s.Out)
		}
		if errors.Is(err, host.ErrGone) || errors.As(err, new(notRunning)) {
			return &failure{err, host.RelayNotFound}
		}
		return err
	})
}
