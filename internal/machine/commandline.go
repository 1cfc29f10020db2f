package machine

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// commandLine returns a command as a user would type it.
func commandLine(command string, args []string) string {
	if len(args) == 0 {
		return command // perhaps a whole shell line
	}
	words := make([]string, 0, len(args)+1)
	for _, w := range append([]string{command}, args...) {
		if q, err := syntax.Quote(w, syntax.LangBash); err == nil {
			w = q
		}
		words = append(words, w)
	}
	return strings.Join(words, " ")
}
