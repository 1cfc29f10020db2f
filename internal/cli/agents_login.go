package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"parley/acpclient"
	"parley/internal/sandbox"
	"parley/internal/termtext"
)

// agentsLoginCommand signs in to an agent.
func agentsLoginCommand(s *streams) *cobra.Command {
	return &cobra.Command{
		Use:   "login NAME [WAY]",
		Short: "Sign in to an agent, in one of the ways that it offers",
		Long: `login starts the agent, has it sign you in, and ends it. Which ways there are, the
agent says; where there are several, name one by its id, or choose on the terminal.`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) < 1 || len(args) > 2 {
				return misused(cmd, "", "login takes the name of an agent, and perhaps a way to sign in")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			way := ""
			if len(args) == 2 {
				way = args[1]
			}
			return withAgent(cmd.Context(), s, args[0], func(ctx context.Context, g *greeted) error { return g.login(ctx, s, way) })
		},
	}
}

// agentsLogoutCommand signs out of an agent.
func agentsLogoutCommand(s *streams) *cobra.Command {
	return &cobra.Command{
		Use:   "logout NAME",
		Short: "Sign out of an agent",
		Args:  oneArgument("the name of an agent"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return withAgent(cmd.Context(), s, args[0], func(ctx context.Context, g *greeted) error { return g.logout(ctx, s) })
		},
	}
}

func (g *greeted) login(ctx context.Context, s *streams, way string) error {
	m, err := g.method(ctx, s, way)
	if err != nil {
		return err
	}
	if m.Type == acpclient.AuthMethodTerminal {
		err = g.loginOnTerminal(ctx, s, m)
	} else {
		fmt.Fprintln(s.Err, termtext.Line(fmt.Sprintf("%s: %s …", g.agent.Name, m.Name)))
		if _, err = acpclient.CallWith(ctx, g.client, acpclient.Authenticate, &acpclient.AuthenticateRequest{MethodID: m.ID}); err != nil {
			err = g.failed(ctx, "sign in to "+g.agent.Name, err)
		}
	}
	if err == nil {
		fmt.Fprintln(s.Out, termtext.Line("signed in to "+g.agent.Name))
	}
	return err
}

// method is the way to sign in that is meant: the only one, or the one that is named or
// chosen.
func (g *greeted) method(ctx context.Context, s *streams, way string) (acpclient.AuthMethod, error) {
	all := g.info.AuthMethods
	var names []string
	for _, m := range all {
		if string(m.ID) == way || way != "" && strings.EqualFold(m.Name, way) {
			return m, nil
		}
		names = append(names, string(m.ID))
	}
	switch {
	case len(all) == 0:
		return acpclient.AuthMethod{}, hinted(g.elsewhere(), "%s offers no way to sign in", g.agent.Name)
	case way != "":
		return acpclient.AuthMethod{}, hinted("It has: "+strings.Join(names, ", "), "%s has no way to sign in called %q", g.agent.Name, way)
	case len(all) == 1:
		return all[0], nil
	}
	for i, m := range all {
		fmt.Fprintln(s.Err, termtext.Line(fmt.Sprintf("%d  %s (%s)  %s", i+1, m.Name, m.ID, m.Description)))
	}
	if !s.InTerminal || !s.ErrTerminal {
		return acpclient.AuthMethod{}, hinted("Name one of them: parley agents login NAME WAY", "%s has several ways to sign in", g.agent.Name)
	}
	fmt.Fprintf(s.Err, "Which? [1-%d] ", len(all))
	answer, err := line(ctx, s)
	n, wrong := strconv.Atoi(answer)
	if err != nil || wrong != nil || n < 1 || n > len(all) {
		return acpclient.AuthMethod{}, errors.New("none was chosen")
	}
	return all[n-1], nil
}

// elsewhere says where it stands how to sign in to an agent that cannot be asked to.
func (g *greeted) elsewhere() string {
	const see = "See how it is done in its own documentation"
	if g.agent.URL == "" {
		return see + "."
	}
	return see + ": " + g.agent.URL
}

// line reads a line that the person types.
func line(ctx context.Context, s *streams) (string, error) {
	lines := make(chan string, 1)
	go func() {
		text, _ := bufio.NewReader(s.In).ReadString('\n')
		lines <- strings.TrimSpace(text)
	}()
	select {
	case text := <-lines:
		return text, nil
	case <-ctx.Done():
		fmt.Fprintln(s.Err)
		return "", ctx.Err()
	}
}

// loginOnTerminal gives the terminal to the agent's own program, with what the way to sign
// in adds to its command.
func (g *greeted) loginOnTerminal(ctx context.Context, s *streams, m acpclient.AuthMethod) error {
	if g.agent.Address != "" {
		return hinted("Sign in on that machine.", "%s is done on a terminal of the machine that %s runs on", m.Name, g.agent.Name)
	}
	if !s.InTerminal || !s.OutTerminal {
		return hinted("Run it in a terminal, without > or |.", "%s is done on a terminal, and there is none", m.Name)
	}
	g.peer.Stop(ctx)
	cmd := exec.CommandContext(ctx, g.command.Path, slices.Concat(g.command.Args, m.Args)...)
	cmd.Env, cmd.Dir = append(os.Environ(), g.command.Env...), g.command.Dir
	for _, name := range slices.Sorted(maps.Keys(m.Env)) {
		cmd.Env = append(cmd.Env, name+"="+m.Env[name])
	}
	if g.command.Runs != nil {
		if err := sandbox.CheckEnv(cmd.Env[len(cmd.Env)-len(m.Env):]); err != nil {
			return fmt.Errorf("%s: %w", m.Name, err)
		}
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = s.In, s.Out, s.Err
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("the program that signs in to %s did not end well: %w", g.agent.Name, err)
	}
	return nil
}

func (g *greeted) logout(ctx context.Context, s *streams) error {
	if g.info.AgentCapabilities.Auth.Logout == nil {
		return hinted(g.elsewhere(), "%s offers no way to sign out", g.agent.Name)
	}
	if _, err := g.client.Logout(ctx, &acpclient.LogoutRequest{}); err != nil {
		return g.failed(ctx, "sign out of "+g.agent.Name, err)
	}
	fmt.Fprintln(s.Out, termtext.Line("signed out of "+g.agent.Name))
	return nil
}
