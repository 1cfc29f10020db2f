package prompt

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	files "parley/fs"
)

// templatesOf reads the prompts in a directory with these files.
func templatesOf(t *testing.T, all fstest.MapFS) []Template {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, all); err != nil {
		t.Fatal(err)
	}
	return templatesIn(t, dir)
}

func templatesIn(t *testing.T, dir string) []Template {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	return Templates(entries, func(name string) (*os.File, error) { return files.OpenRegular(filepath.Join(dir, name)) })
}

func TestTemplates(t *testing.T) {
	found := templatesOf(t, fstest.MapFS{
		"review.md":    {Data: []byte("# Review a change\n\nReview $ARGUMENTS as $ARGUMENTS.\n")},
		"explain.md":   {Data: []byte("\nExplain it to \x1b[31mme.\n")},
		"empty.md":     {Data: []byte(" \n")},
		"notes.txt":    {Data: []byte("no prompt")},
		"two words.md": {Data: []byte("cannot be typed")},
		"dir.md":       {Mode: fs.ModeDir},
		"huge.md":      {Data: []byte(strings.Repeat("x", mostBytes+1))},
	})
	if len(found) != 2 || found[0].Name != "explain" || found[1].Name != "review" {
		t.Fatalf("the prompts are %+v", found)
	}
	explain, review := found[0], found[1]
	if review.About != "Review a change" || strings.Contains(explain.About, "\x1b") {
		t.Errorf("they are about %q and %q", review.About, explain.About)
	}
	for _, c := range []struct {
		f           Template
		words, want string
	}{
		{review, "main", "# Review a change\n\nReview main as main."},
		{review, "", "# Review a change\n\nReview  as ."},
		{Template{Text: "Explain."}, " to a child ", "Explain.\n\nto a child"},
		{Template{Text: "Explain."}, "", "Explain."},
	} {
		if got := c.f.With(c.words); got != c.want {
			t.Errorf("with %q it is %q, want %q", c.words, got, c.want)
		}
	}
}

// What a file says about itself describes the command and is not sent.
func TestFrontMatter(t *testing.T) {
	for _, c := range []struct{ data, about, text string }{
		{"---\ndescription: Review a change\nmodel: x\n---\n\n# Review\n\nit\n", "Review a change", "# Review\n\nit"},
		{"---\r\ndescription: \"Quoted\"\r\n---\r\nReview\r\nit", "Quoted", "Review\nit"},
		{"---\nmodel: x\n---\nReview it", "Review it", "Review it"},
		{"---\n---\nReview it", "Review it", "Review it"},
		{"---\nmodel: x\n---", "", ""},
		{"---\nno end", "---", "---\nno end"},
		{"Review\n\n---\n\nit\n\n---\n", "Review", "Review\n\n---\n\nit\n\n---"},
	} {
		var about, text string
		for _, f := range templatesOf(t, fstest.MapFS{"review.md": {Data: []byte(c.data)}}) {
			about, text = f.About, f.Text
		}
		if about != c.about || text != c.text {
			t.Errorf("%q is about %q and says %q", c.data, about, text)
		}
	}
}
