//go:build unix

package e2e

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"sync"
	"syscall"
	"testing"

	"parley/internal/schema"
)

// tapEnv names the file that a tap writes to. A test binary that finds it in its
// environment is a tap: it starts the agent of its arguments and stands between
// it and parley.
const tapEnv = "PARLEY_TEST_TAP"

// Main runs the tests, or the tap. It is the TestMain of packages that use Start.
func Main(m *testing.M) {
	if log := os.Getenv(tapEnv); log != "" {
		os.Exit(tap(log, os.Args[1:]))
	}
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "test.parallel" })
	if !given {
		// The tests mostly wait, above all for a user's pauses.
		_ = flag.Set("test.parallel", "8")
	}
	keepPathsShort()
	os.Exit(m.Run())
}

// keepPathsShort puts the tests' directories in /tmp, if possible: a long path leaves no
// room on the screen for what tests look for.
func keepPathsShort() {
	const short = "/tmp"
	dir, err := os.MkdirTemp(short, "parley-e2e-")
	if err != nil {
		return
	}
	_ = os.Remove(dir)
	_ = os.Setenv("TMPDIR", short)
}

// pidFile is where a tap notes which process the agent is.
func pidFile(log string) string { return log + ".pid" }

// tap runs the agent, copies every line both ways, and logs it with the agent's id: the
// agents of several tabs share a log.
func tap(log string, agent []string) int {
	_ = os.Unsetenv(tapEnv)
	f, err := os.OpenFile(log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return 98
	}
	cmd := exec.Command(agent[0], agent[1:]...)
	cmd.Stderr = os.Stderr
	in, err1 := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	if err1 != nil || err2 != nil {
		return 98
	}
	if err := cmd.Start(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 127
	}
	if err := os.WriteFile(pidFile(log), []byte(strconv.Itoa(cmd.Process.Pid)), 0o600); err != nil {
		return 98
	}
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM)
	go func() {
		for s := range signals {
			_ = cmd.Process.Signal(s)
		}
	}()
	var mu sync.Mutex
	pass := func(from schema.Side, r io.Reader, w io.Writer) {
		br := bufio.NewReaderSize(r, 1<<20)
		for {
			line, err := br.ReadBytes('\n')
			if len(line) > 0 {
				mu.Lock()
				_, _ = fmt.Fprintf(f, "%s/%d %s", from, os.Getpid(), line)
				mu.Unlock()
				if _, err := w.Write(line); err != nil {
					return
				}
			}
			if err != nil {
				return
			}
		}
	}
	go func() {
		pass(schema.Client, os.Stdin, in)
		_ = in.Close()
	}()
	pass(schema.Agent, out, os.Stdout)
	_ = cmd.Wait()
	if s, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && s.Signaled() {
		_ = syscall.Kill(os.Getpid(), s.Signal()) // end as the agent did
	}
	return cmd.ProcessState.ExitCode()
}
