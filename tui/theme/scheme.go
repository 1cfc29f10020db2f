package theme

import (
	"fmt"
	"maps"
	"slices"
)

// Scheme is the colours of a theme, for any terminal. It is immutable and safe for
// concurrent use.
type Scheme struct {
	// Name is the name in the configuration, About a short description.
	Name, About string
	// Dark means that it is for dark backgrounds.
	Dark bool

	colours palette
	// few are the colours for 256-colour terminals; if empty, they are derived.
	few palette
}

// Schemes returns the built-in schemes, in the order of the theme list.
func Schemes() []*Scheme { return slices.Clone(schemes) }

// Named returns the built-in scheme with a name, nil if there is none.
func Named(name string) *Scheme {
	if i := slices.IndexFunc(schemes, func(s *Scheme) bool { return s.Name == name }); i >= 0 {
		return schemes[i]
	}
	return nil
}

// Theme returns the theme of these colours for a terminal.
func (s *Scheme) Theme(depth Depth) *Theme {
	switch depth {
	case Colors256:
		few := s.few
		if few.text == "" {
			few = s.fewer()
		}
		return fromPalette(s.Dark, depth, &few)
	case Colors16:
		return fromPalette(s.Dark, depth, s.sixteen())
	}
	colours := s.colours
	return fromPalette(s.Dark, depth, &colours)
}

// Meanings returns the names of a scheme's colours in a theme file, sorted.
func Meanings() []string { return slices.Sorted(maps.Keys((&palette{}).meanings())) }

// meanings returns the colours of a palette by meaning.
func (p *palette) meanings() map[string]*string {
	return map[string]*string{
		"text": &p.text, "strong": &p.strong, "muted": &p.muted, "faint": &p.faint, "line": &p.line,
		"accent": &p.accent, "info": &p.blue, "success": &p.green, "warning": &p.yellow, "error": &p.red, "special": &p.violet,
		"frame": &p.frame, "badge": &p.surface, "chosen": &p.raised, "prompt": &p.prompt,
		"added": &p.addBg, "added_word": &p.addWord, "removed": &p.delBg, "removed_word": &p.delWord,
	}
}

// With returns a scheme with another name and some other colours: "#rrggbb" by
// [Meanings]. Only the frame of dialogs may have its colour: if another colour is too
// similar, the frame gets a free one.
func (s *Scheme) With(name string, colours map[string]string) (*Scheme, error) {
	own := *s
	own.Name, own.About, own.few = name, "yours, like "+s.Name, palette{}
	to := own.colours.meanings()
	for meaning, colour := range colours {
		at, ok := to[meaning]
		if !ok {
			return nil, fmt.Errorf("no colour means %q", meaning)
		}
		*at = colour
	}
	own.colours = withCode(own.colours)
	own.colours.chroma = ""
	for _, frame := range frames[own.Dark] {
		if !own.colours.uses(own.colours.frame) {
			break
		}
		own.colours.frame = frame
	}
	return &own, nil
}

// frames are replacement colours for frames that cannot be told from text. There is one
// more than there are inks, so one of them is free.
var frames = map[bool][]string{
	true: {
		"#4fc3c7", "#4fc3c8", "#4fc3c9", "#4fc3ca", "#4fc3cb", "#4fc3cc", "#4fc3cd", "#4fc3ce", "#4fc3cf", "#4fc3d0", "#4fc3d1", "#4fc3d2",
	},
	false: {
		"#0a7d82", "#0a7d83", "#0a7d84", "#0a7d85", "#0a7d86", "#0a7d87", "#0a7d88", "#0a7d89", "#0a7d8a", "#0a7d8b", "#0a7d8c", "#0a7d8d",
	},
}

// inks returns the colours of text.
func (p *palette) inks() []string {
	return []string{p.text, p.strong, p.muted, p.faint, p.line, p.accent, p.blue, p.green, p.yellow, p.red, p.violet}
}

// uses reports whether any text has a colour.
func (p *palette) uses(colour string) bool { return slices.Contains(p.inks(), colour) }

