package desktop

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	_ "image/gif" // the formats that are decoded
	_ "image/jpeg"
	_ "image/png"

	uv "github.com/charmbracelet/ultraviolet"
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

// at returns the colour of a pixel, nil if it is transparent.
func at(img *image.RGBA, x, y int) color.Color {
	c := img.RGBAAt(x, y)
	if c.A < 128 {
		return nil
	}
	c.A = 0xff
	return c
}

// line draws two rows of pixels.
func line(img *image.RGBA, y, width int, two bool) string {
	cells := make(uv.Line, width)
	for x := range cells {
		top, bottom := at(img, x, y), color.Color(nil)
		if two {
			bottom = at(img, x, y+1)
		}
		switch {
		case top != nil:
			cells[x] = uv.Cell{Content: "▀", Width: 1, Style: uv.Style{Fg: top, Bg: bottom}}
		case bottom != nil:
			cells[x] = uv.Cell{Content: "▄", Width: 1, Style: uv.Style{Fg: bottom}}
		default:
			cells[x] = uv.EmptyCell
		}
	}
	return cells.Render()
}
