package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	llsys "github.com/landlock-lsm/go-landlock/landlock/syscall"
)

// enterSandbox, as the first argument, makes the test binary a program that bounds
// itself.
const enterSandbox = "enter-sandbox"

// listWritable makes it a program that prints what it can write, outside of a directory.
const listWritable = "list-writable"

// connectTo and listenAt make it a program that connects to the Unix socket of a name, and
// one that listens on it and has another program connect.
const (
	connectTo = "connect-to"
	listenAt  = "listen-at"
)

func TestMain(m *testing.M) {
	mode := ""
	if len(os.Args) > 2 {
		mode = os.Args[1]
	}
	switch mode {
	case enterSandbox:
		exit(70, Enter(os.Args[2:]))
	case connectTo:
		c, err := net.Dial("unix", os.Args[2])
		if err == nil {
			err = c.Close()
		}
		exit(0, err)
	case listWritable:
		exit(0, writable(os.Args[2]))
	case listenAt:
		l, err := net.Listen("unix", os.Args[2])
		if err == nil {
			err = exec.Command("/proc/self/exe", connectTo, os.Args[2]).Run()
			_ = l.Close()
		}
		exit(0, err)
	}
	os.Exit(m.Run())
}

// exit ends a program of the tests.
func exit(code int, err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 70
	}
	os.Exit(code)
}

// place is a directory with a file in each of its directories.
type place struct {
	root    string
	child   Bounds
	program string // the test's own, where every user and sandbox can read it
	uid     int    // of who works in it
}

func newPlace(t *testing.T) place {
	t.Helper()
	root, err := os.MkdirTemp("/var/tmp", "parley-sandbox-") // /tmp is another one behind the bounds
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(root) })
	if err := os.Chmod(root, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"project/.git/hooks", "project/.ssh", "outside", "secret", "temp"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, dir, "file"), []byte("old\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return place{root: root, child: Bounds{
		Write:   []string{filepath.Join(root, "project"), filepath.Join(root, "not there")},
		Keep:    []string{filepath.Join(root, "project/.git/hooks")},
		NoDirs:  []string{filepath.Join(root, "project/.git/none")},
		NoFiles: map[string]string{filepath.Join(root, "project/.git/commondir"): ".\n", filepath.Join(root, "project/.git/empty"): ""},
		Hide:    []string{filepath.Join(root, "secret"), filepath.Join(root, "project/.ssh/file")},
		Temp:    filepath.Join(root, "temp"),
	}}
}

