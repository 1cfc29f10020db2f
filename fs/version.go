package fs

import (
	"hash/maphash"
	iofs "io/fs"
	"os"
)

// Version says what a file held at one moment, so that it can be told whether it holds
// something else at another. It takes a few hundred bytes, however large the file is.
// The zero Version is that of no file.
type Version struct {
	there bool
	info  iofs.FileInfo // nil if it could not be had
	whole bool          // hash is that of the whole text
	hash  uint64
}

// seed is one for the whole program, so that versions can be compared.
var seed = maphash.MakeSeed()

// versionOf is the version of a file that holds text.
func versionOf(info iofs.FileInfo, text string) Version {
	return Version{there: true, info: info, whole: true, hash: maphash.String(seed, text)}
}

// Same reports whether the file holds the same as then: by what it holds, if all of it
// was looked at both times, else by its identity, size and time of change.
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

// Since is v, or the version before it if that tells more: all of the file was looked
// at then, and since then the file has not been touched.
func (v Version) Since(before Version) Version {
	if !v.whole && before.whole && v.sameFile(before) {
		return before
	}
	return v
}
