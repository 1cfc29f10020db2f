package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// probeTime limits the run of a program that looks at a sandbox. It is long, because a busy
// machine must not look like a missing sandbox: the next one confines less.
const probeTime = 20 * time.Second

// bubblewrap runs programs in namespaces of their own, in which files hide the sockets of
// other programs. Where the kernel can, it is started through Enter, which keeps abstract
// sockets from it: these belong to the network.
// https://github.com/containers/bubblewrap
func bubblewrap(b Bounds, enter []string) (s *Sandbox, err error) {
	program, err := exec.LookPath("bwrap")
	if err != nil {
		return nil, errors.New("bwrap is not installed")
	}
	wrap, err := working(Bounds{Hide: resolved(b.Private), Temp: b.Temp, Offline: b.Offline}, program, enter)
	if err != nil {
		return nil, err
	}
	for range 4 { // a socket may go before it is mounted over
		if s, err = b.bubblewrap(wrap); err == nil {
			return s, nil
		}
	}
	return nil, boundsError{err}
}

// bubblewrap is one attempt to make the sandbox.
func (b Bounds) bubblewrap(wrap func(Bounds) []string) (*Sandbox, error) {
	b.Hide = resolved(slices.Concat(b.Hide, b.Private))
	b, free, err := occupy(b)
	if err != nil {
		return nil, err
	}
	if b.sockets, err = reachable(b, wrap); err == nil {
		_, err = inside(wrap(b), "true")
	}
	if err != nil {
		free()
		return nil, err
	}
	return &Sandbox{wrap: func(name string, rest []string) (string, []string) {
		command := slices.Concat(wrap(b), []string{"--", name}, rest)
		return command[0], command[1:]
	}, hides: b.hides, close: free}, nil
}

// working returns the command of bubblewrap up to the program, made anew for each one. It
// is the tightest one that the system allows: it may not allow mounting /proc, as inside
// some containers, and bubblewrap may need rights that its file gives.
func working(b Bounds, program string, enter []string) (wrap func(Bounds) []string, err error) {
	starts := [][]string{{program}}
	if len(enter) > 0 && !b.Offline && scopesSockets() {
		starts = [][]string{slices.Concat(enter, []string{onlyScope, program}), {program}}
	}
	for _, start := range starts {
		// Processes see and signal only each other.
		for _, separate := range []bool{true, false} {
			wrap = func(b Bounds) []string {
				if separate {
					return slices.Concat(start, []string{"--unshare-pid"}, mounts(b), []string{"--proc", "/proc"}, system())
				}
				return slices.Concat(start, mounts(b))
			}
			if _, err = inside(wrap(b), "true"); err == nil {
				return wrap, nil
			}
			if !refused(err) {
				return nil, boundsError{err}
			}
		}
	}
	return nil, err
}

// refusal matches the words of bubblewrap, and of the kernel, where a machine cannot have it. Nothing that is used up for now
// says so: a program in a sandbox can bring that about.
var refusal = regexp.MustCompile(`(?i)operation not permitted|permission denied|no permissions to|does not support|invalid argument|not implemented|unknown option|unexpected (capabilities|setuid)`)

// refused reports whether an error says that this machine does not allow a sandbox, or what it needs.
func refused(err error) bool {
	if said := err.Error(); strings.Contains(said, "ENOSPC") || strings.Contains(strings.ToLower(said), syscall.ENOSPC.Error()) {
		return slices.ContainsFunc([]string{"user", "mnt", "pid"}, func(kind string) bool { // none are allowed
			b, _ := os.ReadFile("/proc/sys/user/max_" + kind + "_namespaces")
			return strings.TrimSpace(string(b)) == "0"
		})
	}
	return refusal.MatchString(err.Error())
}

// system returns the arguments that make read-only what a new /proc has of the whole
// machine, such as /proc/sys: only the entries of processes are their own. bubblewrap
// leaves it writable for root.
func system() []string {
	entries, _ := os.ReadDir("/proc") // without it, a new one cannot be mounted
	var args []string
	for _, e := range entries {
		if e.Name()[0] >= '0' && e.Name()[0] <= '9' || e.Type()&os.ModeSymlink != 0 {
			continue
		}
		if info, err := e.Info(); err == nil && (e.IsDir() || info.Mode().Perm()&0o222 != 0) {
			path := filepath.Join("/proc", e.Name())
			args = append(args, "--ro-bind-try", path, path)
		}
	}
	return args
}

// reachable returns the sockets that programs see in a sandbox and that the user has not
// named. One that is replaced meanwhile is as one that comes later: it could be gone at each
// attempt to mount over it. Others cannot be mounted over, not even by root, who looks into
// directories that a sandbox cannot enter.
func reachable(b Bounds, wrap func(Bounds) []string) ([]string, error) {
	all, err := sockets()
	all = slices.DeleteFunc(all, func(p string) bool { return slices.Contains(b.Write, p) })
	if err != nil || len(all) == 0 {
		return nil, err
	}
	const look = `for s do test -S "$s" && printf '%s\0' "$s"; done; true`
	before := map[string]os.FileInfo{}
	for _, p := range all {
		before[p], _ = os.Stat(p)
	}
	seen, err := inside(wrap(b), append([]string{"sh", "-c", look, "sh"}, all...)...)
	return slices.DeleteFunc(strings.FieldsFunc(string(seen), func(r rune) bool { return r == 0 }), func(p string) bool {
		now, err := os.Stat(p)
		return err != nil || !os.SameFile(before[p], now) || !before[p].ModTime().Equal(now.ModTime())
	}), err
}

