//go:build unix

package fs

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

// The test binary is also the program that is killed, and the one whose disk is full.
const (
	writerEnv = "PARLEY_TEST_WRITER" // the directory in which it writes for ever
	fullEnv   = "PARLEY_TEST_FULL"   // the directory that is full
	// readOnlyEnv is the directory of a file that may not be written.
	readOnlyEnv = "PARLEY_TEST_READONLY"
	limitEnv    = "PARLEY_TEST_FILESIZE" // the directory in which files may not be large
)

func TestMain(m *testing.M) {
	switch {
	case os.Getenv(writerEnv) != "":
		writeForEver(os.Getenv(writerEnv))
	case os.Getenv(readOnlyEnv) != "":
		exit(writeReadOnly(os.Getenv(readOnlyEnv)))
	case os.Getenv(fullEnv) != "":
		exit(fillUp(os.Getenv(fullEnv)))
	case os.Getenv(limitEnv) != "":
		signal.Ignore(syscall.SIGXFSZ) // then writing fails instead
		limit := syscall.Rlimit{Cur: 64 << 10, Max: 64 << 10}
		exit(errors.Join(syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit), fillUp(os.Getenv(limitEnv))))
	}
	os.Exit(m.Run())
}

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// versionText is what the file holds as its version n: long enough that writing takes
// several calls, and whole only if its end says the same as its beginning.
func versionText(n int) string {
	line := fmt.Sprintf("version %08d\n", n)
	return strings.Repeat(line, 1+(n*7919)%20000)
}

func writeForEver(dir string) {
	f, err := New(dir)
	if err != nil {
		exit(err)
	}
	path := filepath.Join(dir, "file")
	fmt.Println("writing")
	for n := 0; ; n++ {
		p, err := f.Find(path)
		if err == nil {
			_, err = f.Write(context.Background(), p, versionText(n), nil)
		}
		if err != nil {
			exit(err)
		}
		fmt.Println("wrote", n)
	}
}

// TestKilledWhileWriting kills the writer between two versions and in the middle of
// one. The file always holds one version, whole.
func TestKilledWhileWriting(t *testing.T) {
	const kills = 60
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	versions, leftovers, often := map[string]bool{}, 0, 0
	for i := range kills {
		kill(t, dir, i%4, i%5 > 0)
		text, err := os.ReadFile(path)
		if errors.Is(err, os.ErrNotExist) {
			continue // it was killed before the first write
		}
		if err != nil {
			t.Fatal(err)
		}
		var n int
		if _, err := fmt.Sscanf(string(text), "version %d\n", &n); err != nil || string(text) != versionText(n) {
			t.Fatalf("the file holds %d bytes of no version: %.40q…", len(text), text)
		}
		versions[string(text)] = true
		left := len(entries(t, dir)) - 1
		leftovers, often = max(leftovers, left), often+left
	}
	if len(versions) < 2 {
		t.Errorf("the writer was always killed at %d versions: nothing was tested", len(versions))
	}
	if leftovers > 1 {
		t.Errorf("%d files were left behind at once", leftovers)
	}
	// It can also be killed between naming the file and renaming it, which takes no time.
	if unnamed(t, dir) && often > kills/10 {
		t.Errorf("a file was left behind by %d of %d kills", often, kills)
	}
	f := serve(t, dir)
	if _, err := f.WriteTextFile(t.Context(), path, "the last"); err != nil {
		t.Fatal(err)
	}
	assertNoTemp(t, dir)
}

// kill starts a writer, lets it write so many versions, and kills it: at once, or when
// a random part of a later version is in its temporary file.
func kill(t *testing.T, dir string, versions int, partly bool) {
	t.Helper()
	before := entries(t, dir)
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), writerEnv+"="+dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	for range 1 + versions { // it says that it writes, and what it wrote
		if err == nil {
			_, err = lines.ReadString('\n')
		}
	}
	for size := rand.N[int64](64 << 10); partly; {
		now := entries(t, dir)
		maps.Copy(now, unnamedFiles(cmd.Process.Pid, dir))
		for name, now := range now {
			if name != "file" && now != before[name] && now >= size {
				partly = false
			}
		}
	}
	_ = cmd.Process.Kill()
	var killed *exec.ExitError
	if waited := cmd.Wait(); err != nil || !errors.As(waited, &killed) || killed.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
		t.Fatalf("the writer ended by itself: %v, %v", err, waited)
	}
}

// unnamed reports whether files without a name can be created in a directory.
func unnamed(t *testing.T, dir string) bool {
	t.Helper()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	f, err := openUnnamed(root, 0o600)
	if err != nil {
		return false
	}
	return f.Close() == nil
}

// unnamedFiles returns the sizes of the files without a name that a process writes in a
// directory.
func unnamedFiles(pid int, dir string) map[string]int64 {
	sizes := map[string]int64{}
	open, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
	for _, fd := range open {
		if to, _ := os.Readlink(fd); !strings.HasPrefix(to, dir+"/#") {
			continue
		}
		if info, err := os.Stat(fd); err == nil {
			sizes[fd] = info.Size()
		}
	}
	return sizes
}

// entries returns the sizes of the files in a directory.
func entries(t *testing.T, dir string) map[string]int64 {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	sizes := map[string]int64{}
	for _, e := range list {
		if info, err := e.Info(); err == nil { // else it has gone
			sizes[e.Name()] = info.Size()
		}
	}
	return sizes
}

// fillUp writes more than there is room for into a directory, and says what is wrong
// with what it finds then.
func fillUp(dir string) error {
	f, err := New(dir)
	if err != nil {
		return err
	}
	write := func(name, text string) error {
		p, err := f.Find(filepath.Join(dir, name))
		if err == nil {
			_, err = f.Write(context.Background(), p, text, nil)
		}
		return err
	}
	if err := write("file", "old"); err != nil {
		return err
	}
	for name, size := range map[string]int{"file": 1 << 20, "new": 1 << 20} {
		err := write(name, strings.Repeat("x", size))
		if !errors.Is(err, syscall.ENOSPC) && !errors.Is(err, syscall.EFBIG) {
			return fmt.Errorf("there was room for %s: %w", name, err)
		}
		if want := "write " + filepath.Join(dir, name) + ": " + errors.Unwrap(err).Error(); err.Error() != want || strings.Count(want, "/") != strings.Count(dir, "/")+1 {
			return fmt.Errorf("the error names more than the file: %w", err)
		}
	}
	text, err := os.ReadFile(filepath.Join(dir, "file"))
	if err != nil || string(text) != "old" {
		return fmt.Errorf("the file holds %d bytes, %w", len(text), err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		return fmt.Errorf("there are %v, %w", entries, err)
	}
	return write("file", "small enough")
}

func TestDiskFull(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("a small disk is made as Linux makes it")
	}
	dir := t.TempDir()
	mount := `mount -t tmpfs -o size=256k none "$` + fullEnv + `"`
	env := append(os.Environ(), fullEnv+"="+dir)
	run := func(script string) error {
		cmd := exec.Command("unshare", "-rm", "sh", "-c", script, os.Args[0])
		cmd.Env = env
		out, err := cmd.CombinedOutput()
		if err != nil {
			return fmt.Errorf("%w: %s", err, out)
		}
		return nil
	}
	if err := run(mount); err != nil {
		t.Skip("no small disk can be mounted here:", err)
	}
	if err := run(mount + ` && "$0"`); err != nil {
		t.Error(err)
	}
}

// TestFileSizeLimit is a full disk for systems on which none can be mounted: writing
// fails after some of it is done.
func TestFileSizeLimit(t *testing.T) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), limitEnv+"="+t.TempDir())
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}
