package journal

import (
	"crypto/sha256"
	"encoding/hex"
	iofs "io/fs"
	"unsafe"

	"parley/fs"
)

// Image is what a file contained at one moment. The store holds the content by its
// hash.
type Image struct {
	// Absent means that there was no file; then nothing else is set.
	Absent bool `json:"absent,omitzero"`
	// Hash is the SHA-256 of the content in hexadecimal, "" if unknown.
	Hash string `json:"hash,omitzero"`
	// Size is the size of the content in bytes.
	Size int64 `json:"size,omitzero"`
	// Mode holds the permission bits, 0 if unknown.
	Mode iofs.FileMode `json:"mode,omitzero"`
	// Lost means that the content is not stored: it was unknown, too large, or the
	// store was full.
	Lost bool `json:"lost,omitzero"`
}

// same reports whether two images are known to have the same content and mode. An
// unknown mode equals any other.
func (i Image) same(o Image) bool {
	if i.Absent || o.Absent {
		return i.Absent == o.Absent
	}
	modes := i.Mode == o.Mode || i.Mode == 0 || o.Mode == 0
	return i.Hash != "" && i.Hash == o.Hash && modes
}

// hashOf returns the name of a content in the store.
func hashOf(content string) string {
	sum := sha256.Sum256(unsafe.Slice(unsafe.StringData(content), len(content)))
	return hex.EncodeToString(sum[:])
}

// imageOf describes the contents of a file, nil for no file. It stores nothing.
func imageOf(h *fs.Snapshot) Image {
	if h == nil {
		return Image{Absent: true}
	}
	return Image{Hash: hashOf(h.Content), Size: int64(len(h.Content)), Mode: h.Mode}
}
