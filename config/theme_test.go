package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// writeTheme writes the file of a theme beside a configuration, and returns the path of
// the configuration.
func writeTheme(t *testing.T, name, text string) (configFile string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "themes"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "themes", name+".toml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "config.toml")
}

func TestThemes(t *testing.T) {
	file := writeTheme(t, "mine", "base = \"nord\"\naccent = \"#A0B0C0\"\nadded_word = \"#102030\"\n")
	c, err := Parse(file, []byte("theme_dark = \"mine\"\ntheme_light = \"solarized-light\""), TestActions)
	if err != nil {
		t.Fatal(err)
	}
	if c.Themes.Chosen != ThemeAuto || c.Themes.Dark != "mine" || c.Themes.Light != "solarized-light" || len(c.Themes.Own) != 1 {
		t.Fatalf("%+v", c.Themes)
	}
	if own := c.Themes.Own[0]; own.Name != "mine" || own.Base != "nord" || own.Colours != (Colours{Accent: "#a0b0c0", AddedWord: "#102030"}) {
		t.Errorf("%+v", own)
	}
}

// What is wrong with the file of a theme is told with its own name and line.
func TestWrongThemes(t *testing.T) {
	for name, tt := range map[string]struct{ text, want string }{
		"unknown colour": {"acent = \"#a0b0c0\"", `mine.toml:1:1: unknown colour "acent": did you mean "accent"?`},
		"no colour":      {"text = \"#ffffff\"\naccent = \"red\"", "mine.toml:2:10: accent cannot be \"red\": write a colour as \"#rrggbb\""},
		"a number":       {"accent = 7", "mine.toml:1:10: accent must be a string, not a number"},
		"empty":          {"accent = \"\"", "mine.toml:1:10: accent cannot be \"\""},
		"unknown base":   {"base = \"nrd\"", `mine.toml:1:8: base cannot be "nrd": did you mean "nord"?`},
		"no TOML":        {"\n\naccent = red", "mine.toml:3:"},
		"like a dialog":  {"accent = \"#00ffff\"\nframe = \"#00FFFF\"", `mine.toml:2:9: frame has the same colour as "accent": nothing may look like the frame of a dialog`},
	} {
		file := writeTheme(t, "mine", tt.text)
		_, err := Parse(file, []byte(`theme = "mine"`), TestActions)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v\nwant %s", name, err, tt.want)
		}
	}
	file := writeTheme(t, "mine", "")
	for config, want := range map[string]string{
		`theme = "mien"`:      `theme cannot be "mien": known themes: auto, dark`,
		`theme_dark = "auto"`: `theme_dark cannot be "auto": known themes: dark`,
		`theme = "../x"`:      `theme cannot be "../x"`,
		`theme = "gruvbox"`:   `did you mean "gruvbox-dark"?`,
	} {
		if _, err := Parse(file, []byte(config), TestActions); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", config, err)
		}
	}
	taken := writeTheme(t, "nord", "text = \"#ffffff\"")
	if found, err := FindThemes(filepath.Dir(taken) + "/themes"); err != nil || len(found) != 1 || found[0].Err == nil {
		t.Errorf("a theme of a name that is taken: %+v, %v", found, err)
	}
}

func TestFindThemes(t *testing.T) {
	file := writeTheme(t, "good", "text = \"#ffffff\"")
	dir := filepath.Join(filepath.Dir(file), "themes")
	for name, text := range map[string]string{"bad.toml": "x", "notes.txt": "", ".hidden.toml": ""} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	found, err := FindThemes(dir)
	if err != nil || len(found) != 2 || found[0].Name != "bad" || found[0].Err == nil || found[1].Name != "good" || found[1].Err != nil {
		t.Errorf("%+v, %v", found, err)
	}
	if found, err := FindThemes(filepath.Join(dir, "none")); err != nil || found != nil {
		t.Errorf("%+v, %v", found, err)
	}
}

func TestAttention(t *testing.T) {
	c, err := Parse("/etc/config.toml", []byte(`
glyphs = "ascii"
reduced_motion = true
[attention]
when = "always"
on = "question"
notify = "osc777"
command = ["notify", "{text}"]
title = false
progress = false
`), TestActions)
	if err != nil {
		t.Fatal(err)
	}
	a := c.Attention
	if c.Glyphs != GlyphsASCII || !c.ReducedMotion || a.When != WhenAlways || len(a.On) != 1 || a.On[0] != HappeningQuestion ||
		a.Notify != NoticeOSC777 || len(a.Command) != 2 || !a.NoTitle || a.Progress == nil || *a.Progress {
		t.Errorf("%+v", c)
	}
	_, err = Parse("/etc/config.toml", []byte("[attention]\nwhen = \"alway\"\non = [\"turns\"]\nnotify = 1\ncommand = [\"\"]\nbel = true"), TestActions)
	for _, want := range []string{
		`2:8: attention.when cannot be "alway": did you mean "always"?`, `3:6: attention.on cannot have "turns": did you mean "turn"?`,
		`4:10: attention.notify must be a string, not a number`, `5:11: attention.command is empty: name a program first`, `unknown key "bel" in attention`,
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v\nwant %s", err, want)
		}
	}
}

func TestEnvironmentReducesMotion(t *testing.T) {
	t.Setenv("PREFERS_REDUCED_MOTION", "1")
	t.Setenv(markdownVariable, "")
	if c, err := Load(filepath.Join(t.TempDir(), "none"), TestActions); err != nil || !c.ReducedMotion {
		t.Errorf("%+v, %v", c, err)
	}
}
