package composer

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/google/go-cmp/cmp"

	"parley/acpclient"
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
	return strings.Contains(strings.Join(lines, "\n"), c.theme.Info.Render(text))
}

func TestOnlyWhatIsThereIsColoured(t *testing.T) {
	c := newTest(t, nil)
	write(t, c.root, "main.go", "one\ntwo\nthree\n")
	write(t, c.root, "docs/guide.md", "x")
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
		c.index, c.listed = newFileIndex([]string{"cmd/main.go", "main.go"}), c.now()
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
	c.index, c.listed = newFileIndex([]string{"a.go", "b.go"}), c.now()
	play(c, "@a<ctrl+space>b<tab>")
	if got := c.Text(); got != "@a.go @b.go " {
		t.Errorf("the text is %q", got)
	}
}

func TestLinesOfAFile(t *testing.T) {
	root := t.TempDir()
	write(t, root, "n.txt", "1\n2\n3\n4\n5")
	write(t, root, "odd:7", "a name like that")
	write(t, root, "long.txt", strings.Repeat(strings.Repeat("x", 99)+"\n", 2000))
	for _, tt := range []struct {
		name, text string
		link       bool
		want       string
	}{
		{"some", "@n.txt:2-3", false, `{"type":"resource","resource":{"uri":"file://~/n.txt#L2-L3","mimeType":"text/plain","text":"2\n3\n"}}`},
		{"one", "see @n.txt:5.", false, `{"type":"resource","resource":{"uri":"file://~/n.txt#L5","mimeType":"text/plain","text":"5"}}`},
		{"as a link", "@n.txt:2-3", true, `{"type":"resource_link","name":"n.txt:2-3","uri":"file://~/n.txt#L2-L3","mimeType":"text/plain"}`},
		{"behind the end", "@n.txt:9", false, `{"type":"resource_link","name":"n.txt:9","uri":"file://~/n.txt#L9","mimeType":"text/plain"}`},
		{"of a file that is too long as a whole", "@long.txt:1999-2000", false, `{"type":"resource","resource":{"uri":"file://~/long.txt#L1999-L2000","mimeType":"text/plain","text":"` + strings.Repeat(strings.Repeat("x", 99)+`\n`, 2) + `"}}`},
		{"too many", "@long.txt:1-1900", false, `{"type":"resource_link","name":"long.txt:1-1900","uri":"file://~/long.txt#L1-L1900","mimeType":"text/plain"}`},
		{"a name comes first", "@odd:7", false, `{"type":"resource","resource":{"uri":"file://~/odd:7","mimeType":"text/plain","text":"a name like that"}}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff([]string{tt.want}, blocksOf(t, newPrompt(root, tt.text), !tt.link, root)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	if got := blocksOf(t, newPrompt(root, "@n.txt:3-2 @n.txt:0 @no.txt:1"), true, root); got != nil {
		t.Errorf("what names no lines is sent as %v", got)
	}
}

func TestAPreviewOfTheMarkedFile(t *testing.T) {
	c := newTest(t, nil)
	c.SetWidth(100)
	write(t, c.root, "a.txt", "the first line\nthe \x1b[31msecond\n")
	write(t, c.root, "b/c.txt", "deep")
	lookedUp(t, c, "@")
	if got := screen(c); !strings.Contains(got, "│ the first line") || !strings.Contains(got, "│ the second") {
		t.Errorf("the screen is\n%s", got)
	}
	lookedUp(t, c, "<down>")
	if got := screen(c); !strings.Contains(got, "│ c.txt") {
		t.Errorf("the screen is\n%s", got)
	}
	c.SetWidth(60)
	if got := screen(c); strings.Contains(got, "│") {
		t.Errorf("the screen is\n%s", got)
	}
}

// With very many files nothing is matched while a key is handled.
func TestManyFilesAreMatchedBeside(t *testing.T) {
	c := newTest(t, nil)
	var files []string
	for i := range 20_000 {
		files = append(files, fmt.Sprintf("dir%03d/file%05d.go", i/100, i))
	}
	c.index, c.listed = newFileIndex(files), c.now()
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
			c.index, c.listed = index, c.now()
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
	imageFile(t, c.root, "shot.png", 64, 48)
	size := len(pngOf(t, 64, 48))
	lookedUp(t, c, "look at @shot.png now")
	if got, want := screen(c), fmt.Sprintf("❯ look at [image shot.png, 64×48, %d bytes] now", size); got != want {
		t.Fatalf("the screen is %q, want %q", got, want)
	}
	if got := c.Text(); got != "look at @shot.png now" {
		t.Errorf("the draft is kept as %q", got)
	}
	blocks := play(c, "<enter>").Prompt.Blocks(caps)
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
	c.noImages = func() string { return "Agent takes no images" }
	path := imageFile(t, c.root, "shot.png", 3, 2)
	said := settleCmds(c, c.Paste(path))
	if len(said) != 1 || !strings.Contains(said[0].(ErrorMsg).Err.Error(), "Agent takes no images") {
		t.Errorf("said %v", said)
	}
	if got := c.Text(); got != "@"+path+" " {
		t.Errorf("the draft is %q", got)
	}
	blocks := play(c, "<enter>").Prompt.Blocks(acpclient.PromptCapabilities{})
	if len(blocks) != 2 || blocks[1].Type != acpclient.ContentResourceLink {
		t.Errorf("sent %+v", blocks)
	}
}

func TestImagesThatAreNone(t *testing.T) {
	if _, err := NewImage([]byte("no image")); err == nil || !strings.Contains(err.Error(), "PNG, JPEG, GIF or WebP") {
		t.Errorf("got %v", err)
	}
	if _, err := NewImage(make([]byte, ImageBytes+1)); err == nil || !strings.Contains(err.Error(), "10 MB is the most") {
		t.Errorf("got %v", err)
	}
}

// A picture that was pasted stays with its prompt, and comes back with it.
func TestAPastedImage(t *testing.T) {
	c := newTest(t, nil)
	img, err := NewImage(pngOf(t, 3, 2))
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
	blocks := play(c, "<enter>").Prompt.Blocks(acpclient.PromptCapabilities{Image: true})
	if len(blocks) != 2 || blocks[1].Type != acpclient.ContentImage {
		t.Errorf("sent %+v", blocks)
	}
}
