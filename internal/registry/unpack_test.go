package registry

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// part is something in an archive.
type part struct {
	name, content string
	kind          byte // as in tar
	mode          int64
}

func file(name, content string) part { return part{name, content, tar.TypeReg, 0o644} }
func program(name string) part       { return part{name, "#!/bin/sh\n", tar.TypeReg, 0o755} }
func symlink(name, to string) part   { return part{name, to, tar.TypeSymlink, 0o777} }
func hardlink(name, to string) part  { return part{name, to, tar.TypeLink, 0o644} }

func tarGz(t *testing.T, parts ...part) []byte {
	t.Helper()
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	w := tar.NewWriter(z)
	for _, p := range parts {
		h := &tar.Header{Name: p.name, Typeflag: p.kind, Mode: p.mode}
		if p.kind == tar.TypeReg {
			h.Size = int64(len(p.content))
		} else {
			h.Linkname = p.content
		}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if p.kind == tar.TypeReg {
			if _, err := w.Write([]byte(p.content)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := errors.Join(w.Close(), z.Close()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func zipped(t *testing.T, parts ...part) []byte {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, p := range parts {
		h := &zip.FileHeader{Name: p.name, Method: zip.Deflate}
		mode := fs.FileMode(p.mode)
		switch p.kind {
		case tar.TypeSymlink:
			mode |= fs.ModeSymlink
		case tar.TypeFifo:
			mode |= fs.ModeNamedPipe
		}
		h.SetMode(mode)
		f, err := w.CreateHeader(h)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte(p.content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// unpacked unpacks an archive into a directory within another one, which it returns.
func unpacked(t *testing.T, name string, archive []byte, b bounds) (dir string, err error) {
	t.Helper()
	outer := t.TempDir()
	dir = filepath.Join(outer, "a", "files")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(filepath.Join(t.TempDir(), "archive"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Write(archive); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Seek(0, 0); err != nil {
		t.Fatal(err)
	}
	err = unpack(f, name, dir, "program", b)
	// Whatever was in it, nothing is beside the directory.
	for path, want := range map[string]int{outer: 1, filepath.Join(outer, "a"): 1} {
		if got, err := os.ReadDir(path); err != nil || len(got) != want {
			t.Errorf("%s: %v, %v", path, got, err)
		}
	}
	return dir, err
}

func TestUnpack(t *testing.T) {
	t.Parallel()
	parts := []part{
		{"./", "", tar.TypeDir, 0o755},
		{"lib/", "", tar.TypeDir, 0o755},
		program("./bin/agent"), file("lib/a.txt", "text"),
		symlink("current", "lib/latest"), symlink("lib/latest", "../lib/a.txt"),
	}
	check := func(name string, archive []byte) {
		dir, err := unpacked(t, name, archive, defaultBounds)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			return
		}
		if data, err := os.ReadFile(filepath.Join(dir, "current")); err != nil || string(data) != "text" {
			t.Errorf("%s: %q, %v", name, data, err)
		}
		agent, err := os.Stat(filepath.Join(dir, "bin", "agent"))
		text, err2 := os.Stat(filepath.Join(dir, "lib", "a.txt"))
		if err != nil || err2 != nil || agent.Mode().Perm() != 0o700 || text.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v %v, %v %v", name, agent, text, err, err2)
		}
	}
	check("A.TAR.GZ", tarGz(t, append(parts, hardlink("lib/same", "lib/a.txt"))...))
	check("a.tgz", tarGz(t, parts...))
	check("a.zip", zipped(t, parts[2:]...))
	dir, err := unpacked(t, "agent-linux", []byte("program itself"), defaultBounds)
	if data, rerr := os.ReadFile(filepath.Join(dir, "program")); err != nil || rerr != nil || string(data) != "program itself" {
		t.Errorf("%q, %v, %v", data, err, rerr)
	}
}

// Archives that would write elsewhere, or would fill the disk, are refused.
func TestHostileArchives(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("d/", 3000) + "x"
	for name, c := range map[string]struct {
		parts []part
		want  error
	}{
		"a path that leads out":        {[]part{file("../evil", "x")}, errOutside},
		"one that does so later":       {[]part{file("a/../../evil", "x")}, errOutside},
		"an absolute path":             {[]part{file("/tmp/evil", "x")}, errOutside},
		"a path of Windows":            {[]part{file(`..\evil`, "x")}, errOutside},
		"a drive":                      {[]part{file("C:/evil", "x")}, errOutside},
		"a very deep path":             {[]part{file(deep, "x")}, errOutside},
		"a link that leads out":        {[]part{symlink("a", "../../evil")}, errOutside},
		"an absolute link":             {[]part{symlink("a", "/etc/passwd")}, errOutside},
		"a link that leads nowhere":    {[]part{symlink("a", "b")}, errOutside},
		"a link to itself":             {[]part{symlink("a", "a")}, errOutside},
		"a file through a link":        {[]part{symlink("a", ".."), file("a/evil", "x")}, nil},
		"links that lead out together": {[]part{file("d/e/f", ""), symlink("d/e/x", "../.."), symlink("d/e/x/l", "../../evil")}, nil},
		"a link in a file's place":     {[]part{file("a", "x"), symlink("a", "b")}, nil},
		"the same file twice":          {[]part{file("a", "x"), file("a", "y")}, nil},
		"a pipe":                       {[]part{{"a", "", tar.TypeFifo, 0o644}}, errSpecial},
	} {
		for kind, archive := range map[string][]byte{"a.tar.gz": tarGz(t, c.parts...), "a.zip": zipped(t, c.parts...)} {
			if _, err := unpacked(t, kind, archive, defaultBounds); err == nil || c.want != nil && !errors.Is(err, c.want) {
				t.Errorf("%s in %s: %v", name, kind, err)
			}
		}
	}
	for name, parts := range map[string][]part{
		"a device":                   {{"a", "", tar.TypeChar, 0o644}},
		"a hard link that leads out": {hardlink("a", "../../etc/passwd")},
		"an absolute hard link":      {hardlink("a", "/etc/passwd")},
		"a hard link to nothing":     {hardlink("a", "b")},
	} {
		if _, err := unpacked(t, "a.tar.gz", tarGz(t, parts...), defaultBounds); err == nil {
			t.Errorf("%s was unpacked", name)
		}
	}
	for name, data := range map[string][]byte{"a.zip": []byte("PK"), "a.tgz": []byte("no archive"), "a.tbz2": []byte("BZh9")} {
		if _, err := unpacked(t, name, data, defaultBounds); err == nil {
			t.Errorf("%s was unpacked", name)
		}
	}
}

func TestBombs(t *testing.T) {
	t.Parallel()
	zeros := file("a", strings.Repeat("\x00", 1<<20))
	many := make([]part, 50)
	for i := range many {
		many[i] = file("f"+strings.Repeat("x", i), "")
	}
	for name, c := range map[string]struct {
		parts  []part
		bounds bounds
	}{
		"too much comes of it":   {[]part{zeros}, bounds{entries: 10, bytes: 1 << 30, ratio: 10, small: 1 << 10}},
		"it is too large":        {[]part{zeros}, bounds{entries: 10, bytes: 1 << 19, ratio: 1 << 20, small: 1 << 10}},
		"many small files":       {many, bounds{entries: 40, bytes: 1 << 30, ratio: 1 << 20, small: 1 << 30}},
		"several files together": {[]part{zeros, {"b", zeros.content, tar.TypeReg, 0o600}}, bounds{entries: 10, bytes: 3 << 19, ratio: 1 << 20, small: 1 << 10}},
	} {
		for kind, archive := range map[string][]byte{"a.tar.gz": tarGz(t, c.parts...), "a.zip": zipped(t, c.parts...)} {
			if _, err := unpacked(t, kind, archive, c.bounds); !errors.Is(err, errTooLarge) {
				t.Errorf("%s, %s: %v", name, kind, err)
			}
		}
	}
}
