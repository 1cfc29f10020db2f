package v2

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"

	"parley/acpclient"
)

// Version is the version of the protocol that this package speaks.
const Version = 2

// Negotiate initializes the connection of first, which must be new, offering version 2. It
// returns what takes requests in the types of version 1: the connection if the agent chooses
// that version, else a Client that calls h. For any other version, the error is an
// *acpclient.VersionError.
func Negotiate(ctx context.Context, first *acpclient.Client, h acpclient.Handler, r *acpclient.InitializeRequest, log *slog.Logger) (acpclient.Requester, *acpclient.InitializeResponse, error) {
	type answer struct {
		client acpclient.Requester
		info   *acpclient.InitializeResponse
		err    error
	}
	done := make(chan answer, 1)
	// The version is chosen before the connection reads the next message, which is in that
	// version already.
	acpclient.Go(first.Conn(), initialize, offer(r), func(chosen *json.RawMessage, err error) {
		a := answer{err: err}
		if err == nil {
			a.client, a.info, a.err = choose(first, h, r, log, *chosen)
		}
		done <- a
	})
	select {
	case a := <-done:
		return a.client, a.info, a.err
	case <-ctx.Done():
		return nil, nil, fmt.Errorf("initialize: %w", ctx.Err())
	}
}

// initialize has an answer in any version.
var initialize = acpclient.Method[initializeRequest, json.RawMessage]{Name: acpclient.Initialize.Name}

// initializeRequest is the request of version 1, for agents that speak only that, with the
// fields of version 2.
type initializeRequest struct {
	*acpclient.InitializeRequest
	ProtocolVersion uint16                    `json:"protocolVersion"`
	Info            *acpclient.Implementation `json:"info"`
	Capabilities    ClientCapabilities        `json:"capabilities"`
}

// ClientCapabilities are the capabilities of the client.
type ClientCapabilities struct {
	Auth struct {
		Terminal *acpclient.Supported `json:"terminal,omitempty"`
	} `json:"auth,omitzero"`
	Elicitation *acpclient.ElicitationCapabilities `json:"elicitation,omitempty"`
	Meta        acpclient.Meta                     `json:"_meta,omitempty"`
}

func offer(r *acpclient.InitializeRequest) *initializeRequest {
	out := &initializeRequest{InitializeRequest: r, ProtocolVersion: Version, Info: r.ClientInfo}
	out.Capabilities.Elicitation, out.Capabilities.Meta = r.ClientCapabilities.Elicitation, r.ClientCapabilities.Meta
	if r.ClientCapabilities.Auth.Terminal {
		out.Capabilities.Auth.Terminal = &acpclient.Supported{}
	}
	return out
}

func choose(first *acpclient.Client, h acpclient.Handler, r *acpclient.InitializeRequest, log *slog.Logger, raw json.RawMessage) (acpclient.Requester, *acpclient.InitializeResponse, error) {
	var head struct {
		ProtocolVersion uint16 `json:"protocolVersion" acp:"required"`
	}
	if err := acpclient.Unmarshal(raw, &head); err != nil {
		return nil, nil, unreadable(err)
	}
	var client acpclient.Requester = first.Conn()
	switch head.ProtocolVersion {
	case acpclient.ProtocolVersion:
		first.Offer(r.ClientCapabilities)
	case Version:
		var needed struct {
			Info         acpclient.Implementation `json:"info" acp:"required"`
			Capabilities struct {
				Session *acpclient.Supported `json:"session"`
			} `json:"capabilities"`
		}
		if err := acpclient.Unmarshal(raw, &needed); err != nil {
			return nil, nil, unreadable(err)
		}
		if needed.Capabilities.Session == nil {
			return nil, nil, errNoSessions
		}
		// Version 2 has no files and terminals of the client.
		first.Offer(acpclient.ClientCapabilities{Elicitation: r.ClientCapabilities.Elicitation})
		client = newClient(first, h, log)
		raw = change(raw, renameInfo)
	default:
		return nil, nil, &acpclient.VersionError{Agent: head.ProtocolVersion}
	}
	info := &acpclient.InitializeResponse{}
	if err := acpclient.Unmarshal(raw, info); err != nil {
		return nil, nil, unreadable(err)
	}
	return client, info, nil
}

