package conversation

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"parley/acpclient"
	"parley/internal/termtext"
)

// optionEffects say what an option does, by its kind.
var optionEffects = map[acpclient.PermissionOptionKind]string{
	acpclient.AllowOnce: "allows this once", acpclient.AllowAlways: "allows always",
	acpclient.RejectOnce: "rejects this once", acpclient.RejectAlways: "rejects always",
}

// What the name of an option may say to be plain, after phrases has made it words.
var (
	allowing  = strings.Fields("yes ok allow approve accept permit proceed run")
	rejecting = strings.Fields("no reject deny decline refuse")
	once      = strings.Fields("once only just it this the call command edit change tool")
	// lasting are how the names of options that last begin. What follows says of what, without bounding words.
	lasting = map[bool][]string{
		true:  {"always allow", "allow always", "yes always allow", "yes and always allow", "yes and always", "yes allow always", "yes allow all edits always", "always approve", "always accept", "accept always", "approve always"},
		false: {"always deny", "deny always", "always reject", "reject always", "no and always deny"},
	}
	bounding = strings.Fields("once only just not don't one single nothing ask but")

	phrases = strings.NewReplacer("don't allow", "deny", "do not allow", "deny", "disallow", "deny", "never allow", "always deny",
		"don't ask again", "always", "do not ask again", "always", "from now on", "always", "for this session", "always", "during this session", "always", "in this session", "always", "for the session", "always",
		"and tell claude what to do differently", "", "and tell codex what to do differently", "", "and tell the agent what to do differently", "", "and provide feedback", "", "keep planning", "", ",", " ", ".", " ")
)

// OptionEffect says what an option does, by its kind.
func OptionEffect(o acpclient.PermissionOption) string {
	return cmp.Or(optionEffects[o.Kind], "unknown kind")
}

// OptionLine returns the name of an option, with what it does unless the name says so.
func OptionLine(o acpclient.PermissionOption) string {
	name := cmp.Or(termtext.VisibleLine(o.Name), "unnamed option")
	if PlainOption(o) {
		return name
	}
	return name + " (" + OptionEffect(o) + ")"
}

// PlainOption reports whether the name of an option says what its kind does. Agents name options as they like:
// a name with words that parley does not know does not.
func PlainOption(o acpclient.PermissionOption) bool {
	kind, name := o.Kind, strings.ReplaceAll(strings.ToLower(o.Name), "’", "'")
	if strings.ContainsFunc(name, func(r rune) bool { return r > unicode.MaxASCII }) {
		return false
	}
	means, against := allowing, rejecting
	if kind.Rejects() {
		means, against = rejecting, allowing
	}
	has := func(said, words []string) bool {
		return slices.ContainsFunc(said, func(w string) bool { return slices.Contains(words, w) })
	}
	said := strings.Fields(phrases.Replace(name))
	switch kind {
	case acpclient.AllowOnce, acpclient.RejectOnce:
		return has(said, means) && !slices.ContainsFunc(said, func(w string) bool { return !slices.Contains(means, w) && !slices.Contains(once, w) })
	case acpclient.AllowAlways, acpclient.RejectAlways:
		all := strings.Join(said, " ")
		begins := func(with string) bool { return strings.HasPrefix(all+" ", with+" ") }
		lone := map[bool]string{true: "always", false: "never"}[kind.Allows()]
		return all == lone || slices.ContainsFunc(lasting[kind.Allows()], begins) && !has(said, against) && !has(said, bounding)
	}
	return false
}
