package conversation

// FileChange is what the agent did to a file through the client, over the whole
// session.
type FileChange struct {
	Path   string
	Before *string // the content before the first write; nil is a new file
	After  string  // the content after the last write
}

// applyFileWritten notes a write: the content before the first and after the last
// write of a file count.
func (c *Conversation) applyFileWritten(e FileWritten) {
	for _, f := range c.Files {
		if f.Path == e.Path {
			f.After = e.After
			return
		}
	}
	c.Files = append(c.Files, &FileChange{Path: e.Path, Before: e.Before, After: e.After})
}
