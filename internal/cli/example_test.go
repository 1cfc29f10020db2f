package cli

import (
	"os"
	"regexp"
	"slices"
	"testing"
)

// The example configuration names no command that parley does not have.
func TestTheExampleNamesCommandsThatExist(t *testing.T) {
	text, err := os.ReadFile("../../config/example.toml")
	if err != nil {
		t.Fatal(err)
	}
	var have []string
	for _, command := range subcommands {
		have = append(have, command(&streams{}).Name())
	}
	named := regexp.MustCompile("`parley ([a-z][a-z-]*)").FindAllStringSubmatch(string(text), -1)
	if len(named) == 0 {
		t.Fatal("the example names no command: what is tested here?")
	}
	for _, m := range named {
		if !slices.Contains(have, m[1]) {
			t.Errorf("the example says \"parley %s\", and there are only %q", m[1], have)
		}
	}
}

// parley sessions lists, so it takes the flags of the list, as the guide says.
func TestSessionsTakesTheFlagsOfItsList(t *testing.T) {
	if cmd := sessionsCommand(&streams{}); cmd.Flags().Lookup("all") == nil || cmd.Flags().Lookup("json") == nil {
		t.Errorf("%s does not take --all and --json", cmd.Name())
	}
}
