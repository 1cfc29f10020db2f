package fs

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	iofs "io/fs"
	"os"
	"path/filepath"
)

// Change is what one write did, for review and undo.
type Change struct {
	// Path is the path as it was asked for.
	Path string
	// Before is what the file held; nil if there was none. It is text, unless the
	// file held none.
	Before *string
	// After is the text that it holds now.
	After string
	// Encoding is how the file stores the text: as before.
	Encoding Encoding
	// Version is that of the file now.
	Version Version
}

// ErrChanged says that a file does not hold what it was expected to hold.
var ErrChanged = errors.New("the file has changed")

// Current is what a file that may be written holds.
type Current struct {
	// Text is what it holds, nil if there is no file. It is text, unless the file holds
	// none.
	Text *string
	// Encoding is how the file stores it.
	Encoding Encoding
	Version  Version
}

// Current returns what the file at a place holds, which Write would replace. It gives
// the error that Write would give for a file that cannot be written.
func (f *FS) Current(ctx context.Context, p Place) (Current, error) {
	c, err := f.currentAt(ctx, p)
	if err != nil {
		return Current{}, fail("write", p.Path, err)
	}
	return c, nil
}

func (f *FS) currentAt(ctx context.Context, p Place) (Current, error) {
	if namesDirectory(p.Path) {
		return Current{}, regular(iofs.ModeDir)
	}
	dir, name, err := f.enter(p, false)
	if errors.Is(err, ErrNotExist) {
		return Current{}, nil // also the directory is missing
	}
	if err != nil {
		return Current{}, err
	}
	defer dir.Close() // nothing was written to it
	old, err := f.open(ctx, dir, name)
	if err != nil {
		return Current{}, err
	}
	old.close()
	return old.Current, nil
}

// Write makes content the whole text of the file at a place (ACP fs/write_text_file),
// and says what changed. Directories that are missing are created. A file in UTF-16
// stays in UTF-16; any other gets every byte of the content as it is.
//
// With expected, the file is written only if it holds that: else nothing is changed,
// and the error is ErrChanged.
//
// The write is atomic: the file holds the old or the new content and never
// part of it, also after a crash. An existing file keeps its mode bits, and its
// owner and its extended attributes where the system allows that; a file that may not
// be written is left alone. A symbolic link stays, and the file that it leads to is
// written. If the file has other names (hard links), those keep the old content:
// writing in place would reach them, and would not be atomic.
//
// The context may end the write until the new content is put in place.
func (f *FS) Write(ctx context.Context, p Place, content string, expected *Version) (Change, error) {
	change, err := f.write(ctx, p, content, expected)
	if err != nil {
		return Change{}, fail("write", p.Path, err)
	}
	return change, nil
}

func (f *FS) write(ctx context.Context, p Place, content string, expected *Version) (Change, error) {
	if namesDirectory(p.Path) {
		return Change{}, regular(iofs.ModeDir)
	}
	if err := f.acquire(ctx); err != nil {
		return Change{}, err
	}
	defer func() { <-f.writing }()
	// From here on the directory is held open and the name has one component: what
	// happens to the path above makes no difference any more.
	dir, name, err := f.enter(p, true)
	if err != nil {
		return Change{}, err
	}
	defer dir.Close() // nothing was written to it: its error says nothing
	old, err := f.open(ctx, dir, name)
	if err != nil {
		return Change{}, err
	}
	defer old.close()
	if expected != nil && !old.Version.Same(*expected) {
		return Change{}, ErrChanged
	}
	c := Change{Path: p.Path, Before: old.Text, After: old.Encoding.withoutMark(content), Encoding: old.Encoding}
	done := f.announce(p, old, c.After)
	err = replace(ctx, dir, name, c.After, old)
	done(err)
	if err != nil {
		return Change{}, err
	}
	info, _ := dir.Lstat(name) // without it, the content still tells
	c.Version = versionOf(info, c.After)
	return c, nil
}

// namesDirectory reports a path that is spelled as a directory's.
func namesDirectory(path string) bool { return os.IsPathSeparator(path[len(path)-1]) }

// checkDepth refuses to make a path of very many directories: programs that walk
// along it, also those that remove it, would fail.
func checkDepth(top *os.Root, parent string) error {
	missing := 0
	for dir := parent; dir != "."; dir = filepath.Dir(dir) {
		if _, err := top.Lstat(dir); !errors.Is(err, ErrNotExist) {
			return nil // whatever is wrong with it, making the next one tells
		}
		if missing++; missing > maxNewDirs {
			return fmt.Errorf("%w: more than %d directories would have to be made", ErrTooDeep, maxNewDirs)
		}
	}
	return nil
}

