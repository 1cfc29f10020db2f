package config

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// keyError says why a text is not a key.
type keyError struct {
	Text, Reason, Hint string
}

// Error returns one line.
func (e *keyError) Error() string {
	text := fmt.Sprintf("key %q %s", printable(e.Text), e.Reason)
	if e.Hint != "" {
		text += ": " + e.Hint
	}
	return text
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
func parseKey(text string) (string, *keyError) {
	fail := func(reason, hint string) (string, *keyError) {
		return "", &keyError{Text: text, Reason: reason, Hint: hint}
	}
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
			return fail("is not the name of a key", didYouMean(name, keyNames, ""))
		}
		return joinKey(has, name), nil
	}

	r, _ := utf8.DecodeRuneInString(name)
	switch {
	case !unicode.IsGraphic(r) || r == utf8.RuneError:
		return fail("is not a character that a key types", "")
	case len(has) == 0:
		return name, nil
	case len(has) == 1 && has["shift"]:
		// Shift alone changes the letter, and keys match by the letter.
		if upper := unicode.ToUpper(r); upper != r || unicode.IsUpper(r) {
			return string(upper), nil
		}
		return fail("depends on the layout of the keyboard", `write the character that the two type together, as in "?"`)
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
