package docs

import (
	"strings"
	"testing"
)

// A terminal shows no pictures; what stands around them stays.
func TestGuideWithoutPictures(t *testing.T) {
	shown := Guide()
	if strings.Contains(shown, "![") || !strings.Contains(guide, "![") {
		t.Error("the guide in a terminal has pictures, or the one in a browser has none")
	}
	for line := range strings.Lines(guide) {
		if !strings.HasPrefix(line, "![") && !strings.Contains(shown, line) {
			t.Errorf("missing: %s", line)
		}
	}
}
