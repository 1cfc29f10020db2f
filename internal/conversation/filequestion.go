package conversation

import (
	"path/filepath"

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
