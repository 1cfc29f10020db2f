package diffview

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"parley/internal/termtext"
	"parley/internal/test"
	"parley/tui/theme"
)

var dark = theme.New(true)

// plain draws a whole diff without colours. Spaces at the ends of lines are
// background, and left out.
func plain(d *Diff, width int, split bool) string {
	l := d.Layout(width, split)
	lines := l.Lines(0, l.Len(), dark)
	for i, line := range lines {
		lines[i] = strings.TrimRight(ansi.Strip(line), " ")
	}
	return strings.Join(lines, "\n")
}

// numbered returns lines with the words given at their numbers.
func numbered(n int, changes map[int]string) string {
	var b strings.Builder
	for i := 1; i <= n; i++ {
		if text, ok := changes[i]; ok {
			b.WriteString(text)
		} else {
			fmt.Fprintf(&b, "line %d\n", i)
		}
	}
	return b.String()
}

func TestUnified(t *testing.T) {
	text := func(s string) *string { return &s }
	for _, c := range []struct {
		name           string
		old            *string
		new            string
		want           string
		added, removed int
	}{
		{
			"a change with its context", text(numbered(9, nil)), numbered(9, map[int]string{5: "changed\n"}), `
2 2   line 2
3 3   line 3
4 4   line 4
5   - line 5
  5 + changed
6 6   line 6
7 7   line 7
8 8   line 8`, 1, 1,
		},
		{
			"two hunks, and numbers that differ", text(numbered(30, nil)), numbered(30, map[int]string{2: "", 20: "line 20\nmore\n"}), `
 1  1   line 1
 2    - line 2
 3  2   line 3
 4  3   line 4
 5  4   line 5
… 12 unchanged lines
18 17   line 18
19 18   line 19
20 19   line 20
   20 + more
21 21   line 21
22 22   line 22
23 23   line 23`, 1, 1,
		},
		{
			"changes nearby share a hunk", text(numbered(8, nil)), numbered(8, map[int]string{1: "one\n", 8: "eight\n"}), `
1   - line 1
  1 + one
2 2   line 2
3 3   line 3
4 4   line 4
5 5   line 5
6 6   line 6
7 7   line 7
8   - line 8
  8 + eight`, 2, 2,
		},
		{
			"a line between hunks is no gap", text(numbered(9, nil)), numbered(9, map[int]string{1: "", 9: ""}), `
1   - line 1
2 1   line 2
3 2   line 3
4 3   line 4
5 4   line 5
6 5   line 6
7 6   line 7
8 7   line 8
9   - line 9`, 0, 2,
		},
		{"a new file", nil, "a\n\nb\n", `
1 + a
2 +
3 + b`, 3, 0},
		{"a new file whose old text is empty", text(""), "a", `
1 + a`, 1, 0},
		{"a deleted file", text("a\nb\n"), "", `
1 - a
2 - b`, 0, 2},
		{"no change", text("a\n"), "a\n", `
no changes`, 0, 0},
		{"an empty new file", nil, "", `
empty file`, 0, 0},
		{"fragments without a final newline", text("a"), "a\nb", `
1 1   a
  2 + b`, 1, 0},
		{"only the final newline", text("a\n"), "a", `
newline at the end of the file removed`, 0, 0},
		{"the final newline too", text("a"), "b\n", `
1   - a
  1 + b
newline at the end of the file added`, 1, 1},
		{"tabs become spaces", text("\tif a {\n"), "    if a {\n", `
1   - →   if a {
  1 + ····if a {`, 1, 1},
		{"an empty line gets blanks", text("a\n\n"), "a\n  \n", `
1 1   a
2   -
  2 + ··`, 1, 1},
		{"blanks at the end", text("a\n"), "a  \n", `
1   - a
  1 + a··`, 1, 1},
		{"a tab at the end", text("a\n"), "a\t\n", `
1   - a
  1 + a→`, 1, 1},
		{"indentation of another kind, and another word", text("\tcount := one\n"), "    count := two\n", `
1   - →   count := one
  1 + ····count := two`, 1, 1},
		{"a new file without a final newline", nil, "a", `
1 + a
no newline at the end of the file`, 1, 0},
		{"all line endings", text("a\r\nb\r\n"), "a\nb\n", `
all line endings changed from CRLF to LF`, 0, 0},
		{"all line endings and a line", text("a\r\nb\r\n"), "a\nc\n", `
all line endings changed from CRLF to LF
1 1   a
2   - b
  2 + c`, 1, 1},
		{"CRLF becomes LF", text("a\r\nb\r\n"), "a\nb\r\n", `
1   - a␍
  1 + a
2 2   b␍`, 1, 1},
		{"CRLF everywhere is not drawn", text("a\r\n"), "b\r\n", `
1   - a
  1 + b`, 1, 1},
		{"tabs", text("\ta\tb\n"), "世\tb\n", `
1   - →   a   b
  1 + 世  b`, 1, 1},
		{"control characters are seen, not obeyed", text("a\n"), "\x1b[31ma\x07\u202e\u009b\x7f\xff\rb\n", `
1   - a
  1 + ␛[31ma␇‹U+202E›‹U+009B›␡` + "\uFFFD" + `␍b`, 1, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := New("file", c.old, c.new)
			if diff := cmp.Diff(c.want, "\n"+plain(d, 80, false)); diff != "" {
				t.Error(diff)
			}
			if added, removed := d.Stats(); added != c.added || removed != c.removed {
				t.Errorf("stats = +%d -%d, want +%d -%d", added, removed, c.added, c.removed)
			}
		})
	}
}

