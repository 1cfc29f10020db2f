package markdown

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"charm.land/glamour/v2"
	"charm.land/glamour/v2/styles"
	chromastyles "github.com/alecthomas/chroma/v2/styles"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"parley/tui/theme"
)

// sample holds what Glamour and the streaming renderer both draw.
//
// These are drawn by Glamour alone, or in another way, and are not in it:
//   - HTML: Glamour drops the tags, here they are shown as they were written,
//     for nothing that an agent says should be hidden;
//   - hard line breaks: Glamour joins the lines, here they are kept;
//   - emphasis within emphasis, emphasised code: Glamour gives the former the
//     outer look where the two differ, and the latter none, here they add up;
//   - addresses: Glamour repeats one that is also the text of its link, writes
//     "http://" before "www.", and collects those in tables below the table, for
//     which a table would have to be complete; here each stands behind its text;
//   - definitions of link references, which may come when what refers to them
//     is drawn for good; here they are the text they are;
//   - the language of code that names none: Glamour guesses it;
//   - definition lists and footnotes, which are not part of GFM;
//   - numbers of lists are aligned here, and keep a ")" that was written.
//
// And these parts of a style have no effect here, but for parley's own:
//   - blank lines: there is one between two blocks, for the list of items of the
//     transcript sets them apart in the same way;
//   - padding to the right, and with it a background of the whole document: lines
//     are as long as their text;
//   - the width of tables, which Glamour draws as wide as the screen.
const sample = `# Heading *one*

A paragraph with *emphasis*, **strong words**, ~~struck ones~~, ` + "`code`" + `, \*escapes\*, &lt;entities&gt;.

A [link](https://example.com/a), an ![image](https://example.com/i.png), <https://example.com/b>, <mail@example.com>.

## Heading two, **bold** with ` + "`code`" + `

### Heading three

#### Heading four

##### Heading five

###### Heading six

> A quote with **bold** and *emphasised* words, ` + "`code`" + ` and a [link](https://example.com/q).

- one **item**
- another with ` + "`code`" + `
  - nested
    - and deeper

3. three
4. four

- [x] done
- [ ] not done

---

| name | what **it** is |
|------|---------------:|
| one  | ` + "`code`" + ` |
| two  | *text* |

` + "```go\n// Add adds.\nfunc Add(a, b int) (int, error) {\n\treturn a + b + 0x1f, fmt.Errorf(\"a %d\\n\", a)\n}\n```\n\n```diff\n+ added\n- removed\n@@ -1 +1 @@\n```\n\n```plaintext\nno language\n```\n\n```yaml\nkey: [1, \"two\"] # three\n```\n"

// inked is a character and its look.
type inked struct {
	text  string
	style uv.Style
}

func (c inked) String() string {
	s := c.style
	return fmt.Sprintf("%q fg %v bg %v underline %v attributes %b", c.text, s.Fg, s.Bg, s.Underline, s.Attrs)
}

// inkedCells are the characters of what was drawn, in the order of reading.
// Blanks are left out unless they can be seen, and lines drawn with one character
// count as one.
func inkedCells(drawn string) []inked {
	var all []inked
	var style uv.Style
	var state byte
	parser := ansi.NewParser()
	for drawn != "" {
		seq, width, n, next := ansi.DecodeSequence(drawn, state, parser)
		drawn, state = drawn[n:], next
		if strings.HasPrefix(seq, "\x1b[") && strings.HasSuffix(seq, "m") {
			uv.ReadStyle(parser.Params(), &style)
			continue
		}
		if width == 0 {
			continue
		}
		c := inked{strings.ReplaceAll(seq, "\u00a0", " "), style}
		if c.text == " " && style.Bg == nil && style.Underline == 0 && style.Attrs&uv.AttrStrikethrough == 0 {
			continue
		}
		if k := len(all); k > 0 && strings.Contains("─-", c.text) && all[k-1].text == c.text {
			continue
		}
		all = append(all, c)
	}
	return all
}

