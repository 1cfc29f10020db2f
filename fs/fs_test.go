package fs

import (
	"errors"
	iofs "io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// newFS serves a new directory, which it returns too.
func newFS(t testing.TB) (*FS, string) {
	t.Helper()
	dir := t.TempDir()
	return serve(t, dir), dir
}

func serve(t testing.TB, roots ...string) *FS {
	t.Helper()
	f, err := New(roots...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	return f
}

func put(t testing.TB, path, content string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func link(t testing.TB, target, path string) string {
	t.Helper()
	if err := os.Symlink(target, path); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	return path
}

func content(t testing.TB, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestNewRefuses(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		name, root string
		want       error
	}{
		{"a relative root", "some/dir", ErrNotAbsolute},
		{"a root that is not there", filepath.Join(dir, "missing"), ErrNotExist},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := New(dir, c.root); !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.root) {
				t.Errorf("New = %v, want %v with the path", err, c.want)
			}
		})
	}
	if _, err := New(put(t, filepath.Join(dir, "file"), "")); err == nil {
		t.Error("New took a file as root")
	}
}

// TestBoundary holds for reading and writing alike.
func TestBoundary(t *testing.T) {
	base := t.TempDir()
	inside, second, outside := filepath.Join(base, "in"), filepath.Join(base, "second"), filepath.Join(base, "out")
	for _, dir := range []string{inside, second, outside} {
		put(t, filepath.Join(dir, "sub", "file"), "text")
	}
	put(t, filepath.Join(base, "in-sibling", "file"), "text")
	link(t, filepath.Join(outside, "sub"), filepath.Join(inside, "dir-out"))
	link(t, filepath.Join(outside, "sub", "file"), filepath.Join(inside, "file-out"))
	link(t, "../out/sub/file", filepath.Join(inside, "relative-out"))
	link(t, filepath.Join(outside, "new"), filepath.Join(inside, "dangling-out"))
	link(t, filepath.Join(inside, "sub", "file"), filepath.Join(inside, "absolute-in"))
	link(t, "sub", filepath.Join(inside, "dir-in"))
	link(t, "../second/sub/file", filepath.Join(inside, "to-second"))
	link(t, "circle", filepath.Join(inside, "circle"))
	link(t, inside, filepath.Join(base, "alias"))
	f := serve(t, inside, second)

	for _, c := range []struct {
		path string
		want error
	}{
		{"in/sub/file", nil},
		{"in/sub/../sub/./file", nil},
		{"second/sub/file", nil},
		{"in/absolute-in", nil},
		{"in/dir-in/file", nil},
		{"in/to-second", nil},
		{"alias/sub/file", nil},
		{"out/../in/sub/file", nil},
		{"out/sub/file", ErrOutsideRoots},
		{"in-sibling/file", ErrOutsideRoots},
		{"in/../out/sub/file", ErrOutsideRoots},
		{"in/missing/../../out/sub/file", ErrOutsideRoots},
		{"in/dir-in/../../out/sub/file", ErrOutsideRoots},
		{"in/dir-out/file", ErrOutsideRoots},
		{"in/dir-out/new", ErrOutsideRoots},
		{"in/dir-out/../sub/file", ErrOutsideRoots}, // dir-out/.. is in out
		{"in/file-out", ErrOutsideRoots},
		{"in/relative-out", ErrOutsideRoots},
		{"in/dangling-out", ErrOutsideRoots},
		{"in", ErrNotRegular},
		{"in/sub", ErrNotRegular},
		{"in/circle", errLinkLoop},
	} {
		t.Run(c.path, func(t *testing.T) {
			path := base + "/" + c.path // filepath.Join would clean it
			got, err := f.ReadTextFile(t.Context(), path, nil, nil)
			if !errors.Is(err, c.want) || err == nil && got != "text" {
				t.Errorf("read = %q, %v, want %v", got, err, c.want)
			}
			_, err = f.WriteTextFile(t.Context(), path, "text")
			if !errors.Is(err, c.want) {
				t.Errorf("write = %v, want %v", err, c.want)
			}
		})
	}
	for _, dir := range []string{"out", "in-sibling"} {
		err := filepath.WalkDir(filepath.Join(base, dir), func(path string, d iofs.DirEntry, err error) error {
			if !d.IsDir() && d.Name() != "file" {
				t.Errorf("%s was created outside the roots", path)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
}

func TestOutsideRootsSaysWhere(t *testing.T) {
	f, dir := newFS(t)
	other := t.TempDir()
	path := link(t, filepath.Join(other, "secret"), filepath.Join(dir, "innocent"))
	_, err := f.ReadTextFile(t.Context(), path, nil, nil)
	var pathErr *iofs.PathError
	if !errors.As(err, &pathErr) || pathErr.Path != path {
		t.Fatalf("read = %v, want a PathError with the path", err)
	}
	for _, part := range []string{path, "secret", dir, "outside the session's directories"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q does not say %q", err, part)
		}
	}
}

func TestRelativePath(t *testing.T) {
	f, _ := newFS(t)
	if _, err := f.ReadTextFile(t.Context(), "a.txt", nil, nil); !errors.Is(err, ErrNotAbsolute) {
		t.Errorf("read = %v", err)
	}
	if _, err := f.WriteTextFile(t.Context(), "a.txt", ""); !errors.Is(err, ErrNotAbsolute) {
		t.Errorf("write = %v", err)
	}
}

// TestRootThroughLink is a project directory that is reached through a link, as
// everything below /tmp is on macOS.
func TestRootThroughLink(t *testing.T) {
	base := t.TempDir()
	real := filepath.Join(base, "real")
	put(t, filepath.Join(real, "a.txt"), "text")
	alias := link(t, "real", filepath.Join(base, "alias"))
	for _, root := range []string{real, alias} {
		f := serve(t, root)
		for _, dir := range []string{real, alias} {
			path := filepath.Join(dir, "a.txt")
			if got, err := f.ReadTextFile(t.Context(), path, nil, nil); err != nil || got != "text" {
				t.Errorf("root %s: read %s = %q, %v", root, path, got, err)
			}
			if _, err := f.WriteTextFile(t.Context(), path, "text"); err != nil {
				t.Errorf("root %s: write %s: %v", root, path, err)
			}
		}
	}
}

func TestClosed(t *testing.T) {
	dir := t.TempDir()
	path := put(t, filepath.Join(dir, "a"), "text")
	f, err := New(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := f.ReadTextFile(t.Context(), path, nil, nil); !errors.Is(err, os.ErrClosed) {
		t.Errorf("read after Close = %v", err)
	}
}
