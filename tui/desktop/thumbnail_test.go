package desktop_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"regexp"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"parley/tui/desktop"
)

func square(w, h int, at func(x, y int) color.Color) image.Image {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			img.Set(x, y, at(x, y))
		}
	}
	return img
}

func encode(t testing.TB, img image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

var red, blue, none = color.NRGBA{255, 0, 0, 255}, color.NRGBA{0, 0, 255, 255}, color.NRGBA{}

func TestLines(t *testing.T) {
	for _, c := range []struct {
		name string
		w, h int
		at   func(x, y int) color.Color
		want string
	}{
		{"two rows in a line", 2, 2, func(_, y int) color.Color { return []color.Color{red, blue}[y] }, "\x1b[38;2;255;0;0;48;2;0;0;255m▀▀\x1b[m"},
		{"an odd row", 1, 3, func(_, _ int) color.Color { return red }, "\x1b[38;2;255;0;0;48;2;255;0;0m▀\x1b[m\n\x1b[38;2;255;0;0m▀\x1b[m"},
		{"nothing to be seen", 2, 2, func(_, _ int) color.Color { return none }, "  "},
		{"only below", 1, 2, func(_, y int) color.Color { return []color.Color{none, blue}[y] }, "\x1b[38;2;0;0;255m▄\x1b[m"},
	} {
		t.Run(c.name, func(t *testing.T) {
			thumb, err := desktop.DecodeImage(encode(t, square(c.w, c.h, c.at)))
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(thumb.Lines(80, 24), "\n"); got != c.want {
				t.Errorf("drawn %q, want %q", got, c.want)
			}
		})
	}
}

var colours = regexp.MustCompile(`\x1b\[(((38|48);2;\d+;\d+;\d+|49);?)*m`)

func TestItFits(t *testing.T) {
	for _, size := range []image.Point{{1000, 700}, {3, 900}, {900, 3}, {1, 1}} {
		thumb, err := desktop.DecodeImage(encode(t, square(size.X, size.Y, func(x, y int) color.Color { return color.NRGBA{uint8(x), uint8(y), 9, uint8(x * y)} })))
		if err != nil {
			t.Fatal(err)
		}
		for _, box := range []image.Point{{80, 20}, {10, 3}, {1, 1}, {0, 0}} {
			lines := thumb.Lines(box.X, box.Y)
			if len(lines) > max(box.Y, 1) {
				t.Errorf("%v in %v: %d lines", size, box, len(lines))
			}
			for _, l := range lines {
				if w := ansi.StringWidth(l); w > max(box.X, 1) {
					t.Errorf("%v in %v: %d cells", size, box, w)
				}
				if rest := strings.Trim(colours.ReplaceAllString(l, ""), "▀▄ "); rest != "" {
					t.Errorf("%v in %v: holds %q", size, box, rest)
				}
			}
		}
	}
}

func TestFormats(t *testing.T) {
	img := square(8, 8, func(_, _ int) color.Color { return red })
	var j, g bytes.Buffer
	if jpeg.Encode(&j, img, nil) != nil || gif.Encode(&g, img, nil) != nil {
		t.Fatal("the images were not made")
	}
	for want, data := range map[string][]byte{"jpeg": j.Bytes(), "gif": g.Bytes(), "png": encode(t, img)} {
		if thumb, err := desktop.DecodeImage(data); err != nil || len(thumb.Lines(80, 24)) == 0 {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// A picture of a few bytes that says it has billions of pixels.
func TestBombs(t *testing.T) {
	data := encode(t, square(1, 1, func(_, _ int) color.Color { return red }))
	binary.BigEndian.PutUint32(data[16:], 100_000)
	binary.BigEndian.PutUint32(data[20:], 100_000)
	binary.BigEndian.PutUint32(data[29:], crc32.ChecksumIEEE(data[12:29]))
	if _, err := desktop.DecodeImage(data); !errors.Is(err, desktop.ErrImageTooLarge) {
		t.Errorf("a bomb: %v", err)
	}
	if _, err := desktop.DecodeImage([]byte("no image")); !errors.Is(err, image.ErrFormat) {
		t.Errorf("no image: %v", err)
	}
	if _, err := desktop.DecodeImage(data[:40]); err == nil {
		t.Error("a piece of an image was decoded")
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(encode(f, square(2, 2, func(_, _ int) color.Color { return blue })))
	f.Fuzz(func(t *testing.T, data []byte) {
		if thumb, err := desktop.DecodeImage(data); err == nil {
			thumb.Lines(20, 10)
		}
	})
}
