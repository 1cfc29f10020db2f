package composer

import (
	"strings"
	"testing"
	"unicode"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"parley/acpclient"
	"parley/internal/prompt"
	"parley/internal/termtext"
	"parley/internal/test"
	"parley/tui/theme"
)

// screen is the view as a user sees it, without styles.
func screen(c *Composer) string {
	lines, _ := c.View()
	for i, l := range lines {
		lines[i] = strings.TrimRight(ansi.Strip(l), " ")
	}
	return strings.Join(lines, "\n")
}

func TestView(t *testing.T) {
	for _, tt := range []struct {
		name  string
		width int
		do    func(*Composer)
		want  string
		x, y  int
	}{
		{"empty", 30, func(*Composer) {}, "❯ ask", 2, 0},
		{"text", 30, func(c *Composer) { play(c, "hello") }, "❯ hello", 7, 0},
		{"lines", 30, func(c *Composer) { play(c, "one<ctrl+j>two<up>") }, "❯ one\n  two", 5, 0},
		{"words wrap", 13, func(c *Composer) { play(c, "hello big world") }, "❯ hello big\n  world", 7, 1},
		{"long words break", 8, func(c *Composer) { play(c, "abcdefgh") }, "❯ abcde\n  fgh", 5, 1},
		{"a full row has room for the cursor", 8, func(c *Composer) { play(c, "abcde") }, "❯ abcde", 7, 0},
		{"wide characters wrap whole", 8, func(c *Composer) { play(c, "世界世") }, "❯ 世界\n  世", 4, 1},
		{"tabs are spaces", 30, func(c *Composer) { c.Paste("a\tb") }, "❯ a    b", 8, 0},
		{"scrolled to the end", 30, func(c *Composer) { play(c, "1<ctrl+j>2<ctrl+j>3<ctrl+j>4<ctrl+j>5") }, "↑ 2\n  3\n  4\n  5", 3, 3},
		{"scrolled in the middle", 30, func(c *Composer) {
			play(c, "1<ctrl+j>2<ctrl+j>3<ctrl+j>4<ctrl+j>5<ctrl+j>6<up><up><up><up>")
		}, "↑ 2\n  3\n  4\n↓ 5", 3, 0},
		{"no empty rows after deleting", 30, func(c *Composer) {
			play(c, "1<ctrl+j>2<ctrl+j>3<ctrl+j>4<ctrl+j>5<backspace><backspace><backspace>")
		}, "❯ 1\n  2\n  3\n ", 2, 3},
		{"a chip", 40, func(c *Composer) { c.Paste(strings.Repeat("x\n", 12)); play(c, "!") }, "❯ [pasted text #1, 12 lines]!", 29, 0},
		{"a chip that is too wide", 20, func(c *Composer) { c.Paste(strings.Repeat("x\n", 12)) }, "❯ [pasted text #1,…", 19, 0},
		{"a hint", 40, func(c *Composer) { play(c, "/plan ") }, "❯ /plan what to plan", 8, 0},
		{"a hint is gone when something was typed", 40, func(c *Composer) { play(c, "/plan x") }, "❯ /plan x", 9, 0},
		{"commands", 40, func(c *Composer) { play(c, "/") }, "› /plan     Make a plan\n  /compact  Shorten the conversation\n❯ /", 3, 2},
		{"No matches", 40, func(c *Composer) { play(c, "/zzz") }, "❯ /zzz", 6, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := newTest(t, nil)
			c.placeholder = "ask"
			c.SetWidth(tt.width)
			c.SetMaxHeight(4)
			c.SetCommands(planAndCompact, nil)
			tt.do(c)
			if got, want := screen(c), strings.TrimRight(tt.want, " "); got != want {
				t.Errorf("the screen is\n%s\nwant\n%s", got, want)
			}
			if _, cur := c.View(); cur.X != tt.x || cur.Y != tt.y {
				t.Errorf("the cursor is at %d,%d, want %d,%d", cur.X, cur.Y, tt.x, tt.y)
			}
		})
	}
}

var planAndCompact = []acpclient.AvailableCommand{
	{Name: "plan", Description: "Make a plan", Input: &acpclient.AvailableCommandInput{Hint: "what to plan"}},
	{Name: "compact", Description: "Shorten the conversation"},
}

func TestThemeChangesColoursOnly(t *testing.T) {
	c := newTest(t, nil)
	play(c, "hello @file")
	dark, before := strings.Join(first(c.View()), "\n"), screen(c)
	c.SetTheme(theme.New(false))
	if light := strings.Join(first(c.View()), "\n"); light == dark || screen(c) != before {
		t.Errorf("light %q, dark %q", light, dark)
	}
}

func first[T, U any](t T, _ U) T { return t }

