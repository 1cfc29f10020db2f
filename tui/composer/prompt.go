package composer

import (
	"io"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"parley/acpclient"
)

const (
	embeddedFile  = 64 << 10  // the longest file that goes into a prompt whole
	embeddedTotal = 512 << 10 // and all files of one prompt together
	mentionsTaken = 100       // mentions of one prompt that are looked up
)

// Prompt is a draft that was sent. It is immutable and may be used from any
// goroutine.
type Prompt struct {
	raw, root string
	chips     *chips
}

// NewPrompt is a prompt of a text that was written elsewhere, for a project.
func NewPrompt(text, root string) Prompt { return Prompt{raw: text, root: root, chips: &chips{}} }

// Text is the whole text, with everything that was pasted.
func (p Prompt) Text() string { return p.chips.expand(p.raw, false) }

// Blocks is the content of the prompt for an agent: the text, then a block for
// each attachment, and for each file of the project that the text mentions. That is the file itself
// where the agent takes it and the file is a text that is not long, else a
// link; files outside the project are links always. Mentions inside of folded
// pastes are not looked up.
//
// It reads files: call it in a command, right before sending.
func (p Prompt) Blocks(caps acpclient.PromptCapabilities) []acpclient.ContentBlock {
	blocks := append([]acpclient.ContentBlock{acpclient.TextBlock(p.Text())}, p.attachments(caps)...)
	f := newFiles(p.root, caps.EmbeddedContext)
	defer f.close()
	taken := 0
	for line := range strings.Lines(p.raw) {
		for _, m := range mentions(strings.TrimSuffix(line, "\n")) {
			if taken++; taken > mentionsTaken {
				return blocks
			}
			if b, ok := f.block(m); ok {
				blocks = append(blocks, b)
			}
		}
	}
	return blocks
}

// files makes blocks of files.
type files struct {
	base  string   // the absolute path of the project
	root  *os.Root // nil when the project cannot be opened
	embed bool
	left  int64 // bytes that may still be embedded
	seen  map[string]bool
}

func newFiles(dir string, embed bool) *files {
	f := &files{embed: embed, left: embeddedTotal, seen: map[string]bool{}}
	if abs, err := filepath.Abs(dir); err == nil && dir != "" {
		f.base = abs
		f.root, _ = os.OpenRoot(abs) // without it every file is a link
	}
	return f
}

func (f *files) close() {
	if f.root != nil {
		_ = f.root.Close()
	}
}

// block is the block of a mentioned file. Punctuation that ends a sentence is
// taken off where no file has such a name.
func (f *files) block(m mention) (acpclient.ContentBlock, bool) {
	name := m.path
	for {
		if b, found := f.find(name); found {
			return b, b.Type != ""
		}
		cut := strings.TrimRight(name, ".,;:!?)]}>'\"`|")
		if m.quoted || cut == name || cut == "" {
			return acpclient.ContentBlock{}, false
		}
		name = cut
	}
}

// find looks a path up. A file that was found before has no second block.
func (f *files) find(name string) (b acpclient.ContentBlock, found bool) {
	abs := f.locate(name)
	if abs == "" {
		return b, false
	}
	info, err := os.Stat(abs)
	if err != nil || !info.Mode().IsRegular() && !info.IsDir() {
		return b, false
	}
	if f.seen[abs] {
		return b, true
	}
	f.seen[abs] = true
	shown, inside := filepath.Rel(f.base, abs)
	if inside != nil || !filepath.IsLocal(shown) {
		shown = abs
	}
	uri := fileURI(abs)
	if info.IsDir() {
		b = acpclient.ResourceLinkBlock(filepath.ToSlash(shown), uri)
		b.MimeType = "inode/directory"
		return b, true
	}
	head, whole := f.read(shown, abs)
	mimeType := mimeOf(abs, head)
	if text := string(head); whole && f.embed && int64(len(text)) <= f.left && isText(text) {
		f.left -= int64(len(text))
		return acpclient.TextResourceBlock(uri, mimeType, text), true
	}
	b = acpclient.ResourceLinkBlock(filepath.ToSlash(shown), uri)
	b.MimeType = mimeType
	size := info.Size()
	b.Size = &size
	return b, true
}

func (f *files) locate(name string) string {
	if rest, ok := strings.CutPrefix(name, "~/"); ok {
		home, err := os.UserHomeDir()
		if err != nil {
			return ""
		}
		return filepath.Join(home, rest)
	}
	switch name = filepath.FromSlash(name); {
	case name == "":
		return ""
	case filepath.IsAbs(name):
		return filepath.Clean(name)
	case f.base == "":
		return ""
	}
	return filepath.Join(f.base, name)
}

// read returns what may be embedded of a file of the project, or its begin. It
// goes through the root, so that no link leads out of the project; of a file
// outside it reads nothing.
func (f *files) read(name, abs string) (head []byte, whole bool) {
	if f.root == nil || name == abs {
		return nil, false
	}
	// A file may have become a pipe since it was looked at, so the open file is
	// looked at again.
	file, err := f.root.OpenFile(name, os.O_RDONLY|nonBlocking, 0)
	if err != nil {
		return nil, false
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, false
	}
	head, err = io.ReadAll(io.LimitReader(file, embeddedFile+1))
	if err != nil {
		return nil, false
	}
	return head, len(head) <= embeddedFile
}

func isText(s string) bool { return utf8.ValidString(s) && strings.IndexByte(s, 0) < 0 }

func fileURI(abs string) string {
	p := filepath.ToSlash(abs)
	if !strings.HasPrefix(p, "/") {
		p = "/" + p // a drive
	}
	return (&url.URL{Scheme: "file", Path: p}).String()
}

// mimeTypes are the types that are the same everywhere. The system's own table
// is not asked: it takes TypeScript for video.
var mimeTypes = map[string]string{
	".c": "text/x-c", ".cc": "text/x-c++", ".cpp": "text/x-c++", ".css": "text/css", ".csv": "text/csv",
	".gif": "image/gif", ".go": "text/x-go", ".h": "text/x-c", ".htm": "text/html", ".html": "text/html",
	".java": "text/x-java", ".jpeg": "image/jpeg", ".jpg": "image/jpeg", ".js": "text/javascript",
	".json": "application/json", ".md": "text/markdown", ".mjs": "text/javascript", ".pdf": "application/pdf",
	".png": "image/png", ".py": "text/x-python", ".rb": "text/x-ruby", ".rs": "text/x-rust", ".sh": "text/x-shellscript",
	".svg": "image/svg+xml", ".toml": "application/toml", ".ts": "text/x-typescript", ".tsx": "text/x-typescript",
	".txt": "text/plain", ".webp": "image/webp", ".xml": "application/xml", ".yaml": "application/yaml", ".yml": "application/yaml",
}

// mimeOf is the type of a file, by its name or else by its begin, of which no
// more is said than whether it is text.
func mimeOf(name string, head []byte) string {
	if t, ok := mimeTypes[strings.ToLower(path.Ext(filepath.ToSlash(name)))]; ok {
		return t
	}
	switch {
	case len(head) == 0:
		return ""
	case beginsAsText(head):
		return "text/plain"
	}
	return "application/octet-stream"
}

// beginsAsText reports whether the first bytes of a file are those of a text. A
// character at their end may be cut.
func beginsAsText(head []byte) bool {
	const enough = 512
	if len(head) <= enough {
		return isText(string(head))
	}
	for n := enough; n > enough-utf8.UTFMax; n-- {
		if isText(string(head[:n])) {
			return true
		}
	}
	return false
}
