package composer

import (
	"fmt"
	"strings"
	"sync"
	"unicode/utf8"

	"parley/internal/termtext"
)

// In a draft, folded text is one character of the last private use plane. No
// other text has such characters: clean takes them away.
const (
	firstChip = '\U00100000'
	lastChip  = '\U0010FFFD'
)

const (
	foldLines = 10   // more lines than this are folded
	foldBytes = 2000 // and so are more bytes than this
	tabWidth  = 4
)

// chips is the folded text of one composer, by chip character. A chip is never
// taken away, because undo may bring it back.
type chips struct{ list []chip }

type chip struct {
	label string
	width int
	// text is what stands for the chip in the prompt. It is cleaned when it is
	// first asked for, which a command does as soon as the chip is there, so
	// that pasting megabytes does not hold up Update.
	text func() string
	// attached goes with the prompt as a block of its own, nil if nothing does.
	attached *Attachment
	image    *Image // goes with the prompt, nil if none does
}

// fold keeps raw text, and returns the chip for it.
func (c *chips) fold(raw string) (mark string, text func() string) {
	if firstChip+rune(len(c.list)) > lastChip {
		return "", func() string { return "" }
	}
	label := fmt.Sprintf("[pasted text #%d, %s]", len(c.list)+1, amount(raw))
	text = sync.OnceValue(func() string { return clean(raw) })
	c.list = append(c.list, chip{label: label, width: termtext.Width(label), text: text})
	return string(firstChip + rune(len(c.list)-1)), text
}

// frozen is the chips as they are now, for use in another goroutine.
func (c *chips) frozen() *chips { return &chips{c.list[:len(c.list):len(c.list)]} }

func amount(raw string) string {
	if n := lineCount(raw); n > 1 {
		return fmt.Sprintf("%d lines", n)
	}
	return fmt.Sprintf("%d bytes", len(raw))
}

// lineCount counts lines that end in LF, CRLF or, as terminals paste them, CR.
func lineCount(raw string) int {
	n := strings.Count(raw, "\n") + strings.Count(raw, "\r") - strings.Count(raw, "\r\n")
	if raw != "" && !strings.HasSuffix(raw, "\n") && !strings.HasSuffix(raw, "\r") {
		n++
	}
	return n
}

func isChip(r rune) bool { return r >= firstChip && r <= lastChip }

// isChipAt reports whether a chip begins at an offset.
func isChipAt(s string, i int) bool {
	r, _ := utf8.DecodeRuneInString(s[i:])
	return isChip(r)
}

// at returns the chip that s begins with.
func (c *chips) at(s string) (chip, bool) {
	if len(s) < 4 || s[0] != 0xF4 { // the first byte of every rune of the plane
		return chip{}, false
	}
	r, _ := utf8.DecodeRuneInString(s)
	if i := int(r - firstChip); isChip(r) && i < len(c.list) {
		return c.list[i], true
	}
	return chip{}, false
}

// expand puts the folded text, or with labels the labels, in the place of the
// chips.
func (c *chips) expand(raw string, labels bool) string {
	if strings.IndexByte(raw, 0xF4) < 0 {
		return raw
	}
	var s strings.Builder
	for i := 0; i < len(raw); {
		if ch, ok := c.at(raw[i:]); ok {
			if labels {
				s.WriteString(ch.label)
			} else {
				s.WriteString(ch.text())
			}
			i += utf8.RuneLen(firstChip)
			continue
		}
		s.WriteByte(raw[i])
		i++
	}
	return s.String()
}

// clean makes text from outside fit for the draft.
func clean(s string) string {
	s = termtext.Block(s)
	if strings.IndexByte(s, 0xF4) < 0 {
		return s
	}
	return strings.Map(func(r rune) rune {
		if isChip(r) {
			return utf8.RuneError
		}
		return r
	}, s)
}

// cleanHere is clean for text that comes to stand at the cursor, or in the place of what is selected: whether a joiner
// belongs to an emoji or a word is told by what stands before it.
func (b *buffer) cleanHere(s string) string {
	at, _, _ := b.span()
	before := b.lines[at.row].text[:at.col]
	_, n := utf8.DecodeLastRuneInString(before)
	last := before[len(before)-n:]
	if last != clean(last) {
		return clean(s)
	}
	return strings.TrimPrefix(clean(last+s), last)
}

// oneLine makes text fit for a line of the draft.
func oneLine(s string) string { return strings.ReplaceAll(clean(s), "\n", " ") }

// next measures the unit of s that begins at i: what the cursor steps over and
// what a row is not broken inside of. It is a chip, a tab, or a character as a
// person sees it.
func (c *chips) next(s string, i int) (bytes, columns int) {
	if s[i] < utf8.RuneSelf && (i+1 == len(s) || s[i+1] < utf8.RuneSelf) {
		if s[i] == '\t' {
			return 1, tabWidth
		}
		return 1, 1
	}
	if ch, ok := c.at(s[i:]); ok {
		return utf8.RuneLen(firstChip), ch.width
	}
	end := min(len(s), i+maxUnit)
	if at := strings.IndexByte(s[i+1:end], 0xF4); at >= 0 {
		end = i + 1 + at // some characters would join with the chip
	}
	for end < len(s) && !utf8.RuneStart(s[end]) {
		end--
	}
	return termtext.NextCluster(s[i:end])
}

// part measures as much of the unit at i as a row of a width has room for. A chip
// and a tab are cut to the row. A character that is wider is broken between its
// code points: where each emoji of a family has columns of its own, a family may
// need more of them than the prompt has.
func (c *chips) part(s string, i, width int) (bytes, columns int) {
	bytes, columns = c.next(s, i)
	if columns <= width {
		return bytes, columns
	}
	if _, ok := c.at(s[i:]); !ok && s[i] != '\t' {
		bytes, columns = termtext.Fit(s[i:i+bytes], width, width)
	}
	return bytes, min(columns, width)
}

// maxUnit bounds the bytes of one unit: there are texts that stack accents
// without end.
const maxUnit = 128

// breakable reports that a row may end behind a unit without a space. Columns are
// those that it takes.
func (c *chips) breakable(unit string, columns int) bool {
	_, ok := c.at(unit)
	return ok || termtext.Wide(unit, columns)
}

// previous is where the unit before i begins.
func (c *chips) previous(s string, i int) int {
	if i <= 1 || s[i-1] < utf8.RuneSelf {
		return max(0, i-1)
	}
	at := max(0, i-2*maxUnit)
	for at > 0 && at < i && !utf8.RuneStart(s[at]) {
		at++
	}
	for {
		n, _ := c.next(s, at)
		if at+n >= i {
			return at
		}
		at += n
	}
}

// width is how many columns s takes.
func (c *chips) width(s string) int {
	columns := 0
	for i := 0; i < len(s); {
		n, w := c.next(s, i)
		i += n
		columns += w
	}
	return columns
}
