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
