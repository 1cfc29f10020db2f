package cli

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"parley/acpclient"
	"parley/config"
	"parley/internal/app"
	"parley/internal/conversation"
	"parley/internal/session"
	"parley/internal/termtext"
)

func agentsLoginCommand(s *streams) *cobra.Command {
	return leaf("login NAME [METHOD]", `Sign in to an agent
login starts the agent, signs you in, and stops it. If the agent offers several
methods, name one by its ID, or choose on the terminal.`, arguments(1, 2, "the name of an agent and optionally a sign-in method"), func(cmd *cobra.Command, args []string) error {
		method := strings.Join(args[1:], "")
		return withAgent(cmd.Context(), s, args[0], func(ctx context.Context, l *app.Live) error { return login(ctx, s, l, method) })
	})
}

func agentsLogoutCommand(s *streams) *cobra.Command {
	return leaf("logout NAME", "Sign out of an agent", arguments(1, 1, "the name of an agent"), func(cmd *cobra.Command, args []string) error {
		return withAgent(cmd.Context(), s, args[0], func(ctx context.Context, l *app.Live) error {
			if l.Conversation.Agent.Capabilities.Auth.Logout == nil {
				return app.WithHint(elsewhereFor(l.Agent), "%s cannot sign out", l.Agent.Name)
			}
			if err := session.Try(ctx, l.Session, session.Logout{}); err != nil {
				return fmt.Errorf("%s: %w", l.Agent.Name, err)
			}
			fmt.Fprintln(s.Out, termtext.Line("signed out of "+l.Agent.Name))
			return nil
		})
	})
}

// withAgent connects to an agent, calls do, and stops the agent.
func withAgent(ctx context.Context, s *streams, name string, do func(context.Context, *app.Live) error) error {
	cfg, err := loadConfig()
	if err != nil {
		return err
	}
	a, err := app.AgentNamed(cfg, name)
	if err != nil {
		return err
	}
	defer supervise(ctx)()
	cwd, err := app.Directory("")
	if err != nil {
		return err
	}
	launcher := &app.Launcher{Config: cfg, Version: currentVersion(), Cwd: cwd}
	defer launcher.Close()
	stderr := &shownLines{to: s.Err} // where agents print the address to open in the browser
	l, err := launcher.SigningIn(a, s.InTerminal && s.OutTerminal, stderr)
	if err != nil {
		return err
	}
	defer endAgent(ctx, l)
	err = await(ctx, l, "start ", func(e conversation.Event) bool { _, ready := e.(conversation.AgentReady); return ready })
	if errors.As(err, new(*acpclient.StartError)) {
		return app.WithHint(a.InstallText(), "%w", err)
	}
	if err != nil {
		return err
	}
	return do(ctx, l)
}

// endAgent ends the agent, even if ctx has ended.
func endAgent(ctx context.Context, l *app.Live) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), app.StopTime)
	defer cancel()
	app.End(ctx, l.Session)
}

// await folds events up to one. If the agent exits first, it fails with what it was to do.
func await(ctx context.Context, l *app.Live, what string, is func(conversation.Event) bool) error {
	err := until(ctx, l.Session, func(e conversation.Event) bool {
		l.Apply(e)
		return is(e)
	})
	if lost := l.Conversation.Agent.Err; err != nil && lost != nil {
		err = fmt.Errorf("%s%s: %w", what, l.Agent.Name, lost)
	}
	return err
}

func login(ctx context.Context, s *streams, l *app.Live, method string) error {
	m, err := methodNamed(ctx, s, l, method)
	if err != nil {
		return err
	}
	flow := l.SignIn(conversation.AuthRequired{})
	if session.RunsInTerminal(m) {
		err = loginOnTerminal(ctx, s, l, flow, m)
	} else {
		fmt.Fprintln(s.Err, termtext.Line(fmt.Sprintf("%s: %s …", l.Agent.Name, m.Name)))
		var refused error
		if _, err = flow.Begin(ctx, m.ID); err == nil {
			err = await(ctx, l, "sign in to ", func(e conversation.Event) bool {
				done, is := e.(conversation.AuthDone)
				refused = done.Err
				return is
			})
		}
		if refused != nil {
			err = fmt.Errorf("sign in to %s: %w", l.Agent.Name, refused)
		}
	}
	if err == nil {
		fmt.Fprintln(s.Out, termtext.Line("signed in to "+l.Agent.Name))
	}
	return err
}

