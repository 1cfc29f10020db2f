package theme

import (
	glamour "charm.land/glamour/v2/ansi"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
)

// Depth is the number of colours of a terminal. Each has palettes of its own: rounding
// a colour to the nearest of a few often gives a different or unreadable one.
type Depth uint8

// The depths. A terminal without colours is drawn with 16, which are then left out:
// important differences are also bold, underlined or reversed.
const (
	TrueColor Depth = iota
	Colors256
	Colors16
)

// DepthOf returns the depth for a colour profile.
func DepthOf(p colorprofile.Profile) Depth {
	switch p {
	case colorprofile.TrueColor:
		return TrueColor
	case colorprofile.ANSI256:
		return Colors256
	}
	return Colors16
}

// palette names colours by their look; nothing else does. A colour is "#rrggbb" or the
// number of one of a terminal's 256 or 16; "" is the terminal's own. Text has a
// contrast of at least 4.5 to its background.
type palette struct {
	text, strong, muted, faint, line         string
	accent, blue, green, yellow, red, violet string
	frame                                    string // of dialogs, and of nothing else
	surface, raised                          string // behind badges, and behind the selection
	prompt                                   string // behind the user's messages
	addBg, addWord, delBg, delWord           string
	// chroma is the name of a chroma style for code; if "", code uses the colours of
	// the palette.
	chroma string
	code   *glamour.Chroma
}

// withCode adds colours for code to a palette.
func withCode(p palette) palette {
	ink := func(colour string) glamour.StylePrimitive {
		if colour == "" {
			return glamour.StylePrimitive{}
		}
		return glamour.StylePrimitive{Color: &colour}
	}
	p.code = &glamour.Chroma{
		Text: ink(p.text), Error: ink(p.red), Comment: ink(p.faint), CommentPreproc: ink(p.violet),
		Keyword: ink(p.violet), KeywordReserved: ink(p.violet), KeywordNamespace: ink(p.violet), KeywordType: ink(p.yellow),
		NameBuiltin: ink(p.blue), NameTag: ink(p.violet), NameAttribute: ink(p.yellow), NameClass: ink(p.yellow),
		NameDecorator: ink(p.yellow), NameException: ink(p.red), NameFunction: ink(p.blue),
		LiteralNumber: ink(p.accent), LiteralString: ink(p.green), LiteralStringEscape: ink(p.accent),
		GenericDeleted: ink(p.red), GenericInserted: ink(p.green), GenericSubheading: ink(p.muted),
	}
	return p
}

var (
	// The 240 colours above the first 16 are the same in nearly every terminal.
	dark256 = withCode(palette{
		text: "253", strong: "231", muted: "248", faint: "246", line: "238",
		accent: "215", frame: "80", blue: "111", green: "114", yellow: "186", red: "210", violet: "141",
		surface: "235", raised: "237", prompt: "236",
		// The darkest of these greens and reds are not as quiet as in true colour.
		addBg: "22", addWord: "28", delBg: "52", delWord: "88",
	})
	light256 = withCode(palette{
		text: "236", strong: "232", muted: "240", faint: "241", line: "252",
		accent: "94", frame: "30", blue: "25", green: "22", yellow: "58", red: "124", violet: "92",
		surface: "255", raised: "253", prompt: "254",
		addBg: "194", addWord: "157", delBg: "224", delWord: "217",
	})

	// The 16 are the user's choice, on an unknown background: only those are used that
	// are readable in the common schemes, and none as a background.
	dark16 = withCode(palette{
		text: "", strong: "15", muted: "7", faint: "7", line: "8",
		accent: "11", frame: "6", blue: "14", green: "10", yellow: "11", red: "9", violet: "13",
	})
	light16 = withCode(palette{
		text: "", strong: "0", muted: "", faint: "", line: "7",
		accent: "5", frame: "5", blue: "4", green: "4", yellow: "5", red: "1", violet: "5",
	})
)

// ink returns the style of text in a colour.
func (p *palette) ink(colour string) lipgloss.Style {
	if colour == "" { // the terminal's own
		return lipgloss.NewStyle()
	}
	return lipgloss.NewStyle().Foreground(lipgloss.Color(colour))
}

// inkOn returns the style of text in a colour on a background.
func (p *palette) inkOn(colour, ground string) lipgloss.Style {
	if ground == "" {
		return p.ink(colour)
	}
	return p.ink(colour).Background(lipgloss.Color(ground))
}

// ground returns the escape sequence for a background, "" if there is none.
func (p *palette) ground(colour string) string {
	if colour == "" {
		return ""
	}
	return ansi.NewStyle().BackgroundColor(lipgloss.Color(colour)).String()
}

// badge returns the style of text on a background of its own.
func (p *palette) badge(colour string) lipgloss.Style {
	if p.surface == "" {
		return p.ink(colour).Reverse(true)
	}
	return p.inkOn(colour, p.surface)
}

// standsOut returns the style of the selection, or of the current item.
func (p *palette) standsOut(colour, ground string) lipgloss.Style {
	if p.surface == "" {
		return p.ink(p.accent).Bold(true).Reverse(true)
	}
	return p.inkOn(colour, ground).Bold(true)
}

// diffLine returns the style of an added or removed line: plain text on its background,
// or in its colour where there are no backgrounds.
func (p *palette) diffLine(colour, ground string) lipgloss.Style {
	if ground == "" {
		return p.ink(colour)
	}
	return p.inkOn(p.text, ground)
}

// diffWord returns the style of a changed word in such a line.
func (p *palette) diffWord(colour, ground string) lipgloss.Style {
	if ground == "" {
		return p.ink(colour).Bold(true).Underline(true)
	}
	return p.inkOn(p.strong, ground)
}
