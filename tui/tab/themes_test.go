package tab

import (
	"os"
	"strings"
	"testing"

	"parley/config"
)

// looking remembers what it was asked for.
type looking struct{ shown, kept config.Theme }

func (l *looking) Current() config.Theme      { return "auto" }
func (l *looking) Saved() config.Theme        { return l.kept }
func (l *looking) SetSaved(name config.Theme) { l.kept = name }
func (l *looking) Show(name config.Theme)     { l.shown = name }
func (l *looking) AddOwn([]config.OwnTheme)   {}

// What is marked is shown; what is chosen is written down only if the user says so.
func TestChoose(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PARLEY_CONFIG_HOME", dir)
	t.Setenv("XDG_CONFIG_HOME", dir)
	for _, keep := range []bool{false, true} {
		runBench(t, func(t *testing.T, b *bench) {
			l := &looking{kept: config.ThemeAuto}
			b.Do(chooseTheme(b.Tab, l))
			b.Press("down")
			marked := l.shown
			if marked == "" || marked == config.ThemeAuto {
				t.Fatalf("%q is shown", marked)
			}
			b.Press("enter")
			b.MustSay("Keep it? parley then writes")
			if keep {
				b.Choose("Keep it")
				b.MustSay("kept: the theme " + string(marked))
			} else {
				b.Choose("Only until you quit")
			}
			data, _ := os.ReadFile(config.SavedBeside(config.ConfigFile()).Path)
			if written := strings.Contains(string(data), string(marked)); written != keep || l.shown != marked {
				t.Errorf("kept %v: %q is shown, and the file is %q", keep, l.shown, data)
			}
		})
	}
}
