package app

import (
	"os"
	"path/filepath"

	"parley/acpclient"
	"parley/config"
	"parley/internal/remote"
	"parley/internal/session"
)

// RemoteAgent is where an agent listens; nil if it is started with a command.
func RemoteAgent(a config.Agent) (*remote.Agent, error) {
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
			return WithHint("remote_root in "+config.ConfigFile()+" is about the session's directory alone.",
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
