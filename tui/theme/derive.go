package theme

import (
	"image/color"
	"math"
	"slices"
	"strconv"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/lucasb-eyer/go-colorful"
)

// fewer returns the palette for 256 colours: for each colour the nearest one that is
// readable where it is used. Backgrounds and lines are parley's own, because they are
// dark or pale, and the nearest of the 256 often has a quite different hue.
func (s *Scheme) fewer() palette {
	from, to := s.colours, dark256
	if !s.Dark {
		to = light256
	}
	if s.blueAndOrange() {
		to.addBg, to.addWord, to.delBg, to.delWord = "17", "19", "52", "94"
		if !s.Dark {
			to.addBg, to.addWord, to.delBg, to.delWord = "189", "153", "223", "216"
		}
	}
	under := grounds[s.Dark]
	on := func(more ...string) []string { return append(more, under...) }
	to.text = nearestGrey(from.text, on(to.surface, to.raised, to.addBg, to.delBg, to.prompt))
	to.strong = nearestGrey(from.strong, on(to.surface, to.raised, to.addBg, to.delBg, to.prompt, to.addWord, to.delWord))
	to.muted, to.faint = nearestGrey(from.muted, on(to.prompt)), nearestGrey(from.faint, under)
	if s.strongest() {
		to.line = nearest(from.line, nil, 0)
	}
	// Colours with different meanings must stay different.
	yellow := to.yellow
	to.red = nearest(from.red, on(to.delBg, to.surface), leastContrast)
	to.yellow = nearest(from.yellow, on(to.surface), leastContrast, to.red)
	to.green = nearest(from.green, on(to.addBg), leastContrast, to.red, to.yellow)
	to.blue = nearest(from.blue, on(to.prompt, to.surface), leastContrast, to.red, to.yellow, to.green)
	to.violet = nearest(from.violet, under, leastContrast, to.red, to.yellow, to.green)
	to.accent = nearest(from.accent, on(to.prompt, to.surface), leastContrast, to.red, to.green, to.blue)
	if to.accent == to.yellow {
		to.yellow = yellow
	}
	to.frame = nearest(from.frame, under, leastForFrame, to.inks()...)
	return withCode(to)
}

// leastForFrame is the minimum contrast of what is not text.
const leastForFrame = 3

// sixteen returns the palette for 16 colours, which are the user's own in any theme.
func (s *Scheme) sixteen() *palette {
	p := dark16
	if !s.Dark {
		p = light16
	}
	switch {
	case s.blueAndOrange() && s.Dark:
		p.green, p.red, p.blue, p.accent = "14", "11", "13", "15"
	case s.strongest():
		p.muted, p.faint, p.line = "", "", p.strong
	}
	p = withCode(p)
	return &p
}

// blueAndOrange reports whether a scheme avoids the difference between red and green.
func (s *Scheme) blueAndOrange() bool { return strings.HasPrefix(s.Name, "colour-blind-") }

// strongest reports whether a scheme mutes nothing.
func (s *Scheme) strongest() bool { return strings.HasPrefix(s.Name, "high-contrast-") }

// apart is the minimum difference between colours with different meanings.
const apart = 0.15

// nearest returns the number of the most similar of the 240 colours above the first 16
// that has enough contrast to all grounds and differs from the others.
func nearest(colour string, grounds []string, least float64, others ...string) string {
	return nearestOf(colour, grounds, least, func(c colorful.Color) bool {
		return !slices.ContainsFunc(others, func(o string) bool { return c.DistanceCIEDE2000(mixed(o)) < apart })
	})
}

// nearestGrey is nearest for text whose colour has no meaning. The result is not
// clearly more saturated than colour, because that would suggest a meaning.
func nearestGrey(colour string, grounds []string) string {
	const tinge = 0.02
	_, chroma, _ := mixed(colour).Hcl()
	return nearestOf(colour, grounds, leastContrast, func(c colorful.Color) bool {
		_, now, _ := c.Hcl()
		return now <= chroma+tinge
	})
}

// asBright is how much brighter or darker than the colour it stands for one of few may be,
// as a contrast, where a colour of its hue allows that: one that is farther from it than the
// nearest by no more than asNear.
const (
	asBright = 1.25
	asNear   = 0.03
)

func nearestOf(colour string, grounds []string, least float64, may func(colorful.Color) bool) string {
	want, best := mixed(colour), -1
	var away, brighter [256]float64
	for n := 16; n < 256; n++ {
		number := strconv.Itoa(n)
		c := mixed(number)
		away[n], brighter[n] = want.DistanceCIEDE2000klch(c, 0.7, 1, 1), contrast(c, want)
		if !may(c) || slices.ContainsFunc(grounds, func(ground string) bool {
			return contrast(lipgloss.Color(number), lipgloss.Color(ground)) < least
		}) {
			away[n] = math.Inf(1)
		} else if best < 0 || away[n] < away[best] {
			best = n
		}
	}
	if best < 0 {
		return ""
	}
	for n, most := 16, away[best]+asNear; n < 256; n++ {
		switch is, was := max(brighter[n], asBright), max(brighter[best], asBright); {
		case away[n] > most:
		case is < was, is == was && away[n] < away[best]:
			best = n
		}
	}
	return strconv.Itoa(best)
}

// mixed converts a colour of a palette to its components.
func mixed(colour string) colorful.Color {
	c, _ := colorful.MakeColor(lipgloss.Color(colour))
	return c
}

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
