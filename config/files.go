package config

import "parley/internal/policy"

// Files are lines of the table of files that the person is asked about before an agent
// reads or writes them, behind those that parley has itself: see package sensitive.
type Files struct {
	AskRead  []string
	AskWrite []string
}

// files reads [files].
func (t *table) files() Files {
	files, ok := t.child("files")
	if !ok {
		return Files{}
	}
	f := Files{AskRead: files.globs("ask_read"), AskWrite: files.globs("ask_write")}
	files.done()
	return f
}

// globs reads a list of lines of the table.
func (t *table) globs(key string) []string {
	lines := t.texts(key, true)
	for _, line := range lines {
		if err := policy.CheckFilePattern(line); err != nil {
			t.fail(key, "", "cannot be used: %v", err)
			return nil
		}
	}
	return lines
}
