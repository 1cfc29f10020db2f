package theme

import (
	"fmt"
	"maps"
	"slices"
)

// Scheme is the colours that a theme is made of, whatever terminal it is for. It is
// not changed after it was made, and may then be used from any goroutine.
type Scheme struct {
	// Name is what the configuration calls it, About what it looks like, in a few words.
	Name, About string
	// Dark says for which kind of terminal background it is.
	Dark bool

	colours palette
	// few are the colours for terminals that have 256; where there are none, they are
	// made from the colours.
	few palette
}

// Schemes are the built-in ones, in the order in which they are offered.
func Schemes() []*Scheme { return slices.Clone(schemes) }

// Named is the built-in scheme with a name, nil if there is none.
func Named(name string) *Scheme {
	if i := slices.IndexFunc(schemes, func(s *Scheme) bool { return s.Name == name }); i >= 0 {
		return schemes[i]
	}
	return nil
}

// Theme is the theme of these colours for a terminal that has so many.
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

// Meanings are the names that the colours of a scheme have in a file, sorted.
func Meanings() []string { return slices.Sorted(maps.Keys((&palette{}).meanings())) }

// meanings are the colours of a palette by what they mean.
func (p *palette) meanings() map[string]*string {
	return map[string]*string{
		"text": &p.text, "strong": &p.strong, "muted": &p.muted, "faint": &p.faint, "line": &p.line,
		"accent": &p.accent, "info": &p.blue, "success": &p.green, "warning": &p.yellow, "error": &p.red, "special": &p.violet,
		"frame": &p.frame, "badge": &p.surface, "chosen": &p.raised, "prompt": &p.prompt,
		"added": &p.addBg, "added_word": &p.addWord, "removed": &p.delBg, "removed_word": &p.delWord,
	}
}

// With is a scheme of another name that differs in some colours: "#rrggbb" by what they
// mean, as [Meanings] calls them. Nothing but the frame of dialogs has the colour of
// that frame: where something would, the frame takes one that nothing else has.
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

// frames are colours for frames where the one that was chosen cannot be told from text.
// There is one more than there are inks, so one of them is free.
var frames = map[bool][]string{
	true: {
		"#4fc3c7", "#4fc3c8", "#4fc3c9", "#4fc3ca", "#4fc3cb", "#4fc3cc", "#4fc3cd", "#4fc3ce", "#4fc3cf", "#4fc3d0", "#4fc3d1", "#4fc3d2",
	},
	false: {
		"#0a7d82", "#0a7d83", "#0a7d84", "#0a7d85", "#0a7d86", "#0a7d87", "#0a7d88", "#0a7d89", "#0a7d8a", "#0a7d8b", "#0a7d8c", "#0a7d8d",
	},
}

// inks are the colours that text is drawn in.
func (p *palette) inks() []string {
	return []string{p.text, p.strong, p.muted, p.faint, p.line, p.accent, p.blue, p.green, p.yellow, p.red, p.violet}
}

// uses reports whether text is drawn in a colour.
func (p *palette) uses(colour string) bool { return slices.Contains(p.inks(), colour) }
