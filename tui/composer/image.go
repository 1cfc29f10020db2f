package composer

import (
	"fmt"
	"path/filepath"

	"parley/internal/prompt"
	"parley/internal/termtext"
)

// imageLabel returns what the draft shows of an image.
func imageLabel(i *prompt.Image) string {
	name := "image"
	if i.Name != "" {
		name += " " + filepath.Base(filepath.FromSlash(i.Name))
	}
	return fmt.Sprintf("[%s, %d×%d, %s]", oneLine(name), i.Width, i.Height, prompt.ByteSize(int64(i.Size)))
}

// AddImage inserts an image at the cursor, as a chip. It returns false if there are too
// many chips.
func (c *Composer) AddImage(img *prompt.Image) bool {
	defer c.settle()
	c.toDraft()
	mark := c.chips.image(img)
	if mark == "" {
		return false
	}
	c.buf.Replace(c.buf.cur, c.buf.cur, mark+" ")
	c.completion = completion{}
	return true
}

// image stores an image, and returns the chip for it; "" if there are too many. The
// text of the prompt mentions the file, if there is one, so that the text restores the
// image.
func (c *chips) image(img *prompt.Image) (mark string) {
	if prompt.FirstChip+rune(len(c.list)) > prompt.LastChip {
		return ""
	}
	label := imageLabel(img)
	text := label
	if img.Name != "" {
		text = prompt.WriteMention(img.Name)
	}
	c.list = append(c.list, chip{label: label, width: termtext.Width(label), text: func() string { return text }, image: img})
	return string(prompt.FirstChip + rune(len(c.list)-1))
}
