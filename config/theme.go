package config

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Theme is the name of a theme.
type Theme string

// The built-in themes. ThemeAuto follows the terminal's background.
const (
	ThemeAuto  Theme = "auto"
	ThemeDark  Theme = "dark"
	ThemeLight Theme = "light"
)

// OwnTheme is a theme of the user's own.
type OwnTheme struct {
	Name Theme
	// Base is the built-in theme for the colours that are "" in Colours.
	Base    Theme
	Colours Colours
	// Err says why its file cannot be used, nil if it can.
	Err error
}

// Themes selects the colours.
type Themes struct {
	// Chosen is [ThemeAuto], or one theme for any background.
	Chosen Theme
	// Dark and Light are the themes for ThemeAuto.
	Dark, Light Theme
	// Own are the user's own themes that the configuration names.
	Own []OwnTheme
}

// ThemeDir returns the directory of theme files, which is beside the configuration.
func ThemeDir() string { return themeDir(ConfigFile()) }

func themeDir(configFile string) string { return filepath.Join(filepath.Dir(configFile), "themes") }

// themeRow is a key with the name of a theme. A theme of the user's own goes into Themes too.
func themeRow(key string, standard Theme, at func(*Themes) *Theme, about string) row[Config] {
	return row[Config]{key: key, about: about, standard: string(standard), read: func(c *Config, t *table, key string) {
		*at(&c.Themes) = cmp.Or(t.themeName(key, &c.Themes), standard)
	}}
}

// themeName reads the name of a theme; "" if there is none. It also reads the file of a
// theme of the user's own.
func (t *table) themeName(key string, themes *Themes) Theme {
	text, known := t.text(key), builtInNames()
	if key == "theme" {
		known = append([]Theme{ThemeAuto}, known...)
	}
	name := Theme(text)
	switch {
	case text == "":
		if v, there := t.values[key]; there && v == "" {
			t.fail(key, "known themes: "+join(known), "is empty")
		}
		return ""
	case slices.Contains(known, name):
		return name
	case slices.ContainsFunc(themes.Own, func(o OwnTheme) bool { return o.Name == name }):
		return name
	case !isID(text):
		t.fail(key, "known themes: "+join(known), "cannot be %q", text)
		return ""
	}
	dir := themeDir(t.doc.file)
	own, err := ReadTheme(filepath.Join(dir, text+".toml"))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		hint := "known themes: " + join(known) + "; your own theme goes in " + filepath.Join(dir, text+".toml")
		if near := Nearest(text, words(known)); near != "" {
			hint = fmt.Sprintf("did you mean %q?", near)
		}
		t.fail(key, hint, "cannot be %q", text)
		return ""
	case err != nil:
		t.doc.add(err)
		return ""
	}
	themes.Own = append(themes.Own, own)
	return name
}

func builtInNames() (names []Theme) {
	for _, t := range builtInThemes {
		names = append(names, t.Name)
	}
	return names
}

func join(themes []Theme) string { return strings.Join(words(themes), ", ") }

// ReadTheme reads a theme file; the theme's name is that of the file. It reports
// everything wrong with the file at once, as [*Error] values joined with [errors.Join];
// if the file is missing, the error is [fs.ErrNotExist].
func ReadTheme(file string) (OwnTheme, error) {
	data, err := readFile(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return OwnTheme{}, err
	case err != nil:
		return OwnTheme{}, unreadable(file, err)
	}
	d, root := open(file, data, nil)
	if root == nil {
		return OwnTheme{}, d.err()
	}
	name := strings.TrimSuffix(filepath.Base(file), ".toml")
	own := OwnTheme{Name: Theme(name), Base: oneOf(root, "base", ThemeDark, builtInNames())}
	if slices.Contains(builtInNames(), own.Name) || own.Name == ThemeAuto {
		d.fail(nil, "give the file another name", "the theme %q is built in", name)
	}
	root.noun = "colour"
	for _, c := range own.Colours.Named() {
		*c.At = root.colour(c.Name)
	}
	for _, other := range own.Colours.Named() {
		if frame := own.Colours.Frame; other.Name != "frame" && frame != "" && *other.At == frame {
			root.fail("frame", "nothing may look like the frame of a dialog", "has the same colour as %q", other.Name)
			break
		}
	}
	root.done()
	return own, d.err()
}

var isColour = regexp.MustCompile(`^#[0-9a-fA-F]{6}$`).MatchString

// colour reads a colour; "" if there is none.
func (t *table) colour(key string) string {
	text := t.text(key)
	if v, there := t.values[key]; there && v == text && !isColour(text) {
		t.fail(key, `write a colour as "#rrggbb"`, "cannot be %q", text)
		return ""
	}
	return strings.ToLower(text)
}

// FindThemes reads all theme files in a directory, sorted by name. A missing directory
// has none.
func FindThemes(dir string) ([]OwnTheme, error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read the themes: %w", err)
	}
	var found []OwnTheme
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), ".toml")
		if !ok || e.IsDir() || !isID(name) {
			continue
		}
		own, err := ReadTheme(filepath.Join(dir, e.Name()))
		own.Name, own.Err = Theme(name), err
		found = append(found, own)
	}
	return found, nil
}
