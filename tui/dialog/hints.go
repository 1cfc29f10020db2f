package dialog

import (
	"strings"

	"parley/config"
)

// HintList makes hints of the keys that actions have.
type HintList struct {
	Keys config.Keys
	List []Hint
}

// Add adds a hint for an action's first key; it is left out if the action has none.
func (h *HintList) Add(a config.Action, words string) { h.AddAll(words, a) }

// AddAll adds one hint for the first keys of actions that belong together. It is left
// out if none of them has a key.
func (h *HintList) AddAll(words string, actions ...config.Action) {
	var names []string
	for _, a := range actions {
		if keys := h.Keys.For(a); len(keys) > 0 {
			names = append(names, keys[0])
		}
	}
	if len(names) > 0 {
		h.List = append(h.List, Hint{Key: strings.Join(names, "/"), Text: words})
	}
}
