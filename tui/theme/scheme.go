package theme

import (
	"cmp"
	"slices"
	"sync"

	"parley/config"
)

// Scheme is the colours of a theme, for any terminal. It is immutable and safe for
// concurrent use.
type Scheme struct {
	// Name is the name in the configuration, About a short description.
	Name, About string
	// Dark means that it is for dark backgrounds.
	Dark bool

	named   config.Colours
	colours palette
	// few are the colours for 256-colour terminals; if empty, they are derived.
	few palette
}

// Schemes returns the built-in schemes, in the order of the theme list.
func Schemes() []*Scheme { return slices.Clone(schemes()) }

var schemes = sync.OnceValue(func() []*Scheme {
	var list []*Scheme
	for _, t := range config.BuiltInThemes() {
		s := &Scheme{Name: string(t.Name), About: t.About, Dark: t.Dark, named: t.Colours, colours: paletteOf(t.Colours)}
		switch t.Name {
		case config.ThemeDark:
			s.colours.chroma, s.few = "catppuccin-mocha", dark256
		case config.ThemeLight:
			s.colours.chroma, s.few = "catppuccin-latte", light256
		default:
			s.colours = withCode(s.colours)
		}
		list = append(list, s)
	}
	return list
})

// paletteOf returns the palette with the colours of a theme, but for code.
func paletteOf(c config.Colours) palette {
	return palette{
		text: c.Text, strong: c.Strong, muted: c.Muted, faint: c.Faint, line: c.Line,
		accent: c.Accent, blue: c.Info, green: c.Success, yellow: c.Warning, red: c.Error, violet: c.Special,
		frame: c.Frame, surface: c.Badge, raised: c.Chosen, prompt: c.Prompt,
		addBg: c.Added, addWord: c.AddedWord, delBg: c.Removed, delWord: c.RemovedWord,
	}
}

// Named returns the built-in scheme with a name, nil if there is none.
func Named(name string) *Scheme {
	list := schemes()
	if i := slices.IndexFunc(list, func(s *Scheme) bool { return s.Name == name }); i >= 0 {
		return list[i]
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

// With returns a scheme with another name and with those colours that are not "". Only the
// frame of dialogs may have its colour: if another colour is the same, the frame gets a
// free one.
func (s *Scheme) With(name string, colours config.Colours) *Scheme {
	own := &Scheme{Name: name, About: "yours, like " + s.Name, Dark: s.Dark, named: s.named}
	set := colours.Named()
	for i, c := range own.named.Named() {
		*c.At = cmp.Or(*set[i].At, *c.At)
	}
	own.colours = withCode(paletteOf(own.named))
	for _, frame := range frames[own.Dark] {
		if !own.colours.uses(own.colours.frame) {
			break
		}
		own.colours.frame = frame
	}
	return own
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
