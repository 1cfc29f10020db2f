//go:build unix

package e2e

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
	cols  int    // 100 if zero
	agent string // the script of the agent called wren
	// others are the scripts of further agents, by their names.
	others map[string]string
	play   func(*stage) *ptytest.Terminal
	// everywhere has the scene shown at all sizes and depths of colour, too.
	everywhere bool
}

// look is a terminal on which the scenes of docs/pictures/looks are played.
type look struct {
	name       string
	cols, rows int
	light      bool
	env        []string
}

var looks = []look{
	{name: "60x20", cols: 60, rows: 20},
	{name: "80x24", cols: 80, rows: 24},
	{name: "120x40", cols: 120, rows: 40},
	{name: "80x24-light", cols: 80, rows: 24, light: true},
	{name: "80x24-256", cols: 80, rows: 24, env: []string{"TERM=xterm-256color", "COLORTERM="}},
	{name: "80x24-16", cols: 80, rows: 24, env: []string{"TERM=xterm", "COLORTERM="}},
}

// TestPictures makes the pictures of the guide: "make pictures".
func TestPictures(t *testing.T) {
	if *into == "" {
		t.Skip("no folder for the pictures was given: make pictures")
	}
	for _, s := range scenes {
		s.picture(t, filepath.Join("pictures", s.name), look{cols: cmp.Or(s.cols, 100), rows: cmp.Or(s.rows, 36), light: s.light})
		for _, l := range looks {
			if s.everywhere {
				s.picture(t, filepath.Join("pictures", "looks", s.name+"-"+l.name), l)
			}
		}
	}
}

// picture plays a scene on a terminal and writes what it shows.
func (s scene) picture(t *testing.T, name string, l look) {
	t.Run(name, func(t *testing.T) {
		t.Parallel()
		scripts := map[string]string{"wren": s.agent}
		maps.Copy(scripts, s.others)
		at := newStage(t, scripts)
		at.cols, at.rows, at.light, at.env = l.cols, l.rows, l.light, l.env
		screen := s.play(at).Screen()
		if screen.Contains(at.home) {
			t.Errorf("a path of this machine is on the picture:\n%s", screen)
		}
		path := filepath.Join(*into, name+".svg")
		must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must(t, os.WriteFile(path, SVG(screen, s.title, l.light), 0o644))
		if os.Getenv("SHOW") != "" {
			t.Logf("\n%s", strings.TrimRight(screen.String(), "\n"))
		}
	})
}
