// Package theme holds parley's colours and styles, named by meaning and never by look:
// a view asks for "a warning" and not for "yellow".
//
// A Theme is immutable and safe for concurrent use.
package theme

import (
	"image/color"
	"strconv"
	"strings"

	"charm.land/bubbles/v2/progress"
	"charm.land/lipgloss/v2"
)

// Theme is a complete set of styles for a light or a dark terminal.
type Theme struct {
	// Dark means that the theme is for dark backgrounds.
	Dark bool
	// Depth is the number of colours that it uses.
	Depth Depth
	// Text on the terminal's own background.
	Text, Strong, Muted, Faint lipgloss.Style
	// Meanings.
	Accent, Info, Success, Warning, Error lipgloss.Style
	// Key is a key name in a hint, KeyHint its description.
	Key, KeyHint lipgloss.Style

	// The transcript: marks in the left margin, and the parts of an item.
	UserMark, AgentMark, ThoughtMark, ToolMark lipgloss.Style
	User, Thought, Title                       lipgloss.Style
	Selected                                   lipgloss.Style
	// Prompt is the escape sequence for the background of the user's messages. All text
	// but the faintest is readable on it. It is "" where there are no backgrounds.
	Prompt string
	// Match is a search match, MatchCurrent the current one.
	Match, MatchCurrent lipgloss.Style
	// Span is a marked selection. It is visible without colours too.
	Span lipgloss.Style

	// Rule is a separator line, CodeBar the bar beside a quoted text.
	Rule, CodeBar lipgloss.Style

	Markdown Markdown

	// Diffs. Lines carry the background, words stand out inside them.
	DiffAdded, DiffRemoved, DiffContext  lipgloss.Style
	DiffAddedWord, DiffRemovedWord       lipgloss.Style
	DiffNumber, DiffHunk, DiffPath       lipgloss.Style
	DiffAddedNumber, DiffRemovedNumber   lipgloss.Style
	DiffAddedCounter, DiffRemovedCounter lipgloss.Style

	// Dialogs, lists and the status line.
	DialogTitle, DialogInert lipgloss.Style
	Choice, ChoiceSelected   lipgloss.Style
	// Badge is a label, BadgeMode the label of a mode without known permissions. The
	// others are for modes that are known to allow more or less than usual.
	Badge, BadgeMode                    lipgloss.Style
	BadgeInfo, BadgeWarning, BadgeError lipgloss.Style
	// Border is the colour of lines, BorderFocused that of the frame of a focused
	// dialog. With enough colours, nothing else has it, so that no text can look like a
	// dialog.
	Border, BorderFocused color.Color

	palette *palette
}

// New returns parley's own theme for a dark or a light terminal background, in true colour.
func New(dark bool) *Theme {
	if dark {
		return Named("dark").Theme(TrueColor)
	}
	return Named("light").Theme(TrueColor)
}

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

		DialogTitle: fg(p.accent).Bold(true), DialogInert: fg(p.faint),
		Choice: fg(p.text), ChoiceSelected: p.standsOut(p.strong, p.raised),
		Badge: p.badge(p.text), BadgeMode: p.badge(p.strong),
		BadgeInfo: p.badge(p.blue), BadgeWarning: p.badge(p.yellow), BadgeError: p.badge(p.red),
		Border: lipgloss.Color(p.line), BorderFocused: lipgloss.Color(p.frame),

		palette: p,
	}
}

// Dimmed returns the theme for muted text, such as thoughts.
func (t *Theme) Dimmed() *Theme {
	d := *t
	d.Text, d.Strong = t.Thought, t.Thought
	d.Markdown = t.Markdown.dimmed(t.palette)
	return &d
}

// Within returns the theme for text that already has a bar beside it, such as that of a
// tool call: its code has no bar.
func (t *Theme) Within() *Theme {
	d := *t
	if t.Markdown.Marks != nil {
		marks := *t.Markdown.Marks
		marks.NoCodeBar = true
		d.Markdown.Marks = &marks
	}
	return &d
}

// Letters draws a text with the letters at hits, byte offsets in any order, in another
// style.
func Letters(s string, hits []int, plain, hit lipgloss.Style) string {
	if len(hits) == 0 {
		return plain.Render(s)
	}
	at := make(map[int]bool, len(hits))
	for _, h := range hits {
		at[h] = true
	}
	var b strings.Builder
	from, on := 0, false
	flush := func(to int) {
		switch {
		case to == from:
		case on:
			b.WriteString(hit.Render(s[from:to]))
		default:
			b.WriteString(plain.Render(s[from:to]))
		}
		from = to
	}
	for i := range s {
		if at[i] != on {
			flush(i)
			on = at[i]
		}
	}
	flush(len(s))
	return b.String()
}

// Grouped formats a count with thousands separators: 10,412.
func Grouped(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Bar draws a progress bar for a share from 0 to 1, in so many cells. The filled part
// has the colour of the style and heavier symbols, for terminals without colours.
func (t *Theme) Bar(share float64, cells int, full lipgloss.Style) string {
	bar := progress.New(progress.WithWidth(cells), progress.WithoutPercentage(), progress.WithFillCharacters('━', '─'),
		progress.WithColors(full.GetForeground()))
	bar.EmptyColor = t.Border
	return bar.ViewAs(share)
}