// schemes are the built-in schemes, in the order of the theme list.
var schemes = []*Scheme{
	{Name: "dark", About: "parley's own, on dark", Dark: true, colours: darkPalette, few: dark256},
	{Name: "light", About: "parley's own, on light", colours: lightPalette, few: light256},
	{Name: "dracula", About: "Dracula: purple and pink on dark", Dark: true, colours: withCode(palette{
		text: "#f8f8f2", strong: "#ffffff", muted: "#b3b9d1", faint: "#8e98c0", line: "#44475a",
		accent: "#ffb86c", frame: "#8be9fd", blue: "#82aaff", green: "#50fa7b", yellow: "#f1fa8c", red: "#ff7777", violet: "#bd93f9",
		surface: "#282a36", raised: "#373a4d", prompt: "#2c2e3b",
		addBg: "#14351f", addWord: "#1f6136", delBg: "#401c26", delWord: "#7a2a38",
	})},
	{Name: "gruvbox-dark", About: "Gruvbox: warm and soft on dark", Dark: true, colours: withCode(palette{
		text: "#ebdbb2", strong: "#fbf1c7", muted: "#bdae93", faint: "#a89984", line: "#504945",
		accent: "#fe8019", frame: "#8ec07c", blue: "#83a598", green: "#b8bb26", yellow: "#fabd2f", red: "#fb6a5a", violet: "#d3869b",
		surface: "#282828", raised: "#3c3836", prompt: "#32302f",
		addBg: "#2b3312", addWord: "#4d5a14", delBg: "#42201c", delWord: "#7c2a24",
	})},
	{Name: "nord", About: "Nord: cool and quiet on dark", Dark: true, colours: withCode(palette{
		text: "#e5e9f0", strong: "#f4f6fa", muted: "#b4bdcc", faint: "#98a4ba", line: "#434c5e",
		accent: "#d99a80", frame: "#8fd0cb", blue: "#88b4e0", green: "#a3be8c", yellow: "#ebcb8b", red: "#e48b94", violet: "#c5a3c4",
		surface: "#2a303c", raised: "#353d4c", prompt: "#2e3440",
		addBg: "#1f3526", addWord: "#34603f", delBg: "#42242a", delWord: "#763640",
	})},
	{Name: "tokyo-night", About: "Tokyo Night: blue and violet on dark", Dark: true, colours: withCode(palette{
		text: "#c8d0f5", strong: "#e9edff", muted: "#a3add4", faint: "#8790bd", line: "#3b4261",
		accent: "#ff9e64", frame: "#5fd7c4", blue: "#7aa2f7", green: "#9ece6a", yellow: "#e0af68", red: "#f7768e", violet: "#bb9af7",
		surface: "#1f2335", raised: "#2c3352", prompt: "#24283b",
		addBg: "#163024", addWord: "#225a3f", delBg: "#3a1c28", delWord: "#722b3f",
	})},
	{Name: "colour-blind-dark", About: "blue and orange in place of green and red, on dark", Dark: true, colours: withCode(palette{
		text: "#dcdde4", strong: "#ffffff", muted: "#a7aab8", faint: "#9497a8", line: "#3f4252",
		accent: "#f0e442", frame: "#cfa3e0", blue: "#a9bcd8", green: "#56b4e9", yellow: "#f2d16b", red: "#ff8f3d", violet: "#f0a8c8",
		surface: "#23252f", raised: "#2f3240", prompt: "#2a2d39",
		addBg: "#10294a", addWord: "#1c4f8c", delBg: "#40270a", delWord: "#7d4a08",
	})},
	{Name: "high-contrast-dark", About: "the strongest contrast, on dark", Dark: true, colours: withCode(palette{
		text: "#ffffff", strong: "#ffffff", muted: "#e2e2e2", faint: "#d0d0d0", line: "#9a9a9a",
		accent: "#ffc04d", frame: "#00ffff", blue: "#9ecbff", green: "#7cf57c", yellow: "#ffff66", red: "#ffa3a3", violet: "#e0b8ff",
		surface: "#1c1c1c", raised: "#303030", prompt: "#262626",
		addBg: "#04300f", addWord: "#0b5420", delBg: "#4a0a0a", delWord: "#7a1010",
	})},
	{Name: "gruvbox-light", About: "Gruvbox: warm and soft on light", colours: withCode(palette{
		text: "#3c3836", strong: "#1d2021", muted: "#665c54", faint: "#71655a", line: "#d5c4a1",
		accent: "#af3a03", frame: "#427b58", blue: "#076678", green: "#5f5c07", yellow: "#8a5a06", red: "#9d0006", violet: "#8f3f71",
		surface: "#f4ecd0", raised: "#ebdfbd", prompt: "#f0e6c6",
		addBg: "#e9efc8", addWord: "#cfdc8e", delBg: "#fbdfd2", delWord: "#f3b7a4",
	})},
	{Name: "solarized-light", About: "Solarized: even and mild on light", colours: withCode(palette{
		text: "#3f545b", strong: "#073642", muted: "#566a71", faint: "#5f6f77", line: "#d6cfb8",
		accent: "#b34316", frame: "#24958c", blue: "#206ba2", green: "#5c6d00", yellow: "#826700", red: "#c12523", violet: "#5e63bd",
		surface: "#f4eedb", raised: "#eae3cb", prompt: "#f0e9d3",
		addBg: "#e4edcf", addWord: "#c3d893", delBg: "#fbe0d8", delWord: "#f4b8ab",
	})},
	{Name: "colour-blind-light", About: "blue and orange in place of green and red, on light", colours: withCode(palette{
		text: "#2b2d3a", strong: "#11121a", muted: "#585b70", faint: "#63667c", line: "#cdd0db",
		accent: "#8a5a00", frame: "#7a3f94", blue: "#44546a", green: "#0b5fa5", yellow: "#7a5f00", red: "#a84300", violet: "#9c3d74",
		surface: "#eff0f5", raised: "#e2e4ec", prompt: "#e6e8f0",
		addBg: "#dbeafd", addWord: "#a9cdf7", delBg: "#fde6cf", delWord: "#fbc48a",
	})},
	{Name: "high-contrast-light", About: "the strongest contrast, on light", colours: withCode(palette{
		text: "#000000", strong: "#000000", muted: "#2e2e2e", faint: "#3d3d3d", line: "#6a6a6a",
		accent: "#7a3500", frame: "#005f66", blue: "#00338f", green: "#00491a", yellow: "#544000", red: "#8a0010", violet: "#4d1a8f",
		surface: "#f2f2f2", raised: "#e2e2e2", prompt: "#ececec",
		addBg: "#d9f7df", addWord: "#a6e8b4", delBg: "#ffe0e0", delWord: "#ffb8b8",
	})},
}
