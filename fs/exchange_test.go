package fs

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestExchange(t *testing.T) {
	f, dir := newFS(t)
	var told []string
	f.SetRecord(func(path string, before, after *Snapshot) (func(error), error) {
		told = append(told, filepath.Base(path))
		return func(err error) {
			if err != nil {
				told = append(told, "failed")
			}
		}, nil
	})
	path := filepath.Join(dir, "sub", "file")
	ctx := context.Background()
	put := func(content string, mode os.FileMode) {
		t.Helper()
		err := f.Exchange(ctx, path, func(*Snapshot) (*Snapshot, error) { return &Snapshot{Content: content, Mode: mode}, nil })
		if err != nil {
			t.Fatal(err)
		}
	}
	check := func(content string, mode os.FileMode) {
		t.Helper()
		got, err := os.ReadFile(path)
		info, statErr := os.Stat(path)
		if err != nil || statErr != nil || string(got) != content || info.Mode().Perm() != mode {
			t.Errorf("the file holds %q with mode %v (%v), want %q, %v", got, info.Mode(), err, content, mode)
		}
	}

	put("\x00\xffnot text", 0o600)
	check("\x00\xffnot text", 0o600)
	put("text", 0) // keeps the mode
	check("text", 0o600)
	put("text", 0o755) // the mode alone
	check("text", 0o755)

	stop := errors.New("stop")
	if err := f.Exchange(ctx, path, func(*Snapshot) (*Snapshot, error) { return nil, stop }); !errors.Is(err, stop) {
		t.Errorf("Exchange = %v", err)
	}
	err := f.Look(ctx, path, func(now *Snapshot) error {
		if now == nil || now.Content != "text" || now.Mode != 0o755 {
			t.Errorf("it holds %v", now)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	check("text", 0o755)

	if err := f.Exchange(ctx, path, func(*Snapshot) (*Snapshot, error) { return nil, nil }); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("it is still there: %v", err)
	}
	if len(told) != 4 {
		t.Errorf("told of %v", told)
	}
	outside := filepath.Join(t.TempDir(), "x")
	if err := f.Exchange(ctx, outside, func(*Snapshot) (*Snapshot, error) { return &Snapshot{}, nil }); !errors.Is(err, ErrOutsideRoots) {
		t.Errorf("outside of the roots: %v", err)
	}
}

func TestAWriteIsToldOfBeforeItHappens(t *testing.T) {
	f, dir := newFS(t)
	path := filepath.Join(dir, "file")
	if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o640); err != nil { // the umask has no say in that
		t.Fatal(err)
	}
	holds := func() string {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(content)
	}
	var steps []string
	f.SetRecord(func(at string, before, after *Snapshot) (func(error), error) {
		if at != path || before.Content != "old" || before.Mode != 0o640 || after.Content != "new" {
			t.Errorf("told of %s: %v, %v", at, before, after)
		}
		steps = append(steps, holds())
		return func(err error) { steps = append(steps, holds()) }, nil
	})
	if _, err := f.WriteTextFile(t.Context(), path, "new"); err != nil {
		t.Fatal(err)
	}
	if len(steps) != 2 || steps[0] != "old" || steps[1] != "new" {
		t.Errorf("the file held %q when it was told of", steps)
	}
}

// Exchange goes through no link, even to a place inside the roots.
func TestExchangeFollowsNoLink(t *testing.T) {
	f, dir := newFS(t)
	if err := os.Mkdir(filepath.Join(dir, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	target := put(t, filepath.Join(dir, "sub", "file"), "old")
	for link, to := range map[string]string{"link": target, "dir": "sub", "up": ".."} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Skip(err)
		}
	}
	for _, path := range []string{"dir/file", "dir/new", "up/sub/file"} {
		called := false
		err := f.Exchange(t.Context(), dir+"/"+path, func(*Snapshot) (*Snapshot, error) {
			called = true
			return &Snapshot{Content: "new"}, nil
		})
		if !errors.Is(err, ErrMoved) || called {
			t.Errorf("%s: %v", path, err)
		}
	}
	if content, err := os.ReadFile(target); err != nil || string(content) != "old" {
		t.Errorf("it holds %q, %v", content, err)
	}
	if _, err := os.Lstat(filepath.Join(dir, "sub", "new")); err == nil {
		t.Error("a file was made behind a link")
	}
	// A link at the path itself is replaced, and put.
	for _, next := range []*Snapshot{{Content: "elsewhere", Mode: LinkMode}, {Content: "new"}, nil, {Content: "sub", Mode: LinkMode}, nil} {
		path, was := filepath.Join(dir, "link"), ""
		err := f.Exchange(t.Context(), path, func(now *Snapshot) (*Snapshot, error) {
			if now != nil {
				was = now.Content
			}
			return next, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		info, err := os.Lstat(path)
		if (err == nil) != (next != nil) || err == nil && info.Mode()&os.ModeSymlink != next.Mode&os.ModeSymlink {
			t.Errorf("%q became %v, %v, want %+v", was, info, err, next)
		}
		now, err := f.Find(path)
		if target := filepath.Join(dir, "elsewhere"); next != nil && next.Content == "elsewhere" && (now.Target != target || err != nil) {
			t.Errorf("it leads to %v, %v", now.Target, err)
		}
	}
	if content, err := os.ReadFile(target); err != nil || string(content) != "old" {
		t.Errorf("it holds %q, %v", content, err)
	}
	assertNoTemp(t, dir)
	// An empty directory is no file, and gives way to one.
	empty := filepath.Join(dir, "empty")
	if err := os.MkdirAll(filepath.Join(empty, "in"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{empty, filepath.Join(dir, "sub")} {
		err := f.Exchange(t.Context(), path, func(now *Snapshot) (*Snapshot, error) {
			if now != nil {
				t.Errorf("%s: %+v", path, now)
			}
			return &Snapshot{Content: "file"}, nil
		})
		if path == empty && err != nil || path != empty && !errors.Is(err, ErrNotRegular) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if content(t, empty) != "file" {
		t.Error("the directory stays")
	}
}

// A write that is cancelled before its content is in place changes nothing.
func TestACancelledWriteIsNotPutInPlace(t *testing.T) {
	f, dir := newFS(t)
	path := put(t, filepath.Join(dir, "file"), "old")
	var ended error
	var cancel context.CancelFunc
	f.SetRecord(func(string, *Snapshot, *Snapshot) (func(error), error) {
		cancel()
		return func(err error) { ended = err }, nil
	})
	write := map[string]func(context.Context) error{
		"write": func(ctx context.Context) error {
			_, err := f.WriteTextFile(ctx, path, "new")
			return err
		},
		"exchange": func(ctx context.Context) error {
			return f.Exchange(ctx, path, func(*Snapshot) (*Snapshot, error) { return &Snapshot{Content: "new"}, nil })
		},
	}
	for name, do := range write {
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		cancel = stop
		if err := do(ctx); !errors.Is(err, context.Canceled) || !errors.Is(ended, context.Canceled) {
			t.Errorf("%s: %v, recorded as %v", name, err, ended)
		}
		if content, err := os.ReadFile(path); err != nil || string(content) != "old" {
			t.Errorf("%s: the file holds %q, %v", name, content, err)
		}
		if all, err := os.ReadDir(dir); err != nil || len(all) != 1 {
			t.Errorf("%s: %v, %v is left", name, all, err)
		}
	}
}

// What the record refuses is not written.
func TestTheRecordRefusesAWrite(t *testing.T) {
	f, dir := newFS(t)
	path := put(t, filepath.Join(dir, "file"), "old")
	refused := errors.New("refused")
	f.SetRecord(func(string, *Snapshot, *Snapshot) (func(error), error) { return nil, refused })
	if _, err := f.WriteTextFile(t.Context(), path, "new"); !errors.Is(err, refused) {
		t.Errorf("write: %v", err)
	}
	if err := f.Exchange(t.Context(), path, func(*Snapshot) (*Snapshot, error) { return nil, nil }); !errors.Is(err, refused) {
		t.Errorf("exchange: %v", err)
	}
	if content, err := os.ReadFile(path); err != nil || string(content) != "old" {
		t.Errorf("the file holds %q, %v", content, err)
	}
}

// What is not there is nil, whether its directory is there or not; a path that names a
// directory is refused.
func TestWhatIsNotThere(t *testing.T) {
	f, dir := newFS(t)
	for _, path := range []string{"file", "missing/file"} {
		path = filepath.Join(dir, path)
		p, err := f.Find(path)
		if err != nil {
			t.Fatal(err)
		}
		if c, err := f.Current(t.Context(), p); err != nil || c.Text != nil {
			t.Errorf("%s: %v, %v", path, c, err)
		}
		if err := f.Look(t.Context(), path, func(now *Snapshot) error {
			if now != nil {
				t.Errorf("%s holds %q", path, now.Content)
			}
			return nil
		}); err != nil {
			t.Error(err)
		}
	}
	p, err := f.Find(dir + "/new/")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Current(t.Context(), p); !errors.Is(err, ErrNotRegular) {
		t.Errorf("a directory: %v", err)
	}
}
