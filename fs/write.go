package fs

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	iofs "io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Change describes one write, for review and undo.
type Change struct {
	// Path is the path as requested.
	Path string
	// Before is the previous content, nil if there was no file. It may be something
	// other than text.
	Before *string
	// After is the text that the file contains now.
	After string
	// Encoding is how the file stores the text. A write keeps it.
	Encoding Encoding
	// Version is the version of the file after the write.
	Version Version
}

// ErrChanged means that a file does not have the expected contents.
var ErrChanged = errors.New("the file has changed")

// Current is the content of a file that may be written.
type Current struct {
	// Text is the content, nil if there is no file. It may be something other than
	// text.
	Text *string
	// Encoding is how the file stores it.
	Encoding Encoding
	Version  Version
}

// Current returns the content that Write would replace at a place, or the error that
// Write would return.
func (f *FS) Current(ctx context.Context, p ResolvedPath) (_ Current, err error) {
	defer func() { err = fail("write", p.Path, err) }()
	if namesDirectory(p.Path) {
		return Current{}, regular(iofs.ModeDir)
	}
	dir, name, err := f.enter(p, false)
	if errors.Is(err, ErrNotExist) {
		return Current{}, nil // its directory may be missing too
	}
	if err != nil {
		return Current{}, err
	}
	defer dir.Close()
	old, err := f.open(ctx, dir, name)
	if err != nil {
		return Current{}, err
	}
	old.close()
	return old.Current, nil
}

// Write replaces the whole text of the file at a place with content (ACP
// fs/write_text_file) and returns what changed. It creates missing directories. A
// UTF-16 file stays UTF-16; any other file gets exactly the bytes of content.
//
// With expected, Write writes only if the file still has that version, and otherwise
// returns ErrChanged. An error of the Record comes back as it is.
//
// Write is atomic: even after a crash the file has either the old or the new content.
// An existing file keeps its mode bits, and its owner and extended attributes where the
// system allows it; a file without write permission stays as it is. Write follows a
// symbolic link and keeps it. Other hard links of the file keep the old content,
// because writing in place would not be atomic.
//
// Cancelling ctx stops the write until the new content is put in place.
func (f *FS) Write(ctx context.Context, p ResolvedPath, content string, expected *Version) (_ Change, err error) {
	defer func() { err = fail("write", p.Path, err) }()
	if namesDirectory(p.Path) {
		return Change{}, regular(iofs.ModeDir)
	}
	if err := f.acquire(ctx); err != nil {
		return Change{}, err
	}
	defer func() { <-f.writing }()
	// From here on, dir is open and name has one component: changes to the path above
	// make no difference.
	dir, name, err := f.enter(p, true)
	if err != nil {
		return Change{}, err
	}
	defer dir.Close()
	old, err := f.open(ctx, dir, name)
	if err != nil {
		return Change{}, err
	}
	defer old.close()
	if expected != nil && !old.Version.Same(*expected) {
		return Change{}, ErrChanged
	}
	if old.Encoding != UTF8 {
		content = strings.TrimPrefix(content, string(byteOrderMark)) // encode adds one
	}
	c := Change{Path: p.Path, Before: old.Text, After: content, Encoding: old.Encoding}
	done, err := f.announce(p, old, c.After)
	if err != nil {
		return Change{}, err
	}
	err = replace(ctx, dir, name, c.After, old)
	done(err)
	if err != nil {
		return Change{}, err
	}
	info, _ := dir.Lstat(name) // without it, the content still tells
	c.Version = versionOf(info, c.After)
	return c, nil
}

// namesDirectory reports whether the path ends in a separator.
func namesDirectory(path string) bool { return os.IsPathSeparator(path[len(path)-1]) }

