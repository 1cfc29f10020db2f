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
	// Depth is how many colours it was made for.
	Depth Depth
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
	// Prompt is the escape sequence that begins the ground of what the person wrote.
	// All text but the faintest can be read on it. It is "" where there are no grounds.
	Prompt string
	// Match is what was looked for, MatchCurrent the place that the person is at.
	Match, MatchCurrent lipgloss.Style
	// Span is a piece that is marked to be copied. It shows without colours too.
	Span lipgloss.Style

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
	// Badge is a mark of its own, BadgeMode the mode of which it is not known that it
	// allows more or less than usual. The others say that it does.
	Badge, BadgeMode                    lipgloss.Style
	BadgeInfo, BadgeWarning, BadgeError lipgloss.Style
	// Border is the colour of lines, BorderFocused that of the frame of a dialog that
	// takes keys. Where there are enough colours, nothing else has it: no text can look
	// like a dialog.
	Border, BorderFocused color.Color

	palette *palette
}

// New makes the theme for a dark or a light terminal background, in true colour.
func New(dark bool) *Theme { return NewFor(dark, TrueColor) }

// NewFor makes parley's own theme for a dark or a light terminal background and for the
// colours that the terminal has.
func NewFor(dark bool, depth Depth) *Theme { return fromPalette(dark, depth, paletteFor(dark, depth)) }

func fromPalette(dark bool, depth Depth, p *palette) *Theme {
	fg, on := p.ink, p.inkOn
	return &Theme{
		Dark: dark, Depth: depth,

		Text: fg(p.text), Strong: fg(p.strong).Bold(true), Muted: fg(p.muted), Faint: fg(p.faint),
		Accent: fg(p.accent), Info: fg(p.blue), Success: fg(p.green), Warning: fg(p.yellow), Error: fg(p.red),
		Key: fg(p.text), KeyHint: fg(p.faint),

		UserMark: fg(p.accent), AgentMark: fg(p.blue), ThoughtMark: fg(p.faint), ToolMark: fg(p.muted),
		User: fg(p.strong), Thought: fg(p.muted).Italic(true), Title: fg(p.text).Bold(true),
		Selected: fg(p.accent), Prompt: p.ground(p.prompt),
		Match: on(p.strong, p.raised).Underline(true), MatchCurrent: p.standsOut(p.surface, p.accent),
		Span: lipgloss.NewStyle().Reverse(true),

		Rule: fg(p.line), CodeBar: fg(p.line),

		Markdown: p.markdown(),

		DiffAdded: p.diffLine(p.green, p.addBg), DiffRemoved: p.diffLine(p.red, p.delBg), DiffContext: fg(p.muted),
		DiffAddedWord: p.diffWord(p.green, p.addWord), DiffRemovedWord: p.diffWord(p.red, p.delWord),
		DiffNumber: fg(p.faint), DiffHunk: fg(p.blue), DiffPath: fg(p.text).Bold(true),
		DiffAddedNumber: on(p.green, p.addBg), DiffRemovedNumber: on(p.red, p.delBg),
		DiffAddedCounter: fg(p.green), DiffRemovedCounter: fg(p.red),

		Dialog: fg(p.text), DialogTitle: fg(p.accent).Bold(true), DialogInert: fg(p.faint),
		Choice: fg(p.text), ChoiceSelected: p.standsOut(p.strong, p.raised),
		Badge: p.badge(p.text), BadgeMode: p.badge(p.strong),
		BadgeInfo: p.badge(p.blue), BadgeWarning: p.badge(p.yellow), BadgeError: p.badge(p.red),
		Border: lipgloss.Color(p.line), BorderFocused: lipgloss.Color(p.frame),

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

// Within is the theme for text that stands beside an edge already, such as that of a
// tool call: code in it has no bar of its own.
func (t *Theme) Within() *Theme {
	d := *t
	if t.Markdown.Marks != nil {
		marks := *t.Markdown.Marks
		marks.NoCodeBar = true
		d.Markdown.Marks = &marks
	}
	return &d
}
