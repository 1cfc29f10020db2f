// Package acpclient speaks the Agent Client Protocol, version 1, from the
// client's side: it starts a coding agent, calls its methods, and hands on what
// the agent tells and asks. It knows nothing of screens and needs nothing but
// the standard library.
//
// # Using it
//
// Start an agent with StartProcess, put a Client on its Stdin and Stdout, call
// Initialize, NewSession and Prompt. What the agent streams and asks meanwhile
// reaches your Handler. See the example of the package.
//
// # Order
//
// Notifications, requests and answers are handled in the order of the wire: an
// update is handed on before the answer behind it, and a permission request
// after the tool call before it. So a Handler's methods must not dawdle: one
// that waits for a person calls Async first. A handler that is slow on purpose
// slows the agent down, and loses nothing.
//
// # Leniency
//
// What is sent follows the official schema to the letter. What is received may
// fall short of it: see Unmarshal. Unknown updates, content, options and fields
// are kept, unknown requests are answered "method not found", and a line that
// is no message is noise.
//
// # Layers
//
// jsonrpc.go, frame.go, conn.go and receive.go are JSON-RPC 2.0 over lines and
// know no ACP. method.go names the methods of ACP, client.go and handler.go are
// its two directions, process.go and output.go run an agent. Every other file
// has the types of one topic.
package acpclient
