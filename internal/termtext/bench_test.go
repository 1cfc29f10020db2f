package termtext

import (
	"strings"
	"testing"
)

var texts = []struct{ name, text string }{
	{"ascii", strings.Repeat("The quick brown fox jumps over the lazy dog; ", 20)},
	{"styled", strings.Repeat("\x1b[38;2;10;20;30mThe quick\x1b[m brown fox \x1b[1mjumps\x1b[m over ", 20)},
	{"accents", strings.Repeat("Größere Straßen führen über die Brücke – naturgemäß. ", 20)},
	{"ideographs", strings.Repeat("これは日本語の文章です。端末の幅を測ります。", 20)},
	{"emoji", strings.Repeat("👍🏽 and 👨‍👩‍👧‍👦 or ❤️ ", 20)},
	{"glyphs", strings.Repeat("● ▸ ✓ ⠋ ❯ ▾ ◐ → working ", 20)},
	{"devanagari", strings.Repeat("नमस्ते दुनिया क्षत्रिय ", 20)},
}

func BenchmarkWidth(b *testing.B) { benchmark(b, func(s string) { Safe.Width(s) }) }
func BenchmarkWrap(b *testing.B)  { benchmark(b, func(s string) { Safe.Wrap(s, 80) }) }
func BenchmarkBreak(b *testing.B) { benchmark(b, func(s string) { Safe.Break(s, 80) }) }

func benchmark(b *testing.B, do func(string)) {
	for _, c := range texts {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(c.text)))
			b.ReportAllocs()
			for b.Loop() {
				do(c.text)
			}
		})
	}
}
