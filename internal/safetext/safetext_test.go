package safetext

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestBlock(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"plain text is kept", "héllo, 世界\n\tx", "héllo, 世界\n\tx"},
		{"colours are stripped", "\x1b[31mred\x1b[0m", "red"},
		{"a title sequence is stripped", "a\x1b]0;owned\x07b", "ab"},
		{"C1 CSI is stripped", "a\u009b31mb", "a31mb"},
		{"a lone escape is stripped", "a\x1b", "a"},
		{"CRLF becomes a newline", "a\r\nb\rc", "a\nb\nc"},
		{"bidi overrides are stripped", "a\u202eb\u2066c", "abc"},
		{"bad UTF-8 is replaced", "a\xffb", "a\uFFFDb"},
		{"NUL and DEL are stripped", "a\x00\x7fb", "ab"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Block(c.in); got != c.want {
				t.Errorf("Block(%q) = %q, want %q", c.in, got, c.want)
			}
		})
	}
}

func TestLine(t *testing.T) {
	if got, want := Line("one\ntwo\tthree\x1b[2J"), "one two three"; got != want {
		t.Errorf("Line = %q, want %q", got, want)
	}
}

func FuzzBlock(f *testing.F) {
	f.Add("\x1b[31mred")
	f.Add("\u009b1m\x90q\x9c")
	f.Fuzz(func(t *testing.T, s string) {
		got := Block(s)
		if !utf8.ValidString(got) || strings.ContainsAny(got, "\x1b\x07\r") || strings.ContainsRune(got, '\u009b') {
			t.Errorf("Block(%q) = %q", s, got)
		}
		if again := Block(got); again != got {
			t.Errorf("Block is not idempotent: %q, then %q", got, again)
		}
	})
}

func BenchmarkBlockClean(b *testing.B) {
	s := strings.Repeat("plain text, as agents mostly send it\n", 100)
	b.SetBytes(int64(len(s)))
	b.ReportAllocs()
	for b.Loop() {
		Block(s)
	}
}

func TestVisible(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"plain text is kept", "héllo, 世界\nx", "héllo, 世界\nx"},
		{"control characters have their pictures", "a\x1b[2K\rb\x07\x7f", "a␛[2K␍b␇␡"},
		{"C1 controls are numbered", "a\u009bb", "a⟨U+009B⟩b"},
		{"reordering is seen", "a\u202eb\u200bc", "a⟨U+202E⟩b⟨U+200B⟩c"},
		{"blanks that are none are seen", "a\u00a0b\u3164", "a⟨U+00A0⟩b⟨U+3164⟩"},
		{"tabs become spaces", "a\tb", "a    b"},
		{"CRLF becomes a newline", "a\r\nb", "a\nb"},
		{"bad UTF-8 is replaced", "a\xffb", "a\uFFFDb"},
		{"marks stay with their letter", "e\u0301 x\u0302\u0303\u0304\u0305", "e\u0301 x\u0302\u0303\u0304\u0305"},
		{"marks that terminals drop are numbered", "x\u0302\u0302\u0302\u0302\u0301y\u0301", "x\u0302\u0302\u0302\u0302⟨U+0301⟩y\u0301"},
		{"marks over nothing are numbered", "\u0301a\n\u0301b", "⟨U+0301⟩a\n⟨U+0301⟩b"},
		{"marks that cannot be seen are numbered", "a\u034fb", "a⟨U+034F⟩b"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Visible(c.in); got != c.want {
				t.Errorf("Visible(%q) = %q, want %q", c.in, got, c.want)
			}
		})
	}
	if got, want := VisibleLine(" one\ntwo "), "one␤two"; got != want {
		t.Errorf("VisibleLine = %q, want %q", got, want)
	}
}
