// Package theme holds parley's colours and styles, named by what they mean and
// never by how they look, so that every view asks for "a warning" and not for
// "yellow".
//
// A Theme is immutable after New; it may be used from any goroutine.
package theme

import (
	"image/color"

	"charm.land/lipgloss/v2"
)

// Theme is one complete set of styles for a light or a dark terminal.
type Theme struct {
	// Dark says for which kind of terminal background the theme was made.
	Dark bool
	// Text on the terminal's own background.
	Text, Strong, Muted, Faint lipgloss.Style
	// What something means.
	Accent, Info, Success, Warning, Error lipgloss.Style
	// Key is a key name in a hint, KeyHint what it does.
	Key, KeyHint lipgloss.Style

	// The transcript: marks in the left margin, and the parts of an item.
	UserMark, AgentMark, ThoughtMark, ToolMark lipgloss.Style
	User, Thought, Title                       lipgloss.Style
	Selected                                   lipgloss.Style
	// Match is what was looked for, MatchCurrent the place that the person is at.
	Match, MatchCurrent lipgloss.Style

	// Rule is a line between things, CodeBar one beside a text that is quoted.
	Rule, CodeBar lipgloss.Style

	Markdown Markdown

	// Diffs. Lines carry the background, words stand out inside them.
	DiffAdded, DiffRemoved, DiffContext  lipgloss.Style
	DiffAddedWord, DiffRemovedWord       lipgloss.Style
	DiffNumber, DiffHunk, DiffPath       lipgloss.Style
	DiffAddedNumber, DiffRemovedNumber   lipgloss.Style
	DiffAddedCounter, DiffRemovedCounter lipgloss.Style

	// Dialogs, lists and the status line.
	Dialog, DialogTitle, DialogInert lipgloss.Style
	Choice, ChoiceSelected           lipgloss.Style
	Badge, BadgeMode                 lipgloss.Style
	Border, BorderFocused            color.Color

	palette *palette
}

// palette is the only place where colours have names of their own.
type palette struct {
	text, strong, muted, faint, line         string
	accent, blue, green, yellow, red, violet string
	surface, raised                          string
	addBg, addWord, delBg, delWord           string
	chroma                                   string // the name of a style of chroma's, for code
}

var (
	darkPalette = palette{
		text: "#d6d7e0", strong: "#f3f4fa", muted: "#9a9db0", faint: "#6c7086", line: "#3a3d4d",
		accent: "#e6a15c", blue: "#7aa8f0", green: "#8cc98a", yellow: "#e3c37a", red: "#ee7f8b", violet: "#b79af2",
		surface: "#23252f", raised: "#2f3240",
		addBg: "#17301f", addWord: "#265c37", delBg: "#3a1a20", delWord: "#74303b",
		chroma: "catppuccin-mocha",
	}
	lightPalette = palette{
		text: "#2b2d3a", strong: "#11121a", muted: "#62657a", faint: "#8e91a5", line: "#cdd0db",
		accent: "#a65a0f", blue: "#2457b3", green: "#25752f", yellow: "#86600a", red: "#b3243a", violet: "#6b3fc0",
		surface: "#eff0f5", raised: "#e2e4ec",
		addBg: "#ddf5e0", addWord: "#a8e2b1", delBg: "#fde4e6", delWord: "#f6b6bd",
		chroma: "catppuccin-latte",
	}
)

// New makes the theme for a dark or a light terminal background.
func New(dark bool) *Theme {
	p := &lightPalette
	if dark {
		p = &darkPalette
	}
	c := func(hex string) color.Color { return lipgloss.Color(hex) }
	fg := func(hex string) lipgloss.Style { return lipgloss.NewStyle().Foreground(c(hex)) }
	on := func(hex, bg string) lipgloss.Style { return fg(hex).Background(c(bg)) }
	return &Theme{
		Dark: dark,

		Text: fg(p.text), Strong: fg(p.strong).Bold(true), Muted: fg(p.muted), Faint: fg(p.faint),
		Accent: fg(p.accent), Info: fg(p.blue), Success: fg(p.green), Warning: fg(p.yellow), Error: fg(p.red),
		Key: fg(p.text), KeyHint: fg(p.faint),

		UserMark: fg(p.accent), AgentMark: fg(p.blue), ThoughtMark: fg(p.faint), ToolMark: fg(p.muted),
		User: fg(p.strong), Thought: fg(p.muted).Italic(true), Title: fg(p.text).Bold(true),
		Selected: fg(p.accent),
		Match:    on(p.strong, p.raised).Underline(true), MatchCurrent: on(p.surface, p.accent).Bold(true),

		Rule: fg(p.line), CodeBar: fg(p.line),

		Markdown: p.markdown(),

		DiffAdded: on(p.text, p.addBg), DiffRemoved: on(p.text, p.delBg), DiffContext: fg(p.muted),
		DiffAddedWord: on(p.strong, p.addWord), DiffRemovedWord: on(p.strong, p.delWord),
		DiffNumber: fg(p.faint), DiffHunk: fg(p.blue), DiffPath: fg(p.text).Bold(true),
		DiffAddedNumber: on(p.green, p.addBg), DiffRemovedNumber: on(p.red, p.delBg),
		DiffAddedCounter: fg(p.green), DiffRemovedCounter: fg(p.red),

		Dialog: fg(p.text), DialogTitle: fg(p.accent).Bold(true), DialogInert: fg(p.faint),
		Choice: fg(p.text), ChoiceSelected: on(p.strong, p.raised).Bold(true),
		Badge: on(p.text, p.surface), BadgeMode: on(p.accent, p.surface),
		Border: c(p.line), BorderFocused: c(p.accent),

		palette: p,
	}
}

// Dimmed is the theme for text that steps back, such as thoughts.
func (t *Theme) Dimmed() *Theme {
	d := *t
	d.Text, d.Strong = t.Thought, t.Thought
	d.Markdown = t.Markdown.dimmed(t.palette)
	return &d
}
