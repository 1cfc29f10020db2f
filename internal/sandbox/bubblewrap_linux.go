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

// probeTime bounds the run of a program that does nothing. It is long, because a busy
// machine must not look like a missing sandbox: the next one confines less.
const probeTime = 20 * time.Second

// bubblewrap runs programs in namespaces of their own.
// https://github.com/containers/bubblewrap
func bubblewrap(b Bounds, _ []string) (*Sandbox, error) {
	program, err := exec.LookPath("bwrap")
	if err != nil {
		return nil, errors.New("bwrap is not installed")
	}
	// Processes see and signal only each other, unless the system does not allow
	// mounting /proc, as inside some containers.
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

// mounts returns the arguments that set up the file system. A mount hides earlier ones,
// so they are sorted by path: inner paths come later.
func mounts(b Bounds) []string {
	type mount struct {
		path string
		args []string
	}
	// The system's own /dev has disks, the memory of other programs and the terminals
	// that the user types into.
	all := []mount{{"/dev", []string{"--dev", "/dev"}}}
	for _, p := range computing() {
		all = append(all, mount{p, []string{"--dev-bind", p, p}})
	}
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
	// A user namespace and no capabilities, also as root: a program that may mount could
	// make everything writable again.
	args := []string{"--unshare-user", "--cap-drop", "ALL", "--ro-bind", "/", "/"}
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

// probe runs a program that does nothing, and returns why that failed, or nil.
func probe(program string, args []string) error {
	ctx, cancel := context.WithTimeout(context.Background(), probeTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, append(slices.Clone(args), "--", "true")...)
	cmd.WaitDelay = time.Second // for the output, if a child outlives it
	out, err := cmd.CombinedOutput()
	if err == nil {
		return nil
	}
	if line, _, _ := bytes.Cut(bytes.TrimSpace(out), []byte("\n")); len(line) > 0 {
		return fmt.Errorf("%s", bytes.TrimPrefix(line, []byte("bwrap: ")))
	}
	return err
}
