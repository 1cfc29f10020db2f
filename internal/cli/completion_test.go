package cli

import (
	"strings"
	"testing"
)

// What is completed is there: a command or flag that is renamed takes its completion
// along.
func TestCompletionsAreOfCommandsThatThereAre(t *testing.T) {
	t.Parallel()
	root := Command()
	for name := range argumentsOf {
		if cmd, rest, err := root.Find(strings.Fields(name)); err != nil || len(rest) > 0 || cmd == root {
			t.Errorf("there is no command %q (%v)", name, err)
		}
	}
	for key := range valuesOf {
		name, flag, _ := strings.Cut(key, "--")
		cmd, rest, err := root.Find(strings.Fields(name))
		if err != nil || len(rest) > 0 {
			t.Errorf("there is no command %q (%v)", name, err)
			continue
		}
		if _, there := cmd.GetFlagCompletionFunc(flag); !there {
			t.Errorf("nothing completes %q of %q", flag, name)
		}
	}
}