// methodNamed returns the named sign-in method, the only one, or the one that the user
// chooses.
func methodNamed(ctx context.Context, s *streams, l *app.Live, name string) (acpclient.AuthMethod, error) {
	all := l.Conversation.Agent.AuthMethods
	var names []string
	var byID, byName []acpclient.AuthMethod
	for _, m := range all {
		switch {
		case string(m.ID) == name:
			byID = append(byID, m)
		case name != "" && strings.EqualFold(m.Name, name):
			byName = append(byName, m)
		}
		names = append(names, string(m.ID))
	}
	if len(byID) == 0 {
		byID = byName
	}
	switch {
	case len(byID) == 1:
		return byID[0], nil
	case len(byID) > 1:
		return acpclient.AuthMethod{}, app.WithHint("To choose by number: parley agents login "+l.Agent.Name, "%s has several sign-in methods %q", l.Agent.Name, name)
	case len(all) == 0:
		return acpclient.AuthMethod{}, app.WithHint(elsewhereFor(l.Agent), "%s offers no sign-in method", l.Agent.Name)
	case name != "":
		return acpclient.AuthMethod{}, app.WithHint("It has: "+strings.Join(names, ", "), "%s has no sign-in method %q", l.Agent.Name, name)
	case len(all) == 1:
		return all[0], nil
	}
	shown := app.SignInChoices(all)
	for i, m := range shown {
		fmt.Fprintln(s.Err, termtext.Line(fmt.Sprintf("%d  %s (%s)  %s", i+1, m.Name, all[i].ID, cmp.Or(m.Why, m.More))))
	}
	if !s.InTerminal || !s.ErrTerminal {
		return acpclient.AuthMethod{}, app.WithHint("Choose one: parley agents login NAME METHOD", "%s has several sign-in methods", l.Agent.Name)
	}
	fmt.Fprintf(s.Err, "Which? [1-%d] ", len(all))
	answer, err := line(ctx, s)
	n, wrong := strconv.Atoi(answer)
	switch {
	case err != nil || wrong != nil || n < 1 || n > len(all):
		return acpclient.AuthMethod{}, errors.New("no sign-in method chosen")
	case shown[n-1].Why != "":
		return acpclient.AuthMethod{}, fmt.Errorf("%s: %s", shown[n-1].Name, shown[n-1].Why)
	}
	return all[n-1], nil
}

// elsewhereFor returns the hint for an agent that offers no sign-in.
func elsewhereFor(a config.Agent) string {
	const see = "See the agent's own documentation"
	if a.URL == "" {
		return see + "."
	}
	return see + ": " + a.URL
}

// line reads a line that the user types.
func line(ctx context.Context, s *streams) (string, error) {
	text, err := readOrEnd(ctx, func() (string, error) {
		text, _ := bufio.NewReader(s.In).ReadString('\n')
		return strings.TrimSpace(text), nil
	})
	if err != nil {
		fmt.Fprintln(s.Err)
	}
	return text, err
}

// loginOnTerminal runs the agent's own program as a guest of the terminal.
func loginOnTerminal(ctx context.Context, s *streams, l *app.Live, flow *app.SignIn, m acpclient.AuthMethod) error {
	if l.Agent.Address != "" {
		return app.WithHint("Sign in on that machine.", "%s needs a terminal on the machine that runs %s", m.Name, l.Agent.Name)
	}
	in, isFile := s.In.(*os.File)
	out, areFiles := s.Out.(*os.File)
	if !s.InTerminal || !s.OutTerminal || !isFile || !areFiles {
		return app.WithHint("Run it in a terminal, without > or |.", "%s needs a terminal, and there is none", m.Name)
	}
	cmd, err := flow.Begin(ctx, m.ID)
	if err != nil {
		return err
	}
	endAgent(ctx, l)
	if q := cmd.Ask; q != nil {
		fmt.Fprintln(s.Err, q.Text)
		for _, line := range q.Lines {
			fmt.Fprintln(s.Err, "  "+termtext.VisibleLine(line))
		}
		if !agreed(ctx, s, "Run it?") {
			return errors.New("not signed in: the program was not run")
		}
	}
	cmd.Lines = os.Getenv("TERM") == "dumb"
	if err := cmd.Run(in, out); err != nil {
		return fmt.Errorf("the sign-in program of %s failed: %w", l.Agent.Name, err)
	}
	return nil
}
