package termtext

import "testing"

func TestFit(t *testing.T) {
	for _, c := range []struct {
		name, text  string
		room, width int
		want        string
		used        int
	}{
		{"all of it", "abc", 5, 5, "abc", 3},
		{"what there is room for", "abcdef", 3, 10, "abc", 3},
		{"no half of a wide character", "a世", 2, 10, "a", 1},
		{"no mark without its letter", "ae\u0301x", 2, 10, "ae\u0301", 2},
		{"nothing, for the next line has room", "👨‍💻", 3, 10, "", 0},
		{"a part, for no line has room", "👨‍💻", 3, 3, "👨‍", 2},
		{"a part behind a style", "\x1b[1m👨‍💻", 3, 3, "\x1b[1m👨‍", 2},
		{"one code point at least", "世界", 1, 1, "世", 2},
		{"one letter at least", "ab", 0, 0, "a", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			if n, used := Safe.Fit(c.text, c.room, c.width); c.text[:n] != c.want || used != c.used {
				t.Errorf("Fit = %+q, %d cells, want %+q, %d", c.text[:n], used, c.want, c.used)
			}
		})
	}
}

func TestTruncate(t *testing.T) {
	for _, c := range []struct {
		name, text string
		width      int
		tail, want string
	}{
		{"what fits stays", "abc", 3, "…", "abc"},
		{"cut", "abcd", 3, "…", "ab…"},
		{"cut without a mark", "abcd", 3, "", "abc"},
		{"not inside of a character", "a👍🏽bc", 5, "…", "a…"},
		{"all of the last character fits", "ab世", 4, "…", "ab世"},
		{"styles end behind the mark", "\x1b[1mabcd\x1b[m", 3, "…", "\x1b[1mab…\x1b[m"},
		{"links end too", "\x1b]8;;http://x\x07abcd\x1b]8;;\x07", 2, "…", "\x1b]8;;http://x\x07a…\x1b]8;;\x07"},
		{"what is switched off stays off", "\x1b[1ma\x1b[mbcd", 3, "…", "\x1b[1ma\x1b[mb…"},
		{"no room", "abc", 0, "…", ""},
		{"room for the mark alone", "abc", 1, "…", "…"},
		{"no room for the mark", "abcd", 2, "...", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Safe.Truncate(c.text, c.width, c.tail); got != c.want {
				t.Errorf("Truncate = %q, want %q", got, c.want)
			}
		})
	}
}

func TestTruncateStart(t *testing.T) {
	for _, c := range []struct {
		text  string
		width int
		want  string
	}{
		{"src/main.go", 20, "src/main.go"},
		{"src/main.go", 8, "…main.go"},
		{"a世界", 4, "…界"},
		{"a👍🏽bc", 5, "…bc"},
		{"abc", 0, ""},
	} {
		if got := Safe.TruncateStart(c.text, c.width, "…"); got != c.want {
			t.Errorf("TruncateStart(%q, %d) = %q, want %q", c.text, c.width, got, c.want)
		}
	}
}

func TestExpandTabs(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"no tab", "no tab"},
		{"\ta", "    a"},
		{"ab\tc", "ab  c"},
		{"世界\tc", "世界    c"},
		{"👍🏽👍🏽\tc", "👍🏽👍🏽    c"}, // four columns each
		{"a\tb\n\tc", "a   b\n    c"},
	} {
		if got := Safe.ExpandTabs(c.text, 4); got != c.want {
			t.Errorf("ExpandTabs(%q) = %q, want %q", c.text, got, c.want)
		}
	}
}

// Lines that were laid out for one method are of no use for another.
func TestLayout(t *testing.T) {
	before := CurrentMethod()
	defer UseMethod(before)
	UseMethod(Safe)
	at := NewLayout(80)
	if at != NewLayout(80) || at == NewLayout(81) || at == (Layout{}) {
		t.Error("a layout is not that of its width")
	}
	UseMethod(Graphemes)
	if at == NewLayout(80) {
		t.Error("the layout is the same with another method")
	}
	if Width("👍🏽") != 2 {
		t.Error("the method in use is not the one that was chosen")
	}
}
