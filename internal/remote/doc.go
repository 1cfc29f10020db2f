// Package remote carries the protocol to agents that listen on the network: over
// WebSocket, and over streamable HTTP.
//
// An Agent is where one listens; it keeps the cookies, so that a later connection
// reaches the same server behind a load balancer. A Connection is an
// acpclient.Transport, with the means of a process to learn of its end and to end it.
//
// What keeps a person safe: certificates are checked, nothing is sent without TLS to
// another machine unless that was asked for, and no redirect is followed, so that
// neither headers nor messages reach anybody but the server that was named.
// What keeps memory safe: messages, answers and their headers are bounded, and while
// nobody reads, nothing is taken from the network.
package remote
