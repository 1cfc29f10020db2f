package theme

import (
	"image/color"
	"math"
	"reflect"
	"slices"
	"testing"

	"charm.land/lipgloss/v2"

	"parley/config"
)

func TestSchemesForEverybody(t *testing.T) {
	t.Parallel()
	dark, names := 0, []string{}
	for _, s := range Schemes() {
		if s.Dark {
			dark++
		}
		if s.About == "" || Named(s.Name) != s || slices.Contains(names, s.Name) {
			t.Errorf("%q: %q", s.Name, s.About)
		}
		names = append(names, s.Name)
	}
	if len(names) < 8 || dark < 3 || len(names)-dark < 3 {
		t.Errorf("%d schemes, %d of them dark", len(names), dark)
	}
	if Named("nothing") != nil {
		t.Error("there is a scheme of any name")
	}
	if Named("dark").Theme(Colors256).palette.text != dark256.text || Named("light").Theme(TrueColor).palette.text != Named("light").named.Text {
		t.Error("parley's own are not parley's own")
	}
}

// Red and green look alike to many people. In the themes for them, what is good and
// what is bad does not.
func TestColourBlindPeopleTellApart(t *testing.T) {
	t.Parallel()
	const apart = 20 // a difference that is seen at a glance; 2 is one that can just be seen
	for _, name := range []string{"colour-blind-dark", "colour-blind-light"} {
		for _, depth := range []Depth{TrueColor, Colors256} {
			p := Named(name).Theme(depth).palette
			for kind, blind := range blindness {
				for what, pair := range map[string][2]string{
					"success and error": {p.green, p.red}, "words added and removed": {p.addWord, p.delWord}, "lines added and removed": {p.addBg, p.delBg},
				} {
					least := float64(apart)
					if what == "lines added and removed" {
						least = 8 // they are grounds, and text stands on them
					}
					if got := difference(blind(pair[0]), blind(pair[1])); got < least {
						t.Errorf("%s, depth %d, %s: %s differ by %.0f", name, depth, kind, what, got)
					}
				}
			}
		}
	}
}

// blindness simulates how colours look, after Viénot, Brettel and Mollon (1999), to
// whom the cones for long or for medium waves are missing.
var blindness = map[string]func(string) [3]float64{
	"protanopia": func(c string) [3]float64 {
		r, g, b := linear(c)
		y := 0.11238*r + 0.88762*g
		return [3]float64{y, y, 0.00401*r - 0.00401*g + b}
	},
	"deuteranopia": func(c string) [3]float64 {
		r, g, b := linear(c)
		y := 0.29275*r + 0.70725*g
		return [3]float64{y, y, -0.02234*r + 0.02234*g + b}
	},
}

func linear(c string) (r, g, b float64) {
	part := func(v uint32) float64 {
		x := float64(v) / 0xffff
		if x <= 0.04045 {
			return x / 12.92
		}
		return math.Pow((x+0.055)/1.055, 2.4)
	}
	x, y, z, _ := lipgloss.Color(c).RGBA()
	return part(x), part(y), part(z)
}

// difference is how far two colours are apart in CIELAB.
func difference(a, b [3]float64) float64 {
	lab := func(c [3]float64) [3]float64 {
		f := func(v float64) float64 {
			if v > 0.008856 {
				return math.Cbrt(v)
			}
			return 7.787*v + 16.0/116
		}
		x := f((0.4124*c[0] + 0.3576*c[1] + 0.1805*c[2]) / 0.9505)
		y := f(0.2126*c[0] + 0.7152*c[1] + 0.0722*c[2])
		z := f((0.0193*c[0] + 0.1192*c[1] + 0.9505*c[2]) / 1.089)
		return [3]float64{116*y - 16, 500 * (x - y), 200 * (y - z)}
	}
	p, q := lab(a), lab(b)
	return math.Sqrt(math.Pow(p[0]-q[0], 2) + math.Pow(p[1]-q[1], 2) + math.Pow(p[2]-q[2], 2))
}

