package fs

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// realDir is a directory whose path has no links.
func realDir(t testing.TB) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// A place outside the roots is found, and can be read and written by whoever decides
// to.
func TestPlaceOutside(t *testing.T) {
	base := realDir(t)
	inside, outside := filepath.Join(base, "in"), filepath.Join(base, "out")
	put(t, filepath.Join(inside, "file"), "in")
	file := put(t, filepath.Join(outside, "file"), "out")
	link(t, outside, filepath.Join(inside, "way"))
	f := serve(t, inside)
	p, err := f.Find(filepath.Join(inside, "way", "file"))
	if err != nil || !p.Outside || p.Target != file || p.Inside() == nil || p.File() != nil || p.Links != 1 {
		t.Fatalf("%+v, %v", p, err)
	}
	text, err := f.Read(t.Context(), p, nil, nil)
	if err != nil || text.Text != "out" {
		t.Errorf("read = %q, %v", text.Text, err)
	}
	if c, err := f.Write(t.Context(), p, "new", &text.Version); err != nil || *c.Before != "out" || content(t, file) != "new" {
		t.Errorf("write = %+v, %v", c, err)
	}
	p, err = f.Find(filepath.Join(inside, "way", "sub", "new"))
	if err != nil || !p.Outside || !errors.Is(p.File(), ErrNotExist) {
		t.Fatalf("%+v, %v", p, err)
	}
	if _, err := f.Write(t.Context(), p, "new", nil); err != nil || content(t, filepath.Join(outside, "sub", "new")) != "new" {
		t.Errorf("write = %v", err)
	}
	if p, err := f.Find(outside); err != nil || !errors.Is(p.File(), ErrNotRegular) {
		t.Errorf("a directory: %v, %v", p.File(), err)
	}
	if p, err := f.Find(volumeTop(base)); err != nil || !p.Outside {
		t.Errorf("the top: %+v, %v", p, err)
	} else if _, err := f.Write(t.Context(), p, "", nil); !errors.Is(err, ErrNotRegular) {
		t.Errorf("write of the top = %v", err)
	}
}

// Whatever is exchanged after a place was found, nothing but that place is used.
func TestExchangedPlaces(t *testing.T) {
	for name, exchange := range map[string]func(dir, secret string) error{
		"the file for a link": func(dir, secret string) error {
			return errors.Join(os.Remove(filepath.Join(dir, "sub", "file")), os.Symlink(filepath.Join(secret, "file"), filepath.Join(dir, "sub", "file")))
		},
		"its directory for a link": func(dir, secret string) error {
			return errors.Join(os.Rename(filepath.Join(dir, "sub"), filepath.Join(dir, "old")), os.Symlink(secret, filepath.Join(dir, "sub")))
		},
		"its directory for a link in the same directory": func(dir, secret string) error {
			return errors.Join(os.Rename(filepath.Join(dir, "sub"), filepath.Join(dir, "old")), os.Rename(secret, filepath.Join(dir, "secret")),
				os.Symlink("secret", filepath.Join(dir, "sub")), os.Symlink(filepath.Join(dir, "secret"), secret))
		},
	} {
		t.Run(name, func(t *testing.T) {
			base := realDir(t)
			inside, outside, secret := filepath.Join(base, "in"), filepath.Join(base, "out"), filepath.Join(base, "secret")
			put(t, filepath.Join(secret, "file"), "secret")
			f := serve(t, mkdir(t, inside))
			for _, dir := range []string{inside, outside} {
				p, err := f.Find(put(t, filepath.Join(dir, "sub", "file"), "fine"))
				if err != nil {
					t.Fatal(err)
				}
				if err := exchange(dir, secret); err != nil {
					t.Skip("no symbolic links here:", err)
				}
				if text, err := f.Read(t.Context(), p, nil, nil); err == nil {
					t.Errorf("read %q", text.Text)
				}
				if c, err := f.Current(t.Context(), p); err == nil && c.Text != nil {
					t.Errorf("saw %q", *c.Text)
				}
				if _, err := f.Write(t.Context(), p, "mine", nil); err == nil {
					t.Error("wrote elsewhere")
				}
				// And as if it had been found a moment later.
				if got, err := readBelow(p); err == nil {
					t.Errorf("read %q", got)
				}
				if got := content(t, filepath.Join(secret, "file")); got != "secret" {
					t.Errorf("the secret is %q", got)
				}
				if real, err := filepath.EvalSymlinks(secret); err == nil && real != secret {
					if err := errors.Join(os.Remove(secret), os.Rename(real, secret)); err != nil {
						t.Fatal(err)
					}
				}
			}
		})
	}
}

