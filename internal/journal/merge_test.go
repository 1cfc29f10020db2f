package journal

import (
	"strings"
	"testing"

	"parley/internal/termtext"
	"pgregory.net/rapid"
)

func TestMerge(t *testing.T) {
	for _, c := range []struct {
		name, base, ours, theirs, want string
		conflict                       bool
	}{
		{name: "only theirs", base: "a\nb\n", ours: "a\nb\n", theirs: "a\nc\n", want: "a\nc\n"},
		{name: "only ours", base: "a\nb\n", ours: "x\nb\n", theirs: "a\nb\n", want: "x\nb\n"},
		{name: "apart", base: "a\nb\nc\nd\n", ours: "A\nb\nc\nd\n", theirs: "a\nb\nc\nD\n", want: "A\nb\nc\nD\n"},
		{name: "next to each other", base: "a\nb\n", ours: "A\nb\n", theirs: "a\nB\n", want: "A\nB\n"},
		{name: "between two others", base: "=\nc\n-\na\n+\nb\n", ours: "=\nc\n-\nb\n+\nb\n", theirs: "=\na\n-\nb\n+\nb\n", conflict: true},
		{name: "two others around it", base: "=\nc\n-\na\n+\nb\n", ours: "=\na\n-\nb\n+\nb\n", theirs: "=\nc\n-\nb\n+\nb\n", conflict: true},
		{name: "the same on both sides", base: "a\nb\n", ours: "a\nB\n", theirs: "a\nB\n", want: "a\nB\n"},
		{name: "the same and another", base: "a\nb\nc\n", ours: "A\nb\nc\n", theirs: "A\nb\nC\n", want: "A\nb\nC\n"},
		{name: "one line, two ways", base: "a\n", ours: "b\n", theirs: "c\n", conflict: true},
		{name: "two insertions at one place", base: "a\n", ours: "a\nb\n", theirs: "a\nc\n", conflict: true},
		{name: "an insertion behind what goes", base: "a\nb\nc\n", ours: "a\nb\nx\nc\n", theirs: "a\nc\n", want: "a\nx\nc\n"},
		{name: "an insertion within what goes", base: "a\nb\nc\nd\n", ours: "a\nb\nx\nc\nd\n", theirs: "a\nd\n", conflict: true},
		{name: "CRLF", base: "a\r\nb\r\nc\r\n", ours: "A\r\nb\r\nc\r\n", theirs: "a\r\nb\r\nC\r\n", want: "A\r\nb\r\nC\r\n"},
		{name: "no final newline", base: "a\nb", ours: "A\nb", theirs: "a\nb\n", want: "A\nb\n"},
		{name: "a line behind one without newline", base: "a\nb", ours: "a\nb\nc", theirs: "a\nB", conflict: true},
		{name: "from nothing", base: "", ours: "", theirs: "a\n", want: "a\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, ok := merge(c.base, c.ours, c.theirs, false)
			if ok == c.conflict || ok && got != c.want {
				t.Errorf("merge = %q, %v; want %q, conflict %v", got, ok, c.want, c.conflict)
			}
		})
	}
}

// text draws a text of few different lines, with or without a newline at its end.
var text = rapid.Custom(func(t *rapid.T) string {
	lines := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "d\r", "", "long line"}), 0, 12).Draw(t, "lines")
	s := strings.Join(lines, "\n")
	if rapid.Bool().Draw(t, "newline") && s != "" {
		s += "\n"
	}
	return s
})

func TestRevertingAllHunksGivesWhatWasBefore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before, now := text.Draw(t, "before"), text.Draw(t, "now")
		for range 100 {
			hunks := Hunks(before, now)
			if len(hunks) == 0 {
				break
			}
			h := rapid.SampledFrom(hunks).Draw(t, "hunk")
			now = withHunk(now, before, Hunk{OldStart: h.NewStart, OldEnd: h.NewEnd, NewStart: h.OldStart, NewEnd: h.OldEnd})
		}
		if now != before {
			t.Fatalf("%q is left, want %q", now, before)
		}
	})
}

func TestKeepingAllHunksGivesWhatIsThere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before, now := text.Draw(t, "before"), text.Draw(t, "now")
		for hunks := Hunks(before, now); len(hunks) > 0; hunks = Hunks(before, now) {
			i := rapid.IntRange(0, len(hunks)-1).Draw(t, "hunk")
			before = withHunk(before, now, hunks[i])
		}
		if now != before {
			t.Fatalf("%q is left, want %q", before, now)
		}
	})
}

// What the user wrote elsewhere is in the merge, and what is taken back is not.
func TestMergeLosesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base := strings.Split(rapid.StringMatching(`([a-z]\n){3,12}`).Draw(t, "base"), "\n")
		base = base[:len(base)-1]
		edit := func(who string) string {
			lines := append([]string{}, base...)
			for i := range rapid.IntRange(1, 3).Draw(t, who+" edits") {
				at := rapid.IntRange(0, len(lines)).Draw(t, who+" at")
				line := who + string(rune('0'+i))
				lines = append(lines[:at:at], append([]string{line}, lines[at:]...)...)
			}
			return strings.Join(lines, "\n") + "\n"
		}
		ours, theirs := edit("ours"), edit("theirs")
		merged, ok := merge(strings.Join(base, "\n")+"\n", ours, theirs, false)
		if !ok {
			return
		}
		have := map[string]int{}
		for _, line := range termtext.SplitLines(merged) {
			have[line]++
		}
		for _, side := range []string{ours, theirs} {
			for _, line := range termtext.SplitLines(side) {
				if have[line] == 0 {
					t.Fatalf("%q is lost: %q", line, merged)
				}
			}
		}
	})
}
