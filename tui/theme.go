package tui

import (
	tea "charm.land/bubbletea/v2"

	"parley/config"
	"parley/tui/screen"
	"parley/tui/theme"
)

// themeState is the theme on the screen and where it comes from.
type themeState struct {
	themes   config.Themes
	saved    config.Theme // the configured theme
	markdown config.MarkdownStyle
	own      map[config.Theme]*theme.Scheme
	// dark is the terminal's background, as far as known, and depth its colours.
	dark  bool
	depth theme.Depth
	// asks means that the terminal should be asked for its background.
	asks bool
	// changed means that expensive colouring has not been redone yet.
	changed bool
}

func newThemeState(c *config.Config) themeState {
	l := themeState{themes: c.Themes, saved: c.Themes.Chosen, markdown: c.MarkdownStyle, dark: true, own: map[config.Theme]*theme.Scheme{}}
	l.addOwn(c.Themes.Own)
	l.asks = l.follows()
	return l
}

// SchemeFor returns the configured colours for a terminal's background.
func SchemeFor(c *config.Config, dark bool) *theme.Scheme {
	l := newThemeState(c)
	l.dark = dark
	return l.scheme()
}

// addOwn adds the user's own themes.
func (l *themeState) addOwn(themes []config.OwnTheme) {
	for _, own := range themes {
		base := theme.Named(string(own.Base))
		if base == nil {
			continue // the configuration has said so
		}
		l.own[own.Name] = base.With(string(own.Name), own.Colours)
	}
}

// follows reports whether the theme follows the terminal's background.
func (l *themeState) follows() bool { return l.themes.Chosen == config.ThemeAuto }

// scheme returns the colours for the terminal's background.
func (l *themeState) scheme() *theme.Scheme {
	name := l.themes.Chosen
	if l.follows() {
		name = l.themes.Light
		if l.dark {
			name = l.themes.Dark
		}
	}
	if own := l.own[name]; own != nil {
		return own
	}
	if built := theme.Named(string(name)); built != nil {
		return built
	}
	return theme.Named("dark")
}

func (l *themeState) theme() *theme.Theme {
	return l.scheme().Theme(l.depth).WithMarkdown(l.markdown.Style)
}

// restyle applies the current theme.
func (m *Model) restyle() {
	m.program.Theme, m.theming.changed = m.theming.theme(), true
	for _, t := range m.tabs {
		t.SetTheme(m.program.Theme)
	}
}

// recolour redoes expensive colouring after a change of theme.
func (m *Model) recolour() tea.Cmd {
	if !m.theming.changed {
		return nil
	}
	m.theming.changed = false
	var all []tea.Cmd
	for _, t := range m.tabs {
		all = append(all, t.Recolour())
	}
	return tea.Batch(all...)
}

// background handles the terminal's report of its background.
func (m *Model) background(dark bool) {
	if m.theming.dark == dark {
		return
	}
	m.theming.dark = dark
	if m.theming.follows() {
		m.restyle()
	}
}

// askForBackground asks the terminal for its background, if needed.
func (m *Model) askForBackground() tea.Cmd {
	if !m.theming.asks {
		return nil
	}
	m.theming.asks = false
	return screen.RequestBackgroundColor
}

// themeSwitcher changes the theme for a tab.
type themeSwitcher struct{ m *Model }

func (l themeSwitcher) Current() config.Theme { return l.m.theming.themes.Chosen }

func (l themeSwitcher) Saved() config.Theme { return l.m.theming.saved }

func (l themeSwitcher) SetSaved(name config.Theme) { l.m.theming.saved = name }

func (l themeSwitcher) AddOwn(themes []config.OwnTheme) { l.m.theming.addOwn(themes) }

func (l themeSwitcher) Show(name config.Theme) {
	look := &l.m.theming
	if look.themes.Chosen == name {
		return
	}
	look.themes.Chosen = name
	look.asks = look.follows()
	l.m.restyle()
}
