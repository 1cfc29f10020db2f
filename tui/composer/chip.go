package composer

import (
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"unicode/utf8"

	"parley/internal/prompt"
	"parley/internal/termtext"
)

const (
	foldLines = 10   // more lines than this are folded
	foldBytes = 2000 // and so are more bytes than this
	tabWidth  = 4
)

// chips holds the folded texts of one composer, by chip character. Chips are never
// removed, because undo may restore them.
type chips struct{ list []chip }

type chip struct {
	label string
	width int
	// text returns the chip's text in the prompt. It is cleaned on first use, by a
	// command right after the paste, so that pasting megabytes does not block Update.
	text func() string
	// attached goes with the prompt as a block of its own, or is nil.
	attached *prompt.Attachment
	image    *prompt.Image // goes with the prompt, or is nil
}

// fold stores raw text, and returns the chip for it.
func (c *chips) fold(raw string) (mark string, text func() string) {
	amount := fmt.Sprintf("%d bytes", len(raw))
	if n := lineCount(raw); n > 1 {
		amount = fmt.Sprintf("%d lines", n)
	}
	label := fmt.Sprintf("[pasted text #%d, %s]", len(c.list)+1, amount)
	text = sync.OnceValue(func() string { return clean(raw) })
	return c.add(chip{label: label, text: text}), text
}

// add stores a chip and returns its character, "" if there are too many.
func (c *chips) add(ch chip) (mark string) {
	if prompt.FirstChip+rune(len(c.list)) > prompt.LastChip {
		return ""
	}
	ch.width = termtext.Width(ch.label)
	c.list = append(c.list, ch)
	return string(prompt.FirstChip + rune(len(c.list)-1))
}

// frozen returns a copy for use in another goroutine.
func (c *chips) frozen() *chips { return &chips{c.list[:len(c.list):len(c.list)]} }

// lineCount counts lines that end in LF, CRLF or, as terminals paste them, CR.
func lineCount(raw string) int {
	n := strings.Count(raw, "\n") + strings.Count(raw, "\r") - strings.Count(raw, "\r\n")
	if raw != "" && !strings.HasSuffix(raw, "\n") && !strings.HasSuffix(raw, "\r") {
		n++
	}
	return n
}

// at returns the chip that s begins with.
func (c *chips) at(s string) (chip, bool) {
	if len(s) < 4 || s[0] != 0xF4 { // the first byte of every rune of the plane
		return chip{}, false
	}
	r, _ := utf8.DecodeRuneInString(s)
	if i := int(r - prompt.FirstChip); prompt.IsChip(r) && i < len(c.list) {
		return c.list[i], true
	}
	return chip{}, false
}

// expand replaces the chips by their text, or with labels by their labels.
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
			i += utf8.RuneLen(prompt.FirstChip)
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
		if prompt.IsChip(r) {
			return utf8.RuneError
		}
		return r
	}, s)
}

// cleanHere is clean for text inserted at the cursor or in place of the selection: the
// text before it decides whether a joiner belongs to an emoji or a word.
func (b *buffer) cleanHere(s string) string {
	at, _, _ := b.selection()
	before := b.lines[at.Row].text[:at.Col]
	_, n := utf8.DecodeLastRuneInString(before)
	last := before[len(before)-n:]
	if last != clean(last) {
		return clean(s)
	}
	return strings.TrimPrefix(clean(last+s), last)
}

// oneLine makes text fit for a line of the draft.
func oneLine(s string) string { return strings.ReplaceAll(clean(s), "\n", " ") }

// next measures the unit of s that begins at i, over which the cursor steps and in
// which a row does not break: a chip, a tab, or a grapheme cluster.
func (c *chips) next(s string, i int) (bytes, columns int) {
	if s[i] < utf8.RuneSelf && (i+1 == len(s) || s[i+1] < utf8.RuneSelf) {
		if s[i] == '\t' {
			return 1, tabWidth
		}
		return 1, 1
	}
	if ch, ok := c.at(s[i:]); ok {
		return utf8.RuneLen(prompt.FirstChip), ch.width
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

// part measures as much of the unit at i as fits into a row. It cuts a chip or a tab,
// and breaks a wider character between its code points: on some terminals a family
// emoji needs more columns than the prompt has.
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

// maxUnit bounds the bytes of one unit, because texts can stack accents endlessly.
const maxUnit = 128

// breakable reports whether a row may end after a unit without a space. columns is its
// width.
func (c *chips) breakable(unit string, columns int) bool {
	_, ok := c.at(unit)
	return ok || termtext.Wide(unit, columns)
}

// previous returns where the unit before i begins.
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

// width returns how many columns s takes.
func (c *chips) width(s string) int {
	columns := 0
	for i := 0; i < len(s); {
		n, w := c.next(s, i)
		i += n
		columns += w
	}
	return columns
}

// Attach inserts an attachment at the cursor, or removes it if the draft has it. It
// reports whether the draft has it now.
func (c *Composer) Attach(a prompt.Attachment) bool {
	defer c.settle()
	c.toDraft()
	for row := range c.buf.lines {
		text := c.buf.lines[row].text
		for i := 0; i < len(text); {
			n, _ := c.chips.next(text, i)
			if ch, ok := c.chips.at(text[i:]); ok && ch.attached != nil && ch.attached.URI == a.URI {
				end := i + n
				if strings.HasPrefix(text[end:], " ") {
					end++
				}
				c.buf.Replace(pos(row, i), pos(row, end), "")
				return false
			}
			i += n
		}
	}
	mark := c.chips.attach(a)
	if mark == "" {
		return false
	}
	c.buf.Replace(c.buf.cur, c.buf.cur, mark+" ")
	c.complete()
	return true
}

// attach keeps an attachment, and returns the chip for it; "" if there are too many.
func (c *chips) attach(a prompt.Attachment) (mark string) {
	label := "[" + oneLine(a.Label) + "]"
	return c.add(chip{label: label, text: func() string { return label }, attached: &a})
}

// AddImage inserts an image at the cursor, as a chip. It returns false if there are too
// many chips.
func (c *Composer) AddImage(img *prompt.Image) bool {
	defer c.settle()
	c.toDraft()
	mark := c.chips.image(img)
	if mark == "" {
		return false
	}
	c.buf.Replace(c.buf.cur, c.buf.cur, mark+" ")
	return true
}

// image stores an image, and returns the chip for it; "" if there are too many. The
// text of the prompt mentions the file, if there is one, so that the text restores the
// image.
func (c *chips) image(img *prompt.Image) (mark string) {
	name := "image"
	if img.Name != "" {
		name += " " + filepath.Base(filepath.FromSlash(img.Name))
	}
	label := fmt.Sprintf("[%s, %d×%d, %s]", oneLine(name), img.Width, img.Height, prompt.ByteSize(int64(img.Size)))
	text := label
	if img.Name != "" {
		text = prompt.WriteMention(img.Name)
	}
	return c.add(chip{label: label, text: func() string { return text }, image: img})
}
