package registry

import (
	"errors"
	"net"
)

// isNetwork reports whether an error is one of the network: an unknown name, or a
// server that does not answer.
func isNetwork(err error) bool {
	var op *net.OpError
	var name *net.DNSError
	// A server that breaks off the TLS handshake has been reached.
	return errors.As(err, &name) || errors.As(err, &op) && op.Op == "dial"
}
