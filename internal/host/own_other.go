//go:build !linux && !darwin

package host

import (
	"errors"
	"net"
	"os/exec"
)

// Available reports whether this system supports hosts.
const Available = false

// ErrUnavailable says why it does not.
var ErrUnavailable = errors.New("sessions that keep running are available on Linux and macOS")

func ownPeer(net.Conn) error              { return ErrUnavailable }
func processAt(net.Conn) (Process, error) { return Process{}, ErrUnavailable }
func (Process) child() (int, error)       { return 0, ErrUnavailable }
func ownDir(string) error                 { return ErrUnavailable }
func ownSession(*exec.Cmd)                {}
