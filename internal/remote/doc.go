// Package remote connects to agents that listen on the network, over WebSocket and over
// streamable HTTP.
//
// An Agent is where one listens; it keeps the cookies, so that a later connection
// reaches the same server behind a load balancer. A Connection is an
// acpclient.Transport that can also be ended and reports its end.
//
// For the user's safety, remote checks certificates, sends nothing to another machine
// without TLS unless that was requested, and follows no redirects, so that headers and
// messages reach only the named server. To bound memory, it limits messages, answers
// and their headers, and takes nothing from the network while nobody reads.
//
// Nothing is sent twice, and no stream is reopened after it breaks off, because nothing
// tells what was missed. The session is then reopened, not the connection.
package remote
