package termtext

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// Block cleans text of several lines: it removes control sequences, control characters,
// and invisible characters that hide or reorder text. Newlines and tabs stay; CRLF
// becomes a newline; what is not UTF-8 becomes U+FFFD. Clean text is returned without
// an allocation.
func Block(s string) string {
	if clean(s, true) {
		return s
	}
	return scrub(s, true)
}

// Line cleans text for one line: like Block, with newlines and tabs replaced by spaces.
func Line(s string) string {
	if clean(s, false) {
		return s
	}
	return strings.TrimSpace(scrub(s, false))
}

func clean(s string, block bool) bool {
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			if (c < ' ' && (!block || c != '\n' && c != '\t')) || c == 0x7f {
				return false
			}
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 {
			return false
		}
		prev := rune(-1)
		if r >= 0x200c {
			prev, _ = utf8.DecodeLastRuneInString(s[:i])
		}
		i += n
		if hidden(prev, r, s[i:]) {
			return false
		}
	}
	return true
}

func scrub(s string, block bool) string {
	s = ansi.Strip(strings.ToValidUTF8(s, "\uFFFD"))
	s = strings.ReplaceAll(s, "\r\n", "\n")
	var b strings.Builder
	b.Grow(len(s))
	prev := rune(-1) // the last character that was kept
	for i, r := range s {
		switch {
		case r == '\n' || r == '\t' || r == '\r':
			if !block {
				r = ' '
			} else if r == '\r' {
				r = '\n'
			}
		case r < ' ' || hidden(prev, r, s[i+utf8.RuneLen(r):]):
			continue
		}
		b.WriteRune(r)
		prev = r
	}
	return b.String()
}

// maxMarks limits the combining marks over one character. Terminals drop more than a
// few.
const maxMarks = 4

// Visible makes text fit to be drawn without leaving anything out: it shows a character
// that draws nothing, or that hides or reorders others, as a symbol or by its number,
// and so a combining mark without a base or with too many below it. Use it for what the
// user decides on, such as commands, paths and URLs. Newlines stay, CRLF becomes a
// newline, and a tab becomes four spaces. Text without such characters is returned as
// it is.
func Visible(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	s = strings.ReplaceAll(s, "\r\n", "\n")
	if !strings.ContainsFunc(s, func(r rune) bool { return hides(r) || mark(r) }) {
		return s
	}
	return shown(s, false, false)
}

// VisibleLine is Visible for a text of one line: it trims space around the text, and
// shows a newline as a symbol.
func VisibleLine(s string) string {
	return Visible(strings.ReplaceAll(strings.TrimSpace(s), "\n", "\u2424"))
}

// Exact is Visible for commands and paths: two different texts look different. It shows a tab,
// a carriage return, and a blank at the beginning or at the end of a line by their symbols,
// such a symbol itself by its number, and each byte that is not UTF-8 by its value.
func Exact(s string) string { return exact(s, false) }

// ExactLine is Exact for a text of one line: it shows a newline as a symbol.
func ExactLine(s string) string { return exact(s, true) }

func exact(s string, line bool) string {
	if printableASCII(s) && strings.TrimSpace(s) == s {
		return s
	}
	return shown(s, true, line)
}

// shown replaces what is not seen as it is: see Visible, and with exact, Exact and ExactLine.
func shown(s string, exact, line bool) string {
	var b strings.Builder
	marks := maxMarks // over the last character; a mark at the beginning is one too many
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		before, rest := s[:i], s[i+n:]
		i += n
		if !mark(r) {
			marks = 0
		} else if marks++; marks > maxMarks {
			fmt.Fprintf(&b, "⟨U+%04X⟩", r)
			continue
		}
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, "⟨0x%02X⟩", s[i-1])
		case r == '\n' && !line:
			marks = maxMarks
			b.WriteByte('\n')
		case r == '\n':
			b.WriteRune('\u2424')
		case r == '\t' && !exact:
			b.WriteString("    ")
		case r == '\t':
			b.WriteString("\u2409   ")
		case exact && r == ' ' && (before == "" || rest == "" || rest[0] == '\n'):
			b.WriteRune('\u2420')
		case r < ' ':
			b.WriteRune('\u2400' + r) // the symbol for the control character
		case r == 0x7f:
			b.WriteRune('\u2421')
		case hides(r), exact && (r >= 0x2400 && r <= 0x2426 || r == '⟨'):
			fmt.Fprintf(&b, "⟨U+%04X⟩", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// Head returns at most so many bytes of a text, with more behind them if that is not all of it.
func Head(text string, most int, more string) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + more
}

// Blank reports whether r takes room and is not seen: a blank letter, or a hyphen that
// shows only at the end of a line.
func Blank(r rune) bool {
	switch r {
	case 0xad, 0x115f, 0x1160, 0x3164, 0xffa0:
		return true
	}
	return false
}

