package composer

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"parley/internal/termtext"
	"parley/internal/test"
)

// Every character of a draft stands on the screen, and the cursor behind the last.
func TestEveryCharacterReachesTheScreen(t *testing.T) {
	for _, on := range test.TerminalSettings() {
		t.Run(on.String(), func(t *testing.T) {
			test.UseWidthMethod(t, on.Method)
			c := newTest(t, nil)
			c.SetMaxHeight(1000)
			rapid.Check(t, func(t *rapid.T) {
				text, width := test.HardText(20).Draw(t, "text"), rapid.IntRange(narrowest+2, 200).Draw(t, "width")
				c.SetWidth(width)
				c.SetText(text)
				lines, cursor := c.View()
				screen := test.ShowOnTerminal(on.Kind, lines, width)
				if lost := test.MissingText(screen, text); lost != "" {
					t.Fatalf("the screen lacks %+q\n%s", lost, screen)
				}
				if last := len(lines) - 1; cursor.Y != last || cursor.X < min(termtext.Width(strings.TrimRight(lines[last], " ")), width-1) {
					t.Fatalf("the cursor is at %d,%d of\n%s", cursor.X, cursor.Y, screen)
				}
			})
		})
	}
}

// When it turns out how the terminal measures text, the draft is laid out anew.
func TestViewFollowsTheMethod(t *testing.T) {
	test.UseWidthMethod(t, termtext.Safe)
	c := newTest(t, nil)
	c.SetWidth(20)
	play(c, strings.Repeat("👍🏽", 6))
	if got, want := screen(c), "❯ 👍🏽👍🏽👍🏽👍🏽\n  👍🏽👍🏽"; got != want {
		t.Errorf("with four cells for each thumb: %q, want %q", got, want)
	}
	termtext.UseMethod(termtext.Graphemes)
	if got, want := screen(c), "❯ 👍🏽👍🏽👍🏽👍🏽👍🏽👍🏽"; got != want {
		t.Errorf("with two: %q, want %q", got, want)
	}
}

func TestCharactersWiderThanTheScreen(t *testing.T) {
	test.UseWidthMethod(t, termtext.Safe)
	c := newTest(t, nil)
	c.SetWidth(8)
	play(c, "a👨‍👩‍👧‍👦b")
	if got, want := screen(c), "❯ a👨‍👩‍\n  👧‍👦b"; got != want {
		t.Errorf("the view is %q, want %q", got, want)
	}
	play(c, "<left><backspace>")
	if c.Text() != "ab" {
		t.Errorf("backspace behind a family left %q", c.Text())
	}
}
