package theme

import (
	"image/color"
	"math"

	"charm.land/lipgloss/v2"
)

// leastContrast is the minimum contrast of text to its background.
const leastContrast = 4.5

// Readable returns a colour for text on the background of a style: c, or a mix with the
// style's own text colour if c is too close to the background.
func Readable(c color.Color, on lipgloss.Style) color.Color {
	ground, text := on.GetBackground(), on.GetForeground()
	if ground == (lipgloss.NoColor{}) || text == (lipgloss.NoColor{}) {
		return c
	}
	for _, share := range []float64{0, 0.25, 0.5, 0.75} {
		if mixed := mix(c, text, share); contrast(mixed, ground) >= leastContrast {
			return mixed
		}
	}
	return text
}

// mix returns a colour with a share of another in it.
func mix(c, other color.Color, share float64) color.Color {
	r, g, b, _ := c.RGBA()
	r2, g2, b2, _ := other.RGBA()
	part := func(x, y uint32) uint8 { return uint8(((1-share)*float64(x) + share*float64(y)) / 257) }
	return color.RGBA{part(r, r2), part(g, g2), part(b, b2), 0xff}
}

// luminance returns the relative luminance of WCAG 2.
func luminance(c color.Color) float64 {
	r, g, b, _ := c.RGBA()
	part := func(v uint32) float64 {
		x := float64(v) / 0xffff
		if x <= 0.03928 {
			return x / 12.92
		}
		return math.Pow((x+0.055)/1.055, 2.4)
	}
	return 0.2126*part(r) + 0.7152*part(g) + 0.0722*part(b)
}

func contrast(a, b color.Color) float64 {
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

// grounds are common terminal backgrounds.
var grounds = map[bool][]string{
	true:  {"#000000", "#16161c", "#1e1e2e", "#1d1f21"},
	false: {"#ffffff", "#eff1f5", "#fafafa", "#fdf6e3"},
}
