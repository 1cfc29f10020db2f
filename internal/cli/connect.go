package cli

import (
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"parley/acpclient"
	"parley/config"
	"parley/internal/remote"
	"parley/internal/session"
)

// connectFlag adds the flag that names an agent by where it listens.
func (o *startOptions) connectFlag(f *pflag.FlagSet) {
	f.StringVar(&o.connect, "connect", "", "connect to the agent that listens at this `URL`: wss:// or https://, on this machine also ws:// or http://")
}

// checkAgent finds contradictions among what names the agent.
func (o *startOptions) checkAgent(cmd *cobra.Command) error {
	switch {
	case o.agent != "" && o.command != nil:
		return misused(cmd, "", "--agent and a command behind -- do not go together: each names the agent")
	case o.connect != "" && o.command != nil:
		return misused(cmd, "", "--connect and a command behind -- do not go together: each names the agent")
	case remote.IsURL(o.agent):
		return misused(cmd, "To connect to it: "+commandLine(cmd.CommandPath(), "--connect", o.agent), "--agent takes a name, and %s is where an agent listens", o.agent)
	case o.connect != "" && o.agent != "":
		return misused(cmd, "", "--connect and --agent do not go together: each names the agent")
	case cmd.Flags().Changed("connect"):
		if _, err := remote.New(remote.Options{URL: o.connect}); err != nil {
			return misused(cmd, "What else it needs, such as headers, stands in the configuration: [agents.NAME], with url = \"…\".", "--connect: %w", err)
		}
	}
	return nil
}

// connectShown are the words of --connect for a command line that is shown: what stands
// behind a question mark may be secret.
func (o *startOptions) connectShown() []string {
	address := config.Agent{Address: o.connect}.Listens()
	if strings.ContainsAny(o.connect, "?#") {
		address += "?…"
	}
	return []string{"--connect", address}
}

// words are the agent of the command line: its command, or where it listens; nil if the
// command line has neither.
func (o *startOptions) words() []string {
	if o.connect != "" {
		return []string{o.connect}
	}
	return o.command
}

// agentOfWords is the agent of a command, or of a URL where one listens. An empty name is
// made of the words.
func agentOfWords(name string, words []string) config.Agent {
	a := config.Agent{ID: name, Name: name}
	if len(words) == 1 && remote.IsURL(words[0]) {
		a.Address = words[0]
		if u, err := url.Parse(a.Address); err == nil && name == "" {
			a.ID, a.Name = u.Host, u.Host
		}
		return a
	}
	a.Command, a.Args = words[0], words[1:]
	if name == "" {
		a.ID, a.Name = filepath.Base(a.Command), filepath.Base(a.Command)
	}
	return a
}

// remoteAgent is where an agent listens; nil if it is started with a command.
func remoteAgent(a config.Agent) (*remote.Agent, error) {
	if a.Address == "" {
		return nil, nil
	}
	headers, err := a.Headers.Expand(os.LookupEnv)
	if err != nil {
		return nil, err
	}
	return remote.New(remote.Options{URL: a.Address, Headers: headers, Insecure: a.Insecure})
}

// remoteOf says to a session what of this machine an agent may use; nil if the agent runs
// on it.
func remoteOf(a config.Agent) *session.Remote {
	if !a.Remote() {
		return nil
	}
	return &session.Remote{Listens: a.Address != "", Files: a.ServeFiles, Terminals: a.ServeTerminals}
}

// rooted has a session speak of its directory by the path that it has on the agent's
// machine. Other directories have none there.
func rooted(root string, opt *session.Options) error {
	if root == "" {
		return nil
	}
	roots := remote.Roots{Local: opt.Cwd, Remote: root}
	for _, dir := range opt.AdditionalDirectories {
		if rel, err := filepath.Rel(opt.Cwd, dir); err != nil || !filepath.IsLocal(rel) {
			return hinted("remote_root in "+config.ConfigFile()+" is about the session's directory alone.",
				"the agent runs on another machine, where the directory %s is not", dir)
		}
	}
	spawn := opt.Spawn
	opt.Spawn = func(c acpclient.Command) (*session.Peer, error) {
		p, err := spawn(c)
		if err != nil {
			return nil, err
		}
		if p.Transport == nil {
			p.Transport = acpclient.NewLines(p.In, p.Out)
		}
		p.Transport = roots.Over(p.Transport)
		return p, nil
	}
	return nil
}

// connectTo has a session connect to an agent instead of starting one. The agent keeps
// its cookies from one connection to the next.
func connectTo(far *remote.Agent, opt *session.Options) {
	opt.Command = acpclient.Command{Path: far.String()}
	opt.Spawn = func(acpclient.Command) (*session.Peer, error) {
		c := far.Connect()
		return &session.Peer{
			Transport: c, Done: c.Done(), Err: c.Err, Stop: c.Stop,
			Stderr: func() string { return "" },
		}, nil
	}
}

// tellOfServers says which MCP servers an agent on another machine was not told of.
func tellOfServers(s *session.Session, left []string) {
	if len(left) > 0 {
		s.Said(acpclient.NoticeInfo, "Some MCP servers were left out",
			"They are programs of this machine, and the agent runs on another: "+strings.Join(left, ", ")+".")
	}
}
