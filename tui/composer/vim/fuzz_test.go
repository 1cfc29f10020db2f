package vim

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// Whatever is typed, the cursor stays in the text and at a character, the text stays
// what it was in UTF-8, and undo leads back to where it began.
func FuzzKeys(f *testing.F) {
	for _, s := range readTable(f, casesFile) {
		text, _ := s.start()
		f.Add(text, s.keys)
	}
	f.Add("a\nb", "v$jo<Esc>gvd3.u<C-r>")
	f.Add("(a", "di(vi(da{")
	f.Add("ab\ncd\nlong last", "vjxG$.")
	f.Fuzz(func(t *testing.T, text, keys string) {
		control := func(r rune) bool { return r < ' ' || r == 0x7f }
		if strings.ContainsFunc(keys, control) || len(text) > 2000 || len(keys) > 60 || !utf8.ValidString(text) || strings.ContainsRune(text, '\r') || !utf8.ValidString(keys) {
			return
		}
		h := newHost(text, Pos{})
		for _, key := range keysOf(keys) {
			h.press(key)
			if size := len(h.all()); size > 1<<20 {
				return
			}
			check(t, h, keys)
		}
		for range 3 {
			h.press("esc")
		}
		if h.e.Mode() != Normal {
			t.Fatalf("%q: esc leads to %v", keys, h.e.Mode())
		}
		for range len(h.undo) {
			h.press("u")
			check(t, h, keys)
		}
		if h.all() != text {
			t.Fatalf("%q in %q: undo leads to %q", keys, text, h.all())
		}
	})
}

func check(t *testing.T, h *host, keys string) {
	t.Helper()
	at := h.cursor
	if at.Row < 0 || at.Row >= len(h.lines) || at.Col < 0 || at.Col > len(h.lines[at.Row]) {
		t.Fatalf("%q: the cursor is at %v of %q", keys, at, h.all())
	}
	line := h.lines[at.Row]
	if at.Col < len(line) && !utf8.RuneStart(line[at.Col]) {
		t.Fatalf("%q: the cursor is in a character, at %v of %q", keys, at, h.all())
	}
	if h.e.Mode() == Normal && line != "" && at.Col == len(line) {
		t.Fatalf("%q: the cursor is behind the line, at %v of %q", keys, at, h.all())
	}
	if !utf8.ValidString(h.all()) {
		t.Fatalf("%q: the text is %q", keys, h.all())
	}
	if from, to, ok := h.e.Selection(); ok && (to.Before(from) || to.Row >= len(h.lines) || to.Col > len(h.lines[to.Row])) {
		t.Fatalf("%q: selected is %v to %v of %q", keys, from, to, h.all())
	}
}