// VisibleBlanks shows each Blank of a text by its number, and leaves the rest as it is.
func VisibleBlanks(s string) string {
	if !strings.ContainsFunc(s, Blank) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if Blank(r) {
			fmt.Fprintf(&b, "⟨U+%04X⟩", r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// mark reports whether r is drawn over the previous character.
func mark(r rune) bool { return r >= 0x300 && unicode.In(r, unicode.Mn, unicode.Me) }

// hides reports whether r draws nothing of its own, only a blank, or elsewhere.
func hides(r rune) bool {
	switch {
	case r == '\n' || r >= ' ' && r < 0x7f:
		return false
	case r == 0x2800, r == 0x16fe4, r == 0x1d159: // symbols that are blank
		return true
	}
	return !unicode.IsGraphic(r) ||
		unicode.In(r, unicode.Zs, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// Clipboard cleans text for the clipboard: like [Block], and without invisible
// characters that could smuggle in unseen text. It keeps joiners and emoji selectors,
// which shape what is drawn.
func Clipboard(s string) string {
	s = Block(s)
	if !strings.ContainsFunc(s, unseen) {
		return s
	}
	return strings.Map(func(r rune) rune {
		if unseen(r) {
			return -1
		}
		return r
	}, s)
}

// unseen reports whether r draws nothing and shapes nothing.
func unseen(r rune) bool {
	switch {
	case r < 0xad:
		return false
	case r == 0x200c, r == 0x200d, r == 0xfe0e, r == 0xfe0f: // joiners, text or emoji
		return false
	}
	return unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// hidden reports whether the character r, between prev and rest, draws nothing or
// reorders other characters, so that text would look different from what it is. It
// excludes legitimate uses: joiners in emoji and in scripts that need them, the tags of
// a flag, the variant of an ideograph.
func hidden(prev, r rune, rest string) bool {
	switch {
	case r < 0xad:
		return r >= 0x7f && r < 0xa0
	case r < 0x300:
		return r == 0xad
	case r == 0x200c || r == 0x200d:
		return !joins(prev, r, rest)
	case r >= 0xe0020 && r <= 0xe007f:
		return !inFlag(prev, r, rest)
	case r >= 0xe0100 && r <= 0xe01ef:
		return !unicode.Is(unicode.Han, prev)
	}
	for _, span := range hiddenSpans {
		if r <= span[1] {
			return r >= span[0]
		}
	}
	return false
}

// hiddenSpans lists the characters from U+0300 on that never draw anything, in order,
// without the marks of writing systems.
var hiddenSpans = [][2]rune{
	{0x34f, 0x34f},
	{0x61c, 0x61c},
	{0x115f, 0x1160},
	{0x17b4, 0x17b5},
	{0x180e, 0x180e},
	{0x200b, 0x200f},
	{0x2028, 0x202e},
	{0x2060, 0x206f},
	{0x3164, 0x3164},
	{0xfeff, 0xfeff},
	{0xffa0, 0xffa0},
	{0xfff0, 0xfffb},
	{0x1bca0, 0x1bca3},
	{0x1d173, 0x1d17a},
	{0xe0000, 0xe0fff},
}

// joins reports whether a joiner belongs to its context.
func joins(prev, r rune, rest string) bool {
	if unicode.In(prev, joiningScripts...) {
		return true
	}
	if r != 0x200d || !pictogram(prev) && prev != 0xfe0f {
		return false
	}
	if rest == "" {
		return true // the rest may still arrive
	}
	next, _ := utf8.DecodeRuneInString(rest)
	return pictogram(next)
}

// joiningScripts are scripts in which a joiner changes how the letters around it look.
var joiningScripts = []*unicode.RangeTable{
	unicode.Adlam, unicode.Arabic, unicode.Balinese, unicode.Bengali, unicode.Brahmi, unicode.Chakma, unicode.Devanagari, unicode.Grantha,
	unicode.Gujarati, unicode.Gurmukhi, unicode.Hanifi_Rohingya, unicode.Javanese, unicode.Kannada, unicode.Khmer, unicode.Malayalam,
	unicode.Mandaic, unicode.Manichaean, unicode.Mongolian, unicode.Myanmar, unicode.Nko, unicode.Oriya, unicode.Phags_Pa,
	unicode.Sinhala, unicode.Syriac, unicode.Tai_Tham, unicode.Tamil, unicode.Telugu, unicode.Tibetan,
}

// pictogram reports whether r is a part of emoji.
func pictogram(r rune) bool {
	return r >= 0x1f000 && r <= 0x1faff || r >= 0x2190 && r <= 0x2bff && unicode.In(r, unicode.So, unicode.Sm)
}

const (
	blackFlag = 0x1f3f4
	endOfTags = 0xe007f
	// maxTags is the length of a region flag in tags, including the end tag.
	maxTags = 7
)

// inFlag reports whether a tag belongs to the flag of a region: letters and digits
// after a black flag, and the end tag.
func inFlag(prev, r rune, rest string) bool {
	if r == endOfTags {
		return prev > 0xe0020 && prev < endOfTags
	}
	if prev != blackFlag && (prev <= 0xe0020 || prev >= endOfTags) {
		return false
	}
	for range maxTags - 1 {
		next, n := utf8.DecodeRuneInString(rest)
		if next == endOfTags {
			return true
		}
		if next <= 0xe0020 || next > endOfTags {
			return false
		}
		rest = rest[n:]
	}
	return false
}

// ShellWords joins words with shell quoting, so that it is visible where each ends. It
// does not sanitise the words.
func ShellWords(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		if w == "" || strings.ContainsFunc(w, special) {
			w = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
		quoted[i] = w
	}
	return strings.Join(quoted, " ")
}

// special reports whether a shell may not take a character literally.
func special(r rune) bool {
	return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("_@%+=:,./-", r)
}
