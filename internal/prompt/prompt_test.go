package prompt

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/acpclient"
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

// blocksOf returns what follows the text block of a prompt, one block a line.
func blocksOf(t *testing.T, root, text string, embed bool, home string) []string {
	t.Helper()
	var list []string
	for i, b := range Resolve(root)(New(text), acpclient.PromptCapabilities{EmbeddedContext: embed}) {
		data, err := json.Marshal(b)
		if err != nil {
			t.Fatal(err)
		}
		s := strings.ReplaceAll(string(data), "file://"+filepath.ToSlash(home), "file://~")
		if i == 0 {
			if b.Text != text || b.Type != acpclient.ContentText {
				t.Errorf("the first block is %s", s)
			}
			continue
		}
		list = append(list, strings.ReplaceAll(s, home, "~"))
	}
	return list
}

// sameJSON compares texts as JSON.
var sameJSON = cmp.Comparer(func(a, b string) bool {
	var x, y any
	return json.Unmarshal([]byte(a), &x) == nil && json.Unmarshal([]byte(b), &y) == nil && reflect.DeepEqual(x, y)
})

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
			if diff := cmp.Diff(tt.want, blocksOf(t, root, tt.text, !tt.link, home), sameJSON); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestEmbeddedFilesHaveABound(t *testing.T) {
	root := t.TempDir()
	text := ""
	for _, name := range strings.Split("abcdefghij", "") {
		write(t, root, name, strings.Repeat("x", embeddedFile))
		text += "@" + name + " "
	}
	embedded := 0
	for _, b := range Resolve(root)(New(text), acpclient.PromptCapabilities{EmbeddedContext: true})[1:] {
		if b.Type == acpclient.ContentResource {
			embedded++
		}
	}
	if want := embeddedTotal / embeddedFile; embedded != want {
		t.Errorf("%d files are embedded, want %d", embedded, want)
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
		{"of a quoted name", `@"n.txt":2-3, so`, false, `{"type":"resource","resource":{"uri":"file://~/n.txt#L2-L3","mimeType":"text/plain","text":"2\n3\n"}}`},
		{"as a link", "@n.txt:2-3", true, `{"type":"resource_link","name":"n.txt:2-3","uri":"file://~/n.txt#L2-L3","mimeType":"text/plain"}`},
		{"behind the end", "@n.txt:9", false, `{"type":"resource_link","name":"n.txt:9","uri":"file://~/n.txt#L9","mimeType":"text/plain"}`},
		{"of a file that is too long as a whole", "@long.txt:1999-2000", false, `{"type":"resource","resource":{"uri":"file://~/long.txt#L1999-L2000","mimeType":"text/plain","text":"` + strings.Repeat(strings.Repeat("x", 99)+`\n`, 2) + `"}}`},
		{"too many", "@long.txt:1-1900", false, `{"type":"resource_link","name":"long.txt:1-1900","uri":"file://~/long.txt#L1-L1900","mimeType":"text/plain"}`},
		{"a name comes first", "@odd:7", false, `{"type":"resource","resource":{"uri":"file://~/odd:7","mimeType":"text/plain","text":"a name like that"}}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff([]string{tt.want}, blocksOf(t, root, tt.text, !tt.link, root), sameJSON); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	if got := blocksOf(t, root, "@n.txt:3-2 @n.txt:0 @no.txt:1", true, root); got != nil {
		t.Errorf("what names no lines is sent as %v", got)
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

// What is offered is found again in the text as it stands.
func TestMentionsAreReadAsWritten(t *testing.T) {
	for _, path := range []string{"a", "a b", `a"b`, `a\b`, "it's", "世界/x y", "a/b c/", ` x`} {
		text := "see " + WriteMention(path) + " and more"
		m := Mentions(text)
		if len(m) != 1 || m[0].Path != path {
			t.Errorf("%q is read as %+v", text, m)
		}
	}
}

// What the agent does not accept is replaced: attached output goes as text, and no image is
// sent.
func TestWhatTheAgentDoesNotAccept(t *testing.T) {
	q := New("see", Attachment{Label: "output", URI: "terminal://1/ls", Text: "a\nb"})
	q.Prompt = append(q.Prompt, acpclient.ImageBlock("image/png", "AAAA"))
	for all, want := range map[bool]string{true: "text resource image", false: "text text"} {
		var types []string
		blocks := Resolve(t.TempDir())(q, acpclient.PromptCapabilities{EmbeddedContext: all, Image: all})
		for _, b := range blocks {
			types = append(types, string(b.Type))
		}
		if got := strings.Join(types, " "); got != want {
			t.Errorf("%v: sent are %s, want %s", all, got, want)
		}
		if blocks[0].Text != "see\n\n[output]" || !all && blocks[1].Text != "a\nb" {
			t.Errorf("sent are %+v", blocks)
		}
	}
}
