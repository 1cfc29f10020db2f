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
	// Before is what the file held; nil if there was none.
	Before *string
	// After is what it holds now.
	After string
}

// WriteTextFile makes content the whole content of the file at the absolute
// path, every byte as it is (ACP fs/write_text_file), and says what changed.
// Directories that are missing are created.
//
// The write is atomic: the file holds the old or the new content and never
// part of it, also after a crash. An existing file keeps its mode bits, and its
// owner where the system allows that; a file that may not be written is left
// alone. A symbolic link stays, and the file that it leads to is written. Other
// hard links keep the old content; extended attributes are not carried over.
//
// The context may end the write until the new content is put in place.
func (f *FS) WriteTextFile(ctx context.Context, path, content string) (Change, error) {
	before, err := f.write(ctx, path, content)
	if err != nil {
		return Change{}, fail("write", path, err)
	}
	return Change{Path: path, Before: before, After: content}, nil
}

func (f *FS) write(ctx context.Context, path, content string) (before *string, err error) {
	if filepath.IsAbs(path) && os.IsPathSeparator(path[len(path)-1]) {
		return nil, regular(iofs.ModeDir)
	}
	if err := f.acquire(ctx); err != nil {
		return nil, err
	}
	defer func() { <-f.writing }()
	top, name, err := f.locate(path)
	if err != nil {
		return nil, err
	}
	if name == "." {
		return nil, regular(iofs.ModeDir)
	}
	return f.writeIn(ctx, top, name, content)
}

// writeIn writes the file that locate found.
func (f *FS) writeIn(ctx context.Context, top *os.Root, name, content string) (before *string, err error) {
	full := filepath.Join(top.Name(), name)
	parent, name := filepath.Split(name)
	parent = filepath.Clean(parent)
	if err := checkDepth(top, parent); err != nil {
		return nil, err
	}
	if err := top.MkdirAll(parent, 0o755); errors.Is(err, iofs.ErrExist) {
		return nil, fmt.Errorf("%s, or what it is in, is not a directory", parent)
	} else if err != nil {
		return nil, err
	}
	// From here on the directory is held open and the names have one component:
	// what happens to the path above makes no difference any more.
	dir, err := top.OpenRoot(parent)
	if err != nil {
		return nil, err
	}
	defer dir.Close() // nothing was written to it: its error says nothing
	before, info, err := f.current(ctx, dir, name)
	if err != nil {
		return nil, err
	}
	done := f.announceText(full, before, info, content)
	err = replace(ctx, dir, name, content, info)
	done(err)
	return before, err
}

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

// current returns what the file holds and what it is; nil for both if it is not
// there. It opens the file for writing, so that a file which may not be written
// is not replaced either.
func (f *FS) current(ctx context.Context, dir *os.Root, name string) (*string, iofs.FileInfo, error) {
	file, info, err := openRegular(dir, name, os.O_RDWR)
	if errors.Is(err, ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	defer file.Close() // only read
	if info.Size() > f.maxBytes {
		return nil, nil, f.tooLarge("what is there could not be kept for undo")
	}
	text, err := f.readAll(ctx, file, info.Size())
	if err != nil {
		return nil, nil, err
	}
	before := asString(text)
	return &before, info, nil
}

// replace puts a new file in the place of name, with the mode and owner of info
// if that is not nil. The temporary file is beside it, made through the same
// os.Root (which is why this is not left to a library that works by path).
func replace(ctx context.Context, dir *os.Root, name, content string, info iofs.FileInfo) (err error) {
	mode := iofs.FileMode(0o644) // less the umask
	if info != nil {
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
	if err := fill(file, content, info); err != nil {
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

// fill writes content to the new file, gives it the mode and owner of the file
// it replaces, and waits until the disk has it.
func fill(file *os.File, content string, info iofs.FileInfo) error {
	if _, err := file.WriteString(content); err != nil {
		return err
	}
	if info != nil {
		mode := info.Mode() & (iofs.ModePerm | iofs.ModeSetuid | iofs.ModeSetgid | iofs.ModeSticky)
		if !keepOwner(file, info) {
			mode &^= iofs.ModeSetuid | iofs.ModeSetgid // they would mean another user
		}
		// After the owner: changing that clears bits.
		if err := file.Chmod(mode); err != nil {
			return err
		}
	}
	return file.Sync()
}
