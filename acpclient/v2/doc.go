// Package v2 speaks version 2 of the Agent Client Protocol with the types of package
// acpclient.
//
// Its own types are those of the wire that differ from version 1. Client takes requests
// in acpclient's types and calls an acpclient.Handler. It alone translates, so callers
// need not know which version an agent speaks. Negotiate chooses the version, once for
// each connection.
//
// In version 1 a turn is one call. In version 2 the agent accepts the prompt, and the
// turn ends when the agent is idle. Client turns that into one call again (turn.go).
//
// Unknown values are kept: enumerations are strings, and variants of unknown type keep
// their JSON.
package v2
