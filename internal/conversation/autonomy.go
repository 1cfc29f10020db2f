package conversation

import (
	"slices"
	"strings"
	"unicode"

	"parley/acpclient"
	"parley/internal/termtext"
)

// Autonomy is what an agent may do without asking in a mode.
type Autonomy uint8

// The degrees of autonomy.
const (
	UnknownAutonomy Autonomy = iota
	LooksOnly                // it plans and reads
	AsksFirst                // it asks before it changes anything
	EditsFreely              // it changes files without asking
	DoesAnything             // it asks nothing
)

// freedoms maps words in mode names to what the mode allows, the freest first: if two
// match, the mode counts as the freer one.
var freedoms = []struct {
	autonomy Autonomy
	words    []string
}{
	{DoesAnything, spaced(
		"bypass", "bypass permissions", "yolo", "full access", "dont ask", "never ask", "unrestricted", "skip permissions",
		"dangerous", "danger", "danger full access", "auto approve", "approve all", "allow all",
	)},
	{EditsFreely, spaced("accept edits", "auto edit", "auto accept", "edit automatically", "auto")},
	{LooksOnly, spaced("plan", "planning", "read only")},
	{AsksFirst, spaced("ask", "always ask", "default", "manual")},
}

// autonomyOf guesses from its names what a mode allows.
func autonomyOf(names ...string) Autonomy {
	words := " "
	for _, name := range names {
		words += wordsOf(name) + " | "
	}
	for _, f := range freedoms {
		if slices.ContainsFunc(f.words, func(phrase string) bool { return strings.Contains(words, phrase) }) {
			return f.autonomy
		}
	}
	return UnknownAutonomy
}

// spaced returns phrases with a space on both sides, also written as one word, as in
// readonly.
func spaced(phrases ...string) []string {
	var all []string
	for _, p := range phrases {
		all = append(all, " "+p+" ", " "+strings.ReplaceAll(p, " ", "")+" ")
	}
	return all
}

// wordsOf returns the words of a name in lower case, separated by spaces. It gives the
// same for "acceptEdits", "accept_edits" and "Accept edits".
func wordsOf(name string) string {
	var b strings.Builder
	before := ' '
	for _, r := range name {
		switch {
		case r == '\'' || r == '’': // don't
			continue
		case !unicode.IsLetter(r):
			b.WriteByte(' ')
		case unicode.IsUpper(r) && unicode.IsLower(before):
			b.WriteByte(' ')
			fallthrough
		default:
			b.WriteRune(unicode.ToLower(r))
		}
		before = r
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// Autonomy returns what the agent may do without asking in its current mode, as far as the mode's
// names and the table of quirks tell.
func (s *State) Autonomy() Autonomy {
	o := s.OptionByCategory(acpclient.CategoryMode)
	if o == nil {
		return UnknownAutonomy
	}
	return s.autonomyIn(o, o.CurrentValue)
}

// Looking returns the option that is the agent's mode, and its value in which the agent changes
// nothing, or else asks first; nil if no mode is known for that.
func (s *State) Looking() (o *acpclient.SessionConfigOption, v acpclient.ConfigValue) {
	if o = s.OptionByCategory(acpclient.CategoryMode); o == nil {
		return nil, v
	}
	values := []acpclient.ConfigValue{acpclient.BoolValue(true)}
	if o.Type != acpclient.ConfigBoolean {
		values = nil
		for _, of := range o.Options.All() {
			values = append(values, acpclient.SelectValue(of.Value))
		}
	}
	for _, wanted := range []Autonomy{LooksOnly, AsksFirst} {
		i := slices.IndexFunc(values, func(v acpclient.ConfigValue) bool { return s.autonomyIn(o, v) == wanted })
		if i >= 0 {
			return o, values[i]
		}
	}
	return nil, v
}

// autonomyIn returns what the agent may do without asking in a mode.
func (s *State) autonomyIn(o *acpclient.SessionConfigOption, v acpclient.ConfigValue) Autonomy {
	if known, is := s.quirks().Modes[string(v.ID)]; is {
		return known
	}
	names := []string{string(v.ID), ValueName(o, v)}
	if v.IsBool {
		if names = nil; v.Bool {
			names = []string{o.Name}
		}
	}
	return autonomyOf(names...)
}

// Unasked returns the name of the agent's mode if that lets it change files without asking, and
// the user has not chosen it; otherwise "".
func (s *State) Unasked() string {
	o := s.OptionByCategory(acpclient.CategoryMode)
	if s.Autonomy() < EditsFreely {
		return ""
	}
	if _, chosen := s.names[o.ID]; chosen {
		return ""
	}
	return termtext.Line(ValueName(o, o.CurrentValue))
}
