package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"charm.land/bubbles/v2/key"
)

// Keys maps keys to actions. It is immutable and safe for concurrent use. The zero
// value binds nothing; see [Default].
type Keys struct {
	actions  *Actions
	byAction map[Action]key.Binding
	byKey    map[keyIn]Action
}

// keyIn is a key in a context; it has at most one action.
type keyIn struct {
	context Context
	key     string
}

// unbound returns the actions without keys.
func (a *Actions) unbound() Keys {
	k := Keys{actions: a, byAction: make(map[Action]key.Binding), byKey: make(map[keyIn]Action)}
	for _, info := range a.List() {
		k.byAction[info.Action] = key.NewBinding(key.WithHelp("", info.Help))
	}
	return k
}

// bind adds a key to an action. If the key is taken, it returns by which action and
// changes nothing.
func (k Keys) bind(a Action, name string) (taken Action, ok bool) {
	at := keyIn{k.actions.context(a), name}
	if other, bound := k.byKey[at]; bound {
		return other, other == a
	}
	k.byKey[at] = a
	b := k.byAction[a]
	b.SetKeys(append(b.Keys(), name)...)
	b.SetHelp(ShownKey(b.Keys()[0]), b.Help().Desc)
	k.byAction[a] = b
	return "", true
}

// arrows are the symbols of the keys that have one.
var arrows = map[string]string{"left": "←", "right": "→", "up": "↑", "down": "↓"}

// ShownKey returns a key as it is shown.
func ShownKey(name string) string {
	at := strings.LastIndexByte(name, '+') + 1
	return name[:at] + cmp.Or(arrows[name[at:]], name[at:])
}

// Actions returns the actions that keys can have.
func (k Keys) Actions() *Actions { return k.actions }

// Match reports whether a key does a, in the context that a belongs to. The key is in
// the form of Bubble Tea's KeyPressMsg.String. It costs two map lookups.
func (k Keys) Match(a Action, name string) bool {
	bound, ok := k.byKey[keyIn{k.actions.context(a), name}]
	return ok && bound == a
}

// Action returns what a key does in a context. It costs one map lookup.
func (k Keys) Action(in Context, name string) (Action, bool) {
	a, ok := k.byKey[keyIn{in, name}]
	return a, ok
}

// For returns the keys of an action, the one to show first. It is empty if the action
// is unbound.
func (k Keys) For(a Action) []string { return slices.Clone(k.byAction[a].Keys()) }

// First returns the key of an action to show, "" if it is unbound.
func (k Keys) First(a Action) string { return k.byAction[a].Help().Key }

// Binding returns the keys of an action with their help: the key to show, and what the
// action does. The binding of an unbound action is disabled. It does not know its
// context; use [Keys.Match] or [Keys.Action]. Do not change the keys of the binding.
func (k Keys) Binding(a Action) key.Binding { return k.byAction[a] }

// nounAction is what errors call a key of [keys].
const nounAction = "action"

// keyBindings reads [keys]. Actions that are missing keep their default; an empty list
// unbinds an action.
func (t *table) keyBindings() Keys {
	keys, _ := t.child("keys")
	if t.doc.actions == nil {
		return Keys{}
	}
	keys.noun = nounAction
	wanted := make(map[Action][]string)
	actions := t.doc.actions
	for _, a := range actions.List() {
		wanted[a.Action] = a.Keys
		texts := keys.texts(string(a.Action), true)
		if keys.has(string(a.Action)) {
			wanted[a.Action] = keys.keystrokes(a, texts)
		}
	}
	bound := actions.unbound()
	for _, a := range actions.List() {
		for _, name := range wanted[a.Action] {
			if other, ok := bound.bind(a.Action, name); !ok {
				keys.conflict(other, a.Action, name)
			}
		}
	}
	keys.done()
	return bound
}

func (t *table) keystrokes(a ActionInfo, texts []string) []string {
	var list []string
	typed := t.doc.actions.group[a.Action].Typed
	for _, text := range texts {
		name, err := parseKey(text)
		switch {
		case err != nil:
			t.fail(string(a.Action), err.hint, "has an invalid key: %q %s", text, err.message)
		case typed != "" && !a.Bare && Types(name):
			t.fail(string(a.Action), `add a modifier, as in "ctrl+`+strings.ToLower(name)+`"`,
				"cannot be %q, which types text into %s", text, typed)
		default:
			list = append(list, name)
		}
	}
	return list
}

