package composer

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
	data     []byte
	uri      string
}

// imageFormats are those that agents accept, by their names in Go.
var imageFormats = map[string]string{"png": "image/png", "jpeg": "image/jpeg", "gif": "image/gif", "webp": "image/webp"}

// NewImage returns an image from the data of a file, whatever its name. It fails if
// that is not an image in an accepted format, or too large.
func NewImage(data []byte) (*Image, error) {
	img, err := imageOf(data, int64(len(data)))
	if err == nil {
		img.data = data
	}
	return img, err
}

// imageOf returns an image from the first bytes of its file, without its data.
func imageOf(head []byte, size int64) (*Image, error) {
	if size > ImageBytes {
		return nil, fmt.Errorf("the image has %s, and %d MB is the most", byteSize(size), ImageBytes>>20)
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

// isImageName reports whether a file is an image by its name.
func isImageName(name string) bool {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".png", ".jpg", ".jpeg", ".gif", ".webp":
		return true
	}
	return false
}

// image reads an image file of the project, or one that the user has named by an
// absolute path.
func (f *files) image(shown, abs string) (*Image, error) {
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

// lookAtImage returns what the draft shows of an image file.
func lookAtImage(abs string, info os.FileInfo) (*Image, error) {
	head, err := fs.ReadHead(abs, imageHead)
	if err != nil {
		return nil, err
	}
	return imageOf(head, info.Size())
}

// label returns what the draft shows of the image.
func (i *Image) label() string {
	name := "image"
	if i.Name != "" {
		name += " " + filepath.Base(filepath.FromSlash(i.Name))
	}
	return fmt.Sprintf("[%s, %d×%d, %s]", oneLine(name), i.Width, i.Height, byteSize(int64(i.Size)))
}

// byteSize formats a size in a suitable unit.
func byteSize(n int64) string {
	switch {
	case n < 1000:
		return fmt.Sprintf("%d bytes", n)
	case n < 1_000_000:
		return fmt.Sprintf("%d KB", (n+500)/1000)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
}

func (i *Image) block() acpclient.ContentBlock {
	b := acpclient.ImageBlock(i.mimeType, base64.StdEncoding.EncodeToString(i.data))
	b.URI = i.uri
	return b
}

// AddImage inserts an image at the cursor, as a chip. It returns false if there are too
// many chips.
func (c *Composer) AddImage(img *Image) bool {
	defer c.settle()
	c.toDraft()
	mark := c.chips.image(img)
	if mark == "" {
		return false
	}
	c.buf.replace(c.buf.cur, c.buf.cur, mark+" ")
	c.completion = completion{}
	return true
}

// image stores an image, and returns the chip for it; "" if there are too many. The
// text of the prompt mentions the file, if there is one, so that the text restores the
// image.
func (c *chips) image(img *Image) (mark string) {
	if firstChip+rune(len(c.list)) > lastChip {
		return ""
	}
	label := img.label()
	text := label
	if img.Name != "" {
		text = writeMention(img.Name)
	}
	c.list = append(c.list, chip{label: label, width: termtext.Width(label), text: func() string { return text }, image: img})
	return string(firstChip + rune(len(c.list)-1))
}

// each calls do for the chips of a draft, in order.
func (p Prompt) each(do func(chip)) {
	for i, r := range p.raw {
		if isChip(r) {
			if ch, ok := p.chips.at(p.raw[i:]); ok {
				do(ch)
			}
		}
	}
}

// Pastes reports whether the prompt has an image without a file, which can only be sent
// as an image.
func (p Prompt) Pastes() (found bool) {
	p.each(func(ch chip) { found = found || ch.image != nil && ch.image.Name == "" })
	return found
}

// images returns the blocks of the images: a link for an agent that does not accept
// images.
func (p Prompt) images(f *files) (blocks []acpclient.ContentBlock) {
	p.each(func(ch chip) {
		switch {
		case ch.image == nil:
		case ch.image.Name != "":
			if b, ok := f.block(mention{path: ch.image.Name, quoted: true}); ok {
				blocks = append(blocks, b)
			}
		case f.caps.Image:
			blocks = append(blocks, ch.image.block())
		}
	})
	return blocks
}

// Restore makes a prompt that was not sent the draft again.
func (c *Composer) Restore(p Prompt) {
	defer c.settle()
	c.reset()
	c.chips = &chips{list: p.chips.frozen().list}
	c.buf = newBuffer(c.chips)
	c.buf.replace(pos{}, pos{}, p.raw)
}
