package fs

import (
	"hash/maphash"
	iofs "io/fs"
	"os"
)

// Version identifies the contents of a file at one moment, so that a later change can
// be detected. It is a few hundred bytes, however large the file is. The zero Version
// means that there is no file.
type Version struct {
	there bool
	info  iofs.FileInfo // nil if unavailable
	whole bool          // hash covers the whole text
	hash  uint64
}

// seed is shared by the whole program, so that versions are comparable.
var seed = maphash.MakeSeed()

// versionOf returns the version of a file that contains text.
func versionOf(info iofs.FileInfo, text string) Version {
	return Version{there: true, info: info, whole: true, hash: maphash.String(seed, text)}
}

// Same reports whether the file has the same contents in both versions: by hash if both
// cover all of it, else by identity, size and modification time.
func (v Version) Same(then Version) bool {
	switch {
	case !v.there || !then.there:
		return v.there == then.there
	case v.whole && then.whole:
		return v.hash == then.hash
	}
	return v.sameFile(then)
}

func (v Version) sameFile(then Version) bool {
	return v.info != nil && then.info != nil && os.SameFile(v.info, then.info) &&
		v.info.Size() == then.info.Size() && v.info.ModTime().Equal(then.info.ModTime())
}

// Since returns before if it covers the whole file and the file has not been touched
// since, else v.
func (v Version) Since(before Version) Version {
	if !v.whole && before.whole && v.sameFile(before) {
		return before
	}
	return v
}
