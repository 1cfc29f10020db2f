package app

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"parley/acpclient"
	"parley/config"
	"parley/internal/remote"
	"parley/internal/session"
)

// RemoteAgent returns where an agent listens, nil if a command starts it.
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

// rooted makes a session name its directory by its path on the agent's machine. Other
// directories have no path there.
func rooted(root string, opt *session.Options) error {
	if root == "" {
		return nil
	}
	roots := remote.Roots{Local: opt.Cwd, Remote: root}
	for _, dir := range opt.AdditionalDirectories {
		if rel, err := filepath.Rel(opt.Cwd, dir); err != nil || !filepath.IsLocal(rel) {
			return WithHint("remote_root in "+config.ConfigFile()+" covers only the session's directory.",
				"the directory %s is not on the agent's machine", dir)
		}
	}
	spawn := opt.Spawn
	opt.Spawn = func(c acpclient.Command) (*acpclient.Peer, error) {
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

// connectTo makes a session connect to an agent instead of starting one. The agent's cookies
// outlive a connection.
func connectTo(far *remote.Agent, opt *session.Options) {
	opt.Command = acpclient.Command{Path: far.String()}
	opt.Spawn = func(acpclient.Command) (*acpclient.Peer, error) { return PeerAt(far), nil }
}

// PeerAt begins to connect to an agent that listens.
func PeerAt(far *remote.Agent) *acpclient.Peer {
	c := far.Connect()
	return &acpclient.Peer{Transport: c, Done: c.Done(), Err: c.Err, Stop: c.Stop, Stderr: func() string { return "" }}
}

// offersV2 reports whether to offer an agent version 2 of the protocol, according to the
// command line or else the configuration. The command line also overrides a remembered
// failure.
func (l *Launcher) offersV2(a config.Agent) (bool, session.VersionMemory) {
	memory := versionMemory{dir: filepath.Join(config.StateDir(), "protocol"), command: a.Words()}
	if l.Protocol != "" {
		memory.ignored = true
		return config.Protocol(l.Protocol) == config.ProtocolAuto, memory
	}
	return a.Protocol == config.ProtocolAuto, memory
}

// versionMemory remembers that an agent fails when offered version 2 of the protocol, as a
// file named by the hash of the agent's command.
type versionMemory struct {
	dir     string
	command []string
	ignored bool // for --protocol, which tries again
}

func (m versionMemory) file() string {
	sum := sha256.Sum256([]byte(strings.Join(m.command, "\x00")))
	return filepath.Join(m.dir, hex.EncodeToString(sum[:16]))
}

// Fails implements session.VersionMemory.
func (m versionMemory) Fails() bool {
	if m.ignored {
		return false
	}
	_, err := os.Lstat(m.file())
	return err == nil
}

// Failed implements session.VersionMemory.
func (m versionMemory) Failed() error {
	if err := config.MakeDir(m.dir); err != nil {
		return err
	}
	if err := os.WriteFile(m.file(), []byte("fails on version 2\n"), config.FileMode); err != nil {
		return fmt.Errorf("save the agent's protocol version: %w", err)
	}
	return nil
}
