package fs

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

func TestWriteTextFile(t *testing.T) {
	f, dir := newFS(t)
	old := "old"
	for _, c := range []struct {
		name, path, content string
		before              *string
	}{
		{"a new file", "new.txt", "text\n", nil},
		{"a new file in new directories", "a/b/c/new.txt", "text", nil},
		{"an existing file", "old.txt", "new\r\ntext", &old},
		{"an empty content", "old.txt", "", &old},
		{"a byte order mark and a NUL are kept", "old.txt", "\ufeffa\x00b", &old},
		{"a long name", strings.Repeat("n", 255), "text", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(dir, c.path)
			if c.before != nil {
				put(t, path, *c.before)
			}
			change, err := f.WriteTextFile(t.Context(), path, c.content)
			if err != nil {
				t.Fatal(err)
			}
			if got := content(t, path); got != c.content {
				t.Errorf("the file holds %q, want %q", got, c.content)
			}
			if change.Path != path || change.After != c.content {
				t.Errorf("change = %+v", change)
			}
			if (change.Before == nil) != (c.before == nil) || c.before != nil && *change.Before != *c.before {
				t.Errorf("before = %v, want %v", change.Before, c.before)
			}
		})
	}
	assertNoTemp(t, dir)
}

func assertNoTemp(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		if strings.HasSuffix(path, ".tmp") {
			t.Errorf("%s is left over", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func TestWriteThroughLink(t *testing.T) {
	f, dir := newFS(t)
	target := put(t, filepath.Join(dir, "sub", "target"), "old")
	for _, path := range []string{
		link(t, "sub/target", filepath.Join(dir, "relative")),
		link(t, target, filepath.Join(dir, "absolute")),
		link(t, "relative", filepath.Join(dir, "twice")),
		link(t, "sub/missing", filepath.Join(dir, "dangling")),
	} {
		if _, err := f.WriteTextFile(t.Context(), path, "through "+path); err != nil {
			t.Fatal(err)
		}
		if got := content(t, path); got != "through "+path {
			t.Errorf("%s holds %q", path, got)
		}
		if info, err := os.Lstat(path); err != nil || info.Mode()&os.ModeSymlink == 0 {
			t.Errorf("%s is no link any more: %v", path, err)
		}
	}
	if got := content(t, filepath.Join(dir, "sub", "missing")); !strings.Contains(got, "dangling") {
		t.Errorf("the dangling link's target holds %q", got)
	}
}

func TestWriteRefuses(t *testing.T) {
	f, dir := newFS(t)
	f.maxBytes = 10
	file := put(t, filepath.Join(dir, "file"), "text")
	large := put(t, filepath.Join(dir, "large"), strings.Repeat("x", 11))
	for _, c := range []struct {
		name, path string
		want       error
	}{
		{"a directory by its slash", file + "/", ErrNotRegular},
		{"too large a file to keep", large, ErrTooLarge},
		{"below a file", filepath.Join(file, "below"), nil},
		{"far below a file", filepath.Join(file, "far", "below"), nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := f.WriteTextFile(t.Context(), c.path, "new")
			if err == nil || c.want != nil && !errors.Is(err, c.want) {
				t.Errorf("write = %v, want %v", err, c.want)
			}
		})
	}
	if content(t, file) != "text" || len(content(t, large)) != 11 {
		t.Error("a refused write changed a file")
	}
}

func TestWriteHeedsContext(t *testing.T) {
	f, dir := newFS(t)
	if err := f.acquire(t.Context()); err != nil { // another write goes on
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	result := make(chan error)
	go func() {
		_, err := f.WriteTextFile(ctx, filepath.Join(dir, "file"), "text")
		result <- err
	}()
	cancel()
	if err := <-result; !errors.Is(err, context.Canceled) {
		t.Errorf("write = %v", err)
	}
	<-f.writing
	if _, err := f.WriteTextFile(t.Context(), filepath.Join(dir, "file"), "text"); err != nil {
		t.Errorf("a cancelled write keeps others from writing: %v", err)
	}
}

func TestConcurrentWriters(t *testing.T) {
	f, dir := newFS(t)
	path := filepath.Join(dir, "file")
	contents := make(map[string]bool)
	changes := make(chan Change, 16)
	var writers sync.WaitGroup
	for i := range cap(changes) {
		text := strings.Repeat(string(rune('a'+i)), 100_000)
		contents[text] = true
		writers.Go(func() {
			change, err := f.WriteTextFile(t.Context(), path, text)
			if err != nil {
				t.Error(err)
			}
			changes <- change
		})
	}
	writers.Wait()
	close(changes)
	last := content(t, path)
	if !contents[last] {
		t.Error("the file holds a mixture")
	}
	// Every write saw what the one before it left, so that no text is the
	// before-image of two.
	seen := make(map[string]bool)
	for change := range changes {
		before := ""
		if change.Before != nil {
			before = *change.Before
		}
		if seen[before] || before == last {
			t.Error("two writes have the same before-image")
		}
		seen[before] = true
	}
	assertNoTemp(t, dir)
}

// TestExchangeAfterFind is the worst moment of the race below: a directory
// becomes a link to the outside after the path was found to be inside.
func TestExchangeAfterFind(t *testing.T) {
	base := t.TempDir()
	inside, outside := filepath.Join(base, "in"), filepath.Join(base, "out")
	secret := put(t, filepath.Join(outside, "file"), "secret")
	put(t, filepath.Join(inside, "dir", "file"), "fine")
	f := serve(t, inside)
	var places []ResolvedPath
	for _, name := range []string{"file", "new", filepath.Join("sub", "new")} {
		p, err := f.Find(filepath.Join(inside, "dir", name))
		if err != nil || p.Outside {
			t.Fatal(p, err)
		}
		places = append(places, p)
	}
	if err := os.Rename(filepath.Join(inside, "dir"), filepath.Join(inside, "moved")); err != nil {
		t.Fatal(err)
	}
	link(t, outside, filepath.Join(inside, "dir"))
	for _, p := range places {
		if text, err := f.Read(t.Context(), p, nil, nil); !errors.Is(err, ErrMoved) {
			t.Errorf("read %s = %q, %v", p.Path, text.Text, err)
		}
		if _, err := f.Write(t.Context(), p, "mine", nil); !errors.Is(err, ErrMoved) {
			t.Errorf("write %s = %v", p.Path, err)
		}
		// Even later: the path was looked at a second time.
		if dir, _, err := descend(p.top, p.name, true); err == nil {
			_ = dir.Close()
			t.Errorf("the way to %s leads over a link", p.Path)
		}
	}
	entries, err := os.ReadDir(outside)
	if got := content(t, secret); got != "secret" || err != nil || len(entries) != 1 {
		t.Errorf("the file outside holds %q, beside it %v, %v", got, entries, err)
	}
}

// TestRaceNeverEscapes exchanges a directory for a link to the outside, again
// and again, while files are written and read below it.
func TestRaceNeverEscapes(t *testing.T) {
	base := t.TempDir()
	inside, outside := filepath.Join(base, "in"), filepath.Join(base, "out")
	put(t, filepath.Join(outside, "file"), "secret")
	if err := os.MkdirAll(filepath.Join(inside, "real"), 0o755); err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(inside, "real", "file"), "fine")
	link(t, outside, filepath.Join(inside, "trap"))
	f := serve(t, inside)

	stop := make(chan struct{})
	var swapper sync.WaitGroup
	swapper.Go(func() {
		dir, held := filepath.Join(inside, "dir"), filepath.Join(inside, "held")
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			from := filepath.Join(inside, []string{"real", "trap"}[i%2])
			_ = os.Rename(from, dir)
			_ = os.Rename(dir, held)
			_ = os.Rename(held, from)
		}
	})
	path := filepath.Join(inside, "dir", "file")
	for range 200 {
		// Errors are what most of these calls are meant to give.
		_, _ = f.WriteTextFile(t.Context(), path, "fine")
		if got, err := f.ReadTextFile(t.Context(), path, nil, nil); err == nil && got != "fine" {
			t.Fatalf("read what is outside: %q", got)
		}
	}
	close(stop)
	swapper.Wait()
	if got := content(t, filepath.Join(outside, "file")); got != "secret" {
		t.Errorf("the file outside holds %q", got)
	}
	entries, err := os.ReadDir(outside)
	if err != nil || len(entries) != 1 {
		t.Errorf("outside holds %v, %v", entries, err)
	}
}

// What a killed write has left behind is gone after the next one; what another
// process is writing is left alone.
func TestLeftoverIsRemoved(t *testing.T) {
	f, dir := newFS(t)
	left := put(t, filepath.Join(dir, tempName), "half")
	if _, err := f.WriteTextFile(t.Context(), filepath.Join(dir, "file"), "new"); err != nil {
		t.Fatal(err)
	}
	assertNoTemp(t, dir)
	put(t, left, "being written")
	other, err := os.OpenFile(left, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if !tryLock(other) {
		t.Skip("files cannot be locked here")
	}
	if _, err := f.WriteTextFile(t.Context(), filepath.Join(dir, "file"), "newer"); err != nil {
		t.Fatal(err)
	}
	if content(t, left) != "being written" || content(t, filepath.Join(dir, "file")) != "newer" {
		t.Error("the other process has lost its file, or this one did not write")
	}
}

func TestDepthIsBounded(t *testing.T) {
	f, dir := newFS(t)
	deep := filepath.Join(dir, strings.Repeat("d/", maxNewDirs))
	if _, err := f.WriteTextFile(t.Context(), filepath.Join(deep, "d", "file"), "text"); !errors.Is(err, ErrTooDeep) {
		t.Errorf("write = %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "d")); !errors.Is(err, ErrNotExist) {
		t.Error("a refused write made directories")
	}
	if _, err := f.WriteTextFile(t.Context(), filepath.Join(deep, "file"), "text"); err != nil {
		t.Error(err)
	}
}

// A write that is given up before it has begun leaves the way free for the next one,
// whichever of the two was noticed first: the end of its context, or that it may write.
func TestAWriteThatIsGivenUpHoldsNobodyUp(t *testing.T) {
	f, dir := newFS(t)
	path := filepath.Join(dir, "file")
	ended, end := context.WithCancel(t.Context())
	end()
	for range 100 {
		if _, err := f.WriteTextFile(ended, path, "nobody's"); !errors.Is(err, context.Canceled) {
			t.Fatalf("a write that was given up = %v", err)
		}
		if held := len(f.writing); held != 0 {
			t.Fatal("it still holds the right to write")
		}
	}
	if _, err := f.WriteTextFile(t.Context(), path, "new"); err != nil || content(t, path) != "new" {
		t.Errorf("the next write = %v", err)
	}
}

// A write that cannot take the place of what is there leaves nothing behind.
func TestAFailedWriteLeavesNothingBehind(t *testing.T) {
	top := realDir(t)
	put(t, filepath.Join(top, "it", "file"), "x")
	root, err := os.OpenRoot(top)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if err := Replace(root, "it", []byte("new"), 0o600); err == nil {
		t.Error("a directory was replaced")
	}
	if left, err := os.ReadDir(top); err != nil || len(left) != 1 {
		t.Errorf("there is %v, %v", left, err)
	}
}

// An error of a write names the file, and not the temporary one.
func TestAFailedWriteNamesTheFile(t *testing.T) {
	dir, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	err = swap(dir, "draft", 0o600, false, func(file *os.File) error {
		_ = file.Close()
		_, err := file.WriteString("x")
		return err
	})
	if path := filepath.Join(dir.Name(), "draft"); err == nil || !strings.Contains(err.Error(), path+": ") {
		t.Errorf("got %v, want %s in it", err, path)
	}
}
