package conversation

import "slices"

// FileChange is what the agent did to a file through the client, over the whole
// session.
type FileChange struct {
	Path   string
	New    bool    // there was no such file before the first write
	Before *string // the content before the first write; nil is a new file
	After  string  // the content after the last write
	// Dropped says that the contents were too large to be kept: Before and After
	// say nothing.
	Dropped bool
}

// The contents of the files that were written are kept up to these sizes in bytes:
// those of one file, and those of all.
const (
	maxFileKept  = 4 << 20
	maxFilesKept = 32 << 20
)

// size is how many bytes of contents are kept for the file.
func (f *FileChange) size() int {
	n := len(f.After)
	if f.Before != nil {
		n += len(*f.Before)
	}
	return n
}

// applyFileWritten notes a write. The content before the first and after the last write
// of a file are kept.
func (c *Conversation) applyFileWritten(e FileWritten) {
	i := slices.IndexFunc(c.Files, func(f *FileChange) bool { return f.Path == e.Path })
	if i < 0 {
		i = len(c.Files)
		f := &FileChange{Path: e.Path, New: e.Before == nil, Before: e.Before}
		c.Files = append(c.Files, f)
		c.filesKept += f.size()
	}
	f := c.Files[i]
	c.filesKept -= f.size()
	f.After = e.After
	if n := f.size(); f.Dropped || n > maxFileKept || c.filesKept+n > maxFilesKept {
		f.Before, f.After, f.Dropped = nil, "", true
	}
	c.filesKept += f.size()
}
