package composer

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"parley/acpclient"
	"parley/internal/prompt"
)

// lookedUp presses keys and carries out what they bring.
func lookedUp(t *testing.T, c *Composer, keys string) (others []tea.Msg) {
	t.Helper()
	for _, name := range strokes(keys) {
		_, cmd := c.Key(press(name))
		others = append(others, settleCmds(c, cmd)...)
	}
	return others
}

// drawnAs reports whether a text of the draft is drawn in the colour of a mention.
func drawnAs(c *Composer, text string) bool {
	lines, _ := c.View()
	return strings.Contains(strings.Join(lines, "\n"), c.Theme.Info.Render(text))
}

func TestOnlyWhatIsThereIsColoured(t *testing.T) {
	c := newTest(t, nil)
	write(t, c.Root, "main.go", "one\ntwo\nthree\n")
	write(t, c.Root, "docs/guide.md", "x")
	lookedUp(t, c, "see @main.go and @nonsense and @docs/ and @main.go:2-3 and @docs:1 ")
	for text, want := range map[string]bool{"@main.go": true, "@nonsense": false, "@docs/": true, "@main.go:2-3": true, "@docs:1": false} {
		if drawnAs(c, text) != want {
			t.Errorf("%s is coloured: %v, want %v", text, !want, want)
		}
	}
}

func TestAcceptingWhatStandsThereCloses(t *testing.T) {
	for _, key := range []string{"<tab>", "<enter>"} {
		c := newTest(t, nil)
		c.index, c.listed = newFileIndex([]string{"cmd/main.go", "main.go"}), c.Now()
		play(c, "@cmd"+key)
		if c.Text() != "@cmd/" || !c.completion.open() {
			t.Fatalf("the text is %q, open %v", c.Text(), c.completion.open())
		}
		if r := play(c, key); c.Text() != "@cmd/" || c.completion.open() || r.Prompt != nil {
			t.Errorf("after a second %s: %q, open %v, sent %v", key, c.Text(), c.completion.open(), r.Prompt)
		}
		if r := play(c, "<enter>"); r.Prompt == nil {
			t.Errorf("the folder cannot be sent after %s", key)
		}
	}
}

func TestSeveralFilesAtOnce(t *testing.T) {
	c := newTest(t, nil)
	c.index, c.listed = newFileIndex([]string{"a.go", "b.go"}), c.Now()
	play(c, "@a<ctrl+space>b<tab>")
	if got := c.Text(); got != "@a.go @b.go " {
		t.Errorf("the text is %q", got)
	}
}

// With very many files nothing is matched while a key is handled.
func TestManyFilesAreMatchedBeside(t *testing.T) {
	c := newTest(t, nil)
	var files []string
	for i := range 20_000 {
		files = append(files, fmt.Sprintf("dir%03d/file%05d.go", i/100, i))
	}
	c.index, c.listed = newFileIndex(files), c.Now()
	_, first := c.Key(press("@"))
	play(c, "file123")
	_, last := c.Key(press("4"))
	settleCmds(c, tea.Batch(last, first))
	if got := screen(c); !strings.HasPrefix(got, "› dir123/file12340.go") {
		t.Errorf("the screen is\n%s", got)
	}
	if play(c, "<down><tab>"); c.Text() != "@dir123/file12341.go " {
		t.Errorf("the text is %q", c.Text())
	}
}

// BenchmarkMention is a key in a mention, until the lines are ready for the screen, and
// the matching that a command does.
func BenchmarkMention(b *testing.B) {
	for _, n := range []int{1000, 10_000, 100_000} {
		var files []string
		for i := range n {
			files = append(files, fmt.Sprintf("src/module%04d/component/file%06d.ts", i/50, i))
		}
		index := newFileIndex(files)
		b.Run(fmt.Sprintf("key/%d", n), func(b *testing.B) {
			c := newTest(b, nil)
			c.index, c.listed = index, c.Now()
			play(c, "@file")
			keys := []string{"9", "backspace"}
			for i := 0; b.Loop(); i++ {
				c.Key(press(keys[i%2]))
				c.View()
			}
		})
		b.Run(fmt.Sprintf("match/%d", n), func(b *testing.B) {
			for b.Loop() {
				index.offers("mod9file")
			}
		})
	}
}

// imageFile writes a picture of a size and returns its path.
func imageFile(t *testing.T, dir, name string, w, h int) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, pngOf(t, w, h), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestImagesBecomeChips(t *testing.T) {
	caps := acpclient.PromptCapabilities{Image: true}
	c := newTest(t, nil)
	imageFile(t, c.Root, "shot.png", 64, 48)
	size := len(pngOf(t, 64, 48))
	lookedUp(t, c, "look at @shot.png now")
	if got, want := screen(c), fmt.Sprintf("❯ look at [image shot.png, 64×48, %d bytes] now", size); got != want {
		t.Fatalf("the screen is %q, want %q", got, want)
	}
	if got := c.Text(); got != "look at @shot.png now" {
		t.Errorf("the draft is kept as %q", got)
	}
	blocks := prompt.Resolve(c.Root)(play(c, "<enter>").Prompt.Queued(), caps)
	if len(blocks) != 2 || blocks[1].Type != acpclient.ContentImage || blocks[1].MimeType != "image/png" || !strings.HasSuffix(blocks[1].URI, "/shot.png") {
		t.Errorf("sent %+v", blocks)
	}
}

