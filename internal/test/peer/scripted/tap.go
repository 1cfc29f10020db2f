//go:build unix

package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"sync"
	"syscall"
)

// tap stands between an agent, which it runs, and parley. It returns the agent's exit code.
func tap(agent []string) int {
	const variable = "PARLEY_TEST_TAP"
	log := os.Getenv(variable)
	_ = os.Unsetenv(variable)
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
	if err := os.WriteFile(log+".pid", []byte(strconv.Itoa(cmd.Process.Pid)), 0o600); err != nil {
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
	pass := func(from string, r io.Reader, w io.Writer) {
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
		pass("client", os.Stdin, in)
		_ = in.Close()
	}()
	pass("agent", out, os.Stdout)
	_ = cmd.Wait()
	if s, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && s.Signaled() {
		_ = syscall.Kill(os.Getpid(), s.Signal()) // end as the agent did
	}
	return cmd.ProcessState.ExitCode()
}
