package dialog

import (
	"strings"

	"parley/config"
)

// HintList builds hints from the keys of actions.
type HintList struct {
	Keys config.Keys
	List []Hint
}

// Add adds a hint for the action's first key, if it has one.
func (h *HintList) Add(a config.Action, words string) { h.AddAll(words, a) }

// AddAll adds one hint for the first keys of related actions, if any has a key.
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
