package config

import (
	"fmt"
	"slices"
	"strings"
)

// Keys says which key does what. It is immutable and may be used from any
// goroutine. The zero value binds nothing; see [DefaultKeys].
type Keys struct {
	byAction map[Action][]string
	byKey    map[binding]Action
}

// binding is a key in a context; it means at most one action.
type binding struct {
	context Context
	key     string
}

var contextOf = func() map[Action]Context {
	m := make(map[Action]Context, len(actions))
	for _, a := range actions {
		m[a.Action] = a.Context
	}
	return m
}()

// DefaultKeys are the keys of a person who has configured none.
func DefaultKeys() Keys {
	k := newKeys()
	for _, a := range actions {
		for _, key := range a.Keys {
			k.bind(a.Action, key)
		}
	}
	return k
}

func newKeys() Keys {
	return Keys{byAction: make(map[Action][]string), byKey: make(map[binding]Action)}
}

// bind adds a key to an action. When the key is taken it returns by which
// action and changes nothing.
func (k Keys) bind(a Action, key string) (taken Action, ok bool) {
	b := binding{contextOf[a], key}
	if other, bound := k.byKey[b]; bound {
		return other, other == a
	}
	k.byKey[b] = a
	k.byAction[a] = append(k.byAction[a], key)
	return "", true
}

// Match says whether key does a, in the context that a belongs to. The key is
// in the form of Bubble Tea's KeyPressMsg.String. It costs two map lookups.
func (k Keys) Match(a Action, key string) bool {
	bound, ok := k.byKey[binding{contextOf[a], key}]
	return ok && bound == a
}

// Action is what key does in a context. It costs one map lookup.
func (k Keys) Action(in Context, key string) (Action, bool) {
	a, ok := k.byKey[binding{in, key}]
	return a, ok
}

// For returns the keys of an action, the one to show first. It is empty for an
// action that was unbound.
func (k Keys) For(a Action) []string { return slices.Clone(k.byAction[a]) }

// keyBindings reads [keys]. What is not there keeps its default; an empty list
// unbinds an action.
func (t *table) keyBindings() Keys {
	keys, _ := t.child("keys")
	keys.noun = "action"
	wanted := make(map[Action][]string, len(actions))
	for _, a := range actions {
		wanted[a.Action] = a.Keys
		texts := keys.texts(string(a.Action), true)
		if keys.has(string(a.Action)) {
			wanted[a.Action] = keys.keystrokes(a, texts)
		}
	}
	bound := newKeys()
	for _, a := range actions {
		for _, key := range wanted[a.Action] {
			if other, ok := bound.bind(a.Action, key); !ok {
				keys.conflict(other, a.Action, key)
			}
		}
	}
	keys.done()
	return bound
}

func (t *table) keystrokes(a ActionInfo, texts []string) []string {
	var list []string
	for _, text := range texts {
		key, err := parseKey(text)
		switch {
		case err != nil:
			t.fail(string(a.Action), err.Hint, "has a key that cannot be: %q %s", text, err.Reason)
		case a.Context == ContextPrompt && a.Action != ActionHelp && Types(key):
			t.fail(string(a.Action), `add a modifier, as in "ctrl+`+strings.ToLower(key)+`"`,
				"cannot be %q, which types text in the prompt", text)
		default:
			list = append(list, key)
		}
	}
	return list
}

// conflict reports two actions with one key, at the one that was configured,
// or at the later one when both were.
func (t *table) conflict(first, second Action, key string) {
	at, other := second, first
	if !t.has(string(second)) || t.has(string(first)) && t.offset(first) > t.offset(second) {
		at, other = first, second
	}
	hint := "give one of them another key"
	if !t.has(string(other)) {
		hint = fmt.Sprintf("%q has it by default, give that another key too", other)
	}
	t.fail(string(at), hint, "takes %q, the key of %q in the same context (%s)", key, other, contextOf[at])
}

func (t *table) offset(a Action) int { return t.doc.keys[t.at.child(string(a)).id()] }
