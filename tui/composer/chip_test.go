package composer

import (
	"bytes"
	"image"
	"image/png"
	"strings"
	"testing"
)

func TestPaste(t *testing.T) {
	long := strings.Repeat("a long line of text\n", 312)
	for _, tt := range []struct {
		name          string
		do            func(*Composer)
		text, summary string
	}{
		{"short text is text", func(c *Composer) { c.Paste("one\ntwo") }, "one\ntwo", "one\ntwo"},
		{"line ends of terminals", func(c *Composer) { c.Paste("a\r\nb\rc") }, "a\nb\nc", "a\nb\nc"},
		{"control characters go", func(c *Composer) { c.Paste("\x1b[31mred\x1b[0m\x07\x00") }, "red", "red"},
		{"no text passes for a chip", func(c *Composer) { c.Paste(long); c.Paste("\U00100000") }, long + "\uFFFD", "[pasted text #1, 312 lines]\uFFFD"},
		{"many lines are folded", func(c *Composer) { c.Paste(long) }, long, "[pasted text #1, 312 lines]"},
		{"lines of terminals are counted", func(c *Composer) { c.Paste(strings.ReplaceAll(long, "\n", "\r")) }, long, "[pasted text #1, 312 lines]"},
		{"ten lines are not", func(c *Composer) { c.Paste(strings.Repeat("x\n", 10)) }, strings.Repeat("x\n", 10), strings.Repeat("x\n", 10)},
		{"a long line is", func(c *Composer) { c.Paste(strings.Repeat("x", 2001)) }, strings.Repeat("x", 2001), "[pasted text #1, 2001 bytes]"},
		{"folded text is cleaned", func(c *Composer) { c.Paste("\x1b[31m" + long) }, long, "[pasted text #1, 312 lines]"},
		{"text around it", func(c *Composer) { play(c, "see "); c.Paste(long); play(c, " please") }, "see " + long + " please", "see [pasted text #1, 312 lines] please"},
		{"edits around it keep it", func(c *Composer) {
			play(c, "ab")
			c.Paste(long)
			play(c, "cd<backspace><left><left><backspace><right>X")
		}, "a" + long + "X" + "c", "a[pasted text #1, 312 lines]Xc"},
		{"backspace deletes it whole", func(c *Composer) { play(c, "a"); c.Paste(long); play(c, "<backspace>b") }, "ab", "ab"},
		{"undo brings it back", func(c *Composer) { c.Paste(long); play(c, "<backspace><ctrl+_>") }, long, "[pasted text #1, 312 lines]"},
		{"it can be moved", func(c *Composer) { play(c, "a "); c.Paste(long); play(c, "<ctrl+w><home><ctrl+y>") }, long + "a ", "[pasted text #1, 312 lines]a "},
		{"two of them", func(c *Composer) { c.Paste(long); c.Paste(long + "x") }, long + long + "x", "[pasted text #1, 312 lines][pasted text #2, 313 lines]"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := newTest(t, nil)
			tt.do(c)
			if got := c.Text(); got != tt.text {
				t.Errorf("the text is %.80q…, want %.80q…", got, tt.text)
			}
			p := Prompt{raw: c.buf.raw(), chips: c.chips}
			if got := p.Summary(); got != tt.summary {
				t.Errorf("the summary is %q, want %q", got, tt.summary)
			}
		})
	}
}

// A prompt that was sent is not touched by what is pasted into the next draft.
func TestSentPromptsKeepTheirPastes(t *testing.T) {
	c := newTest(t, nil)
	text := strings.Repeat("first\n", 20)
	c.Paste(text)
	sent := play(c, "!<enter>").Prompt
	play(c, "x<ctrl+w><ctrl+y>")
	c.Paste(strings.Repeat("second\n", 20))
	if got := sent.Text(); got != text+"!" {
		t.Errorf("the sent prompt is %.60q", got)
	}
	if want := strings.Repeat("second\n", 20); c.Text() != "x"+want {
		t.Errorf("the draft is %.60q", c.Text())
	}
}

// A killed chip does not come back as the chip of another draft.
func TestKilledChipEndsWithItsDraft(t *testing.T) {
	c := newTest(t, nil)
	c.Paste(strings.Repeat("first\n", 20))
	play(c, "a<ctrl+u>b<enter>")
	c.Paste(strings.Repeat("second\n", 20))
	play(c, "<backspace><ctrl+y>")
	if got := c.Text(); got != "" {
		t.Errorf("yanked %.60q", got)
	}
}

func TestClearedPasteIsInTheHistory(t *testing.T) {
	c := newTest(t, &History{})
	text := strings.Repeat("line\n", 20) + "end"
	c.Paste(text)
	play(c, "<ctrl+c>")
	if !c.Empty() {
		t.Fatal("not cleared")
	}
	if play(c, "<up>"); c.Text() != text {
		t.Errorf("history gave %.60q", c.Text())
	}
}

// pngOf is a picture of a size.
func pngOf(t *testing.T, w, h int) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewRGBA(image.Rect(0, 0, w, h))); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
