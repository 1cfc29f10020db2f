package cli

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"parley/acpclient"
	"parley/config"
	"parley/internal/app"
	"parley/internal/conversation"
	"parley/internal/headless"
	"parley/internal/host"
	"parley/internal/session"
)

// runDetached starts a session that keeps running, queues the prompts and prints its id.
func (o *runOptions) runDetached(ctx context.Context, cmd *cobra.Command, opt headless.Options) error {
	if !host.Available {
		return host.ErrUnavailable
	}
	l, open, agent, err := o.prepare(cmd.Context(), cmd)
	if err != nil {
		return err
	}
	defer l.Close()
	o.agent = agent.ID
	spec := app.Spec{Cwd: o.cwd}
	if open != nil {
		m, err := l.Store.Meta(open.Stored)
		if err != nil {
			return err
		}
		spec.Stored, spec.Cwd = open.Stored, m.Cwd
		if running, _ := host.List(ctx); slices.ContainsFunc(running, func(s host.Status) bool { return s.Stored == open.Stored }) {
			return app.WithHint("To add a prompt: "+commandLine("parley send", string(open.Stored), opt.Prompts[0]), "the session keeps running already")
		}
	}
	if cmd.Context().Err() != nil {
		return tooEarly()
	}
	if open == nil {
		spec.Notes = new(l.Prepare(cmd.Context(), app.Spec{Agent: agent, Cwd: o.cwd}, preparation(o.streams.tell, false)))
	}
	id, err := host.Spawn(ctx, l.HostSpec(*agent, spec))
	if err != nil {
		return err
	}
	c, err := host.AttachTo(ctx, host.ClientOptions{Running: id, Passing: true, Version: currentVersion()})
	if err != nil {
		return errors.Join(err, host.End(context.WithoutCancel(ctx), id))
	}
	defer leave(c)
	opt.Tell = o.streams.tell
	if r := headless.Open(ctx, c, opt); r.Status != headless.Answered {
		return o.outcome(r, *agent, c.About().Bounds)
	}
	for _, text := range opt.Prompts {
		if _, err := enqueue(ctx, c, &c.Past().State, queued(text), session.Prompt{Prompt: queued(text)}); err != nil {
			return errors.Join(&failure{err, headless.AgentFailed.ExitCode()}, c.End(context.WithoutCancel(ctx)))
		}
	}
	if now, err := host.StatusOf(ctx, id); c.About().Stored && (err != nil || now.Stored == "") {
		// There is no viewer to tell what is lost when it ends.
		return errors.Join(app.WithHint("Make room there, or set store = false to run it all the same.",
			"parley cannot write to %s, so it has ended the session, whose result would be lost", app.StoreDir()), c.End(context.WithoutCancel(ctx)))
	}
	fmt.Fprintln(o.streams.Out, id)
	return nil
}

// leave leaves a session, which goes on.
func leave(c *host.Client) {
	ctx, cancel := context.WithTimeout(context.Background(), app.StopTime)
	defer cancel()
	c.Close(ctx)
}

func queued(text string) conversation.QueuedPrompt {
	return conversation.QueuedPrompt{Prompt: []acpclient.ContentBlock{acpclient.TextBlock(text)}}
}

// enqueue does an act that sends a prompt or queues it, and waits until that is among the events,
// which it adds to those before: a viewer that attaches then finds it there. It reports whether the prompt
// waits in a paused queue. An equal prompt that was queued before is another one.
func enqueue(ctx context.Context, s app.Session, before *conversation.State, p conversation.QueuedPrompt, act session.Act[session.None]) (paused bool, err error) {
	confirmed, _ := session.Begin(s, act)
	if _, err := confirmed(ctx); err != nil {
		return false, err
	}
	is := func(q conversation.QueuedPrompt) bool { return q.Text() == p.Text() }
	err = until(ctx, s, func(e conversation.Event) bool {
		defer before.Apply(e)
		switch e := e.(type) {
		case conversation.PromptSent:
			return is(conversation.QueuedPrompt{Prompt: e.Prompt}) && !slices.ContainsFunc(before.Queue, is)
		case conversation.QueueChanged:
			paused = e.Paused
			return slices.ContainsFunc(e.Queue, func(q conversation.QueuedPrompt) bool {
				return is(q) && !slices.ContainsFunc(before.Queue, func(b conversation.QueuedPrompt) bool { return b.ID == q.ID })
			})
		}
		return false
	})
	return paused, err
}

