package theme

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/lucasb-eyer/go-colorful"
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
	to.text = nearestGrey(from.text, on(to.surface, to.raised, to.addBg, to.delBg, to.prompt))
	to.strong = nearestGrey(from.strong, on(to.surface, to.raised, to.addBg, to.delBg, to.prompt, to.addWord, to.delWord))
	to.muted, to.faint = nearestGrey(from.muted, on(to.prompt)), nearestGrey(from.faint, under)
	if s.strongest() {
		to.line = nearest(from.line, nil, 0)
	}
	// What means different things does not become one colour.
	to.red = nearest(from.red, on(to.delBg, to.surface), leastContrast)
	to.yellow = nearest(from.yellow, on(to.surface), leastContrast, to.red)
	to.green = nearest(from.green, on(to.addBg), leastContrast, to.red, to.yellow)
	to.blue = nearest(from.blue, on(to.prompt, to.surface), leastContrast, to.red, to.yellow, to.green)
	to.violet = nearest(from.violet, under, leastContrast, to.red, to.yellow, to.green)
	to.accent = nearest(from.accent, on(to.prompt, to.surface), leastContrast, to.red, to.green, to.blue)
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

// apart is the least difference between colours that mean different things.
const apart = 0.15

// nearest is the number of the one of the 240 colours above the first 16 that looks most
// like a colour, among those that have a contrast to all grounds and cannot be taken for
// any of the others.
func nearest(colour string, grounds []string, least float64, others ...string) string {
	return nearestOf(colour, grounds, least, func(c colorful.Color) bool {
		return !slices.ContainsFunc(others, func(o string) bool { return c.DistanceCIEDE2000(mixed(o)) < apart })
	})
}

// nearestGrey is nearest for text that has no meaning beside its words. It does not become
// clearly more coloured than it is, for it would have one then.
func nearestGrey(colour string, grounds []string) string {
	const tinge = 0.02
	_, chroma, _ := mixed(colour).Hcl()
	return nearestOf(colour, grounds, leastContrast, func(c colorful.Color) bool {
		_, now, _ := c.Hcl()
		return now <= chroma+tinge
	})
}

func nearestOf(colour string, grounds []string, least float64, may func(colorful.Color) bool) string {
	want, best, distance := mixed(colour), "", math.Inf(1)
	for n := 16; n < 256; n++ {
		number := strconv.Itoa(n)
		c := mixed(number)
		if away := want.DistanceCIEDE2000klch(c, 0.7, 1, 1); away < distance && may(c) && contrasts(number, grounds, least) {
			best, distance = number, away
		}
	}
	return best
}

// mixed is a colour of a palette as what it is mixed of.
func mixed(colour string) colorful.Color {
	c, _ := colorful.MakeColor(lipgloss.Color(colour))
	return c
}

func contrasts(colour string, grounds []string, least float64) bool {
	for _, ground := range grounds {
		if contrast(lipgloss.Color(colour), lipgloss.Color(ground)) < least {
			return false
		}
	}
	return true
}