// try runs a shell command behind the bounds, and returns what it printed.
func try(t *testing.T, s *Sandbox, dir, script string) (string, error) {
	t.Helper()
	name, args := s.Command("sh", []string{"-c", script})
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// each runs a test with each sandbox that this machine has.
func each(t *testing.T, test func(t *testing.T, p place, s *Sandbox)) {
	for _, w := range backends {
		t.Run(w.name, func(t *testing.T) {
			p := newPlace(t)
			s, err := w.make(p.child.existing(), []string{os.Args[0], enterSandbox})
			if err != nil {
				t.Skipf("this machine does not have it: %v", err)
			}
			test(t, p, s)
		})
	}
}

func TestWritesInsideOnly(t *testing.T) {
	each(t, func(t *testing.T, p place, s *Sandbox) {
		project := filepath.Join(p.root, "project")
		for _, c := range []struct {
			script string
			works  bool
		}{
			{"echo new > file && cat file", true},
			{"mkdir -p a/b && mv file a/b/ && mv a/b/file .", true},
			{"cat ../outside/file", true},
			{"echo new > ../outside/file", false},
			{"echo new >> ../outside/other", false},
			{"rm ../outside/file", false},
			{"mv ../outside/file .", false},
			{"ln -s ../outside link && echo new > link/file", false},
			{"sh -c 'setsid sh -c \"echo new > ../outside/file\"'", false},
			{"echo gone > /dev/null", true},
			{`echo new > "$TMPDIR/x" && cat "$TMPDIR/x"`, true},
		} {
			out, err := try(t, s, project, c.script)
			if works := err == nil; works != c.works {
				t.Errorf("%s: works %v, want %v: %s", c.script, works, c.works, out)
			}
		}
		if text, err := os.ReadFile(filepath.Join(p.root, "outside/file")); string(text) != "old\n" {
			t.Errorf("the file outside has %q, %v", text, err)
		}
		if _, err := os.Stat(filepath.Join(p.root, "temp/x")); err != nil {
			t.Errorf("the temporary file is not where it belongs: %v", err)
		}
	})
}

// Landlock cannot keep a program from changing permissions; bubblewrap does.
func TestLandlockLeavesPermissions(t *testing.T) {
	each(t, func(t *testing.T, p place, s *Sandbox) {
		_, err := try(t, s, filepath.Join(p.root, "project"), "chmod 600 ../outside/file")
		if works, landlock := err == nil, strings.HasSuffix(t.Name(), "/Landlock"); works != landlock {
			t.Errorf("chmod outside: works %v", works)
		}
	})
}

func TestHidesAndKeeps(t *testing.T) {
	p := newPlace(t)
	s, err := bubblewrap(p.child.existing(), nil)
	if err != nil {
		t.Skipf("this machine does not have bubblewrap: %v", err)
	}
	for _, script := range []string{
		"cat ../secret/file", "grep old .ssh/file", "echo new > .git/hooks/file", "rm .git/hooks/file", "mv .git/hooks .git/other",
		"mv .git other", "rmdir .git/none", "mkdir .git/none/a", "echo new > .git/commondir", "rm -f .git/empty", "mv .git/hooks/file .git/commondir",
	} {
		if out, err := try(t, s, filepath.Join(p.root, "project"), script); err == nil {
			t.Errorf("%s works: %s", script, out)
		}
	}
	if out, err := try(t, s, filepath.Join(p.root, "project"), "cat .git/hooks/file"); err != nil || out != "old\n" {
		t.Errorf("what is kept reads as %q, %v", out, err)
	}
}

func TestTakesTheNetworkAway(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("bash is not installed")
	}
	p := newPlace(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	dial := "bash -c ': < /dev/tcp/127.0.0.1/" + port + "'"
	for offline, works := range map[bool]bool{false: true, true: false} {
		b := p.child.existing()
		b.Offline = offline
		s, err := bubblewrap(b, nil)
		if err != nil {
			t.Skipf("this machine does not have bubblewrap: %v", err)
		}
		if out, err := try(t, s, p.root, dial); (err == nil) != works {
			t.Errorf("offline %v: %v %s", offline, err, out)
		}
	}
}

// A sandbox that cannot enforce the bounds is skipped.
func TestRefusesWhatItCannotDo(t *testing.T) {
	t.Setenv("PATH", t.TempDir()) // there is no bubblewrap
	p := newPlace(t)
	for name, b := range map[string]Bounds{
		"offline": {Offline: true},
		"hide":    {Hide: p.child.Hide, MustHide: true},
	} {
		_, err := New(b, []string{os.Args[0], enterSandbox})
		if !errors.Is(err, ErrUnavailable) || strings.Count(err.Error(), ";") != len(backends)-1 {
			t.Errorf("%s: %v", name, err)
		} else if !strings.Contains(err.Error(), "bwrap is not installed") {
			t.Errorf("%s: it is not said why: %v", name, err)
		}
	}
}

// An agent cannot bring it about that a sandbox which confines less takes the place of one that works here.
func TestNoOtherSandboxForWhatAnAgentDoes(t *testing.T) {
	plain, err := New(Bounds{}, []string{os.Args[0], enterSandbox})
	if err != nil || plain.Name != "bubblewrap" {
		t.Skipf("bubblewrap does not work here: %v", err)
	}
	var b Bounds
	dir := filepath.Join(t.TempDir(), strings.Repeat("a", 250), strings.Repeat("b", 250), strings.Repeat("c", 250))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for i := range 3_000 {
		path := filepath.Join(dir, fmt.Sprintf("%0250d", i))
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		b.Hide = append(b.Hide, path)
	}
	if s, err := New(b, []string{os.Args[0], enterSandbox}); err == nil || errors.Is(err, ErrUnavailable) {
		t.Errorf("%+v, %v", s, err)
	}
}

// Only a bubblewrap that may not make a sandbox gives way to another one, whatever else keeps it from that.
func TestNoOtherSandboxForWhatIsUsedUp(t *testing.T) {
	for words, gives := range map[string]bool{
		"": false, "Can't open /proc: Too many open files": false, "eventfd(): Too many open files in system": false,
		"setting up uid map: Permission denied":                   true,
		"Failed to make / slave: Operation not permitted":         true,
		"Can't mount proc on /newroot/proc: Permission denied":    true,
		"Unknown option --unshare-user":                           true,
		"Creating new namespace failed: Function not implemented": true,
		"No permissions to create a new namespace, likely because the kernel does not allow non-privileged user namespaces.": true,
		"Creating new namespace failed: nesting depth or /proc/sys/user/max_*_namespaces exceeded (ENOSPC)":                  false,
		"Creating new namespace failed: Resource temporarily unavailable":                                                    false,
		"No permissions to create new namespace":                                                                             true,
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "bwrap"), []byte("#!/bin/sh\ntest \""+words+"\" || kill -9 $$\necho \"bwrap: "+words+"\" >&2\nexit 1\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		t.Setenv("PATH", dir)
		s, err := New(Bounds{}, []string{os.Args[0], enterSandbox})
		if gave := s != nil || errors.Is(err, ErrUnavailable); gave != gives {
			t.Errorf("%s: %v, %v", words, s, err)
		}
	}
}

// What is said in place of a program's own words names the program.
func TestEnterSaysWhatIsMissing(t *testing.T) {
	if err := Enter([]string{"{}", "no-such-program"}); err == nil || !strings.Contains(err.Error(), "no-such-program") {
		t.Errorf("got %v", err)
	}
}

// What is loaded into every program would be loaded into the one that makes the walls,
// before there are any.
func TestVariablesThatWouldCountOutside(t *testing.T) {
	each(t, func(t *testing.T, p place, s *Sandbox) {
		for _, name := range []string{"LD_PRELOAD", "LD_LIBRARY_PATH", "LD_AUDIT", "GCONV_PATH", "DYLD_INSERT_LIBRARIES"} {
			if _, _, err := s.Wrap("true", nil, []string{"HOME=/", name + "=" + p.root}); err == nil || !strings.Contains(err.Error(), name) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if program, _, err := s.Wrap("true", nil, []string{"GREETING=LD_PRELOAD=x", "OLD_PATH=x"}); err != nil || program == "" {
			t.Errorf("other variables: %q, %v", program, err)
		}
	})
}

// asUser is a user without rights for tests that run as root.
const asUser = 12345

// everyone runs a test as the user of the tests, and where that is root, also as one
// without rights.
func everyone(t *testing.T, test func(t *testing.T, p place, s *Sandbox, run func(script string) (string, error))) {
	everyoneIn(t, func(*testing.T, *place) {}, test)
}

// everyoneIn is everyone in places that are prepared before they have a sandbox.
func everyoneIn(t *testing.T, prepare func(t *testing.T, p *place), test func(t *testing.T, p place, s *Sandbox, run func(script string) (string, error))) {
	each(t, func(t *testing.T, _ place, _ *Sandbox) {
		backend := t.Name()[strings.LastIndexByte(t.Name(), '/')+1:]
		for _, uid := range []int{os.Getuid(), asUser} {
			t.Run(fmt.Sprintf("uid %d", uid), func(t *testing.T) {
				if uid != os.Getuid() && os.Getuid() != 0 {
					t.Skip("only root can become another user")
				}
				p := newPlace(t)
				p.program = enterProgram(t)
				own(t, p.root, uid)
				p.uid = uid
				prepare(t, &p)
				var s *Sandbox
				for _, w := range backends {
					if w.name == backend {
						var err error
						if s, err = w.make(p.child.existing(), []string{p.program, enterSandbox}); err != nil {
							t.Fatal(err)
						}
					}
				}
				test(t, p, s, func(script string) (string, error) {
					name, args := s.Command("sh", []string{"-c", script})
					cmd := exec.Command(name, args...)
					cmd.Dir = filepath.Join(p.root, "project")
					cmd.Env = append(os.Environ(), "HOME="+p.root)
					if uid != os.Getuid() {
						cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(uid)}}
					}
					out, err := cmd.CombinedOutput()
					return string(out), err
				})
			})
		}
	})
}

