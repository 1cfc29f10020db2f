package process

import (
	"os/exec"
	"strconv"
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// Lead makes a command the leader of a new process group, which signals of our console
// do not reach. Call it before starting the command.
func Lead(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.CreationFlags |= syscall.CREATE_NEW_PROCESS_GROUP
}

// Tree is a process and everything that it has started. It is safe for concurrent use.
// It is a job object: everything its processes start belongs to it, and the system ends
// all of them when this program ends. Processes that the leader started before NewTree
// are not in the job; Kill finds them by their parent while the leader runs.
type Tree struct {
	leader int

	mu     sync.Mutex
	job    windows.Handle // 0 if there is none, or it is empty for good
	reaped bool
}

// NewTree returns the tree of the process with this id, which must not have been waited
// for yet. Without a job object, the tree is known only while its leader runs.
func NewTree(leader int) *Tree {
	t := &Tree{leader: leader}
	if job, err := newJob(leader); err == nil {
		t.job = job
	}
	return t
}

// newJob creates a job object with a process in it. Closing the last handle ends it.
func newJob(pid int) (windows.Handle, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return 0, err
	}
	limits := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{
		BasicLimitInformation: windows.JOBOBJECT_BASIC_LIMIT_INFORMATION{LimitFlags: windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE},
	}
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)))
	if err == nil {
		err = assign(job, pid)
	}
	if err != nil {
		_ = windows.CloseHandle(job)
		return 0, err
	}
	return job, nil
}

func assign(job windows.Handle, pid int) error {
	process, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(pid))
	if err != nil {
		return err
	}
	defer windows.CloseHandle(process)
	return windows.AssignProcessToJobObject(job, process)
}

// Reaped records that the leader has ended and was waited for: its id may be reused, so
// it is no longer signalled.
func (t *Tree) Reaped() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.reaped = true
}

// Note does nothing: the system keeps the list.
func (t *Tree) Note() {}

// accounting is JOBOBJECT_BASIC_ACCOUNTING_INFORMATION.
type accounting struct {
	_, _, _, _                        int64
	pageFaults, total, active, killed uint32
}

// Alive reports whether any process of the tree exists.
func (t *Tree) Alive() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.job == 0 {
		return !t.reaped
	}
	var info accounting
	err := windows.QueryInformationJobObject(t.job, windows.JobObjectBasicAccountingInformation,
		uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)), nil)
	if err == nil && info.active > 0 || !t.reaped {
		return true
	}
	_ = windows.CloseHandle(t.job)
	t.job = 0
	return false
}

// Terminate asks the processes of the tree to end, as closing their windows does. It
// reports whether there was any.
func (t *Tree) Terminate() bool {
	_ = t.taskkill() // it fails for a program without a window
	return t.Alive()
}

// Kill ends the processes of the tree. It returns errAlive if that fails.
func (t *Tree) Kill() error {
	if !t.Alive() {
		return nil
	}
	byParent := t.taskkill("/F") // including those outside the job
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.job == 0 && byParent == nil || t.job != 0 && windows.TerminateJobObject(t.job, 1) == nil {
		return nil
	}
	return errAlive
}

// taskkill runs the system's program for ending a tree of processes.
func (t *Tree) taskkill(flags ...string) error {
	t.mu.Lock()
	reaped := t.reaped
	t.mu.Unlock()
	if reaped {
		return nil
	}
	return exec.Command("taskkill", append(flags, "/T", "/PID", strconv.Itoa(t.leader))...).Run()
}

// Bind does nothing: only Linux has such a signal.
func Bind(*exec.Cmd) {}

// LimitMemory does nothing: only Linux limits another process.
func LimitMemory(int, uint64) {}
