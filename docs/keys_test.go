package docs_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"parley/config"
	"parley/docs"
	"parley/tui/tab"
)

var code = regexp.MustCompile("`([^`]+)`")

// A key that the guide tells of does something.
func TestKeysOfTheGuideAreThere(t *testing.T) {
	// Those that have a meaning of their own, and cannot be configured.
	known := []string{"@", "/", "!", "1", "9"}
	for _, a := range tab.Actions().List() {
		known = append(known, a.Keys...)
	}
	found := 0
	for line := range strings.Lines(docs.Guide()) {
		cells := strings.Split(line, "|")
		if len(cells) < 3 {
			continue
		}
		for _, key := range code.FindAllStringSubmatch(cells[1], -1) {
			found++
			if !slices.Contains(known, key[1]) {
				t.Errorf("no key %q: %s", key[1], line)
			}
		}
	}
	if found < 20 {
		t.Errorf("%d keys found", found)
	}
}

// The configuration in the guide can be used as it stands.
func TestConfigurationOfTheGuide(t *testing.T) {
	_, text, _ := strings.Cut(docs.Guide(), "```toml\n")
	text, _, found := strings.Cut(text, "```")
	if _, err := config.Parse("guide.md", []byte(text), tab.Actions()); err != nil || !found {
		t.Errorf("%v: %s", err, text)
	}
}