// checkDepth refuses paths with very many new directories: programs that walk or remove
// them would fail.
func checkDepth(top *os.Root, parent string) error {
	missing := 0
	for dir := parent; dir != "."; dir = filepath.Dir(dir) {
		if _, err := top.Lstat(dir); !errors.Is(err, ErrNotExist) {
			return nil // creating the next directory reports the error
		}
		if missing++; missing > maxNewDirs {
			return fmt.Errorf("%w: more than %d directories to create", ErrTooDeep, maxNewDirs)
		}
	}
	return nil
}

// existing is the file that a write replaces; its file is nil if there is none.
type existing struct {
	Current
	file *os.File // open
	info iofs.FileInfo
	raw  string // the content, byte for byte
}

func (e *existing) close() {
	if e.file != nil {
		_ = e.file.Close()
	}
}

// open opens and reads the existing file. It opens the file for writing, so that a
// read-only file is not replaced.
func (f *FS) open(ctx context.Context, dir *os.Root, name string) (*existing, error) {
	file, info, err := openRegular(dir, name, os.O_RDWR)
	if errors.Is(err, ErrNotExist) {
		return &existing{}, nil
	}
	if err != nil {
		return nil, err
	}
	e := &existing{file: file, info: info}
	var raw string
	if info.Size() > f.maxBytes {
		err = f.tooLarge("its contents could not be kept for undo")
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
		text = raw // not text: replaced by UTF-8
	}
	e.raw, e.Text, e.Version = raw, &text, versionOf(info, text)
	return e, nil
}

// replace puts a new file in the place of name and syncs it, with the encoding,
// attributes, mode and owner of the old one, if any.
func replace(ctx context.Context, dir *os.Root, name, content string, old *existing) error {
	mode, write := replacing(ctx, content, old)
	return swap(dir, name, mode, true, write)
}

// replacing returns the mode with which a file that replaces the old one is created, and what
// writes it.
func replacing(ctx context.Context, content string, old *existing) (mode iofs.FileMode, write func(*os.File) error) {
	mode = 0o644 // less the umask
	if old.file != nil {
		mode = 0o600 // until the owner is right
	}
	return mode, func(file *os.File) (err error) {
		if old.Encoding == UTF8 {
			_, err = file.WriteString(content)
		} else {
			_, err = file.Write(old.Encoding.encode(content))
		}
		if err == nil && old.file != nil {
			mode := old.info.Mode() & (iofs.ModePerm | iofs.ModeSetuid | iofs.ModeSetgid | iofs.ModeSticky)
			if !keepOwner(file, old.info) {
				mode &^= iofs.ModeSetuid | iofs.ModeSetgid // they would apply to another user
			}
			keepAttributes(old.file, file)
			// After the owner and the access control list, because setting those changes
			// the mode.
			err = file.Chmod(mode)
		}
		return cmp.Or(err, ctx.Err())
	}
}

// Replace puts a file with a content and a mode in the place of name, as a whole, and syncs
// it. Of two concurrent writes the later one wins.
func Replace(dir *os.Root, name string, content []byte, mode iofs.FileMode) error {
	return swap(dir, name, mode, true, writing(content, mode))
}

// ReplaceUnsynced is Replace without waiting for the disk: the file outlives a kill of the
// program, but perhaps not a power failure.
func ReplaceUnsynced(dir *os.Root, name string, content []byte, mode iofs.FileMode) error {
	return ReplaceBy(dir, name, mode, writing(content, mode))
}

// ReplaceBy is ReplaceUnsynced for what a function writes. If that fails, name stays as it is.
func ReplaceBy(dir *os.Root, name string, mode iofs.FileMode, write func(*os.File) error) error {
	return swap(dir, name, mode, false, write)
}

func writing(content []byte, mode iofs.FileMode) func(*os.File) error {
	return func(file *os.File) error {
		_, err := file.Write(content)
		return cmp.Or(err, file.Chmod(mode))
	}
}

