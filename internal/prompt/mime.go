package prompt

import (
	"path"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

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
	case BeginsAsText(head):
		return "text/plain"
	}
	return "application/octet-stream"
}

// BeginsAsText reports whether the first bytes of a file are text. A character at their
// end may be cut.
func BeginsAsText(head []byte) bool {
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
