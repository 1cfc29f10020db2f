package app

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"parley/config"
	"parley/internal/session"
)

// protocol is the version that an agent is offered: that of the command line, or else of
// the configuration. The command line's is tried even with an agent that failed before.
func (l *Launcher) protocol(a config.Agent) (session.Protocol, session.VersionMemory) {
	memory := versionMemory{dir: filepath.Join(config.StateDir(), "protocol"), command: a.Words()}
	if l.Protocol != "" {
		memory.ignored = true
		return session.Protocol(l.Protocol), memory
	}
	return session.Protocol(a.Protocol), memory
}

// versionMemory remembers by the command of an agent that it fails when it is offered
// version 2 of the protocol: a file in a directory, named by the hash of the command.
type versionMemory struct {
	dir     string
	command []string
	ignored bool // what is remembered does not count
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
		return fmt.Errorf("remember which version an agent takes: %w", err)
	}
	return nil
}
