package acpclient

// FileOperation is what was done with a file. Any other string than the ones below
// may come.
type FileOperation string

// The operations that the protocol defines.
const (
	FileAdd    FileOperation = "add"
	FileDelete FileOperation = "delete"
	FileModify FileOperation = "modify"
	FileMove   FileOperation = "move"
	FileCopy   FileOperation = "copy"
)

// FileChange says what a change does with a file as a whole: that it is deleted, or
// moved, or changed without a text that could be shown. The content that has it has
// no texts.
type FileChange struct {
	Operation FileOperation `json:"operation" acp:"required"`
	// OldPath is where the file was before FileMove, or is copied from.
	OldPath string `json:"oldPath,omitempty"`
	// FileType is "text", "binary", "directory", "symlink" or something else; empty if
	// it is not known.
	FileType string `json:"fileType,omitempty"`
	MimeType string `json:"mimeType,omitempty"`
}
