package registry

import (
	"errors"
	"net"
)

// isNetwork says whether an error is one of a network: a name that is not known, or a
// server that does not answer.
func isNetwork(err error) bool {
	var op *net.OpError
	var name *net.DNSError
	// A server that ends the talk about certificates by itself has been reached.
	return errors.As(err, &name) || errors.As(err, &op) && op.Op == "dial"
}
