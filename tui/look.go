package tui

import (
	tea "charm.land/bubbletea/v2"

	"parley/config"
	"parley/tui/theme"
)

// look is which theme is on the screen, and why.
type look struct {
	themes   config.Themes
	kept     config.Theme // the one that the configuration has
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

func newLook(c *config.Config) look {
	l := look{themes: c.Themes, kept: c.Themes.Chosen, markdown: c.MarkdownStyle, dark: true, own: map[config.Theme]*theme.Scheme{}}
	l.learn(c.Themes.Own)
	l.asks = l.follows()
	return l
}

// SchemeFor is the colours that the configuration has for a terminal's background.
func SchemeFor(c *config.Config, dark bool) *theme.Scheme {
	l := newLook(c)
	l.dark = dark
	return l.scheme()
}

// learn makes known themes of the person's own.
func (l *look) learn(themes []config.OwnTheme) {
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
func (l *look) follows() bool { return l.themes.Chosen == config.ThemeAuto }

// scheme is the colours for the background that the terminal has.
func (l *look) scheme() *theme.Scheme {
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

func (l *look) theme() *theme.Theme {
	return l.scheme().Theme(l.depth).WithMarkdown(l.markdown.Style)
}

// restyle draws everything in the theme that the look has now.
func (m *Model) restyle() {
	m.program.Theme, m.look.changed = m.look.theme(), true
	for _, t := range m.tabs {
		t.SetTheme(m.program.Theme)
	}
}

// recolour has coloured in a new theme what takes time.
func (m *Model) recolour() tea.Cmd {
	if !m.look.changed {
		return nil
	}
	m.look.changed = false
	var all []tea.Cmd
	for _, t := range m.tabs {
		all = append(all, t.Recolour())
	}
	return tea.Batch(all...)
}

// background takes what the terminal has said about its background.
func (m *Model) background(dark bool) {
	if m.look.dark == dark {
		return
	}
	m.look.dark = dark
	if m.look.follows() {
		m.restyle()
	}
}

// askForBackground asks the terminal for its background if somebody wants to know.
func (m *Model) askForBackground() tea.Cmd {
	if !m.look.asks {
		return nil
	}
	m.look.asks = false
	return tea.RequestBackgroundColor
}

// looks is the look as a tab sees it.
type looks struct{ m *Model }

func (l looks) Chosen() config.Theme { return l.m.look.themes.Chosen }

func (l looks) Kept() config.Theme { return l.m.look.kept }

func (l looks) Keep(name config.Theme) { l.m.look.kept = name }

func (l looks) Learn(themes []config.OwnTheme) { l.m.look.learn(themes) }

func (l looks) Show(name config.Theme) {
	look := &l.m.look
	if look.themes.Chosen == name {
		return
	}
	look.themes.Chosen = name
	look.asks = look.follows()
	l.m.restyle()
}
