package diffview

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"parley/tui/theme"
)

func TestMain(m *testing.M) {
	maxLexing = time.Hour
	m.Run()
}

const (
	addedGround   = "48;2;23;48;31"
	removedGround = "48;2;58;26;32"
	wordGround    = "48;2;38;92;55"
	// The colours that the dark theme has for keywords.
	keywordInk = "38;2;203;166;247"
	declareInk = "38;2;243;139;168"
)

// drawn is a whole diff with its colours.
func drawn(d *Diff, th *theme.Theme) []string {
	l := d.Layout(100, false)
	return l.Lines(0, l.Len(), th)
}

func TestCodeIsColoured(t *testing.T) {
	old := "func a() {\n\treturn \"one\"\n}\n"
	lines := drawn(New("dir/a.go", &old, "func a() {\n\treturn \"two\"\n}\n"), dark)
	for i, want := range [][]string{
		{declareInk},
		{keywordInk, removedGround},
		{keywordInk, addedGround, wordGround},
	} {
		for _, w := range want {
			if !strings.Contains(lines[i], w) {
				t.Errorf("line %d lacks %s: %q", i, w, lines[i])
			}
		}
	}
	for _, piece := range strings.Split(strings.ReplaceAll(lines[2], "\x1b[m", "\x1b[0m"), "\x1b[0m") {
		if piece != "" && !strings.Contains(piece, addedGround) && !strings.Contains(piece, wordGround) {
			t.Errorf("%q stands on the terminal's own background", piece)
		}
	}
}

// TestColoursChangeNoText: whatever the language, the text is that of a file of
// which nothing is known.
func TestColoursChangeNoText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		old, changed := hostile().Draw(t, "old"), hostile().Draw(t, "new")
		name := rapid.SampledFrom([]string{"a.go", "a.py", "a.md", "a.html", "a.rs", "Makefile"}).Draw(t, "name")
		width := rapid.SampledFrom([]int{20, 80, 160}).Draw(t, "width")
		if diff := cmp.Diff(plain(New("file", &old, changed), width, true), plain(New(name, &old, changed), width, true)); diff != "" {
			t.Error(diff)
		}
	})
}

// TestOnlyWhatIsDrawnIsColoured: a long file costs no more than a short one.
func TestOnlyWhatIsDrawnIsColoured(t *testing.T) {
	var b strings.Builder
	for i := range (maxChunks + 20) * chunkLines {
		fmt.Fprintf(&b, "var v%d = %d\n", i, i)
	}
	d := New("a.go", nil, b.String())
	l := d.Layout(100, false)
	for at := 0; at < l.Len(); at += l.Len() / (maxChunks + 10) { // more than are kept
		lines := l.Lines(at, at+40, dark)
		if !strings.Contains(strings.Join(lines, ""), declareInk) {
			t.Fatalf("line %d is plain", at)
		}
		if n := len(d.syntax.chunks); n > maxChunks {
			t.Fatalf("%d chunks are kept", n)
		}
	}
}

// TestCommentsGoOn: a chunk knows what the lines above it began.
func TestCommentsGoOn(t *testing.T) {
	text := numbered(chunkLines-2, nil) + "/* a comment\nfunc in it\nfunc in it\nfunc in it */\n"
	for _, line := range drawn(New("a.go", nil, text), dark) {
		if strings.Contains(ansi.Strip(line), "in it") && strings.Contains(line, declareInk) {
			t.Errorf("%q has a keyword in a comment", line)
		}
	}
}

func TestFewColours(t *testing.T) {
	lines := drawn(New("a.go", nil, "func a() {}\n"), theme.Named("dark").Theme(theme.Colors16))
	if !strings.Contains(lines[0], "\x1b[92m") {
		t.Errorf("%q does not say by its colour that it was added", lines[0])
	}
	for _, colour := range []string{"\x1b[95m", "\x1b[94m", "38;2;"} {
		if strings.Contains(lines[0], colour) {
			t.Errorf("%q has the colour %s of code, and not that of an added line", lines[0], colour)
		}
	}
}
