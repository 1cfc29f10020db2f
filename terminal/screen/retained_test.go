package screen

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestRetained(t *testing.T) {
	for _, c := range []struct {
		name   string
		limit  int
		writes []string
		want   string
	}{
		{"all of it", 5, []string{"ab", "cde"}, "abcde"},
		{"the end", 5, []string{"abcd", "efg"}, "cdefg"},
		{"whole characters", 5, []string{"aäöü"}, "öü"},
		{"characters cut between writes", 4, []string{"a\xc3", "\xa4ö\xc3", "\xbc"}, "öü"},
		{"whole sequences", 5, []string{"ab\x1b[31mred"}, "red"},
		{"a sequence that fits", 8, []string{"ab\x1b[31mred"}, "\x1b[31mred"},
		{"sequences cut between writes", 3, []string{"\x1b", "[3", "1m", "red"}, "red"},
		{"a string longer than the limit", 4, []string{"\x1b]0;a very long title", " and more", "\x07text"}, "text"},
		{"a string without an end", 4, []string{"x\x1b]0;a very long title", " and more"}, ""},
		{"a letter with 0x9c in a title", 4, []string{"\x1b]0;✜ title\x07ab"}, "ab"},
		{"nothing", 0, []string{"abc", "d"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := NewRetained(c.limit)
			for _, w := range c.writes {
				r.Write([]byte(w))
			}
			if got := string(r.Bytes()); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
			if all := strings.Join(c.writes, ""); r.Truncated() != (all != c.want) {
				t.Errorf("truncated = %v", r.Truncated())
			}
		})
	}
}

func TestRetainedIsAnEndAtABoundary(t *testing.T) {
	pieces := rapid.SampledFrom([]string{"a", "ä", "語", "👍", "\n", "\x1b[31m", "\x1b]0;tä\x07", "\x1bM", "some text"})
	rapid.Check(t, func(t *rapid.T) {
		tokens := rapid.SliceOfN(pieces, 0, 60).Draw(t, "tokens")
		limit := rapid.IntRange(0, 40).Draw(t, "limit")
		all := strings.Join(tokens, "")
		r := NewRetained(limit)
		for rest := []byte(all); len(rest) > 0; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "write")
			r.Write(rest[:n])
			rest = rest[n:]
		}

		// The longest end that fits and begins where a token does, or inside of
		// plain text.
		want := all
		for i := 0; len(want) > limit; i++ {
			if tokens[i] == "some text" {
				n := min(len(want)-limit, len(tokens[i]))
				want = want[n:]
				continue
			}
			want = want[len(tokens[i]):]
		}
		if got := string(r.Bytes()); got != want {
			t.Fatalf("limit %d of %q: got %q, want %q", limit, all, got, want)
		}
		if r.Truncated() != (want != all) {
			t.Fatalf("truncated = %v", r.Truncated())
		}
		if text, _ := PlainText(r.Bytes(), 80, 24, limit); len(text) > limit || !utf8.ValidString(text) {
			t.Fatalf("text of %d bytes, limit %d: %q", len(text), limit, text)
		}
	})
}

func TestRetainedKeepsTheEnd(t *testing.T) {
	all := bytes.Repeat([]byte("0123456789abcde\n"), 20_000)
	for _, limit := range []int{1, slack - 1, slack, slack + 1, 5*slack + 7, len(all)} {
		r := NewRetained(limit)
		for i := 0; i < len(all); i += 1000 {
			r.Write(all[i:min(i+1000, len(all))])
		}
		if !bytes.Equal(r.Bytes(), all[len(all)-limit:]) {
			t.Errorf("limit %d: the wrong bytes are kept", limit)
		}
		if held := cap(r.kept); held > 2*limit+2*slack {
			t.Errorf("limit %d: holds %d bytes", limit, held)
		}
	}
}

func FuzzRetained(f *testing.F) {
	for _, p := range fragments {
		f.Add([]byte("ab\r\n"+p+"x"), uint8(3), uint8(2))
	}
	f.Fuzz(func(t *testing.T, p []byte, limit, size uint8) {
		r := NewRetained(int(limit))
		for rest := p; len(rest) > 0; {
			n := min(int(size)+1, len(rest))
			r.Write(rest[:n])
			rest = rest[n:]
		}
		kept := r.Bytes()
		if len(kept) > int(limit) || !bytes.HasSuffix(p, kept) || r.Truncated() != (len(kept) < len(p)) {
			t.Fatalf("kept %q of %q, limit %d, truncated %v", kept, p, limit, r.Truncated())
		}
		if r.Truncated() && len(kept) > 0 && !utf8.RuneStart(kept[0]) {
			t.Fatalf("begins inside a character: %q", kept)
		}
		text, _ := PlainText(kept, 10, 4, int(limit))
		if len(text) > int(limit) || !utf8.ValidString(text) || strings.ContainsAny(text, "\x1b\r\x07\x00") {
			t.Fatalf("text %q of %q", text, kept)
		}
	})
}

func TestPlainText(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"empty", "", ""},
		{"line ends are kept", "a\r\n\r\nb\r\n\r\n", "a\n\nb\n\n"},
		{"none is added", "a\r\nb", "a\nb"},
		{"tabs and trailing blanks", "\ta \tb  \r\n", "\ta \tb  \n"},
		{"wrapped lines are joined", strings.Repeat("word ", 10) + "\r\nx", strings.Repeat("word ", 10) + "\nx"},
		{"wide ones too", strings.Repeat("x", 19) + "語語\r\n", strings.Repeat("x", 19) + "語語\n"},
		{"more lines than the screen has", strings.Repeat("line\r\n", 50), strings.Repeat("line\n", 50)},
		{"redraws", "a 1\r\nb 1\r\n\x1b[2Aa 2\r\nb 2\r\n", "a 2\nb 2\n"},
		{"the alternate screen, when left", "a\r\n\x1b[?1049hvim\x1b[?1049lb", "a\nb"},
		{"the alternate screen, inside", "a\r\n\x1b[?1049h\x1b[Hvim", "a\nvim"},
		{"half a character at the end", "a\xe8\xaa", "a"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got, cut := PlainText([]byte(c.in), 20, 5, 1000); got != c.want || cut {
				t.Errorf("got %q, %v; want %q", got, cut, c.want)
			}
		})
	}
}

func TestPlainTextCannotGrow(t *testing.T) {
	bomb := strings.Repeat("\x1b[999Cx\n", 10_000)
	text, cut := PlainText([]byte(bomb), 1000, 24, len(bomb))
	if len(text) > len(bomb) || !cut || !strings.HasSuffix(text, "x\n") {
		t.Errorf("%d bytes of %d, cut %v", len(text), len(bomb), cut)
	}
}
