package docs_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"parley/config"
	"parley/docs"
	_ "parley/tui/tab" // registers the keys
)

var code = regexp.MustCompile("`([^`]+)`")

// A key that the guide tells of does something.
func TestKeysOfTheGuideAreThere(t *testing.T) {
	// Those that have a meaning of their own, and cannot be configured.
	known := []string{"@", "/", "!", "1", "9"}
	for _, a := range config.Actions() {
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
