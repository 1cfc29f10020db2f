//go:build unix

package acpclient

import (
	"os/exec"
	"syscall"
)

// ownGroup makes the command the leader of a new session and so of a new
// process group, away from our terminal's signals.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

func terminateGroup(pid int) { _ = syscall.Kill(-pid, syscall.SIGTERM) }

func killGroup(pid int) { _ = syscall.Kill(-pid, syscall.SIGKILL) }

// endGroup kills what is left of a group whose leader has ended.
func endGroup(pid int) {
	killGroup(pid)
	killRefs(descendants(pid))
}
