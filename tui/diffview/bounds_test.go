package diffview

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"parley/internal/termtext"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"
)

var sgr = regexp.MustCompile(`\x1b\[[0-9;:]*m`)

// hostile draws texts of everything that may be in a file.
func hostile() *rapid.Generator[string] {
	piece := rapid.OneOf(
		rapid.SampledFrom([]string{
			"\n", "\n", "\r\n", "\r", "\t", " ", "word", "same line\n", "世界", "👩‍💻", "🇩🇪", "e\u0301", "\u0301", "\u200d", "\ufe0f", "❤️", "1️⃣",
			"\x1b[31m", "\x1b]0;title\x07", "\u009b2J", "\u202e", "\u2066", "\x00", "\xff", "\xe4\xb8", "\ufeff", "각", "नि",
		}),
		rapid.String(),
		rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }),
	)
	return rapid.Map(rapid.SliceOfN(piece, 0, 30), func(pieces []string) string { return strings.Join(pieces, "") })
}

// TestNothingLeavesTheWidth draws hostile texts at every width.
func TestNothingLeavesTheWidth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		old, changed := hostile().Draw(t, "old"), hostile().Draw(t, "new")
		d := New("file", &old, changed)
		width := rapid.OneOf(rapid.IntRange(1, 40), rapid.IntRange(110, 140)).Draw(t, "width")
		l := d.Layout(width, Auto)
		lines := l.Lines(0, l.Len(), dark)
		if len(lines) != l.Len() || l.Len() == 0 {
			t.Fatalf("%d lines, Len = %d", len(lines), l.Len())
		}
		for _, line := range lines {
			if got := ansi.StringWidth(line); got > width {
				t.Fatalf("%q is %d cells wide, more than %d", line, got, width)
			}
			for _, r := range sgr.ReplaceAllString(line, "") {
				if r < ' ' || r >= 0x7f && r < 0xa0 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 {
					t.Fatalf("%q holds %U", line, r)
				}
			}
		}
	})
}

// TestEditsMakeTheNewText applies what was found to the old lines.
func TestEditsMakeTheNewText(t *testing.T) {
	line := rapid.SampledFrom([]string{"a", "b", "c", "d", "}", "", "unique 1", "unique 2", "unique 3", "unique 4"})
	rapid.Check(t, func(t *rapid.T) {
		old, changed := rapid.SliceOfN(line, 0, 40).Draw(t, "old"), rapid.SliceOfN(line, 0, 40).Draw(t, "new")
		edits, _ := termtext.CompareLines(old, changed)
		var got []string
		at := 0
		for i, e := range edits {
			if e.OldStart < at || i > 0 && e.OldStart == at || e.OldEnd < e.OldStart || e.NewEnd < e.NewStart {
				t.Fatalf("edits %v are not in order, or touch", edits)
			}
			got = append(append(got, old[at:e.OldStart]...), changed[e.NewStart:e.NewEnd]...)
			if len(got) != e.NewEnd {
				t.Fatalf("edit %v is not where it says in the new text", e)
			}
			at = e.OldEnd
		}
		got = append(got, old[at:]...)
		if strings.Join(got, "\n") != strings.Join(changed, "\n") || len(got) != len(changed) {
			t.Fatalf("%v makes %q of %q, want %q", edits, got, old, changed)
		}
	})
}

// TestManyChangesStayExact has more changes than package lcs finds by itself.
func TestManyChangesStayExact(t *testing.T) {
	changes := make(map[int]string)
	for i := 5; i <= 5000; i += 10 {
		changes[i] = fmt.Sprintf("changed %d\n", i)
	}
	old := numbered(5000, nil)
	d := New("file", &old, numbered(5000, changes))
	if added, removed := d.Stats(); added != 500 || removed != 500 || d.coarse {
		t.Errorf("stats = +%d -%d, coarse = %v", added, removed, d.coarse)
	}
}

func TestCoarseIsSaid(t *testing.T) {
	for _, c := range []struct {
		name     string
		old, new string
	}{
		{"no line is unique", cycle(3000, "a\n", "b\n", "b\n"), cycle(3000, "b\n", "a\n", "c\n", "a\n", "a\n")},
		{"too many lines", cycle(termtext.MaxComparedLines/2+1, "a\n"), cycle(termtext.MaxComparedLines/2+1, "b\n")},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := New("file", &c.old, c.new)
			first := d.Layout(100, Unified).Lines(0, 1, dark)[0]
			if !d.coarse || !strings.Contains(first, "compared coarsely") {
				t.Errorf("coarse = %v, first line %q", d.coarse, first)
			}
		})
	}
}

func cycle(n int, lines ...string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(lines[i%len(lines)])
	}
	return b.String()
}

// TestLongLine shows the change in a long line, and says what is not shown.
func TestLongLine(t *testing.T) {
	long := strings.Repeat("0123456789", 100_000)
	old, changed := long+"before"+long, long+"after"+long
	d := New("file", &old, changed)
	l := d.Layout(100, Unified)
	if l.Len() > 200 {
		t.Errorf("Len = %d", l.Len())
	}
	text := plain(d, 1_000_000, Unified)
	for _, want := range []string{"⟨… 999,744 bytes not shown⟩ ", "9before0", "9after0", " ⟨… 996,165 bytes not shown⟩"} {
		if !strings.Contains(text, want) {
			t.Errorf("the view does not show %q", want)
		}
	}
}
