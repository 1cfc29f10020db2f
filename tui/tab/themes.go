// This file is where a person chooses how parley looks.

package tab

import (
	"errors"
	"fmt"
	"path/filepath"

	tea "charm.land/bubbletea/v2"

	"parley/config"
	"parley/internal/termtext"
	"parley/tui/dialog"
	"parley/tui/theme"
	"parley/tui/toolview"
)

// looks is who draws everything in a theme. What it is asked for happens at once.
type looks interface {
	// Chosen is the theme that was chosen, and Kept the one that the configuration has.
	Chosen() config.Theme
	Kept() config.Theme
	// Keep says that the configuration has another theme now.
	Keep(config.Theme)
	// Show draws everything in another theme from now on.
	Show(config.Theme)
	// Learn makes known themes of the person's own.
	Learn([]config.OwnTheme)
}

// chooser lets a person choose a theme.
type chooser struct {
	tab   *Tab
	looks looks
}

// chooseTheme lists the themes. The one that is marked is shown. looks may be nil: then there
// is only one.
func chooseTheme(t *Tab, looks looks) tea.Cmd {
	if looks == nil {
		return nil
	}
	c := &chooser{t, looks}
	list := t.choose(c.list(nil))
	dir := config.ThemeDir()
	return beside(func() then {
		found, err := config.FindThemes(dir)
		return func() tea.Cmd { return c.found(list, found, err) }
	})
}

// found adds the person's own themes to the list.
func (c *chooser) found(list *dialog.Selector, found []config.FoundTheme, err error) tea.Cmd {
	var own []config.OwnTheme
	for _, f := range found {
		if f.Err == nil {
			own = append(own, f.Theme)
		}
	}
	c.looks.Learn(own)
	if c.tab.dialogs.Has(list) && len(found) > 0 {
		list.SetList(c.list(found))
	}
	return c.tab.sayIf(err)
}

func (c *chooser) list(own []config.FoundTheme) dialog.List {
	looks := c.looks
	former := looks.Chosen()
	item := func(name config.Theme, group, about string) dialog.Item {
		return dialog.Item{
			ID: string(name), Title: string(name), Group: group, Detail: about, Current: name == former,
			Do: dialog.Do(func() tea.Cmd { return c.choose(name) }),
		}
	}
	items := []dialog.Item{item(config.ThemeAuto, "", "follows the terminal's background")}
	for _, f := range own {
		one := item(f.Name, "Yours", "like "+string(f.Theme.Base)+", with colours of your own")
		if f.Err != nil {
			one.Disabled, one.Detail, one.Do = true, wrongTheme(f.Err), nil
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
	return dialog.List{
		Title: "Theme", Items: items, Filter: true,
		Marked: func(id string) { looks.Show(config.Theme(id)) },
		Left:   func() { looks.Show(former) },
	}
}

// wrongTheme says what is wrong with the file of a theme: the first thing, where there
// are several.
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

// choose takes a theme until parley ends, and asks whether to keep it for good.
func (c *chooser) choose(name config.Theme) tea.Cmd {
	c.looks.Show(name)
	if name == c.looks.Kept() {
		return nil
	}
	file := toolview.PathsIn("").Path(filepath.Clean(config.ConfigFile()))
	c.tab.ask(dialog.Confirmation{
		Title: "The theme " + string(name), Text: "Is it to be kept for good? Then this is written into " + file + ":",
		Lines: []string{fmt.Sprintf("theme = %q", name)},
		Choices: []dialog.Choice{
			{Name: "Keep it for good", Do: dialog.Do(func() tea.Cmd { return c.keep(name) })},
			{Name: "Only until parley ends", Do: dialog.Close{}},
		},
	})
	return nil
}

// keep writes a theme into the configuration, beside the screen.
func (c *chooser) keep(name config.Theme) tea.Cmd {
	return beside(func() then {
		err := config.SaveTheme(config.ConfigFile(), name)
		return func() tea.Cmd {
			if err != nil {
				return c.tab.say(err.Error())
			}
			c.looks.Keep(name)
			return c.tab.say("kept: the theme " + string(name))
		}
	})
}
