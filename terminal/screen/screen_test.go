package screen

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"parley/internal/termtext"
	"parley/internal/test"

	"pgregory.net/rapid"
)

func lines(s *Screen) string { return strings.Join(s.Lines(), "\n") }

func TestScreen(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"plain", "one\r\ntwo\r\n", "one\ntwo"},
		{"blank lines inside stay", "a\r\n\r\nb\r\n\r\n", "a\n\nb"},
		{"LF alone keeps the column", "ab\ncd", "ab\n  cd"},
		{"tabs", "a\tb\r\n12345678\tc", "a       b\n12345678        c"},
		{"backspace", "abc\b\bX", "aXc"},
		{"wrapping", strings.Repeat("x", 25), strings.Repeat("x", 20) + "\nxxxxx"},
		{"the last column waits", strings.Repeat("x", 20) + "\r\ny", strings.Repeat("x", 20) + "\ny"},
		{"no autowrap", "\x1b[?7l" + strings.Repeat("x", 25) + "y", strings.Repeat("x", 19) + "y"},
		{"progress", "10%\r50%\r100%", "100%"},
		{"progress with erasure", "a long line\r\x1b[Kshort", "short"},
		{"cursor up redraw", "one\r\ntwo\r\n\x1b[2A\x1b[2Kone: done\r\n\x1b[2Ktwo: done\r\n", "one: done\ntwo: done"},
		{"redraw below", "a\r\nb\r\nc\x1b[2A\r\x1b[JX", "X"},
		{"absolute position", "\x1b[2;3Hx\x1b[1;1Hy", "y\n  x"},
		{"previous and next line", "a\r\nb\x1b[FX\x1b[EY", "X\nY"},
		{"column", "abcdef\x1b[3GX\x1b[5`Y", "abXdYf"},
		{"erase before", "abcdef\x1b[3D\x1b[1K", "    ef"},
		{"erase characters", "abcdef\x1b[4D\x1b[2X", "ab  ef"},
		{"insert and delete characters", "abcd\x1b[3D\x1b[2@\x1b[1;1H\x1b[P", "  bcd"},
		{"insert and delete lines", "a\r\nb\r\nc\x1b[2;1H\x1b[Lx\x1b[1;1H\x1b[M", "x\nb\nc"},
		{"repeat", "ab\x1b[3b", "abbbb"},
		{"scroll region", "1\r\n2\r\n3\x1b[2;3r\x1b[3;1H\nx", "1\n3\nx"},
		{"reverse index", "a\r\nb\x1b[H\x1bMtop", "top\na\nb"},
		{"save and restore", "ab\x1b7\r\nzz\x1b8c", "abc\nzz"},
		{"line drawing", "\x1b(0lqk\x1b(Bq \x0ea\x0f", "┌─┐q a"},
		{"clearing keeps what was there", "old\x1b[2J\x1b[3J\x1b[Hnew", "old\nnew"},
		{"so does a reset", "old\x1bcnew", "old\nnew"},

		{"colours", "\x1b[31mred\x1b[m \x1b[1;4;38;5;200mx\x1b[m", "\x1b[31mred\x1b[m \x1b[1;4;38;5;200mx\x1b[m"},
		{"bright and true colours", "\x1b[91;102mx\x1b[38;2;1;2;3my\x1b[48:2::4:5:6mz", "\x1b[91;102mx\x1b[m\x1b[38;2;1;2;3;102my\x1b[m\x1b[38;2;1;2;3;48;2;4;5;6mz\x1b[m"},
		{"underlines", "\x1b[4:3;58;5;9mx\x1b[24;59my\x1b[4:2mz", "\x1b[4:3;58;5;9mx\x1b[my\x1b[4:2mz\x1b[m"},
		{"attributes end", "\x1b[1;2;3;7;9mx\x1b[22;23;27;29my", "\x1b[1;2;3;7;9mx\x1b[my"},
		{"colour goes on in the next line", "\x1b[32ma\r\nb", "\x1b[32ma\x1b[m\n\x1b[32mb\x1b[m"},
		{"hidden and blinking text is shown", "\x1b[8;5mhidden", "hidden"},
		{"erasure takes the background", "\x1b[44m\x1b[2X\x1b[mx", "x\x1b[44m \x1b[m"},
		{"other sequences that end in m", "\x1b[>4;1mx\x1b[?4my", "xy"},
		{"a broken colour", "\x1b[38;7;1mx", "\x1b[1;7mx\x1b[m"},

		{"wide", "日本語\r\n語", "日本語\n語"},
		{"wide at the edge", strings.Repeat("x", 19) + "語y", strings.Repeat("x", 19) + "\n語y"},
		{"half of a wide one overwritten", "日本\rX", "X 本"},
		{"the other half", "日本\x1b[2GX", " X本"},
		{"combining", "e\u0301a\u0308\u0323!", "e\u0301a\u0308\u0323!"},
		{"combining without a base", "\u0301x", "x"},
		{"emoji", "👩‍👩‍👧!🇩🇪!👍🏽!❤️!", "👩‍👩‍👧!🇩🇪!👍🏽!❤️!"},
		{"bad UTF-8", "a\xffb\xe4\xb8c", "a\uFFFDb\uFFFD\uFFFDc"},
		{"half a character, then an escape", "\xe4\x1b[31mx", "\uFFFD\x1b[31mx\x1b[m"},

		{"title", "a\x1b]0;title\x07b", "ab"},
		{"title with ST", "a\x1b]2;title\x1b\\b", "ab"},
		{"title with 0x9c in a letter", "a\x1b]0;✳✜ work\x07b", "ab"},
		{"clipboard", "a\x1b]52;c;ZXZpbA==\x07b", "ab"},
		{"hyperlink", "\x1b]8;;https://example.com\x1b\\link\x1b]8;;\x1b\\", "link"},
		{"DCS, APC, PM, SOS", "a\x1bPq#0\x1b\\b\x1b_Gi=1\x1b\\c\x1b^x\x1b\\d\x1bXy\x1b\\e", "abcde"},
		{"queries", "a\x1b[6n\x1b[c\x1b[>c\x1b[?1$p\x1b]11;?\x07\x1bZb", "ab"},
		{"eight-bit controls are no UTF-8", "a\x9b31mb", "a\uFFFD31mb"},
		{"controls in UTF-8", "a\u009b31mb\u0085", "a31mb"},
		{"bidirectional controls", "a\u202eb\u2066c\u200fd", "abcd"},
		{"bell, NUL, DEL", "a\x07\x00\x7fb", "ab"},
		{"cancelled sequence", "\x1b[31\x18a", "a"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := New(20, 5, 100)
			s.Write([]byte(c.in))
			if got := lines(s); got != c.want {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
			// Output comes cut anywhere.
			s = New(20, 5, 100)
			for i := range len(c.in) {
				s.Write([]byte{c.in[i]})
			}
			if got := lines(s); got != c.want {
				t.Errorf("byte by byte: got  %q\nwant %q", got, c.want)
			}
		})
	}
}

