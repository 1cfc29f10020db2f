package diffview

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"parley/tui/theme"
)

var dark = theme.New(true)

// plain draws a whole diff without colours. Spaces at the ends of lines are
// background, and left out.
func plain(d *Diff, width int, mode Mode) string {
	l := d.Layout(width, mode)
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
			if diff := cmp.Diff(c.want, "\n"+plain(d, 80, Unified)); diff != "" {
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
	if diff := cmp.Diff(want, "\n"+plain(d, 80, Unified)); diff != "" {
		t.Error(diff)
	}
	d.SetFirstLine(0)
	if diff := cmp.Diff("\n  a\n- b\n+ c", "\n"+plain(d, 80, Unified)); diff != "" {
		t.Error(diff)
	}
}

func TestContext(t *testing.T) {
	old := numbered(40, nil)
	d := New("file", &old, numbered(40, map[int]string{10: "ten\n", 30: "thirty\n"}))
	for _, c := range []struct{ context, want int }{{0, 5}, {3, 17}, {12, 42}, {Whole, 42}, {3, 17}} {
		d.SetContext(c.context)
		if got := d.Layout(80, Unified).Len(); got != c.want {
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
			if diff := cmp.Diff(c.want, "\n"+plain(New("file", &old, c.new), c.width, Auto)); diff != "" {
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
	if diff := cmp.Diff(strings.TrimSpace(want), strings.TrimSpace(plain(d, 120, Auto))); diff != "" {
		t.Error(diff)
	}
	t.Run("the longer side decides the height", func(t *testing.T) {
		old, long := "short\n", strings.Repeat("long ", 20)+"\n"
		l := New("file", &old, long).Layout(120, Split)
		if lines := l.Lines(0, 9, dark); len(lines) != 2 || l.Len() != 2 {
			t.Errorf("lines = %q", lines)
		}
	})
	for _, c := range []struct {
		name  string
		old   string
		width int
		mode  Mode
		want  bool
	}{
		{"room", "old", 120, Auto, true},
		{"no room", "old", 119, Auto, false},
		{"no room, though it is asked for", "old", 119, Split, false},
		{"a new file", "", 120, Auto, false},
		{"unified is asked for", "old", 200, Unified, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := New("file", &c.old, "new").Layout(c.width, c.mode).mode == Split; got != c.want {
				t.Errorf("split = %v", got)
			}
		})
	}
}

func TestLinesAndHead(t *testing.T) {
	d := New("file", nil, numbered(50, nil)+strings.Repeat("long ", 30))
	l := d.Layout(40, Unified)
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
	if head, more := l.Head(10, dark); len(head) != 10 || more != l.Len()-10 {
		t.Errorf("head = %d lines and %d more", len(head), more)
	}
	if head, more := l.Head(1000, dark); len(head) != l.Len() || more != 0 {
		t.Errorf("head = %d lines and %d more", len(head), more)
	}
}

func TestThemeIsFollowed(t *testing.T) {
	l := New("file", nil, "text").Layout(40, Unified)
	first := l.Lines(0, 1, dark)[0]
	if light := l.Lines(0, 1, theme.New(false))[0]; light == first || ansi.Strip(light) != ansi.Strip(first) {
		t.Errorf("%q in the dark, %q in the light", first, light)
	}
}

func TestBackgroundFillsTheWidth(t *testing.T) {
	old := "old\nsame\n"
	for _, line := range New("file", &old, "new\nsame\n").Layout(60, Unified).Lines(0, 2, dark) {
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
			l := d.Layout(100+10*i, Auto)
			l.Lines(0, l.Len(), dark)
		})
	}
	users.Wait()
}