func TestOwnScheme(t *testing.T) {
	t.Parallel()
	light, dark := Named("light"), Named("dark").named
	own := light.With("mine", config.Colours{Accent: "#112233", Added: "#445566"})
	th := own.Theme(TrueColor)
	if th.Dark || own.Name != "mine" || !same(th.Accent.GetForeground(), "#112233") || !same(th.DiffAdded.GetBackground(), "#445566") {
		t.Errorf("%q, dark %v: %v on %v", own.Name, th.Dark, th.Accent.GetForeground(), th.DiffAdded.GetBackground())
	}
	if !same(th.Error.GetForeground(), light.colours.red) {
		t.Error("what is not named is another")
	}
	var colours config.Colours
	for _, c := range colours.Named() {
		*c.At = dark.Frame
		if own := Named("dark").With("mine", colours); own.colours.uses(own.colours.frame) {
			t.Errorf("%s has the colour of the frame", c.Name)
		}
		*c.At = ""
	}
	if own := Named("dark").With("mine", config.Colours{Frame: dark.Error}); own.colours.frame == dark.Error {
		t.Error("the frame has the colour of errors")
	}
}

func same(c color.Color, hex string) bool {
	r, g, b, _ := c.RGBA()
	x, y, z, _ := lipgloss.Color(hex).RGBA()
	return r == x && g == y && b == z
}

// With 256 colours, text that says nothing by its colour has not more of it than with
// all: a grey that looks pink seems to say something.
func TestGreysStayGreyIn256Colours(t *testing.T) {
	t.Parallel()
	for _, s := range Schemes() {
		few := s.Theme(Colors256).palette
		for what, pair := range map[string][2]string{
			"text": {s.colours.text, few.text}, "strong": {s.colours.strong, few.strong}, "muted": {s.colours.muted, few.muted}, "faint": {s.colours.faint, few.faint},
		} {
			before, after := chroma(pair[0]), chroma(pair[1])
			if after > before+3 {
				t.Errorf("%s: %s has a chroma of %.0f in 256 colours, and of %.0f in all", s.Name, what, after, before)
			}
		}
	}
}

// What means different things looks different, however many colours there are.
func TestMeaningsAreToldApart(t *testing.T) {
	t.Parallel()
	const least = 15
	for _, s := range Schemes() {
		for _, depth := range []Depth{TrueColor, Colors256} {
			p := s.Theme(depth).palette
			for what, pair := range map[string][2]string{
				"error and warning": {p.red, p.yellow}, "error and success": {p.red, p.green}, "error and info": {p.red, p.blue},
				"error and accent": {p.red, p.accent}, "success and warning": {p.green, p.yellow}, "success and info": {p.green, p.blue},
				"special and error": {p.violet, p.red}, "the frame and text": {p.frame, p.text},
			} {
				if got := difference(seen(pair[0]), seen(pair[1])); got < least {
					t.Errorf("%s, depth %d: %s differ by %.0f", s.Name, depth, what, got)
				}
			}
		}
	}
}

// seen is a colour as most people see it.
func seen(c string) [3]float64 {
	r, g, b := linear(c)
	return [3]float64{r, g, b}
}

// chroma is how far a colour is from a grey of its lightness, in CIELAB.
func chroma(c string) float64 {
	r, g, b := linear(c)
	y := 0.2126*r + 0.7152*g + 0.0722*b
	return difference([3]float64{r, g, b}, [3]float64{y, y, y})
}

// Colours of a theme that differ do so in 256 colours, too.
func TestNoColoursFallTogether(t *testing.T) {
	t.Parallel()
	for _, s := range Schemes() {
		few := s.Theme(Colors256).palette
		all, of := reflect.ValueOf(s.colours), reflect.TypeFor[palette]()
		for i := range of.NumField() {
			for j := range i {
				a, b := of.Field(i), of.Field(j)
				if a.Type.Kind() != reflect.String || b.Type.Kind() != reflect.String || a.Name == "chroma" || b.Name == "chroma" {
					continue
				}
				shown := reflect.ValueOf(*few)
				strong := b.Name == "text" && a.Name == "strong" // which is bold
				if !strong && all.Field(i).String() != all.Field(j).String() && shown.Field(i).String() == shown.Field(j).String() {
					t.Errorf("%s: %s and %s are both %s", s.Name, a.Name, b.Name, shown.Field(i).String())
				}
			}
		}
		if got := difference(seen(few.addBg), seen(few.delBg)); got < 8 {
			t.Errorf("%s: lines added and removed differ by %.0f", s.Name, got)
		}
		if th := s.Theme(Colors16); th.DiffAdded.GetForeground() == th.DiffRemoved.GetForeground() {
			t.Errorf("%s: lines added and removed are the same in 16 colours", s.Name)
		}
	}
}