func TestImpliedCR(t *testing.T) {
	s := New(20, 5, 100)
	s.SetImpliedCR(true)
	s.Write([]byte("ab\ncd\r\nef"))
	if got := lines(s); got != "ab\ncd\nef" {
		t.Errorf("got %q", got)
	}
}

func TestAlternateScreen(t *testing.T) {
	s := New(20, 5, 100)
	s.Write([]byte("$ vim\r\n\x1b[?1049h\x1b[H\x1b[2J\x1b[31m~\r\n~"))
	if got, want := lines(s), "$ vim\n\x1b[31m~\x1b[m\n\x1b[31m~\x1b[m"; got != want {
		t.Errorf("inside: got %q, want %q", got, want)
	}
	if s.Len() != 3 || s.Line(2) != "\x1b[31m~\x1b[m" || s.Line(3) != "" || s.Line(-1) != "" {
		t.Errorf("Len %d, Line %q", s.Len(), s.Line(2))
	}
	s.Write([]byte("\x1b[20;1H\n\n\n\n\n\n\x1b[?1049lback"))
	if got, want := lines(s), "$ vim\nback"; got != want {
		t.Errorf("after: got %q, want %q", got, want)
	}
}

func TestScrollback(t *testing.T) {
	s := New(20, 5, 10)
	for i := range 100 {
		fmt.Fprintf(s, "%d\r\n", i)
	}
	var want []string
	for i := 86; i < 100; i++ { // ten above the screen, four on it
		want = append(want, fmt.Sprint(i))
	}
	if got := s.Lines(); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := s.Tail(3); !slices.Equal(got, want[11:]) {
		t.Errorf("Tail = %q", got)
	}
	if s.Len() != 14 || s.Line(0) != "86" || s.Line(13) != "99" {
		t.Errorf("Len %d, first %q, last %q", s.Len(), s.Line(0), s.Line(13))
	}
	if got := s.Tail(1000); len(got) != 14 {
		t.Errorf("Tail(1000) has %d lines", len(got))
	}
	none := New(20, 2, 0)
	none.Write([]byte("a\r\nb\r\nc"))
	if got := lines(none); got != "b\nc" {
		t.Errorf("without scrollback: %q", got)
	}
}

