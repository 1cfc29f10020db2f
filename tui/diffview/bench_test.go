package diffview

import (
	"fmt"
	"strings"
	"testing"
)

// inputs are pairs of texts that are costly to compare. A scale of 10 makes them
// ten times as long as one of 1.
func inputs(scale int) map[string][2]string {
	lines, other, words := numbered(1000*scale, nil), cycleNumbered(1000*scale), cycle(1000*scale, "}\n", "\n", "return nil\n")
	changes := make(map[int]string)
	for i := 5; i <= 1000*scale; i += 10 {
		changes[i] = fmt.Sprintf("changed %d\n", i)
	}
	long := strings.Repeat("0123456789", 100_000*scale)
	return map[string][2]string{
		"different":      {lines, other},
		"one of many":    {numbered(10_000*scale, nil), numbered(10_000*scale, map[int]string{5000 * scale: "changed\n"})},
		"every tenth":    {lines, numbered(1000*scale, changes)},
		"nothing unique": {words, cycle(1000*scale, "return nil\n", "}\n", "}\n", "\n", "\n")},
		"one long line":  {long + "a" + long, long + "b" + long},
	}
}

func cycleNumbered(n int) string { return strings.ReplaceAll(numbered(n, nil), "line", "other") }

// BenchmarkCompare compares and lays out: "different" has 1,000 and 10,000
// lines, "one of many" 10,000 and 100,000, "one long line" 2 MB and 20 MB.
func BenchmarkCompare(b *testing.B) {
	for _, scale := range []int{1, 10} {
		for name, texts := range inputs(scale) {
			b.Run(fmt.Sprintf("%s/%dx", name, scale), func(b *testing.B) {
				b.SetBytes(int64(len(texts[0]) + len(texts[1])))
				b.ReportAllocs()
				for b.Loop() {
					New("file", &texts[0], texts[1]).Layout(100, false)
				}
			})
		}
	}
}

// BenchmarkDraw draws 40 lines in the middle: the diff's length must not matter.
func BenchmarkDraw(b *testing.B) {
	for _, scale := range []int{1, 10} {
		var old, changed strings.Builder
		for i := range 10_000 * scale {
			fmt.Fprintf(&old, "\treturn value(%d, before, %d) // of an ordinary file\n", i, i)
			fmt.Fprintf(&changed, "\treturn value(%d, after, %d) // of an ordinary file\n", i, i)
			if i%5 == 0 {
				old.WriteString("}\n")
				changed.WriteString("}\n")
			}
		}
		before := old.String()
		for path, what := range map[string]string{"file": "", "file.go": "coloured "} {
			d := New(path, &before, changed.String())
			for name, split := range map[string]bool{"unified": false, "split": true} {
				l := d.Layout(160, split)
				b.Run(fmt.Sprintf("%s%s/%dx", what, name, scale), func(b *testing.B) {
					b.ReportAllocs()
					for b.Loop() {
						l.Lines(l.Len()/2, l.Len()/2+40, dark)
					}
				})
			}
		}
	}
}

// BenchmarkDrawCold draws 40 lines that were never drawn before: the words of
// their pairs are compared, and their code is coloured, too.
func BenchmarkDrawCold(b *testing.B) {
	old := cycle(40, "\treturn value(one, before, two) // of an ordinary file\n")
	changed := cycle(40, "\treturn value(one, after, two) // of an ordinary file\n")
	for _, path := range []string{"file", "file.go"} {
		l := New(path, &old, changed).Layout(160, true)
		b.Run(path, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				l.diff.words, l.diff.syntax = nil, syntax{}
				l.Lines(0, 40, dark)
			}
		})
	}
}

// BenchmarkLayout measures a new width, which happens when the window's changes.
func BenchmarkLayout(b *testing.B) {
	for _, scale := range []int{1, 10} {
		b.Run(fmt.Sprintf("%dx", scale), func(b *testing.B) {
			d := New("file", nil, numbered(10_000*scale, nil))
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				d.Layout(80+i%2, false)
			}
		})
	}
}
