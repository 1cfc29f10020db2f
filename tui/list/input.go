package list

import (
	"strings"
	"unicode/utf8"

	"charm.land/bubbles/v2/key"
	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"

	"parley/internal/termtext"
	"parley/tui/theme"
)

// Input is a line of text to edit. The text input of Bubbles edits it; Draw measures with
// termtext and keeps the cursor between grapheme clusters. The text has no control
// characters. The zero value is empty.
type Input struct {
	// Hint is shown while there is no text.
	Hint string
	// Limit bounds the text, in bytes; 0 is 64 KiB.
	Limit int

	field *textinput.Model // nil until something is written
	text  string
	at    int // the cursor, in bytes
}

// Text returns the text.
func (in *Input) Text() string { return in.text }

// Set replaces the text and puts the cursor at its end.
func (in *Input) Set(text string) {
	in.field, in.text, in.at = nil, "", 0
	in.Paste(text)
}

// Paste inserts text at the cursor.
func (in *Input) Paste(text string) {
	text = clean(text)
	limit := in.Limit
	if limit == 0 {
		limit = 64 << 10
	}
	if text = termtext.Head(text, max(0, limit-len(in.text)), ""); text != "" {
		in.update(tea.PasteMsg{Content: text})
	}
}

// clean is termtext.Line, but keeps the blanks at both ends: they were typed.
func clean(text string) string {
	line := termtext.Line(text)
	if line == text {
		return text
	}
	body := strings.Trim(text, " ")
	if body == "" {
		return text
	}
	from := strings.Index(text, body)
	return text[:from] + line + text[from+len(body):]
}

// Key handles a key that edits the text or moves in it, and reports whether it is one.
func (in *Input) Key(msg tea.KeyPressMsg) bool {
	k := in.editor().KeyMap
	n := 1 // code points: a visible character may have several
	switch {
	case key.Matches(msg, k.CharacterBackward, k.DeleteCharacterBackward):
		n = utf8.RuneCountInString(lastCluster(in.text[:in.at]))
	case key.Matches(msg, k.CharacterForward, k.DeleteCharacterForward):
		n = utf8.RuneCountInString(firstCluster(in.text[in.at:]))
	case key.Matches(msg, k.WordForward, k.WordBackward, k.DeleteWordBackward, k.DeleteWordForward,
		k.DeleteAfterCursor, k.DeleteBeforeCursor, k.LineStart, k.LineEnd):
	case msg.Text != "" && msg.Mod&(tea.ModCtrl|tea.ModAlt|tea.ModMeta|tea.ModSuper|tea.ModHyper) == 0:
		in.Paste(msg.Text)
		return true
	default:
		return false
	}
	for range n {
		in.update(msg)
	}
	return true
}

// editor is the text input, without the keys that have another meaning: the one that
// pastes runs programs while the screen waits, and ctrl+f finds.
func (in *Input) editor() *textinput.Model {
	if in.field == nil {
		m := textinput.New()
		m.KeyMap.Paste.SetEnabled(false)
		m.KeyMap.CharacterForward.SetKeys("right")
		m.KeyMap.DeleteCharacterBackward.SetKeys("backspace", "shift+backspace", "ctrl+h")
		m.SetVirtualCursor(false)
		m.Focus()
		in.field = &m
	}
	return in.field
}

func (in *Input) update(msg tea.Msg) {
	m, _ := in.editor().Update(msg)
	*in.field = m
	in.text, in.at = m.Value(), 0
	for range m.Position() {
		_, n := utf8.DecodeRuneInString(in.text[in.at:])
		in.at += n
	}
}

// Draw draws the part around the cursor that fits, and returns the cursor's column.
func (in *Input) Draw(width int, th *theme.Theme) (line string, column int) {
	if in.text == "" {
		return th.Faint.Render(termtext.Truncate(in.Hint, width, "…")), 0
	}
	if termtext.Width(in.text) < width {
		return th.Text.Render(in.text), termtext.Width(in.text[:in.at])
	}
	from, column := termtext.CurrentMethod().FitEnd(in.text[:in.at], width-1)
	n, _ := termtext.Fit(in.text[from:], width, width)
	return th.Text.Render(in.text[from : from+n]), column
}

func firstCluster(s string) string {
	if s == "" {
		return ""
	}
	n, _ := termtext.NextCluster(s)
	return s[:n]
}

func lastCluster(s string) string {
	// Clusters are found from the left; only so much of the text can belong to one.
	const most = 256
	from := max(0, len(s)-most)
	for from > 0 && !utf8.RuneStart(s[from]) {
		from--
	}
	last := ""
	for rest := s[from:]; rest != ""; rest = rest[len(last):] {
		last = firstCluster(rest)
	}
	return last
}