func TestScrollbackIsBoundedInBytes(t *testing.T) {
	s := New(300, 5, 50)
	row := strings.Repeat("\x1b[38;2;1;2;3;48;2;4;5;6mé́\x1b[m.", 150) + "\r\n"
	for range 100 {
		s.Write([]byte(row))
	}
	size := 0
	for i := range s.history.len() {
		size += len(s.history.at(i).text)
	}
	if size != s.history.bytes || size > 50*bytesPerLine || size == 0 {
		t.Errorf("%d bytes kept, %d counted", size, s.history.bytes)
	}
}

func TestResizeLaysLinesOutAnew(t *testing.T) {
	s := New(10, 3, 100)
	s.Write([]byte("\x1b[32m0123456789abcdef\x1b[m\r\none\r\ntwo\r\nthree 日本語語\r\n> in"))
	s.Resize(20)
	s.Write([]byte("put"))
	want := "\x1b[32m0123456789abcdef\x1b[m\none\ntwo\nthree 日本語語\n> input"
	if got := lines(s); got != want {
		t.Errorf("wider: got %q, want %q", got, want)
	}
	s.Resize(6)
	s.Write([]byte("!\r\x1b[31mX"))
	want = "\x1b[32m012345\x1b[m\n\x1b[32m6789ab\x1b[m\n\x1b[32mcdef\x1b[m\none\ntwo\nthree \n日本語\n語\n> inpu\n\x1b[31mX\x1b[m!"
	if got := lines(s); got != want {
		t.Errorf("narrower: got %q, want %q", got, want)
	}
}

func TestResizeOnTheAlternateScreen(t *testing.T) {
	s := New(10, 3, 100)
	s.Write([]byte("0123456789abc\r\n\x1b[?1049h\x1b[H0123456789"))
	s.Resize(5)
	if got, want := lines(s), "01234\n56789\nabc\n01234"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	s.Write([]byte("\x1b[?1049lend"))
	if got, want := lines(s), "01234\n56789\nabc\nend"; got != want {
		t.Errorf("after: got %q, want %q", got, want)
	}
}

func TestPanicDoesNotLeaveTheScreen(t *testing.T) {
	s := New(10, 3, 100)
	s.Write([]byte("1\r\n2\r\n3\r\n4\r\n"))
	s.grid = s.grid[:1] // what no output can do
	s.Write([]byte("\x1b[31mlost\r\nkept\r\n"))
	if got := lines(s); !strings.HasPrefix(got, "1\n2\n") || !strings.HasSuffix(got, "kept") {
		t.Errorf("got %q", got)
	}
}

// checkSafe fails if a line could do more to a terminal than write in colour.
func checkSafe(t interface{ Fatalf(string, ...any) }, s *Screen) {
	for i, l := range s.Lines() {
		if !utf8.ValidString(l) {
			t.Fatalf("line %d is not UTF-8: %q", i, l)
		}
		if w := termtext.Safe.Width(l); w > s.cols {
			t.Fatalf("line %d is %d columns wide, of %d: %q", i, w, s.cols, l)
		}
		for rest := l; rest != ""; {
			if strings.HasPrefix(rest, "\x1b[") {
				n := 2 + strings.IndexFunc(rest[2:], func(r rune) bool { return !strings.ContainsRune("0123456789;:", r) })
				if n < 2 || rest[n] != 'm' {
					t.Fatalf("line %d has another sequence than SGR: %q", i, l)
				}
				rest = rest[n+1:]
				continue
			}
			r, n := utf8.DecodeRuneInString(rest)
			if r < ' ' || r >= 0x7f && r < 0xa0 || r == 0x202e {
				t.Fatalf("line %d has a control character: %q", i, l)
			}
			rest = rest[n:]
		}
	}
	for i := range s.grid {
		if len(s.grid[i].cells) > s.cols {
			t.Fatalf("row %d has %d cells, of %d", i, len(s.grid[i].cells), s.cols)
		}
	}
}