func TestDroppedImages(t *testing.T) {
	dir := t.TempDir()
	plain, spaced := imageFile(t, dir, "a.png", 3, 2), imageFile(t, dir, "b c.png", 3, 2)
	for _, tt := range []struct{ name, pasted, want string }{
		{"a path", plain, "[a] "},
		{"with a blank behind", plain + " ", "[a] "},
		{"in quotes", "'" + spaced + "'", "[b c] "},
		{"with a backslash", strings.ReplaceAll(spaced, " ", `\ `), "[b c] "},
		{"with spaces", spaced, "[b c] "},
		{"an address", "file://" + strings.ReplaceAll(spaced, " ", "%20"), "[b c] "},
		{"two", plain + " '" + spaced + "'", "[a] [b c] "},
		{"one that is not there", "/nowhere/x.png", "/nowhere/x.png"},
		{"no image", "/etc/hosts", "/etc/hosts"},
		{"words", "see " + plain, "see " + plain},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := newTest(t, nil)
			settleCmds(c, c.Paste(tt.pasted))
			got := c.chips.expand(c.buf.raw(), true)
			for _, name := range []string{"a", "b c"} {
				got = strings.ReplaceAll(got, fmt.Sprintf("[image %s.png, 3×2, %d bytes]", name, len(pngOf(t, 3, 2))), "["+name+"]")
			}
			if got != tt.want {
				t.Errorf("the draft is %q, want %q", got, tt.want)
			}
		})
	}
}

func TestImagesForAnAgentThatTakesNone(t *testing.T) {
	c := newTest(t, nil)
	c.NoImages = func() string { return "Agent takes no images" }
	path := imageFile(t, c.Root, "shot.png", 3, 2)
	said := settleCmds(c, c.Paste(path))
	if len(said) != 1 || !strings.Contains(said[0].(ErrorMsg).Err.Error(), "Agent takes no images") {
		t.Errorf("said %v", said)
	}
	if got := c.Text(); got != "@"+path+" " {
		t.Errorf("the draft is %q", got)
	}
	blocks := prompt.Resolve(c.Root)(play(c, "<enter>").Prompt.Queued(), acpclient.PromptCapabilities{})
	if len(blocks) != 2 || blocks[1].Type != acpclient.ContentResourceLink {
		t.Errorf("sent %+v", blocks)
	}
}

// A picture that was pasted stays with its prompt, and comes back with it.
func TestAPastedImage(t *testing.T) {
	c := newTest(t, nil)
	img, err := prompt.NewImage(pngOf(t, 3, 2))
	if err != nil {
		t.Fatal(err)
	}
	play(c, "see ")
	c.AddImage(img)
	p := play(c, "<enter>").Prompt
	if p == nil || !p.Pastes() {
		t.Fatalf("sent %+v", p)
	}
	c.Restore(*p)
	if got, want := screen(c), fmt.Sprintf("❯ see [image, 3×2, %d bytes]", len(pngOf(t, 3, 2))); got != want {
		t.Errorf("the screen is %q, want %q", got, want)
	}
	blocks := prompt.Resolve(c.Root)(play(c, "<enter>").Prompt.Queued(), acpclient.PromptCapabilities{Image: true})
	if len(blocks) != 2 || blocks[1].Type != acpclient.ContentImage {
		t.Errorf("sent %+v", blocks)
	}
}

// A folder that is not listed, being behind a link or ignored, is listed once it is named. No
// link leads out of the project.
func TestFoldersThatAreNotListed(t *testing.T) {
	c := newTest(t, nil)
	write(t, c.Root, "real/deep/in.go", "x")
	write(t, c.Root, "real/z.go", "x")
	write(t, c.Root, "node_modules/m/index.js", "x")
	write(t, c.Root, "cli/blink/a.go", "x")
	outside := t.TempDir()
	write(t, outside, "secret.txt", "x")
	for link, to := range map[string]string{"link": "real", "out": outside, "real/back": "deep"} {
		if err := os.Symlink(to, filepath.Join(c.Root, link)); err != nil {
			t.Skip(err)
		}
	}
	for keys, want := range map[string]string{
		"@link/":          "link/ link/z.go link/back/ link/deep/",
		"@./link/z":       "link/z.go",
		"@link/back/":     "link/back/ link/back/in.go",
		"@node_modules/m": "node_modules/m/",
		"@real/":          "real/ real/back real/z.go real/deep/ real/deep/in.go",
		"@REAL/z":         "real/z.go",
		"@out/":           "out/ leads out of the project: type the path",
		"@../":            "",
		"@nowhere/":       "",
	} {
		c.SetText("")
		lookedUp(t, c, keys)
		got := c.completion.note
		for _, it := range c.completion.items {
			got += " " + it.label
		}
		if got = strings.TrimSpace(got); got != want {
			t.Errorf("%s offers %q, want %q", keys, got, want)
		}
	}
}

// A list that is not whole says so.
func TestCountOfAListThatIsCut(t *testing.T) {
	c := newTest(t, nil)
	c.index, c.listed = newFileIndex([]string{"a.go", "b.go"}), c.Now()
	c.index.cut = true
	play(c, "@a.go")
	if got := c.PopupCount(); got != "1 of 2+" {
		t.Errorf("the count is %q", got)
	}
}
