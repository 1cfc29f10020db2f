package cli

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"parley/config"
	"parley/internal/session"
)

// protocolFlag adds the flag that says which versions of the protocol are offered.
func protocolFlag(f *pflag.FlagSet, to *string) {
	f.StringVar(to, "protocol", "", "offer the agent this `VERSION` of the protocol: \"v1\", or \"auto\" for the newest that it knows (default: the agent's in the configuration, else v1)")
}

// checkProtocol refuses a version that there is not.
func (o *startOptions) checkProtocol(cmd *cobra.Command) error {
	if !cmd.Flags().Changed("protocol") || config.KnownProtocol(o.protocol) {
		return nil
	}
	return misused(cmd, "", "--protocol cannot be %q: it is v1 or auto", o.protocol)
}

// protocolFor is what an agent is offered: what the command line says, or else the
// configuration. What the command line says is tried also with an agent that has
// failed before.
func (l *launcher) protocolFor(a config.Agent) (session.Protocol, session.VersionMemory) {
	memory := versionMemory{dir: filepath.Join(config.StateDir(), "protocol"), command: a.Words()}
	if l.protocol != "" {
		memory.anew = true
		return session.Protocol(l.protocol), memory
	}
	return session.Protocol(a.Protocol), memory
}

// versionMemory remembers by the command of an agent that it fails when it is offered
// version 2 of the protocol: a file in a directory, named by the hash of the command.
type versionMemory struct {
	dir     string
	command []string
	anew    bool // what is remembered does not count
}

func (m versionMemory) file() string {
	sum := sha256.Sum256([]byte(strings.Join(m.command, "\x00")))
	return filepath.Join(m.dir, hex.EncodeToString(sum[:16]))
}

// Fails implements session.VersionMemory.
func (m versionMemory) Fails() bool {
	if m.anew {
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
		return fmt.Errorf("remember which version an agent takes: %w", err)
	}
	return nil
}
