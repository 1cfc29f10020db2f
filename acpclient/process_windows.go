package acpclient

import (
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

// ownGroup makes the command the root of a process group, away from our
// console's signals.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// terminateGroup asks the tree to end; Windows has no signal for it.
func terminateGroup(pid int) { _ = exec.Command("taskkill", "/T", "/PID", strconv.Itoa(pid)).Run() }

func killGroup(pid int) {
	_ = exec.Command("taskkill", "/F", "/T", "/PID", strconv.Itoa(pid)).Run()
	if p, err := os.FindProcess(pid); err == nil {
		_ = p.Kill()
	}
}

// endGroup does nothing: the id of a process that has ended may be another's.
func endGroup(int) {}
