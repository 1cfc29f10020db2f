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

// What the name of an option may say to be plain, after phrases has made it words: some that mean the answer, and then one
// of once; or one of lasting, and then only words that say of what.
var (
	allowing  = strings.Fields("yes ok allow approve accept permit proceed run")
	rejecting = strings.Fields("no reject deny decline refuse")
	once      = strings.Split(",once,only once,just once,just this once,only this once,this once,this time,just this time,only this time,it,it once,this,"+
		"this call,this command,this edit,this change,this tool,the call,the command,the edit,the change,the tool,this edit once,this command once", ",")
	lasting = map[bool][]string{
		true:  {"always allow", "allow always", "yes always allow", "yes and always allow", "yes and always", "yes allow always", "yes allow all edits always", "allow all edits always", "always approve", "always accept", "accept always", "approve always", "always"},
		false: {"always deny", "deny always", "always reject", "reject always", "no and always deny", "never"},
	}
	ofWhat = strings.Fields("always it for in the all any these such similar session project directory folder workspace commands tools edits changes files calls")

	phrases = strings.NewReplacer("don't allow", "deny", "do not allow", "deny", "disallow", "deny", "never allow", "always deny",
		"don't ask again", "always", "do not ask again", "always", "from now on", "always", "for this session", "always", "during this session", "always", "in this session", "always", "for the session", "always", ",", " ", ".", " ")
	// further is what names of options that reject say besides.
	further = strings.NewReplacer("and tell claude what to do differently", "", "and tell codex what to do differently", "", "and tell the agent what to do differently", "", "and provide feedback", "", "keep planning", "")
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
	means := allowing
	if kind.Rejects() {
		means, name = rejecting, further.Replace(name)
	}
	said := strings.Fields(phrases.Replace(name))
	rest := slices.IndexFunc(said, func(w string) bool { return !slices.Contains(means, w) })
	if rest < 0 {
		rest = len(said)
	}
	switch kind {
	case acpclient.AllowOnce, acpclient.RejectOnce:
		return rest > 0 && slices.Contains(once, strings.Join(said[rest:], " "))
	case acpclient.AllowAlways, acpclient.RejectAlways:
		all := strings.Join(said, " ") + " "
		return slices.ContainsFunc(lasting[kind.Allows()], func(with string) bool {
			of, begins := strings.CutPrefix(all, with+" ")
			return begins && !slices.ContainsFunc(strings.Fields(of), func(w string) bool { return !slices.Contains(ofWhat, w) })
		})
	}
	return false
}