// mkdir makes a directory, and returns its path.
func mkdir(t testing.TB, dir string) string {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// readBelow reads the file of a place without looking where its path leads now.
func readBelow(p ResolvedPath) (string, error) {
	top := p.top
	if top == nil {
		var err error
		if top, err = os.OpenRoot(volumeTop(p.Target)); err != nil {
			return "", err
		}
		defer top.Close()
	}
	dir, name, err := descend(top, p.name, false)
	if err != nil {
		return "", err
	}
	defer dir.Close()
	file, _, err := openRegular(dir, name, os.O_RDONLY)
	if err != nil {
		return "", err
	}
	defer file.Close()
	got := make([]byte, 100)
	n, err := file.Read(got)
	return string(got[:n]), err
}

func TestExpectedVersion(t *testing.T) {
	f, dir := newFS(t)
	path := put(t, filepath.Join(dir, "file"), "one")
	find := func() ResolvedPath {
		p, err := f.Find(path)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	now, err := f.Current(t.Context(), find())
	if err != nil || now.Text == nil || *now.Text != "one" {
		t.Fatalf("%+v, %v", now, err)
	}
	put(t, path, "two")
	if _, err := f.Write(t.Context(), find(), "mine", &now.Version); !errors.Is(err, ErrChanged) || content(t, path) != "two" {
		t.Errorf("write over another content = %v", err)
	}
	put(t, path, "one")
	c, err := f.Write(t.Context(), find(), "mine", &now.Version)
	if err != nil {
		t.Errorf("write over the same content = %v", err)
	}
	if again, err := f.Current(t.Context(), find()); err != nil || !again.Version.Same(c.Version) {
		t.Errorf("what was written is not what is there: %v", err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write(t.Context(), find(), "mine", &c.Version); !errors.Is(err, ErrChanged) {
		t.Errorf("write over a removed file = %v", err)
	}
	if _, err := f.Write(t.Context(), find(), "new", &Version{}); err != nil {
		t.Errorf("write of a new file = %v", err)
	}
	if _, err := f.Write(t.Context(), find(), "newer", &Version{}); !errors.Is(err, ErrChanged) || content(t, path) != "new" {
		t.Errorf("write over a file that ought not to be there = %v", err)
	}
	assertNoTemp(t, dir)
}

// Whatever path an agent thinks of: what is found to be inside is inside, and reading
// it gives nothing of what is outside.
func FuzzPaths(f *testing.F) {
	base := realDir(f)
	inside := filepath.Join(base, "in")
	put(f, filepath.Join(inside, "sub", "file"), "fine")
	put(f, filepath.Join(base, "out", "file"), "secret")
	link(f, filepath.Join(base, "out"), filepath.Join(inside, "a"))
	link(f, "../sub", filepath.Join(inside, "sub", "b"))
	link(f, "..", filepath.Join(inside, "c"))
	link(f, "d", filepath.Join(inside, "d"))
	files := serve(f, inside)
	for _, path := range []string{"file", "sub/file", "a/file", "sub/b/../../a/../out/file", "c/in/c/out/file", "./../in//a/./file", "d/../sub/file", "\x00", "sub/file/", "A/FILE", "sub\\file", strings.Repeat("c/in/", 50) + "a/file"} {
		f.Add(path)
	}
	f.Fuzz(func(t *testing.T, path string) {
		p, err := files.Find(inside + "/" + path)
		if err != nil {
			return
		}
		real := p.Target
		if r, err := filepath.EvalSymlinks(real); err == nil && r != real {
			t.Errorf("%q has links, and leads to %q", real, r)
		}
		if within := real == inside || strings.HasPrefix(real, inside+string(filepath.Separator)); within == p.Outside {
			t.Errorf("%q is outside: %v", real, p.Outside)
		}
		if text, err := files.Read(t.Context(), p, nil, nil); err == nil && (text.Text == "secret") != p.Outside && strings.HasPrefix(real, base) {
			t.Errorf("read %q at %q", text.Text, real)
		}
	})
}

// What takes the place of a directory or a file between the look at it and its opening
// is not used, be it a link or another one of its kind.
func TestExchangedBetweenLookAndOpening(t *testing.T) {
	for name, exchange := range map[string]func(path string) error{
		"a link inside": func(path string) error { return os.Symlink("other", path) },
		"another one":   func(path string) error { return os.Rename(filepath.Join(filepath.Dir(path), "other"), path) },
	} {
		for _, kind := range []string{"directory", "file"} {
			t.Run(name+", "+kind, func(t *testing.T) {
				top := realDir(t)
				for _, entry := range []string{"it", "other"} {
					if kind == "file" {
						put(t, filepath.Join(top, entry), entry)
					} else {
						put(t, filepath.Join(top, entry, "file"), entry)
					}
				}
				root, err := os.OpenRoot(top)
				if err != nil {
					t.Fatal(err)
				}
				defer root.Close()
				seen, err := root.Lstat("it")
				if err != nil {
					t.Fatal(err)
				}
				if err := errors.Join(os.Rename(filepath.Join(top, "it"), filepath.Join(top, "gone")), exchange(filepath.Join(top, "it"))); err != nil {
					t.Skipf("links: %v", err)
				}
				if kind == "file" {
					file, _, err := OpenSeen(root, "it", os.O_RDONLY, seen)
					if !errors.Is(err, ErrMoved) {
						t.Errorf("%v, %v", file, err)
					}
					return
				}
				if dir, err := OpenSeenRoot(root, "it", seen); !errors.Is(err, ErrMoved) {
					t.Errorf("%v, %v", dir, err)
				}
			})
		}
	}
}

// A path that leads to another file than when it was found is not used, although the file
// that was found is still there.
func TestAPathThatLeadsElsewhereByNow(t *testing.T) {
	base := realDir(t)
	was, now := put(t, filepath.Join(base, "was"), "was"), put(t, filepath.Join(base, "now"), "now")
	way := filepath.Join(base, "way")
	link(t, was, way)
	f := serve(t, base)
	p, err := f.Find(way)
	if err != nil || p.Target != was {
		t.Fatalf("%+v, %v", p, err)
	}
	if err := os.Remove(way); err != nil {
		t.Fatal(err)
	}
	link(t, now, way)
	if text, err := f.Read(t.Context(), p, nil, nil); !errors.Is(err, ErrMoved) {
		t.Errorf("read = %q, %v", text.Text, err)
	}
	if _, err := f.Write(t.Context(), p, "new", nil); !errors.Is(err, ErrMoved) || content(t, was) != "was" || content(t, now) != "now" {
		t.Errorf("write = %v; the files have %q and %q", err, content(t, was), content(t, now))
	}
}
