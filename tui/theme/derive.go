package theme

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"charm.land/lipgloss/v2"
)

// fewer makes the palette for 256 colours: of each colour the nearest that can be read
// where it is used. Grounds and lines are dark or pale, and the nearest of the 256 are
// often of quite another hue: those are parley's own.
func (s *Scheme) fewer() palette {
	from, to := s.colours, dark256
	if !s.Dark {
		to = light256
	}
	if s.blueAndOrange() {
		to.addBg, to.addWord, to.delBg, to.delWord = "17", "25", "52", "94"
		if !s.Dark {
			to.addBg, to.addWord, to.delBg, to.delWord = "189", "153", "223", "216"
		}
	}
	under := grounds[s.Dark]
	on := func(more ...string) []string { return append(more, under...) }
	to.text = nearest(from.text, on(to.surface, to.raised, to.addBg, to.delBg, to.prompt), leastContrast)
	to.strong = nearest(from.strong, on(to.surface, to.raised, to.addBg, to.delBg, to.prompt, to.addWord, to.delWord), leastContrast)
	to.muted, to.faint = nearest(from.muted, on(to.prompt), leastContrast), nearest(from.faint, under, leastContrast)
	if s.strongest() {
		to.line = nearest(from.line, nil, 0)
	}
	to.accent = nearest(from.accent, on(to.prompt, to.surface), leastContrast)
	to.blue = nearest(from.blue, on(to.prompt, to.surface), leastContrast)
	to.green, to.red = nearest(from.green, on(to.addBg), leastContrast), nearest(from.red, on(to.delBg, to.surface), leastContrast)
	to.yellow, to.violet = nearest(from.yellow, on(to.surface), leastContrast), nearest(from.violet, under, leastContrast)
	to.frame = nearest(from.frame, under, leastForFrame, to.inks()...)
	return withCode(to)
}

// leastForFrame is the contrast of what is no text.
const leastForFrame = 3

// sixteen is the palette for 16 colours. They are the person's own, whatever the theme.
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

// blueAndOrange reports schemes that do without the difference of red and green.
func (s *Scheme) blueAndOrange() bool { return strings.HasPrefix(s.Name, "colour-blind-") }

// strongest reports schemes in which nothing steps back.
func (s *Scheme) strongest() bool { return strings.HasPrefix(s.Name, "high-contrast-") }

// nearest is the number of the one of the 240 colours above the first 16 that is
// nearest to a colour, among those that have a contrast to all grounds, and are none of
// the others.
func nearest(colour string, grounds []string, least float64, others ...string) string {
	r, g, b, _ := lipgloss.Color(colour).RGBA()
	best, distance := "", math.Inf(1)
	for n := 16; n < 256; n++ {
		number := strconv.Itoa(n)
		c := lipgloss.Color(number)
		x, y, z, _ := c.RGBA()
		// The eye tells greens apart best and blues least.
		away := 2*square(r, x) + 4*square(g, y) + 3*square(b, z)
		if away < distance && contrasts(number, grounds, least) && !slices.Contains(others, number) {
			best, distance = number, away
		}
	}
	return best
}

func square(a, b uint32) float64 {
	d := float64(a) - float64(b)
	return d * d
}

func contrasts(colour string, grounds []string, least float64) bool {
	for _, ground := range grounds {
		if contrast(lipgloss.Color(colour), lipgloss.Color(ground)) < least {
			return false
		}
	}
	return true
}