// byGlamour is what Glamour itself draws.
func byGlamour(t *testing.T, name, text string) string {
	t.Helper()
	delete(chromastyles.Registry, "charm") // or Glamour takes the colours of the first style for all
	r, err := glamour.NewTermRenderer(glamour.WithStandardStyle(name), glamour.WithWordWrap(100), glamour.WithChromaFormatter("terminal16m"))
	if err != nil {
		t.Fatal(err)
	}
	out, err := r.Render(text)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func compareInked(t *testing.T, what string, got, want []inked) {
	t.Helper()
	for i := range max(len(got), len(want)) {
		if i < len(got) && i < len(want) && got[i].text == want[i].text && got[i].style.Equal(&want[i].style) {
			continue
		}
		around := func(all []inked) string {
			var b strings.Builder
			for _, c := range all[min(len(all), max(0, i-15)):min(len(all), i+15)] {
				b.WriteString(c.text)
			}
			if i < len(all) {
				fmt.Fprintf(&b, "\n  %v", all[i])
			}
			return b.String()
		}
		t.Errorf("%s: character %d differs:\n%s\nin Glamour:\n%s", what, i, around(got), around(want))
		return
	}
}

func TestEveryStyleLooksAsInGlamour(t *testing.T) {
	for name, config := range styles.DefaultStyles {
		t.Run(name, func(t *testing.T) {
			th := dark.WithMarkdown(config)
			want := inkedCells(byGlamour(t, name, sample))
			if len(want) < 500 {
				t.Fatalf("Glamour has drawn %d characters only", len(want))
			}
			d := New(th)
			add(d, sample)
			d.Finish()
			compareInked(t, "as it streams", inkedCells(strings.Join(draw(d, 100), "\n")), want)
		})
	}
}

func TestStylesDiffer(t *testing.T) {
	seen := map[string]string{}
	for _, name := range []string{"ascii", "dark", "dracula", "light", "pink", "tokyo-night"} {
		lines := strings.Join(Draw(sample, 100, dark.WithMarkdown(styles.DefaultStyles[name])), "\n")
		if other, ok := seen[lines]; ok {
			t.Errorf("%s looks as %s", name, other)
		}
		seen[lines] = name
	}
}

func TestMarginsOfAStyle(t *testing.T) {
	config := styles.DarkStyleConfig
	d := New(dark.WithMarkdown(&config))
	add(d, "a paragraph that wraps\n\n> quoted\n\n1. one\n   - two\n\n```\ncode that is longer than a line\n```\n")
	d.Finish()
	var got []string
	for _, line := range draw(d, 24) {
		got = append(got, ansi.Strip(line))
	}
	want := []string{
		"  a paragraph that", "  wraps", "", "  │ quoted", "", "  1. one", "     • two", "", "    code that is longe", "  ¦ r than a line",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestFormsOfAStyle(t *testing.T) {
	config := styles.DarkStyleConfig
	config.Heading.Upper = new(true)
	config.Link.Format = "<{{ .text }}>"
	config.LinkText.Format = "({{.text}})"
	config.HorizontalRule.Format = "* * *"
	config.Table.ColumnSeparator, config.Table.RowSeparator, config.Table.CenterSeparator = new("!"), new("="), new("#")
	d := New(dark.WithMarkdown(&config))
	add(d, "## two *words*\n\n[a **b**](https://c.d)\n\n***\n\n|a|b|\n|-|-|\n|1|2|\n")
	d.Finish()
	got := ansi.Strip(strings.Join(draw(d, 60), "\n"))
	want := "  ## TWO WORDS\n\n  (a b) <https://c.d>\n\n  * * *\n\n  a ! b\n  ==#==\n  1 ! 2"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestDimmedKeepsTheForm(t *testing.T) {
	th := dark.WithMarkdown(&styles.DraculaStyleConfig)
	plainly := func(th *theme.Theme) string {
		d := New(th)
		add(d, sample)
		d.Finish()
		return ansi.Strip(strings.Join(draw(d, 100), "\n"))
	}
	if got, want := plainly(th.Dimmed()), plainly(th); got != want {
		t.Errorf("dimmed:\n%s\nwant\n%s", got, want)
	}
	d := New(th.Dimmed())
	add(d, "# One **two**\n")
	d.Finish()
	for _, c := range inkedCells(d.Lines(0, 40)[0]) {
		if c.style.Fg == nil || c.style.Fg != inkedCells(dark.Muted.Render("x"))[0].style.Fg {
			t.Fatalf("%v is not dimmed", c)
		}
	}
}