// occupy makes what must not be created, because only what exists can be mounted over,
// and adds it to Keep.
func occupy(b Bounds) (_ Bounds, free func(), err error) {
	var made []*reservation
	free = sync.OnceFunc(func() {
		for _, r := range slices.Backward(made) {
			r.release()
		}
	})
	b.Keep = slices.Clone(b.Keep)
	add := func(path string, dir bool, text string) error {
		r, err := reserve(path, dir, text)
		if err != nil {
			return fmt.Errorf("keep %s from being created: %w", path, err)
		}
		if r != nil {
			made, b.Keep = append(made, r), append(b.Keep, path)
		}
		return nil
	}
	for _, p := range b.NoDirs {
		err = errors.Join(err, add(p, true, ""))
	}
	for p, text := range b.NoFiles {
		err = errors.Join(err, add(p, false, text))
	}
	if err != nil {
		free()
	}
	return b, free, err
}

// hides reports whether a mount hides a resolved path. The innermost mount counts.
func (b Bounds) hides(path string) bool {
	innermost, hidden := "", false
	if b.Temp != "" && below(path, "/tmp") {
		innermost, hidden = "/tmp", true
	}
	look := func(mounts []string, hides bool) {
		for _, m := range mounts {
			if (path == m || below(path, m)) && len(m) >= len(innermost) {
				innermost, hidden = m, hides
			}
		}
	}
	look(b.Write, false)
	look(b.Hide, true)
	look(b.sockets, true)
	return hidden
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
	// One that is gone cannot be mounted over.
	hide := slices.Concat(b.Hide, slices.DeleteFunc(slices.Clone(b.sockets), func(p string) bool { return !isSocket(p) }))
	// A mount point cannot be moved away, but a directory that leads to one can, unless it
	// is one, too.
	for _, p := range slices.Concat(b.Write, b.Keep, hide) {
		for _, dir := range b.leading(p) {
			if !b.hides(dir) {
				all = append(all, mount{dir, []string{"--bind", dir, dir}})
			}
		}
	}
	for _, p := range hide {
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

// inside runs a short program in a sandbox. It returns its output, and why that failed.
func inside(wrap []string, program ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(context.Background(), probeTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, wrap[0], slices.Concat(wrap[1:], []string{"--"}, program)...)
	cmd.WaitDelay = time.Second // for the output, if a child outlives it
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err == nil {
		return out, nil
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if line, _, _ := bytes.Cut(bytes.TrimSpace(complaint.Bytes()), []byte("\n")); len(line) > 0 {
		return nil, fmt.Errorf("%s", bytes.TrimPrefix(line, []byte("bwrap: ")))
	}
	return nil, err
}

// devices are the harmless devices that programs expect.
var devices = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/ptmx"}

// computing returns the devices of this machine for graphics and machine learning. /dev/kvm is
// none of them: a virtual machine is a program that sees nothing of the sandbox's bounds.
func computing() []string {
	return devicesAt("/dev/dri/*", "/dev/nvidia*", "/dev/kfd")
}

// devicesAt returns what matches patterns and is no directory.
func devicesAt(patterns ...string) []string {
	var found []string
	for _, pattern := range patterns {
		paths, _ := filepath.Glob(pattern) // the patterns are valid
		for _, p := range paths {
			if !isDir(p) {
				found = append(found, p)
			}
		}
	}
	return found
}

// reservation is a path that exists only so that something can be mounted over it. All
// sandboxes that need it share a lock on it, and the last one removes it. One that a
// killed process has left behind is taken over.
type reservation struct {
	path, text string
	file       *os.File
}

// reserve makes an empty directory, or if there is a text, a file with it. It returns
// nil if this user must not create it: then programs in the sandbox cannot either.
func reserve(path string, dir bool, text string) (*reservation, error) {
	for {
		if err := create(path, dir, text); errors.Is(err, os.ErrPermission) || errors.Is(err, syscall.EROFS) || errors.Is(err, os.ErrNotExist) {
			return nil, nil
		} else if err != nil && !errors.Is(err, os.ErrExist) {
			return nil, err
		}
		f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
		if errors.Is(err, os.ErrNotExist) { // another sandbox has just removed it
			continue
		}
		if err != nil {
			return nil, err
		}
		r := &reservation{path, text, f}
		if err := unix.Flock(int(f.Fd()), unix.LOCK_SH); err != nil {
			_ = f.Close()
			return nil, err
		}
		if r.unchanged() {
			return r, nil
		}
		_ = f.Close()
	}
}

// create makes a directory or a file. A file appears with its text.
func create(path string, dir bool, text string) error {
	if dir {
		return os.Mkdir(path, 0o755)
	}
	f, err := os.CreateTemp(filepath.Dir(path), "parley-*.lock")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.WriteString(text)
	return errors.Join(err, f.Chmod(0o644), f.Close(), os.Link(f.Name(), path))
}

// unchanged reports whether the path still names the file that was opened.
func (r *reservation) unchanged() bool {
	now, err := os.Lstat(r.path)
	if err != nil {
		return false
	}
	opened, err := r.file.Stat()
	return err == nil && os.SameFile(now, opened)
}

// release removes the file or directory unless another sandbox needs it or it has been
// replaced or edited.
func (r *reservation) release() {
	defer r.file.Close()
	if unix.Flock(int(r.file.Fd()), unix.LOCK_EX|unix.LOCK_NB) != nil || !r.unchanged() {
		return
	}
	if info, err := r.file.Stat(); err != nil || !info.IsDir() {
		if text, err := os.ReadFile(r.path); err != nil || string(text) != r.text {
			return
		}
	}
	_ = os.Remove(r.path) // fails for a directory that is not empty
}
