package tab

import (
	"slices"
	"strings"
	"unicode"

	"charm.land/lipgloss/v2"

	"parley/acpclient"
	"parley/internal/conversation"
	"parley/tui/theme"
)

// autonomy is what an agent may do without asking in a mode.
type autonomy uint8

const (
	unknownAutonomy autonomy = iota
	looksOnly                // it plans and reads
	asksFirst                // it asks before it changes anything
	editsFreely              // it changes files without asking
	doesAnything             // it asks nothing
)

// freedoms maps words in mode names to what the mode allows, the freest first: if two
// match, the mode counts as the freer one.
var freedoms = []struct {
	autonomy autonomy
	words    []string
}{
	{doesAnything, spaced(
		"bypass", "bypass permissions", "yolo", "full access", "dont ask", "never ask", "unrestricted", "skip permissions",
		"dangerous", "danger", "danger full access", "auto approve", "approve all", "allow all",
	)},
	{editsFreely, spaced("accept edits", "auto edit", "auto accept", "edit automatically", "auto")},
	{looksOnly, spaced("plan", "planning", "read only")},
	{asksFirst, spaced("ask", "always ask", "default", "manual")},
}

// autonomyOf guesses from its names what a mode allows.
func autonomyOf(names ...string) autonomy {
	words := " "
	for _, name := range names {
		words += wordsOf(name) + " | "
	}
	for _, f := range freedoms {
		if anyIn(words, f.words) {
			return f.autonomy
		}
	}
	return unknownAutonomy
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

func anyIn(words string, phrases []string) bool {
	return slices.ContainsFunc(phrases, func(p string) bool { return strings.Contains(words, p) })
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

// modeStyle is the style of the badge of a mode: its colour says what the mode allows.
func modeStyle(o *acpclient.SessionConfigOption, th *theme.Theme) lipgloss.Style {
	v := o.CurrentValue
	names := []string{string(v.ID), conversation.ValueName(o, v)}
	if v.IsBool && v.Bool {
		names = []string{o.Name}
	}
	switch autonomyOf(names...) {
	case looksOnly:
		return th.BadgeInfo
	case editsFreely:
		return th.BadgeWarning
	case doesAnything:
		return th.BadgeError
	}
	return th.BadgeMode
}
