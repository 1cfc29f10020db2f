package tab

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	tea "charm.land/bubbletea/v2"

	"parley/config"
	"parley/internal/app"
	"parley/internal/command"
	"parley/internal/termtext"
	"parley/tui/theme"
	"parley/tui/toolview"
)

// themeSwitcher changes the theme of the whole program, at once.
type themeSwitcher interface {
	// Current returns the chosen theme, Saved the configured one.
	Current() config.Theme
	Saved() config.Theme
	// SetSaved records a change of the configuration.
	SetSaved(config.Theme)
	// Show switches to a theme.
	Show(config.Theme)
	// AddOwn adds the user's own themes.
	AddOwn([]config.OwnTheme)
}

// themeChooser lets the user choose a theme.
type themeChooser struct {
	*ui
	switcher themeSwitcher
}

// chooseTheme lists the themes, with a preview of the selected one.
func chooseTheme(t *Tab, switcher themeSwitcher) tea.Cmd {
	c := &themeChooser{t.ui, switcher}
	list := t.choose(c.list(nil))
	dir := config.ThemeDir()
	return inBackground(func() then {
		found, err := config.FindThemes(dir)
		return func() tea.Cmd {
			switcher.AddOwn(slices.DeleteFunc(slices.Clone(found), func(f config.OwnTheme) bool { return f.Err != nil }))
			if t.dialogs.Has(list) && len(found) > 0 {
				list.SetList(c.list(found))
			}
			return t.sayIf(err)
		}
	})
}

func (c *themeChooser) list(own []config.OwnTheme) command.Choice {
	switcher := c.switcher
	former := switcher.Current()
	item := func(name config.Theme, group, about string) command.Item {
		return command.Item{
			ID: string(name), Title: string(name), Group: group, Detail: about, Current: name == former,
			Do: func() { c.choose(name) },
		}
	}
	items := []command.Item{item(config.ThemeAuto, "", "follows the terminal's background")}
	for _, f := range own {
		one := item(f.Name, "Yours", "like "+string(f.Base)+", with colours of your own")
		if f.Err != nil {
			one.Why = wrongTheme(f.Err)
		}
		items = append(items, one)
	}
	for _, dark := range []bool{true, false} {
		for _, s := range theme.Schemes() {
			if s.Dark == dark {
				items = append(items, item(config.Theme(s.Name), map[bool]string{true: "For dark backgrounds", false: "For light backgrounds"}[dark], s.About))
			}
		}
	}
	return command.Choice{
		Title: "Theme", Items: items, Filter: true,
		Marked: func(id string) { switcher.Show(config.Theme(id)) },
		Gone:   func() { switcher.Show(former) }, // before a theme is chosen
	}
}

// wrongTheme describes the first error in a theme file.
func wrongTheme(err error) string {
	var e *config.Error
	if !errors.As(err, &e) {
		return termtext.Line(err.Error())
	}
	words := e.Message
	if e.Line > 0 {
		words = fmt.Sprintf("line %d: %s", e.Line, e.Message)
	}
	return termtext.Line(words)
}

// choose uses a theme until parley ends, and asks whether to save it.
func (c *themeChooser) choose(name config.Theme) {
	c.switcher.Show(name)
	if name == c.switcher.Saved() {
		return
	}
	file := toolview.PathsIn("").Path(filepath.Clean(config.SavedBeside(config.ConfigFile()).Path))
	c.ask(app.Question{
		Title: "The theme " + string(name), Text: "Keep it? parley then writes this into " + file + ":",
		Lines: []string{fmt.Sprintf("theme = %q", name)},
		Choices: []app.Choice{
			{Name: "Keep it", Here: func() { c.keep(name) }},
			{Name: "Only until you quit"},
		},
	})
}

// keep writes the theme into the configuration, in the background.
func (c *themeChooser) keep(name config.Theme) {
	command.Get(c.acting, "", func(context.Context) (config.Theme, error) {
		return name, config.SavedBeside(config.ConfigFile()).Choose(string(name), "theme")
	}, func(name config.Theme) {
		c.switcher.SetSaved(name)
		c.acting.Say("kept: the theme " + string(name))
	})
}
