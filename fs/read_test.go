package fs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestReadTextFile(t *testing.T) {
	none := -1
	for _, c := range []struct {
		name, file  string
		line, limit int
		want        string
	}{
		{"whole file", "a\nb\n", none, none, "a\nb\n"},
		{"no final newline", "a\nb", none, none, "a\nb"},
		{"empty", "", none, none, ""},
		{"empty, with a range", "", 1, 10, ""},
		{"CRLF is kept", "a\r\nb\r\n", none, none, "a\r\nb\r\n"},
		{"CRLF is kept in a range", "a\r\nb\r\nc\r\n", 2, 1, "b\r\n"},
		{"a byte order mark is no text", "\ufeffa\n", none, none, "a\n"},
		{"a byte order mark is no text in a range", "\ufeffa\nb", 1, 1, "a\n"},
		{"from a line", "a\nb\nc", 2, none, "b\nc"},
		{"first lines", "a\nb\nc", none, 2, "a\nb\n"},
		{"some lines", "a\nb\nc\nd\n", 2, 2, "b\nc\n"},
		{"line 0 is line 1", "a\nb\n", 0, 1, "a\n"},
		{"limit past the end", "a\nb", 2, 100, "b"},
		{"limit 0", "a\nb", 1, 0, ""},
		{"line past the end", "a\nb\n", 3, 1, ""},
		{"empty lines count", "\n\nc\n", 3, 1, "c\n"},
		{"text around what was asked for may be anything", "a\nb\n\xff\xfe", 1, 2, "a\nb\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, dir := newFS(t)
			path := put(t, filepath.Join(dir, "file"), c.file)
			given := func(n int) *int {
				if n == none {
					return nil
				}
				return &n
			}
			got, err := f.ReadTextFile(t.Context(), path, given(c.line), given(c.limit))
			if err != nil || got != c.want {
				t.Errorf("read = %q, %v, want %q", got, err, c.want)
			}
		})
	}
}

func TestReadRefuses(t *testing.T) {
	f, dir := newFS(t)
	f.maxBytes = 10
	one, ten, negative := 1, 10, -1
	for _, c := range []struct {
		name, file  string
		line, limit *int
		want        error
		says        string
	}{
		{"NUL", "a\x00b", nil, nil, ErrNotText, "NUL"},
		{"NUL before the range", "a\x00\nb\n", &ten, nil, ErrNotText, "NUL"},
		{"Latin-1", "caf\xe9", nil, nil, ErrNotText, "UTF-8"},
		{"Latin-1 in a range", "caf\xe9", &one, &one, ErrNotText, "UTF-8"},
		{"too large", strings.Repeat("x", 11), nil, nil, ErrTooLarge, "10 bytes"},
		{"too large a range", strings.Repeat("x", 11), nil, &one, ErrTooLarge, "fewer lines"},
		{"negative line", "a", &negative, nil, nil, "negative"},
		{"negative limit", "a", nil, &negative, nil, "negative"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := put(t, filepath.Join(dir, "file"), c.file)
			got, err := f.ReadTextFile(t.Context(), path, c.line, c.limit)
			if err == nil || got != "" || c.want != nil && !errors.Is(err, c.want) {
				t.Fatalf("read = %q, %v, want %v", got, err, c.want)
			}
			if !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), path) {
				t.Errorf("%q does not say %q and the path", err, c.says)
			}
		})
	}
	t.Run("small enough a range of a large file", func(t *testing.T) {
		path := put(t, filepath.Join(dir, "file"), strings.Repeat("line\n", 100))
		if got, err := f.ReadTextFile(t.Context(), path, &ten, &one); err != nil || got != "line\n" {
			t.Errorf("read = %q, %v", got, err)
		}
	})
	t.Run("missing", func(t *testing.T) {
		for _, name := range []string{"missing", "no/such/dir"} {
			_, err := f.ReadTextFile(t.Context(), filepath.Join(dir, name), nil, nil)
			if !errors.Is(err, ErrNotExist) {
				t.Errorf("read %s = %v", name, err)
			}
		}
	})
	t.Run("cancelled", func(t *testing.T) {
		path := put(t, filepath.Join(dir, "file"), "text")
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := f.ReadTextFile(ctx, path, nil, nil); !errors.Is(err, context.Canceled) {
			t.Errorf("read = %v", err)
		}
	})
}

// TestReadLinesModel compares ranges of any text with ranges of its split lines.
func TestReadLinesModel(t *testing.T) {
	f, dir := newFS(t)
	path := filepath.Join(dir, "file")
	rapid.Check(t, func(t *rapid.T) {
		// Lines longer than the reader's buffer are part of it.
		piece := rapid.OneOf(rapid.SampledFrom([]string{"\n", "\r\n", "é", strings.Repeat("long", chunkBytes/3)}), rapid.StringN(0, 8, -1))
		text := strings.ReplaceAll(strings.Join(rapid.SliceOfN(piece, 0, 12).Draw(t, "text"), ""), "\x00", "")
		line, limit := rapid.IntRange(0, 12).Draw(t, "line"), rapid.IntRange(0, 12).Draw(t, "limit")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		lines := strings.SplitAfter(text, "\n")
		from := min(max(line, 1)-1, len(lines))
		want := strings.Join(lines[from:min(from+limit, len(lines))], "")
		got, err := f.ReadTextFile(context.Background(), path, &line, &limit)
		if err != nil || got != want {
			t.Fatalf("lines %d+%d of %q = %q, %v, want %q", line, limit, text, got, err, want)
		}
	})
}

// BenchmarkReadLines reads 40 lines near the start: the file's size must not
// matter.
func BenchmarkReadLines(b *testing.B) {
	for _, size := range []int{1 << 20, 10 << 20} {
		b.Run(fmt.Sprintf("%dMB", size>>20), func(b *testing.B) {
			f, dir := newFS(b)
			path := put(b, filepath.Join(dir, "file"), strings.Repeat("a line of an ordinary source file\n", size/34))
			line, limit := 100, 40
			b.ReportAllocs()
			for b.Loop() {
				if _, err := f.ReadTextFile(b.Context(), path, &line, &limit); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkReadWhole reads files whole.
func BenchmarkReadWhole(b *testing.B) {
	for _, size := range []int{1 << 20, 10 << 20} {
		b.Run(fmt.Sprintf("%dMB", size>>20), func(b *testing.B) {
			f, dir := newFS(b)
			path := put(b, filepath.Join(dir, "file"), strings.Repeat("a line of an ordinary source file\n", size/34))
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := f.ReadTextFile(b.Context(), path, nil, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
