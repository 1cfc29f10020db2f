package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// probeTime bounds the run of a program that does nothing. It is long: what looks like a
// way that does not work may be a machine that is busy, and the next way bounds less.
const probeTime = 20 * time.Second

// bubblewrap runs programs in namespaces of their own.
// https://github.com/containers/bubblewrap
func bubblewrap(b Bounds, _ []string) (*Sandbox, error) {
	program, err := exec.LookPath("bwrap")
	if err != nil {
		return nil, errors.New("bwrap is not installed")
	}
	// Processes see and signal each other only, unless the system does not let us
	// mount /proc anew, as inside of some containers.
	separate := append([]string{"--unshare-pid"}, mounts(b)...)
	args := append(separate, "--proc", "/proc")
	if err = probe(program, args); err != nil {
		args = mounts(b)
		err = probe(program, args)
	}
	if err != nil {
		return nil, err
	}
	return &Sandbox{wrap: func(name string, rest []string) (string, []string) {
		return program, append(append(slices.Clone(args), "--", name), rest...)
	}}, nil
}

// mounts are the arguments that make the file system as the bounds have it. A
// mount hides those before it, so they are in the order of their paths: what lies
// inside another comes after it.
func mounts(b Bounds) []string {
	type mount struct {
		path string
		args []string
	}
	all := []mount{{"/dev", []string{"--dev-bind", "/dev", "/dev"}}}
	if b.Temp != "" {
		all = append(all, mount{"/tmp", []string{"--bind", b.Temp, "/tmp"}})
	}
	for _, p := range b.Write {
		all = append(all, mount{p, []string{"--bind", p, p}})
	}
	for _, p := range b.Hide {
		if isDir(p) {
			all = append(all, mount{p, []string{"--tmpfs", p}})
		} else {
			all = append(all, mount{p, []string{"--ro-bind", "/dev/null", p}})
		}
	}
	for _, p := range b.Keep {
		all = append(all, mount{p, []string{"--ro-bind", p, p}})
	}
	slices.SortStableFunc(all, func(a, b mount) int { return strings.Compare(a.path+"/", b.path+"/") })
	args := []string{"--ro-bind", "/", "/"}
	for _, m := range all {
		args = append(args, m.args...)
	}
	if b.Temp != "" {
		args = append(args, "--setenv", "TMPDIR", "/tmp")
	}
	if b.Offline {
		args = append(args, "--unshare-net")
	}
	return args
}

// probe runs a program that does nothing, and returns what stands against it.
func probe(program string, args []string) error {
	ctx, cancel := context.WithTimeout(context.Background(), probeTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, append(slices.Clone(args), "--", "true")...)
	cmd.WaitDelay = time.Second // for the output, if what was started outlives it
	out, err := cmd.CombinedOutput()
	if err == nil {
		return nil
	}
	if line, _, _ := bytes.Cut(bytes.TrimSpace(out), []byte("\n")); len(line) > 0 {
		return fmt.Errorf("%s", bytes.TrimPrefix(line, []byte("bwrap: ")))
	}
	return err
}
