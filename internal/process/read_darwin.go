package process

import "golang.org/x/sys/unix"

// readProcess reads one process; ok is false if it has ended. The start time is in
// microseconds.
func readProcess(pid int) (p process, ok bool) {
	k, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil || int(k.Proc.P_pid) != pid {
		return process{}, false
	}
	const zombie = 5 // SZOMB of <sys/proc.h>
	p = process{pid: pid, parent: int(k.Eproc.Ppid), group: int(k.Eproc.Pgid), zombie: k.Proc.P_stat == zombie}
	p.session, _ = unix.Getsid(pid) // 0 if it has ended
	p.started = uint64(k.Proc.P_starttime.Sec)*1e6 + uint64(k.Proc.P_starttime.Usec)
	return p, true
}
