// Package acpclient speaks the Agent Client Protocol, version 1, from the
// client's side: it starts a coding agent, calls its methods, and hands its
// updates and requests to a Handler. It draws nothing. Apart from the standard library
// it imports only internal/process, which ends an agent with everything that it has
// started.
//
// # Using it
//
// Start an agent with StartProcess, put a Client on the Lines of its two
// directions, call Initialize, and Call SessionNew and SessionPrompt. The agent's updates and
// requests reach your Handler. See the package example. For an agent that is not behind
// a pipe, replace Lines with another Transport.
//
// # Order
//
// Notifications, requests and answers are handled in the order of the wire: an
// update is handed on before the answer behind it, and a permission request
// after the tool call before it. While a method of a Handler runs, nothing else
// is handled, so one that waits for the user or a program calls Async first. A
// slow Handler slows the agent down; nothing is lost.
//
// # Leniency
//
// What is sent follows the official schema to the letter. What is received may
// fall short of it: see Unmarshal. Unknown updates, content, options and fields
// are kept, unknown requests are answered "method not found", and lines
// that are not messages are noise.
//
// # Layers
//
// The JSON-RPC 2.0 layer is independent of ACP: messages in jsonrpc.go, the connection
// and its Transport in conn.go and receive.go, the Transport for pipes in lines.go,
// decoding and encoding in encoding.go and walk.go.
//
// ACP is built on it: client.go lists the methods and opens the connection; handler.go
// has the interfaces for the agent's requests and the table that dispatches them;
// process.go runs an agent. Every other file has the types of one topic.
package acpclient
