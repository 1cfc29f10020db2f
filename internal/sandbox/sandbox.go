// Package sandbox runs programs behind the system's own walls: they write to the
// directories that they are given, the rest they can only read, or not even that.
// The walls hold for everything that such a program starts, too.
//
// It uses what the system has: on Linux bubblewrap, else Landlock; on macOS
// sandbox-exec. Elsewhere there is none.
package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Bounds say what the programs of a sandbox may touch. Paths are absolute; those
// that are not there are left out.
type Bounds struct {
	// Write are the directories and files that may be written, with all below.
	Write []string
	// Keep are paths below Write that may be read only.
	Keep []string
	// Hide are paths that cannot be read either.
	Hide []string
	// MustHide says that a way that cannot hide anything will not do.
	MustHide bool
	// Temp is a directory for temporary files that the programs share, in the
	// place of the system's.
	Temp string
	// Offline takes the network away.
	Offline bool
}

// UnavailableError says that programs cannot be bounded here.
type UnavailableError struct {
	// Reasons say of each way what stands against it.
	Reasons []string
}

// Error lists the reasons.
func (e *UnavailableError) Error() string {
	return "no sandbox can be had here: " + strings.Join(e.Reasons, "; ")
}

// Sandbox puts programs behind its bounds. It may be used from any goroutine.
type Sandbox struct {
	// Name is the way that it works, such as "bubblewrap".
	Name string
	// Lack says for people what the bounds ask for and this way cannot do; it is
	// empty if there is nothing.
	Lack string

	wrap func(program string, args []string) (string, []string)
}

// Command is the program and its arguments that run the given ones behind the
// bounds. The program is a path, or a name that is looked up on PATH.
func (s *Sandbox) Command(program string, args []string) (string, []string) {
	return s.wrap(program, args)
}

// Wrap is Command for a program that an agent has started, with the variables that it has
// chosen. It fails if they are none for a program behind the bounds, see CheckEnv.
func (s *Sandbox) Wrap(program string, args, env []string) (string, []string, error) {
	if err := CheckEnv(env); err != nil {
		return "", nil, err
	}
	program, args = s.Command(program, args)
	return program, args, nil
}

// loaderVariables are those with which the system's loader and the C library take code
// into a program that starts; loaderPrefixes begin the names of others.
var (
	loaderVariables = []string{"GCONV_PATH", "GLIBC_TUNABLES", "LOCPATH"}
	loaderPrefixes  = []string{"LD_", "DYLD_"}
)

// CheckEnv refuses variables, as NAME=value, that an agent must not choose for what is
// started behind bounds: they would have its code run in the program that makes the
// bounds, before there are any.
func CheckEnv(env []string) error {
	for _, e := range env {
		name, _, _ := strings.Cut(e, "=")
		begins := func(prefix string) bool { return strings.HasPrefix(name, prefix) }
		if slices.Contains(loaderVariables, name) || slices.ContainsFunc(loaderPrefixes, begins) {
			return fmt.Errorf("the variable %s would count outside of the sandbox: set it inside, as in: sh -c '%s=… exec PROGRAM'", name, name)
		}
	}
	return nil
}

// way is one way to bound programs. It fails if the system does not have it, or if
// it cannot do what the bounds demand.
type way struct {
	name string
	make func(b Bounds, enter []string) (*Sandbox, error)
}

// New makes a sandbox in the best way that works here. enter is the command of
// this program that calls Enter, for ways in which a program bounds itself. The
// error is an *UnavailableError.
func New(b Bounds, enter []string) (*Sandbox, error) {
	b = b.there()
	var reasons []string
	for _, w := range ways {
		s, err := w.make(b, enter)
		if err == nil {
			s.Name = w.name
			return s, nil
		}
		reasons = append(reasons, fmt.Sprintf("%s: %v", w.name, err))
	}
	if len(reasons) == 0 {
		reasons = []string{"parley knows no way to do it on this system"}
	}
	return nil, &UnavailableError{Reasons: reasons}
}

// errCannotHide is why a way is not used that can only forbid writing.
var errCannotHide = errors.New("it cannot hide files")

// there are the bounds with their paths resolved, without those that are missing
// and those that are named twice.
func (b Bounds) there() Bounds {
	b.Write, b.Keep, b.Hide = resolved(b.Write), resolved(b.Keep), resolved(b.Hide)
	if temp := resolved([]string{b.Temp}); len(temp) > 0 {
		b.Temp = temp[0]
	}
	return b
}

func resolved(paths []string) []string {
	var out []string
	for _, p := range paths {
		real, err := filepath.EvalSymlinks(p)
		if p == "" || err != nil || slices.Contains(out, real) {
			continue
		}
		out = append(out, real)
	}
	slices.Sort(out) // what is inside another stands behind it
	return out
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
