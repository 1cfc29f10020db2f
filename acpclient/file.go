package acpclient

import "crypto/rand"

// ReadTextFileRequest reads a file on the client's machine (method
// fs/read_text_file).
type ReadTextFileRequest struct {
	SessionID SessionID `json:"sessionId" acp:"required"`
	// Path is absolute.
	Path string `json:"path" acp:"required"`
	// Line is the first line to return, from 1; Limit the number of lines.
	Line  *int `json:"line,omitempty"`
	Limit *int `json:"limit,omitempty"`
	Meta  Meta `json:"_meta,omitempty"`
}

// ReadTextFileResponse is the text asked for.
type ReadTextFileResponse struct {
	Content string `json:"content"`
	Meta    Meta   `json:"_meta,omitempty"`
}

// WriteTextFileRequest writes a whole file on the client's machine (method
// fs/write_text_file).
type WriteTextFileRequest struct {
	SessionID SessionID `json:"sessionId" acp:"required"`
	// Path is absolute.
	Path    string `json:"path" acp:"required"`
	Content string `json:"content" acp:"required"`
	Meta    Meta   `json:"_meta,omitempty"`
}

func (r *ReadTextFileResponse) split() (text string, rest any, mark string) {
	without := *r
	without.Content = rand.Text()
	return r.Content, &without, without.Content
}
