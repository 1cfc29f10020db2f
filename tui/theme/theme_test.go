package theme

import (
	"slices"
	"strconv"
	"testing"

	"charm.land/lipgloss/v2"
	"github.com/alecthomas/chroma/v2/styles"
	"github.com/charmbracelet/x/ansi"
)

// TestTextCanBeRead: all text has a contrast of 4.5 to 1 or more against what it
// stands on, the faintest hints too.
func TestTextCanBeRead(t *testing.T) {
	for _, depth := range []Depth{TrueColor, Colors256} {
		for _, scheme := range Schemes() {
			enough, under := 4.5, grounds[scheme.Dark]
			if scheme.strongest() && depth == TrueColor {
				enough = 7
			}
			p := scheme.Theme(depth).palette
			inks := map[string]string{
				"text": p.text, "strong": p.strong, "muted": p.muted, "faint": p.faint, "accent": p.accent,
				"blue": p.blue, "green": p.green, "yellow": p.yellow, "red": p.red, "violet": p.violet,
			}
			check := func(what, ink, on string) {
				t.Helper()
				if got := contrast(lipgloss.Color(ink), lipgloss.Color(on)); got < enough {
					t.Errorf("depth %d, %s: %s (%s) on %s has a contrast of %.2f", depth, scheme.Name, what, ink, on, got)
				}
			}
			for name, ink := range inks {
				for _, on := range under {
					check(name, ink, on)
				}
			}
			for _, on := range []string{p.surface, p.raised, p.addBg, p.delBg} {
				check("text", p.text, on)
				check("strong", p.strong, on)
			}
			for _, name := range []string{"text", "strong", "muted", "accent", "blue"} {
				check(name, inks[name], p.prompt)
			}
			check("a word", p.strong, p.addWord)
			check("a word", p.strong, p.delWord)
			check("a number", p.green, p.addBg)
			check("a number", p.red, p.delBg)
			for _, ink := range []string{p.strong, p.blue, p.yellow, p.red} {
				check("a badge", ink, p.surface)
			}
			check("a match", p.surface, p.accent)
		}
	}
}

// TestSixteenColours: of 16 colours nothing is used as a background, and nothing
// that is dark on dark or light on light in xterm's or VGA's scheme.
func TestSixteenColours(t *testing.T) {
	unreadable := map[bool]map[string]bool{
		true:  {"0": true, "1": true, "4": true, "5": true, "8": true, "12": true},
		false: {"2": true, "3": true, "6": true, "7": true, "10": true, "11": true, "14": true, "15": true},
	}
	for _, scheme := range Schemes() {
		bad, dark, p := unreadable[scheme.Dark], scheme.Name, scheme.sixteen()
		for _, ink := range []string{p.text, p.strong, p.muted, p.faint, p.accent, p.blue, p.green, p.yellow, p.red, p.violet} {
			if n, err := strconv.Atoi(ink); ink != "" && (err != nil || n > 15 || bad[ink]) {
				t.Errorf("%s: %q is used for text", dark, ink)
			}
		}
		if p.prompt+p.surface+p.raised+p.addBg+p.addWord+p.delBg+p.delWord != "" {
			t.Errorf("%s: there is a background", dark)
		}
	}
}

// TestEveryDepthTellsApart: what must not be taken for one another looks
// different, by more than a colour where there are few.
func TestEveryDepthTellsApart(t *testing.T) {
	for _, depth := range []Depth{TrueColor, Colors256, Colors16} {
		for _, scheme := range Schemes() {
			dark, th := scheme.Name, scheme.Theme(depth)
			for name, pair := range map[string][2]lipgloss.Style{
				"chosen":  {th.Choice, th.ChoiceSelected},
				"matches": {th.Match, th.MatchCurrent},
				"words":   {th.DiffAdded, th.DiffAddedWord},
				"badge":   {th.Text, th.BadgeMode},
				"warning": {th.Text, th.BadgeWarning},
				"danger":  {th.Text, th.BadgeError},
			} {
				a, b := pair[0], pair[1]
				if depth == Colors16 && a.GetBold() == b.GetBold() && a.GetReverse() == b.GetReverse() && a.GetUnderline() == b.GetUnderline() {
					t.Errorf("depth %d, %s: %s differ by colour alone", depth, dark, name)
				}
				if a.Render("x") == b.Render("x") {
					t.Errorf("depth %d, %s: %s do not differ", depth, dark, name)
				}
			}
			if (th.Prompt == "") != (depth == Colors16) {
				t.Errorf("depth %d, %s: the ground of prompts begins with %q", depth, dark, th.Prompt)
			}
			if th.Success.Render("x") == th.Error.Render("x") || th.DiffAddedNumber.Render("x") == th.DiffRemovedNumber.Render("x") {
				t.Errorf("depth %d, %s: good and bad do not differ", depth, dark)
			}
		}
	}
}