// conflict reports two actions with one key: at the configured one, or at the later one
// if both are configured.
func (t *table) conflict(first, second Action, name string) {
	at, other := second, first
	if !t.has(string(second)) || t.has(string(first)) && t.offset(string(first)) > t.offset(string(second)) {
		at, other = first, second
	}
	hint := "give one of them another key"
	if !t.has(string(other)) {
		hint = fmt.Sprintf("%q has it by default, give that another key too", other)
	}
	t.fail(string(at), hint, "takes %q, the key of %q in the same context (%s)", name, other, t.doc.actions.context(at))
}

// modifiers in the order in which Bubble Tea prints them.
var modifiers = []string{"ctrl", "alt", "shift", "meta", "hyper", "super"}

var modifierNames = map[string]string{
	"control": "ctrl", "ctl": "ctrl", "option": "alt", "opt": "alt",
	"cmd": "super", "command": "super", "win": "super", "windows": "super",
}

// keyNames are the keys that Bubble Tea names instead of printing a character, without
// modifiers alone and media keys.
var keyNames = append([]string{
	"enter", "tab", "backspace", "esc", "space", "up", "down", "left", "right",
	"insert", "delete", "home", "end", "pgup", "pgdown", "begin", "find", "select",
	"menu", "pause", "printscreen",
}, functionKeys()...)

var keySynonyms = map[string]string{
	"return": "enter", "escape": "esc", " ": "space", "spacebar": "space",
	"bs": "backspace", "del": "delete", "ins": "insert",
	"pageup": "pgup", "page_up": "pgup", "prior": "pgup",
	"pagedown": "pgdown", "page_down": "pgdown", "pgdn": "pgdown", "next": "pgdown",
	"print": "printscreen", "plus": "+", "minus": "-", "comma": ",", "period": ".", "equal": "=",
}

func functionKeys() []string {
	const most = 63
	list := make([]string, most)
	for i := range list {
		list[i] = fmt.Sprintf("f%d", i+1)
	}
	return list
}

// parseKey converts a key, as people write it, to the form of Bubble Tea's
// KeyPressMsg.String: "Ctrl+Shift+P" is "ctrl+shift+p", "return" is "enter", "shift+g"
// is "G". The case of a letter matters only without a modifier.
func parseKey(text string) (string, *problem) {
	fail := func(message, hint string) (string, *problem) { return "", &problem{message, hint} }
	if text == "" {
		return fail("is empty", "write [] for no key")
	}
	var parts []string
	name := text
	// The last "+" may be the key itself.
	if i := strings.LastIndex(text[:len(text)-1], "+"); i >= 0 {
		parts, name = strings.Split(text[:i], "+"), text[i+1:]
	}
	has := make(map[string]bool)
	for _, part := range parts {
		mod := strings.ToLower(strings.TrimSpace(part))
		if full, ok := modifierNames[mod]; ok {
			mod = full
		}
		if !slices.Contains(modifiers, mod) {
			return fail(fmt.Sprintf("has an unknown modifier %q", part), didYouMean(mod, modifiers, "modifiers"))
		}
		if has[mod] {
			return fail(fmt.Sprintf("has %q twice", mod), "")
		}
		has[mod] = true
	}

	if utf8.RuneCountInString(name) > 1 {
		name = strings.ToLower(strings.TrimSpace(name))
	}
	if full, ok := keySynonyms[name]; ok {
		name = full
	}
	if utf8.RuneCountInString(name) != 1 {
		if !slices.Contains(keyNames, name) {
			return fail("is not a known key", didYouMean(name, keyNames, ""))
		}
		return joinKey(has, name), nil
	}

	r, _ := utf8.DecodeRuneInString(name)
	switch {
	case !unicode.IsGraphic(r) || r == utf8.RuneError:
		return fail("is not a character that a key can type", "")
	case len(has) == 0:
		return name, nil
	case len(has) == 1 && has["shift"]:
		// Shift alone changes the letter, and keys match by the letter.
		if upper := unicode.ToUpper(r); upper != r || unicode.IsUpper(r) {
			return string(upper), nil
		}
		return fail("depends on the keyboard layout", `write the resulting character, as in "?"`)
	}
	return joinKey(has, string(unicode.ToLower(r))), nil
}

func joinKey(has map[string]bool, name string) string {
	var b strings.Builder
	for _, mod := range modifiers {
		if has[mod] {
			b.WriteString(mod + "+")
		}
	}
	return b.String() + name
}

// Types reports whether a key, in the form of Bubble Tea's KeyPressMsg.String, types
// text.
func Types(key string) bool {
	return utf8.RuneCountInString(key) == 1 || key == "space" || key == "shift+space"
}
