package prompt

import (
	"io"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"parley/acpclient"
	"parley/fs"
)

// Files finds the files that a prompt mentions, and creates their blocks.
type Files struct {
	base string   // the absolute path of the project
	root *os.Root // nil when the project cannot be opened
	caps acpclient.PromptCapabilities
	left int64 // bytes that may still be embedded
	seen map[string]bool
}

// NewFiles returns the files of a project, for an agent with these capabilities. Close
// releases them.
func NewFiles(dir string, caps acpclient.PromptCapabilities) *Files {
	f := &Files{caps: caps, left: embeddedTotal, seen: map[string]bool{}}
	if abs, err := filepath.Abs(dir); err == nil && dir != "" {
		f.base = abs
		f.root, _ = os.OpenRoot(abs) // without it every file is a link
	}
	return f
}

// Close releases the project.
func (f *Files) Close() {
	if f.root != nil {
		_ = f.root.Close()
	}
}

func (f *Files) block(m Mention) (b acpclient.ContentBlock, ok bool) {
	for name, lines := range m.Names() {
		if b, found := f.find(name, lines); found {
			return b, b.Type != ""
		}
	}
	return b, false
}

// find looks a path up. A path that was found before gets no second block.
func (f *Files) find(name string, lines LineRange) (b acpclient.ContentBlock, found bool) {
	abs, info := f.Look(name)
	if info == nil || info.IsDir() && lines.Some() {
		return b, false
	}
	key := abs + lines.fragment()
	if f.seen[key] {
		return b, true
	}
	f.seen[key] = true
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
	if f.caps.Image && IsImageName(abs) {
		if img, err := f.image(shown, abs); err == nil {
			return img.Block(), true
		}
	}
	if lines.Some() {
		return f.part(shown, abs, uri, lines), true
	}
	head, whole := f.read(shown, abs)
	mimeType := mimeOf(abs, head)
	if text := string(head); whole && f.embeds(text) {
		return acpclient.TextResourceBlock(uri, mimeType, text), true
	}
	b = acpclient.ResourceLinkBlock(filepath.ToSlash(shown), uri)
	b.MimeType = mimeType
	size := info.Size()
	b.Size = &size
	return b, true
}

// embeds reports whether a text is embedded in the prompt, and counts it if so.
func (f *Files) embeds(text string) bool {
	if !f.caps.EmbeddedContext || int64(len(text)) > f.left || !isText(text) {
		return false
	}
	f.left -= int64(len(text))
	return true
}

// part returns the block of some lines of a file: the lines themselves, or a link to
// them.
func (f *Files) part(shown, abs, uri string, lines LineRange) acpclient.ContentBlock {
	uri += lines.fragment()
	if file := f.open(shown, abs); file != nil {
		defer func() { _ = file.Close() }()
		if text, whole := lines.read(file); whole && text != "" && f.embeds(text) {
			return acpclient.TextResourceBlock(uri, mimeOf(abs, []byte(text)), text)
		}
	}
	b := acpclient.ResourceLinkBlock(filepath.ToSlash(shown)+lines.String(), uri)
	b.MimeType = mimeOf(abs, nil)
	return b
}

// Look finds the file or directory of a name; info is nil if there is none.
func (f *Files) Look(name string) (abs string, info os.FileInfo) {
	abs = f.locate(name)
	if abs == "" {
		return "", nil
	}
	info, err := os.Stat(abs)
	if err != nil || !info.Mode().IsRegular() && !info.IsDir() {
		return "", nil
	}
	return abs, info
}

func (f *Files) locate(name string) string {
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

// open opens a file of the project, nil if it is unreadable or outside of the project.
// It goes through the root, so that no link leads out of the project.
func (f *Files) open(name, abs string) *os.File {
	if f.root == nil || name == abs {
		return nil
	}
	file, err := fs.OpenRegularIn(f.root, name)
	if err != nil {
		return nil
	}
	return file
}

// read returns the contents of a file of the project, or its beginning if it is too
// long to embed.
func (f *Files) read(name, abs string) (head []byte, whole bool) {
	file := f.open(name, abs)
	if file == nil {
		return nil, false
	}
	defer func() { _ = file.Close() }()
	head, err := io.ReadAll(io.LimitReader(file, embeddedFile+1))
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

// mimeTypes are the types that are the same everywhere. The system's own table takes
// TypeScript for video.
var mimeTypes = map[string]string{
	".c": "text/x-c", ".cc": "text/x-c++", ".cpp": "text/x-c++", ".css": "text/css", ".csv": "text/csv",
	".gif": "image/gif", ".go": "text/x-go", ".h": "text/x-c", ".htm": "text/html", ".html": "text/html",
	".java": "text/x-java", ".jpeg": "image/jpeg", ".jpg": "image/jpeg", ".js": "text/javascript",
	".json": "application/json", ".md": "text/markdown", ".mjs": "text/javascript", ".pdf": "application/pdf",
	".png": "image/png", ".py": "text/x-python", ".rb": "text/x-ruby", ".rs": "text/x-rust", ".sh": "text/x-shellscript",
	".svg": "image/svg+xml", ".toml": "application/toml", ".ts": "text/x-typescript", ".tsx": "text/x-typescript",
	".txt": "text/plain", ".webp": "image/webp", ".xml": "application/xml", ".yaml": "application/yaml", ".yml": "application/yaml",
}

// mimeOf returns the type of a file, by its name, or else text or binary by its
// beginning.
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

// beginsAsText reports whether the first bytes of a file are text. A character at their
// end may be cut.
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