// swap writes a temporary file and renames it to name. The temporary file is in the same
// directory, created through the same os.Root; libraries for atomic writes work by path.
func swap(dir *os.Root, name string, mode iofs.FileMode, sync bool, write func(*os.File) error) error {
	t, err := writeTemp(dir, name, mode, sync, write)
	if err != nil {
		return err
	}
	return t.place(dir, name, sync)
}

// temporary is a temporary file that is written, in a directory; its name is "" if it has none yet.
type temporary struct {
	file *os.File
	name string
}

// writeTemp writes a temporary file that is to be renamed to name.
func writeTemp(dir *os.Root, name string, mode iofs.FileMode, sync bool, write func(*os.File) error) (*temporary, error) {
	file, temp, err := createTemp(dir, mode)
	if err != nil {
		return nil, err
	}
	t := &temporary{file, temp}
	err = write(file)
	if err == nil && sync {
		err = file.Sync()
	}
	if err == nil {
		return t, nil
	}
	t.drop(dir)
	if failed, ok := errors.AsType[*iofs.PathError](err); ok && failed.Path == file.Name() {
		err = &iofs.PathError{Op: failed.Op, Path: filepath.Join(dir.Name(), name), Err: failed.Err} // a caller does not know the temporary file
	}
	return nil, err
}

// place renames the temporary file to name.
func (t *temporary) place(dir *os.Root, name string, sync bool) (err error) {
	if t.name == "" {
		t.name, err = nameTemp(dir, t.file)
	}
	if err == nil {
		err = renameTemp(dir, t.file, t.name, name)
	}
	if err != nil {
		t.drop(dir)
	} else if sync {
		syncDir(dir)
	}
	return err
}

// drop removes the temporary file.
func (t *temporary) drop(dir *os.Root) {
	_ = t.file.Close()
	if t.name != "" {
		_ = dir.Remove(t.name) // else the next write does
	}
}

// tempName is the name of the temporary file. If a write is killed, the next one in
// that directory removes the leftover.
const tempName = ".parley-write.tmp"

// createTemp creates the temporary file: without a name if the system can do that, so
// that a killed write leaves nothing behind; else as tempName unless another process is
// writing in this directory.
func createTemp(dir *os.Root, mode iofs.FileMode) (file *os.File, name string, err error) {
	const create = os.O_WRONLY | os.O_CREATE | os.O_EXCL
	if file, err := openUnnamed(dir, mode); err == nil {
		return file, "", nil
	}
	removeLeftover(dir)
	if file, err := dir.OpenFile(tempName, create, mode); err == nil {
		if tryLock(file) && isFile(dir, tempName, file) {
			return file, tempName, nil
		}
		_ = file.Close() // another process took it for a leftover and removes it
	}
	name = randomName()
	file, err = dir.OpenFile(name, create, mode)
	return file, name, err
}

// nameTemp names a temporary file without a name, just before it is renamed: no system
// call puts it in the place of another file.
func nameTemp(dir *os.Root, file *os.File) (name string, err error) {
	removeLeftover(dir)
	if tryLock(file) && nameFile(dir, file, tempName) == nil {
		return tempName, nil
	}
	name = randomName()
	if err := nameFile(dir, file, name); err != nil {
		return "", err
	}
	return name, nil
}

// randomName is the name of a temporary file while another process uses tempName.
func randomName() string { return ".parley-" + rand.Text()[:12] + ".tmp" }

// removeLeftover removes a temporary file that no process holds.
func removeLeftover(dir *os.Root) {
	file, _, err := openRegular(dir, tempName, os.O_RDWR)
	if err != nil {
		return
	}
	defer file.Close()
	if tryLock(file) && isFile(dir, tempName, file) {
		_ = dir.Remove(tempName) // on failure, another name is used
	}
}

func isFile(dir *os.Root, name string, file *os.File) bool {
	now, err := dir.Lstat(name)
	if err != nil {
		return false
	}
	opened, err := file.Stat()
	return err == nil && os.SameFile(now, opened)
}
