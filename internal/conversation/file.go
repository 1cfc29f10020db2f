package conversation

import (
	"path/filepath"
	"slices"

	"parley/acpclient"
)

// FileQuestion is a question of parley's own: whether a file may be read or written for
// the agent, and why that is asked.
type FileQuestion struct {
	// Path is the path as the agent named it, Target where it leads: absolute, and
	// without links.
	Path   string `json:"path"`
	Target string `json:"target"`
	// Write says that the file is to be written, else it is to be read.
	Write bool `json:"write,omitzero"`
	// Outside says that the target is in none of the session's directories.
	Outside bool `json:"outside,omitzero"`
	// Secret and Runs are the lines of the table of files for which the person is asked:
	// the file may hold secrets, or has programs run. "" if there is none.
	Secret string `json:"secret,omitzero"`
	Runs   string `json:"runs,omitzero"`
	// Own says that the file belongs to parley itself.
	Own bool `json:"own,omitzero"`
	// Links is how many names (hard links) the file has.
	Links int `json:"links,omitzero"`
	// Changed says that the file does not hold any more what the agent read.
	Changed bool `json:"changed,omitzero"`
	// Hidden says that the change is too large to be shown: the request has no diff.
	Hidden bool `json:"hidden,omitzero"`
	// Folder is what an answer for the session covers: the files directly in this
	// directory, unless they are asked about for another reason. "" if it covers the
	// target alone.
	Folder string `json:"folder,omitzero"`
}

// FileRequest is the request that a question of parley's own is shown as. before is
// what the file holds, nil if there is none; after what it is to hold.
func FileRequest(q *FileQuestion, before *string, after string) *acpclient.RequestPermissionRequest {
	title, kind := "parley asks: read "+q.Target, acpclient.ToolRead
	if q.Write {
		title, kind = "parley asks: write "+q.Target, acpclient.ToolEdit
	}
	call := acpclient.ToolCallUpdate{Title: &title, Kind: &kind, Locations: []acpclient.ToolCallLocation{{Path: q.Target}}}
	if q.Write && !q.Hidden {
		call.Content = []acpclient.ToolCallContent{{Type: acpclient.ToolContentDiff, Path: q.Target, OldText: before, NewText: after}}
	}
	return &acpclient.RequestPermissionRequest{ToolCall: call, Options: []acpclient.PermissionOption{
		{OptionID: FileOnce, Name: "Allow once", Kind: acpclient.AllowOnce},
		{OptionID: FileSession, Name: q.forSession(), Kind: acpclient.AllowAlways},
		{OptionID: FileNo, Name: "No", Kind: acpclient.RejectOnce},
	}}
}

// Why returns the first reason for the question, for agents and for people who cannot be
// asked.
func (q *FileQuestion) Why() string {
	switch {
	case q.Outside:
		return "it is outside the session's directories"
	case q.Own:
		return "it belongs to parley itself"
	case q.Secret != "":
		return "it may hold secrets (" + q.Secret + ")"
	case q.Runs != "":
		return "it has programs run (" + q.Runs + ")"
	case q.Changed:
		return "it has changed on disk"
	}
	return "it has other names (hard links), which may be elsewhere"
}

// The answers to a FileQuestion.
const (
	FileOnce    acpclient.PermissionOptionID = "once"
	FileSession acpclient.PermissionOptionID = "session"
	FileNo      acpclient.PermissionOptionID = "no"
)

// forSession names the answer that counts for the session.
func (q *FileQuestion) forSession() string {
	switch {
	case q.Write:
		return "Allow writing this file in this session"
	case q.Folder != "":
		return "Allow reading the files directly in " + q.Folder + string(filepath.Separator) + " in this session"
	}
	return "Allow reading this file in this session"
}

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
