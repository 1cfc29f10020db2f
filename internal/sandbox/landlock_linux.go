package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"github.com/landlock-lsm/go-landlock/landlock"
	llsys "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

var backends = []backend{{"bubblewrap", bubblewrap}, {"Landlock", viaLandlock}}

// minLandlock is the version that restricts renames between directories and the
// truncation of files.
const minLandlock = 3

// viaLandlock starts programs through Enter, which confines itself first. Landlock only
// permits and cannot exclude: what lies below a readable path cannot be hidden, but for the
// price that besides names. Newer kernels keep programs from sockets.
// https://docs.kernel.org/userspace-api/landlock.html
func viaLandlock(b Bounds, enter []string) (*Sandbox, error) {
	switch v, err := llsys.LandlockGetABIVersion(); {
	case err != nil:
		return nil, errors.New("the kernel does not support it")
	case v < minLandlock:
		return nil, fmt.Errorf("the kernel has version %d of it, and %d is needed", v, minLandlock)
	case len(enter) == 0:
		return nil, errors.New("it needs a program that enters it")
	case b.Offline:
		return nil, errors.New("it cannot disable the whole network")
	case b.MustHide && len(b.Hide) > 0:
		return nil, errors.New("it cannot hide files")
	}
	bounds, err := json.Marshal(b)
	if err != nil {
		return nil, err
	}
	s := &Sandbox{wrap: func(name string, rest []string) (string, []string) {
		return enter[0], slices.Concat(enter[1:], []string{string(bounds), name}, rest)
	}}
	if len(b.Hide)+len(b.Keep)+len(b.NoDirs)+len(b.NoFiles) > 0 {
		s.Lack = "hides only parley's own files, does not guard .git"
	}
	for _, w := range b.Write {
		if slices.ContainsFunc(b.Private, func(p string) bool { return below(p, w) }) {
			s.Lack = strings.TrimPrefix(s.Lack+", creates nothing in "+w, ", ") // see besides
		}
	}
	return s, nil
}

// onlyScope replaces the bounds, for a program that may do everything but
// connect to abstract sockets of programs outside.
const onlyScope = "null"

// scope keeps programs from abstract sockets of programs outside.
var scope = landlock.ScopedSet(llsys.ScopeAbstractUnixSocket)

// scopesSockets reports whether the kernel knows scope.
func scopesSockets() bool {
	v, err := llsys.LandlockGetABIVersion()
	return err == nil && v >= 6
}

// besides returns paths that together have all of a directory but the excluded paths. What
// Landlock grants holds for everything below, so that a directory that leads to an excluded
// path must not be granted: its other entries are. The price is that a program cannot use a
// file that appears in such a directory after it has started, and can create none there,
// also not in one that it may write, such as a home directory.
func besides(dir string, excluded []string) []string {
	if within(dir, excluded) {
		return nil
	}
	info, err := os.Lstat(dir)
	// What a link leads to is granted where it is, unless it is excluded.
	if err != nil || info.Mode()&os.ModeSymlink != 0 {
		return nil
	}
	if !slices.ContainsFunc(excluded, func(p string) bool { return below(p, dir) }) {
		return []string{dir}
	}
	var all []string
	entries, _ := os.ReadDir(dir) // what this user cannot list stays closed
	for _, e := range entries {
		all = append(all, besides(filepath.Join(dir, e.Name()), excluded)...)
	}
	return all
}

// Enter confines this process for good, and then executes the program in args. The
// arguments before it are the bounds, as written by Command. Enter returns only if that
// failed.
func Enter(args []string) error {
	if len(args) < 2 {
		return errors.New("a sandbox needs its bounds and a program")
	}
	var b *Bounds
	if err := json.Unmarshal([]byte(args[0]), &b); err != nil {
		return fmt.Errorf("the bounds of the sandbox: %w", err)
	}
	program, err := exec.LookPath(args[1])
	if err != nil {
		return fmt.Errorf("start %s: %w", args[1], err)
	}
	env := os.Environ()
	if b == nil {
		if err := landlock.MustConfig(scope).RestrictScoped(); err != nil {
			return fmt.Errorf("enter the sandbox: %w", err)
		}
		return fmt.Errorf("start %s: %w", program, syscall.Exec(program, args[1:], env))
	}
	rules := []landlock.Rule{
		// The names of private files are no secret, and programs list directories on the
		// way to their own.
		landlock.PathAccess(llsys.AccessFSReadDir, "/"),
		landlock.RWFiles(append(computing(), devices...)...).WithIoctlDev().IgnoreIfMissing(),
		landlock.RWDirs("/dev/pts", "/dev/shm").WithIoctlDev().IgnoreIfMissing(),
	}
	for _, p := range besides("/", b.Private) {
		if isDir(p) {
			rules = append(rules, landlock.RODirs(p).WithIoctlDev().IgnoreIfMissing())
		} else {
			rules = append(rules, landlock.ROFiles(p).WithIoctlDev().IgnoreIfMissing())
		}
	}
	for _, w := range b.Write {
		for _, p := range besides(w, b.Private) {
			if isDir(p) {
				rules = append(rules, landlock.RWDirs(p).WithRefer().IgnoreIfMissing())
			} else {
				rules = append(rules, landlock.RWFiles(p).WithResolveUnix().IgnoreIfMissing())
			}
		}
	}
	if b.Temp != "" {
		// Here, each program may connect to the others' sockets.
		rules = append(rules, landlock.RWDirs(b.Temp).WithRefer().WithResolveUnix())
		env = append(env, "TMPDIR="+b.Temp)
	}
	bounds := landlock.MustConfig(landlock.V9.HandledAccessFS, scope)
	runtime.LockOSThread() // capabilities belong to a thread, and this one becomes the program
	if err := bounds.BestEffort().Restrict(rules...); err != nil {
		return fmt.Errorf("enter the sandbox: %w", err)
	}
	// The program gets no capability back, not even as root, because Landlock has set
	// no_new_privs.
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var none [2]unix.CapUserData
	if err := unix.Capset(&header, &none[0]); err != nil {
		return fmt.Errorf("enter the sandbox: drop the capabilities: %w", err)
	}
	return fmt.Errorf("start %s: %w", program, syscall.Exec(program, args[1:], env))
}
