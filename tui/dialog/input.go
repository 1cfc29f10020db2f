package dialog

import (
	"strings"
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"parley/internal/termtext"
	"parley/tui/theme"
)

// input is one line of text to write. It holds nothing that must not be drawn.
//
// The one of Bubbles is not used because its paste key runs programs, to read
// the clipboard, while the screen waits.
type input struct {
	text string
	// at is the position of the cursor in bytes, always between two characters
	// as people see them.
	at   int
	hint string // shown while there is no text
}

// maxInput bounds what is written or pasted, in bytes.
const maxInput = 64 << 10

// set replaces the text and puts the cursor at its end.
func (in *input) set(text string) {
	in.text, in.at = "", 0
	in.insert(text)
}

// insert writes text at the cursor.
func (in *input) insert(text string) {
	text = clean(text)
	if room := maxInput - len(in.text); len(text) > room {
		text = strings.ToValidUTF8(text[:max(room, 0)], "")
	}
	in.text = in.text[:in.at] + text + in.text[in.at:]
	in.at += len(text)
}

// clean is termtext.Line, which takes spaces at the ends away with what it
// removes: here they were typed.
func clean(text string) string {
	if line := termtext.Line(text); line == text {
		return text
	}
	lead := text[:len(text)-len(strings.TrimLeft(text, " "))]
	tail := text[len(strings.TrimRight(text, " ")):]
	if len(lead) == len(text) {
		return lead
	}
	return lead + termtext.Line(text) + tail
}

// key takes a key that edits or moves in the text.
func (in *input) key(msg tea.KeyPressMsg) bool {
	switch msg.String() {
	case "left", "ctrl+b":
		in.at -= len(lastCluster(in.text[:in.at]))
	case "right":
		in.at += len(firstCluster(in.text[in.at:]))
	case "alt+left", "ctrl+left", "alt+b":
		in.at = wordStart(in.text[:in.at])
	case "alt+right", "ctrl+right", "alt+f":
		in.at += wordEnd(in.text[in.at:])
	case "home", "ctrl+a":
		in.at = 0
	case "end", "ctrl+e":
		in.at = len(in.text)
	case "backspace", "ctrl+h":
		in.remove(in.at-len(lastCluster(in.text[:in.at])), in.at)
	case "delete", "ctrl+d":
		in.remove(in.at, in.at+len(firstCluster(in.text[in.at:])))
	case "ctrl+w", "alt+backspace", "ctrl+backspace":
		in.remove(wordStart(in.text[:in.at]), in.at)
	case "ctrl+u":
		in.remove(0, in.at)
	case "ctrl+k":
		in.remove(in.at, len(in.text))
	default:
		if msg.Text == "" || msg.Mod&(tea.ModCtrl|tea.ModAlt|tea.ModMeta|tea.ModSuper|tea.ModHyper) != 0 {
			return false
		}
		in.insert(msg.Text)
	}
	return true
}

func (in *input) remove(from, to int) {
	in.text, in.at = in.text[:from]+in.text[to:], from
}

// draw draws what there is room for around the cursor, and says in which column
// the cursor stands.
func (in *input) draw(width int, th *theme.Theme) (string, int) {
	if in.text == "" {
		return th.Faint.Render(cut(in.hint, width)), 0
	}
	if termtext.Width(in.text) < width {
		return th.Text.Render(in.text), termtext.Width(in.text[:in.at])
	}
	from, column := termtext.FitEnd(in.text[:in.at], width-1)
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
	// Clusters are found from the left; only so much of it can belong to one.
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

// wordStart is where the last word of s begins.
func wordStart(s string) int {
	s = strings.TrimRightFunc(s, notWord)
	i := strings.LastIndexFunc(s, notWord)
	if i < 0 {
		return 0
	}
	_, n := utf8.DecodeRuneInString(s[i:])
	return i + n
}

// wordEnd is where the first word of s ends.
func wordEnd(s string) int {
	rest := strings.TrimLeftFunc(s, notWord)
	if i := strings.IndexFunc(rest, notWord); i >= 0 {
		return len(s) - len(rest) + i
	}
	return len(s)
}

func notWord(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r) && r != '_'
}
