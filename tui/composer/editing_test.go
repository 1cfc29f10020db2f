package composer

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"parley/internal/prompt"
	"parley/tui/composer/vim"
)

// editedBy are keys that a user edits with, with those of vim and without.
var editedBy = []string{
	"a", "b c", "世", "é", "👩‍👩‍👧", "\u0301", "\u200d", " ", "(x)", `"y z"`, ". ", "<shift+enter>", "<ctrl+j>", "<esc>", "<up>", "<down>", "<left>", "<right>",
	"<home>", "<end>", "<backspace>", "<delete>", "<ctrl+w>", "<ctrl+k>", "<ctrl+u>", "<ctrl+y>", "<alt+y>", "<alt+d>", "<ctrl+t>",
	"<ctrl+_>", "<alt+_>", "<shift+left>", "<shift+right>", "<shift+up>", "<shift+down>", "<shift+home>", "<shift+end>",
	"<ctrl+shift+left>", "<ctrl+shift+right>", "<ctrl+x>", "<ctrl+r>", "<alt+b>", "<alt+f>",
	"h", "j", "k", "l", "w", "e", "ge", "0", "$", "fx", "t(", ";", ",", "G", "gg", "{", "}", "%", "i", "A", "o", "O", "R", "r世", "x", "X", "dd", "dw", "cw", "ciw",
	"diw", "dap", "di(", "ca\"", "p", "P", "yy", "yw", "J", "~", "gUU", ">>", "v", "V", "gv", "d", "y", "c", "3", "u", ".", "das", "*", "n",
}

// Whatever is pressed, pasted and clicked, the draft stays one: the cursor is between
// two characters, what was pasted is whole, and what is selected is in the text.
func TestDraftStaysWhole(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		c := newTest(t, nil)
		if rapid.Bool().Draw(r, "vim") {
			c = newVim(t)
		}
		c.SetWidth(rapid.IntRange(8, 40).Draw(r, "width"))
		r.Repeat(map[string]func(*rapid.T){
			"key":  func(r *rapid.T) { play(c, rapid.SampledFrom(editedBy).Draw(r, "key")) },
			"more": func(r *rapid.T) { play(c, rapid.SampledFrom(editedBy).Draw(r, "key")) },
			"paste": func(r *rapid.T) {
				c.Paste(rapid.SampledFrom([]string{"one two", "a\nb", "\u0301x", "🇩🇪🇫"}).Draw(r, "text"))
			},
			"fold":  func(r *rapid.T) { c.Paste(strings.Repeat("line\n", 12)) },
			"click": func(r *rapid.T) { c.Click(rapid.IntRange(0, 40).Draw(r, "x"), rapid.IntRange(0, 5).Draw(r, "y")) },
			"drag":  func(r *rapid.T) { c.Drag(rapid.IntRange(-2, 42).Draw(r, "x"), rapid.IntRange(-3, 12).Draw(r, "y")) },
			"up":    func(r *rapid.T) { c.Release() },
			"set":   func(r *rapid.T) { c.SetText("set anew") },
			"":      func(r *rapid.T) { staysWhole(r, c) },
		})
	})
}

func staysWhole(r *rapid.T, c *Composer) {
	at := c.buf.cur
	if at.Row < 0 || at.Row >= len(c.buf.lines) || at.Col < 0 || at.Col > len(c.buf.lines[at.Row].text) {
		r.Fatalf("the cursor is at %v of %q", at, c.buf.raw())
	}
	isPlace(r, c, at)
	if from, to, ok := c.selected(); ok {
		isPlace(r, c, from)
		isPlace(r, c, to)
		if to.Before(from) {
			r.Fatalf("selected is %v to %v", from, to)
		}
	}
	if raw := c.buf.raw(); !utf8.ValidString(raw) {
		r.Fatalf("the draft is %q", raw)
	}
	for _, ch := range c.buf.raw() {
		if _, ok := c.chips.at(string(ch)); prompt.IsChip(ch) && !ok {
			r.Fatalf("%q stands for nothing", ch)
		}
	}
	c.View()
}

