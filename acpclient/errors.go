package acpclient

// The error codes that ACP adds to those of JSON-RPC.
const (
	// CodeAuthRequired says that the person must sign in first. An agent may
	// answer it to any call, at any time.
	CodeAuthRequired ErrorCode = -32000
	// CodeUnsupportedVersion is version 2's: the agent speaks no version that it was
	// offered.
	CodeUnsupportedVersion ErrorCode = -32022
	// CodeResourceNotFound says that there is no such file, terminal or session.
	CodeResourceNotFound ErrorCode = -32002
)

// NotFoundError is the answer to a request for a missing resource.
// Agents match on its words.
func NotFoundError(path string) *Error {
	return &Error{Code: CodeResourceNotFound, Message: "Resource not found: " + path}
}