// TestNothingHasTheColourOfFrames: no text can be drawn in the colour of a dialog's
// frame, code among it.
func TestNothingHasTheColourOfFrames(t *testing.T) {
	for _, depth := range []Depth{TrueColor, Colors256} {
		for _, scheme := range Schemes() {
			dark, p := scheme.Name, scheme.Theme(depth).palette
			others := p.inks()
			if p.chroma != "" {
				style := styles.Get(p.chroma)
				for _, token := range style.Types() {
					others = append(others, style.Get(token).Colour.String())
				}
			}
			if p.frame == "" || slices.Contains(others, p.frame) {
				t.Errorf("depth %d, %s: the frame's colour is that of something else", depth, dark)
			}
			for _, on := range grounds[scheme.Dark] {
				if got := contrast(lipgloss.Color(p.frame), lipgloss.Color(on)); got < 3 {
					t.Errorf("depth %d, %s: the frame on %s has a contrast of %.2f", depth, dark, on, got)
				}
			}
		}
	}
}

// How far a bar goes is seen without colours too.
func TestABarIsReadWithoutColours(t *testing.T) {
	t.Parallel()
	if got := ansi.Strip(New(true).Bar(0.5, 4, New(true).Success)); got != "━━──" {
		t.Errorf("half of a bar is %q", got)
	}
}

// TestFewerColoursAreAsQuiet: nothing that lies behind or between texts stands out more
// in 256 colours than in true colour, but the lines of a diff on dark, which have the darkest
// of their hue.
func TestFewerColoursAreAsQuiet(t *testing.T) {
	t.Parallel()
	for _, s := range Schemes() {
		behind := func(p *palette) []string {
			grounds := []string{p.line, p.surface, p.raised, p.prompt}
			if s.Dark {
				return grounds
			}
			return append(grounds, p.addBg, p.addWord, p.delBg, p.delWord)
		}
		full, few := behind(s.Theme(TrueColor).palette), behind(s.Theme(Colors256).palette)
		for i, meaning := range []string{"line", "badge", "chosen", "prompt", "added", "added_word", "removed", "removed_word"}[:len(few)] {
			for _, ground := range grounds[s.Dark] {
				is, was := contrast(mixed(few[i]), mixed(ground)), contrast(mixed(full[i]), mixed(ground))
				if is > was*1.25 {
					t.Errorf("%s, %s: contrast %.2f to %s in 256 colours, %.2f in true colour", s.Name, meaning, is, ground, was)
				}
			}
		}
	}
}

// TestFewerColoursAreAsStrong: no text is much brighter or darker in 256 colours than in
// true colour. Its contrast to any ground changes by as much as its own to the other.
func TestFewerColoursAreAsStrong(t *testing.T) {
	t.Parallel()
	// Of these the 256 colours have no nearer one of the hue: #005f00 is their darkest green,
	// #5f5f00 their darkest yellow, and #875f00 their darkest orange. A red lighter than
	// #af0000 cannot be read on the ground of removed lines.
	wider := map[string]float64{
		"high-contrast-light accent": 1.57, "high-contrast-light warning": 1.49, "high-contrast-light success": 1.35,
		"solarized-light success": 1.39, "solarized-light error": 1.27,
	}
	for _, s := range Schemes() {
		inks := func(p *palette) []string { return append(p.inks(), p.frame) }
		full, few := inks(s.Theme(TrueColor).palette), inks(s.Theme(Colors256).palette)
		for i, meaning := range []string{"text", "strong", "muted", "faint", "line", "accent", "info", "success", "warning", "error", "special", "frame"} {
			if meaning == "line" {
				continue // no text
			}
			most, named := wider[s.Name+" "+meaning]
			got := contrast(mixed(few[i]), mixed(full[i]))
			if !named {
				most = asBright
			}
			if got > most || named && got <= asBright {
				t.Errorf("%s, %s: %s in 256 colours has a contrast of %.3f to %s, want at most %.2f", s.Name, meaning, few[i], got, full[i], most)
			}
		}
	}
}
