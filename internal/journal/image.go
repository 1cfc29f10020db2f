package journal

import (
	"crypto/sha256"
	"encoding/hex"
	iofs "io/fs"
	"unsafe"

	"parley/fs"
)

// Image is what a file held at one moment. Its content is in the store of the
// journal, by its hash.
type Image struct {
	// Absent says that there was no file; then nothing else is set.
	Absent bool `json:"absent,omitzero"`
	// Hash is the SHA-256 of the content in hexadecimal, "" if it is not known.
	Hash string `json:"hash,omitzero"`
	// Size of the content in bytes.
	Size int64 `json:"size,omitzero"`
	// Mode has the permission bits, 0 if they are not known.
	Mode iofs.FileMode `json:"mode,omitzero"`
	// Lost says that the content is not kept: it was not known, it was too large,
	// or there was no room for it.
	Lost bool `json:"lost,omitzero"`
}

// same reports whether two images are known to be of the same content and mode. A
// mode that is not known is like any other.
func (i Image) same(o Image) bool {
	if i.Absent || o.Absent {
		return i.Absent == o.Absent
	}
	modes := i.Mode == o.Mode || i.Mode == 0 || o.Mode == 0
	return i.Hash != "" && i.Hash == o.Hash && modes
}

// hashOf is the name of a content in the store.
func hashOf(content string) string {
	sum := sha256.Sum256(unsafe.Slice(unsafe.StringData(content), len(content)))
	return hex.EncodeToString(sum[:])
}

// imageOf describes what a file holds; nil is no file. Nothing is stored.
func imageOf(h *fs.Held) Image {
	if h == nil {
		return Image{Absent: true}
	}
	return Image{Hash: hashOf(h.Content), Size: int64(len(h.Content)), Mode: h.Mode}
}
