// Package acpclient speaks the Agent Client Protocol, version 1, from the
// client's side: it starts a coding agent, calls its methods, and hands on what
// the agent tells and asks. It knows nothing of screens. It needs nothing but the
// standard library and, from this module, the package internal/process, which
// ends an agent with everything that it has started and needs no more itself.
//
// # Using it
//
// Start an agent with StartProcess, put a Client on the Lines of its Stdin and
// Stdout, call Initialize, and Call SessionNew and SessionPrompt. What the agent streams
// and asks meanwhile reaches your Handler. See the example of the package. An agent that
// is not reached through a pipe needs another Transport than Lines, and nothing
// else.
//
// # Order
//
// Notifications, requests and answers are handled in the order of the wire: an
// update is handed on before the answer behind it, and a permission request
// after the tool call before it. While a method of a Handler runs, nothing else
// is handled, so one that waits for the user or a program calls Async first. A
// Handler that cannot keep up slows the agent down, and nothing is lost.
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
// JSON-RPC 2.0 knows no ACP: jsonrpc.go has its messages, conn.go and receive.go
// the connection and what it needs of a Transport, lines.go the one for pipes,
// encoding.go and walk.go decode and encode Go types.
//
// ACP stands on that: client.go names its methods and opens the connection
// to an agent. handler.go has the interfaces of what an agent may ask, and one table of
// them, which says who takes a message and whether it was offered. process.go runs an
// agent. Every other file has the types of one topic.
package acpclient
