// Package v2 speaks the second version of the Agent Client Protocol, and says what
// it hears in the types of the package acpclient.
//
// The types here are those of the wire, where they differ from the first version's;
// where they do not, acpclient's are used. A Client has the calls that a session
// needs in acpclient's types, and calls an acpclient.Handler: the translation happens
// in between and nowhere else, so nobody above has to ask which version an agent
// speaks. Negotiate decides that, once for each connection.
//
// A turn is one call in the first version. Here it is a prompt that is accepted, and
// ends when the agent says that it is idle: Client makes one call of it again, see
// turn.go. Everything else that the agent does, also while it is idle, are updates.
//
// What is not known is kept: values of enumerations are strings, and variants of an
// unknown type keep their JSON.
package v2