func TestFirstLine(t *testing.T) {
	old := "a\nb\n"
	d := New("file", &old, "a\nc\n")
	d.SetFirstLine(99)
	want := "\n 99  99   a\n100     - b\n    100 + c"
	if diff := cmp.Diff(want, "\n"+plain(d, 80, false)); diff != "" {
		t.Error(diff)
	}
	d.SetFirstLine(0)
	if diff := cmp.Diff("\n  a\n- b\n+ c", "\n"+plain(d, 80, false)); diff != "" {
		t.Error(diff)
	}
}

func TestContext(t *testing.T) {
	old := numbered(40, nil)
	d := New("file", &old, numbered(40, map[int]string{10: "ten\n", 30: "thirty\n"}))
	for _, c := range []struct{ context, want int }{{0, 5}, {3, 17}, {12, 42}, {Whole, 42}, {3, 17}} {
		d.SetContext(c.context)
		if got := d.Layout(80, false).Len(); got != c.want {
			t.Errorf("%d lines with a context of %d, want %d", got, c.context, c.want)
		}
	}
}

func TestChange(t *testing.T) {
	text := func(s string) *string { return &s }
	for _, c := range []struct {
		old  *string
		new  string
		want Change
	}{{nil, "a", Created}, {nil, "", Created}, {text(""), "a", Created}, {text("a"), "", Deleted}, {text("a"), "b", Changed}} {
		if got := New("file", c.old, c.new).Change(); got != c.want {
			t.Errorf("%v to %q: %v, want %v", c.old, c.new, got, c.want)
		}
	}
}

