// Package v2 speaks version 2 of the Agent Client Protocol with the types of package
// acpclient.
//
// Most of what differs between the versions is a name, or where it stands: rename.go has the
// table, and applies it to raw messages. Client takes requests in acpclient's types and calls
// an acpclient.Handler, so callers need not know which version an agent speaks. Negotiate
// chooses the version, once for each connection.
//
// In version 1 a turn is one call. In version 2 the agent accepts the prompt, and the
// turn ends when the agent is idle. Client turns that into one call again (turn.go).
//
// Agent is the other end: it lets an agent that is written for version 1 serve clients of both
// versions, by the same table. Only initialize it answers itself, in either.
//
// Unknown values are kept: enumerations are strings, and variants of unknown type keep
// their JSON.
package v2
