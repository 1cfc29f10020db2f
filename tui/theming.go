package tui

import (
	tea "charm.land/bubbletea/v2"

	"parley/config"
	"parley/tui/theme"
)

// look is which theme is on the screen, and why.
type themeState struct {
	themes   config.Themes
	saved    config.Theme // the one that the configuration has
	markdown config.MarkdownStyle
	own      map[config.Theme]*theme.Scheme
	// dark is the background that the terminal has, as far as is known, and depth how
	// many colours.
	dark  bool
	depth theme.Depth
	// asks says that the terminal should be asked for its background.
	asks bool
	// changed says that there is another theme, and what takes time to colour has not yet
	// been coloured in it.
	changed bool
}

func newThemeState(c *config.Config) themeState {
	l := themeState{themes: c.Themes, saved: c.Themes.Chosen, markdown: c.MarkdownStyle, dark: true, own: map[config.Theme]*theme.Scheme{}}
	l.addOwn(c.Themes.Own)
	l.asks = l.follows()
	return l
}

// SchemeFor is the colours that the configuration has for a terminal's background.
func SchemeFor(c *config.Config, dark bool) *theme.Scheme {
	l := newThemeState(c)
	l.dark = dark
	return l.scheme()
}

// addOwn makes known themes of the person's own.
func (l *themeState) addOwn(themes []config.OwnTheme) {
	for _, own := range themes {
		base := theme.Named(string(own.Base))
		if base == nil {
			continue // the configuration has said so
		}
		if scheme, err := base.With(string(own.Name), own.Colours); err == nil {
			l.own[own.Name] = scheme
		}
	}
}

// follows reports that the theme follows the terminal's background.
func (l *themeState) follows() bool { return l.themes.Chosen == config.ThemeAuto }

// scheme is the colours for the background that the terminal has.
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

// restyle draws everything in the theme that the look has now.
func (m *Model) restyle() {
	m.program.Theme, m.theming.changed = m.theming.theme(), true
	for _, t := range m.tabs {
		t.SetTheme(m.program.Theme)
	}
}

// recolour has coloured in a new theme what takes time.
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

// background takes what the terminal has said about its background.
func (m *Model) background(dark bool) {
	if m.theming.dark == dark {
		return
	}
	m.theming.dark = dark
	if m.theming.follows() {
		m.restyle()
	}
}

// askForBackground asks the terminal for its background if somebody wants to know.
func (m *Model) askForBackground() tea.Cmd {
	if !m.theming.asks {
		return nil
	}
	m.theming.asks = false
	return tea.RequestBackgroundColor
}

// themeSwitcher is the look as a tab sees it.
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
