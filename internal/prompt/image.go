package prompt

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"image"
	_ "image/gif" // the formats whose size in pixels is read
	_ "image/jpeg"
	_ "image/png"
	"io"
	"os"
	"path/filepath"
	"strings"

	_ "golang.org/x/image/webp"

	"parley/acpclient"
	"parley/fs"
	"parley/internal/termtext"
)

// ImageBytes bounds an image in a prompt, in bytes.
const ImageBytes = 10 << 20

// Image is an image in a prompt. It is immutable.
type Image struct {
	// Name is the name of its file, as it is mentioned; "" if it has none.
	Name string
	// Width and Height are in pixels, Size is in bytes.
	Width, Height, Size int

	mimeType string
	data     string // as base64
	uri      string
}

// imageFormats are those that agents accept, by their names in Go.
var imageFormats = map[string]string{"png": "image/png", "jpeg": "image/jpeg", "gif": "image/gif", "webp": "image/webp"}

// NewImage returns an image from the data of a file, whatever its name. It fails if
// that is not an image in an accepted format, or too large.
func NewImage(data []byte) (*Image, error) {
	img, err := imageOf(data, int64(len(data)))
	if err == nil {
		img.data = base64.StdEncoding.EncodeToString(data)
	}
	return img, err
}

// imageOf returns an image from the first bytes of its file, without its data.
func imageOf(head []byte, size int64) (*Image, error) {
	if size > ImageBytes {
		return nil, fmt.Errorf("the image has %s, and %d MB is the most", ByteSize(size), ImageBytes>>20)
	}
	cfg, format, err := image.DecodeConfig(bytes.NewReader(head))
	if errors.Is(err, image.ErrFormat) {
		return nil, errors.New("it is not a PNG, JPEG, GIF or WebP image")
	}
	if err != nil {
		return nil, fmt.Errorf("the image cannot be read: %w", err)
	}
	return &Image{Width: cfg.Width, Height: cfg.Height, Size: int(size), mimeType: imageFormats[format]}, nil
}

// IsImageName reports whether a file is an image by its name.
func IsImageName(name string) bool {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".png", ".jpg", ".jpeg", ".gif", ".webp":
		return true
	}
	return false
}

// image reads an image file of the project, or one that the user has named by an
// absolute path.
func (f *Files) image(shown, abs string) (*Image, error) {
	var data []byte
	var err error
	if shown == abs {
		data, err = fs.ReadHead(abs, ImageBytes+1)
	} else if file := f.open(shown, abs); file != nil {
		data, err = io.ReadAll(io.LimitReader(file, ImageBytes+1))
		_ = file.Close()
	} else {
		err = errors.New("it cannot be opened")
	}
	if err != nil {
		return nil, err
	}
	img, err := NewImage(data)
	if err == nil {
		img.uri = fileURI(abs)
	}
	return img, err
}

// imageHead is how much of a file, in bytes, contains the size of its image.
const imageHead = 1 << 20

// LookAtImage returns what the draft shows of an image file.
func LookAtImage(abs string, info os.FileInfo) (*Image, error) {
	head, err := fs.ReadHead(abs, imageHead)
	if err != nil {
		return nil, err
	}
	return imageOf(head, info.Size())
}

// ByteSize formats a size in a suitable unit.
func ByteSize(n int64) string {
	switch {
	case n < 1000:
		return termtext.Count(int(n), "byte")
	case n < 1_000_000:
		return fmt.Sprintf("%d KB", (n+500)/1000)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
}

// Block returns the image as content.
func (i *Image) Block() acpclient.ContentBlock {
	b := acpclient.ImageBlock(i.mimeType, i.data)
	b.URI = i.uri
	return b
}
