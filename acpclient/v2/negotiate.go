package v2

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"

	"parley/acpclient"
)

// errNoSessions says that there is nothing to do with an agent.
var errNoSessions = errors.New("the agent offers no sessions")

// negotiation decides which version a connection speaks.
type negotiation struct {
	first   *acpclient.Client
	handler acpclient.Handler
	request *acpclient.InitializeRequest
	log     *slog.Logger

	client Negotiated
	info   *acpclient.InitializeResponse
	done   chan error
}

// chosen is initialize while it is not known which version its answer has.
var chosen = acpclient.Method[InitializeRequest, anyVersion](Initialize)

// anyVersion is the answer to initialize in any version.
type anyVersion struct {
	version uint16
	raw     json.RawMessage
}

// UnmarshalJSON takes the answer as it is, if it names a version.
func (a *anyVersion) UnmarshalJSON(b []byte) error {
	var head struct {
		ProtocolVersion uint16 `json:"protocolVersion" acp:"required"`
	}
	if err := acpclient.Unmarshal(b, &head); err != nil {
		return err
	}
	a.version, a.raw = head.ProtocolVersion, append(json.RawMessage(nil), b...)
	return nil
}

// answered takes the answer before the reader goes on to the message behind it, which
// is in the chosen version already.
func (n *negotiation) answered(a *anyVersion, err error) {
	if err == nil {
		err = n.choose(a)
	}
	n.done <- err
}

func (n *negotiation) choose(a *anyVersion) error {
	switch a.version {
	case acpclient.ProtocolVersion:
		n.first.Offer(n.request.ClientCapabilities)
		n.client, n.info = n.first, &acpclient.InitializeResponse{}
		if err := acpclient.Unmarshal(a.raw, n.info); err != nil {
			return fmt.Errorf("the answer to initialize: %w", err)
		}
		return nil
	case Version:
		var r InitializeResponse
		if err := acpclient.Unmarshal(a.raw, &r); err != nil {
			return fmt.Errorf("the answer to initialize: %w", err)
		}
		if r.Capabilities.Session == nil {
			return errNoSessions
		}
		conn := n.first.Conn()
		c := &Client{conn: conn, handler: n.handler, offered: n.request.ClientCapabilities, log: n.log, turns: map[acpclient.SessionID]*turns{}}
		go func() {
			<-conn.Done()
			c.connectionEnded()
		}()
		c.conn.Receive(&receiver{c})
		n.client, n.info = c, r.toV1()
		return nil
	}
	return &acpclient.VersionError{Agent: a.version}
}
