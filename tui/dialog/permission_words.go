package dialog

import "strings"

// said is what the agent says about the question itself, as far as the title of its
// call does not say the same.
func (d *Permission) askedTexts() []string {
	var all []string
	for _, words := range []string{d.asked.Title, d.asked.Description} {
		if words = strings.TrimSpace(words); words != "" && words != strings.TrimSpace(d.asked.Asked.Title) {
			all = append(all, words)
		}
	}
	return all
}
