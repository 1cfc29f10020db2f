package composer

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/acpclient"
	"parley/internal/test"
)

func write(t *testing.T, dir, name, content string) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

// newPrompt is a prompt as it is sent from a project at root.
func newPrompt(root, text string) Prompt {
	return Prompt{raw: strings.TrimSpace(clean(text)), root: root, chips: &chips{}}
}

// blocksOf is what stands behind the text block, one block a line: a link with
// its name, type and size, or a file with its text.
func blocksOf(t *testing.T, p Prompt, embed bool, home string) []string {
	t.Helper()
	var list []string
	for i, b := range p.Blocks(acpclient.PromptCapabilities{EmbeddedContext: embed}) {
		data, err := json.Marshal(b)
		if err != nil {
			t.Fatal(err)
		}
		s := strings.ReplaceAll(string(data), "file://"+filepath.ToSlash(home), "file://~")
		if i == 0 {
			if b.Text != p.Text() || b.Type != acpclient.ContentText {
				t.Errorf("the first block is %s", s)
			}
			continue
		}
		list = append(list, strings.ReplaceAll(s, home, "~"))
	}
	return list
}

func TestBlocks(t *testing.T) {
	home := t.TempDir()
	root := filepath.Join(home, "project")
	write(t, root, "main.go", "package main\n")
	write(t, root, "a b.txt", "spaces")
	write(t, root, "docs/guide.md", "# Guide")
	write(t, root, "dot.", "x")
	write(t, root, "bin.dat", "\x00\x01\xff")
	write(t, root, "notes", "x"+strings.Repeat("ü", 1000)) // its 512th byte is half a character
	write(t, root, "big.txt", strings.Repeat("x", embeddedFile+1))
	write(t, root, "empty.txt", "")
	write(t, home, "secret.txt", "outside")
	if err := os.Symlink(filepath.Join(home, "secret.txt"), filepath.Join(root, "out.txt")); err != nil {
		t.Fatal(err)
	}
	const mainFile = `{"type":"resource","resource":{"uri":"file://~/project/main.go","mimeType":"text/x-go","text":"package main\n"}}`
	const mainLink = `{"type":"resource_link","name":"main.go","uri":"file://~/project/main.go","mimeType":"text/x-go","size":13}`
	for _, tt := range []struct {
		name, text string
		link       bool
		want       []string
	}{
		{"no mention", "hello", false, nil},
		{"a file", "see @main.go please", false, []string{mainFile}},
		{"a link where the agent takes no files", "see @main.go", true, []string{mainLink}},
		{"the end of a sentence", "see (@main.go), or @docs/guide.md.", true, []string{
			mainLink, `{"type":"resource_link","name":"docs/guide.md","uri":"file://~/project/docs/guide.md","mimeType":"text/markdown","size":7}`,
		}},
		{"a name that ends in a dot", "@dot.", false, []string{`{"type":"resource","resource":{"uri":"file://~/project/dot.","mimeType":"text/plain","text":"x"}}`}},
		{"quotes", `@"a b.txt"`, false, []string{`{"type":"resource","resource":{"uri":"file://~/project/a%20b.txt","mimeType":"text/plain","text":"spaces"}}`}},
		{"escapes", `@a\ b.txt`, true, []string{`{"type":"resource_link","name":"a b.txt","uri":"file://~/project/a%20b.txt","mimeType":"text/plain","size":6}`}},
		{"once only", "@main.go\n@main.go @./main.go", false, []string{mainFile}},
		{"what is not there", "@nothing me@main.go @", false, nil},
		{"a directory", "@docs/", false, []string{`{"type":"resource_link","name":"docs","uri":"file://~/project/docs","mimeType":"inode/directory"}`}},
		{"no text", "@bin.dat", false, []string{`{"type":"resource_link","name":"bin.dat","uri":"file://~/project/bin.dat","mimeType":"application/octet-stream","size":3}`}},
		{"text by its begin", "@notes", true, []string{`{"type":"resource_link","name":"notes","uri":"file://~/project/notes","mimeType":"text/plain","size":2001}`}},
		{"too long", "@big.txt", false, []string{`{"type":"resource_link","name":"big.txt","uri":"file://~/project/big.txt","mimeType":"text/plain","size":65537}`}},
		{"empty", "@empty.txt", false, []string{`{"type":"resource","resource":{"uri":"file://~/project/empty.txt","mimeType":"text/plain","text":""}}`}},
		{"outside the project", "@../secret.txt", false, []string{`{"type":"resource_link","name":"~/secret.txt","uri":"file://~/secret.txt","mimeType":"text/plain","size":7}`}},
		{"a way out of the project", "@out.txt", false, []string{`{"type":"resource_link","name":"out.txt","uri":"file://~/project/out.txt","mimeType":"text/plain","size":7}`}},
		{"from the root", "@" + filepath.ToSlash(root) + "/main.go", false, []string{mainFile}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, blocksOf(t, newPrompt(root, tt.text), !tt.link, home)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// Files that are mentioned in pasted text are not what the person asked for.
func TestPastesMentionNothing(t *testing.T) {
	c := newTest(t, nil)
	write(t, c.root, "override", "x")
	c.Paste(strings.Repeat("@override\nvoid f();\n", 20))
	if got := blocksOf(t, *play(c, "<enter>").Prompt, true, c.root); got != nil {
		t.Errorf("blocks %v", got)
	}
}

func TestEmbeddedFilesHaveABound(t *testing.T) {
	c := newTest(t, nil)
	text := ""
	for _, name := range strings.Split("abcdefghij", "") {
		write(t, c.root, name, strings.Repeat("x", embeddedFile))
		text += "@" + name + " "
	}
	embedded := 0
	for _, b := range newPrompt(c.root, text).Blocks(acpclient.PromptCapabilities{EmbeddedContext: true})[1:] {
		if b.Type == acpclient.ContentResource {
			embedded++
		}
	}
	if want := embeddedTotal / embeddedFile; embedded != want {
		t.Errorf("%d files are embedded, want %d", embedded, want)
	}
}

func TestListFiles(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"a.go", "dir/b c.go", "ignored.log", "node_modules/x/y.js", "bad\x1b[2Jname", "世.txt"} {
		write(t, root, name, "x")
	}
	write(t, root, ".gitignore", "*.log\nnode_modules\n")
	want := []string{".gitignore", "a.go", "dir/b c.go", "世.txt"}

	got, err := listFiles(root)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{".gitignore", "a.go", "dir/b c.go", "ignored.log", "世.txt"}, got); diff != "" {
		t.Errorf("without git (-want +got):\n%s", diff)
	}

	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	marker := filepath.Join(t.TempDir(), "ran")
	for _, args := range [][]string{{"init", "-q"}, {"config", "core.fsmonitor", "touch " + marker}, {"add", "a.go"}} {
		cmd := exec.Command("git", append([]string{"-c", "core.fsmonitor=false"}, args...)...)
		cmd.Dir, cmd.Env = root, test.Environ()
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	got, err = listFiles(root)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("with git (-want +got):\n%s", diff)
	}
	if _, err := os.Stat(marker); err == nil {
		t.Error("listing files ran a program of the project's configuration")
	}
}
