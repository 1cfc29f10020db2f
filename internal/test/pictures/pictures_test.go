//go:build unix

package pictures

import (
	"cmp"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/test/ptytest"
)

// into is the folder that gets the pictures; without it none are made.
var into = flag.String("into", "", "play the scenes, and write their pictures into this folder")

// scene is one picture: what happens until there is something to show.
type scene struct {
	name  string // of the file
	title string // what it shows
	light bool
	rows  int    // of the terminal; 36 if zero
	agent string // the script of the agent called wren
	// others are the scripts of further agents, by their names.
	others map[string]string
	play   func(*stage) *ptytest.Terminal
}

// TestPictures makes the pictures of the guide: "make pictures".
func TestPictures(t *testing.T) {
	if *into == "" {
		t.Skip("no folder for the pictures was given: make pictures")
	}
	must(t, os.MkdirAll(filepath.Join(*into, "pictures"), 0o755))
	for _, s := range scenes {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			scripts := map[string]string{"wren": s.agent}
			maps.Copy(scripts, s.others)
			at := newStage(t, scripts)
			at.light, at.rows = s.light, cmp.Or(s.rows, at.rows)
			screen := s.play(at).Screen()
			if screen.Contains(at.home) {
				t.Errorf("a path of this machine is on the picture:\n%s", screen)
			}
			must(t, os.WriteFile(filepath.Join(*into, "pictures", s.name+".svg"), SVG(screen, s.title, s.light), 0o644))
			if os.Getenv("SHOW") != "" {
				t.Logf("\n%s", strings.TrimRight(screen.String(), "\n"))
			}
		})
	}
}
