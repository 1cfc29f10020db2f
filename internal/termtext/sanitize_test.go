package termtext

import (
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"
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
		{"DEL alone is stripped", "a\x7fb", "ab"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Block(c.in); got != c.want {
				t.Errorf("Block(%q) = %q, want %q", c.in, got, c.want)
			}
		})
	}
}

func TestHiddenCharactersAreDropped(t *testing.T) {
	for _, r := range []rune{
		0x200b, 0x200c, 0x200d, 0x2060, 0xad, 0x3164, 0x115f, 0x1160, 0xffa0, 0x180e, 0x34f, 0xfff9, 0xfffa, 0xfffb, 0xfeff,
		0x2028, 0x2029, 0x202e, 0x2064, 0x206a, 0xe0001, 0xe0041, 0xe007f, 0xe0100,
	} {
		for _, around := range []string{"a|b", "|b", "a|", "👍|b", "a|👍", "1|2"} {
			in, want := strings.ReplaceAll(around, "|", string(r)), strings.ReplaceAll(around, "|", "")
			if got := Block(in); got != want {
				t.Errorf("Block(%+q) = %+q", in, got)
			}
			if got := Line(in); got != want {
				t.Errorf("Line(%+q) = %+q", in, got)
			}
		}
	}
}

// What a writing system or an emoji needs stays.
func TestJoinersStayWhereTheyAreNeeded(t *testing.T) {
	for name, s := range map[string]string{
		"a family": "👩\u200d👩\u200d👧", "a profession": "👩🏽\u200d⚕\ufe0f", "a flag with a rainbow": "🏳\ufe0f\u200d🌈", "a heart": "👩\u200d❤\ufe0f\u200d👨",
		"the flag of England": "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f!",
		"Persian":             "می\u200cخواهم", "Sinhala": "ශ්\u200dරී", "Devanagari": "क्\u200dष", "a variant of an ideograph": "葛\U000e0100城", "an emoji with its variation": "❤\ufe0f ✔\ufe0f",
	} {
		if got := Block(s); got != s {
			t.Errorf("%s: Block(%+q) = %+q", name, s, got)
		}
	}
	smuggled := "🏴" + strings.Repeat("\U000e0041", 40) + "\U000e007f"
	if got := Block(smuggled); len(got) > len("🏴")+4*maxTags {
		t.Errorf("Block(%+q) = %+q", smuggled, got)
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
	f.Add("🏴\U000e0067\U000e0062\U000e007f👩\u200d\u200b👧\u200d\u200d م\u200b\u200c")
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
		{"blanks that are none are seen", "a\u00a0b\u3164\u3000\u2800", "a⟨U+00A0⟩b⟨U+3164⟩⟨U+3000⟩⟨U+2800⟩"},
		{"variation selectors are seen", "a\ufe0f \u180b", "a⟨U+FE0F⟩ ⟨U+180B⟩"},
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

// Whatever a terminal draws as nothing or as a blank is shown by its number.
func TestNothingIsDrawnAsABlank(t *testing.T) {
	for r := rune(' ' + 1); r <= unicode.MaxRune; r++ {
		blank := unicode.In(r, unicode.Z, unicode.C, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) || r == 0x2800
		if got := Exact("a" + string(r) + "b"); blank && utf8.ValidRune(r) && strings.ContainsRune(got, r) {
			t.Errorf("%U is shown as it is", r)
		}
	}
}

// Two commands, or two paths, that differ are shown as different texts: what is shown can be
// read back.
func TestExactTextsCanBeReadBack(t *testing.T) {
	symbols := regexp.MustCompile("⟨U\\+[0-9A-F]+⟩|⟨0x[0-9A-F]{2}⟩|\u2409   |[\u2400-\u2424]")
	read := func(shown string) string {
		return symbols.ReplaceAllStringFunc(shown, func(symbol string) string {
			digits := strings.TrimSuffix(symbol, "⟩")
			if hex, is := strings.CutPrefix(digits, "⟨U+"); is {
				n, _ := strconv.ParseInt(hex, 16, 32)
				return string(rune(n))
			} else if hex, is := strings.CutPrefix(digits, "⟨0x"); is {
				n, _ := strconv.ParseInt(hex, 16, 32)
				return string([]byte{byte(n)})
			}
			switch r, _ := utf8.DecodeRuneInString(symbol); r {
			case 0x2420:
				return " "
			case 0x2421:
				return "\x7f"
			case 0x2424:
				return "\n"
			default:
				return string(r - 0x2400)
			}
		})
	}
	odd := rapid.SampledFrom([]string{
		" ", "  ", "\t", "\n", "\r\n", "\r", "\u2800", "\ufe0f", "\u3000", "\u00a0", "\u200b", "\u202e", "\x1b", "\x7f", "\xff", "\xc3", "\ufffd",
		"␛", "␠", "␤", "␉", "⟨", "⟩", "⟨U+202E⟩", "⟨0xFF⟩", "e\u0301", "\u0301\u0302\u0303\u0304\u0305", "rm", "-rf", "世",
	})
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(rapid.OneOf(odd, rapid.String())).Draw(t, "pieces"), "")
		for name, show := range map[string]func(string) string{"Exact": Exact, "ExactLine": ExactLine} {
			if shown := show(text); read(shown) != text {
				t.Fatalf("%s(%+q) = %+q, which reads %+q", name, text, shown, read(shown))
			}
		}
	})
}

func TestVisibleBlanks(t *testing.T) {
	for text, want := range map[string]string{
		"plain":                     "plain",
		"a\u3164\u115f\u1160\uffa0": "a⟨U+3164⟩⟨U+115F⟩⟨U+1160⟩⟨U+FFA0⟩",
		"Do\u00adnau":               "Do⟨U+00AD⟩nau",
		"한글 \u1112\u1161":           "한글 \u1112\u1161",
	} {
		if got := VisibleBlanks(text); got != want {
			t.Errorf("%+q is shown as %q, want %q", text, got, want)
		}
	}
}

// TestShellWords: a shell reads the words as they were, and nothing of them as syntax.
func TestShellWords(t *testing.T) {
	for want, words := range map[string][]string{
		`go test ./...`:      {"go", "test", "./..."},
		`echo '' 'a b' '$x'`: {"echo", "", "a b", "$x"},
		`'it'\''s; rm x'`:    {"it's; rm x"},
		`'a'\'''\''b'`:       {"a''b"},
		"'a\nb' '*' '~' '#'": {"a\nb", "*", "~", "#"},
		`'é' a_b@%+=:,./-9`:  {"é", "a_b@%+=:,./-9"},
	} {
		if got := ShellWords(words); got != want {
			t.Errorf("%q: %s, want %s", words, got, want)
		}
	}
}