// existing is a file that is about to be replaced. There may be none: then file is
// nil.
type existing struct {
	Current
	file *os.File // open
	info iofs.FileInfo
	raw  string // what it holds, byte for byte
}

// held is what the file holds; nil if there is none.
func (e *existing) held() *Held {
	if e.file == nil {
		return nil
	}
	return &Held{Content: e.raw, Mode: e.info.Mode().Perm()}
}

func (e *existing) close() {
	if e.file != nil {
		_ = e.file.Close() // it was only read
	}
}

// open opens the file that is there and reads it. It opens the file for writing, so
// that a file which may not be written is not replaced either.
func (f *FS) open(ctx context.Context, dir *os.Root, name string) (*existing, error) {
	file, info, err := openRegular(dir, name, os.O_RDWR)
	if errors.Is(err, ErrNotExist) {
		return &existing{}, nil
	}
	if err != nil {
		return nil, err
	}
	e := &existing{file: file, info: info}
	var raw []byte
	if info.Size() > f.maxBytes {
		err = f.tooLarge("what is there could not be kept for undo")
	} else {
		raw, err = f.readAll(ctx, file, info.Size())
	}
	if err != nil {
		e.close()
		return nil, err
	}
	text, err := encodingOf(raw).decode(raw)
	if err == nil {
		e.Encoding = encodingOf(raw)
	} else {
		text = raw // no text at all: it is replaced by text in UTF-8
	}
	e.raw = asString(raw)
	before := asString(text)
	e.Text, e.Version = &before, versionOf(info, before)
	return e, nil
}

// replace puts a new file in the place of name, with the encoding, attributes, mode
// and owner of the old one, if there is one. The temporary file is beside it, made through the same
// os.Root (which is why this is not left to a library that works by path).
func replace(ctx context.Context, dir *os.Root, name, content string, old *existing) (err error) {
	mode := iofs.FileMode(0o644) // less the umask
	if old.file != nil {
		mode = 0o600 // until the owner is right
	}
	file, temp, err := createTemp(dir, mode)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, dir.Remove(temp))
		}
	}()
	if err := fill(file, content, old); err != nil {
		return errors.Join(err, file.Close())
	}
	if err := ctx.Err(); err != nil {
		return errors.Join(err, file.Close())
	}
	if err := place(dir, file, temp, name); err != nil {
		return err
	}
	syncDir(dir)
	return nil
}

// tempName is the name of the file that is written before it takes its place. If a
// write was killed, the next one in that directory removes what it has left behind.
const tempName = ".parley-write.tmp"

// createTemp makes the temporary file of a write. Its name is tempName, unless
// another process writes in this directory at this moment.
func createTemp(dir *os.Root, mode iofs.FileMode) (file *os.File, name string, err error) {
	const create = os.O_WRONLY | os.O_CREATE | os.O_EXCL
	removeLeftover(dir)
	if file, err := dir.OpenFile(tempName, create, mode); err == nil {
		if claim(file) && isFile(dir, tempName, file) {
			return file, tempName, nil
		}
		_ = file.Close() // another process took it for a leftover, and removes it
	}
	name = ".parley-" + rand.Text()[:12] + ".tmp"
	file, err = dir.OpenFile(name, create, mode)
	return file, name, err
}

// removeLeftover removes a temporary file that no process holds any more.
func removeLeftover(dir *os.Root) {
	file, _, err := openRegular(dir, tempName, os.O_RDWR)
	if err != nil {
		return
	}
	defer file.Close() // nothing was written to it
	if claim(file) && isFile(dir, tempName, file) {
		_ = dir.Remove(tempName) // if it stays, another name is taken
	}
}

// isFile reports whether name is the open file.
func isFile(dir *os.Root, name string, file *os.File) bool {
	there, err := dir.Lstat(name)
	if err != nil {
		return false
	}
	open, err := file.Stat()
	return err == nil && os.SameFile(there, open)
}

// fill writes content to the new file, gives it the attributes, mode and owner of the
// file that it replaces, and waits until the disk has it.
func fill(file *os.File, content string, old *existing) (err error) {
	if old.Encoding == UTF8 {
		_, err = file.WriteString(content)
	} else {
		_, err = file.Write(old.Encoding.encode(content))
	}
	if err != nil {
		return err
	}
	if old.file != nil {
		mode := old.info.Mode() & (iofs.ModePerm | iofs.ModeSetuid | iofs.ModeSetgid | iofs.ModeSticky)
		if !keepOwner(file, old.info) {
			mode &^= iofs.ModeSetuid | iofs.ModeSetgid // they would mean another user
		}
		keepAttributes(old.file, file)
		// After the owner and the access control list: setting those changes it.
		if err := file.Chmod(mode); err != nil {
			return err
		}
	}
	return file.Sync()
}