// isPlace requires a place between two characters.
func isPlace(r *rapid.T, c *Composer, p vim.Pos) {
	if p.Row >= len(c.buf.lines) || p.Col > len(c.buf.lines[p.Row].text) {
		r.Fatalf("%v is not in %q", p, c.buf.raw())
	}
	s := c.buf.lines[p.Row].text
	for i := 0; i < p.Col; {
		n, _ := c.chips.next(s, i)
		if i += n; i > p.Col {
			r.Fatalf("%v is inside of a character of %q", p, s)
		}
	}
}

// Undo leads back to the empty draft, with the keys of vim too.
func TestUndoOfVimLeadsBack(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		c := newVim(t)
		for _, k := range rapid.SliceOf(rapid.SampledFrom(editedBy)).Draw(r, "keys") {
			play(c, k)
		}
		c.toDraft()
		play(c, "<esc><esc><esc>")
		for len(c.buf.undo) > 0 {
			play(c, "u")
		}
		if !c.Empty() {
			r.Fatalf("undo left %q", c.Text())
		}
	})
}

func TestSelecting(t *testing.T) {
	for _, tt := range []struct{ name, keys, want string }{
		{"typing replaces", "one two<shift+left><shift+left><shift+left>X", "one X"},
		{"by words", "one two three<ctrl+shift+left><alt+shift+left>X", "one X"},
		{"to the begin of the line", "one two<shift+home>X", "X"},
		{"to the end of the line", "one two<home><shift+end>X", "X"},
		{"by rows", "one<ctrl+j>two<shift+up>X", "oneX"},
		{"down", "one<ctrl+j>two<up><home><shift+down>X", "Xtwo"},
		{"up beyond the first row", "one<ctrl+j>two<up><shift+up>X", "X\ntwo"},
		{"all of it", "one<ctrl+j>two<ctrl+shift+home>X", "X"},
		{"backspace deletes", "one two<shift+left><shift+left><backspace>", "one t"},
		{"delete deletes", "one two<home><shift+right><delete>", "ne two"},
		{"a new line replaces", "abc<shift+left><ctrl+j>", "ab\n"},
		{"left goes to its begin", "abcd<shift+left><shift+left><left>X", "abXcd"},
		{"right goes to the end", "abcd<home><shift+right><shift+right><right>X", "abXcd"},
		{"another key moves and ends it", "abcd<shift+left><home>X", "Xabcd"},
		{"esc ends it", "abcd<shift+left><esc>X", "abcdX"[:3] + "Xd"},
		{"turned around", "abcd<left><left><shift+right><shift+left><shift+left>X", "aXcd"},
		{"undo brings it back", "one two<shift+home>X<ctrl+_>", "one two"},
		{"a kill takes it", "one two<ctrl+shift+left><ctrl+w><home><ctrl+y>", "twoone "},
		{"cut and put", "one two<ctrl+shift+left><ctrl+x><home><ctrl+y>", "twoone "},
		{"a yank replaces", "one two<ctrl+w>x<shift+left><ctrl+y>", "one two"},
		{"an emoji whole", "a👩‍👩‍👧<shift+left>X", "aX"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := newTest(t, nil)
			play(c, tt.keys)
			if got := c.Text(); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

func TestCopyingWhatIsSelected(t *testing.T) {
	c := newTest(t, nil)
	if got := play(c, "one two<ctrl+shift+left><ctrl+c>"); got.Copy != "two" || c.Text() != "one two" || selection(c) != "" {
		t.Errorf("copied %q, the draft is %q, selected %q", got.Copy, c.Text(), selection(c))
	}
	if got := play(c, "<shift+home><ctrl+x>"); got.Copy != "one " || c.Text() != "two" {
		t.Errorf("cut %q, the draft is %q", got.Copy, c.Text())
	}
	if got := play(c, "<ctrl+x>"); got.Used {
		t.Error("ctrl+x is used where nothing is selected")
	}
	c.SetText("")
	long := strings.Repeat("line\n", 312)
	c.Paste(long)
	if got := play(c, "<shift+left><ctrl+c>"); got.Copy != long {
		t.Errorf("%d bytes were copied of a folded paste of %d", len(got.Copy), len(long))
	}
	if got := play(c, "<ctrl+c>"); !got.Used || !c.Empty() {
		t.Error("without a selection, ctrl+c does not clear")
	}
}

// Where there is nothing to select, the keys scroll.
func TestSelectingLeavesKeysThatScroll(t *testing.T) {
	c := newTest(t, nil)
	for _, keys := range []string{"<shift+up>", "one row<shift+up>", "<shift+down>"} {
		if play(c, keys).Used {
			t.Errorf("%s is used", keys)
		}
	}
	if !play(c, "<ctrl+j>another<shift+up>").Used {
		t.Error("shift+up does not select in a draft of two rows")
	}
}

func TestSelectingByMouse(t *testing.T) {
	c := newTest(t, nil)
	play(c, "some words here<ctrl+j>and more")
	for _, tt := range []struct {
		name string
		do   func()
		want string
	}{
		{"dragged", func() { c.Click(gutter+5, 0); c.Drag(gutter+9, 0); c.Release() }, "words"},
		{"backwards", func() { c.Click(gutter+3, 1); c.Drag(gutter+5, 0); c.Release() }, "words here\nand "},
		{"beyond the edges", func() { c.Click(gutter+4, 0); c.Drag(500, 30); c.Release() }, " words here\nand more"},
		{"above", func() { c.Click(gutter+3, 1); c.Drag(0, -5); c.Release() }, "some words here\nand "},
		{"one click", func() { c.Click(gutter+6, 1); c.Release() }, ""},
		{"two clicks", func() { c.Click(gutter+7, 0); c.Release(); c.Click(gutter+7, 0) }, "words"},
		{"three clicks", func() { c.Click(gutter+8, 0); c.Click(gutter+8, 0); c.Click(gutter+8, 0) }, "some words here"},
	} {
		tt.do()
		if got := selection(c); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
	play(c, "X")
	if c.Text() != "X\nand more" {
		t.Errorf("typing made %q", c.Text())
	}
}

func TestKillRing(t *testing.T) {
	for _, tt := range []struct{ name, keys, want string }{
		{"kills that follow each other are one", "one two three<ctrl+w><ctrl+w><home><ctrl+y>", "two threeone "},
		{"also behind the cursor", "one two three<home><alt+d><alt+d><end><ctrl+y>", " threeone two"},
		{"others are not", "one two three<ctrl+w>x<ctrl+w><ctrl+y>", "one two x"},
		{"ctrl+shift+y puts the one before", "one two three<ctrl+w>x<ctrl+w><ctrl+y><ctrl+shift+y>", "one two three"},
		{"and around", "a b<ctrl+w>c<ctrl+w>d<ctrl+w><ctrl+y><alt+y><alt+y><alt+y>", "a d"},
		{"alt+y alone is nothing", "one two<ctrl+w><ctrl+y><left><alt+y>", "one two"},
		{"undo of one", "one two<ctrl+w><ctrl+_>", "one two"},
		{"lines too", "one<ctrl+j>two<ctrl+u><ctrl+u><ctrl+u><ctrl+y>", "one\ntwo"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := newTest(t, nil)
			play(c, tt.keys)
			if got := c.Text(); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

// A word, a paste and a kill are a step each.
func TestUndoSteps(t *testing.T) {
	c := newTest(t, nil)
	play(c, "some words ")
	c.Paste("pasted text")
	play(c, " and<ctrl+w>")
	for _, want := range []string{"some words pasted text and", "some words pasted text ", "some words pasted text", "some words ", "some ", ""} {
		if play(c, "<ctrl+/>"); c.Text() != want {
			t.Fatalf("undo made %q, want %q", c.Text(), want)
		}
	}
	for range 6 {
		play(c, "<alt+_>")
	}
	if c.Text() != "some words pasted text " {
		t.Errorf("redo made %q", c.Text())
	}
	if play(c, "<ctrl+z>").Used {
		t.Error("ctrl+z is the composer's")
	}
}

// selection is the selected text.
func selection(c *Composer) string {
	from, to, _ := c.selected()
	return c.buf.Slice(from, to)
}
