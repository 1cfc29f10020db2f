package desktop

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	_ "image/gif" // the formats that are decoded
	_ "image/jpeg"
	_ "image/png"
	"strings"

	"golang.org/x/image/draw"
	_ "golang.org/x/image/webp"
)

// ErrImageTooLarge means that an image has too many pixels to decode.
var ErrImageTooLarge = errors.New("the image is too large to be shown here")

const (
	// maxPixels bounds what is decoded: 16 million pixels take 64 MB.
	maxPixels = 16 << 20
	// thumbWidth and thumbHeight bound a thumbnail, in pixels: as many as columns in a
	// wide terminal, and two per line of a tall one.
	thumbWidth, thumbHeight = 240, 160
)

// Thumbnail is a small copy of an image, drawn as coloured half blocks, with two pixels
// per cell. It is immutable.
type Thumbnail struct {
	pixels *image.RGBA
}

// DecodeImage returns the thumbnail of an image. Images come from agents and are
// untrusted: it refuses too large ones before decoding. It takes time in proportion to
// the image, and briefly up to some hundred megabytes, so call it outside of Update.
// The error wraps ErrImageTooLarge for more than 16 million pixels, and image.ErrFormat
// for other formats.
func DecodeImage(data []byte) (*Thumbnail, error) {
	cfg, _, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("read the image: %w", err)
	}
	if cfg.Width <= 0 || cfg.Height <= 0 {
		return nil, errors.New("read the image: it has no pixels")
	}
	if cfg.Width > maxPixels/cfg.Height {
		return nil, fmt.Errorf("%w: %d by %d pixels", ErrImageTooLarge, cfg.Width, cfg.Height)
	}
	whole, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("decode the image: %w", err)
	}
	size := whole.Bounds().Size()
	w, h := fit(size.X, size.Y, thumbWidth, thumbHeight)
	pixels := image.NewRGBA(image.Rect(0, 0, w, h))
	draw.ApproxBiLinear.Scale(pixels, pixels.Bounds(), whole, whole.Bounds(), draw.Src, nil)
	return &Thumbnail{pixels}, nil
}

// fit shrinks w by h to fit into a box.
func fit(w, h, maxW, maxH int) (int, int) {
	if w > maxW {
		w, h = maxW, h*maxW/w
	}
	if h > maxH {
		w, h = w*maxH/h, maxH
	}
	return max(w, 1), max(h, 1)
}

// Lines draws the thumbnail in at most cols cells and rows lines. The lines contain
// only half blocks, spaces and colours; transparent pixels show the terminal's
// background.
func (t *Thumbnail) Lines(cols, rows int) []string {
	size := t.pixels.Bounds().Size()
	w, h := fit(size.X, size.Y, max(cols, 1), 2*max(rows, 1))
	small := t.pixels
	if w != size.X || h != size.Y {
		small = image.NewRGBA(image.Rect(0, 0, w, h))
		draw.ApproxBiLinear.Scale(small, small.Bounds(), t.pixels, t.pixels.Bounds(), draw.Src, nil)
	}
	lines := make([]string, 0, (h+1)/2)
	for y := 0; y < h; y += 2 {
		lines = append(lines, line(small, y, w, y+1 < h))
	}
	return lines
}

// pixel is a colour, or transparent.
type pixel struct {
	r, g, b uint8
	seen    bool
}

func at(img *image.RGBA, x, y int) pixel {
	c := img.RGBAAt(x, y)
	if c.A < 128 {
		return pixel{}
	}
	return pixel{c.R, c.G, c.B, true}
}

// line draws two rows of pixels. It writes colours only where they change.
func line(img *image.RGBA, y, width int, two bool) string {
	var b strings.Builder
	var fg, bg pixel
	for x := range width {
		top, bottom := at(img, x, y), pixel{}
		if two {
			bottom = at(img, x, y+1)
		}
		char, ink := "▀", top
		switch {
		case !top.seen && !bottom.seen:
			char, ink = " ", fg // a space needs no foreground
		case !top.seen:
			char, ink, bottom = "▄", bottom, pixel{}
		}
		if ink != fg && ink.seen {
			fmt.Fprintf(&b, "\x1b[38;2;%d;%d;%dm", ink.r, ink.g, ink.b)
			fg = ink
		}
		if bottom != bg {
			if bottom.seen {
				fmt.Fprintf(&b, "\x1b[48;2;%d;%d;%dm", bottom.r, bottom.g, bottom.b)
			} else {
				b.WriteString("\x1b[49m")
			}
			bg = bottom
		}
		b.WriteString(char)
	}
	b.WriteString("\x1b[m")
	return b.String()
}
