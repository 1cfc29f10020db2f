package diffview

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"parley/internal/termtext"
	"parley/internal/test"
)

// Every character of the lines that changed stands on the screen.
func TestEveryCharacterReachesTheScreen(t *testing.T) {
	for _, on := range test.TerminalSettings() {
		t.Run(on.String(), func(t *testing.T) {
			test.UseWidthMethod(t, on.Method)
			rapid.Check(t, func(t *rapid.T) {
				old, changed := test.HardText(20).Draw(t, "old"), test.HardText(20).Draw(t, "new")
				if rapid.Bool().Draw(t, "tabs") {
					old, changed = strings.ReplaceAll(old, "  ", "\t"), strings.ReplaceAll(changed, "  ", "\t")
				}
				width := rapid.IntRange(10, 200).Draw(t, "width")
				l := New("file", &old, changed).Layout(width, Auto)
				screen := test.ShowOnTerminal(on.Kind, l.Lines(0, l.Len(), dark), width)
				for _, text := range []string{old, changed} {
					if lost := test.MissingText(screen, text); lost != "" && old != changed {
						t.Fatalf("the screen lacks %+q\n%s", lost, screen)
					}
				}
			})
		})
	}
}

// When it turns out how the terminal measures text, lines are laid out anew.
func TestLayoutFollowsTheMethod(t *testing.T) {
	test.UseWidthMethod(t, termtext.Safe)
	d := New("file", nil, strings.Repeat("👍🏽", 9)+"\tend")
	before := d.Layout(24, Unified)
	if n := before.Len(); n < 2 {
		t.Errorf("%d lines where a thumb takes four cells", n)
	}
	termtext.UseMethod(termtext.Graphemes)
	if l := d.Layout(24, Unified); l.Len() != before.Len()-1 {
		t.Errorf("%d lines, and %d where a thumb takes two cells", before.Len(), l.Len())
	}
	if lines := before.Lines(0, before.Len(), dark); len(lines) != before.Len() {
		t.Errorf("the layout of before draws %d lines of %d", len(lines), before.Len())
	}
}