// own gives a directory and everything in it to a user.
func own(t *testing.T, root string, uid int) {
	t.Helper()
	if uid == os.Getuid() {
		return
	}
	err := filepath.WalkDir(root, func(path string, _ os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(path, uid, uid)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// writable prints the files that can be opened for writing, and the directories in which
// files can be made, in all of /proc, /sys, /dev and the mounts, and near the root of the
// rest. It leaves out a directory. Opening changes no file, but may make a device act: only
// those are opened that the sandbox makes.
func writable(without string) error {
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return err
	}
	var tops []string
	for line := range strings.Lines(string(mounts)) {
		if fields := strings.Fields(line); len(fields) > 4 {
			tops = append(tops, fields[4])
		}
	}
	slices.Sort(tops)
	seen := map[string]bool{}
	for _, top := range slices.Compact(tops) {
		err := filepath.WalkDir(top, func(path string, e fs.DirEntry, err error) error {
			rel, _ := filepath.Rel(top, path)
			system := slices.ContainsFunc([]string{"/proc", "/sys", "/dev"}, func(dir string) bool { return path == dir || below(path, dir) })
			switch {
			case path == without, below(path, without):
				return fs.SkipDir
			case err == nil && e.IsDir() && path != top && !system && strings.Count(rel, "/") > 1:
				return fs.SkipDir
			case err != nil || seen[path] || e.Type()&(fs.ModeSymlink|fs.ModeSocket) != 0:
				return nil
			case e.Type()&fs.ModeDevice != 0 && !slices.Contains(append(computing(), devices...), path) && !below(path, "/dev/pts"):
				return nil
			}
			seen[path] = true
			if e.IsDir() {
				f, err := os.CreateTemp(path, "writable")
				if err == nil {
					fmt.Println(path + "/")
					return errors.Join(f.Close(), os.Remove(f.Name()))
				}
				return nil
			}
			if f, err := os.OpenFile(path, os.O_WRONLY|syscall.O_NONBLOCK|syscall.O_NOFOLLOW|syscall.O_NOCTTY, 0); err == nil {
				fmt.Println(path)
				return f.Close()
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// What a program can write outside the project is a short list, as root and as anybody else.
func TestWritesNothingElse(t *testing.T) {
	everyone(t, func(t *testing.T, p place, _ *Sandbox, run func(string) (string, error)) {
		out, err := run(p.program + " " + listWritable + " " + filepath.Join(p.root, "project"))
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		// The entries of processes, which the kernel guards; harmless devices; terminals,
		// shared memory and temporary files; and what takes the place of a hidden directory.
		allowed := regexp.MustCompile(`^(/proc/(\d+|self|thread-self)/.*|/dev/(|null|zero|full|random|urandom|tty|ptmx|pts/.*|shm/.*)|/tmp/.*|` + regexp.QuoteMeta(p.root) + `/secret/)$`)
		if strings.Contains(t.Name(), "/Landlock/") {
			// It has the system's /dev, and permits no process.
			allowed = regexp.MustCompile(`^(/dev/(null|zero|full|random|urandom|tty|ptmx|pts/.*|shm/.*)|` + regexp.QuoteMeta(p.child.Temp) + `/.*)$`)
		}
		found := false
		for line := range strings.Lines(out) {
			path := strings.TrimSuffix(line, "\n")
			found = found || path == "/dev/null"
			if !allowed.MatchString(path) && !slices.Contains(computing(), path) {
				t.Errorf("%s can be written", path)
			}
		}
		if !found {
			t.Errorf("not even /dev/null can be written: %s", out)
		}
	})
}

// What is private stays so in every sandbox: whatever is writable around it, whenever it
// appears, and by whatever name.
func TestPrivate(t *testing.T) {
	for name, writable := range map[string]string{"beside": "project", "around": "."} {
		t.Run(name, func(t *testing.T) {
			everyoneIn(t, func(t *testing.T, p *place) {
				private := filepath.Join(p.root, "home", "state", "private")
				if err := os.MkdirAll(private, 0o755); err != nil {
					t.Fatal(err)
				}
				for _, file := range []string{filepath.Join(private, "file"), filepath.Join(p.root, "home", "file"), filepath.Join(p.root, "home", "one")} {
					if err := os.WriteFile(file, []byte("old\n"), 0o644); err != nil {
						t.Fatal(err)
					}
				}
				if err := os.Symlink(private, filepath.Join(p.root, "home", "link")); err != nil {
					t.Fatal(err)
				}
				own(t, filepath.Join(p.root, "home"), p.uid)
				p.child = Bounds{
					Write: []string{filepath.Join(p.root, writable)}, Temp: p.child.Temp,
					Private: []string{private, filepath.Join(p.root, "home", "one")},
					// A mount inside of what is private would be a window.
					Keep: []string{private + "/file"}, NoDirs: []string{private + "/dir"}, NoFiles: map[string]string{private + "/new": ""},
				}
			}, func(t *testing.T, p place, _ *Sandbox, run func(string) (string, error)) {
				private := filepath.Join(p.root, "home", "state", "private")
				if err := os.WriteFile(filepath.Join(private, "later"), []byte("old\n"), 0o644); err != nil {
					t.Fatal(err)
				}
				own(t, private, p.uid)
				for _, script := range []string{
					"grep old $HOME/home/state/private/file", "grep old $HOME/home/state/private/later", "grep old $HOME/home/one", "grep old $HOME/home/link/file",
					"rm $HOME/home/state/private/file", "mv $HOME/home/state moved && grep old moved/private/file",
					"ln $HOME/home/state/private/file here && grep old here", "cp -r $HOME/home/state copy && grep old copy/private/file",
					"mv $HOME/home/state/private $HOME/project/taken && grep old $HOME/project/taken/file",
					"test -e $HOME/home/state/private/dir", "test -e $HOME/home/state/private/new",
					"echo new >> $HOME/home/one", "echo new >> $HOME/home/state/private/file",
				} {
					out, err := run(script)
					if err == nil && !strings.HasPrefix(script, "echo") {
						t.Errorf("%s works: %s", script, out)
					}
				}
				for _, file := range []string{filepath.Join(private, "file"), filepath.Join(private, "later"), filepath.Join(p.root, "home", "one")} {
					if text, err := os.ReadFile(file); string(text) != "old\n" {
						t.Errorf("%s has %q, %v", file, text, err)
					}
				}
				for _, script := range []string{"grep old $HOME/home/file", "ls $HOME/home $HOME", "echo new > file", "mkdir -p a && mv file a/"} {
					if out, err := run(script); err != nil {
						t.Errorf("%s: %v: %s", script, err, out)
					}
				}
			})
		})
	}
}

// A place in what is private is not opened, whoever asks for it.
func TestOpensNothingPrivate(t *testing.T) {
	p := newPlace(t)
	b := Bounds{Private: []string{filepath.Join(p.root, "secret")}}
	if err := os.Symlink("secret", filepath.Join(p.root, "link")); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"secret", "secret/file", "link", "link/file"} {
		b.Write = []string{filepath.Join(p.root, path)}
		s, err := New(b, []string{os.Args[0], enterSandbox})
		if opened, ok := errors.AsType[*PrivateError](err); !ok || !strings.HasPrefix(opened.Path, b.Private[0]) {
			t.Errorf("%s: %v, %v", path, s, err)
		}
	}
}

// Where a link leads to that a program may have made is not opened.
func TestOpensNothingThatALinkInsideLeadsTo(t *testing.T) {
	root := t.TempDir()
	at := func(names ...string) (paths []string) {
		for _, name := range names {
			paths = append(paths, filepath.Join(root, name))
		}
		return paths
	}
	for _, dir := range at("project/sub", "home/deep", "disk") {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for link, target := range map[string]string{"project/build": root + "/home", "project/store": "made", "cache": "disk", "far": "project/build/deep", "project/here": "sub"} {
		if err := os.Symlink(target, filepath.Join(root, link)); err != nil {
			t.Fatal(err)
		}
	}
	listen(t, filepath.Join(root, "project", "made"))
	for _, c := range []struct {
		write []string
		link  string
	}{
		{at("project", "project/build"), "project/build"},
		{at("project", "project/build/deep"), "project/build"},
		{at("project/build", "home"), ""}, // nothing writes in the project
		{at("project", "far"), "project/build"},
		{at("project", "project/here"), "project/here"},
		{at("project", "project/sub", "cache", "disk", "project/none"), ""},
	} {
		_, err := New(Bounds{Write: c.write}, []string{os.Args[0], enterSandbox})
		linked, is := errors.AsType[*LinkError](err)
		if is != (c.link != "") || is && linked.Link != filepath.Join(root, c.link) {
			t.Errorf("%q: %v", c.write, err)
		}
	}
	b := Bounds{Write: at("project"), Fixed: at("project/sub", "project/store", "project/made", "project/build", "disk")}
	if got := b.existing().Write; !slices.Equal(got, at("project", "project/sub")) {
		t.Errorf("writable is %q", got)
	}
}

// enterProgram is the test's own program, where every user and sandbox can read it.
func enterProgram(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/var/tmp", "parley-enter-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	text, err := os.ReadFile(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "enter")
	if err := os.WriteFile(program, text, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return program
}

// Nobody takes the walls down from inside, not even root.
func TestNobodyLeaves(t *testing.T) {
	everyone(t, func(t *testing.T, p place, _ *Sandbox, run func(string) (string, error)) {
		for _, script := range []string{
			"mount -o remount,rw / && echo new > ../outside/file",
			"mount -o remount,rw,bind / && echo new > ../outside/file",
			"unshare -rm sh -c 'mount -o remount,rw,bind / && echo new > ../outside/file'",
			"mount --bind / .ssh && echo new > .ssh" + p.root + "/outside/file",
			"mknod disk b 1 0",
			"grep -E '^CapEff:.*[1-9a-f]' /proc/self/status",
			"chroot /proc/1/root true",
			"nsenter --target 1 --mount true",
		} {
			if out, err := run(script); err == nil {
				t.Errorf("%s works: %s", script, out)
			}
		}
		if text, err := os.ReadFile(filepath.Join(p.root, "outside/file")); string(text) != "old\n" {
			t.Errorf("the file outside has %q, %v", text, err)
		}
	})
}

// listen serves a Unix socket until the test ends. Every user may connect to it.
func listen(t *testing.T, name string) {
	t.Helper()
	l, err := net.Listen("unix", name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	if !strings.HasPrefix(name, "@") {
		if err := os.Chmod(name, 0o777); err != nil {
			t.Fatal(err)
		}
	}
}

// needsLandlock skips a test on kernels whose Landlock is older than a version.
func needsLandlock(t *testing.T, version int, does string) {
	t.Helper()
	if v, err := llsys.LandlockGetABIVersion(); err != nil || v < version {
		t.Skipf("the kernel has version %d of Landlock, and %s since version %d", v, does, version)
	}
}

// A program outside that takes orders on a Unix socket takes none from inside, wherever
// its socket is and however it has got its name.
func TestHidesSockets(t *testing.T) {
	everyoneIn(t, func(t *testing.T, p *place) {
		outside := filepath.Join(p.root, "outside")
		t.Chdir(outside)
		for _, name := range []string{"by-relative-path", filepath.Join(outside, "beside"), filepath.Join(p.root, "project", "inside"), filepath.Join(outside, "allowed")} {
			listen(t, name)
		}
		listen(t, filepath.Join(outside, "unfinished"))
		if err := os.Rename("unfinished", "renamed"); err != nil {
			t.Fatal(err)
		}
		p.child.Write = append(p.child.Write, filepath.Join(outside, "allowed"))
		if os.Getuid() == 0 { // and can look into what programs inside cannot
			private := filepath.Join(p.root, "private")
			if err := os.Mkdir(private, 0o700); err != nil {
				t.Fatal(err)
			}
			listen(t, filepath.Join(private, "socket"))
			own(t, private, asUser+1)
		}
	}, func(t *testing.T, p place, _ *Sandbox, run func(string) (string, error)) {
		if strings.Contains(t.Name(), "/Landlock/") {
			needsLandlock(t, 9, "it restricts sockets")
		}
		for name, works := range map[string]bool{
			"../outside/beside": false, "../outside/by-relative-path": false, "../outside/renamed": false, "inside": false, "../outside/allowed": true,
		} {
			if out, err := run(p.program + " " + connectTo + " " + name); (err == nil) != works {
				t.Errorf("connect to %s: %v: %s", name, err, out)
			}
		}
	})
}

// The same holds for a socket with a name but without a file.
func TestHidesAbstractSockets(t *testing.T) {
	name := fmt.Sprintf("@parley-sandbox-test-%d", os.Getpid()) // one namespace for the whole machine
	everyoneIn(t, func(t *testing.T, _ *place) { listen(t, name) }, func(t *testing.T, p place, _ *Sandbox, run func(string) (string, error)) {
		needsLandlock(t, 6, "it restricts abstract sockets")
		if out, err := run(p.program + " " + connectTo + " " + name); err == nil {
			t.Errorf("connected: %s", out)
		}
	})
}

// Programs in the sandbox talk to each other by sockets of their own.
func TestLeavesItsOwnSockets(t *testing.T) {
	everyone(t, func(t *testing.T, p place, _ *Sandbox, run func(string) (string, error)) {
		for _, name := range []string{"own", "$TMPDIR/own", fmt.Sprintf("@parley-sandbox-own-%d", os.Getpid())} {
			if out, err := run(p.program + " " + listenAt + " " + name); err != nil {
				t.Errorf("%s: %v: %s", name, err, out)
			}
		}
	})
}

// A program is started although one whose socket is hidden has ended.
func TestStartsWithoutASocketThatIsGone(t *testing.T) {
	everyoneIn(t, func(t *testing.T, p *place) { listen(t, filepath.Join(p.root, "outside", "beside")) },
		func(t *testing.T, p place, _ *Sandbox, run func(string) (string, error)) {
			if err := os.Remove(filepath.Join(p.root, "outside", "beside")); err != nil {
				t.Fatal(err)
			}
			if out, err := run("true"); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
}

// Nothing is kept from starting by a socket that comes and goes, as an agent can have it do.
func TestStartsWhileASocketComesAndGoes(t *testing.T) {
	bwrap, err := exec.LookPath("bwrap")
	if err != nil {
		t.Skip("bubblewrap is not installed")
	}
	dir := t.TempDir()
	others := filepath.Join(dir, "others")
	if err := os.MkdirAll(others, 0o700); err != nil {
		t.Fatal(err)
	}
	listen(t, filepath.Join(dir, "stays"))
	listen(t, filepath.Join(dir, "flaps"))
	for i := range 20 {
		listen(t, filepath.Join(others, fmt.Sprint(i)))
	}
	// It is another one each time that it is looked for, and gone while bubblewrap mounts.
	flapping := "#!/bin/sh\ncd " + dir + `
		case "$*" in *"test -S"*) ;; *) rm -f flaps;; esac
		` + bwrap + ` "$@"; code=$?
		for next in others/*; do mv $next flaps; break; done; exit $code`
	path := filepath.Join(t.TempDir(), "bwrap")
	if err := os.WriteFile(path, []byte(flapping), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", filepath.Dir(path)+string(os.PathListSeparator)+os.Getenv("PATH"))
	s, err := New(Bounds{}, []string{os.Args[0], enterSandbox})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if s.Name != "bubblewrap" {
		t.Skipf("bubblewrap does not work here; %s: %s", s.Name, s.Lack)
	}
	for range 3 {
		if out, err := try(t, s, dir, "! test -S stays"); err != nil {
			t.Errorf("%v: %s", err, out)
		}
	}
}

// Where bubblewrap gets its rights from its file, it cannot be started with abstract
// sockets hidden, and is still better than Landlock.
func TestTakesABubblewrapWithRightsOfItsOwn(t *testing.T) {
	real, err := exec.LookPath("bwrap")
	if err != nil {
		t.Skip("bwrap is not installed")
	}
	dir := t.TempDir()
	script := "#!/bin/sh\n! grep -q 'NoNewPrivs:.1' /proc/self/status || { echo 'bwrap: No permissions to create new namespace' >&2; exit 1; }\nexec " + real + " \"$@\"\n"
	if err := os.WriteFile(filepath.Join(dir, "bwrap"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	p := newPlace(t)
	s, err := bubblewrap(p.child.existing(), []string{os.Args[0], enterSandbox})
	if err != nil {
		t.Skipf("this machine does not have bubblewrap: %v", err)
	}
	defer s.Close()
	if out, err := try(t, s, p.root, "true"); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

// Of the devices, only harmless ones can be written, whoever owns the others.
func TestDevicesAreHarmless(t *testing.T) {
	everyone(t, func(t *testing.T, _ place, _ *Sandbox, run func(string) (string, error)) {
		out, err := run("for d in /dev/*; do [ -b $d ] && true 2>/dev/null >>$d && echo $d; done; echo x > /dev/null && head -c1 /dev/urandom >/dev/null && echo fine")
		if err != nil || out != "fine\n" {
			t.Errorf("%v: %s", err, out)
		}
	})
}

// What must not be created is there as long as a sandbox needs it, and then no more.
func TestFreesWhatItOccupies(t *testing.T) {
	p := newPlace(t)
	git := filepath.Join(p.root, "project/.git")
	names := func() string {
		entries, err := os.ReadDir(git)
		if err != nil {
			t.Fatal(err)
		}
		var list []string
		for _, e := range entries {
			list = append(list, e.Name())
		}
		return strings.Join(list, " ")
	}
	first, err := bubblewrap(p.child.existing(), nil)
	if err != nil {
		t.Skipf("this machine does not have bubblewrap: %v", err)
	}
	second, err := bubblewrap(p.child.existing(), nil)
	if err != nil {
		t.Fatal(err)
	}
	first.Close()
	const occupied = "commondir empty hooks none"
	if got := names(); got != occupied {
		t.Errorf("while one needs them: %s, want %s", got, occupied)
	}
	if text, err := os.ReadFile(filepath.Join(git, "commondir")); string(text) != ".\n" {
		t.Errorf("the file has %q, %v", text, err)
	}
	if err := os.WriteFile(filepath.Join(git, "none", "mine"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	second.Close()
	second.Close()
	if got := names(); got != "hooks none" {
		t.Errorf("after the last one: %s, want only what the user has filled", got)
	}
}

// What takes the place of a reservation, or has become more than one, is the user's.
func TestLeavesReservationsThatWereEdited(t *testing.T) {
	for name, edit := range map[string]func(path string) error{
		"edited": func(path string) error { return os.WriteFile(path, []byte("mine\n"), 0o600) },
		"replaced": func(path string) error {
			return errors.Join(os.WriteFile(path+".new", []byte(".\n"), 0o600), os.Rename(path+".new", path))
		},
		"replaced by a link": func(path string) error {
			return errors.Join(os.WriteFile(path+".to", []byte(".\n"), 0o600), os.Remove(path), os.Symlink(path+".to", path))
		},
	} {
		path := filepath.Join(t.TempDir(), "reserved")
		r, err := reserve(path, false, ".\n")
		if err != nil {
			t.Fatal(err)
		}
		if err := edit(path); err != nil {
			t.Fatal(err)
		}
		if r.release(); !exists(path) {
			t.Errorf("what was %s is removed", name)
		}
	}
}

// Sandboxes that begin and end at once share a reservation: it is there as long as one has it.
func TestAReservationIsThereWhileItIsHeld(t *testing.T) {
	path := filepath.Join(t.TempDir(), "reserved")
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 500 {
				r, err := reserve(path, true, "")
				if err != nil {
					t.Error(err)
					return
				}
				held := r.unchanged()
				if r.release(); !held {
					t.Error("it is held, and it is not there")
					return
				}
			}
		})
	}
	all.Wait()
}

// A directory that leads from a hidden one to an open one stays hidden.
func TestTheWayThroughWhatIsHiddenStaysHidden(t *testing.T) {
	dir := t.TempDir()
	hidden, way := filepath.Join(dir, "hidden"), filepath.Join(dir, "hidden", "way")
	open := filepath.Join(way, "open")
	if err := os.MkdirAll(open, 0o700); err != nil {
		t.Fatal(err)
	}
	args := mounts(Bounds{Write: []string{dir, open}, Hide: []string{hidden}})
	if slices.Contains(args, way) || !slices.Contains(args, open) {
		t.Errorf("these are mounted: %q", args)
	}
}

// Directories among the devices may hold others.
func TestOnlyDevicesAreFound(t *testing.T) {
	dir := t.TempDir()
	for _, err := range []error{os.Mkdir(filepath.Join(dir, "by-path"), 0o700), os.WriteFile(filepath.Join(dir, "card0"), nil, 0o600)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if got := devicesAt(dir + "/*"); !slices.Equal(got, []string{filepath.Join(dir, "card0")}) {
		t.Errorf("found %q", got)
	}
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// A reservation is made at no link, and not where this user may create nothing.
func TestReservesOnlyInPlace(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "target"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("target", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	if r, err := reserve(filepath.Join(dir, "link"), false, ""); err == nil {
		t.Errorf("a link was taken: %+v", r)
	}
	if r, err := reserve(filepath.Join(dir, "none", "file"), false, ""); r != nil || err != nil {
		t.Errorf("in a directory that is missing: %+v, %v", r, err)
	}
}

// A directory that leads to what is kept stays in its place.
func TestKeepsTheWayThere(t *testing.T) {
	p := newPlace(t)
	b := p.child
	b.Write = []string{p.root}
	s, err := bubblewrap(b.existing(), nil)
	if err != nil {
		t.Skipf("this machine does not have bubblewrap: %v", err)
	}
	defer s.Close()
	for _, script := range []string{"mv project other", "mv project/.git other", "rm -rf project/.git; test ! -e project/.git"} {
		if out, err := try(t, s, p.root, script); err == nil {
			t.Errorf("%s works: %s", script, out)
		}
	}
}

func TestHides(t *testing.T) {
	p := newPlace(t)
	s, err := bubblewrap(p.child.existing(), nil)
	if err != nil {
		t.Skipf("this machine does not have bubblewrap: %v", err)
	}
	defer s.Close()
	below, err := os.CreateTemp("/tmp", "parley-sandbox-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.Remove(below.Name())
	defer below.Close()
	for path, want := range map[string]bool{
		below.Name(): true, "/tmp/none": false, "/bin/sh": false,
		filepath.Join(p.root, "secret/file"): true, filepath.Join(p.root, "project/file"): false,
	} {
		if got := s.Hides(path); got != want {
			t.Errorf("%s: %v, want %v", path, got, want)
		}
	}
}

// Without a directory for temporary files the system's stays, and nothing takes its place.
func TestNoDirectoryForTemporaryFiles(t *testing.T) {
	if b := (Bounds{}).existing(); b.Temp != "" {
		t.Errorf("temporary files go to %q", b.Temp)
	}
}
