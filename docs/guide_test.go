package docs

import (
	"strings"
	"testing"

	"parley/config"
)

// The configuration in the guide can be used as it stands.
func TestConfigurationOfTheGuide(t *testing.T) {
	_, text, _ := strings.Cut(Guide(), "```toml\n")
	text, _, found := strings.Cut(text, "```")
	if _, err := config.Parse("guide.md", []byte(text)); err != nil || !found {
		t.Errorf("%v: %s", err, text)
	}
}

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