func unreadable(err error) error { return fmt.Errorf("the answer to initialize: %w", err) }

var errNoSessions = errors.New("the agent offers no sessions")

// renameInfo also advertises what every agent of version 2 supports.
func renameInfo(o object) {
	var capabilities, session, mcp object
	_ = json.Unmarshal(o["capabilities"], &capabilities)
	_ = json.Unmarshal(capabilities["session"], &session)
	_ = json.Unmarshal(session["mcp"], &mcp)
	out := object{"loadSession": yes, "promptCapabilities": change(session["prompt"], flags), "_meta": capabilities["_meta"]}
	out["mcpCapabilities"] = encoded(map[string]any{
		"http": supported(mcp["http"]), "noStdio": !supported(mcp["stdio"]), "_meta": mcp["_meta"],
	})
	session["list"], session["resume"], session["close"] = empty, empty, empty
	out["sessionCapabilities"] = encoded(session)
	agentInfo.to(acpclient.ProtocolVersion, o)
	each(o, "authMethods", func(method object) {
		out["auth"] = json.RawMessage(`{"logout":{}}`)
		methodID.to(acpclient.ProtocolVersion, method)
		var variables []acpclient.EnvVariable
		_ = acpclient.Unmarshal(method["env"], &variables)
		env := map[string]string{}
		for _, v := range variables {
			env[v.Name] = v.Value
		}
		method["env"] = encoded(env)
	})
	o["agentCapabilities"] = encoded(out)
}

var yes, empty = json.RawMessage(`true`), json.RawMessage(`{}`)

// infoOfV1 is renameInfo the other way round, for an agent of ours.
func infoOfV1(o object) {
	var capabilities, session, prompt, mcp object
	_ = json.Unmarshal(o["agentCapabilities"], &capabilities)
	_ = json.Unmarshal(capabilities["sessionCapabilities"], &session)
	_ = json.Unmarshal(capabilities["promptCapabilities"], &prompt)
	_ = json.Unmarshal(capabilities["mcpCapabilities"], &mcp)
	if session == nil {
		session = object{}
	}
	for _, always := range []string{"list", "resume", "close"} {
		delete(session, always)
	}
	servers := object{"stdio": empty}
	if string(mcp["noStdio"]) == "true" {
		delete(servers, "stdio")
	}
	if string(mcp["http"]) == "true" {
		servers["http"] = empty
	}
	session["prompt"], session["mcp"] = encoded(markers(prompt)), encoded(servers)
	out := object{"session": encoded(session)}
	if meta := capabilities["_meta"]; meta != nil {
		out["_meta"] = meta
	}
	agentInfo.to(Version, o)
	each(o, "authMethods", func(method object) {
		methodID.to(Version, method)
		if method["type"] == nil { // which version 1 takes for granted
			method["type"] = quoted(string(acpclient.AuthMethodAgent))
		}
	})
	delete(o, "agentCapabilities")
	o["protocolVersion"], o["capabilities"] = encoded(Version), encoded(out)
}

// markers is flags the other way round.
func markers(flags object) object {
	out := object{}
	for name, on := range flags {
		if name == "_meta" {
			out[name] = on
		} else if string(on) == "true" {
			out[name] = empty
		}
	}
	return out
}

// flags replaces markers, which advertise by their presence, by booleans.
func flags(capabilities object) {
	for name, marker := range capabilities {
		if name != "_meta" {
			capabilities[name] = encoded(supported(marker))
		}
	}
}

func supported(marker json.RawMessage) bool { return len(marker) > 0 && string(marker) != "null" }