// Whatever is typed, pasted or sent by an agent, the view stays inside its
// bounds, shows the cursor, and has no control character but those of styles.
func TestViewStaysInBounds(t *testing.T) {
	keys := []string{
		"a", "b c", "世", "é", "👩‍👩‍👧", "\u0301", "/", "@", " ", `"`, `\`, "<enter>", "<shift+enter>", "<tab>", "<esc>", "<up>", "<down>",
		"<left>", "<right>", "<home>", "<end>", "<backspace>", "<delete>", "<ctrl+w>", "<ctrl+k>", "<ctrl+u>", "<ctrl+y>", "<ctrl+t>",
		"<ctrl+_>", "<ctrl+shift+z>", "<ctrl+r>", "<ctrl+c>", "<alt+b>", "<alt+f>", "<alt+d>", "<ctrl+j>",
	}
	paths := newFileIndex([]string{"main.go", "a/long/way/down/to/a/file.txt", "世界/with space.md", "b.txt"})
	rapid.Check(t, func(r *rapid.T) {
		c := newTest(t, &History{})
		c.index = paths
		width, height := 80, 10
		r.Repeat(map[string]func(*rapid.T){
			"key":   func(r *rapid.T) { play(c, rapid.SampledFrom(keys).Draw(r, "key")) },
			"paste": func(r *rapid.T) { c.Paste(rapid.String().Draw(r, "text")) },
			"nasty": func(r *rapid.T) {
				c.Paste(rapid.SampledFrom([]string{"\x1b[31mred\x1b[0m", "\x1b]0;t\x07", "\u009b2J", "\U00100000", "a\r\nb\rc", "\t\t", "\u202ex", "\xff\xfe"}).Draw(r, "text"))
			},
			"click":      func(r *rapid.T) { c.Click(rapid.IntRange(-1, 80).Draw(r, "x"), rapid.IntRange(-1, 12).Draw(r, "y")) },
			"set text":   func(r *rapid.T) { c.SetText(rapid.String().Draw(r, "text")) },
			"long paste": func(r *rapid.T) { c.Paste(strings.Repeat("line\n", rapid.IntRange(11, 40).Draw(r, "lines"))) },
			"resize": func(r *rapid.T) {
				width, height = rapid.IntRange(narrowest, 60).Draw(r, "width"), rapid.IntRange(1, 12).Draw(r, "height")
				c.SetWidth(width)
				c.SetMaxHeight(height)
			},
			"commands": func(r *rapid.T) {
				c.SetCommands([]acpclient.AvailableCommand{
					{Name: "plan", Description: rapid.String().Draw(r, "description"), Input: &acpclient.AvailableCommandInput{Hint: "\x1b[2Jhint\n" + rapid.String().Draw(r, "hint")}},
					{Name: rapid.String().Draw(r, "name"), Description: "\x1b[31mred\a"},
				}, nil)
			},
			"": func(r *rapid.T) {
				lines, cursor := c.View()
				if len(lines) != c.Height() || len(lines) > height || c.PopupHeight() >= len(lines) {
					r.Fatalf("%d lines, of them %d popup; Height is %d, the bound %d", len(lines), c.PopupHeight(), c.Height(), height)
				}
				for _, l := range lines {
					if w := ansi.StringWidth(l); w > width {
						r.Fatalf("%q is %d columns wide, of %d", l, w, width)
					}
					plain := ansi.Strip(l)
					if strings.ContainsFunc(plain, func(c rune) bool { return unicode.IsControl(c) || prompt.IsChip(c) || c == '\u202e' }) {
						r.Fatalf("%q has control characters", l)
					}
					if strings.Count(l, "\x1b") != strings.Count(l, "\x1b[") {
						r.Fatalf("%q has more than styles", l)
					}
				}
				if cursor.X < 0 || cursor.X >= width || cursor.Y < 0 || cursor.Y >= len(lines) {
					r.Fatalf("the cursor is at %d,%d of %dx%d", cursor.X, cursor.Y, width, len(lines))
				}
			},
		})
	})
}

// Undo takes back everything, step by step, and redo does it all again.
func TestUndoReturnsToTheBeginning(t *testing.T) {
	keys := []string{"ab", "世 ", "<ctrl+j>", "<left>", "<up>", "<backspace>", "<delete>", "<ctrl+w>", "<ctrl+k>", "<ctrl+u>", "<ctrl+y>", "<ctrl+t>", "<ctrl+shift+y>"}
	rapid.Check(t, func(r *rapid.T) {
		c := newTest(t, nil)
		for _, k := range rapid.SliceOf(rapid.SampledFrom(keys)).Draw(r, "keys") {
			play(c, k)
		}
		text := c.Text()
		for range c.buf.undo {
			play(c, "<ctrl+_>")
		}
		if !c.Empty() {
			r.Fatalf("undo left %q", c.Text())
		}
		for len(c.buf.redo) > 0 {
			play(c, "<ctrl+shift+z>")
		}
		if c.Text() != text {
			r.Fatalf("redo made %q, want %q", c.Text(), text)
		}
	})
}

func TestClick(t *testing.T) {
	for _, tt := range []struct {
		name, keys string
		x, y       int
		used       bool
		want       string // after an X was typed
	}{
		{"in the text", "hello<ctrl+j>world", 4, 0, true, "heXllo\nworld"},
		{"behind the text", "hello<ctrl+j>world", 20, 0, true, "helloX\nworld"},
		{"before the text", "hello", 0, 0, true, "Xhello"},
		{"on a wide character", "世界", 5, 0, true, "世X界"},
		{"below", "hello", 4, 1, false, "helloX"},
		{"an offer", "/", 5, 1, true, "/compactX"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := newTest(t, nil)
			c.SetCommands(planAndCompact, nil)
			play(c, tt.keys)
			if used, _ := c.Click(tt.x, tt.y); used != tt.used {
				t.Errorf("used is %v", used)
			}
			if play(c, "X"); c.Text() != tt.want {
				t.Errorf("the text is %q, want %q", c.Text(), tt.want)
			}
		})
	}
}

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
