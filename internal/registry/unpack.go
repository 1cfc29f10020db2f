package registry

import (
	"archive/tar"
	"archive/zip"
	"compress/bzip2"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
)

type bounds struct {
	entries int
	bytes   int64 // of all files together
	ratio   int64 // maximum compression ratio
	small   int64 // below this size the ratio does not apply
}

// defaultBounds are far above real agents: the largest of 2026 has an archive of 130
// MiB, and 20,000 files.
var defaultBounds = bounds{entries: 200_000, bytes: 4 << 30, ratio: 100, small: 64 << 20}

// Errors of archives.
var (
	// errOutside means that an archive has a path that leads out of it.
	errOutside = errors.New("the archive has a path that leads outside it")
	// errTooLarge means that an archive, or its contents, is too large.
	errTooLarge = errors.New("it is too large")
	// errSpecial means that an archive has an entry that is not a file, directory or
	// link.
	errSpecial = errors.New("the archive has an entry that is not a file, directory or link")
)

// maxLink limits the target of a symbolic link, in bytes.
const maxLink = 4096

// unpacking is an archive being unpacked into a directory. It creates everything
// through root, which no path and no link can leave.
type unpacking struct {
	root    *os.Root
	bounds  bounds
	size    int64 // of the archive
	entries int
	bytes   int64
	// links are created last, so that no file can be written through one.
	links []link
}

type link struct{ name, target string }

// unpack unpacks the archive into a directory. The suffix of name tells its format; a
// file that is not an archive is the program itself, and becomes the file cmd.
func unpack(archive *os.File, name, dir, cmd string, b bounds) error {
	info, err := archive.Stat()
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	u := &unpacking{root: root, bounds: b, size: info.Size()}
	switch name = strings.ToLower(name); {
	case strings.HasSuffix(name, ".zip"):
		err = u.zip(archive)
	case strings.HasSuffix(name, ".tar.gz"), strings.HasSuffix(name, ".tgz"):
		var z *gzip.Reader
		if z, err = gzip.NewReader(archive); err == nil {
			err = u.tar(z)
		}
	case strings.HasSuffix(name, ".tar.bz2"), strings.HasSuffix(name, ".tbz2"):
		err = u.tar(bzip2.NewReader(archive))
	default:
		err = u.file(cmd, 0o700, archive)
	}
	if err != nil {
		return err
	}
	return u.makeLinks()
}

// next counts one more entry of the archive, and returns its path; "." for the top
// itself.
func (u *unpacking) next(name string) (string, error) {
	if u.entries++; u.entries > u.bounds.entries {
		return "", fmt.Errorf("%w: it has more than %d files", errTooLarge, u.bounds.entries)
	}
	p := path.Clean(name)
	if !localPath(p) || strings.ContainsAny(p, `\:`) || len(p) > maxText {
		return "", fmt.Errorf("%w: %.200q", errOutside, name)
	}
	return p, nil
}

func (u *unpacking) zip(f *os.File) error {
	r, err := zip.NewReader(f, u.size)
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) { // paths are checked here
		return err
	}
	for _, entry := range r.File {
		if err := u.zipped(entry); err != nil {
			return err
		}
	}
	return nil
}

func (u *unpacking) zipped(entry *zip.File) error {
	name, err := u.next(entry.Name)
	if err != nil {
		return err
	}
	mode := entry.Mode()
	if mode.IsDir() {
		return u.root.MkdirAll(name, 0o700)
	}
	if !mode.IsRegular() && mode.Type() != fs.ModeSymlink {
		return fmt.Errorf("%w: %.200q", errSpecial, entry.Name)
	}
	content, err := entry.Open()
	if err != nil {
		return err
	}
	defer content.Close()
	if mode.IsRegular() {
		return u.file(name, mode, content)
	}
	target, err := io.ReadAll(io.LimitReader(content, maxLink+1))
	if err != nil {
		return err
	}
	return u.link(name, string(target))
}

func (u *unpacking) tar(r io.Reader) error {
	t := tar.NewReader(&expanded{u: u, r: r})
	for {
		h, err := t.Next()
		switch {
		case err == io.EOF:
			return nil
		case err != nil && !errors.Is(err, tar.ErrInsecurePath):
			return err
		}
		if err := u.tarred(h, t); err != nil {
			return err
		}
	}
}

func (u *unpacking) tarred(h *tar.Header, content io.Reader) error {
	name, err := u.next(h.Name)
	if err != nil {
		return err
	}
	switch h.Typeflag {
	case tar.TypeDir:
		return u.root.MkdirAll(name, 0o700)
	case tar.TypeReg:
		return u.file(name, h.FileInfo().Mode(), content)
	case tar.TypeSymlink:
		return u.link(name, h.Linkname)
	case tar.TypeLink:
		old := path.Clean(h.Linkname)
		if name == "." || !localPath(old) {
			return fmt.Errorf("%w: the link %.200q", errOutside, name)
		}
		if err := u.root.MkdirAll(path.Dir(name), 0o700); err != nil {
			return err
		}
		return u.root.Link(old, name)
	case tar.TypeXGlobalHeader:
		return nil // only concerns the archive
	}
	return fmt.Errorf("%w: %.200q", errSpecial, h.Name)
}

// expanded limits the decompressed size of an archive, including its file names.
type expanded struct {
	u *unpacking
	r io.Reader
	n int64
}

func (e *expanded) Read(p []byte) (int, error) {
	n, err := e.r.Read(p)
	if e.n += int64(n); e.n > e.u.most() {
		return n, e.u.tooLarge()
	}
	return n, err
}

// most returns the largest allowed decompressed size, in bytes.
func (u *unpacking) most() int64 {
	return min(u.bounds.bytes, max(u.bounds.small, u.size*u.bounds.ratio))
}

func (u *unpacking) tooLarge() error {
	return fmt.Errorf("%w: an archive of %d KiB unpacks to more than %d MiB", errTooLarge, u.size>>10, u.most()>>20)
}

func (u *unpacking) file(name string, mode fs.FileMode, content io.Reader) error {
	if err := u.root.MkdirAll(path.Dir(name), 0o700); err != nil {
		return err
	}
	f, err := u.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600|mode.Perm()&0o100)
	if err != nil {
		return err
	}
	n, err := io.Copy(f, io.LimitReader(content, u.most()-u.bytes+1))
	if u.bytes += n; err == nil && u.bytes > u.most() {
		err = u.tooLarge()
	}
	return errors.Join(err, f.Close())
}

// link keeps a symbolic link for [unpacking.makeLinks], which finds out where it leads.
func (u *unpacking) link(name, target string) error {
	if name == "." || target == "" || len(target) > maxLink || strings.ContainsAny(target, "\\:\x00") {
		return fmt.Errorf("%w: the link %.200q", errOutside, name)
	}
	u.links = append(u.links, link{name, target})
	return nil
}

// makeLinks creates the symbolic links, and then follows each of them: where one leads
// may depend on others. The root refuses absolute targets.
func (u *unpacking) makeLinks() error {
	for _, l := range u.links {
		if err := u.root.MkdirAll(path.Dir(l.name), 0o700); err != nil {
			return err
		}
		if err := u.root.Symlink(l.target, l.name); err != nil {
			return err
		}
	}
	for _, l := range u.links {
		if _, err := u.root.Stat(l.name); err != nil {
			return fmt.Errorf("%w: the link %.200q: %w", errOutside, l.name, err)
		}
	}
	return nil
}