// fragments are what programs write, for random outputs that reach deep.
var fragments = []string{
	"a", "text ", "\r", "\n", "\r\n", "\t", "\b", "語", "e\u0301", "👩‍👧", "❤️", "🇩", "\u200d", "\u202e", "\xff", "\xe4\xb8",
	"\x1b[31m", "\x1b[44;1m", "\x1b[m", "\x1b[38;2;1;2;3m", "\x1b[4:3m", "\x1b[K", "\x1b[1K", "\x1b[2K", "\x1b[J", "\x1b[1J", "\x1b[2J",
	"\x1b[A", "\x1b[3B", "\x1b[5C", "\x1b[2D", "\x1b[H", "\x1b[3;4H", "\x1b[99;99H", "\x1b[2@", "\x1b[3P", "\x1b[4X", "\x1b[L", "\x1b[2M",
	"\x1b[2S", "\x1b[T", "\x1b[9b", "\x1b[2;3r", "\x1b[r", "\x1b7", "\x1b8", "\x1bM", "\x1bD", "\x1bc", "\x1b[?1049h", "\x1b[?1049l",
	"\x1b[?7l", "\x1b[?7h", "\x1b(0", "\x1b(B", "\x1b]0;t\x07", "\x1b]52;c;eA==\x1b\\", "\x1bP1$q\x1b\\", "\x1b", "\x1b[", "\x1b]",
}

func TestScreenIsSafeWhateverComes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := New(rapid.IntRange(1, 12).Draw(t, "cols"), rapid.IntRange(1, 5).Draw(t, "rows"), 20)
		pieces := rapid.SliceOf(rapid.SampledFrom(fragments)).Draw(t, "pieces")
		for _, p := range pieces {
			guarded(t, s, []byte(p))
		}
		checkSafe(t, s)
		s.Resize(rapid.IntRange(1, 12).Draw(t, "new cols"))
		checkSafe(t, s)
		guarded(t, s, []byte("x"))
	})
}

// guarded writes and fails where the guard of Write would have hidden a panic.
func guarded(t interface{ Fatalf(string, ...any) }, s *Screen, p []byte) {
	if rest := s.consume(p); len(rest) > 0 {
		t.Fatalf("a panic at %q", rest)
	}
}

func FuzzScreen(f *testing.F) {
	for _, p := range fragments {
		f.Add([]byte("ab\r\n"+p+"x"), uint8(10))
	}
	f.Fuzz(func(t *testing.T, p []byte, cols uint8) {
		whole := New(int(cols), 4, 20)
		guarded(t, whole, p)
		checkSafe(t, whole)

		pieces := New(int(cols), 4, 20)
		for _, b := range p {
			pieces.Write([]byte{b})
		}
		if a, b := lines(whole), lines(pieces); a != b {
			t.Fatalf("whole %q, byte by byte %q", a, b)
		}
		pieces.Resize(int(cols)/2 + 1)
		checkSafe(t, pieces)
	})
}

// What programs print in any script stands on the screen of any terminal.
func TestEveryCharacterReachesTheScreen(t *testing.T) {
	for _, on := range test.TerminalSettings() {
		t.Run(on.String(), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				text := test.HardText(30).Draw(t, "text")
				cols := rapid.IntRange(10, 200).Draw(t, "cols")
				s := New(cols, 5, 1000)
				s.Write([]byte(text + "\r\n"))
				if lost := test.MissingText(test.ShowOnTerminal(on.Kind, s.Lines(), cols), text); lost != "" {
					t.Fatalf("the screen lacks %+q\n%q", lost, s.Lines())
				}
			})
		})
	}
}

// A blank letter in an output is seen, and reaches the model as it was written.
func TestBlankLettersAreSeen(t *testing.T) {
	const out = "rm \u3164\u115f\uffa0a\u00adb"
	s := New(80, 3, 0)
	_, _ = s.Write([]byte(out))
	if got, want := s.Line(0), "rm ⟨U+3164⟩⟨U+115F⟩⟨U+FFA0⟩a⟨U+00AD⟩b"; got != want {
		t.Errorf("drawn as %q, want %q", got, want)
	}
	if got, _ := PlainText([]byte(out), 80, 3, 1000); got != out {
		t.Errorf("the model gets %q", got)
	}
}
