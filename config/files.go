package config

import "parley/internal/policy"

// Files adds patterns to the built-in list of files that agents may only use after the
// user agrees: see [policy.SensitiveFiles].
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

// globs reads a list of patterns.
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
