//go:build unix

package screen

import (
	"fmt"
	"os"
	"os/exec"
	"runtime/debug"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// watch is a shell that restores the terminal if the process dies without doing so:
// after a panic in any goroutine, a fatal error of the runtime, os.Exit, and every
// signal that ends a process, including SIGKILL. Nothing inside the process could do
// that. A second instance of this program would take ten times the memory and delay the
// first frame.
//
// The shell reads from a socket whose other end only this process has, and to which the
// runtime writes its crash report. It waits for the first line of that, or for the end.
// The socket has almost no buffer, so that the runtime, and with it the process, has to
// wait until the shell has restored the terminal and reads on. Only then can the parent
// of the process notice that it has gone, and use the terminal.
type watch struct {
	shell *exec.Cmd
	line  *os.File // our end of the socket
}

// script has three arguments: sequences, settings for stty, and whether there is
// something to show. It shows letters only, since an error may quote anything.
const script = `
IFS= read -r line
printf %b "$1" >&3
stty $2 <&3
cat >/dev/null
[ -z "$3" ] || LC_ALL=C tr -cd '\11\12\40-\176' <&4 >&3
`

// watchOver watches until end is called. If the process dies, it shows what was written
// to said, which may be nil. Without a shell, it returns nil.
func watchOver(t *tty, said *os.File, undo string) *watch {
	ours, theirs, err := narrowSocket()
	if err != nil {
		return nil
	}
	defer theirs.Close()
	show := ""
	files := []*os.File{t.out}
	if said != nil {
		show = "yes"
		files = append(files, said)
	}
	w := &watch{line: ours}
	w.shell = exec.Command("/bin/sh", "-c", script, "parley: gives the terminal back",
		escaped(undo), strings.Join(arguments(t.before), " "), show)
	w.shell.Stdin, w.shell.ExtraFiles = theirs, files
	// Signals from the terminal, or for the group, must not reach it.
	w.shell.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := w.shell.Start(); err != nil {
		_ = ours.Close()
		return nil
	}
	_ = debug.SetCrashOutput(ours, debug.CrashOptions{})
	return w
}

// end stops watching.
func (w *watch) end() {
	if w == nil {
		return
	}
	_ = w.shell.Process.Kill() // before it sees the end of the socket
	_ = w.shell.Wait()
	_ = debug.SetCrashOutput(nil, debug.CrashOptions{})
	_ = w.line.Close()
}

// narrowSocket returns a pair of sockets with the smallest possible buffers. No other
// child inherits them.
func narrowSocket() (ours, theirs *os.File, err error) {
	syscall.ForkLock.RLock()
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err == nil {
		unix.CloseOnExec(fds[0])
		unix.CloseOnExec(fds[1])
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return nil, nil, err
	}
	_ = unix.SetsockoptInt(fds[0], unix.SOL_SOCKET, unix.SO_SNDBUF, 1)
	return os.NewFile(uintptr(fds[0]), "watch"), os.NewFile(uintptr(fds[1]), "watch"), nil
}

// escaped returns a sequence for the %b of printf(1).
func escaped(seq string) string {
	var b strings.Builder
	for _, c := range []byte(seq) {
		fmt.Fprintf(&b, "\\0%03o", c)
	}
	return b.String()
}
