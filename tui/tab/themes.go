package tab

import (
	"errors"
	"fmt"
	"path/filepath"

	tea "charm.land/bubbletea/v2"

	"parley/config"
	"parley/internal/safetext"
	"parley/tui/dialog"
	"parley/tui/theme"
	"parley/tui/toolface"
)

// Looks is who draws everything in a theme. What it is asked for happens at once.
type Looks interface {
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

// themesMsg is what was found in the files of themes.
type themesMsg struct {
	list  *dialog.Selector
	found []config.FoundTheme
	err   error
}

// showThemes lists the themes. The one that is marked is shown.
func (t *Tab) showThemes() tea.Cmd {
	if t.program.Looks == nil {
		return nil
	}
	list := dialog.NewSelector(t.desk.Env(), t.themeList(nil))
	t.dialogs.Push(list)
	dir := config.ThemeDir()
	return func() tea.Msg {
		found, err := config.FindThemes(dir)
		return themesMsg{list, found, err}
	}
}

// themesFound adds the person's own themes to the list.
func (t *Tab) themesFound(msg themesMsg) tea.Cmd {
	var own []config.OwnTheme
	for _, f := range msg.found {
		if f.Err == nil {
			own = append(own, f.Theme)
		}
	}
	t.program.Looks.Learn(own)
	if t.dialogs.Has(msg.list) && len(msg.found) > 0 {
		msg.list.SetList(t.themeList(msg.found))
	}
	if msg.err != nil {
		return t.desk.Say(msg.err.Error())
	}
	return nil
}

func (t *Tab) themeList(own []config.FoundTheme) dialog.List {
	looks := t.program.Looks
	former := looks.Chosen()
	item := func(name config.Theme, group, about string) dialog.Item {
		return dialog.Item{
			ID: string(name), Title: string(name), Group: group, Detail: about, Current: name == former,
			Do: dialog.Do(func() tea.Cmd { return t.chooseTheme(name) }),
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
		return safetext.Line(err.Error())
	}
	words := e.Message
	if e.Line > 0 {
		words = fmt.Sprintf("line %d: %s", e.Line, e.Message)
	}
	return safetext.Line(words)
}

// chooseTheme takes a theme until parley ends, and asks whether to keep it for good.
func (t *Tab) chooseTheme(name config.Theme) tea.Cmd {
	t.program.Looks.Show(name)
	if name == t.program.Looks.Kept() {
		return nil
	}
	file := toolface.In("").Path(filepath.Clean(config.ConfigFile()))
	t.desk.Ask(dialog.Confirmation{
		Title: "The theme " + string(name), Text: "Is it to be kept for good? Then this is written into " + file + ":",
		Lines: []string{fmt.Sprintf("theme = %q", name)},
		Choices: []dialog.Choice{
			{Name: "Keep it for good", Do: dialog.Do(func() tea.Cmd { return keepTheme(name) })},
			{Name: "Only until parley ends", Do: dialog.Close{}},
		},
	})
	return nil
}

// themeKeptMsg says that a theme was written into the configuration, or why not.
type themeKeptMsg struct {
	name config.Theme
	err  error
}

func keepTheme(name config.Theme) tea.Cmd {
	return func() tea.Msg { return themeKeptMsg{name, config.KeepTheme(config.ConfigFile(), name)} }
}

func (t *Tab) themeKept(msg themeKeptMsg) tea.Cmd {
	if msg.err != nil {
		return t.desk.Say(safetext.Line(msg.err.Error()))
	}
	t.program.Looks.Keep(msg.name)
	return t.desk.Say("kept: the theme " + string(msg.name))
}