// until waits for an event. It fails if the agent exits first.
func until(ctx context.Context, s app.Session, is func(conversation.Event) bool) error {
	for {
		select {
		case <-s.Stream().Ready():
		case <-ctx.Done():
			return errors.New("interrupted")
		}
		for _, e := range s.Stream().Take() {
			if is(e) {
				return nil
			}
			if lost, is := e.(conversation.AgentLost); is {
				return fmt.Errorf("the agent exited: %w", lost.Err)
			}
		}
	}
}

func sendCommand(s *streams) *cobra.Command {
	cmd := leaf("send ID PROMPT", `Add a prompt to the queue of a session that keeps running
send sends a prompt to a session that keeps running, or adds it to the queue while
a turn runs or the queue is paused. With - it reads the prompt from standard input.`, func(cmd *cobra.Command, args []string) error {
		if len(args) > 2 {
			return misused(cmd, "Put the prompt in quotes: "+commandLine("parley send", args[0], strings.Join(args[1:], " ")),
				"send takes an ID and a prompt, got %d arguments", len(args))
		}
		return arguments(2, 2, "a session ID and a prompt")(cmd, args)
	}, func(cmd *cobra.Command, args []string) error {
		ctx := cmd.Context()
		id, err := runningNamed(ctx, s, args[:1])
		if err != nil {
			return err
		}
		text := args[1]
		if text == "-" {
			if text, err = readPrompt(ctx, s, "-"); err != nil {
				return err
			}
		}
		if strings.TrimSpace(text) == "" {
			return misused(cmd, "", "the prompt is empty")
		}
		c, err := host.AttachTo(ctx, host.ClientOptions{Running: id, Passing: true, Version: currentVersion()})
		if err != nil {
			return err
		}
		defer leave(c)
		if c.Past().Gone() {
			return app.WithHint("To start it again: parley attach "+id, "the agent of the session %s has exited", id)
		}
		// At the end: the user has yet to decide about a paused queue.
		paused, err := enqueue(ctx, c, &c.Past().State, queued(text), session.Prompt{Prompt: queued(text), At: math.MaxInt})
		if paused && err == nil {
			s.tell("the queue is paused, and the prompt waits in it")
			s.tell("  to send it: parley attach " + id)
		}
		return err
	})
	cmd.Example = `  parley send 4f2c "And now the documentation"
  git diff | parley send 4f2c -`
	return cmd
}

// waitCommand returns the command that waits for the end of a turn.
func waitCommand(s *streams) *cobra.Command {
	output := outputText
	cmd := leaf("wait ID", `Wait for the answer of a session that keeps running
wait waits until a session that keeps running has worked off its queue, and prints
the answer of its last turn. Its exit codes are those of 'parley run'. If the agent
asks a question, wait says how to answer it, and goes on waiting. A paused queue is
input_needed. An interrupt ends the waiting; the session goes on.`, func(cmd *cobra.Command, args []string) error {
		if output != outputText && output != outputJSON {
			return misused(cmd, "", "--output must be text or json, not %q", output)
		}
		return arguments(1, 1, "a session ID")(cmd, args)
	}, func(cmd *cobra.Command, args []string) error { return wait(cmd.Context(), s, args[0], output) })
	cmd.Example = `  parley wait $(parley run --detach "What does this project do?")`
	cmd.Flags().StringVar(&output, "output", outputText, "output `FORMAT`: text, or json (one object at the end)")
	return cmd
}

func wait(ctx context.Context, s *streams, name, output string) error {
	cfg, err := loadConfig()
	if err != nil {
		return err
	}
	gone := func(err error) error { return &failure{err, headless.AgentFailed.ExitCode()} }
	id, err := runningNamed(ctx, s, []string{name})
	if errors.As(err, new(notRunning)) {
		return gone(err)
	} else if err != nil {
		return err
	}
	opt := headless.Options{Tell: s.tell}
	if s.ErrTerminal {
		opt.Progress = func(line string) { fmt.Fprintln(s.Err, line) }
	}
	f := headless.NewFollower(opt)
	c, err := host.AttachTo(ctx, host.ClientOptions{Running: id, ReadOnly: true, Version: currentVersion(), Before: f.Apply})
	switch {
	case errors.Is(err, host.ErrGone):
		return gone(err)
	case err != nil:
		return err
	}
	defer leave(c)
	r := f.Wait(ctx, c)
	switch {
	case output == outputJSON:
		text, problem := r.JSON()
		if problem == nil {
			_, problem = s.Out.Write(text)
		}
		err = problem
	case r.Text != "":
		err = markdownWriter(s, cfg)(r.Text)
	}
	return errors.Join(outcome(r, config.Agent{}, c.About().Bounds, "parley attach "+id), err)
}
