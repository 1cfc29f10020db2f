package composer

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"parley/config"
	"parley/tui/theme"
)

func newVim(t testing.TB) *Composer {
	t.Helper()
	return New(Options{Theme: theme.New(true), Keys: config.Default(TestActions).Keys, Root: t.TempDir(), Vim: true})
}

func TestVim(t *testing.T) {
	for _, tt := range []struct{ name, keys, want, mode string }{
		{"it begins in insert mode", "abc", "abc", "INSERT"},
		{"esc is normal mode", "abc<esc>", "abc", "NORMAL"},
		{"a command of vim", "one two<esc>bdw", "one ", "NORMAL"},
		{"one that is not complete", "one two<esc>2d", "one two", "NORMAL 2d"},
		{"unknown keys type nothing", "one<esc>QZ&", "one", "NORMAL"},
		{"back to insert mode", "one<esc>Ix", "xone", "INSERT"},
		{"visual mode", "one two<esc>viw", "one two", "VISUAL"},
		{"lines", "one<ctrl+j>two<esc>V", "one\ntwo", "VISUAL LINE"},
		{"the keys of readline while inserting", "one two<ctrl+w>x", "one x", "INSERT"},
		{"and their undo is one with the insertion", "one <esc>atwo three<ctrl+w>four<esc>u", "one ", "NORMAL"},
		{"an insertion of several words is one step", "one two three<esc>u", "", "NORMAL"},
		{"the dot types again", "a b c<esc>0cwx<esc>w.w.", "x x x", "NORMAL"},
		{"ctrl+r does it again", "one<esc>xxuu<ctrl+r>", "on", "NORMAL"},
		{"the arrows are motions in a command", "one two<esc>0d<right>", "ne two", "NORMAL"},
		{"a selection by shift is visual mode", "one two<esc><shift+left><shift+left>d", "one ", "NORMAL"},
		{"a selection while inserting is replaced", "one two<shift+home>x", "x", "INSERT"},
		{"a folded paste is one character", "a<esc>", "a", "NORMAL"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := newVim(t)
			play(c, tt.keys)
			if got := c.Text(); got != tt.want || c.Mode() != tt.mode {
				t.Errorf("%q in %s, want %q in %s", got, c.Mode(), tt.want, tt.mode)
			}
		})
	}
}

func TestVimLeavesTheAppItsKeys(t *testing.T) {
	c := newVim(t)
	if !play(c, "one<esc>").Used {
		t.Error("esc of insert mode is the app's")
	}
	if play(c, "<esc>").Used {
		t.Error("esc of normal mode is not the app's")
	}
	if !play(c, "2d<esc>").Used || c.Mode() != "NORMAL" {
		t.Error("esc does not end a command")
	}
	if !c.Edits("x") || c.Edits("esc") {
		t.Error("a question would take an x, or esc would not get to it")
	}
	if play(c, "i"); !c.Edits("esc") {
		t.Error("a question would take the esc that ends insert mode")
	}
	play(c, "<esc>")
	if got := play(c, "<enter>"); got.Prompt == nil || got.Prompt.Text() != "one" || !c.Empty() || c.Mode() != "INSERT" {
		t.Errorf("enter of normal mode sends %v", got.Prompt)
	}
	if play(c, "<esc>"); play(c, "?").Used {
		t.Error("? of an empty draft is not the app's")
	}
}

func TestVimCopies(t *testing.T) {
	c := newVim(t)
	if got := play(c, `one two<esc>"+yiw`); got.Copy != "two" {
		t.Errorf("copied %q", got.Copy)
	}
	if got := play(c, `$v0<ctrl+c>`); got.Copy != "one two" || c.Mode() != "NORMAL" {
		t.Errorf("copied %q in %s", got.Copy, c.Mode())
	}
	if got := play(c, `$viw<ctrl+x>`); got.Copy != "two" || c.Text() != "one " {
		t.Errorf("cut %q of %q", got.Copy, c.Text())
	}
}

func TestVimWithChips(t *testing.T) {
	c := newVim(t)
	long := strings.Repeat("line\n", 20)
	play(c, "a ")
	c.Paste(long)
	play(c, " b<esc>Fbhh")
	if at, _ := c.chips.at(c.buf.lines[0].text[c.buf.cur.Col:]); at.label == "" {
		t.Fatalf("the cursor is not at the chip of %q", c.buf.raw())
	}
	if play(c, "yl$p"); c.Text() != "a "+long+" b"+long {
		t.Errorf("the draft has %q", c.chips.expand(c.buf.raw(), true))
	}
	if play(c, "x0wdw"); c.Text() != "a b" {
		t.Errorf("the draft is %q", c.chips.expand(c.buf.raw(), true))
	}
}

func TestVimAndTheMouse(t *testing.T) {
	c := newVim(t)
	play(c, "one two three<esc>")
	c.Click(gutter+5, 0)
	c.Drag(gutter+6, 0)
	c.Release()
	if c.Mode() != "VISUAL" || selection(c) != "wo" {
		t.Errorf("%q is selected in %s", selection(c), c.Mode())
	}
	if play(c, "d"); c.Text() != "one t three" {
		t.Errorf("the draft is %q", c.Text())
	}
	if c.Click(gutter+500, 0); c.buf.cur != pos(0, 10) {
		t.Errorf("the cursor is at %v", c.buf.cur)
	}
}

func TestVimCursor(t *testing.T) {
	c := newVim(t)
	shape := func() tea.CursorShape {
		_, cursor := c.View()
		return cursor.Shape
	}
	if play(c, "one"); shape() != tea.CursorBar {
		t.Error("no bar in insert mode")
	}
	if play(c, "<esc>"); shape() != tea.CursorBlock {
		t.Error("no block in normal mode")
	}
}

// History and what is set from outside keep the mode.
func TestVimAcrossDrafts(t *testing.T) {
	c := New(Options{Theme: theme.New(true), Keys: config.Default(TestActions).Keys, History: &History{}, Root: t.TempDir(), Vim: true})
	play(c, "first one<enter>second<esc><up>")
	if c.Text() != "first one" || c.Mode() != "NORMAL" {
		t.Fatalf("%q in %s", c.Text(), c.Mode())
	}
	if play(c, "0dw"); c.Text() != "one" {
		t.Errorf("%q", c.Text())
	}
	if play(c, "<down>"); c.Text() != "second" {
		t.Errorf("%q", c.Text())
	}
	c.SetText("other")
	if play(c, "u"); c.Text() != "second" {
		t.Errorf("undo of what was set made %q", c.Text())
	}
}
