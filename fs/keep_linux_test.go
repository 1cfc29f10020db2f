package fs

import (
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

func TestAttributesAreKept(t *testing.T) {
	f, dir := newFS(t)
	path := put(t, filepath.Join(dir, "file"), "old")
	if err := unix.Setxattr(path, "user.parley.test", []byte("kept"), 0); err != nil {
		t.Skip("no extended attributes here:", err)
	}
	// An access control list: owner rw, user 4321 r, group -, mask r, others -.
	acl := binary.LittleEndian.AppendUint32(nil, 2)
	for _, e := range []struct {
		tag, perm uint16
		id        uint32
	}{{1, 6, ^uint32(0)}, {2, 4, 4321}, {4, 0, ^uint32(0)}, {16, 4, ^uint32(0)}, {32, 0, ^uint32(0)}} {
		acl = binary.LittleEndian.AppendUint16(acl, e.tag)
		acl = binary.LittleEndian.AppendUint16(acl, e.perm)
		acl = binary.LittleEndian.AppendUint32(acl, e.id)
	}
	want := map[string]string{"user.parley.test": "kept"}
	if unix.Setxattr(path, "system.posix_acl_access", acl, 0) == nil {
		want["system.posix_acl_access"] = string(acl)
	}
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteTextFile(t.Context(), path, "new"); err != nil {
		t.Fatal(err)
	}
	for name, value := range want {
		got := make([]byte, 1000)
		if n, err := unix.Getxattr(path, name, got); err != nil || string(got[:n]) != value {
			t.Errorf("%s is %q, %v", name, got[:max(n, 0)], err)
		}
	}
	if after, err := os.Stat(path); err != nil || after.Mode() != before.Mode() || content(t, path) != "new" {
		t.Errorf("the mode was %v and is %v, %v", before.Mode(), after.Mode(), err)
	}
}

// Of a file with several names, the one that is written gets the new content. The
// place says how many there are.
func TestHardLinks(t *testing.T) {
	f, dir := newFS(t)
	path, other := put(t, filepath.Join(dir, "file"), "old"), filepath.Join(dir, "other")
	if err := os.Link(path, other); err != nil {
		t.Skip("no hard links here:", err)
	}
	p, err := f.Find(path)
	if err != nil || p.Links != 2 {
		t.Fatalf("%d names, %v", p.Links, err)
	}
	if _, err := f.Write(t.Context(), p, "new", nil); err != nil {
		t.Fatal(err)
	}
	if content(t, path) != "new" || content(t, other) != "old" {
		t.Errorf("the names hold %q and %q", content(t, path), content(t, other))
	}
	if p, err := f.Find(path); err != nil || p.Links != 1 {
		t.Errorf("%d names, %v", p.Links, err)
	}
	if p, err := f.Find(filepath.Join(dir, "missing")); err != nil || p.Links != 0 || !errors.Is(p.File(), ErrNotExist) {
		t.Errorf("a missing file: %d names, %v", p.Links, err)
	}
}