func TestWrapped(t *testing.T) {
	old := "abcdefghijklmnopqrst\n"
	for _, c := range []struct {
		name  string
		new   string
		width int
		want  string
	}{
		{"the gutter of what continues is blank", "abcdefghijklmnopqrstuvwxyz\n", 22, `
1   - abcdefghijklmnop
      qrst
  1 + abcdefghijklmnop
      qrstuvwxyz`},
		{"wide characters are not cut", "世世世世世世世世世\n", 23, `
1   - abcdefghijklmnopq
      rst
  1 + 世世世世世世世世
      世`},
		{"no numbers where there is no room", "abcdefghij\n", 12, `
- abcdefghij
  klmnopqrst
+ abcdefghij`},
		{"no sign either", "世\n", 1, "\n" + strings.Join(strings.Split(strings.TrimSpace(old), ""), "\n") + "\n·"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, "\n"+plain(New("file", &old, c.new), c.width, true)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestSplit(t *testing.T) {
	old, changed := numbered(20, nil), numbered(20, map[int]string{3: "three\nand more\n", 15: ""})
	d := New("file", &old, changed)
	side := func(left, right string) string { return fmt.Sprintf("%-59s│%s\n", left, right) }
	want := side(" 1   line 1", " 1   line 1") +
		side(" 2   line 2", " 2   line 2") +
		side(" 3 - line 3", " 3 + three") +
		side("", " 4 + and more") +
		side(" 4   line 4", " 5   line 4") +
		side(" 5   line 5", " 6   line 5") +
		side(" 6   line 6", " 7   line 6") +
		"… 5 unchanged lines\n" +
		side("12   line 12", "13   line 12") +
		side("13   line 13", "14   line 13") +
		side("14   line 14", "15   line 14") +
		side("15 - line 15", "") +
		side("16   line 16", "16   line 16") +
		side("17   line 17", "17   line 17") +
		side("18   line 18", "18   line 18")
	if diff := cmp.Diff(strings.TrimSpace(want), strings.TrimSpace(plain(d, 120, true))); diff != "" {
		t.Error(diff)
	}
	t.Run("the longer side decides the height", func(t *testing.T) {
		old, long := "short\n", strings.Repeat("long ", 20)+"\n"
		l := New("file", &old, long).Layout(120, true)
		if lines := l.Lines(0, 9, dark); len(lines) != 2 || l.Len() != 2 {
			t.Errorf("lines = %q", lines)
		}
	})
	for _, c := range []struct {
		name  string
		old   string
		width int
		split bool
		want  bool
	}{
		{"room", "old", 120, true, true},
		{"no room", "old", 119, true, false},
		{"a new file", "", 120, true, false},
		{"unified is asked for", "old", 200, false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := New("file", &c.old, "new").Layout(c.width, c.split).split; got != c.want {
				t.Errorf("split = %v", got)
			}
		})
	}
}

func TestLines(t *testing.T) {
	d := New("file", nil, numbered(50, nil)+strings.Repeat("long ", 30))
	l := d.Layout(40, false)
	all := l.Lines(0, l.Len(), dark)
	if len(all) != l.Len() || l.Len() <= 51 {
		t.Fatalf("%d lines, Len = %d", len(all), l.Len())
	}
	for from := -2; from < l.Len()+2; from++ {
		for _, n := range []int{0, 1, 3, 100} {
			lo := min(max(from, 0), l.Len())
			hi := max(min(from+n, l.Len()), lo)
			if diff := cmp.Diff(all[lo:hi], append([]string{}, l.Lines(from, from+n, dark)...)); diff != "" {
				t.Fatalf("lines %d to %d: %s", from, from+n, diff)
			}
		}
	}
}

func TestThemeIsFollowed(t *testing.T) {
	l := New("file", nil, "text").Layout(40, false)
	first := l.Lines(0, 1, dark)[0]
	if light := l.Lines(0, 1, theme.New(false))[0]; light == first || ansi.Strip(light) != ansi.Strip(first) {
		t.Errorf("%q in the dark, %q in the light", first, light)
	}
}

func TestBackgroundFillsTheWidth(t *testing.T) {
	old := "old\nsame\n"
	for _, line := range New("file", &old, "new\nsame\n").Layout(60, false).Lines(0, 2, dark) {
		if got := ansi.StringWidth(line); got != 60 {
			t.Errorf("%q is %d cells wide", line, got)
		}
	}
}

// TestConcurrentUse is for the race detector: comparing in the background while
// the screen is drawn.
func TestConcurrentUse(t *testing.T) {
	old := numbered(200, nil)
	d := New("file", &old, numbered(200, map[int]string{50: "line fifty\n", 150: strings.Repeat("long ", 2000) + "\n"}))
	var users sync.WaitGroup
	for i := range 8 {
		users.Go(func() {
			d.Stats()
			l := d.Layout(100+10*i, true)
			l.Lines(0, l.Len(), dark)
		})
	}
	users.Wait()
}

func TestPatch(t *testing.T) {
	text := func(s string) *string { return &s }
	for _, c := range []struct {
		name string
		old  *string
		new  string
		want string
	}{
		{"a change", text("a\nb\nc\n"), "a\nx\nc\n", "--- a/dir/f\n+++ b/dir/f\n@@ -1,3 +1,3 @@\n a\n-b\n+x\n c\n"},
		{"a new file", nil, "a\n", "--- /dev/null\n+++ b/dir/f\n@@ -0,0 +1 @@\n+a\n"},
		{"a deleted file", text("a\n"), "", "--- a/dir/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n"},
		{"nothing", text("a\n"), "a\n", ""},
		{"only the final newline", text("a\n"), "a", "--- a/dir/f\n+++ b/dir/f\n@@ -1 +1 @@\n-a\n+a\n\\ No newline at end of file\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := New("/dir/f", c.old, c.new).Patch()
			if err != nil || got != c.want {
				t.Errorf("patch %q, %v; want %q", got, err, c.want)
			}
		})
	}
}

// TestPatchApplies lets git apply patches of random changes.
func TestPatchApplies(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not installed")
	}
	line := rapid.SampledFrom([]string{"a\n", "b\n", "c\r\n", "\n", "  d\t\n", "unique 1\n", "unique 2\n"})
	texts := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(line, 1, 12).Draw(t, "lines"), "") + rapid.SampledFrom([]string{"", "end"}).Draw(t, "end")
	})
	dir := t.TempDir()
	file, patch := filepath.Join(dir, "f"), filepath.Join(dir, "patch")
	for seed := range 60 {
		before, after := texts.Example(2*seed), texts.Example(2*seed+1)
		if before == after {
			continue
		}
		text, err := New("f", &before, after).Patch()
		if err != nil {
			t.Fatal(err)
		}
		if os.WriteFile(file, []byte(before), 0o600) != nil || os.WriteFile(patch, []byte(text), 0o600) != nil {
			t.Fatal("the files were not written")
		}
		cmd := exec.Command(git, "apply", "--whitespace=nowarn", patch)
		cmd.Dir = dir
		cmd.Env = append(test.Environ(), "GIT_CEILING_DIRECTORIES="+dir)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s\n%q", err, out, text)
		}
		if got, err := os.ReadFile(file); err != nil || string(got) != after {
			t.Fatalf("the patch %q makes %q of %q, want %q", text, got, before, after)
		}
	}
}

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
		l := d.Layout(width, true)
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
			first := d.Layout(100, false).Lines(0, 1, dark)[0]
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
	l := d.Layout(100, false)
	if l.Len() > 200 {
		t.Errorf("Len = %d", l.Len())
	}
	text := plain(d, 1_000_000, false)
	for _, want := range []string{"⟨… 999,744 bytes not shown⟩ ", "9before0", "9after0", " ⟨… 996,165 bytes not shown⟩"} {
		if !strings.Contains(text, want) {
			t.Errorf("the view does not show %q", want)
		}
	}
}

// A patch of many changes has no more lines than the diff that is drawn: the library's own
// comparison gives up after a hundred.
func TestPatchOfManyChanges(t *testing.T) {
	var before, after strings.Builder
	for i := range 900 {
		fmt.Fprintf(&before, "line %d\n", i)
		fmt.Fprintf(&after, "line %d\n", i-i%4/3)
	}
	text := before.String()
	d := New("f", &text, after.String())
	patch, err := d.Patch()
	added, removed := d.Stats()
	if err != nil || strings.Count(patch, "\n+line") != added || strings.Count(patch, "\n-line") != removed || added > 300 {
		t.Errorf("%d added and %d removed lines, %v, in\n%.300s", added, removed, err, patch)
	}
}
